"""The answer that is best by a measure: farthest from limits, singularities or obstacles, or nearest to the start.

Chosen among all answers, so that none is better: along every self-motion curve of seven turning joints, or among all
branches where there are finitely many. No descent, which would end at the nearest hill.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from forearm.arm.configurations import neutral
from forearm.common.types import Floats
from forearm.core.arm.kinematics import best_manipulability
from forearm.core.codes import POSE
from forearm.errors import OptionError, UnsupportedError
from forearm.results.self_motion import SelfMotion
from forearm.results.solution import Branch, Branches, Solution
from forearm.solve.all_branches import SIX, solve_all
from forearm.solve.branch_check import BranchCheck
from forearm.solve.collision import Guard
from forearm.solve.curves.self_motion import has_self_motion, self_motion
from forearm.solve.problem import Problem, is_exact

PREFERENCES = ("limits", "manipulability", "clearance", "q0")
Score = Callable[[Floats], Floats]


def solve_preferring(problem: Problem, prefer: Any, guard: Guard | None, near: bool) -> Solution | None:
    """The answer that is preferred among all of them; None if there is none, or none that is free.

    `near` says whether the call gave a start.
    """
    check_preference(problem, prefer, guard, near)
    if prefer == "limits":  # of whole turns, the middle ones
        problem = problem._replace(start=neutral(problem.limits))
    score = _among(_scores(problem, prefer, guard), guard)
    found = _on_curves(problem, score) if has_self_motion(problem) else _of_branches(problem, score)
    if found is not None:
        found.guard = guard
    return found


def check_preference(problem: Problem, prefer: Any, guard: Guard | None, near: bool) -> None:
    """Refuses a preference that is none, that lacks what it is measured by, or that not all answers are known for."""
    if prefer not in PREFERENCES:
        raise OptionError(f"prefer is {prefer!r}; it takes one of: {', '.join(PREFERENCES)}")
    if prefer == "clearance" and guard is None:
        raise OptionError(
            "prefer='clearance' needs something to keep away from; give obstacles=, or self_collision=True"
        )
    if prefer == "q0" and not near:
        raise OptionError("prefer='q0' needs q0, the start that the answer should be nearest to")
    free = np.count_nonzero(problem.limits[0] != problem.limits[1])
    known = has_self_motion(problem) or (is_exact(problem) and problem.kind == POSE and free <= SIX)
    if not known:
        raise UnsupportedError(
            "prefer chooses among all answers, which are known only for exact poses and at most seven turning joints; "
            f"this call asks {problem.model.name} for something else. rest= moves a redundant arm to a posture instead"
        )


def _on_curves(problem: Problem, score: Score) -> Branch | None:
    """The best place of all self-motion curves; refused where some may be missing."""
    motion = self_motion(problem)
    _refuse_doubt(motion)
    place = motion.best(score, problem.start) if motion.arcs else None
    if place is None or place.score == -np.inf:
        return None
    found = BranchCheck(problem, exact=True).measure(np.clip(place.q, *problem.limits), motion.method)
    if found is not None:
        found.arc = place.arc
    return found


def _of_branches(problem: Problem, score: Score) -> Branch | None:
    """The best of all branches; refused where some may be missing."""
    found = solve_all(problem)
    _refuse_doubt(found)
    values = score(found.q) if found else np.empty(0)
    return found[int(np.argmax(values))] if len(values) and values.max() > -np.inf else None


def _refuse_doubt(found: SelfMotion | Branches) -> None:
    """Refuses to choose where some answers may be missing."""
    if not found.complete:
        raise UnsupportedError(f"prefer chooses among all answers, and here some may be missing: {found.reason}")


def _among(score: Score, guard: Guard | None) -> Score:
    """The measure where only what is free counts."""
    if guard is None:
        return score

    def free(Q: Floats) -> Floats:
        return np.where(np.isinf(guard.measure(Q, guard.clearance)[0]), score(Q), -np.inf)

    return free


def _scores(problem: Problem, prefer: str, guard: Guard | None) -> Score:
    """What a preference is measured by: (N, n) joint values to (N,) numbers, the greatest the best."""
    model, start, (lower, upper) = problem.model, problem.start, problem.limits
    if prefer == "q0":
        return lambda Q: -np.abs(Q - start).max(axis=1)
    if prefer == "clearance":
        assert guard is not None  # `check_preference` has looked
        return lambda Q: guard.measure(Q, np.inf)[0]
    if prefer == "limits":
        half = 0.5 * (upper - lower)
        bounded = np.isfinite(half) & (half > 0.0)
        return lambda Q: _room(Q[:, bounded], lower[bounded], upper[bounded])
    mask = np.ones((1, 1), bool)

    def manipulability(Q: Floats) -> Floats:
        rows, values = np.ascontiguousarray(Q)[:, None], np.empty(len(Q))
        work = np.empty(16 * model.m + 16 + 12 * model.n)
        best_manipulability(model.links, model.joints, rows, np.repeat(mask, len(Q), axis=0), 6, work, values)
        return values

    return manipulability


def _room(Q: Floats, lower: Floats, upper: Floats) -> Floats:
    """(N,) the least share of its half range that a joint is away from its limits: 1 in the middle, 0 at a limit."""
    if Q.shape[1] == 0:
        return np.ones(len(Q))
    return np.asarray((np.minimum(Q - lower, upper - Q) / (0.5 * (upper - lower))).min(axis=1))
