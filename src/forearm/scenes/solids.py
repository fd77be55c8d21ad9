"""Solids of many numbers: convex hulls, height fields, and fields of distances on a grid."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import as_floats, as_number, as_vector, brief
from forearm.common.types import Floats
from forearm.core.collision.hull import BEYOND, CORNERS, NORMAL, OFFSET
from forearm.core.collision.obstacle_rows import (
    AXES,
    BOUND,
    COLUMN,
    EXTENT,
    FIRST,
    GRID,
    HULL,
    KIND,
    OBSTACLE_COLUMNS,
    SPAN,
)
from forearm.errors import OptionError, told_in_words
from forearm.scenes.scene import as_triples, read_placed
from forearm.scenes.shapes import UPRIGHT, Obstacle, as_rotation, pack

# Points nearer than this to a hull's faces are on them, as shares of its size; the coarser are for points on which
# rounding leaves no hull with the finer.
ON_FACE = (1e-12, 1e-10, 1e-8, 1e-6)
# Where none of them leaves a hull, as of finely drawn cylinders in single precision, points are moved outward at random
# by up to the second share (as qhull's option QJ moves them): far more than rounding is, far less than matters.
OUTWARD = ((1e-9, 2e-6), (1e-9, 2e-6), (1e-8, 2e-5))
DIRECTIONS = 200  # in which a hull's first corners are sought
MOST = 1 << 26  # numbers of a field


@told_in_words
@dataclass(frozen=True, slots=True, eq=False)
class ConvexHull(Obstacle):
    """The convex hull of points, solid: a crate, a machine's cover, a part.

    Args:
        points: (v, 3) at least four that do not lie in a plane [m].
    """

    points: Any

    def __post_init__(self) -> None:
        """Refuses what has no inside."""
        points = as_triples(self.points, "the array of the points of the hull", "(v, 3)")
        faces, corners = hull_of(points)
        object.__setattr__(self, "points", points)
        low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        rows, middle = np.zeros((len(faces) + 1, OBSTACLE_COLUMNS)), 0.5 * (low + high)
        rows[0, [KIND, EXTENT, BOUND]] = HULL, len(rows), np.linalg.norm(corners - middle, axis=2).max()
        rows[0, FIRST : FIRST + 3] = middle
        beyond = {edge: f for f, (a, b, c) in enumerate(faces.tolist()) for edge in ((a, b), (b, c), (c, a))}
        others = [[beyond[b, a], beyond[c, b], beyond[a, c]] for a, b, c in faces.tolist()]
        rows[1:, NORMAL : NORMAL + 3] = normals = _normals(corners)
        rows[1:, CORNERS : CORNERS + 9] = (corners - middle).reshape(-1, 9)
        rows[1:, BEYOND : BEYOND + 3] = others
        rows[1:, OFFSET] = np.einsum("fi,fji->fj", normals, corners - middle).max(axis=1)
        self._pack_rows(rows, 1)

    @classmethod
    def from_file(cls, path: str | Path, scale: float = 1.0, pose: Any = None) -> "ConvexHull":
        """The convex hull of a mesh file (extra `collision`); as `Mesh.from_file`."""
        return cls(read_placed(path, scale, pose)[0])

    @property
    def faces(self) -> Floats:
        """(f, 3, 3) the corners of its triangles [m]."""
        rows = self.rows()
        return rows[1:, CORNERS : CORNERS + 9].reshape(-1, 3, 3) + rows[0, FIRST : FIRST + 3]


def _normals(corners: Floats) -> Floats:
    """(f, 3) unit normals of triangles."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.asarray(across / np.maximum(np.linalg.norm(across, axis=1), 1e-300)[:, None])


def hull_of(points: Floats) -> tuple[NDArray[np.int64], Floats]:
    """(f, 3) triangles of the convex hull, seen from outside against the clock, and (f, 3, 3) their corners.

    Points on which rounding leaves no hull are moved outward: then the corners are where they were moved to.
    """
    size, rng = float(np.ptp(points, axis=0).max(initial=0.0)), np.random.default_rng(0)
    for near, outward in (*((share, 0.0) for share in ON_FACE), *OUTWARD):
        placed = points
        if outward:  # from a point inside, so that what they enclose holds all of them where they were
            middle = points.mean(axis=0)
            placed = middle + (points - middle) * (1.0 + outward * rng.uniform(0.0, 1.0, (len(points), 1)))
        faces = _grow(placed, near * size) if len(points) else None
        if faces is None:
            break
        corners = placed[np.array(faces, np.int64).reshape(-1, 3)]
        if faces and _is_closed(faces, corners):
            return np.array(faces, np.int64), corners
    raise OptionError(
        f"the points of the hull ({len(points)}) enclose nothing; give at least four that are not in a plane"
    )


