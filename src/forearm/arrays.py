"""Turns what users pass into checked float64 arrays; every message names the value seen."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.core.codes import RIGID_SLACK
from forearm.errors import ForearmError, TargetError

Floats = NDArray[np.float64]

# Objects of other libraries that offer their 4x4 by one of these names: spatialmath's SE3,
# pinocchio's SE3, scipy-like transforms.
MATRIX_ATTRIBUTES = ("A", "homogeneous", "as_matrix")


def as_floats(value: Any, name: str, error: type[ForearmError] = TargetError) -> Floats:
    """A fresh, C-contiguous float64 array of finite numbers."""
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as problem:
        raise error(f"{name} is not an array of numbers: {problem}") from None
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise error(f"{name} has {array[where]} at {list(where)}; all entries must be finite")
    return array


def as_vector(value: Any, name: str, length: int, error: type[ForearmError] = TargetError) -> Floats:
    """A fresh float64 vector of the given length."""
    array = as_floats(value, name, error)
    if array.shape != (length,):
        raise error(f"{name} has shape {array.shape}; it takes {length} numbers")
    return array


def as_unit(value: Any, name: str, error: type[ForearmError] = TargetError) -> Floats:
    """A fresh unit vector in space along the given one."""
    array = as_vector(value, name, 3, error)
    length = float(np.linalg.norm(array))
    if length < TINY_AXIS:
        raise error(f"{name} is {array.tolist()}, a vector of length zero; give it a direction")
    return array / length


def unwrap_matrix(value: Any) -> Any:
    """The matrix inside another library's transform object, or the value itself."""
    if isinstance(value, (np.ndarray, list, tuple)):
        return value
    for name in MATRIX_ATTRIBUTES:
        inner = getattr(value, name, None)
        if inner is not None:
            return inner() if callable(inner) else inner
    return value


def as_rigid(value: Any, name: str, error: type[ForearmError] = TargetError) -> Floats:
    """A fresh (4, 4) rigid transform; what is off by rounding is accepted as it is."""
    T = as_floats(unwrap_matrix(value), name, error)
    if T.shape != (4, 4):
        raise error(f"{name} has shape {T.shape}; a pose is a (4, 4) array")
    fault = rigid_fault(T)
    if fault:
        raise error(f"{name} is not a rigid transform: {fault}; fa.nearest_rigid(T) gives the nearest one")
    return T


def rigid_fault(T: Floats) -> str:
    """Why a finite (4, 4) array is no rigid transform, or an empty string."""
    R = T[:3, :3]
    if not (T[3, :3] == 0.0).all() or abs(T[3, 3] - 1.0) > RIGID_SLACK:
        return f"its last row is {T[3].tolist()}, not [0, 0, 0, 1]"
    if np.linalg.det(R) < 0.0:
        return f"its rotation part mirrors (determinant {np.linalg.det(R):.3g}, not 1)"
    off = float(np.abs(R.T @ R - np.eye(3)).max())
    if off > RIGID_SLACK:
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
    if singular[-1] < TINY_AXIS:
        raise TargetError("T's rotation part is singular, so no rotation is nearest to it")
    U[:, -1] *= np.linalg.det(U @ Vt)
    result = np.eye(4)
    result[:3, :3] = U @ Vt
    result[:3, 3] = matrix[:3, 3]
    return result


# Shorter than this, a direction is rounding noise.
TINY_AXIS = 1e-9
