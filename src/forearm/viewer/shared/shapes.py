"""Triangle meshes of the figures: capsules, cylinders, blocks, balls, discs, cones."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.common.transforms import from_quaternion
from forearm.common.types import Floats
from forearm.viewer.shared.rotations import z_onto

Mesh = tuple[Floats, NDArray[np.int64]]

AROUND = 20  # corners of a circle
UPWARD = 5  # rings of half a ball
BEVEL = 0.12  # of the rims of cylinders, per radius


def capsule(start: ArrayLike, end: ArrayLike, radius: float, around: int = AROUND) -> Mesh:
    """Vertices (V, 3) and faces (F, 3) of a rod with round ends [m]."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(b - a))
    rings = np.linspace(-np.pi / 2, np.pi / 2, 2 * UPWARD + 2)
    radii, heights = radius * np.cos(rings), radius * np.sin(rings)
    heights[len(rings) // 2 :] += length
    return _from_to(a, b, lathe(radii, heights, around))


def cone_between(start: ArrayLike, end: ArrayLike, radius: float, other: float, around: int = 32) -> Mesh:
    """A cylinder with flat ends from a point to another [m], or a cone with another radius at the second.

    Its rims are bevelled a little, which catches the light; ends and sides have corners of their own, so that they
    are shaded apart.
    """
    a, b = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(b - a))
    c = BEVEL * min(radius, other, 0.5 * length)
    radii = np.array([0.0, radius - c, radius - c, radius, other, other - c, other - c, 0.0])
    heights = np.array([0.0, 0.0, 0.0, c, length - c, length, length, length])
    return _from_to(a, b, lathe(radii, heights, around))


def _from_to(a: Floats, b: Floats, mesh: Mesh) -> Mesh:
    """A mesh along z from the origin, laid along the way from a point to another."""
    vertices, faces = mesh
    length = float(np.linalg.norm(b - a))
    axis = (b - a) / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    R = from_quaternion(*z_onto(axis[None])[0])[:3, :3]
    return vertices @ R.T + a, faces


def block(size: ArrayLike) -> Mesh:
    """A box of three edges [m] about the origin, each face with corners of its own."""
    corners = 0.5 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * np.asarray(size)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [[4 * k + i for i in three] for k in range(6) for three in ((0, 1, 2), (0, 2, 3))]
    return corners[np.array(quads).ravel()], np.array(faces)


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one."""
    shifts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    faces = [faces + shift for (_, faces), shift in zip(meshes, shifts, strict=False)]
    return np.concatenate([vertices for vertices, _ in meshes]), np.concatenate(faces)


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
