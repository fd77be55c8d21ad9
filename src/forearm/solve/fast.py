"""The fast road for the call of a control loop: a target, perhaps a start, and defaults for the rest.

The ordinary road (`solve/arguments.py`) looks at every argument; a call that leaves them alone is answered
here: a bare pose in the least of Python's time, as the kernel measured it; a `Position` and the like measured once
more, as all that the ordinary road gives. What is neither such a target nor plainly an array of the right shape goes
the ordinary road, and what is not simply solved ends where that road ends, so all give the same answers.
"""

from collections.abc import Callable
from functools import wraps
from types import BuiltinFunctionType
from typing import Any, ParamSpec

import numpy as np

from forearm.arm.configurations import FLOAT64, is_plain
from forearm.arm.tables import Prepared
from forearm.common.defaults import DEFAULT_METHOD
from forearm.common.types import Floats
from forearm.core.border import direct
from forearm.core.codes import INEXACT, NOT_CONVERGED, POSE, REPORT, SOLVED, TRIES
from forearm.results.solution import Solution, Status
from forearm.solve.methods.layout import changed
from forearm.solve.methods.table import Method, find_method
from forearm.solve.problem import AUTO, NO_START, Outcome, Problem, is_redundant, run, stages
from forearm.solve.single import conclude
from forearm.targets.target import Target, default_terms

Answer = Callable[[Any, Any, bool], Solution | None]
P = ParamSpec("P")
# The arguments of `solve` that None leaves out.
LEFT_OUT = frozenset(
    (
        *("tool", "limits", "locked", "max_joint_step", "rest", "timeout", "swivel", "obstacles", "self_collision"),
        *("posture", "prefer"),
    )
)


def fast_first(ordinary: Callable[P, Solution]) -> Callable[P, Solution]:
    """`Robot.solve` with the fast roads in front of it.

    Python looks up the default of every keyword that a call leaves out, one after the other, which takes as long as a
    kernel's checks; so what is called first has two keywords, and what else is given goes on to what names them all.
    """

    @wraps(ordinary)
    def solve(
        robot: Any, target: Any, q0: Any = None, *, method: Any = DEFAULT_METHOD, explain: Any = True, **given: Any
    ) -> Solution:
        if (not given or says_nothing(given)) and (explain is True or explain is False):
            roads = robot._cold if q0 is None else robot._near
            try:
                fast = roads[method]
            except (KeyError, TypeError):  # TypeError: a name that cannot be one
                fast = add_road(roads, robot._prepared, method, q0 is not None)
            solution: Solution | None = fast(target, q0, explain)
            if solution is not None:
                solution.model = robot._prepared.model
                return solution
        return ordinary(robot, target, q0, method=method, explain=explain, **given)  # type: ignore[arg-type]

    return solve  # type: ignore[return-value]


def says_nothing(given: dict[str, Any]) -> bool:
    """Whether a call gives nothing by name that it might not have left out."""
    for name, value in given.items():  # noqa: SIM110 (a generator takes as long as the rest of the way)
        if value is not None or name not in LEFT_OUT:
            return False
    return True


def add_road(roads: dict[str, Answer], arm: Prepared, method: str, near: bool) -> Answer:
    """The fast road of a method by name, added to those that an arm has."""
    road = roads[method] = fast_road(arm, find_method(method), near)
    return road


def fast_road(arm: Prepared, asked: Method, near: bool) -> Answer:
    """A function of target, q0 and `explain` that gives the solution, or None for the ordinary road.

    Everything that a call needs is bound here, since looking up an attribute costs as much as a
    joint's sine; for the same reason arrays are looked at in place and not by `is_plain`.

    Args:
        arm: The robot and its tables.
        asked: The method that was asked for.
        near: Whether the calls give a start.
    """
    aside = target_road(arm, asked, near)
    if asked is not AUTO and asked.fault(POSE, arm):
        return aside
    method, *behind = stages(arm, asked, POSE, near)
    model, name, solved = arm.model, method.name, Status.SOLVED  # as the kernel measured, for this call's numbers
    flat, table = arm.of(method, POSE)
    kernels = method.kernels(table)
    n, shape, limits = model.n, model.velocity.shape, model.limits
    terms, settings = default_terms(), arm.defaults(asked)
    redundant = is_redundant(arm, POSE, terms)
    problem = changed(flat, settings[method.reads_from :], terms, limits)
    ndarray, empty = np.ndarray, np.empty
    size = kernels.size(model.m, n)
    kernel = direct(kernels.solve)
    looks = isinstance(kernels.solve, BuiltinFunctionType)  # compiled ahead of time, it looks at its arguments itself
    idle: list[Floats] = []  # scratch that no call uses just now; taking and giving back are safe in threads

    def answer(target: Any, q0: Any, explain: bool) -> Solution | None:
        if type(target) is not ndarray or not (
            looks or (target.dtype is FLOAT64 and target.shape == (4, 4) and target.flags.carray)
        ):
            return aside(target, q0, explain)
        if q0 is None:
            start = NO_START
        elif type(q0) is ndarray and q0.dtype is FLOAT64 and q0.shape == shape and q0.flags.carray:
            start = q0
        else:
            return None
        q, report = empty(n), empty(REPORT)
        try:
            work = idle.pop()
        except IndexError:
            work = empty(size)
        try:
            code = kernel(problem, table, target, start, work, q, report)
        except (TypeError, ValueError):  # of a kernel that looks
            return None
        finally:
            idle.append(work)
        if code == SOLVED and not (redundant and q0 is not None and report[TRIES] > 1.0):
            return Solution(q, solved, name, report)
        if code < SOLVED or not target.flags.carray:
            return None  # the ordinary road has the words, takes a start that is off by a hair, and copies
        if code == INEXACT and kernels.polish is not None:
            code = kernels.polish(problem, table, target, start, empty(size), q, report)
        rest = Problem(arm, POSE, target, terms, start, limits, settings, explain=explain)
        outcome = Outcome(q, report, code, method)
        return conclude(rest, run(rest, behind) if behind and code == NOT_CONVERGED else outcome)

    return answer


def target_road(arm: Prepared, asked: Method, near: bool) -> Answer:
    """The same for what is no bare pose: a `Position` and the like need no argument read, the rest is as ordinary."""
    limits, settings, shape = arm.model.limits, arm.defaults(asked), arm.model.velocity.shape

    def answer(target: Any, q0: Any, explain: bool) -> Solution | None:
        if not isinstance(target, Target) or not (q0 is None or (is_plain(q0, shape) and q0.flags.carray)):
            return None
        kind, goal, terms, start = target.kind, target.goal, target.terms, NO_START if q0 is None else q0
        problem = Problem(arm, kind, goal, terms, start, limits, settings, None, None, None, explain)
        outcome = run(problem, stages(arm, asked, kind, near, False, terms))
        if outcome.code < SOLVED:
            return None
        solution = conclude(problem, outcome)
        solution.limits = limits
        return solution

    return answer
