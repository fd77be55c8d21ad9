"""Motions made for tests, as files, with joint positions by plain products of matrices."""

import base64
import json
import math

import numpy as np

ORDERS = ["ZXY", "ZYX", "XYZ", "XZY", "YXZ", "YZX"]


def turn(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array(
        {
            "X": [[1, 0, 0], [0, c, -s], [0, s, c]],
            "Y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
            "Z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
        }[axis]
    )


class Made:
    """A tree of joints with random offsets and motion; `bvh` is its file, `points` where its joints are."""

    def __init__(self, seed, joints=12, frames=9, roots=1, zero=False, moving=False):
        rng = np.random.default_rng(seed)
        self.parent = [-1] * roots + [int(rng.integers(0, i)) for i in range(roots, joints)]
        self.names = [f"joint{i}" for i in range(joints)]
        self.offsets = rng.uniform(-20, 20, (joints, 3))
        if zero:
            self.offsets[joints // 2] = 0.0
        self.orders = [ORDERS[int(k)] for k in rng.integers(0, 6, joints)]
        self.angles = rng.uniform(-170, 170, (frames, joints, 3))
        self.angles[0, :, 1] = 90.0  # where the outer two turn about one axis
        self.moves = [p < 0 or (moving and i % 3 == 0) for i, p in enumerate(self.parent)]
        self.places = rng.uniform(-50, 50, (frames, joints, 3))
        self.children = [[k for k, p in enumerate(self.parent) if p == i] for i in range(joints)]
        self.ends = rng.uniform(-5, 5, (joints, 3))

    @property
    def points(self):
        found = np.zeros((len(self.angles), len(self.names), 3))
        for f in range(len(self.angles)):
            R, P = {}, {}
            for i, p in enumerate(self.parent):
                own = np.eye(3)
                for axis, angle in zip(self.orders[i], self.angles[f, i], strict=True):
                    own = own @ turn(axis, angle)
                place = self.places[f, i] if self.moves[i] else self.offsets[i]
                R[i] = own if p < 0 else R[p] @ own
                P[i] = place if p < 0 else P[p] + R[p] @ place
                found[f, i] = P[i]
        return found

    def order(self):
        found = []

        def walk(i):
            found.append(i)
            for child in self.children[i]:
                walk(child)

        for i, p in enumerate(self.parent):
            if p < 0:
                walk(i)
        return found

    @property
    def bvh(self):
        def block(i, depth):
            pad = "  " * depth
            places = ["Xposition", "Yposition", "Zposition"] if self.moves[i] else []
            channels = places + [f"{axis}rotation" for axis in self.orders[i]]
            lines = [f"{pad}{'ROOT' if depth == 0 else 'JOINT'} {self.names[i]}", pad + "{"]
            lines += [f"{pad} OFFSET {' '.join(map(repr, self.offsets[i].tolist()))}"]
            lines += [f"{pad} CHANNELS {len(channels)} {' '.join(channels)}"]
            for child in self.children[i]:
                lines += block(child, depth + 1)
            if not self.children[i]:
                lines += [
                    f"{pad} End Site",
                    pad + " {",
                    f"{pad}  OFFSET {' '.join(map(repr, self.ends[i].tolist()))}",
                    pad + " }",
                ]
            return [*lines, pad + "}"]

        lines = ["HIERARCHY"]
        for i, p in enumerate(self.parent):
            if p < 0:
                lines += block(i, 0)
        lines += ["MOTION", f"Frames: {len(self.angles)}", "Frame Time: 0.04"]
        for f in range(len(self.angles)):
            row = []
            for i in self.order():
                row += [*(self.places[f, i].tolist() if self.moves[i] else []), *self.angles[f, i].tolist()]
            lines.append(" ".join(map(repr, row)))
        return "\n".join(lines) + "\n"


def quaternion_matrix(x, y, z, w):
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


class MadeGltf:
    """A glTF document in metres with odd nodes, and where its joints are by plain products of 4 x 4 matrices.

    Every third node is still; of the others some turn, some move, some grow, at times that are not even.
    """

    def __init__(self, seed, joints=12, frames=6, roots=1, zero=False, scaled=False, matrices=False):
        rng = np.random.default_rng(seed)
        single = lambda *shape: rng.uniform(-0.5, 0.5, shape).astype(np.float32).astype(float)  # noqa: E731
        self.parent = [-1] * roots + [int(rng.integers(0, i)) for i in range(roots, joints)]
        self.names = [f"node{i}" for i in range(joints)]
        self.places, turns = single(joints, 3), single(joints, 4)
        if zero:
            self.places[joints // 2] = 0.0
        self.turns = (turns / np.linalg.norm(turns, axis=1)[:, None]).astype(np.float32).astype(float)
        self.scales = np.ones((joints, 3))
        if scaled:
            self.scales[::4] = 1.5
        self.matrices = [matrices and i % 3 == 0 for i in range(joints)]
        self.times = np.cumsum(rng.uniform(0.02, 0.1, frames)).astype(np.float32)
        moving = [i for i in range(joints) if i % 3]
        self.tracks = {i: turned_rows(rng, frames) for i in moving}
        self.moves = {i: single(frames, 3) for i in moving[::2]}

    def local(self, f, i):
        T = np.eye(4)
        T[:3, 3] = self.moves[i][f] if i in self.moves else self.places[i]
        q = self.tracks[i][f] if i in self.tracks else self.turns[i]
        T[:3, :3] = quaternion_matrix(*(q / np.linalg.norm(q))) * self.scales[i]
        return T

    @property
    def frames(self):
        found = np.zeros((len(self.times), len(self.names), 4, 4))
        for f in range(len(self.times)):
            for i, p in enumerate(self.parent):
                found[f, i] = self.local(f, i) if p < 0 else found[f, p] @ self.local(f, i)
        return found

    @property
    def text(self):
        nodes = []
        for i, name in enumerate(self.names):
            node = {"name": name, "children": [k for k, p in enumerate(self.parent) if p == i]}
            if not node["children"]:
                del node["children"]
            if self.matrices[i]:
                T = np.eye(4)
                T[:3, :3], T[:3, 3] = quaternion_matrix(*self.turns[i]) * self.scales[i], self.places[i]
                node["matrix"] = T.T.ravel().tolist()
            else:
                node |= {"translation": self.places[i].tolist(), "rotation": self.turns[i].tolist()}
                node["scale"] = self.scales[i].tolist()
            nodes.append(node)
        data, views, accessors, samplers, channels = b"", [], [], [], []

        def add(values, kind):
            nonlocal data
            raw = np.asarray(values, "<f4").tobytes()
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(raw)})
            accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(values), "type": kind})
            data += raw
            return len(accessors) - 1

        clock = add(self.times, "SCALAR")
        for rows, path, kind in ((self.tracks, "rotation", "VEC4"), (self.moves, "translation", "VEC3")):
            for i, values in rows.items():
                samplers.append({"input": clock, "output": add(values, kind)})
                channels.append({"sampler": len(samplers) - 1, "target": {"node": i, "path": path}})
        return json.dumps(
            {
                "asset": {"version": "2.0"},
                "nodes": nodes,
                "scenes": [{"nodes": [i for i, p in enumerate(self.parent) if p < 0]}],
                "skins": [{"joints": list(range(len(nodes)))}],
                "accessors": accessors,
                "bufferViews": views,
                "buffers": [{"byteLength": len(data), "uri": "data:;base64," + base64.b64encode(data).decode()}],
                "animations": [{"samplers": samplers, "channels": channels}],
            }
        )


def turned_rows(rng, frames):
    """Unit quaternions x, y, z, w in single precision, each near the last."""
    rows = np.cumsum(rng.normal(size=(frames, 4)) * 0.3, axis=0) + rng.normal(size=4)
    return (rows / np.linalg.norm(rows, axis=1)[:, None]).astype(np.float32).astype(float)
