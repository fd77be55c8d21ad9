"""Writes clips as glTF 2.0, JSON or binary, and as JSON for three.js.

A clip that came from glTF is written as another animation in its own document; meshes and all else stay as they are.
"""

from __future__ import annotations

import base64
import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.bones.clips.document import BINARY_CHUNK, JSON_CHUNK, MAGIC
from forearm.common.types import Floats

if TYPE_CHECKING:
    from forearm.bones.clips.clip import Clip


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
