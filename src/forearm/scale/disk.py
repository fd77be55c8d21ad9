"""Where long runs write: every fault of the place is found before the work starts."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from forearm.errors import OptionError

BLOCK = 4096  # bytes that a file takes at least on most file systems


def check_place(path: Path, needed: int) -> None:
    """Refuses a path that cannot be written, or whose disk has no room for so many bytes."""
    folder = path.resolve().parent
    if folder.exists() and not folder.is_dir():
        raise OptionError(f"'{path}' cannot be written: '{folder}' is a file; choose another place")
    if not folder.is_dir():
        raise OptionError(f"'{path}' cannot be written: there is no directory '{folder}'; make it first")
    try:
        with tempfile.TemporaryFile(dir=path if path.is_dir() else folder) as file:
            file.write(b"\0" * BLOCK)
            file.flush()
            os.fsync(file.fileno())
    except OSError as problem:
        raise OptionError(f"'{path}' cannot be written: {problem.strerror}; choose another place") from None
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise OptionError(
            f"'{path}' may take {in_words(needed)} and its disk has {in_words(free)} left; "
            "make room, or choose another place"
        )


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Keeps other runs from writing to a directory; the system ends this with the process, however that ends."""
    try:
        import fcntl  # noqa: PLC0415 (not on Windows, where nobody is kept)
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OptionError(f"another run writes to '{folder}'; wait for it, or choose another name") from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(handle)


def in_words(count: float) -> str:
    """Bytes as people say them."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if count < 1000.0:
            return f"{count:.3g} {unit}"
        count /= 1000.0
    return f"{count:.3g} PB"
