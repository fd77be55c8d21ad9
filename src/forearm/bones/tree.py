"""A tree of bones as packed arrays: what chains and skeletons are to the kernels (`core/bones/codes.py`)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import as_floats
from forearm.common.transforms import rotation_about
from forearm.common.types import Floats
from forearm.core.bones import codes
from forearm.core.bones.pose import pose_of_values, values_of_points
from forearm.core.bones.room import pose_size
from forearm.errors import ModelError, OptionError, nearest_names
from forearm.joints import Ball, Cone, Fixed, Hinge, Joint

# A bone shorter than this share of the longest has no direction that survives rounding.
SHORTEST = 1e-9
# Points of a start or rest pose may miss the bones' lengths by this share, and are moved onto them.
LENGTH_SLACK = 1e-6
# A hinge whose axis is this near to the bone (sine of the angle) would not move it.
ALONG_BONE = 1e-6
# Points given as a start may miss the joints' limits by this [share of the size]; rounding of the user's.
START_SLACK = 1e-6
# Lengths outside of these would leave the range in which squares of floats are safe [m].
SMALLEST, LARGEST = 1e-100, 1e100


@dataclass(frozen=True, eq=False)
class Bones:
    """A tree of bones; lengths in metres."""

    names: tuple[str, ...]
    dim: int  # 2 for a plane, 3 for space
    parent: NDArray[np.int64]  # (n,) the bone each hangs on, -1 for the base
    length: Floats  # (n,)
    joints: Floats  # (n, 19) packed
    kinds: tuple[Joint, ...]  # the joints as they were given
    start: Floats  # (n+1, 3) points of the pose it was built with: the base, then each bone's end
    free_base: bool  # whether the base may move
    q: Floats = field(init=False)  # (n, 3) joint values of the start
    way: Floats = field(init=False)  # (n,) from the base to each bone's end along the bones
    is_free: bool = field(init=False)  # one chain without limits on a fixed base: what the quick kernel solves
    reaches: Floats = field(init=False)  # (n, 2) least and largest distance of each bone's end, without limits

    def __post_init__(self) -> None:
        """Reads the joint values of the start pose."""
        q = self.values_of(self.start, np.zeros((self.n, 3)))
        way = self.length.copy()
        for i, p in enumerate(self.parent):
            way[i] += way[p] if p >= 0 else 0.0
        free = self.is_line and not self.free_base and not any(is_limited(kind) for kind in self.kinds)
        object.__setattr__(self, "is_free", free)
        object.__setattr__(self, "reaches", self._reaches())
        object.__setattr__(self, "q", q)
        object.__setattr__(self, "way", way)
        reached = self.pose_of(q, self.start[0])[1]
        off = np.linalg.norm(reached - self.start, axis=1)
        if off.max() > START_SLACK * way.max():
            bone = self.names[max(int(np.argmax(off > START_SLACK * way.max())) - 1, 0)]
            raise ModelError(
                f"the points leave the limits of the joint of bone '{bone}': inside them its end is "
                f"{off.max():.3g} m away; widen the limits, or give points inside them"
            )

    @property
    def n(self) -> int:
        """How many bones there are."""
        return len(self.names)

    @property
    def parent_names(self) -> list[str | None]:
        """The name of the bone each hangs on; None for the base."""
        return [self.names[p] if p >= 0 else None for p in self.parent.tolist()]

    @property
    def is_line(self) -> bool:
        """Whether every bone hangs on the one before it."""
        return bool((self.parent == np.arange(-1, self.n - 1)).all())

    @property
    def size(self) -> float:
        """The longest way from the base to a bone's end [m]."""
        return float(self.way.max())

    def values_of(self, points: Floats, near: Floats) -> Floats:
        """(n, 3) joint values that point the bones at given points, frames carried along from values nearby."""
        q: Floats = near.copy()
        values_of_points(self.parent, self.length, self.joints, points, np.empty(pose_size(self.n)), q)
        return q

    def pose_of(self, q: Floats, base: Floats) -> tuple[Floats, Floats]:
        """(n, 3, 3) frames and (n+1, 3) points at joint values, by forward kinematics."""
        R, P = np.empty((self.n, 3, 3)), np.empty((self.n + 1, 3))
        work = np.empty(pose_size(self.n))
        pose_of_values(self.parent, self.length, self.joints, base, q.copy(), work, R, P)
        return R, P

    def index(self, name: object) -> int:
        """The number of a bone by name."""
        if name not in self.names:
            raise OptionError(f"bone '{name}' is unknown; {nearest_names(name, self.names)}")
        return self.names.index(str(name))

    def path(self, bone: int) -> list[int]:
        """The bones from the base to one of them."""
        path = []
        while bone >= 0:
            path.append(bone)
            bone = int(self.parent[bone])
        return path[::-1]

    def _reaches(self) -> Floats:
        """(n, 2) the least and largest distance from the base to each bone's end [m].

        Exact for joints without limits; bones joined by `Fixed` count as one. With limits the true
        range lies inside.
        """
        reaches = np.empty((self.n, 2))
        # of each bone: the sum and the largest of the links before the last, and the last one
        before: list[tuple[float, float, Floats]] = []
        for i, p in enumerate(self.parent.tolist()):
            along = self.start[i + 1] - self.start[p + 1]
            total, largest, last = before[p] if p >= 0 else (0.0, 0.0, along)
            if p >= 0:
                if isinstance(self.kinds[i], Fixed):
                    last = last + along
                else:
                    length = float(np.linalg.norm(last))
                    total, largest, last = total + length, max(largest, length), along
            before.append((total, largest, last))
            length = float(np.linalg.norm(last))
            reaches[i] = max(0.0, 2.0 * max(largest, length) - (total + length)), total + length
        return reaches


