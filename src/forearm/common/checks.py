"""Turns what users pass into checked float64 arrays; every message names the value seen."""

import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.transforms import frame
from forearm.common.types import Floats
from forearm.core.arm.goal import NONE, find_not_rigid
from forearm.core.codes import RIGID_SLACK
from forearm.errors import ForearmError, OptionError, TargetError

# Objects of other libraries that offer their 4x4 by one of these names: spatialmath's SE3,
# pinocchio's SE3, scipy-like transforms.
MATRIX_ATTRIBUTES = ("A", "homogeneous", "as_matrix")

# [m] No robot and no room is so large; squares of more would leave the range of floats.
LARGEST = 1e6


def as_floats(value: Any, name: str, error: type[ForearmError] = TargetError) -> Floats:
    """A fresh, C-contiguous float64 array of finite numbers."""
    array = as_real(value, name, error)
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise error(f"{{argument}} has {array[where]} at {list(where)}; all entries must be finite", argument=name)
    return array


def as_real(value: Any, name: str, error: type[ForearmError] = TargetError) -> Floats:
    """A fresh, C-contiguous float64 array of real numbers; infinity and NaN are the caller's to judge."""
    if value is None:
        raise error("{argument} is None; it takes numbers", argument=name)
    if type(value) is not np.ndarray and "numpy.ma" in sys.modules and np.ma.is_masked(value):
        raise error(f"{{argument}} has masked entries; fill them, as in {name}.filled(0.0)", argument=name)
    try:
        raw = np.asarray(value)
        fault = _number_fault(raw)
        if not fault:
            return np.array(raw, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as problem:
        if hasattr(value, "q"):  # of what solving and tracking give back
            kind = type(value).__name__
            reached = error is TargetError  # else joint values are asked for
            told = "where it brings the tip is arm.fk(s.q)" if reached else "give its joint values, which are its .q"
            raise error(f"{{argument}} is a {kind}; {told}", argument=name) from None
        told = f"it is {brief(value)}" if isinstance(problem, TypeError) else str(problem)
        raise error(f"{{argument}} is not an array of numbers: {told}", argument=name) from None
    raise error(f"{{argument}} {fault}; it takes real numbers", argument=name)


def as_array(value: Any, name: str, error: type[ForearmError] = TargetError) -> NDArray[Any]:
    """An array of real numbers as it is, of any dtype, without a copy where none is needed.

    Takes what NumPy takes, and what speaks DLPack alone and lives in the host's memory.
    """
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            value = np.from_dlpack(value)
        raw = np.asarray(value)
    except (TypeError, ValueError, OverflowError, RuntimeError, BufferError) as problem:
        raise error(f"{{argument}} is not an array of numbers: {brief(problem)}", argument=name) from None
    if raw.dtype.kind not in "fiu" or ("numpy.ma" in sys.modules and np.ma.is_masked(value)):  # slow to import
        return as_real(value, name, error)
    return raw


def _number_fault(raw: NDArray[Any]) -> str:
    """Why the entries of an array are no real numbers although NumPy might make some of them, or ''."""
    if raw.dtype.kind in "fiub":
        return ""
    entries = list(raw.flat) if raw.dtype.kind == "O" else [raw.dtype.type()]
    if any(entry is None for entry in entries):
        return "has None among its entries"
    if any(isinstance(entry, (complex, np.complexfloating)) for entry in entries):
        return "has complex numbers"
    if any(isinstance(entry, (str, bytes)) for entry in entries):
        return f"is not an array of numbers: it has text ({brief(raw.tolist())})"
    if any(isinstance(entry, (np.datetime64, np.timedelta64)) for entry in entries):
        return "has dates or times"
    return ""


def as_number(value: Any, name: str, error: type[ForearmError] = TargetError, which: str = "") -> float:
    """One finite number; `which` says which one of several that the argument holds."""
    if isinstance(value, (bool, np.bool_)):
        raise error(f"{which}{{argument}} is {value}, not a number", argument=name)
    try:
        array = as_real(value, name, error)
    except error:
        array = np.empty(0)
    if array.shape != ():
        raise error(f"{which}{{argument}} is {brief(value)}, not a number", argument=name)
    if not np.isfinite(array):
        raise error(f"{which}{{argument}} is {array}; it must be finite", argument=name)
    return float(array)


def number_in(text: str) -> float:
    """The number that a text is, as files write it: Python's own 1_0 is none."""
    if "_" in text:
        raise ValueError(f"{text!r} is not a number")
    return float(text)


def as_count(value: Any, name: str, most: int, otherwise: str = "") -> int:
    """A whole number from 1; `otherwise` says what else the caller takes."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not 1 <= value <= most:
        allowed = f"a whole number from 1 to {most}{{none}}"
        raise OptionError(f"{{argument}} is {brief(value)}; it takes {allowed}", argument=name, none=otherwise)
    return int(value)


def as_whole(value: Any, name: str, most: int) -> int:
    """A whole number from 0."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not 0 <= value <= most:
        raise OptionError(f"{{argument}} is {brief(value)}; it takes a whole number from 0 to {most}", argument=name)
    return int(value)


def as_switch(value: object, name: str) -> bool:
    """True or False, and nothing that merely counts as such."""
    if value is True or value is False:
        return value
    if not isinstance(value, (bool, np.bool_)):
        raise OptionError(f"{{argument}} is {brief(value)}; it takes True or False", argument=name)
    return bool(value)


def refuse_switch(value: Any, where: str) -> None:
    """Refuses true and false among the numbers of a file, which Python would count as 1 and 0."""
    if isinstance(value, bool):
        raise OptionError(f"{where} has {str(value).lower()}; it takes numbers")
    for each in value if isinstance(value, list) else ():
        refuse_switch(each, where)


def as_limit_rows(value: Any, n: int, whose: str, error: type[ForearmError]) -> Floats:
    """(2, n) a row of lower and a row of upper limits; a pair for each of the joints is told what to do."""
    array = as_real(value, "limits", error)
    pairs = array.shape == (n, 2) and bool((array[:, 0] < array[:, 1]).all())
    rows = array.shape == (2, n)
    if pairs and (not rows or bool((array[0] > array[1]).any() or (array[0] == array[1]).all())):
        turned = "limits are pairs (lower, upper), one per joint; give a row of lower and a row of upper ones"
        raise error(f"{turned}: np.transpose(limits)")
    if not rows:
        raise error(f"limits have shape {array.shape}; {whose} takes (2, {n}): a lower and an upper row")
    return array


def as_limits(
    value: Any, joint: str, where: str, error: type[ForearmError], remedy: bool = False
) -> tuple[float, float]:
    """A joint's (lower, upper) pair if some value meets it; either may be infinite.

    `where` is the file or the argument that holds the pair; with `remedy`, limits can be given in its stead.
    """
    label = f"joint '{joint}' in {{argument}}"
    pair = as_real(value, f"the (lower, upper) of joint '{joint}' in {where}", error)
    if pair.shape != (2,):
        raise error(f"{label} has limits {brief(value)}; they are a pair (lower, upper)", argument=where)
    lower, upper = pair.tolist()
    fault, better = "", "lower, upper"
    if math.isnan(lower) or math.isnan(upper):
        fault = f"a limit that is not a number: {lower:g} to {upper:g}; correct it"
    elif lower > upper:
        fault = f"lower limit {lower:g} and upper limit {upper:g}; swap them"
        better = f"{upper:.9g}, {lower:.9g}"
    elif lower == math.inf or upper == -math.inf:
        fault = f"limits {lower:g} to {upper:g}, which no value meets; correct them"
    if fault:
        tail = ", or pass {limits}" if remedy else ""
        raise error(f"{label} has {fault}{tail}", argument=where, limits=f"limits={{'{joint}': ({better})}}")
    return lower, upper


def as_mapping(value: Any, name: str, content: str, error: type[ForearmError]) -> dict[Any, Any]:
    """A mapping as a fresh dict, empty for None; `content` says what maps to what."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise error(f"{{argument}} is {brief(value)}; it takes a mapping from {content}", argument=name)
    return dict(value)


def brief(value: Any) -> str:
    """A value as Python writes it, cut where it is long."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no whole number of more than some thousand digits
        text = f"a {type(value).__name__} with more digits than can be shown"
    return text if len(text) <= BRIEF else f"{text[:BRIEF]}..."


def as_vector(value: Any, name: str, length: int, error: type[ForearmError] = TargetError) -> Floats:
    """A fresh float64 vector of the given length."""
    array = as_floats(value, name, error)
    if array.shape != (length,):
        raise error(f"{{argument}} has shape {array.shape}; it takes {length} numbers", argument=name)
    return array


def as_unit(value: Any, name: str, error: type[ForearmError] = TargetError) -> Floats:
    """A fresh unit vector in space along the given one."""
    x, y, z = as_vector(value, name, 3, error).tolist()
    largest = max(abs(x), abs(y), abs(z))
    if largest == 0.0:
        raise error(f"{{argument}} is {[x, y, z]}, a vector of length zero; give it a direction", argument=name)
    x, y, z = x / largest, y / largest, z / largest  # as in `as_units`
    length = math.sqrt(x * x + y * y + z * z)
    return np.array([x / length, y / length, z / length])


def as_units(rows: Floats, name: str) -> Floats:
    """(N, 3) unit vectors along the rows, each with the bits that `as_unit` gives it."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    if (largest == 0.0).any():
        raise TargetError(f"{name}[{int(np.argmin(largest))}] is a vector of length zero; give it a direction")
    x, y, z = (rows / largest[:, None]).T  # or squares of huge and tiny entries would leave the range of floats
    return np.asarray((np.stack([x, y, z]) / np.sqrt(x * x + y * y + z * z)).T, order="C")


def unwrap_matrix(value: Any) -> Any:
    """The matrix inside another library's transform object, or the value itself."""
    if isinstance(value, (np.ndarray, list, tuple)):
        return value
    for name in MATRIX_ATTRIBUTES:
        inner = getattr(value, name, None)
        if inner is not None:
            return inner() if callable(inner) else inner
    return value


# What an array of another shape than a pose's was meant to be, and how it becomes one.
SHAPES = {
    (0, 4, 4): "; for several poses call solve_batch",
    (3,): "; make one of a position with fa.Pose(p, rpy=[0, 0, 0]).goal",
    (3, 3): "; for a rotation alone give fa.Orientation(R)",
    (3, 4): "; add the last row: np.vstack([T, [0, 0, 0, 1]])",
    (4,): "; for a quaternion alone give fa.Orientation(quat_wxyz=q) or fa.Orientation(quat_xyzw=q)",
    (6,): "; make one of a position and angles with fa.Pose(p, rpy=angles).goal",
    (7,): "; make one of a position and a quaternion with fa.Pose(p, quat_wxyz=q).goal, or quat_xyzw=q",
    (16,): "; make one of 16 numbers, row by row, with .reshape(4, 4)",
}


def as_rigid(value: Any, name: str, error: type[ForearmError] = TargetError) -> Floats:
    """A fresh (4, 4) rigid transform; what is off by rounding is accepted as it is."""
    T = as_floats(unwrap_matrix(value), name, error)
    if T.shape != (4, 4):
        hint = SHAPES.get(T.shape, SHAPES[0, 4, 4] if T.shape[1:] == (4, 4) else "")
        raise error(f"{{argument}} has shape {T.shape}; a pose is a (4, 4) array{hint}", argument=name)
    fault = rigid_fault(T) if find_not_rigid(T[None]) != NONE else ""  # which has the words, and takes longer
    if fault and find_not_rigid(np.ascontiguousarray(T.T)[None]) == NONE:
        raise error(f"{{argument}} is transposed: {fault}; give T.T", argument=name)
    if fault:
        raise error(f"{{argument}} is not a rigid transform: {fault}; {{rigid}}", argument=name, rigid=NEAREST)
    return T


def rigid_fault(T: Floats) -> str:
    """Why a finite (4, 4) array is no rigid transform, or an empty string."""
    R = T[:3, :3]
    if not (T[3, :3] == 0.0).all() or abs(T[3, 3] - 1.0) > RIGID_SLACK:
        return f"its last row is {T[3].tolist()}, not [0, 0, 0, 1]"
    with np.errstate(over="ignore", invalid="ignore"):  # of entries that are no rotation's, and told below
        determinant = np.linalg.det(R)
        off = float(np.abs(R.T @ R - np.eye(3)).max())
    if determinant < 0.0:
        return f"its rotation part mirrors (determinant {determinant:.3g}, not 1)"
    if not off <= RIGID_SLACK:
        return f"R^T R differs from the identity by {off:.3g} (at most {RIGID_SLACK:g} is allowed)"
    return ""


def nearest_rigid(T: Any) -> Floats:
    """The rigid transform nearest to a 4x4 in the Frobenius norm of its rotation part.

    Args:
        T: (4, 4) array whose upper-left block is nearly a rotation.
    """
    matrix = as_floats(unwrap_matrix(T), "T")
    if matrix.shape != (4, 4):
        raise TargetError(f"T has shape {matrix.shape}; a pose is a (4, 4) array")
    U, singular, Vt = np.linalg.svd(matrix[:3, :3])
    if singular[-1] < SINGULAR:
        raise TargetError("T's rotation part is singular, so no rotation is nearest to it")
    U[:, -1] *= np.linalg.det(U @ Vt)
    return frame(U @ Vt, matrix[:3, 3])


# A rotation part that shrinks a direction to less than this holds rounding noise there.
SINGULAR = 1e-9

NEAREST = "fa.nearest_rigid(T) gives the nearest one"
BRIEF = 60  # characters of a wrong value that a message shows
