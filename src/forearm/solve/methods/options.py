"""One frozen options class per method; each field says its meaning, unit and range.

Fields stand in the order in which the method's kernel reads its settings.
"""

import math
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from forearm.common.checks import as_number, as_real, brief
from forearm.common.options import MAX_SEED, Options, choice, option
from forearm.common.types import Floats
from forearm.errors import OptionError, nearest_names


def make_options(kind: type[Options], method: str, given: dict[str, Any]) -> Options:
    """The options of a method from keyword arguments."""
    known = [item.name for item in fields(kind)]
    for name in given:
        if name not in known:
            raise OptionError(f"method '{method}' has no option '{name}'; {nearest_names(name, known)}")
    return kind(**given)


@lru_cache(maxsize=256)
def pack_options(
    kind: type[Options], method: str, given: tuple[tuple[str, Any], ...], rotation_weight: float
) -> Floats:
    """The settings array of options given by name, kept: in a loop they are the same from call to call."""
    return make_options(kind, method, dict(given)).pack(rotation_weight)


def as_step(step: Any) -> float:
    """The most a joint may move at once [rad or m]."""
    if not as_number(step, "max_joint_step", OptionError) > 0.0:
        allowed = "it takes a positive number of radians (or metres)"
        raise OptionError(f"{{argument}} is {step}; {allowed}", argument="max_joint_step")
    return float(step)


def as_steps(steps: Any, n: int) -> float | Floats:
    """The most joints may move at once: one number for all, or (n,) one each [rad or m]."""
    if np.ndim(steps) == 0:
        return as_step(steps)
    each = as_real(steps, "max_joint_step", OptionError)
    if each.shape != (n,) or not (each > 0.0).all():
        allowed = f"it takes a positive number, or {n} of them, one per joint [rad or m]"
        raise OptionError(f"{{argument}} is {brief(each.tolist())}; {allowed}", argument="max_joint_step")
    return each


def _rotation_weight() -> Any:
    return option(
        0.0,
        "how many metres of position error one radian of rotation error counts; 0 means a fifth of the reach",
        low=0.0,
        high=1e6,
        unit="m/rad",
    )


@dataclass(frozen=True)
class GeneralOptions(Options):
    """Options of the general solver."""

    max_tries: int = option(48, "starts tried before the target is given up", low=1, high=1e6)
    max_iterations: int = option(40, "steps in one try", low=1, high=1e6)
    rng_seed: int = option(0, "seed of the random starts", low=0, high=MAX_SEED)
    skip_tries: int = option(0, "tries to leave out, to go on where a budget ended", low=0, high=1e9)


@dataclass(frozen=True)
class ClosedFormOptions(Options):
    """Options of the closed forms."""

    norm: float = option(math.inf, "what near q0 means: inf, the largest change of a joint; 1, their sum", low=1)

    def __post_init__(self) -> None:
        """Refuses norms that are not offered."""
        super().__post_init__()
        if self.norm not in (1, math.inf):
            raise OptionError(f"option norm is {self.norm:g}; it takes 1 or inf")


@dataclass(frozen=True)
class AutoOptions(ClosedFormOptions, GeneralOptions):
    """Options of the general solver, then those of the closed forms."""


@dataclass(frozen=True)
class FabrikROptions(Options):
    """Options of FABRIK-R."""

    max_tries: int = option(256, "starts tried before the target is given up, with refine", low=1, high=1e6)
    max_iterations: int = option(1000, "sweeps, without refine", low=1, high=1e7)
    rng_seed: int = option(0, "seed of the random starts", low=0, high=MAX_SEED)
    skip_tries: int = option(0, "tries to leave out, to go on where a budget ended", low=0, high=1e9)
    refine: int = option(1, "1: a few sweeps, then Levenberg-Marquardt; 0: the paper's sweeps alone", low=0, high=1)
    sweeps: int = option(2, "sweeps before each refinement", low=0, high=1e6)
    rotation_weight: float = _rotation_weight()

    def __post_init__(self) -> None:
        """Refuses numbers out of range, and what the other way alone reads."""
        super().__post_init__()
        idle = ("max_iterations",) if self.refine else ("max_tries", "rng_seed", "skip_tries", "sweeps")
        self.refuse_idle(idle, f"refine={int(self.refine)}", f"refine={int(not self.refine)}")


@dataclass(frozen=True)
class DlsOptions(Options):
    """Options of damped least squares."""

    max_iterations: int = option(200, "steps in one try", low=1, high=1e6)
    damping: float = option(1e-3, "lambda; larger is calmer and slower", low=1e-9, high=1e3, unit="m/rad")
    max_step: float = option(0.5, "largest change of a joint in one step", low=1e-9, unit="rad or m")
    restarts: int = option(20, "further tries from seeded random starts", low=0, high=1e6)
    rng_seed: int = option(0, "seed of the random starts", low=0, high=MAX_SEED)
    rotation_weight: float = _rotation_weight()


@dataclass(frozen=True)
class JacobianTransposeOptions(Options):
    """Options of the Jacobian transpose method."""

    max_iterations: int = option(2000, "steps", low=1, high=1e7)
    max_step: float = option(0.5, "largest change of a joint in one step", low=1e-9, unit="rad or m")
    rotation_weight: float = _rotation_weight()


@dataclass(frozen=True)
class CcdOptions(Options):
    """Options of cyclic coordinate descent."""

    max_iterations: int = option(1000, "sweeps over all joints", low=1, high=1e6)
    rotation_weight: float = _rotation_weight()


@dataclass(frozen=True)
class CombinedOptions(Options):
    """Options of the combined algorithm."""

    n_l: int = option(15, "FABRIK sweeps of each two-link problem before the refiner takes over", low=0, high=1e6)
    max_iterations: int = option(50, "steps of the refiner from one start", low=1, high=1e6)
    refiner: str = choice("sqp", "what follows the sweeps", ("sqp", "nlopt", "none"))
    norm: str = choice(
        "1",
        "what near q0 means: 1, the sum of all changes; 2, their length; inf, the largest one, which avoids flips",
        ("1", "2", "inf"),
    )
    elbow: str = choice(
        "nearest",
        "where the elbow of a 7R arm goes: nearest to q0, or where FABRIK leaves it, as in the paper",
        ("nearest", "fabrik"),
    )
    mode: str = choice(
        "full",
        "paper: the refiner runs once, from the first signs of Eqs. (22) to (24); no other elbow side, no swivel",
        ("full", "paper"),
    )

    def __post_init__(self) -> None:
        """Refuses what is out of range, and a budget of steps that no one makes."""
        super().__post_init__()
        if self.refiner == "none":
            self.refuse_idle(("max_iterations",), "refiner='none'", "refiner='sqp'")
