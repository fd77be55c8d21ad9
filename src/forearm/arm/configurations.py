"""Joint values of an arm: read, drawn, kept inside limits, and turned round by whole turns."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import as_floats
from forearm.common.later import Later
from forearm.common.types import Floats
from forearm.common.units import Units
from forearm.core.codes import PRISMATIC, START_SLACK
from forearm.errors import ModelError, OptionError
from forearm.models.model import Model

if TYPE_CHECKING:
    import logging
else:
    logging = Later("logging")

RADIANS = Units()
FLOAT64 = np.dtype(np.float64)
MAX_SAMPLES = 100_000_000
TURN = 2.0 * math.pi
# Where an angle has no more digits than a turn needs [rad]: here neighbouring numbers are 2e-12 apart.
FARTHEST_TURN = 1e4
# What a measured start may lie outside its limits [rad or m], and what rounding adds: encoders leave that much.
HAIR = 1e-4 + 1e-9


# -- what a caller passes --------------------------------------------------------------------------


def is_plain(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether a value is a bare float64 array of a shape, which kernels read without a copy."""
    return type(value) is np.ndarray and value.dtype is FLOAT64 and value.shape == shape


def as_configuration(values: Any, model: Model, name: str) -> Floats:
    """A fresh vector of finite numbers, one per joint."""
    q = as_configurations(values, model, name)
    if q.ndim != 1:
        raise OptionError(f"{name} has shape {q.shape}; this call takes one configuration of {model.n} joint values")
    return q


def as_configurations(values: Any, model: Model, name: str = "q") -> Floats:
    """(n,) or (N, n) fresh, finite joint values; from a mapping of joint names too."""
    Q = as_floats(by_name(values, model, name), name, OptionError)
    if Q.ndim not in (1, 2) or Q.shape[-1] != model.n:
        names = ", ".join(model.joint_names)
        raise OptionError(f"{name} has shape {Q.shape}; {model.name} takes {model.n} joint values: {names}")
    return Q


def as_posture(values: Any, model: Model) -> Floats:
    """(n,) the posture that a redundant arm should come close to; it may lie outside the limits."""
    rest = as_configuration(values, model, "rest")
    hint_at_units(rest, model, "rest")
    return rest


def by_name(values: Any, model: Model, name: str) -> Any:
    """The values of a mapping from joint names in the order of the joints; anything else as it is."""
    if not isinstance(values, Mapping):
        return values
    for joint in values:
        model.variable(joint)  # refuses what is none
    missing = [joint for joint in model.joint_names if joint not in values]
    if missing:
        raise OptionError(
            f"{name} has no value for {', '.join(missing)}; it takes all of {', '.join(model.joint_names)}"
        )
    return [values[joint] for joint in model.joint_names]


def inside_by_a_hair(q0: Floats, limits: Floats) -> Floats:
    """(..., n) starts, moved inside where they lie outside by no more than a measured one may; else as they are."""
    outside = (q0 < limits[0]) | (q0 > limits[1])
    if not outside.any():
        return q0
    inside: Floats = np.clip(q0, limits[0], limits[1])
    return np.where(outside & (np.abs(inside - q0) <= HAIR), inside, q0)


def refuse_start(q0: Floats, limits: Floats, model: Model, name: str = "q0", units: Units = RADIANS) -> None:
    """Raises the error for a start that is not finite or outside the limits, joint by joint and in these units."""
    as_floats(q0, name, OptionError)
    outside, beyond = [], False
    for k, (joint, kind) in enumerate(zip(model.joint_names, model.joint_kinds, strict=True)):
        value, lower, upper = q0[k], limits[0, k], limits[1, k]
        if lower - START_SLACK <= value <= upper + START_SLACK:
            continue
        per, unit = (units.per_metre, " mm") if kind == "prismatic" else (units.per_radian, " deg")
        unit = unit if per != 1.0 else ""
        beyond |= per == 1.0 and kind != "prismatic" and abs(value) > TURN + START_SLACK
        outside.append(f"'{joint}' = {per * value:.6g}{unit} (limits {per * lower:.6g} to {per * upper:.6g})")
    words = f"{{argument}} is outside the limits: {'; '.join(outside)}; "
    words += "{clip}; did you mean degrees? {degrees}" if beyond else "{clip}"
    clip, degrees = f"robot.clip({name}) moves it inside", "np.radians(...) makes radians of them"
    raise OptionError(words, argument=name, clip=clip, degrees=degrees)


def hint_at_units(Q: Floats, model: Model, name: str, degrees: str = "np.radians(...) makes radians of them") -> None:
    """Warns of values (n,) or (N, n) so far outside their joint's limits that they look like degrees or millimetres.

    Beyond a turn and half a turn past the limits, or for a slide ten times as far as it goes: nothing is refused, as
    where a tip would be may be asked of any value. A bare array of one configuration, which `fk` takes in a loop, is
    not looked at: that would take half as long as the kinematics. `degrees` says what to do about them.
    """
    if "prismatic" not in model.joint_kinds and Q.max(initial=0.0) <= TURN and Q.min(initial=0.0) >= -TURN:
        return
    lower, upper = model.limits
    slides, rows = np.array(model.joint_kinds) == "prismatic", np.atleast_2d(Q)
    angles = (np.abs(rows) > TURN) & (np.maximum(lower - rows, rows - upper) > 0.5 * TURN)
    lengths = np.isfinite(upper - lower) & (np.abs(rows) > 10.0 * np.maximum(np.abs(lower), np.abs(upper)))
    far = np.argwhere(np.where(slides, lengths, angles))
    if len(far):
        i, k = far[0]
        unit, remedy = ("m", "millimetres? value / 1000 makes metres of it")
        if not slides[k]:
            unit, remedy = "rad", f"degrees? {degrees}"
        where = f"'{model.joint_names[k]}' = {rows[i, k]:g} {unit}, far outside its limits {lower[k]:g} to {upper[k]:g}"
        logging.getLogger("forearm").warning("%s has %s; did you mean %s", name, where, remedy)


