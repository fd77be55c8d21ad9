"""The one road from a target to a verdict: validate, kernel, measure by FK, wrap.

The kernel itself checks its input and measures its answer (`core/arm/goal.py`), so a good call costs
one trip into compiled code; only a bad or failed one comes back here for words.
"""

from typing import Any

import numpy as np

from forearm.arm.structure import Kind
from forearm.arm.tables import Prepared
from forearm.common.checks import as_floats
from forearm.common.types import Floats
from forearm.core.codes import (
    BAD_START,
    BAD_TARGET,
    NOT_CONVERGED,
    OUT_OF_REACH,
    POSE,
    REPORT,
    SOLVED,
    START_SLACK,
    TOL_AXES,
    TOOL_AXIS,
    TRIES,
)
from forearm.core.general.null_space import settle
from forearm.errors import OptionError, TargetError
from forearm.models.model import Model
from forearm.results.solution import NOT_EXPLAINED, Solution, Status
from forearm.solve.explain import NO_START, Case, out_of_time
from forearm.solve.explain import explain as explain_failure
from forearm.solve.methods.options import as_step
from forearm.solve.methods.table import FORMS, METHODS, Method
from forearm.solve.search import run_until
from forearm.targets.target import ROWS, as_target, default_terms

AUTO = METHODS["auto"]
FLOAT64 = np.dtype(np.float64)
SOLVED_STATUS = Status.SOLVED  # looking a member of an enum up on each call costs time
_POSE_TERMS = default_terms()


def solve(
    prepared: Prepared,
    target: Any,
    q0: Any,
    method: Method,
    settings: Floats,
    limits: Floats,
    explain: bool = True,
    rest: Any = None,
    timeout: float | None = None,
    own_limits: Floats | None = None,
) -> Solution:
    """Solves one target.

    Args:
        prepared: The robot and its tables.
        target: A `Target`, or anything that holds a (4, 4) pose.
        q0: (n,) start configuration, or None.
        method: A row of the registry.
        settings: The method's packed options.
        limits: (2, n) limits to respect in this call.
        explain: Whether a failure shall be explained; False saves the time in control loops.
        rest: (n,) posture that a redundant arm shall come close to, or None for q0.
        timeout: Seconds after which the search ends, or None.
        own_limits: (2, n) the limits without a bound on the step from q0, or None if there is none.
    """
    if type(target) is np.ndarray and target.dtype is FLOAT64 and target.shape == (4, 4):
        # Read, never written, by the kernel, which also checks that it is rigid.
        kind, goal, terms = POSE, target if target.flags.carray else target.copy(), _POSE_TERMS
    else:
        parsed = as_target(target)
        kind, goal, terms = parsed.kind, parsed.goal, parsed.terms
    model = prepared.model
    behind = method is AUTO
    if behind:
        banded = terms is not _POSE_TERMS and bool(np.isfinite(terms[TOL_AXES:TOOL_AXIS]).any())
        method = METHODS["general"] if banded else choose(prepared, kind, q0 is not None)
    elif kind not in method.targets or (model.mimics and not method.mimic):
        method.check(kind, model)
    if type(q0) is np.ndarray and q0.dtype is FLOAT64 and q0.shape == model.velocity.shape:
        start = q0 if q0.flags.carray else q0.copy()  # read only; the kernel checks its values
    else:
        start = NO_START if q0 is None else as_configuration(q0, model, "q0")
    tables = prepared.of(method, kind)
    q, report = np.empty(limits.shape[1]), np.empty(REPORT)
    closed = behind and method.name != "general"
    if timeout is None or closed:
        code = method.kernel(model.links, model.joints, limits, goal, kind, terms, start, settings, *tables, q, report)
    else:
        problem = (model.links, model.joints, limits, goal, kind, terms, start)
        code = run_until(timeout, method, problem, settings, (*tables, q, report))
    if code == SOLVED and rest is None and (q0 is None or report[TRIES] <= 1.0):
        return Solution(q, SOLVED_STATUS, method.name, report)
    if closed and code == NOT_CONVERGED:
        general = METHODS["general"]
        return solve(prepared, target, q0, general, settings, limits, explain, rest, timeout, own_limits)
    case = Case(prepared, limits, kind, goal, terms, method, q, report, start, own_limits)
    return conclude(case, code, explain, rest, timeout)


