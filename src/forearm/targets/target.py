"""What the tip should do: a full pose, a point, an orientation, or a point and a direction.

This is the only place that parses targets. Each becomes a kind, a `goal` frame and `terms`
(tolerances and axes), the form kernels read (`core/codes.py`).

Tolerances are metres and radians. Given axis by axis they hold along and about the axes of the
target's own frame (for `Position` and `PointAxis`, of the base frame); an infinite one leaves
that axis free.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.common.checks import as_array, as_real, as_unit, as_units, as_vector, brief, unwrap_matrix
from forearm.common.transforms import identity
from forearm.common.types import Floats
from forearm.core import codes
from forearm.core.codes import ORIENTATION, POINT_AXIS, POSE, POSITION
from forearm.errors import ForearmError, TargetError, told_in_words, within
from forearm.targets.many import Targets, as_poses, as_rows, frames
from forearm.targets.rotations import (
    pose_matrix,
    refuse_second_rotation,
    refuse_unordered,
    rotation_from,
    rotation_matrix,
)

DEFAULT_TOLERANCE = 1e-6  # [m] and [rad]
# What is copied rather than made anew: the terms that ask for nothing, and the default tolerance as it is read.
NO_TERMS: Floats = np.array([math.inf] * codes.OPENED + [0.0] * (codes.TERMS - codes.OPENED))
DEFAULT_TOLERANCES: Floats = np.array([DEFAULT_TOLERANCE])

KIND_NAMES = {POSE: "Pose", POSITION: "Position", ORIENTATION: "Orientation", POINT_AXIS: "PointAxis"}

# How many numbers each kind asks for; with more joints than that, an arm is redundant.
ROWS = {POSE: 6, POSITION: 3, ORIENTATION: 3, POINT_AXIS: 5}


@dataclass(frozen=True, eq=False, repr=False)
class Target:
    """A parsed target.

    Attributes:
        kind: POSE, POSITION, ORIENTATION or POINT_AXIS of `core/codes.py`.
        goal: (4, 4) the frame to reach, in the base frame; identity where it is left open.
        terms: (15,) tolerances, tool axis and direction, as `core/codes.py` lays them out.
    """

    kind: int
    goal: Floats
    terms: Floats

    def __repr__(self) -> str:
        """One line: the kind and what is asked."""
        asked = []
        if self.kind != ORIENTATION:
            asked.append(f"position={_short(self.goal[:3, 3])}")
        if self.kind in (POSE, ORIENTATION):
            asked.append(f"rotation={_short(self.goal[:3, :3])}")
        if self.kind == POINT_AXIS:
            asked.append(f"tool_axis={_short(self.terms[codes.TOOL_AXIS : codes.DIRECTION])}")
            asked.append(f"direction={_short(self.terms[codes.DIRECTION :])}")
        tolerances = _shown_tolerances(self.kind, self.terms)
        if (tolerances != DEFAULT_TOLERANCE).any():
            numbers = ", ".join(f"{tolerance:g}" for tolerance in tolerances)
            asked.append(f"tol=({numbers})" if tolerances.size > 1 else f"tol={numbers}")
        return f"{KIND_NAMES[self.kind]}({', '.join(asked)})"


@told_in_words
class Pose(Target):
    """A full pose of the tip in the base frame.

    Args:
        pose: (4, 4) rigid transform (or an object with `.A`, `.homogeneous` or `.as_matrix()`), or
            a position (3,) [m] together with one of the rotations below.
        quat_wxyz: Quaternion, scalar first.
        quat_xyzw: Quaternion, scalar last.
        rpy: Fixed-axis roll, pitch, yaw [rad], as in URDF.
        tol: One number for both, (position [m], rotation [rad]), or six along and about the axes
            of the target frame, linear first; `math.inf` leaves an axis free.
        *second: Refused: a rotation has a name, which says its form.
        **other: Refused by name.
    """

    def __init__(
        self,
        pose: Any,
        *second: Any,
        quat_wxyz: ArrayLike | None = None,
        quat_xyzw: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
        tol: ArrayLike = DEFAULT_TOLERANCE,
        **other: Any,
    ) -> None:
        if second or other:
            refuse_unordered(second, other)
        goal = pose_matrix(pose, quat_wxyz, quat_xyzw, rpy)
        tolerances = _tolerances(tol, "Pose", (1, 2, 6))
        terms = _terms()
        if tolerances.size == 6:
            super().__init__(_open_axes(goal, tolerances, terms), goal, terms)
            return
        terms[codes.TOL_POSITION], terms[codes.TOL_ROTATION] = tolerances[0], tolerances[-1]
        free = math.isinf(tolerances[0]), math.isinf(tolerances[-1])
        if all(free):
            raise TargetError(
                "{argument} leaves position and rotation free, so the target asks for nothing", argument="tol"
            )
        super().__init__(ORIENTATION if free[0] else POSITION if free[1] else POSE, goal, terms)

    @classmethod
    @told_in_words
    def many(cls, poses: Any, *, tol: ArrayLike = DEFAULT_TOLERANCE) -> Targets:
        """Targets for `solve_batch`: (N, 4, 4) poses that share their tolerances."""
        return _alike(as_poses(poses, "poses"), cls(np.eye(4), tol=tol))


@told_in_words
class Position(Target):
    """A point for the tip's origin, orientation free.

    Args:
        position: (3,) point in the base frame [m].
        tol: One number [m] or three along the base axes; `math.inf` leaves an axis free.
    """

    def __init__(self, position: ArrayLike, *, tol: ArrayLike = DEFAULT_TOLERANCE) -> None:
        goal = identity()
        goal[:3, 3] = as_vector(position, "position", 3)
        terms = _terms()
        _set_position_tolerance(_tolerances(tol, "Position", (1, 3)), terms)
        super().__init__(POSITION, goal, terms)

    @classmethod
    @told_in_words
    def many(cls, points: ArrayLike, *, tol: ArrayLike = DEFAULT_TOLERANCE) -> Targets:
        """Targets for `solve_batch`: (N, 3) points [m] that share their tolerances."""
        rows = as_rows(points, "points")
        return Targets(POSITION, frames(None, rows, len(rows)), cls(np.zeros(3), tol=tol).terms[None])


@told_in_words
class Orientation(Target):
    """An orientation of the tip, position free.

    Args:
        rotation: (3, 3) rotation matrix, unless one of the forms below is given.
        quat_wxyz: Quaternion, scalar first.
        quat_xyzw: Quaternion, scalar last.
        rpy: Fixed-axis roll, pitch, yaw [rad], as in URDF.
        tol: One number [rad] or three about the axes of the target frame.
    """

    def __init__(
        self,
        rotation: Any = None,
        *,
        quat_wxyz: ArrayLike | None = None,
        quat_xyzw: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
        tol: ArrayLike = DEFAULT_TOLERANCE,
    ) -> None:
        goal = identity()
        if rotation is not None:
            refuse_second_rotation("a rotation matrix", quat_wxyz, quat_xyzw, rpy)
            goal[:3, :3] = rotation_matrix(rotation)
        else:
            goal[:3, :3] = rotation_from(quat_wxyz, quat_xyzw, rpy, "Orientation")[:3, :3]
        tolerances = _tolerances(tol, "Orientation", (1, 3))
        terms = _terms()
        if tolerances.size == 3:
            six = np.concatenate([np.full(3, math.inf), tolerances])
            super().__init__(_open_axes(goal, six, terms), goal, terms)
            return
        if math.isinf(tolerances[0]):
            raise TargetError("{argument} leaves the rotation free, so the target asks for nothing", argument="tol")
        terms[codes.TOL_ROTATION] = tolerances[0]
        super().__init__(ORIENTATION, goal, terms)

    @classmethod
    @told_in_words
    def many(cls, rotations: Any, *, tol: ArrayLike = DEFAULT_TOLERANCE) -> Targets:
        """Targets for `solve_batch`: (N, 3, 3) rotation matrices that share their tolerances."""
        matrices = as_array(rotations, "rotations")
        if matrices.ndim != 3 or matrices.shape[1:] != (3, 3):
            raise TargetError(f"rotations has shape {matrices.shape}; rotation matrices are an (N, 3, 3) array")
        return _alike(as_poses(frames(matrices, None, len(matrices)), "rotations"), cls(np.eye(3), tol=tol))


@told_in_words
class PointAxis(Target):
    """A point for the tip's origin and a direction for a tool axis; the roll about it is free.

    What an arm with five joints can do: drilling, welding, pointing, pouring.

    Args:
        position: (3,) point in the base frame [m].
        direction: (3,) where the tool axis should point, in the base frame; any length.
        tool_axis: (3,) the tool axis in the tip's frame; z by default.
        tol: One number for both, (position [m], tilt [rad]), or (x, y, z, tilt) along the base axes.
    """

    def __init__(
        self,
        position: ArrayLike,
        direction: ArrayLike,
        *,
        tool_axis: ArrayLike = (0.0, 0.0, 1.0),
        tol: ArrayLike = DEFAULT_TOLERANCE,
    ) -> None:
        goal = identity()
        goal[:3, 3] = as_vector(position, "position", 3)
        tolerances = _tolerances(tol, "PointAxis", (1, 2, 4))
        if math.isinf(tolerances[-1]):
            remedy = "use fa.Position(p) for a point alone"
            raise TargetError("{argument} leaves the direction free; {point}", argument="tol", point=remedy)
        terms = _terms()
        terms[codes.TOOL_AXIS : codes.DIRECTION] = as_unit(tool_axis, "tool_axis")
        terms[codes.DIRECTION :] = as_unit(direction, "direction")
        terms[codes.TOL_ROTATION] = tolerances[-1]
        _set_position_tolerance(tolerances[:3] if tolerances.size == 4 else tolerances[:1], terms)
        super().__init__(POINT_AXIS, goal, terms)

    @classmethod
    @told_in_words
    def many(
        cls,
        points: ArrayLike,
        directions: ArrayLike,
        *,
        tool_axis: ArrayLike = (0.0, 0.0, 1.0),
        tol: ArrayLike = DEFAULT_TOLERANCE,
    ) -> Targets:
        """Targets for `solve_batch`: (N, 3) points [m] and (N, 3) or (3,) directions."""
        rows = as_rows(points, "points")
        given = np.broadcast_to(directions, rows.shape) if np.shape(directions) == (3,) else directions
        ways = as_rows(given, "directions")
        if ways.shape != rows.shape:
            raise TargetError(f"directions has shape {ways.shape}; {len(rows)} points take as many, or one (3,)")
        like = cls(np.zeros(3), (0.0, 0.0, 1.0), tool_axis=tool_axis, tol=tol)
        terms = np.repeat(like.terms[None], len(rows), axis=0)
        terms[:, codes.DIRECTION :] = as_units(ways, "directions")
        return Targets(POINT_AXIS, frames(None, rows, len(rows)), terms)


def as_targets(value: Any, call: str = "a batch") -> Targets:
    """Targets of one kind from `Targets`, (N, 4, 4), or what holds targets or poses one by one; `call` takes them."""
    if isinstance(value, Target):
        raise TargetError(f"targets is one {KIND_NAMES[value.kind]}; {call} takes several: put it in a list")
    if isinstance(value, Targets):
        return value
    entries = _entries(value)
    if entries is not None and any(isinstance(entry, Target) for entry in entries):
        return _gather(entries, call)
    try:
        poses = as_poses(value if entries is None else [unwrap_matrix(entry) for entry in entries], "targets")
    except TargetError:
        if entries:
            _gather(entries, call)  # says which of them is at fault
        raise
    return Targets(POSE, poses, default_terms()[None])


def one_by_one(targets: Targets) -> list[Target]:
    """The same targets, each for itself."""
    terms = np.broadcast_to(targets.terms, (len(targets), targets.terms.shape[1]))
    return [Target(targets.kind, goal, row) for goal, row in zip(targets.goals, terms, strict=True)]


def _entries(value: Any) -> list[Any] | None:
    """What a sequence or an iterator holds one by one; None for an array, and for what is none of these."""
    if isinstance(value, np.ndarray):
        return list(value) if value.dtype == object else None
    whole = isinstance(value, (str, bytes, memoryview)) or unwrap_matrix(value) is not value
    whole = whole or hasattr(value, "__array__") or hasattr(value, "__dlpack__")
    return list(value) if isinstance(value, Iterable) and not whole else None


def _alike(goals: NDArray[Any], like: Target) -> Targets:
    """Targets with these frames and another one's tolerances."""
    terms = like.terms[None]
    if like.kind == POINT_AXIS:  # where the free axis points is each frame's own
        terms = np.repeat(terms, len(goals), axis=0)
        terms[:, codes.DIRECTION :] = goals[:, :3, int(np.argmax(like.terms[codes.TOOL_AXIS : codes.DIRECTION]))]
    return Targets(like.kind, goals, terms)


