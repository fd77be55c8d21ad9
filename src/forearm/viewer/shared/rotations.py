"""Rotations in the forms that the page speaks: quaternions, scalar first, and angles about fixed axes."""

import math

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.transforms import from_quaternion, from_rpy
from forearm.common.types import Floats


def quaternion(R: Floats) -> Floats:
    """(4,) the unit quaternion, scalar first, of a (3, 3) rotation, from its largest part (Shepperd)."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    squares = [trace, R[0, 0], R[1, 1], R[2, 2]]
    k = int(np.argmax(squares))
    q = np.empty(4)
    if k == 0:
        q[:] = 1.0 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    else:
        i, j, h = k - 1, k % 3, (k + 1) % 3
        q[0] = R[h, j] - R[j, h]
        q[1 + i] = 1.0 + R[i, i] - R[j, j] - R[h, h]
        q[1 + j] = R[j, i] + R[i, j]
        q[1 + h] = R[h, i] + R[i, h]
    unit: Floats = q / np.linalg.norm(q)
    return unit


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
    level = math.hypot(T[0, 0], T[1, 0])
    pitch = math.atan2(-T[2, 0], level)
    if level > 1e-9:
        roll, yaw = math.atan2(T[2, 1], T[2, 2]), math.atan2(T[1, 0], T[0, 0])
    else:  # looking straight up or down, roll and yaw turn about the same axis
        roll, yaw = 0.0, math.atan2(-T[0, 1], T[1, 1])
    return [*T[:3, 3].tolist(), *(math.degrees(angle) for angle in (roll, pitch, yaw))]