def _is_closed(faces: list[tuple[int, int, int]], corners: Floats) -> bool:
    """Whether every edge of triangles has one on its other side, and all have an area."""
    edges = [edge for a, b, c in faces for edge in ((a, b), (b, c), (c, a))]
    if len(set(edges)) < len(edges) or {(b, a) for a, b in edges} != set(edges):
        return False
    return bool((np.linalg.norm(np.cross(*(corners[:, 1:] - corners[:, :1]).swapaxes(0, 1)), axis=1)).all())


def _grow(points: Floats, near: float) -> list[tuple[int, int, int]] | None:
    """Adds points to a first tetrahedron, one by one; None if there is none, no faces if rounding tears them apart."""
    first = _tetrahedron(points, near)
    if first is None:
        return None
    a, b, c, d = first
    faces = [(a, b, c), (a, c, d), (a, d, b), (b, d, c)]
    normals, offsets = _planes(points, faces)
    ways = np.random.default_rng(0).normal(size=(DIRECTIONS, 3))
    extremes = np.unique(np.argmax(ways @ points.T, axis=1))
    rest = np.arange(0)
    for wave in (0, 1):  # what sticks out most, then what is still outside
        outside = (points @ normals.T - offsets > near).any(axis=1)
        rest = np.flatnonzero(outside) if wave else extremes[outside[extremes]]
        for p in rest.tolist():
            seen = points[p] @ normals.T - offsets > near
            if not seen.any():
                continue
            gone = set(np.flatnonzero(seen).tolist())
            edges = set(chain.from_iterable(((x, y), (y, z), (z, x)) for x, y, z in (faces[f] for f in gone)))
            rim = {x: y for x, y in edges if (y, x) not in edges}
            new = [(x, y, p) for x, y in edges if (y, x) not in edges]
            if not _is_ring(rim, len(new)):
                return []
            faces = [face for f, face in enumerate(faces) if f not in gone] + new
            added, heights = _planes(points, new)
            normals, offsets = np.vstack([normals[~seen], added]), np.append(offsets[~seen], heights)
    return faces


def _is_ring(after: dict[int, int], count: int) -> bool:
    """Whether so many edges, from each corner to the one after it, run once round what a new corner sees.

    Where points lie in a plane but for rounding, what is seen may be in two parts: faces would fold over each other,
    more with every point.
    """
    if not after or len(after) < count:
        return False
    first = at = next(iter(after))
    for steps in range(1, count + 1):
        at = after.get(at, first)
        if at == first:
            return steps == count
    return False


def _tetrahedron(points: Floats, near: float) -> tuple[int, int, int, int] | None:
    """Four points far from each other, the fourth below the other three; None if all are in a plane."""
    axis = int(np.argmax(np.ptp(points, axis=0)))
    a, b = int(np.argmin(points[:, axis])), int(np.argmax(points[:, axis]))
    way = points[b] - points[a]
    off = np.linalg.norm(np.cross(points - points[a], way), axis=1)
    c = int(np.argmax(off))
    normal = np.cross(way, points[c] - points[a])
    size = float(np.linalg.norm(normal))
    if not size > near * near:
        return None
    height = (points - points[a]) @ (normal / size)
    d = int(np.argmax(np.abs(height)))
    if abs(height[d]) <= near:
        return None
    return (a, b, c, d) if height[d] < 0.0 else (a, c, b, d)


def _planes(points: Floats, faces: Iterable[tuple[int, int, int]]) -> tuple[Floats, Floats]:
    """Unit normals of triangles, and how far their planes are from the origin."""
    corners = points[np.array(list(faces), np.int64)]
    normals = _normals(corners)
    return normals, np.einsum("fi,fi->f", normals, corners[:, 0])


