"""The surfaces of solids as (t, 3, 3) triangles: of boxes and what is round; cut, sampled, and how far points are."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats

SIDES, ROUNDER = 32, 0.01  # of a polyhedron that stands for something round, and by which share it may be larger
NEARLY = 1.0 + 1e-9  # of a ball round a triangle, so that rounding leaves none out


def box_triangles(size: tuple[float, ...]) -> Floats:
    """(12, 3, 3) the surface of a box round the origin."""
    return _grid_triangles(np.array([[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]] * 2)) * (
        0.5 * np.asarray(size)
    )


def cylinder_triangles(radius: float, length: float) -> Floats:
    """(4 SIDES, 3, 3) the surface of a prism that holds a cylinder along z, hardly larger."""
    angle = np.linspace(0.0, 2.0 * math.pi, SIDES + 1)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1) / math.cos(math.pi / SIDES)
    return np.asarray(_grid_triangles(np.array([ring] * 2)) * [radius, radius, 0.5 * length])


def ellipsoid_triangles(axes: tuple[float, ...]) -> Floats:
    """The surface of a polyhedron that holds an ellipsoid of three half axes, hardly larger."""
    angle, height = np.linspace(0.0, 2.0 * math.pi, SIDES + 1), np.linspace(0.0, math.pi, SIDES // 2 + 1)[1:-1]
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ball = _grid_triangles(np.sin(height)[:, None, None] * ring, np.cos(height), caps=(1.0, -1.0))
    normal = np.cross(ball[:, 1] - ball[:, 0], ball[:, 2] - ball[:, 0])
    solid = np.linalg.norm(normal, axis=1) > 0.0
    depth = np.abs((ball[solid, 0] * normal[solid]).sum(axis=1)) / np.linalg.norm(normal[solid], axis=1)
    return np.asarray(ball / float(depth.min()) * np.asarray(axes))


def _grid_triangles(rings: Floats, heights: Any = (-1.0, 1.0), caps: Any = (-1.0, 1.0)) -> Floats:
    """The triangles between (h, n, 2) rings one above the other, and fans at both ends."""
    points = np.concatenate([rings, np.broadcast_to(np.asarray(heights)[:, None, None], (*rings.shape[:2], 1))], axis=2)
    low, high = points[:-1], points[1:]
    sides = [np.stack([low[:, :-1], low[:, 1:], high[:, 1:]], 2), np.stack([low[:, :-1], high[:, 1:], high[:, :-1]], 2)]
    fans = []
    for ring, height, order in ((points[0], caps[0], [1, 0]), (points[-1], caps[1], [0, 1])):
        edge = np.stack([ring[:-1], ring[1:]], axis=1)[:, order]
        fans.append(np.concatenate([np.broadcast_to([0.0, 0.0, height], (len(edge), 1, 3)), edge], axis=1))
    return np.concatenate([*(side.reshape(-1, 3, 3) for side in sides), *fans])


def clipped(triangles: Floats, normal: Floats, offset: float) -> Floats:
    """The triangles below a plane, those across it cut."""
    off = triangles @ normal - offset
    below = off <= 0.0
    count = below.sum(axis=1)
    parts = [triangles[count == 3]]
    for few in (1, 2):  # corners below: what is left is a triangle, or two
        at = np.flatnonzero(count == few)
        lone = np.argmax(below[at] == (few == 1), axis=1)  # the corner that is alone on its side
        turn = (lone[:, None] + np.arange(3)) % 3
        corners, heights = triangles[at[:, None], turn], off[at[:, None], turn]
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        ab, ac = (a + (heights[:, 0] / (heights[:, 0] - heights[:, k]))[:, None] * (corners[:, k] - a) for k in (1, 2))
        parts += [np.stack([a, ab, ac], 1)] if few == 1 else [np.stack([ab, b, c], 1), np.stack([ab, c, ac], 1)]
    return np.concatenate(parts)


def thinned(points: Floats, step: float) -> NDArray[np.int64]:
    """Which points to take so that there is one in each cube of a grid that holds any."""
    at = np.floor(points / step).astype(np.int64)
    at -= at.min(axis=0)
    _, b, c = at.max(axis=0) + 1
    return np.asarray(np.unique((at[:, 0] * b + at[:, 1]) * c + at[:, 2], return_index=True)[1])


def all_over(triangles: Floats, spacing: float) -> tuple[Floats, NDArray[np.int64]]:
    """(N, 3) points all over triangles, none of whose points is farther from one than the spacing; whose they are."""
    edges = np.linalg.norm(triangles[:, [1, 2, 0]] - triangles, axis=2).max(axis=1)
    parts = np.exp2(np.ceil(np.log2(np.maximum(edges / spacing, 1.0)))).astype(np.int64)
    found, owners = [], []
    for n in np.unique(parts).tolist():
        u, v = (each.ravel() / n for each in np.meshgrid(np.arange(n + 1), np.arange(n + 1)))
        u, v = u[u + v <= 1.0, None], v[u + v <= 1.0, None]
        a, b, c = np.moveaxis(triangles[parts == n], 1, 0)[:, :, None]
        found.append((a + u * (b - a) + v * (c - a)).reshape(-1, 3))
        owners.append(np.flatnonzero(parts == n).repeat(len(u)))
    return np.concatenate(found), np.concatenate(owners)


def winding(points: Floats, triangles: Floats) -> Floats:
    """(N,) how often a surface winds about points: 1 inside of a closed one (van Oosterom and Strackee 1983)."""
    found = []
    for point in points:
        a, b, c = np.moveaxis(triangles - point, 1, 0)  # (t, 3) each
        la, lb, lc, ab, bc, ca = (
            np.einsum("ti,ti->t", one, other) for one, other in ((a, a), (b, b), (c, c), (a, b), (b, c), (c, a))
        )
        la, lb, lc = np.sqrt(la), np.sqrt(lb), np.sqrt(lc)
        volume = np.einsum("ti,ti->t", a, np.cross(b, c))
        below = la * lb * lc + ab * lc + bc * la + ca * lb
        found.append(abs(float(np.arctan2(volume, below).sum())) / (2.0 * math.pi))
    return np.array(found)


def from_triangles(points: Floats, triangles: Floats) -> Floats:
    """(N,) how far points are from the nearest triangle."""
    found = []
    edges = triangles[:, [1, 2, 0]] - triangles
    squares = np.maximum((edges**2).sum(axis=2), 1e-300)
    normal = np.cross(edges[:, 0], edges[:, 1])
    unit = normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    inward = np.cross(normal[:, None], edges)  # (t, 3, 3) from each edge into its triangle
    middles = triangles.mean(axis=1)
    around = NEARLY * np.linalg.norm(triangles - middles[:, None], axis=2).max(axis=1)
    for point in points:
        far = np.linalg.norm(middles - point, axis=1)
        k = np.flatnonzero(far - around <= far.min())  # those that may be nearest
        to = point - triangles[k]  # (k, 3, 3)
        share = np.clip((to * edges[k]).sum(axis=2) / squares[k], 0.0, 1.0)
        off = np.linalg.norm(to - share[:, :, None] * edges[k], axis=2).min(axis=1)
        above = ((to * inward[k]).sum(axis=2) >= 0.0).all(axis=1) & normal[k].any(axis=1)
        height = np.abs((to[:, 0] * unit[k]).sum(axis=1))
        found.append(float(np.where(above, height, off).min()))
    return np.array(found)
