"""Reads files that may be anything: regular ones only, bounded in size, with words for failure."""

import os
import stat
from pathlib import Path

from forearm.errors import ModelError

# The largest robot description in the wild is a few megabytes; more is a mistake or an attack.
MAX_BYTES = 32 * 1024 * 1024


def read_file(path: Path, what: str, most: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file of at most `most` bytes; `what` says what it should be."""
    try:
        if not path.exists():
            raise ModelError(f"there is no {what} file '{path}'; check the path")
        if not path.is_file():
            raise ModelError(f"'{path}' is not a regular file; give the path of a {what} file")
        # Looked at again once it is open, and without waiting: it may have become a pipe that no one writes to.
        with open(os.open(path, os.O_RDONLY | WITHOUT_WAITING), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ModelError(f"'{path}' is not a regular file; give the path of a {what} file")
            data = file.read(most + 1)
        if len(data) > most:
            size = max(path.stat().st_size, len(data))
            raise ModelError(f"{path.name} has {size:,} bytes; at most {most:,} are read. Is it a {what} file?")
        return data
    except ModelError:
        raise
    except (OSError, ValueError) as problem:  # ValueError: a NUL byte in the path
        raise ModelError(f"cannot read the {what} file {str(path)!r}: {problem}") from None


WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
