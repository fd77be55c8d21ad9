"""Solids by their surfaces, (t, 3, 3) triangles: of boxes and what is round; cut, sampled, and how far points are."""

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.maths.capsules import off_solid

SIDES, ROUNDER = 32, 0.01  # of a polyhedron that stands for something round, and by which share it may be larger
OUTER = 100  # directions in which outermost points are sought
GRID = 32  # places along the longest side of a solid where distances from it are known
CLOSE = 0.5  # of a step: how far points that stand for its surface are from one another
FACING = 0.75  # share of places outside that a surface must face, or turn its back on, to tell outside from inside
STEEP = 0.4  # cosine to the surface from which on a place is behind it: at an edge others are beyond the other side
NEAR = 4  # steps of it from the solid within which they are known well
INSIDE_EVERY = 7  # of the places inside that cells are planned by
LEAKS = 40  # places that tell whether a mesh has a hole
WALLS = 5  # of six ways along the axes of a frame from a place inside that end at a wall, whatever holes a mesh has
MAYBE_INSIDE = 0.5  # and from which on it may be (Jacobson, Kavan and Sorkine-Hornung 2013)
NEARLY = 1.0 + 1e-9  # of a ball round a triangle, so that rounding leaves none out


class Solid(NamedTuple):
    """What is asked of a solid again and again: points all over it, and a grid of how far places are from it."""

    points: Floats  # (s, 3) of its surface and its inside
    inside: NDArray[np.bool_]  # (x, y, z) whether the grid's places are behind its surface
    away: Floats  # (x, y, z) how far they are from the solid [m]
    place: Floats  # (8,) corner and step of the grid, where standing out counts more, how far the solid goes there

    @property
    def corner(self) -> Floats:
        """(3,) of the grid."""
        return self.place[:3]

    @property
    def step(self) -> float:
        """Between the grid's places [m]."""
        return float(self.place[3])


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


@functools.cache
def spread_ways(count: int) -> Floats:
    """(count + 6, 3) unit vectors all about, evenly: a spiral of golden angles, and the axes."""
    k = np.arange(count) + 0.5
    z, angle = 1.0 - 2.0 * k / count, math.pi * (1.0 + math.sqrt(5.0)) * k
    flat = np.sqrt(1.0 - z**2)
    return np.vstack([np.column_stack([flat * np.cos(angle), flat * np.sin(angle), z]), np.eye(3), -np.eye(3)])


def outermost(points: Floats) -> Floats:
    """Those of the points that lie outermost in many directions."""
    return np.asarray(points[np.unique(np.argmax(points @ spread_ways(OUTER).T, axis=0))])


def look_at(triangles: Floats, down: Floats) -> Solid:
    """A solid as cells are planned by; its inside is what no way from outside leads to on a grid, or few straight."""
    corners = triangles.reshape(-1, 3)
    corner, size = corners.min(axis=0), np.ptp(corners, axis=0)
    step = float(size.max()) / GRID + 1e-9
    spread, owners = all_over(triangles, CLOSE * step)
    corner = corner - 2.0 * step  # places more on every side
    wall = np.zeros(np.ceil(size / step).astype(int) + 5, bool)
    x, y, z = np.round((spread - corner) / step).astype(int).T
    wall[x, y, z] = True
    outside = np.zeros_like(wall)
    outside[0], count = ~wall[0], -1
    while count != (count := int(outside.sum())):
        for axis in range(3):
            for way in (1, -1):
                outside |= np.roll(outside, way, axis) & ~wall
    blocked = sum(_behind(np.flip(wall, k) if turned else wall, k, turned) for k in range(3) for turned in (0, 1))
    leak = ~wall & outside & (blocked >= WALLS)  # of a hole in the mesh, or a hollow that is open on one side
    looks = np.argwhere(leak)[:: max(1, int(leak.sum()) // LEAKS)] * step + corner
    is_hole = len(looks) > 0 and float(np.median(winding(looks, triangles))) > MAYBE_INSIDE
    inside = ~wall & (~outside | (leak & is_hole))
    fine = np.concatenate([outermost(corners), spread[thinned(spread, 0.5 * step)]])
    some = thinned(spread, step)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])[owners[some]]
    away = step * np.sqrt(np.ascontiguousarray(_squares_from(inside | wall)))
    near = ~inside & (away < NEAR * step)
    away[near] = _finer(np.argwhere(near) * step + corner, spread[some], normals, wall[near])
    points = np.concatenate([fine, np.argwhere(inside)[::INSIDE_EVERY] * step + corner])
    place = np.array([*corner, step, *down, float((corners @ down).max())])
    return Solid(points, inside, away, place)


def _finer(places: Floats, surface: Floats, normals: Floats, wall: NDArray[np.bool_]) -> Floats:
    """(N,) how far places are from a solid, by the nearest points of its surface; 0 behind them.

    Places in a wall are behind it where those not in a wall, which are outside, tell which way the surface faces;
    where triangles face either way they count as in it.
    """
    spots, points = ((each - surface[0]).astype(np.float32) for each in (places, surface))
    squares, nearest = (points**2).sum(axis=1), np.empty(len(spots), np.int64)
    for first in range(0, len(spots), 512):
        nearest[first : first + 512] = (squares - 2.0 * (spots[first : first + 512] @ points.T)).argmin(axis=1)
    to = places - surface[nearest]
    off, unit = np.linalg.norm(to, axis=1), normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    height = (to * unit[nearest]).sum(axis=1)
    before = float((height[~wall] > 0.0).mean()) if not wall.all() else 0.5
    if 1.0 - FACING < before < FACING:
        return np.where(wall, 0.0, off)
    behind = wall & ((height if before < FACING else -height) > STEEP * off)
    return np.where(behind, 0.0, off)


def _behind(wall: NDArray[np.bool_], axis: int, turned: int) -> NDArray[np.int64]:
    """1 where a wall stands before a place along an axis, else 0; turned back if the walls were."""
    found = np.maximum.accumulate(wall, axis=axis)
    return np.asarray(np.flip(found, axis) if turned else found).astype(np.int64)


def _squares_from(solid: NDArray[np.bool_]) -> Floats:
    """The squared distance of every place of a grid from the nearest that is solid, in steps, one axis at a time."""
    square = np.where(solid, 0.0, float(3 * max(solid.shape) ** 2))
    for axis in range(3):
        lines = np.moveaxis(square, axis, 0)
        count = len(lines)
        best = lines.copy()
        for by in range(1, count):
            np.minimum(best[by:], lines[:-by] + by * by, out=best[by:])
            np.minimum(best[:-by], lines[by:] + by * by, out=best[:-by])
        square = np.moveaxis(best, 0, axis)
    return square


def off_from(solid: Solid, points: Floats) -> Floats:
    """(N,) how far points are from a solid, by its grid."""
    off = np.empty(len(points))
    off_solid(solid.away, solid.place, np.ascontiguousarray(points), off)
    return off
