"""Solids of many numbers: convex hulls."""

from collections.abc import Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.errors import OptionError

ON_FACE = (1e-12, 1e-10, 1e-8, 1e-6)
DIRECTIONS = 200  # in which a hull's first corners are sought


def _normals(corners: Floats) -> Floats:
    """(f, 3) unit normals of triangles."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.asarray(across / np.maximum(np.linalg.norm(across, axis=1), 1e-300)[:, None])


def hull_of(points: Floats) -> tuple[NDArray[np.int64], Floats]:
    """(f, 3) triangles of the convex hull, seen from outside against the clock, and (f, 3, 3) their corners."""
    size = float(np.ptp(points, axis=0).max(initial=0.0))
    for share in ON_FACE:
        faces = _grow(points, share * size) if len(points) else []
        corners = points[np.array(faces, np.int64).reshape(-1, 3)]
        edges = [edge for a, b, c in faces for edge in ((a, b), (b, c), (c, a))]
        closed = len(set(edges)) == len(edges) and {(b, a) for a, b in edges} == set(edges)
        if (
            faces
            and closed
            and (np.linalg.norm(np.cross(*(corners[:, 1:] - corners[:, :1]).swapaxes(0, 1)), axis=1)).all()
        ):
            return np.array(faces, np.int64), corners
        if not faces:
            break
    raise OptionError(
        f"the points of the hull ({len(points)}) enclose nothing; give at least four that are not in a plane"
    )


def _grow(points: Floats, near: float) -> list[tuple[int, int, int]]:
    """Adds points to a first tetrahedron, one by one; no faces if there is none."""
    first = _tetrahedron(points, near)
    if first is None:
        return []
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
            new = [(x, y, p) for x, y in edges if (y, x) not in edges]
            faces = [face for f, face in enumerate(faces) if f not in gone] + new
            added, heights = _planes(points, new)
            normals, offsets = np.vstack([normals[~seen], added]), np.append(offsets[~seen], heights)
    return faces


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
