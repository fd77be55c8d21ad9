"""Reads files that may be anything: regular ones only, bounded in size, with words for failure."""

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
        size = path.stat().st_size
        if size > most:
            raise ModelError(f"{path.name} has {size:,} bytes; at most {most:,} are read. Is it a {what} file?")
        return path.read_bytes()
    except ModelError:
        raise
    except (OSError, ValueError) as problem:  # ValueError: a NUL byte in the path
        raise ModelError(f"cannot read the {what} file {str(path)!r}: {problem}") from None
