"""The surface of a link's shape as kernels take it: its triangles, balls round them, a point of each of its parts."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forearm.arm.bodies import shape_triangles
from forearm.common.types import Floats
from forearm.core.charts.surfaces import AXIS, EXTENT, MIDDLE, ROUND, TRIANGLE_COLUMNS
from forearm.core.maths.balls import split_balls
from forearm.models.mechanism import LinkShape

WIDTH = 1  # triangles of a group, about
ROUNDING = 1e-12  # by which share boxes are larger than what they hold
LONG = 0.3  # edges are no longer, as a share of the extent of their surface


class Surface(NamedTuple):
    """See `core/charts/surfaces.py`."""

    triangles: Floats  # (t, 15)
    balls: Floats  # (2 g - 1, 26)
    marks: Floats  # (k, 3)

    @property
    def packed(self) -> Floats:
        """All of it as one flat array."""
        counts = len(self.triangles), (len(self.balls) + 1) // 2, len(self.marks)
        return np.concatenate([counts, *(part.ravel() for part in self)], dtype=np.float64)


def surface_of(shape: LinkShape, axis: Floats) -> Surface:
    """The surface of a shape in the frame of its joint, which moves with it; it turns about z of a (3, 4) frame."""
    corners, radius = shape_triangles(shape)
    corners = np.ascontiguousarray(corners @ shape.pose[:3, :3].T + shape.pose[:3, 3])
    marks, corners = _marks(corners), _cut(corners)
    middles = corners.mean(axis=1)
    groups = 2 ** max(0, math.ceil(math.log2(len(corners) / WIDTH)))
    width = -(-len(corners) // groups)
    missing = groups * width - len(corners)  # so many stand twice, without size
    middles = np.concatenate([middles, middles[:1].repeat(missing, axis=0)])
    corners = np.concatenate([corners, middles[len(corners) :, None].repeat(3, axis=1)])
    radii = np.linalg.norm(corners - middles[:, None], axis=2).max(axis=1) + radius
    order, tree = np.empty(len(corners), np.int64), np.empty((2 * groups - 1, 4))
    split_balls(middles, radii, order, tree)
    triangles = np.empty((len(corners), TRIANGLE_COLUMNS))
    triangles[:, :ROUND], triangles[:, ROUND] = corners[order].reshape(-1, ROUND), radius
    off = np.linalg.norm(((corners[order] - axis[:, 3]) @ axis[:, :3])[:, :, :2], axis=2).max(axis=1)
    triangles[:, AXIS], triangles[:, MIDDLE:EXTENT] = off, corners[order].mean(axis=1)
    triangles[:, EXTENT] = np.linalg.norm(corners[order] - triangles[:, None, MIDDLE:EXTENT], axis=2).max(axis=1)
    depths = [off.reshape(groups >> k, -1).max(axis=1) for k in range(groups.bit_length())]
    balls = np.column_stack(
        [
            tree,
            np.concatenate(depths[::-1]),
            _areas(corners[order], groups),
            _boxes(corners[order], radius, groups),
        ]
    )
    return Surface(triangles, balls, marks)


def _areas(corners: Floats, groups: int) -> Floats:
    """(2 g - 1, 6) the centers of triangles and the sums of their areas, along their normals; of all, of halves ..."""
    normals = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1)[:, None] + 1e-30  # of triangles without size too
    sums, found = np.concatenate([sizes * corners.mean(axis=1), normals, sizes], axis=1), []
    while groups > 0:
        each = sums.reshape(groups, -1, 7).sum(axis=1)
        found.append(np.concatenate([each[:, :3] / each[:, 6:], each[:, 3:6]], axis=1))
        groups //= 2
    return np.concatenate(found[::-1])


def _boxes(corners: Floats, radius: float, groups: int) -> Floats:
    """(2 g - 1, 15) a box about all triangles, about halves ...: its middle, directions and half extents.

    The directions are those in which its corners are spread most and least.
    """
    found = []
    while groups > 0:
        points = corners.reshape(groups, -1, 3)
        off = points - points.mean(axis=1, keepdims=True)
        ways = np.linalg.eigh(np.matmul(off.transpose(0, 2, 1), off))[1].transpose(0, 2, 1)
        along = np.matmul(points, ways.transpose(0, 2, 1))
        low, high = along.min(axis=1), along.max(axis=1)
        middles = np.matmul(0.5 * (low + high)[:, None], ways)[:, 0]
        half = (0.5 * (high - low) + radius) * (1.0 + ROUNDING) + ROUNDING * np.abs(middles).max()
        found.append(np.concatenate([middles, ways.reshape(-1, 9), half], axis=1))
        groups //= 2
    return np.concatenate(found[::-1])


def _cut(corners: Floats) -> Floats:
    """(t, 3, 3) triangles with the long ones cut in two, over and over: small balls lie round short ones only."""
    longest = LONG * float(np.ptp(corners.reshape(-1, 3), axis=0).max()) + 1e-12
    done = []
    while len(corners):
        edges = np.linalg.norm(corners[:, [1, 2, 0]] - corners, axis=2)
        k, rows = np.argmax(edges, axis=1), np.arange(len(corners))
        a, b, c = corners[rows, k], corners[rows, (k + 1) % 3], corners[rows, (k + 2) % 3]
        short, middle = edges.max(axis=1) <= longest, 0.5 * (a + b)
        done.append(corners[short])
        halves = np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)
        corners = np.concatenate(halves)[np.tile(~short, 2)]
    return np.concatenate(done)


def _marks(corners: Floats) -> Floats:
    """(k, 3) a corner of each part of a surface that hangs together."""
    points, faces = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    faces, parts = faces.reshape(-1, 3), np.arange(len(points))
    before: NDArray[np.int64] = np.empty(0, np.int64)
    while not np.array_equal(before, parts):
        before = parts.copy()
        np.minimum.at(parts, faces, parts[faces].min(axis=1)[:, None])
        parts = parts[parts]
    return np.ascontiguousarray(points[np.unique(parts)])