def is_limited(joint: Joint) -> bool:
    """Whether a joint binds its bone to the one before it in any way."""
    if isinstance(joint, Ball):
        return joint.twist is not None
    return not (isinstance(joint, Hinge) and joint.axis is None and joint.range is None)


def as_points(points: object, name: str, count: int | None = None, dim: int | None = None) -> tuple[Floats, int]:
    """(n+1, 3) points and their dimension, z = 0 in a plane."""
    array = as_floats(points, name, ModelError)
    if array.ndim != 2 or array.shape[1] not in (2, 3) or len(array) < 2:
        raise ModelError(f"{name} has shape {array.shape}; it takes (n+1, 2) or (n+1, 3) numbers: the base, then ends")
    if (count is not None and len(array) != count) or (dim is not None and array.shape[1] != dim):
        raise ModelError(f"{name} has shape {array.shape}; here it takes ({count}, {dim})")
    flat = np.zeros((len(array), 3))
    flat[:, : array.shape[1]] = array
    return flat, array.shape[1]


def make_bones(
    names: Sequence[str],
    parent: Sequence[int],
    points: Floats,
    rest: Floats,
    joints: Sequence[Joint],
    dim: int,
    free_base: bool,
) -> Bones:
    """Packs a tree; `points` and `rest` are (n+1, 3), a parent stands before its children."""
    length = _lengths(names, parent, rest)
    other = _lengths(names, parent, points)
    off = np.abs(other / length - 1.0)
    if off.max() > LENGTH_SLACK:
        k = int(np.argmax(off))
        raise ModelError(
            f"bone '{names[k]}' has length {other[k]:g} m in points and {length[k]:g} m in rest; make them equal"
        )
    table = np.zeros((len(names), codes.COLUMNS))
    frames = np.zeros((len(names), 3, 3))
    for i, joint in enumerate(joints):
        along = (rest[i + 1] - rest[parent[i] + 1]) / length[i]
        before = frames[parent[i]] if parent[i] >= 0 else np.eye(3)
        frames[i] = _rest_frame(before, along, joint, dim)
        table[i, codes.REST : codes.REST + 9] = (before.T @ frames[i]).ravel()
        _pack_joint(joint, names[i], frames[i], dim, table[i])
    parents = np.array(parent, dtype=np.int64)
    return Bones(tuple(names), dim, parents, length, table, tuple(joints), points.copy(), free_base)


def _lengths(names: Sequence[str], parent: Sequence[int], points: Floats) -> Floats:
    """(n,) of the bones [m], none of them zero."""
    length = np.linalg.norm(points[1:] - points[np.asarray(parent) + 1], axis=1)
    if not SMALLEST < length.max() < LARGEST:
        raise ModelError(f"the longest bone is {length.max():g} m; lengths from {SMALLEST:g} to {LARGEST:g} m work")
    k = int(np.argmin(length))
    if length[k] < SHORTEST * length.max():
        raise ModelError(
            f"bone '{names[k]}' has length {length[k]:g} m, so it has no direction; leave it out, or move its end"
        )
    return np.ascontiguousarray(length)


