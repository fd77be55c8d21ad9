"""Rotations as animators' files have them: angles about axes in any order, quaternions, and what lies between two."""

from collections.abc import Sequence

import numpy as np

from forearm.bones.clips.parts import Motion
from forearm.common.transforms import quaternions, rotations_from_quaternions
from forearm.common.types import Floats

# Below it (cosine of the middle angle) the first and the last angle turn about the same axis.
LOCKED = 1e-9
# Quaternions nearer than this (1 - cosine) are blended along the straight line, as the arc has no digits left.
STRAIGHT = 1e-12


def about(axis: int, angles: Floats) -> Floats:
    """(N, 3, 3) rotations about the x, y or z axis [rad]."""
    R = np.zeros((len(angles), 3, 3))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(angles), np.sin(angles)
    R[:, axis, axis] = 1.0
    R[:, j, j], R[:, j, k], R[:, k, j], R[:, k, k] = c, -s, s, c
    return R


def from_angles(axes: Sequence[int], angles: Floats) -> Floats:
    """(N, 3, 3) the product of rotations about axes in this order, by (N, len(axes)) angles [rad]."""
    R: Floats = np.broadcast_to(np.eye(3), (len(angles), 3, 3)).copy()
    for column, axis in enumerate(axes):
        R = R @ about(axis, angles[:, column])
    return R


def to_angles(axes: Sequence[int], R: Floats) -> Floats:
    """(N, 3) angles [rad] whose rotations about three different axes, in this order, give R (N, 3, 3)."""
    i, j, k = axes
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    level = np.hypot(R[:, i, i], R[:, i, j])
    middle = np.arctan2(sign * R[:, i, k], level)
    free = level > LOCKED
    first = np.where(free, np.arctan2(-sign * R[:, j, k], R[:, k, k]), np.arctan2(sign * R[:, k, j], R[:, j, j]))
    last = np.where(free, np.arctan2(-sign * R[:, i, j], R[:, i, i]), 0.0)
    return np.column_stack([first, middle, last])


def between(q0: Floats, q1: Floats, share: Floats) -> Floats:
    """(..., 4) unit quaternions on the shorter arc from q0 to q1, a share (...) of the way (slerp)."""
    cosine = (q0 * q1).sum(axis=-1)
    q1 = np.where(cosine[..., None] < 0.0, -q1, q1)
    cosine = np.minimum(np.abs(cosine), 1.0)
    angle = np.arccos(cosine)
    sine = np.where(1.0 - cosine > STRAIGHT, np.sin(angle), 1.0)
    first = np.where(1.0 - cosine > STRAIGHT, np.sin((1.0 - share) * angle) / sine, 1.0 - share)
    last = np.where(1.0 - cosine > STRAIGHT, np.sin(share * angle) / sine, share)
    q = first[..., None] * q0 + last[..., None] * q1
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


def turn_onto(a: Floats, b: Floats) -> Floats:
    """(N, 3, 3) the smallest rotations that turn unit vectors a (N, 3) onto b; half turns about any axis across."""
    v, c = np.cross(a, b), (a * b).sum(axis=1)
    opposite = c < -1.0 + STRAIGHT
    across = np.cross(a, np.where(np.abs(a[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]))
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    k = 1.0 / np.where(opposite, 1.0, 1.0 + c)
    R: Floats = np.eye(3) * c[:, None, None] + v[:, :, None] * v[:, None, :] * k[:, None, None]
    R[:, 0, 1] -= v[:, 2]
    R[:, 0, 2] += v[:, 1]
    R[:, 1, 0] += v[:, 2]
    R[:, 1, 2] -= v[:, 0]
    R[:, 2, 0] -= v[:, 1]
    R[:, 2, 1] += v[:, 0]
    half = 2.0 * across[:, :, None] * across[:, None, :] - np.eye(3)
    return np.asarray(np.where(opposite[:, None, None], half, R))


def blended(motion: Motion, times: Floats, wanted: Floats) -> Motion:
    """The motion at other times: places and scales along straight lines, turns along arcs."""
    after = np.clip(np.searchsorted(times, wanted, side="right"), 1, len(times) - 1)
    gap = times[after] - times[after - 1]
    share = np.clip((wanted - times[after - 1]) / np.where(gap > 0.0, gap, 1.0), 0.0, 1.0)
    line = share[:, None, None]
    q = quaternions(motion.turns)
    arcs = between(q[after - 1], q[after], np.broadcast_to(share[:, None], q[after].shape[:2]))
    turns = rotations_from_quaternions(arcs.reshape(-1, 4), is_unit=True).reshape(*arcs.shape[:-1], 3, 3)
    places = (1.0 - line) * motion.places[after - 1] + line * motion.places[after]
    scales = (1.0 - line) * motion.scales[after - 1] + line * motion.scales[after]
    return Motion(places, turns, scales)
