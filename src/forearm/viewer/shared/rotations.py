"""Rotations in the forms that the page speaks: quaternions, scalar first, and angles about fixed axes."""

import math

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.transforms import from_quaternion, from_rpy, to_rpy
from forearm.common.types import Floats


def z_onto(directions: Floats) -> Floats:
    """(k, 4) quaternions that turn the z axis onto each of k unit vectors by the smallest angle."""
    x, y, z = directions.T
    q = np.stack([1.0 + z, -y, x, np.zeros_like(x)], axis=1)
    q[z < -1.0 + 1e-12] = 0.0, 1.0, 0.0, 0.0  # opposite: half a turn about x
    unit: Floats = q / np.linalg.norm(q, axis=1, keepdims=True)
    return unit


def pose_of(wxyz: ArrayLike, position: ArrayLike) -> Floats:
    """(4, 4) the pose of a scene node."""
    T = from_quaternion(*np.asarray(wxyz, float))
    T[:3, 3] = position
    return T


def pose_from_degrees(numbers: ArrayLike) -> Floats:
    """(4, 4) the pose of x, y, z [m] and roll, pitch, yaw [deg] about fixed axes, as in URDF."""
    x, y, z, *angles = np.asarray(numbers, float)
    T = from_rpy(*np.radians(angles))
    T[:3, 3] = x, y, z
    return T


def degrees_of(T: Floats) -> list[float]:
    """x, y, z [m] and roll, pitch, yaw [deg] about fixed axes of a (4, 4) pose."""
    return [*T[:3, 3].tolist(), *(math.degrees(angle) for angle in to_rpy(T))]
