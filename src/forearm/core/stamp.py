"""What a kernel is made of: a hash of its own file and of all files of `core` that it imports, directly or not.

Machine code that carries such a stamp is never run for other sources than its own: neither Numba's cache, which looks
at one file alone, nor kernels that were compiled ahead of time.
"""

import functools
import os
import re
import zlib
from pathlib import Path

CORE = Path(__file__).parent
_IMPORT = re.compile(rb"^\s*(?:from|import)\s+forearm\.core([\w.]*)", re.MULTILINE)


def check_sum() -> int:
    """One number for all sources of `core`, in a few milliseconds: if it is the same, so are all stamps."""
    total, folders = 0, [str(CORE)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py") and entry.name != "_built.py":
                    with open(entry.path, "rb") as file:
                        total += zlib.crc32(file.read(), zlib.crc32(entry.path[len(str(CORE)) :].encode()))
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return total


@functools.cache
def stamp_of(module: str) -> str:
    """The SHA-256 of a module of `core` and of every module of `core` that it reaches by imports."""
    seen: set[Path] = set()
    waiting = [_source(module)]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += _read(path)[1]
    import hashlib  # noqa: PLC0415 (slow, and only needed where something was edited)

    digest = hashlib.sha256()
    for path in sorted(seen):
        digest.update(_read(path)[0])
    return digest.hexdigest()


@functools.cache
def _source(module: str) -> Path:
    """The file of a module named by its dotted name below `core`."""
    path = CORE.joinpath(*module.strip(".").split("."))
    return path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"


@functools.cache
def _read(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """The hash of a file's name and text, and the files of `core` that it imports."""
    import hashlib  # noqa: PLC0415

    text = path.read_bytes()
    digest = hashlib.sha256(path.relative_to(CORE).as_posix().encode() + b"\n" + text).digest()
    return digest, tuple(_source(name.decode()) for name in _IMPORT.findall(text) if name)
