"""A path: targets of one kind, joined by straight lines and by turns at constant rate.

A place on it is a number: way-point i at i, and between two of them the share of the way.
"""

from typing import Any

import numpy as np

from forearm.common.checks import as_floats, as_real, brief
from forearm.common.types import Floats
from forearm.core.codes import DIRECTION, TERMS, TOOL_AXIS
from forearm.core.track.path import place_on_path
from forearm.errors import OptionError, TargetError
from forearm.targets.many import Targets, fresh
from forearm.targets.target import Target, as_targets

BETWEEN = ("line", "joints")
# Ends of a path that differ by less than this are the same place: it is closed [m] and [rad].
SAME_PLACE = 1e-6


def as_path(value: Any) -> Targets:
    """Targets as the kernels walk along them: at least one, with one tool axis, every row of their own."""
    targets = as_targets(value, "a path")
    if not len(targets):
        raise TargetError("targets are empty; a path has at least one way-point")
    axes = targets.terms[:, TOOL_AXIS:DIRECTION]
    for i in np.flatnonzero(np.abs(axes - axes[0]).max(axis=1) > SAME_PLACE)[:1]:
        raise TargetError(f"targets[{i}] has another tool axis than targets[0]; a path has one tool axis")
    terms = np.broadcast_to(targets.terms, (len(targets), TERMS))
    return Targets(targets.kind, fresh(targets.goals), fresh(terms))


def target_at(path: Targets, place: float) -> Target:
    """The target at a place; between two way-points it lies on the chord."""
    goal, terms = np.empty((4, 4)), np.empty(TERMS)
    place_on_path(path.goals, path.terms, path.kind, float(place), goal, terms)
    return Target(path.kind, goal, terms)


def cut(path: Targets, first: float, last: float, pieces: int) -> Targets:
    """The path between two places, in equal pieces."""
    cuts = [target_at(path, place) for place in np.linspace(first, last, pieces + 1)]
    return Targets(path.kind, np.array([each.goal for each in cuts]), np.array([each.terms for each in cuts]))


def is_closed(path: Targets) -> bool:
    """Whether a path ends where it began."""
    direction = np.abs(path.terms[0, DIRECTION:] - path.terms[-1, DIRECTION:]).max()
    return len(path) > 2 and max(np.abs(path.goals[0] - path.goals[-1]).max(), direction) < SAME_PLACE


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


def as_between(between: Any, insert: bool) -> str:
    """What is kept between way-points: "line", or "joints" where the line cannot be followed."""
    if not (isinstance(between, str) and between in BETWEEN):
        allowed = " or ".join(repr(word) for word in BETWEEN)
        raise OptionError(f"{{argument}} is {brief(between)}; it takes {allowed}", argument="between")
    if between != BETWEEN[0] and not insert:
        raise OptionError(
            "{argument} is 'joints', which inserts points, and {insert} refuses them",
            argument="between",
            insert="insert=False",
        )
    return between


def as_halfway(tol: Any) -> tuple[float, float]:
    """What the pose halfway between two points may be off [m] and [rad]; infinite asks nothing."""
    array = as_real(tol, "halfway_tol", OptionError)
    if array.shape != (2,) or not (array > 0.0).all():
        allowed = "it takes two positive numbers: metres and radians"
        raise OptionError(f"{{argument}} is {brief(tol)}; {allowed}", argument="halfway_tol")
    return float(array[0]), float(array[1])