def _gather(values: list[Any], call: str) -> Targets:
    """The targets of a sequence, side by side."""
    parsed = []
    for i, value in enumerate(values):
        try:
            parsed.append(as_target(value))
        except ForearmError as problem:
            raise TargetError(within(f"targets[{i}]", problem)) from None
        if parsed[i].kind != parsed[0].kind:
            kinds = f"targets[{i}] is a {KIND_NAMES[parsed[i].kind]} and targets[0] a {KIND_NAMES[parsed[0].kind]}"
            raise TargetError(f"{kinds}; {call} takes one kind")
    return Targets(
        parsed[0].kind, np.stack([target.goal for target in parsed]), np.stack([target.terms for target in parsed])
    )


def as_target(value: Any) -> Target:
    """A target as it is, or a full pose from anything that holds a 4x4."""
    if isinstance(value, Target):
        return value
    matrix = unwrap_matrix(value)
    _refuse_parts(matrix)
    if np.shape(matrix) == (3,):
        raise TargetError("a bare position is not a target; wrap it: fa.Position(p), or fa.Pose(p, quat_wxyz=...)")
    return Pose(matrix)


QUATERNION = "fa.Pose(p, quat_wxyz=q) if the scalar stands first, fa.Pose(p, quat_xyzw=q) if last"