@told_in_words
@dataclass(frozen=True, slots=True, eq=False)
class HeightField(Obstacle):
    """Ground of given heights, solid down to its floor: terrain, a bin of parts, a relief.

    Args:
        heights: (a, b) above the origin [m], at least two by two: the first axis runs along x, the second along y.
        spacing: Between neighbours [m]: one number, or one for each of both axes.
        origin: (3,) where x, y and height are 0 [m]: under `heights[0, 0]`.
        rotation: (3, 3) how it is turned about its origin; None leaves it along the axes.
        floor: The height down to which it is solid [m]; by default one spacing below the lowest.
    """

    heights: Any
    spacing: Any
    origin: Any = (0.0, 0.0, 0.0)
    rotation: Any = None
    floor: float | None = None

    def __post_init__(self) -> None:
        """Refuses what is no height field."""
        heights = _field(self.heights, "the array of the heights of the height field", 2)
        spacing, origin, R = _placed(self.spacing, self.origin, self.rotation, "height field", 2)
        lowest = float(heights.min())
        floor = lowest - min(spacing) if self.floor is None else as_number(self.floor, "the floor", OptionError)
        if not floor < lowest:
            raise OptionError(
                f"the floor of the height field is {floor:g} m; it is below the lowest height, {lowest:g} m"
            )
        for name, value in (("heights", heights), ("spacing", spacing), ("origin", origin), ("rotation", R)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "floor", floor)
        corners = self.faces  # (f, 3, 3)
        down = -np.array(R)[:, 2]
        feet = corners + ((origin - corners) @ down - floor)[..., None] * down
        both = np.concatenate([corners, feet], axis=1)
        middle = both.mean(axis=1)
        bound = np.linalg.norm(both - middle[:, None], axis=2).max(axis=1)
        rows = pack(COLUMN, middle, bound, span=(corners - middle[:, None]).reshape(-1, 9))
        rows[:, BEYOND : BEYOND + 3] = ((origin - middle) @ down - floor)[:, None] * down
        self._pack_rows(rows)

    @property
    def faces(self) -> Floats:
        """(f, 3, 3) the corners of the triangles on top of it [m]."""
        x, y = (np.arange(n) * step for n, step in zip(self.heights.shape, self.spacing, strict=True))
        grid = (
            np.stack([*np.meshgrid(x, y, indexing="ij"), self.heights], axis=2) @ np.array(self.rotation).T
            + self.origin
        )
        a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
        return np.stack([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)], axis=2).reshape(-1, 3, 3)


@told_in_words
@dataclass(frozen=True, slots=True, eq=False)
class DistanceField(Obstacle):
    """Distances from obstacles on a grid, negative inside them, interpolated along the axes between its points.

    Beyond the grid there is nothing: there, the distance at its nearest point counts, or that from the grid if it is
    more.

    Args:
        distances: (a, b, c) [m], at least two along each axis: the axes run along x, y and z.
        spacing: Between neighbours [m]: one number, or one for each axis.
        origin: (3,) where `distances[0, 0, 0]` is [m].
        rotation: (3, 3) how it is turned about its origin; None leaves it along the axes.
    """

    distances: Any
    spacing: Any
    origin: Any = (0.0, 0.0, 0.0)
    rotation: Any = None

    def __post_init__(self) -> None:
        """Refuses what is no field of distances."""
        distances = _field(self.distances, "the array of the distances of the field", 3)
        spacing, origin, R = _placed(self.spacing, self.origin, self.rotation, "distance field", 3)
        for name, value in (("distances", distances), ("spacing", spacing), ("origin", origin), ("rotation", R)):
            object.__setattr__(self, name, value)
        half, extent = (
            0.5 * np.multiply(np.subtract(distances.shape, 1), spacing),
            -(-distances.size // OBSTACLE_COLUMNS),
        )
        rows = np.zeros((extent + 2, OBSTACLE_COLUMNS))
        rows[0, [KIND, EXTENT, BOUND]] = GRID, len(rows), np.linalg.norm(half)
        rows[0, FIRST : FIRST + 3] = origin + np.array(R) @ half
        rows[0, SPAN : SPAN + 3], rows[0, AXES : AXES + 9] = spacing, np.ravel(R, "F")
        rows[1, :3] = distances.shape
        rows[2:].reshape(-1)[: distances.size] = distances.ravel()
        self._pack_rows(rows, 1)


def _field(value: Any, name: str, axes: int) -> Floats:
    """Numbers on a grid."""
    field = as_floats(value, name, OptionError)
    if field.ndim != axes or min(field.shape) < 2 or field.size > MOST:
        takes = f"{axes} axes with at least 2 numbers each, and at most {MOST} in all"
        raise OptionError(f"{name} has shape {field.shape}; it takes {takes}")
    return field


def _placed(spacing: Any, origin: Any, rotation: Any, what: str, axes: int) -> tuple[tuple[float, ...], Floats, Any]:
    """The spacing of a field along each axis, its origin and its rotation."""
    steps = as_floats(spacing, f"the spacing of the {what}", OptionError)
    if steps.shape not in ((), (axes,)) or not (steps > 0.0).all():
        raise OptionError(f"the spacing of the {what} is {brief(spacing)}; it takes a positive length, or {axes} [m]")
    place = as_vector(origin, f"the origin of the {what}", 3, OptionError)
    R = UPRIGHT if rotation is None else as_rotation(rotation, f"the rotation of the {what}")
    return tuple(np.broadcast_to(steps, axes).tolist()), place, R
