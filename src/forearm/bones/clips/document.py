"""A glTF 2.0 file as it lies on disk: its JSON, its buffers, and the arrays of numbers in them, all of it checked."""

import base64
import binascii
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from forearm.bones.clips.bvh import MOST_NUMBERS
from forearm.common.checks import brief
from forearm.common.files import read_file, words_of
from forearm.common.folders import Folders
from forearm.common.types import Floats
from forearm.errors import ModelError

MOST_BYTES = 512 * 1024 * 1024
MAGIC, JSON_CHUNK, BINARY_CHUNK = b"glTF", 0x4E4F534A, 0x004E4942
# Component types: what an array is made of, and what its largest value stands for where it is normalised.
COMPONENTS: dict[int, tuple[str, float]] = {
    5120: ("<i1", 127.0),
    5121: ("<u1", 255.0),
    5122: ("<i2", 32767.0),
    5123: ("<u2", 65535.0),
    5125: ("<u4", 1.0),
    5126: ("<f4", 1.0),
}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


class Document:
    """A glTF file: its JSON and its buffers."""

    def __init__(self, path: Path) -> None:
        self.where, self.folders = path.name, Folders(path.parent)
        data = read_file(path, "glTF", MOST_BYTES)
        self.binary = b""
        if data[:4] == MAGIC:
            data = self._open_binary(data)
        try:
            self.tables = json.loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError) as problem:
            raise ModelError(f"{self.where} is not a glTF file: {words_of(problem)}") from None
        if not isinstance(self.tables, dict) or not str(
            self.of(self.tables, "asset", {}).get("version", "")
        ).startswith("2"):
            raise ModelError(f"{self.where} is not a glTF 2.0 file: its asset has no version 2")

    def _open_binary(self, data: bytes) -> bytes:
        """The JSON of a .glb; its binary chunk is kept."""
        found, place = b"", 12
        while place + 8 <= len(data):
            size, kind = struct.unpack_from("<II", data, place)
            chunk = data[place + 8 : place + 8 + size]
            if len(chunk) < size:
                raise ModelError(f"{self.where} ends early: a chunk of {size:,} bytes has {len(chunk):,}")
            if kind == JSON_CHUNK:
                found = chunk
            elif kind == BINARY_CHUNK:
                self.binary = chunk
            place += 8 + size + (-size) % 4
        return found

    def of(self, table: Any, key: str, default: Any) -> Any:
        """The value of a key, of the kind that its default is."""
        value = table.get(key, default) if isinstance(table, dict) else default
        if not isinstance(value, type(default)):
            raise ModelError(f"{self.where} has {brief(value)} as '{key}'")
        return value

    def item(self, kind: str, number: Any) -> dict[str, Any]:
        """An entry of one of the document's lists."""
        entries = self.of(self.tables, kind, [])
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(entries):
            raise ModelError(f"{self.where} names number {brief(number)} of its {len(entries)} {kind}")
        if not isinstance(entries[number], dict):
            raise ModelError(f"{self.where} has {brief(entries[number])} among its {kind}")
        found: dict[str, Any] = entries[number]
        return found

    def buffer(self, number: Any) -> bytes:
        """The bytes of a buffer: in the file itself, or in another beside it."""
        uri = self.item("buffers", number).get("uri")
        if uri is None:
            return self.binary
        if not isinstance(uri, str):
            raise ModelError(f"{self.where} has {brief(uri)} as the address of a buffer")
        if not uri.startswith("data:"):
            return self.folders.read(self.folders.own / uri, "glTF buffer", MOST_BYTES)
        try:
            return base64.b64decode(uri.partition(",")[2], validate=True)
        except (ValueError, binascii.Error) as problem:
            raise ModelError(f"{self.where} has a buffer that is not base64: {problem}") from None

    def array(self, number: Any) -> Floats:
        """(N, width) the numbers of an accessor."""
        accessor = self.item("accessors", number)
        count, component, width = (accessor.get(key) for key in ("count", "componentType", "type"))
        if component not in COMPONENTS or width not in WIDTHS:
            raise ModelError(f"{self.where} has an accessor of {brief(component)} and {brief(width)}; not of a motion")
        if not isinstance(count, int) or not 0 < count * WIDTHS[width] <= MOST_NUMBERS:
            raise ModelError(f"{self.where} has an accessor of {brief(count)} entries; from 1 on, some million at most")
        dtype, largest = COMPONENTS[component]
        values = np.zeros((count, WIDTHS[width]))
        if "bufferView" in accessor:
            values[:] = self._view(accessor["bufferView"], accessor.get("byteOffset", 0), dtype, count, WIDTHS[width])
        sparse = self.of(accessor, "sparse", {})
        if sparse:
            self._replace(values, sparse, dtype)
        values = np.maximum(values / largest, -1.0) if accessor.get("normalized") else values
        if not np.isfinite(values).all():
            raise ModelError(f"{self.where} has {values[~np.isfinite(values)][0]} among the numbers of its animation")
        return values

    def _replace(self, values: Floats, sparse: dict[str, Any], dtype: str) -> None:
        """Writes the entries of a sparse accessor into its values."""
        count, places, new = sparse.get("count"), self.of(sparse, "indices", {}), self.of(sparse, "values", {})
        kind = COMPONENTS.get(places.get("componentType", 0))
        if not isinstance(count, int) or not 0 < count <= len(values) or kind is None:
            raise ModelError(f"{self.where} has a sparse accessor of {brief(count)} entries among {len(values)}")
        rows = self._view(places.get("bufferView"), places.get("byteOffset", 0), kind[0], count, 1)[:, 0].astype(int)
        if rows.min() < 0 or rows.max() >= len(values):
            raise ModelError(f"{self.where} has a sparse accessor that names entry {rows.max()} of {len(values)}")
        values[rows] = self._view(new.get("bufferView"), new.get("byteOffset", 0), dtype, count, values.shape[1])

    def _view(self, number: Any, more: Any, dtype: str, count: int, width: int) -> Floats:
        """(count, width) numbers of a view of a buffer."""
        view = self.item("bufferViews", number)
        data = self.buffer(view.get("buffer"))
        size = np.dtype(dtype).itemsize
        stride = view.get("byteStride", size * width)
        begin = view.get("byteOffset", 0)
        whole = all(isinstance(part, int) and part >= 0 for part in (begin, more, stride)) and stride >= size * width
        if not whole or begin + more + stride * (count - 1) + size * width > len(data):
            raise ModelError(f"{self.where} has an accessor of {count:,} entries that reaches beyond its buffer")
        shape, strides = (count, width), (stride, size)
        return np.asarray(np.ndarray(shape, dtype, data, begin + more, strides), dtype=np.float64)