def _refuse_parts(value: Any) -> None:
    """Refuses a position and a rotation side by side: whether the scalar of a quaternion is first is not to be seen."""
    if isinstance(value, Mapping):
        keys = ", ".join(map(str, value))
        raise TargetError(f"a mapping of {brief(keys)} is not a target; write fa.Position(p), or {QUATERNION}")
    pair = isinstance(value, (tuple, list)) and len(value) == 2
    try:
        shapes = tuple(np.shape(part) for part in value) if pair else np.shape(value)
    except (TypeError, ValueError):
        raise TargetError(f"pose is {brief(value)}; a pose is a (4, 4) array of numbers") from None
    known = {
        ((3,), (4,)): f"a pair of a position and a quaternion is not a target; write {QUATERNION}",
        (7,): f"seven numbers are not a target; write {QUATERNION}",
        ((3,), (3,)): "a pair of a position and angles is not a target; write fa.Pose(p, rpy=angles), in radians",
        (6,): "six numbers are not a target; write fa.Pose(p, rpy=angles), in radians",
        (
            (3,),
            (3, 3),
        ): "a pair of a position and a matrix is not a target; write a (4, 4): T[:3, :3] = R, T[:3, 3] = p",
    }
    words = known.get(shapes, known.get(shapes[::-1]))
    if words is None and pair and shapes[0] != shapes[1]:
        words = f"a pair of arrays of shape {shapes[0]} and {shapes[1]} is not a target; a pose is a (4, 4) array"
    if words is not None:
        raise TargetError(words)


