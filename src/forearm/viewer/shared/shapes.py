"""Triangle meshes of the figures: capsules, cylinders, balls, discs, cones."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.common.transforms import from_quaternion
from forearm.common.types import Floats
from forearm.viewer.shared.rotations import z_onto

Mesh = tuple[Floats, NDArray[np.int64]]

AROUND = 20  # corners of a circle
UPWARD = 5  # rings of half a ball


def capsule(start: ArrayLike, end: ArrayLike, radius: float, around: int = AROUND) -> Mesh:
    """Vertices (V, 3) and faces (F, 3) of a rod with round ends [m]."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(b - a))
    rings = np.linspace(-np.pi / 2, np.pi / 2, 2 * UPWARD + 2)
    radii, heights = radius * np.cos(rings), radius * np.sin(rings)
    heights[len(rings) // 2 :] += length
    vertices, faces = lathe(radii, heights, around)
    axis = (b - a) / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    R = from_quaternion(*z_onto(axis[None])[0])[:3, :3]
    return vertices @ R.T + a, faces


def ball(radius: float = 1.0, around: int = AROUND) -> Mesh:
    """A ball about the origin."""
    return capsule((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), radius, around)


def rod(around: int = AROUND) -> Mesh:
    """A cylinder of radius 1 without ends, from z = 0 to z = 1, to be scaled."""
    return lathe(np.ones(2), np.array([0.0, 1.0]), around)


def disc(around: int = 2 * AROUND) -> Mesh:
    """A flat disc of radius 1 across the z axis."""
    return lathe(np.array([0.0, 1.0]), np.zeros(2), around)


def cone(half_angle: float, around: int = 2 * AROUND) -> Mesh:
    """The open cone of all directions within an angle [rad] of z, cut by the unit ball."""
    rings = np.linspace(half_angle, 0.0, UPWARD)
    radii, heights = np.concatenate([[0.0], np.sin(rings)]), np.concatenate([[0.0], np.cos(rings)])
    return lathe(radii, heights, around)


def lathe(radii: Floats, heights: Floats, around: int) -> Mesh:
    """The surface that circles of these radii at these heights along z make, facing outward."""
    turn = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    rings = len(radii)
    vertices = np.empty((rings, around, 3))
    vertices[:, :, :2] = radii[:, None, None] * circle
    vertices[:, :, 2] = heights[:, None]
    i, j = np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij")
    here, beside = i * around + j, i * around + (j + 1) % around
    above, across = here + around, beside + around
    faces = np.stack([here, beside, across, here, across, above], axis=-1).reshape(-1, 3)
    return vertices.reshape(-1, 3), faces
