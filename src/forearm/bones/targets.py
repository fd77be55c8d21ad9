"""What the tips of a chain or skeleton should do, as one row each for the kernels."""

import math
from typing import Any

import numpy as np

from forearm.bones.tree import Bones
from forearm.common.checks import as_number, as_vector, unwrap_matrix
from forearm.common.types import Floats
from forearm.core.bones import codes
from forearm.core.codes import DIRECTION, ORIENTATION, POSITION, TOL_AXES, TOL_POSITION, TOL_ROTATION, TOOL_AXIS
from forearm.errors import OptionError, TargetError
from forearm.targets.many import Targets
from forearm.targets.target import KIND_NAMES, Target, as_target

# A bare point is met when the tip is this near to it, as a share of the way from base to tip: chains
# come in every unit of length.
DEFAULT_TOLERANCE = 1e-6
# A frame turned out of the plane by more than this cannot be had by bones in it.
PLANE_SLACK = 1e-9


def want(bones: Bones, bone: int, target: Any, weight: float, tolerance: float | None) -> Floats:
    """(23,) the row of the tip at a bone's end; the tolerance is for a bare point [m], a target has its own."""
    row = np.zeros(codes.WANTS)
    row[codes.BONE], row[codes.WEIGHT] = bone, weight
    if type(target) is np.ndarray and target.dtype == np.float64 and target.shape == (bones.dim,):
        point = target if np.isfinite(target).all() else as_vector(target, "the target", bones.dim)
    elif has_tolerance(target):
        if tolerance is not None:
            name = KIND_NAMES[as_target(target).kind]
            remedy = f"a {name} has its own, as in fa.{name}(..., tol={tolerance})"
            raise OptionError(f"tolerance is for bare points; {remedy}")
        _write_target(bones, as_target(target), row)
        return row
    else:
        point = as_vector(target, "the target", bones.dim)
    row[codes.GOAL_KIND], row[codes.TURN_TOL] = POSITION, math.inf
    row[codes.REACH_TOL] = tolerance_of(bones, bone, tolerance)
    row[codes.POINT : codes.POINT + bones.dim] = point
    return row


def has_tolerance(target: Any) -> bool:
    """Whether a target, or one of many, has tolerances of its own, as all but bare points have."""
    some = isinstance(target, (list, tuple)) and any(isinstance(each, Target) for each in target)
    return some or isinstance(target, (Target, Targets)) or np.shape(unwrap_matrix(target))[-2:] == (4, 4)


def tolerance_of(bones: Bones, bone: int, tolerance: float | None) -> float:
    """The tolerance of a bare point [m]."""
    if tolerance is None:
        return DEFAULT_TOLERANCE * float(bones.way[bone])
    if type(tolerance) is float and 0.0 < tolerance < math.inf:
        return tolerance
    value = as_number(tolerance, "tolerance", OptionError)
    if value <= 0.0:
        raise OptionError(f"tolerance is {value:g}; it takes a positive number of metres")
    return value


def _write_target(bones: Bones, target: Target, row: Floats) -> None:
    if np.isfinite(target.terms[TOL_AXES : TOL_AXES + 6]).any():
        raise TargetError("tol is given axis by axis; chains take one number, or (position, rotation)")
    row[codes.GOAL_KIND] = target.kind
    row[codes.REACH_TOL], row[codes.TURN_TOL] = target.terms[TOL_POSITION], target.terms[TOL_ROTATION]
    row[codes.POINT : codes.POINT + 3] = target.goal[:3, 3]
    row[codes.FRAME : codes.FRAME + 9] = target.goal[:3, :3].ravel()
    row[codes.TOOL : codes.TOOL + 3] = target.terms[TOOL_AXIS:DIRECTION]
    row[codes.HEADING : codes.HEADING + 3] = target.terms[DIRECTION:]
    if bones.dim == 3:
        return
    z = float(target.goal[2, 3])
    if target.kind != ORIENTATION and z != 0.0:
        raise TargetError(f"the target has z = {z:g}; this chain lies in a plane, where z is 0")
    if target.kind != POSITION and not abs(float(target.goal[2, 2]) - 1.0) <= PLANE_SLACK:
        raise TargetError("the target turns out of the plane of this chain; give a rotation about z")


def as_weight(value: Any, tip: str) -> float:
    """A positive weight."""
    weight = as_number(value, f"the weight of '{tip}'", OptionError)
    if weight <= 0.0:
        raise OptionError(f"the weight of '{tip}' is {weight:g}; it takes a positive number, or leave the tip out")
    return weight
