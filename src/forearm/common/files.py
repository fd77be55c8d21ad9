"""Reads files that may be anything: regular ones only, bounded in size, with words for failure."""

import os
import re
import stat
import sys
from pathlib import Path
from typing import Any

from forearm.errors import ForearmError, ModelError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# The largest robot description in the wild is a few megabytes; more is a mistake or an attack.
MAX_BYTES = 32 * 1024 * 1024


def as_path(path: Any, what: str, error: type[ForearmError]) -> Path:
    """The path of a file that the user names."""
    if not isinstance(path, (str, os.PathLike)):
        raise error(f"a {what} is given by its path, not by {type(path).__name__}")
    return Path(path)


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


def parse_toml(data: bytes, where: str, error: type[ForearmError]) -> dict[str, Any]:
    """The tables of a TOML file; what is wrong with it is told as an error of the given kind."""
    if len(data) > MAX_TOML:
        raise error(f"{where} has {len(data):,} bytes; at most {MAX_TOML:,} of TOML are read")
    # The parser takes time as the square of a dotted key's length, and each is far shorter than this.
    if any(piece.count(b".") > MAX_DOTS for piece in re.split(rb"[=,\[\]{}\n]", data)):
        raise error(f"{where} is not a TOML file: it has a key or a value with more than {MAX_DOTS} dots")
    try:
        tables: dict[str, Any] = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise error(f"{where} is not a TOML file: {words_of(problem)}") from None
    return tables


def words_of(problem: BaseException) -> str:
    """What a parser says is wrong with a file, in one line and without advice to Python programmers."""
    if isinstance(problem, RecursionError):
        return "it nests too deep"
    if "integer string conversion" in str(problem):
        return "it has a whole number with thousands of digits"
    return " ".join(str(problem).split())[:MAX_WORDS] or type(problem).__name__


MAX_TOML = 2 * 1024 * 1024  # bytes: a file of some thousand obstacles
MAX_DOTS = 300
MAX_WORDS = 300  # characters
WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
