"""glTF 2.0: nodes with joints among them, animations of their places, turns and scales, as JSON and binary.

Only what a motion needs is read: nodes, skins, animations and the accessors of those. A clip that came from glTF is
written as another animation in its own document; meshes and all else stay as they are.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.bones.clips.bvh import MOST_JOINTS, MOST_NUMBERS, unique
from forearm.bones.clips.parts import Joints, Motion
from forearm.bones.clips.turns import between
from forearm.common.checks import brief
from forearm.common.files import read_file, words_of
from forearm.common.folders import Folders
from forearm.common.transforms import rotations_from_quaternions
from forearm.common.types import Floats
from forearm.errors import ModelError, OptionError

if TYPE_CHECKING:
    from forearm.bones.clips.clip import Clip

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
PATHS = ("translation", "rotation", "scale")
ORDER = [3, 0, 1, 2]  # quaternions are x, y, z, w in glTF


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


# -- reading ---------------------------------------------------------------------------------------


def read(path: Path, animation: int | str) -> tuple[Joints, Motion, Floats, Any]:
    """Joints, motion, times and document of a glTF file."""
    document = Document(path)
    nodes = document.of(document.tables, "nodes", [])
    if not 0 < len(nodes) <= MOST_JOINTS:
        raise ModelError(f"{document.where} has {len(nodes)} nodes; from 1 to {MOST_JOINTS:,} are read")
    order, parent = order_nodes(document, wanted_nodes(document))
    names = unique(name_of(document, node) for node in order)
    joints = Joints(tuple(names), parent, *rest_of(document, order))
    times, motion = read_animation(document, animation, order, joints)
    return joints, motion, times, (document.tables, document.binary, order)


def name_of(document: Document, node: int) -> str:
    """What a node is called."""
    name = document.item("nodes", node).get("name")
    return name if isinstance(name, str) and name else f"node {node}"


def parents_of(document: Document) -> dict[int, int]:
    """The node above each node that has one."""
    above: dict[int, int] = {}
    for i in range(len(document.tables["nodes"])):
        for child in document.of(document.item("nodes", i), "children", []):
            document.item("nodes", child)
            if child in above or child == i:
                raise ModelError(
                    f"{document.where}: node '{name_of(document, child)}' hangs on two nodes, or on itself"
                )
            above[child] = i
    return above


def wanted_nodes(document: Document) -> set[int]:
    """The joints of all skins with what they hang on; all nodes of a file without skins."""
    above, skins = parents_of(document), document.of(document.tables, "skins", [])
    named = [j for k in range(len(skins)) for j in document.of(document.item("skins", k), "joints", [])]
    wanted: set[int] = set()
    for first in named or range(len(document.tables["nodes"])):
        document.item("nodes", first)
        node, way = first, []
        while node is not None and node not in wanted:
            wanted.add(node)
            way.append(node)
            node = above.get(node)
        if node is not None and node in way:
            raise ModelError(f"{document.where}: its nodes form a loop through '{name_of(document, node)}'")
    return wanted


def order_nodes(document: Document, wanted: set[int]) -> tuple[list[int], Any]:
    """The nodes, each behind the one it hangs on, and the place of that one."""
    above = parents_of(document)
    roots = sorted(node for node in wanted if node not in above)
    order: list[int] = []
    places: dict[int, int] = {}
    todo = roots[::-1]
    while todo:
        node = todo.pop()
        places[node] = len(order)
        order.append(node)
        children = document.of(document.item("nodes", node), "children", [])
        todo += [child for child in reversed(children) if child in wanted]
    if len(order) < len(wanted):
        raise ModelError(f"{document.where}: its nodes form a loop")
    return order, np.array([places[above[node]] if node in above else -1 for node in order], dtype=np.int64)


def rest_of(document: Document, order: list[int]) -> tuple[Floats, Floats, Floats]:
    """Offsets, turns and sizes of nodes at rest."""
    offsets, turns, sizes = np.zeros((len(order), 3)), np.zeros((len(order), 4)), np.ones((len(order), 3))
    turns[:, 0] = 1.0
    matrices = np.broadcast_to(np.eye(3), (len(order), 3, 3)).copy()
    for i, node in enumerate(order):
        entry = document.item("nodes", node)
        if "matrix" in entry:
            M = numbers_of(document, entry, "matrix", 16).reshape(4, 4).T
            sizes[i] = np.linalg.norm(M[:3, :3], axis=0) * (1.0 if np.linalg.det(M[:3, :3]) > 0.0 else -1.0)
            if not (sizes[i] != 0.0).all():
                raise ModelError(f"{document.where}: the matrix of node '{name_of(document, node)}' is flat")
            offsets[i], matrices[i] = M[:3, 3], M[:3, :3] / sizes[i]
            continue
        offsets[i] = numbers_of(document, entry, "translation", 3, (0.0, 0.0, 0.0))
        sizes[i] = numbers_of(document, entry, "scale", 3, (1.0, 1.0, 1.0))
        turns[i] = numbers_of(document, entry, "rotation", 4, (0.0, 0.0, 0.0, 1.0))[ORDER]
        matrices[i] = rotations_from_quaternions(unit(document, turns[i][None]), is_unit=True)[0]
    return offsets, matrices, sizes


def numbers_of(document: Document, entry: dict[str, Any], key: str, count: int, default: Any = None) -> Floats:
    """(count,) numbers of a node."""
    try:
        values = np.array(entry.get(key, default), dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (count,) or not np.isfinite(values).all():
        raise ModelError(f"{document.where} has {brief(entry.get(key))} as {key} of a node; it takes {count} numbers")
    return values


def unit(document: Document, q: Floats) -> Floats:
    """Quaternions of length 1."""
    size = np.linalg.norm(q, axis=-1, keepdims=True)
    if not (size > 0.0).all():
        raise ModelError(f"{document.where} has a rotation of four zeros")
    return np.asarray(q / size)


def read_animation(document: Document, wanted: int | str, order: list[int], joints: Joints) -> tuple[Floats, Motion]:
    """Times and motion of an animation; the rest pose where nothing moves."""
    animations = document.of(document.tables, "animations", [])
    named = [entry.get("name", "") if isinstance(entry, dict) else "" for entry in animations]
    if isinstance(wanted, str):
        if wanted not in named:
            raise OptionError(f"animation {wanted!r} is not in {document.where}; it has: {', '.join(named) or 'none'}")
        wanted = named.index(wanted)
    if not animations and wanted == 0:
        return np.zeros(1), rest_motion(joints, 1)
    channels = document.of(document.item("animations", wanted), "channels", [])
    samplers = document.of(document.item("animations", wanted), "samplers", [])
    places, tracks = {node: i for i, node in enumerate(order)}, []
    for channel in channels:
        target = document.of(channel, "target", {})
        node, path = places.get(target.get("node", -1)), target.get("path")
        if node is not None and path in PATHS:
            tracks.append((node, path, *read_sampler(document, samplers, document.of(channel, "sampler", 0), path)))
    if not tracks:
        return np.zeros(1), rest_motion(joints, 1)
    times = np.unique(np.concatenate([track[2] for track in tracks]))
    motion = rest_motion(joints, len(times))
    for node, path, keys, values, how in tracks:
        sampled = sample(document, keys, values, how, times, path)
        if path == "translation":
            motion.places[:, node] = sampled
        elif path == "scale":
            motion.scales[:, node] = sampled
        else:
            motion.turns[:, node] = rotations_from_quaternions(sampled, is_unit=True)
    return times, motion


def rest_motion(joints: Joints, count: int) -> Motion:
    """Frames of the rest pose, to be written into."""
    rest = (joints.offsets, joints.turns, joints.sizes)
    return Motion(*(np.broadcast_to(each, (count, *each.shape)).copy() for each in rest))


def read_sampler(document: Document, samplers: list[Any], number: int, path: str) -> tuple[Floats, Floats, str]:
    """Times (K,), values and interpolation of a sampler; of a cubic one values are (K, 3, width)."""
    if not 0 <= number < len(samplers) or not isinstance(samplers[number], dict):
        raise ModelError(f"{document.where} has an animation that names sampler {number} of {len(samplers)}")
    sampler = samplers[number]
    how, width = sampler.get("interpolation", "LINEAR"), 4 if path == "rotation" else 3
    keys, values = document.array(sampler.get("input"))[:, 0], document.array(sampler.get("output"))
    each = 3 if how == "CUBICSPLINE" else 1
    if how not in ("LINEAR", "STEP", "CUBICSPLINE") or values.shape != (each * len(keys), width):
        raise ModelError(f"{document.where} has {brief(how)} of {values.shape} values at {len(keys)} times of a {path}")
    if (np.diff(keys) <= 0.0).any():
        raise ModelError(f"{document.where} has an animation whose times do not ascend")
    return keys, values.reshape(len(keys), 3, width) if each == 3 else values, how


def sample(document: Document, keys: Floats, values: Floats, how: str, times: Floats, path: str) -> Floats:
    """(T, width) a track at times; quaternions come scalar first."""
    after = np.clip(np.searchsorted(keys, times, side="right"), 1, max(len(keys) - 1, 1))
    after = np.minimum(after, len(keys) - 1)
    before = np.maximum(after - 1, 0)
    gap = keys[after] - keys[before]
    share = np.clip((times - keys[before]) / np.where(gap > 0.0, gap, 1.0), 0.0, 1.0)
    if how == "CUBICSPLINE":
        t, T = share[:, None], gap[:, None]
        p0, m0, p1, m1 = values[before, 1], T * values[before, 2], values[after, 1], T * values[after, 0]
        found = (2 * t**3 - 3 * t**2 + 1) * p0 + (t**3 - 2 * t**2 + t) * m0
        found = found + (3 * t**2 - 2 * t**3) * p1 + (t**3 - t**2) * m1
        return unit(document, found[:, ORDER]) if path == "rotation" else found
    if how == "STEP":
        share = np.floor(share)
    if path == "rotation":
        q = unit(document, values[:, ORDER])
        return between(q[before], q[after], share)
    return np.asarray((1.0 - share)[:, None] * values[before] + share[:, None] * values[after])


# -- writing ---------------------------------------------------------------------------------------


def content(clip: Clip, binary: bool) -> bytes:
    """The clip as the bytes of a .gltf or .glb: on the document it came from, or on a new one."""
    from_gltf = isinstance(clip.source, tuple)
    tables, kept, order = clip.source if from_gltf else (new_tables(clip), b"", list(range(len(clip.names))))
    tables = json.loads(json.dumps(tables))  # a copy of its own
    if kept and not binary:
        tables["buffers"][0]["uri"] = data_uri(kept)
    data = bytearray()
    views, accessors = (tables.setdefault(key, []) for key in ("bufferViews", "accessors"))
    buffers = tables.setdefault("buffers", [])
    place = len(buffers) if not (binary and kept) else 0
    begin = len(kept) + (-len(kept)) % 4 if binary and kept else 0

    def add(values: Floats, width: str) -> int:
        flat = np.ascontiguousarray(values, dtype="<f4")
        views.append({"buffer": place, "byteOffset": begin + len(data), "byteLength": flat.nbytes})
        data.extend(flat.tobytes())
        entry: dict[str, Any] = {"bufferView": len(views) - 1, "componentType": 5126, "count": len(flat), "type": width}
        if width == "SCALAR":
            entry |= {"min": [float(flat.min())], "max": [float(flat.max())]}
        accessors.append(entry)
        return len(accessors) - 1

    made = animation_of(clip, order, add)
    tables["animations"] = [*(tables.get("animations") or []), made] if from_gltf else [made]
    if not binary:
        buffers.append({"byteLength": len(data), "uri": data_uri(bytes(data))})
        return json.dumps(tables).encode()
    whole = kept + bytes(begin - len(kept)) + bytes(data) if kept else bytes(data)
    if kept:
        tables["buffers"][0] = {**tables["buffers"][0], "byteLength": len(whole)}
    else:
        buffers.insert(0, {"byteLength": len(whole)})
        shift_buffers(views, place)
    return glb(tables, whole)


def shift_buffers(views: list[dict[str, Any]], place: int) -> None:
    """Lets views of a document that got a first buffer name the right ones: that one, and those behind it."""
    for view in views:
        view["buffer"] = 0 if view["buffer"] == place else view["buffer"] + 1


def animation_of(clip: Clip, order: list[int], add: Any) -> dict[str, Any]:
    """The animation of all that moves, or does not stand as at rest; its numbers are added to the document."""
    times = add(clip.times[:, None] - clip.times[0], "SCALAR")
    rest, motion, samplers, channels = clip.joints, clip.motion, [], []
    quaternions = clip.quat_wxyz()[..., [1, 2, 3, 0]]
    for i, node in enumerate(order):
        tracks = (
            ("translation", motion.places[:, i], rest.offsets[i], motion.places[:, i]),
            ("rotation", motion.turns[:, i], rest.turns[i], quaternions[:, i]),
            ("scale", motion.scales[:, i], rest.sizes[i], motion.scales[:, i]),
        )
        for path, values, still, written in tracks:
            if (values != still).any():
                output = add(written, "VEC4" if path == "rotation" else "VEC3")
                samplers.append({"input": times, "output": output, "interpolation": "LINEAR"})
                channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
    if not channels:  # an animation has one channel at least
        samplers.append({"input": times, "output": add(quaternions[:, 0], "VEC4"), "interpolation": "LINEAR"})
        channels.append({"sampler": 0, "target": {"node": order[0], "path": "rotation"}})
    return {"name": "forearm", "samplers": samplers, "channels": channels}


def new_tables(clip: Clip) -> dict[str, Any]:
    """A document of the joints alone: nodes, a skin of them and a scene."""
    nodes: list[dict[str, Any]] = []
    quaternions = clip.with_rest().quat_wxyz()[0][:, [1, 2, 3, 0]]
    for i, name in enumerate(clip.names):
        node: dict[str, Any] = {"name": name, "translation": clip.joints.offsets[i].tolist()}
        node |= {"rotation": quaternions[i].tolist(), "scale": clip.joints.sizes[i].tolist()}
        children = np.flatnonzero(clip.parent == i).tolist()
        nodes.append(node | ({"children": children} if children else {}))
    roots = np.flatnonzero(clip.parent < 0).tolist()
    return {
        "asset": {"version": "2.0", "generator": "forearm"},
        "scene": 0,
        "scenes": [{"nodes": roots}],
        "nodes": nodes,
        "skins": [{"joints": list(range(len(nodes)))}],
    }


def data_uri(data: bytes) -> str:
    """Bytes as an address that holds them."""
    return "data:application/octet-stream;base64," + base64.b64encode(data).decode()


def glb(tables: dict[str, Any], binary: bytes) -> bytes:
    """A .glb of a document and its one binary chunk."""
    text = json.dumps(tables).encode()
    text += b" " * (-len(text) % 4)
    binary += bytes(-len(binary) % 4)
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text + struct.pack("<II", len(binary), BINARY_CHUNK) + binary
    return MAGIC + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def three_text(clip: Clip) -> str:
    """The clip as JSON for three.js: bones by name and parent, and what `THREE.AnimationClip.parse` takes."""
    times = (clip.times - clip.times[0]).tolist()
    quaternions, tracks = clip.quat_wxyz()[..., [1, 2, 3, 0]], []
    rest = clip.with_rest()
    for i, name in enumerate(clip.names):
        for path, kind, values in (
            ("position", "vector", clip.motion.places[:, i]),
            ("quaternion", "quaternion", quaternions[:, i]),
            ("scale", "vector", clip.motion.scales[:, i]),
        ):
            tracks.append({"name": f"{name}.{path}", "type": kind, "times": times, "values": values.ravel().tolist()})
    bones = [
        {"name": name, "parent": int(clip.parent[i]), "position": clip.joints.offsets[i].tolist()}
        | {"quaternion": rest.quat_wxyz()[0, i, [1, 2, 3, 0]].tolist(), "scale": clip.joints.sizes[i].tolist()}
        for i, name in enumerate(clip.names)
    ]
    span = times[-1] if times else 0.0
    return json.dumps({"bones": bones, "clip": {"name": "forearm", "duration": span, "tracks": tracks}})
