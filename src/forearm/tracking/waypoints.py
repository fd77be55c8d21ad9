"""The way-points of a path, parsed once: one kind of target, packed arrays for the kernels."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import NEAREST, as_floats, as_real, brief, rigid_fault
from forearm.common.types import Floats
from forearm.core.codes import DIRECTION, POSE, RIGID_SLACK, TERMS, TOOL_AXIS
from forearm.core.track.path import measure_path, place_on_path
from forearm.errors import OptionError, TargetError, within
from forearm.models.model import Model
from forearm.targets.target import KIND_NAMES, Target, as_target, default_terms

# Ends of a path that differ by less than this are the same place: it is closed [m] and [rad].
SAME_PLACE = 1e-6
SCRATCH = 52
# What the pose halfway between two points may be off the chord by default [m] and [rad].
HALFWAY = (1e-4, 1e-3)


@dataclass(frozen=True, eq=False)
class Waypoints:
    """A path: N targets of one kind, joined by straight lines and turns at constant rate.

    Attributes:
        kind: The kind of target (`core/codes.py`).
        goals: (N, 4, 4) frames to reach.
        terms: (N, 14) tolerances and axes.
    """

    kind: int
    goals: Floats
    terms: Floats

    def __len__(self) -> int:
        """How many way-points there are."""
        return len(self.goals)

    @property
    def last(self) -> int:
        """The index of the last way-point."""
        return len(self.goals) - 1

    def at(self, place: float) -> Target:
        """The target at a place: way-point i at i, between two of them on the chord."""
        goal, terms = np.empty((4, 4)), np.empty(TERMS)
        place_on_path(self.goals, self.terms, self.kind, float(place), goal, terms)
        return Target(self.kind, goal, terms)

    def part(self, first: float, last: float, pieces: int) -> "Waypoints":
        """The path between two places, cut into equal pieces."""
        cuts = [self.at(place) for place in np.linspace(first, last, pieces + 1)]
        return Waypoints(self.kind, np.array([cut.goal for cut in cuts]), np.array([cut.terms for cut in cuts]))

    def measure(self, model: Model, places: Floats, Q: Floats) -> Floats:
        """(M, 3) position error, rotation error and 1 where the target is met, by forward kinematics."""
        errors = np.empty((len(Q), 3))
        measure_path(model.links, model.joints, self.goals, self.terms, self.kind, places, Q, np.empty(SCRATCH), errors)
        return errors

    @property
    def closed(self) -> bool:
        """Whether the path ends where it began."""
        direction = np.abs(self.terms[0, DIRECTION:] - self.terms[-1, DIRECTION:]).max()
        return len(self) > 2 and max(np.abs(self.goals[0] - self.goals[-1]).max(), direction) < SAME_PLACE


def as_waypoints(targets: Any) -> Waypoints:
    """Way-points from an (N, 4, 4) array, or from targets of one kind as `solve` takes them."""
    if isinstance(targets, Target):
        raise TargetError("targets is a single target; a path takes a list of them, or an (N, 4, 4) array")
    if isinstance(targets, np.ndarray) and targets.dtype != object:
        return _from_array(targets)
    if not isinstance(targets, Iterable) or isinstance(targets, (str, bytes)):
        raise TargetError(f"targets is {brief(targets)}; a path takes a list of targets, or an (N, 4, 4) array")
    return _from_targets([_parse(i, item) for i, item in enumerate(targets)])


def _from_array(array: NDArray[Any]) -> Waypoints:
    goals = as_real(array, "targets")
    if goals.ndim != 3 or goals.shape[1:] != (4, 4):
        raise TargetError(f"targets have shape {goals.shape}; a path of poses is an (N, 4, 4) array")
    if len(goals) == 0:
        raise TargetError("targets are empty; a path has at least one way-point")
    for i in np.flatnonzero(~np.isfinite(goals).all(axis=(1, 2)))[:1]:
        raise TargetError(f"way-point {i} has an entry that is not finite: {brief(goals[i].tolist())}; correct it")
    for i, fault in ((i, rigid_fault(goals[i])) for i in _doubtful(goals) if rigid_fault(goals[i])):
        raise TargetError(f"way-point {i} is not a rigid transform: {fault}; {{rigid}}", rigid=NEAREST)
    return Waypoints(POSE, goals, np.tile(default_terms(), (len(goals), 1)))


def _doubtful(goals: Floats) -> NDArray[np.int64]:
    """The way-points that do not pass a quick look at all of them at once."""
    R = goals[:, :3, :3]
    off = np.abs(R.transpose(0, 2, 1) @ R - np.eye(3)).max(axis=(1, 2))
    wrong = (off > RIGID_SLACK) | (np.linalg.det(R) < 0.0) | (goals[:, 3] != [0.0, 0.0, 0.0, 1.0]).any(axis=1)
    return np.flatnonzero(wrong)


def _parse(i: int, item: Any) -> Target:
    try:
        return as_target(item)
    except TargetError as problem:
        raise TargetError(within(f"way-point {i}", problem)) from None


def _from_targets(targets: list[Target]) -> Waypoints:
    if not targets:
        raise TargetError("targets are empty; a path has at least one way-point")
    first = targets[0]
    for i, target in enumerate(targets):
        if target.kind != first.kind:
            names = KIND_NAMES[first.kind], KIND_NAMES[target.kind]
            raise TargetError(
                f"way-point 0 is a {names[0]} and way-point {i} a {names[1]}; a path has one kind of target"
            )
        if np.abs(target.terms[TOOL_AXIS:DIRECTION] - first.terms[TOOL_AXIS:DIRECTION]).max() > SAME_PLACE:
            raise TargetError(f"way-point {i} has another tool axis than way-point 0; a path has one tool axis")
    goals = np.array([target.goal for target in targets])
    return Waypoints(first.kind, goals, np.array([target.terms for target in targets]))


def as_times(times: Any, count: int) -> Floats | None:
    """(N,) the time of each way-point [s], increasing, or None."""
    if times is None:
        return None
    array = as_floats(times, "times", OptionError)
    if array.shape != (count,):
        raise OptionError(f"times have shape {array.shape}; this path takes {count}, one per way-point")
    for i in np.flatnonzero(np.diff(array) <= 0.0)[:1]:
        raise OptionError(
            f"times[{i + 1}] is {array[i + 1]:g}, not after times[{i}] = {array[i]:g}; times must increase"
        )
    return array


def as_halfway(tol: Any) -> tuple[float, float]:
    """What the pose halfway between two points may be off [m] and [rad]; infinite asks nothing."""
    array = as_real(tol, "halfway_tol", OptionError)
    if array.shape != (2,) or not (array > 0.0).all():
        allowed = "it takes two positive numbers: metres and radians"
        raise OptionError(f"{{argument}} is {brief(tol)}; {allowed}", argument="halfway_tol")
    return float(array[0]), float(array[1])
