"""How a bone may turn against the bone before it: `fa.joints.Ball`, `Cone`, `Hinge`, `Fixed`.

Angles are radians, counted from the rest pose: the points a chain was built with, or its `rest=`.
Vectors are in the coordinates of those points.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from forearm.common.checks import as_number, as_real, as_unit, brief
from forearm.errors import ModelError, told_in_words

Range = tuple[float, float]


@dataclass(frozen=True)
class Joint:
    """Base of all joints of bones."""


@told_in_words
@dataclass(frozen=True)
class Ball(Joint):
    """Turns every way.

    Args:
        twist: (lowest, highest) turn about the bone itself [rad]; None leaves it free.
    """

    twist: Range | None = None

    def __post_init__(self) -> None:
        """Refuses a range that is none."""
        object.__setattr__(self, "twist", _range(self.twist, "twist"))


@told_in_words
@dataclass(frozen=True)
class Cone(Joint):
    """Swings out of its rest direction by at most an angle.

    Args:
        half_angle: The most it swings [rad], or two: toward `toward`, and across that. In between an ellipse.
        toward: (3,) direction the first of two half-angles is for; by default the y axis of the bone's frame.
        twist: (lowest, highest) turn about the bone itself [rad]; None leaves it free.
    """

    half_angle: Any
    toward: Any = None
    twist: Range | None = None

    def __post_init__(self) -> None:
        """Refuses angles and ranges that are none."""
        angles = np.atleast_1d(as_real(self.half_angle, "half_angle", ModelError))
        if angles.shape not in ((1,), (2,)):
            raise ModelError(f"half_angle is {brief(self.half_angle)}; a cone takes one angle or two")
        if not ((angles > 0.0) & (angles <= math.pi)).all():
            raise ModelError(
                f"half_angle is {brief(self.half_angle)}; it takes angles above 0 up to pi (3.14159) rad; "
                + (_in_degrees(float(angles.max())) or "to turn about one axis only, use fa.joints.Hinge")
            )
        object.__setattr__(self, "half_angle", (float(angles[0]), float(angles[-1])))
        object.__setattr__(self, "toward", _direction(self.toward, "toward"))
        object.__setattr__(self, "twist", _range(self.twist, "twist"))


@told_in_words
@dataclass(frozen=True)
class Hinge(Joint):
    """Turns about one axis.

    Args:
        axis: (3,) the axis; left out for chains in a plane.
        range: (lowest, highest) angle [rad]; None leaves it free.
    """

    axis: Any = None
    range: Range | None = None

    def __post_init__(self) -> None:
        """Refuses an axis without direction and a range that is none."""
        object.__setattr__(self, "axis", _direction(self.axis, "axis"))
        object.__setattr__(self, "range", _range(self.range, "range"))


@told_in_words
@dataclass(frozen=True)
class Fixed(Joint):
    """Does not turn: the bone is rigid with the one before it."""


def _direction(value: Any, name: str) -> tuple[float, ...] | None:
    return None if value is None else tuple(as_unit(value, name, ModelError).tolist())


def _in_degrees(angle: float) -> str:
    """What to write instead of an angle that is larger than a whole turn; nothing for others."""
    return f"did you mean degrees? math.radians({angle:g})" if abs(angle) > 2.0 * math.pi else ""


def _range(value: Any, name: str) -> Range | None:
    """A pair that holds 0, the rest pose."""
    if value is None:
        return None
    pair = as_real(value, name, ModelError)
    if pair.shape != (2,):
        raise ModelError(f"{name} is {brief(value)}; it takes a pair (lowest, highest) in radians")
    low, high = as_number(pair[0], name, ModelError), as_number(pair[1], name, ModelError)
    if widest := _in_degrees(max(low, high, key=abs)):
        raise ModelError(
            f"{name} is {low:g} to {high:g} rad, more than a whole turn; {widest}, or leave it free by None"
        )
    if not low <= 0.0 <= high:
        raise ModelError(
            f"{name} is {low:g} to {high:g} rad; it must hold 0, the rest pose; "
            "angles count from the pose in rest= (by default the points the chain is built with)"
        )
    return low, high