def _terms() -> Floats:
    """Terms that ask for nothing yet."""
    terms: Floats = NO_TERMS.copy()
    return terms


def default_terms() -> Floats:
    """The terms of a full pose at the default tolerance."""
    terms = _terms()
    terms[codes.TOL_POSITION] = terms[codes.TOL_ROTATION] = DEFAULT_TOLERANCE
    return terms


def _tolerances(tol: ArrayLike, name: str, sizes: tuple[int, ...]) -> Floats:
    """One tolerance, or as many as one of the sizes; only read."""
    if tol is DEFAULT_TOLERANCE:
        return DEFAULT_TOLERANCES
    array = np.atleast_1d(as_real(tol, "tol"))
    if array.ndim != 1 or array.size not in sizes:
        allowed = " or ".join(str(size) for size in sizes)
        raise TargetError(f"{{argument}} has shape {np.shape(tol)}; {name} takes {allowed} numbers", argument="tol")
    if not (array > 0.0).all():
        fault = f"{{argument}} is {array.tolist()}; tolerances must be positive"
        raise TargetError(f"{fault} ({{inf}})", argument="tol", inf="math.inf leaves an axis free")
    return array


def _set_position_tolerance(tolerances: Floats, terms: Floats) -> None:
    if min(tolerances) == math.inf:
        remedy = "use fa.Orientation(...) for an orientation alone"
        raise TargetError("{argument} leaves the position free; {rotation}", argument="tol", rotation=remedy)
    if tolerances.size == 3:
        terms[codes.TOL_AXES : codes.TOL_AXES + 3] = tolerances
    else:
        terms[codes.TOL_POSITION] = tolerances[0]


def _open_axes(goal: Floats, six: Floats, terms: Floats) -> int:
    """Writes per-axis tolerances into the terms and returns the kind that fits the free axes."""
    terms[codes.TOL_AXES : codes.TOL_AXES + 6] = six
    free = np.isinf(six)
    if free.all():
        raise TargetError("{argument} leaves all six axes free, so the target asks for nothing", argument="tol")
    if free[3:].all():
        return POSITION
    if free[3:].sum() == 1:
        # A free turn about one axis: what is left is where that axis points.
        k = int(np.argmax(free[3:]))
        terms[codes.TOOL_AXIS + k] = 1.0
        terms[codes.DIRECTION :] = goal[:3, k]
        return POINT_AXIS
    return ORIENTATION if free[:3].all() else POSE


def _shown_tolerances(kind: int, terms: Floats) -> Floats:
    """The tolerances of a target as its class takes them: one a part, or axis by axis."""
    pair, axes = terms[[codes.TOL_POSITION, codes.TOL_ROTATION]], terms[codes.TOL_AXES : codes.TOL_AXES + 6]
    if np.isinf(axes).all():
        parts = {POSITION: pair[:1], ORIENTATION: pair[1:]}
        return parts.get(kind, pair)
    if kind == POINT_AXIS and np.isfinite(pair[1]):
        return np.array([*axes[:3], pair[1]])
    return {POSITION: axes[:3], ORIENTATION: axes[3:]}.get(kind, axes)


def _short(array: Floats) -> str:
    return np.array2string(array, precision=4, suppress_small=True, separator=", ").replace("\n", "")
