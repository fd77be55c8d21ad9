"""Arrays in chunks on disk, in the Zarr format version 2, which zarr 2, zarr 3 and xarray read.

The format is small: JSON beside one file per chunk, here raw little-endian numbers through zlib. It is
written by hand for two promises: a chunk's file is complete or absent whenever the process is killed,
and the same numbers make the same files whatever else is installed.

Format: zarr-specs.readthedocs.io/en/latest/v2/v2.0.html
"""

import itertools
import json
import math
import os
import shutil
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import brief
from forearm.common.files import read_file
from forearm.errors import OptionError

Place = tuple[int, ...]
Box = tuple[slice, ...]

UNFINISHED = ".unfinished"  # files on their way, below the group; whole ones are renamed into place
ZLIB_LEVEL = 1  # shares compress well; higher levels cost time and gain a few percent
ARRAY, GROUP, ATTRIBUTES = ".zarray", ".zgroup", ".zattrs"
MOST_IN_CHUNK = 512**3  # numbers: what a plan of a map allows


@dataclass(frozen=True)
class ZarrArray:
    """An array of floats in a group on disk; NaN stands where nothing was written."""

    group: Path  # the group's directory
    name: str  # of the array's own directory in it
    shape: Place
    chunks: Place  # numbers along each axis of a chunk
    dtype: str = "<f4"  # little-endian

    @property
    def grid(self) -> Place:
        """How many chunks along each axis."""
        return tuple(-(-size // chunk) for size, chunk in zip(self.shape, self.chunks, strict=True))

    def places(self) -> Iterator[Place]:
        """All chunks, the last axis fastest."""
        return itertools.product(*(range(count) for count in self.grid))

    def box(self, place: Place) -> Box:
        """Where a chunk lies in the array."""
        ends = zip(place, self.chunks, self.shape, strict=True)
        return tuple(slice(i * chunk, min((i + 1) * chunk, size)) for i, chunk, size in ends)

    def file(self, place: Place) -> Path:
        """The file of a chunk."""
        return self.group.joinpath(self.name, *(str(i) for i in place))

    def has(self, place: Place) -> bool:
        """Whether a chunk was written."""
        return self.file(place).is_file()

    def has_whole(self, place: Place) -> bool:
        """Whether a chunk was written and can be read."""
        try:
            self.read_chunk(place)
        except OptionError:
            return False
        return self.has(place)

    def write(self, place: Place, values: NDArray[Any]) -> None:
        """Writes a chunk, whole or not at all; what it lacks at the array's end is filled up."""
        padded = np.full(self.chunks, np.nan, self.dtype)
        padded[tuple(slice(0, size) for size in values.shape)] = values
        write_whole(self.group, self.file(place), zlib.compress(padded.tobytes(), ZLIB_LEVEL))

    def read_chunk(self, place: Place) -> NDArray[Any]:
        """A chunk cut to the array's shape."""
        cut = tuple(slice(0, part.stop - part.start) for part in self.box(place))
        try:
            packed = self.file(place).read_bytes()
        except FileNotFoundError:
            return np.full(self.chunks, np.nan, self.dtype)[cut]
        size, opened = math.prod(self.chunks) * np.dtype(self.dtype).itemsize, zlib.decompressobj()
        try:
            data = opened.decompress(packed, size + 1)  # no more than it may hold, however well it was packed
            if not opened.eof:
                raise ValueError(f"it holds more or less than {size} bytes")
            return np.frombuffer(data, self.dtype).reshape(self.chunks)[cut]
        except (zlib.error, ValueError):
            raise OptionError(
                f"'{self.file(place)}' is damaged; remove it and make the map again with {{resume}}",
                resume="resume=True",
            ) from None

    def read(self, box: Box | None = None) -> NDArray[Any]:
        """The numbers of a box of the array, of all of it by default; only the chunks it takes are read."""
        want = box or tuple(slice(0, size) for size in self.shape)
        out = np.empty(tuple(part.stop - part.start for part in want), self.dtype)
        ranges = (range(w.start // c, -(-w.stop // c)) for w, c in zip(want, self.chunks, strict=True))
        for place in itertools.product(*ranges):
            have = self.box(place)
            both = [slice(max(w.start, h.start), min(w.stop, h.stop)) for w, h in zip(want, have, strict=True)]
            there = tuple(slice(b.start - w.start, b.stop - w.start) for b, w in zip(both, want, strict=True))
            here = tuple(slice(b.start - h.start, b.stop - h.start) for b, h in zip(both, have, strict=True))
            out[there] = self.read_chunk(place)[here]
        return out

    def describe(self) -> dict[str, Any]:
        """Its metadata as the format has them."""
        compressor = {"id": "zlib", "level": ZLIB_LEVEL}
        data = {"zarr_format": 2, "shape": self.shape, "chunks": self.chunks, "dtype": self.dtype, "order": "C"}
        return data | {"fill_value": "NaN", "filters": None, "compressor": compressor, "dimension_separator": "/"}


Arrays = dict[str, tuple[ZarrArray, dict[str, Any]]]  # by name, with what is said about them: dimensions, units


def open_array(group: Path, name: str) -> ZarrArray:
    """An array that is there."""
    data, where = read_json(group / name / ARRAY), group / name / ARRAY
    shape, chunks = data.get("shape"), data.get("chunks")
    if not (is_shape(shape) and is_shape(chunks) and len(shape) == len(chunks) and math.prod(chunks) <= MOST_IN_CHUNK):
        raise OptionError(f"'{where}' is damaged: it has the shape {brief(shape)} in chunks {brief(chunks)}")
    array = ZarrArray(group, name, tuple(shape), tuple(chunks))
    if json.loads(as_json(array.describe())) != data:
        raise OptionError(f"'{where}' is damaged: it describes an array that forearm does not write")
    return array


def is_shape(sizes: Any) -> TypeGuard[list[int]]:
    """Whether something read from a file is a shape."""
    return isinstance(sizes, list) and all(type(size) is int and size > 0 for size in sizes)


def write_group(path: Path, attributes: dict[str, Any], arrays: Arrays) -> None:
    """Writes the metadata of a group and its arrays."""
    path.mkdir()
    write_json(path, path / GROUP, {"zarr_format": 2})
    write_json(path, path / ATTRIBUTES, attributes)
    mend_arrays(path, arrays)


def mend_arrays(path: Path, arrays: Arrays) -> None:
    """Writes the metadata of arrays where they are not there or damaged."""
    for name, (array, about) in arrays.items():
        for file, data in ((path / name / ARRAY, array.describe()), (path / name / ATTRIBUTES, about)):
            if not file.is_file() or file.read_bytes() != as_json(data):
                write_whole(path, file, as_json(data))


def as_json(data: dict[str, Any]) -> bytes:
    """JSON, always the same for the same data."""
    return (json.dumps(data, indent=2, sort_keys=True) + "\n").encode()


def write_json(group: Path, path: Path, data: dict[str, Any]) -> None:
    """Writes JSON, whole or not at all."""
    write_whole(group, path, as_json(data))


def read_json(path: Path) -> dict[str, Any]:
    """Reads JSON that `write_json` may have written."""
    try:
        data = json.loads(read_file(path, "JSON"))
    except (ValueError, RecursionError) as problem:  # a ValueError: what `read_file` raises, and what is no JSON
        raise OptionError(f"'{path}' cannot be read: {problem}") from None
    if not isinstance(data, dict):
        raise OptionError(f"'{path}' holds no JSON object")
    return data


def write_whole(group: Path, path: Path, data: bytes) -> None:
    """Writes a file so that it is complete or absent, whenever the process or the machine stops."""
    unfinished = group / UNFINISHED
    unfinished.mkdir(exist_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = unfinished / f"{os.getpid()}-{'.'.join(path.relative_to(group).parts)}"
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def sweep(group: Path) -> None:
    """Removes what killed runs left unfinished."""
    shutil.rmtree(group / UNFINISHED, ignore_errors=True)
