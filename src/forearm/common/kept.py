"""What takes seconds to make is kept on disk: arrays, under a name made of all that they depend on.

They lie in the user's folder of caches, or in `FOREARM_CACHE_DIR`; empty, it says that nothing is kept. A file that
cannot be read, or a folder that cannot be written, only means that arrays are made again.
"""

import functools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from forearm.common.later import Later

if TYPE_CHECKING:
    import hashlib
    import tempfile
else:  # slow, and only arms with meshes have something to keep
    hashlib, tempfile = Later("hashlib"), Later("tempfile")

VARIABLE = "FOREARM_CACHE_DIR"


def kept(
    made_by: Sequence[str], asked: Sequence[bytes], make: Callable[[], tuple[NDArray[np.float64], ...]]
) -> tuple[NDArray[np.float64], ...]:
    """The arrays that `make` gives, or gave before: by the files of code that make them and the bytes they are made of.

    `made_by` are the paths of that code (`__file__`).
    """
    folder = cache_folder()
    if folder is None:
        return make()
    name = hashlib.sha256(stamp(tuple(made_by)))
    for part in asked:
        name.update(len(part).to_bytes(8, "little") + part)
    path = folder / f"{name.hexdigest()}.npz"
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return tuple(arrays[f"arr_{k}"] for k in range(len(arrays.files)))
    except Exception:  # whatever a file that is not there, or is damaged, makes numpy raise
        found = make()
    _write(path, found)
    return found


def cache_folder() -> Path | None:
    """Where arrays are kept; None if they should not be."""
    own = os.environ.get(VARIABLE)
    if own is not None:
        return Path(own) if own else None
    try:
        home = Path.home()
    except RuntimeError:  # a user without one
        return None
    usual = {"win32": home / "AppData/Local", "darwin": home / "Library/Caches"}.get(sys.platform, home / ".cache")
    given = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    return (Path(given) if given else usual) / "forearm"


@functools.cache
def stamp(made_by: tuple[str, ...]) -> bytes:
    """What tells apart code that may give other arrays: its own bytes, numpy's version, and the machine's kind."""
    told = hashlib.sha256(f"{np.__version__} {sys.platform} {sys.byteorder}".encode())
    for path in made_by:
        told.update(Path(path).read_bytes())
    return told.digest()


def _write(path: Path, arrays: tuple[NDArray[np.float64], ...]) -> None:
    """Writes a file whole or not at all: others may read or write it meanwhile."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(suffix=".npz", dir=path.parent)
        with open(handle, "wb") as file:
            np.savez(file, *arrays)
        os.replace(draft, path)
    except OSError:  # a full disk, a home that cannot be written
        return
