"""One target: ask the methods, then say what came of it.

A kernel checks its input and measures its answer itself (`core/arm/goal.py`), so a good call costs one
trip into compiled code; only a bad or failed one comes back here for words.
"""

import numpy as np

from forearm.arm.configurations import refuse_start
from forearm.common.types import Floats
from forearm.core.codes import BAD_TARGET, NOT_CONVERGED, OUT_OF_REACH, SOLVED, TRIES
from forearm.core.general.null_space import settle, settle_size
from forearm.errors import TargetError
from forearm.results.solution import Solution
from forearm.solve.explain import denied, explain, out_of_time, unexplained
from forearm.solve.methods.layout import NO_SETTINGS, changed
from forearm.solve.methods.table import Method
from forearm.solve.problem import GENERAL, Outcome, Problem, is_redundant, solved
from forearm.solve.second_look import look_again
from forearm.targets.target import as_target


def conclude(problem: Problem, outcome: Outcome) -> Solution:
    """The solution that an outcome makes, after a second look if it missed."""
    if outcome.code == NOT_CONVERGED and outcome.method is GENERAL and problem.timeout is None:
        outcome = look_again(problem, outcome)
    return end(problem, outcome)


def end(problem: Problem, outcome: Outcome) -> Solution:
    """The solution that an outcome makes as it is: refused, solved and settled, or missed and explained."""
    code = outcome.code
    met = settled(problem, outcome) if code == SOLVED else None
    if met is not None:
        return met
    if code < SOLVED:
        refuse(problem, code)
    if not problem.explain:
        return unexplained(problem, outcome)
    if problem.timeout is not None and code != OUT_OF_REACH:
        return out_of_time(problem, outcome)
    found = explain(problem, outcome)
    if isinstance(found, Solution):
        return found
    return settled(problem, found) or denied(problem, found)  # reachable after all


def settled(problem: Problem, outcome: Outcome) -> Solution | None:
    """The solution of an outcome that meets the target, moved toward its posture; None if it does not after all."""
    q, report, _, method = outcome
    settle_down(problem, method, q, report)
    return solved(problem, q, method.name, report, Solution)


def refuse(problem: Problem, code: int) -> None:
    """Raises the error for a target or a start that a kernel did not take."""
    if code == BAD_TARGET:
        as_target(problem.goal)
        raise TargetError(f"the target is not a rigid transform: {problem.goal.tolist()}")
    limits = problem.limits if problem.own_limits is None else problem.own_limits  # not the box of max_joint_step
    refuse_start(problem.start, limits, problem.model)


def settle_down(problem: Problem, method: Method, q: Floats, report: Floats) -> None:
    """Moves a solved q in place toward the rest posture, else the start, where the arm has freedom left for it."""
    posture = problem.rest
    if posture is None:
        if not (method.resumes and len(problem.start) and report[TRIES] > 1.0):
            return  # no search behind it: what is near the start stays
        posture = problem.start
    model, limits = problem.tables.model, problem.limits
    if is_redundant(problem.tables, problem.kind, problem.terms):
        flat, _ = problem.tables.of(GENERAL, problem.kind)
        inside = np.clip(posture, limits[0], limits[1])
        work = np.empty(settle_size(model.m, model.n))
        settle(changed(flat, NO_SETTINGS, problem.terms, limits), problem.goal, inside, work, q, report)