# -- limits ----------------------------------------------------------------------------------------


def neutral(limits: Floats) -> Floats:
    """(n,) the middle of the limits; 0, moved inside, for joints without two finite ones."""
    bounded = np.isfinite(limits).all(axis=0)
    middle = 0.5 * (np.where(bounded, limits[0], 0.0) + np.where(bounded, limits[1], 0.0))
    return np.clip(middle, limits[0], limits[1])


def with_digits(limits: Floats, model: Model, error: type[ModelError] | type[OptionError]) -> Floats:
    """(2, n) the limits; of joints that turn, no farther from 0 than angles keep their digits.

    A joint keeps every pose by that, as a whole turn is left to it; one that would not is refused.
    """
    far = np.isfinite(limits) & (np.abs(limits) > FARTHEST_TURN) & comes_round(model)
    if not far.any():
        return limits
    near: Floats = np.where(far, np.clip(limits, -FARTHEST_TURN, FARTHEST_TURN), limits)
    for k in np.flatnonzero(far.any(axis=0) & (near[1] - near[0] < TURN)).tolist():
        raise error(
            f"joint '{model.joint_names[k]}' has limits {limits[0, k]:g} to {limits[1, k]:g}, where angles lose their "
            f"digits; turning joints take -{FARTHEST_TURN:g} to {FARTHEST_TURN:g}: move these by whole turns"
        )
    return near


def box_around(start: Floats, step: float | Floats, limits: Floats) -> Floats:
    """(..., 2, n) the part of the limits within a step, one for all joints or (n,), of the starts (..., n)."""
    inside = np.clip(start, *limits)
    low, high = np.maximum(limits[0], inside - step), np.minimum(limits[1], inside + step)
    return np.ascontiguousarray(np.stack([low, high], axis=-2))


def no_limits(n: int) -> Floats:
    """(2, n) limits that limit nothing, slides included."""
    return np.array([[-math.inf], [math.inf]]) * np.ones(n)


def draw(model: Model, count: Any, rng_seed: Any) -> Floats:
    """(count, n) configurations, uniform inside the limits; turns without limits in [-pi, pi]."""
    if not (isinstance(count, (int, np.integer)) and not isinstance(count, bool) and 0 <= count <= MAX_SAMPLES):
        raise OptionError(f"count is {count!r}; it takes a whole number from 0 to {MAX_SAMPLES}")
    if not (isinstance(rng_seed, (int, np.integer)) and rng_seed >= 0):
        raise OptionError(f"rng_seed is {rng_seed!r}; it takes a whole number from 0")
    lower, upper = model.limits
    for name, kind, lo, hi in zip(model.joint_names, model.joint_kinds, lower, upper, strict=True):
        if kind == "prismatic" and not np.isfinite(hi - lo):
            raise ModelError(f"joint '{name}' slides without limits, so it cannot be sampled; pass limits for it")
    open_turn = ~np.isfinite(upper - lower)
    lower = np.where(open_turn, np.maximum(lower, -np.pi), lower)
    upper = np.where(open_turn, np.minimum(upper, np.pi), upper)
    return np.random.default_rng(rng_seed).uniform(lower, upper, (count, model.n))


# -- whole turns -----------------------------------------------------------------------------------


def comes_round(model: Model) -> NDArray[np.bool_]:
    """(n,) whether the pose stays the same if a variable moves by a whole turn: no slide, no broken ratio."""
    round_: NDArray[np.bool_] = np.ones(model.n, bool)
    for kind, variable, ratio in model.joints:  # a mimic joint may not come round with its variable
        if kind == PRISMATIC or ratio != round(ratio):
            round_[int(variable)] = False
    return round_


def turned_near(q: Floats, q0: Floats, model: Model) -> Floats:
    """(n,) the same pose, each joint by whole turns as near to q0 as can be."""
    return np.where(comes_round(model), q - TURN * np.round((q - q0) / TURN), q)


def turned_inside(q: Floats, limits: Floats, slack: float, model: Model) -> Floats:
    """(n,) the same pose, each joint that whole turns bring inside its limits brought there."""
    turns = comes_round(model)
    value: Floats = q.copy()
    lower = np.where(turns, limits[0] - slack, -math.inf)
    upper = np.where(turns, limits[1] + slack, math.inf)
    short, beyond = value < lower, value > upper
    value[short] += TURN * np.ceil((lower - value)[short] / TURN)
    value[beyond] -= TURN * np.ceil((value - upper)[beyond] / TURN)
    return value


def turns_inside(value: float, start: float, lower: float, upper: float, slack: float) -> list[float]:
    """The values inside the limits that differ from one by whole turns; of endless ones the three nearest to start."""
    nearest = value + TURN * round((start - value) / TURN)
    below = math.floor((nearest - lower + slack) / TURN) if math.isfinite(lower) else 1
    above = math.floor((upper + slack - nearest) / TURN) if math.isfinite(upper) else 1
    return [nearest + TURN * turn for turn in range(-below, above + 1)]
