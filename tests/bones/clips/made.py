"""Motions made for tests, as files, with joint positions by plain products of matrices."""

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
