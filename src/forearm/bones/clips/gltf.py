"""Reads glTF 2.0: nodes with joints among them, animations of their places, turns and scales.

Only what a motion needs is read: nodes, skins, animations and the accessors of those.
"""

from pathlib import Path
from typing import Any

import numpy as np

from forearm.bones.clips.bvh import MOST_JOINTS, unique
from forearm.bones.clips.document import Document
from forearm.bones.clips.parts import Joints, Motion, check_size
from forearm.bones.clips.turns import between
from forearm.common.checks import brief
from forearm.common.transforms import rotations_from_quaternions
from forearm.common.types import Floats
from forearm.errors import ModelError, OptionError

PATHS = ("translation", "rotation", "scale")
ORDER = [3, 0, 1, 2]  # quaternions are x, y, z, w in glTF


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
                raise ModelError(f"{document.where}: node '{name_of(document, child)}' has two parents, or is its own")
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
                raise ModelError(
                    f"{document.where}: the matrix of node '{name_of(document, node)}' scales an axis by 0"
                )
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
    check_size(len(order), len(times), document.where)
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