def _rest_frame(before: Floats, along: Floats, joint: Joint, dim: int) -> Floats:
    """The frame of a bone at rest: x along it, the rest carried along from the frame before it."""
    if dim == 2:  # about z only, so that z stays exactly 0
        x, y = along[:2]
        return np.array([[x, -y, 0.0], [y, x, 0.0], [0.0, 0.0, 1.0]])
    if isinstance(joint, Cone) and joint.toward is not None:
        toward = np.array(joint.toward)
        y_axis = toward - along * (along @ toward)
        if np.linalg.norm(y_axis) < ALONG_BONE:
            raise ModelError(f"toward is {joint.toward}, along the bone itself; give a direction across it")
        y_axis /= np.linalg.norm(y_axis)
        return np.column_stack([along, y_axis, np.cross(along, y_axis)])
    axis = np.cross(before[:, 0], along)
    sine, cosine = float(np.linalg.norm(axis)), float(before[:, 0] @ along)
    if sine < SHORTEST:
        turn = np.eye(3) if cosine > 0.0 else rotation_about(before[:, 2], math.pi)[:3, :3]
    else:
        turn = rotation_about(axis / sine, math.atan2(sine, cosine))[:3, :3]
    frame = turn @ before
    z_axis = np.cross(along, frame[:, 1])
    z_axis /= np.linalg.norm(z_axis)
    return np.column_stack([along, np.cross(z_axis, along), z_axis])


def _pack_joint(joint: Joint, name: str, frame: Floats, dim: int, row: Floats) -> None:
    """Writes the columns of one joint."""
    row[[codes.HALF_Y, codes.HALF_Z, codes.TWIST_HIGH, codes.HIGH]] = math.inf
    row[[codes.TWIST_LOW, codes.LOW]] = -math.inf
    if isinstance(joint, Fixed):
        row[codes.KIND] = codes.FIXED
        row[codes.AXIS + 2] = 1.0
    elif dim == 2:
        _pack_planar(joint, name, row)
    elif isinstance(joint, Hinge):
        if joint.axis is None:
            raise ModelError(f"the hinge of bone '{name}' has no axis; in space it takes Hinge(axis=(x, y, z))")
        axis = frame.T @ np.array(joint.axis)
        if math.hypot(axis[1], axis[2]) < ALONG_BONE:
            raise ModelError(f"the hinge of bone '{name}' has its axis along the bone; use Ball(twist=...) or Fixed()")
        row[codes.KIND], row[codes.AXIS : codes.AXIS + 3] = codes.HINGE, axis / np.linalg.norm(axis)
        row[codes.LOW], row[codes.HIGH] = joint.range or (-math.inf, math.inf)
    else:
        assert isinstance(joint, (Ball, Cone))
        row[codes.KIND] = codes.BALL
        row[codes.TWIST_LOW], row[codes.TWIST_HIGH] = joint.twist or (-math.inf, math.inf)
        if isinstance(joint, Cone):
            row[codes.HALF_Z], row[codes.HALF_Y] = joint.half_angle  # toward y is a turn about z


def _pack_planar(joint: Joint, name: str, row: Floats) -> None:
    """In a plane every joint is a hinge about z."""
    row[codes.KIND], row[codes.AXIS + 2] = codes.HINGE, 1.0
    if isinstance(joint, Hinge):
        if joint.axis is not None:
            raise ModelError(f"the hinge of bone '{name}' names an axis; in a plane it turns about z, so leave it out")
        row[codes.LOW], row[codes.HIGH] = joint.range or (-math.inf, math.inf)
    elif isinstance(joint, Cone):
        if joint.twist is not None or joint.toward is not None or joint.half_angle[0] != joint.half_angle[1]:
            raise ModelError(f"the cone of bone '{name}' is in a plane, where it takes one half-angle and no twist")
        row[codes.LOW], row[codes.HIGH] = -joint.half_angle[0], joint.half_angle[0]
    elif isinstance(joint, Ball) and joint.twist is not None:
        raise ModelError(f"the ball of bone '{name}' has a twist range, but bones in a plane do not twist")
