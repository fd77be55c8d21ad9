"""Rigid transforms as (4, 4) arrays, for loaders and targets."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.types import Floats

IDENTITY: Floats = np.eye(4)  # never written to
LEVEL = 1e-9  # below it x looks straight up or down, and roll and yaw turn about the same axis


def frame(R: ArrayLike, p: ArrayLike = 0.0) -> Floats:
    """A rigid transform from its rotation and its origin [m]."""
    T = identity()
    T[:3, :3], T[:3, 3] = R, p
    return T


def identity() -> Floats:
    """A fresh (4, 4) identity, in a tenth of the time that `np.eye` takes."""
    T: Floats = IDENTITY.copy()
    return T


def translation(x: float, y: float, z: float) -> Floats:
    """A pure translation [m]."""
    return frame(np.eye(3), (x, y, z))


def rotation_about(axis: Sequence[float] | Floats, angle: float) -> Floats:
    """A rotation [rad] about a unit axis through the origin (Rodrigues)."""
    x, y, z = axis
    c, s = math.cos(angle), math.sin(angle)
    across = np.array([[c, -s * z, s * y], [s * z, c, -s * x], [-s * y, s * x, c]])
    return frame(np.outer(axis, axis) * (1.0 - c) + across)


def from_rpy(roll: float, pitch: float, yaw: float) -> Floats:
    """A rotation from URDF's fixed-axis angles [rad]: about x, then y, then z of the parent."""
    angles = (roll, pitch, yaw)
    return frame(_rpy_rows(*map(math.cos, angles), *map(math.sin, angles)))


def rotations_from_rpy(angles: Floats) -> Floats:
    """(N, 3, 3) rotations of (N, 3) fixed-axis angles [rad]."""
    return np.moveaxis(np.array(_rpy_rows(*np.cos(angles.T), *np.sin(angles.T))), -1, 0)


def _rpy_rows(cr: Any, cp: Any, cy: Any, sr: Any, sp: Any, sy: Any) -> list[list[Any]]:
    return [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]


def from_quaternion(w: float, x: float, y: float, z: float) -> Floats:
    """A rotation from a quaternion of any non-zero length, scalar first."""
    return frame(_quaternion_rows(w, x, y, z, 2.0 / (w * w + x * x + y * y + z * z)))


def rotations_from_quaternions(Q: Floats, is_unit: bool = False) -> Floats:
    """(N, 3, 3) rotations of (N, 4) quaternions, scalar first, of any non-zero length unless they are unit ones."""
    w, x, y, z = Q.T
    s = 2.0 if is_unit else 2.0 / (w * w + x * x + y * y + z * z)
    return np.moveaxis(np.array(_quaternion_rows(w, x, y, z, s)), -1, 0)


def _quaternion_rows(w: Any, x: Any, y: Any, z: Any, s: Any) -> list[list[Any]]:
    return [
        [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
    ]


def to_quaternion(R: Floats) -> Floats:
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


def quaternions(R: Floats) -> Floats:
    """(F, J, 4) unit quaternions, scalar first, of (F, J, 3, 3); of both signs the one nearer to the frame before."""
    m = R.reshape(-1, 3, 3)
    d0, d1, d2 = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    squares = np.stack([1 + d0 + d1 + d2, 1 + d0 - d1 - d2, 1 - d0 + d1 - d2, 1 - d0 - d1 + d2], axis=1)
    a, b, c = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    d, e, f = m[:, 1, 0] + m[:, 0, 1], m[:, 0, 2] + m[:, 2, 0], m[:, 2, 1] + m[:, 1, 2]
    columns = [
        np.stack([squares[:, 0], a, b, c], axis=1),
        np.stack([a, squares[:, 1], d, e], axis=1),
        np.stack([b, d, squares[:, 2], f], axis=1),
        np.stack([c, e, f, squares[:, 3]], axis=1),
    ]
    largest = np.argmax(squares, axis=1)  # Shepperd: from the largest part
    q = np.choose(largest[:, None], columns)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    q = q.reshape(*R.shape[:-2], 4)
    q[0] *= np.where(q[0, :, :1] < 0.0, -1.0, 1.0)
    same = (q[1:] * q[:-1]).sum(axis=-1) >= 0.0  # with the one before as it is
    q[1:] *= np.cumprod(np.where(same, 1.0, -1.0), axis=0)[..., None]
    return np.asarray(q)


def to_rpy(T: Floats) -> tuple[float, float, float]:
    """Roll, pitch and yaw about fixed axes, as in URDF [rad], of a rotation or a pose."""
    level = math.hypot(T[0, 0], T[1, 0])
    pitch = math.atan2(-T[2, 0], level)
    if level > LEVEL:
        return math.atan2(T[2, 1], T[2, 2]), pitch, math.atan2(T[1, 0], T[0, 0])
    return 0.0, pitch, math.atan2(-T[0, 1], T[1, 1])


def inverse(T: Floats) -> Floats:
    """The inverse of a rigid transform."""
    return frame(T[:3, :3].T, -T[:3, :3].T @ T[:3, 3])


def z_onto(axis: Floats) -> Floats:
    """The smallest rotation that turns the z axis onto a unit axis."""
    x, y, z = axis
    if z < -1.0 + 1e-12:  # opposite: half a turn about x
        return rotation_about((1.0, 0.0, 0.0), math.pi)
    k = 1.0 / (1.0 + z)
    return frame([[1.0 - k * x * x, -k * x * y, x], [-k * x * y, 1.0 - k * y * y, y], [-x, -y, z]])
