"""How the rotation of a target may be written: a matrix, a quaternion, or fixed-axis angles; exactly one of them."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from forearm.common.checks import as_floats, as_rigid, as_vector, unwrap_matrix
from forearm.common.transforms import frame, from_quaternion, from_rpy
from forearm.common.types import Floats
from forearm.errors import TargetError, nearest_names

# Quaternions off by more than this are a mistake (or in another order), not rounding.
QUATERNION_SLACK = 1e-3
WHOLE_TURN = 2.0 * math.pi + 1e-9  # [rad] and what rounding adds


def pose_matrix(pose: Any, quat_wxyz: Any, quat_xyzw: Any, rpy: Any) -> Floats:
    """(4, 4) a pose from its matrix, or from a position and the one rotation that was given."""
    matrix = unwrap_matrix(pose)
    if np.shape(matrix) != (3,):
        refuse_second_rotation("a (4, 4) pose", quat_wxyz, quat_xyzw, rpy)
        return as_rigid(matrix, "pose")
    goal = rotation_from(quat_wxyz, quat_xyzw, rpy, "Pose")
    goal[:3, 3] = as_vector(matrix, "position", 3)
    return goal


BY_NAME = "a quaternion as quat_wxyz=q if the scalar stands first, as quat_xyzw=q if last"


def refuse_unordered(second: tuple[Any, ...], other: Mapping[str, Any]) -> None:
    """Refuses what a `Pose` does not know: a rotation without its name, as the order of a quaternion is not seen."""
    takes = "quat_wxyz, quat_xyzw, rpy, tol"
    for key in other:
        near = f"give {BY_NAME}" if "quat" in key.lower() else nearest_names(key, takes.split(", "))
        raise TargetError(f"Pose takes no {key}; {near}")
    if second:
        told = f"give {BY_NAME}" if np.shape(second[0]) == (4,) else f"it takes by name: {takes}"
        raise TargetError(f"Pose takes one thing without a name, and got {len(second) + 1}; {told}")


def refuse_second_rotation(first: str, *others: Any) -> None:
    """Refuses a rotation beside another one."""
    if any(other is not None for other in others):
        raise TargetError(f"{first} already holds the rotation; leave quat_wxyz, quat_xyzw and rpy out")


def rotation_from(quat_wxyz: Any, quat_xyzw: Any, rpy: Any, name: str) -> Floats:
    """(4, 4) the rotation from the one form that was given; `name` is what it is for."""
    given = [form for form in (quat_wxyz, quat_xyzw, rpy) if form is not None]
    if len(given) != 1:
        hint = " (for a point alone, use fa.Position)" if name == "Pose" else ""
        raise TargetError(f"{name} takes exactly one of quat_wxyz, quat_xyzw and rpy; got {len(given)}{hint}")
    if rpy is not None:
        return from_rpy(*check_turns(as_vector(rpy, "rpy", 3), "rpy"))
    name = "quat_wxyz" if quat_wxyz is not None else "quat_xyzw"
    q = as_vector(given[0], name, 4)
    a, b, c, d = q.tolist()
    if not abs(math.hypot(a, b, c, d) - 1.0) <= QUATERNION_SLACK:
        check_unit(q[None], lambda _: name)  # which has the words, and takes longer
    return from_quaternion(a, b, c, d) if quat_wxyz is not None else from_quaternion(d, a, b, c)


def check_turns(angles: Floats, name: str) -> Floats:
    """The angles [rad], if none is beyond a whole turn: those are degrees."""
    if (np.abs(angles) > WHOLE_TURN).any():
        shown = ", ".join(f"{angle:g}" for angle in angles.flat[:3])
        raise TargetError(
            f"{{argument}} is {shown} rad, more than a whole turn; did you mean degrees? {{degrees}}",
            argument=name,
            degrees="np.radians(...) makes radians of them",
        )
    return angles


def check_unit(quaternions: Floats, name: Callable[[int], str]) -> None:
    """Refuses the first of (N, 4) quaternions that is not of length 1; `name` says what it is called."""
    with np.errstate(over="ignore"):  # an infinite length is told below
        lengths = np.linalg.norm(quaternions, axis=1)
    for i in np.flatnonzero(np.abs(lengths - 1.0) > QUATERNION_SLACK)[:1]:
        rule = f"a rotation is a unit quaternion (within {QUATERNION_SLACK:g}): divide by it"
        raise TargetError(f"{{argument}} has length {lengths[i]:.6g}; {rule}", argument=name(int(i)))


def rotation_matrix(rotation: Any) -> Floats:
    """(3, 3) a rotation matrix, checked."""
    R = as_floats(unwrap_matrix(rotation), "rotation")
    if R.shape != (3, 3):
        quaternion = f"; give {BY_NAME}" if R.shape == (4,) else ""
        raise TargetError(f"rotation has shape {R.shape}; a rotation matrix is (3, 3){quaternion}")
    return as_rigid(frame(R), "rotation")[:3, :3]
