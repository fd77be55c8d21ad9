"""Obstacles drawn into a matplotlib axes in space: see-through surfaces, so that the arm shows behind them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from forearm.common.palette import OBSTACLE_ON_WHITE
from forearm.common.types import Floats
from forearm.scenes.scene import HalfSpace, Mesh, PointCloud
from forearm.scenes.shapes import Box, Capsule, Cylinder, Obstacle, Sphere
from forearm.scenes.solids import ConvexHull, DistanceField, HeightField

ALPHA = 0.35
BEHIND = 1  # drawn first, so that a floor or a wall hides nothing of an arm
RINGS, SPOKES = 10, 18  # of a ball or capsule
FARTHEST = 1.2  # obstacles widen a picture to at most this share of its size to each side
NEAR = 0.6  # of a field's spacing: points this near to its surface are drawn
WALL = 0.6  # half the side of the square that stands for a half-space, as a share of the size of the rest
METRE = np.array([[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]])  # corners of what is drawn where nothing else is
QUADS = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))  # faces of a box


def draw_obstacles(axes: Any, obstacles: Iterable[Obstacle], around: Floats = METRE) -> None:
    """Draws every obstacle of a scene; of a half-space the piece beside the (n, 3) points of the arm."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # noqa: PLC0415 (slow, optional)

    look = {"facecolor": OBSTACLE_ON_WHITE, "edgecolor": OBSTACLE_ON_WHITE, "alpha": ALPHA, "zorder": BEHIND}
    for obstacle in obstacles:
        if isinstance(obstacle, (PointCloud, DistanceField)):
            axes.scatter(*points_of(obstacle).T, color=OBSTACLE_ON_WHITE, s=8, alpha=ALPHA, zorder=BEHIND)
        elif isinstance(obstacle, (Sphere, Capsule)):
            axes.plot_surface(*surface_of(obstacle), color=OBSTACLE_ON_WHITE, alpha=ALPHA, linewidth=0, zorder=BEHIND)
        else:
            axes.add_collection3d(Poly3DCollection(_evenly(faces_of(obstacle, around)), **look))


def corner_points(obstacle: Obstacle, around: Floats) -> Floats:
    """(k, 3) what a picture must hold to show an obstacle, but for what is far from the (n, 3) rest of it."""
    if isinstance(obstacle, HalfSpace):  # any piece of it will do
        return np.empty((0, 3))
    if isinstance(obstacle, (PointCloud, DistanceField)):
        points = points_of(obstacle)
    elif isinstance(obstacle, (Sphere, Capsule)):
        points = np.moveaxis(surface_of(obstacle), 0, 2).reshape(-1, 3)
    else:
        points = np.vstack(faces_of(obstacle, around))
    middle, half = 0.5 * (around.min(axis=0) + around.max(axis=0)), FARTHEST * np.ptp(around, axis=0).max()
    held: Floats = np.clip(points, middle - half, middle + half)
    return held


def points_of(obstacle: PointCloud | DistanceField) -> Floats:
    """(k, 3) points of a cloud, or of a field those beside its surface."""
    if isinstance(obstacle, PointCloud):
        return np.asarray(obstacle.points)
    near = np.argwhere(np.abs(obstacle.distances) < NEAR * max(obstacle.spacing))
    return np.asarray((near * obstacle.spacing) @ np.array(obstacle.rotation).T + obstacle.origin)


def faces_of(obstacle: Obstacle, around: Floats = METRE) -> list[Floats]:
    """The corners of each flat face of an obstacle, or of what looks like it; of a half-space beside (n, 3) points."""
    if isinstance(obstacle, (ConvexHull, HeightField)):
        return list(obstacle.faces)
    if isinstance(obstacle, Cylinder):
        a, b = np.array(obstacle.a), np.array(obstacle.b)
        x, y = _across((b - a) / np.linalg.norm(b - a))
        turn = np.linspace(0.0, 2.0 * np.pi, SPOKES)[:, None]
        ring = obstacle.radius * (np.cos(turn) * x + np.sin(turn) * y)
        walls = np.stack([a + ring[:-1], a + ring[1:], b + ring[1:], b + ring[:-1]], axis=1)
        return [a + ring, b + ring, *walls]
    if isinstance(obstacle, Mesh):
        return list(obstacle.vertices[obstacle.faces])
    if isinstance(obstacle, Box):
        signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
        corners = (signs * obstacle.size) @ np.array(obstacle.rotation).T + obstacle.center
        return [corners[list(quad)] for quad in QUADS]
    assert isinstance(obstacle, HalfSpace)
    normal = np.array(obstacle.normal) / np.linalg.norm(obstacle.normal)
    middle = 0.5 * (around.min(axis=0) + around.max(axis=0))
    middle = middle - ((middle - obstacle.point) @ normal) * normal
    half, (x, y) = WALL * float(np.ptp(around, axis=0).max()), _across(normal)
    return [np.array([middle + half * (a * x + b * y) for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))])]


def surface_of(obstacle: Sphere | Capsule) -> Floats:
    """(3, rings, spokes) a grid on the surface of a ball or capsule."""
    ball = isinstance(obstacle, Sphere)
    a, b = np.array((obstacle.center, obstacle.center) if ball else (obstacle.a, obstacle.b))  # type: ignore[union-attr]
    z = b - a if (b - a).any() else np.array([0.0, 0.0, 1.0])
    z = z / np.linalg.norm(z)
    x, y = _across(z)
    polar = np.linspace(0.0, np.pi, 2 * RINGS)[:, None, None]
    turn = np.linspace(0.0, 2.0 * np.pi, SPOKES)[None, :, None]
    round_ = np.sin(polar) * (np.cos(turn) * x + np.sin(turn) * y) + np.cos(polar) * z
    grid = np.where(polar < 0.5 * np.pi, b, a) + obstacle.radius * round_
    return np.moveaxis(grid, 2, 0)


def _evenly(faces: list[Floats]) -> list[Floats]:
    """Faces with equally many corners, the last one repeated.

    matplotlib fills up the shorter ones with memory that was never written, and takes it for
    points of the picture when it chooses the limits of its axes.
    """
    most = max(map(len, faces))
    return [np.vstack([face, np.repeat(face[-1:], most - len(face), axis=0)]) for face in faces]


def _across(z: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors across a third."""
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x = x / np.linalg.norm(x)
    return x, np.cross(z, x)