def stages(prepared: Prepared, method: Method, kind: int, near: bool) -> tuple[Method, ...]:
    """The rows that answer when a method is asked for: each takes what the one before did not solve.

    Args:
        prepared: The robot and its tables.
        method: The row that was asked for.
        kind: The kind of target.
        near: Whether there is a q0.
    """
    if method is not AUTO:
        method.check(kind, prepared.model)
        return (method,)
    first, general = choose(prepared, kind, near), METHODS["general"]
    return (first,) if first is general else (first, general)


def choose(prepared: Prepared, kind: int, near: bool) -> Method:
    """What `auto` asks first: the closed form where there is one, else the general solver.

    An arm with a swivel has answers all along it: near a start the general solver finds the nearest
    one sooner. With one joint held in turn, it is as sure and faster.
    """
    found = prepared.structure.kind
    if kind != POSE or found in (Kind.NONE, Kind.LOCKED) or (near and found is Kind.SRS):
        return METHODS["general"]
    return FORMS[found]


def conclude(case: Case, code: int, explain: bool, rest: Any = None, timeout: float | None = None) -> Solution:
    """The solution of a call that was not simply solved: refused, to be settled, or missed."""
    if code == BAD_TARGET:
        as_target(case.goal)
        raise TargetError(f"the target is not a rigid transform: {case.goal.tolist()}")
    if code == BAD_START:
        refuse_start(case.start, case.limits, case.model)
    if code == SOLVED:
        solution = Solution(case.q, SOLVED_STATUS, case.method.name, case.report)
    elif not explain:
        status = Status.OUT_OF_REACH if code == OUT_OF_REACH else Status.NOT_CONVERGED
        return Solution(case.q, status, case.method.name, case.report, NOT_EXPLAINED)
    elif timeout is None or code == OUT_OF_REACH:
        solution = explain_failure(case)
    else:
        solution = out_of_time(case, timeout)
    if solution.success:
        settle_solution(case, rest, solution)
    return solution


def settle_solution(case: Case, rest: Any, solution: Solution) -> None:
    """Moves a solved q in place toward `rest`, else toward q0, where the arm has freedom left for it."""
    model, limits = case.model, case.limits
    posture = case.start if rest is None else as_configuration(as_floats(rest, "rest", OptionError), model, "rest")
    wanted = rest is not None or (len(case.start) > 0 and case.method.resumes)
    if wanted and model.n > ROWS[case.kind]:
        *_, chain, facts = case.prepared.of(METHODS["general"], case.kind)
        inside = np.clip(posture, limits[0], limits[1])
        target = (case.goal, case.kind, case.terms)
        settle(model.links, model.joints, limits, *target, inside, chain, facts, solution.q, solution.report)


def neutral(limits: Floats) -> Floats:
    """(n,) the middle of the limits; 0, moved inside, for joints without two finite ones."""
    bounded = np.isfinite(limits).all(axis=0)
    middle = 0.5 * (np.where(bounded, limits[0], 0.0) + np.where(bounded, limits[1], 0.0))
    return np.clip(middle, limits[0], limits[1])


def as_step_from(q0: Any, step: Any) -> float:
    """A positive bound on the way from a q0 that was given."""
    if q0 is None:
        raise OptionError("max_joint_step is a bound on the way from q0, so it needs q0")
    return as_step(step)


def box_around(start: Floats, step: float, limits: Floats) -> Floats:
    """(..., 2, n) the part of the limits within a step of the starts (..., n)."""
    inside = np.clip(start, *limits)
    low, high = np.maximum(limits[0], inside - step), np.minimum(limits[1], inside + step)
    return np.ascontiguousarray(np.stack([low, high], axis=-2))


def as_configuration(values: Any, model: Model, name: str) -> Floats:
    """A fresh vector of finite numbers, one per joint."""
    q = as_floats(values, name, OptionError)
    if q.shape != model.velocity.shape:
        joints = ", ".join(model.joint_names)
        raise OptionError(f"{name} has shape {q.shape}; {model.name} takes {model.n} joint values: {joints}")
    return q


def refuse_start(q0: Floats, limits: Floats, model: Model, name: str = "q0") -> None:
    """Raises the error for a start that is not finite or outside the limits, joint by joint."""
    as_floats(q0, name, OptionError)
    outside = [
        f"'{joint}' = {value:.6g} (limits {lower:.6g} to {upper:.6g})"
        for joint, value, lower, upper in zip(model.joint_names, q0, *limits, strict=True)
        if not lower - START_SLACK <= value <= upper + START_SLACK
    ]
    remedy = f"robot.clip({name}) moves it inside"
    raise OptionError(f"{{argument}} is outside the limits: {'; '.join(outside)}; {{clip}}", argument=name, clip=remedy)
