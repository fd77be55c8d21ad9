"""Why a target was not met: a status, a true sentence, and the nearest pose found.

Each question is put to the general solver with a larger budget than a solve has: is the target
reachable after all? Without joint limits? By position alone? What a bound proves is said as
proven; what a search did not find is said as not found.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from forearm.arm.tables import Prepared
from forearm.common.types import Floats
from forearm.core.codes import (
    ITERATIONS,
    KIND,
    LIMIT_SLACK,
    LOWER,
    ORIENTATION,
    POSITION,
    POSITION_ERROR,
    PRISMATIC,
    RATIO,
    REPORT,
    ROTATION_ERROR,
    SOLVED,
    TOL_AXES,
    TOL_POSITION,
    TOL_ROTATION,
    TRIES,
    UPPER,
    VARIABLE,
)
from forearm.core.general.seeds import REACH
from forearm.errors import Message
from forearm.models.model import Model
from forearm.results.solution import Solution, Status, describe_errors
from forearm.solve.methods.options import GeneralOptions
from forearm.solve.methods.table import METHODS, Method

# Tries before a reachable target counts as unreachable: 100,000 targets on each of nine arms
# needed at most some hundred.
THOROUGH = 2000
# Tries of one search for a side question, and searches before an answer without limits counts as
# none.
SIDE_QUESTION = 64
SEARCHES_WITHOUT_LIMITS = 8
# The nearest pose is the best of this many tries, each polished: polishing only the best of many
# tries finds it less often (benchmarks/verdicts.py counts how often).
POLISHED = 64

# What sums of lengths lose by rounding, per metre: a target that near to a bound may be met.
ROUNDING = 1e-14

NO_START: Floats = np.empty(0)


@dataclass(frozen=True)
class Case:
    """A solve that did not meet its target.

    Attributes:
        prepared: The robot and its tables.
        limits: (2, n) the limits of that call.
        kind: The kind of target.
        goal: (4, 4) its frame.
        terms: Its tolerances and axes.
        method: The method that was used.
        q: (n,) the nearest configuration found.
        report: What was measured there.
        start: (n,) the start of that call, or of length zero.
        own_limits: (2, n) the limits without the bound on the step from the start, or None if
            there was no such bound.
    """

    prepared: Prepared
    limits: Floats
    kind: int
    goal: Floats
    terms: Floats
    method: Method
    q: Floats
    report: Floats
    start: Floats
    own_limits: Floats | None = None

    @property
    def model(self) -> Model:
        """The chain."""
        return self.prepared.model


def explain(case: Case) -> Solution:
    """The solution of a failed solve: its status, its sentence, and the nearest pose known."""
    gap, proof = gap_to_reach(case)
    if gap > 0.0:
        return _failure(_nearest(case), Status.OUT_OF_REACH, proof)
    second = _search(case, case.kind, case.limits, case.prepared, THOROUGH, q0=case.start)
    if second.solved:
        return _after_second_look(case, second)
    case = _nearest(_nearer(case, second))
    if case.own_limits is not None:
        case = replace(case, limits=case.own_limits)
        farther = _search(case, case.kind, case.limits, case.prepared, THOROUGH, q0=case.start)
        if farther.solved:
            return _failure(case, Status.LIMITS, _step_sentence(case, farther.q))
    freed = _answer_without_limits(case)
    if freed is not None:
        return _explain_limits(case, freed)
    if case.kind == ORIENTATION:
        return _failure(case, Status.NOT_CONVERGED, f"no pose was found in {THOROUGH} tries, nor without limits")
    return _explain_position(case)


def out_of_time(case: Case, timeout: float) -> Solution:
    """The solution of a solve that its time limit ended."""
    sentence = f"the search ended after {int(case.report[TRIES])} tries, within its time limit of {timeout:g} s"
    return _failure(case, Status.NOT_CONVERGED, sentence)


@dataclass(frozen=True)
class Found:
    """What a search came to."""

    solved: bool
    q: Floats
    report: Floats


def _search(
    case: Case,
    kind: int,
    limits: Floats,
    prepared: Prepared,
    tries: int,
    *,
    seed: int = 1,
    skip: int = 0,
    q0: Floats = NO_START,
) -> Found:
    """Asks the general solver, with a budget and a seed of its own."""
    general = METHODS["general"]
    model = prepared.model
    settings = GeneralOptions(max_tries=tries, rng_seed=seed, skip_tries=skip).pack(0.0)
    terms = case.terms if kind == case.kind else _position_terms(case.terms)
    q, report = np.empty(model.n), np.empty(REPORT)
    tables = prepared.of(general, kind)
    code = general.kernel(model.links, model.joints, limits, case.goal, kind, terms, q0, settings, *tables, q, report)
    return Found(code == SOLVED, q, report)


def _position_terms(terms: Floats) -> Floats:
    """The same terms with the rotation left open."""
    alone: Floats = terms.copy()
    alone[TOL_ROTATION] = math.inf
    alone[TOL_AXES + 3 : TOL_AXES + 6] = math.inf
    return alone


def _after_second_look(case: Case, found: Found) -> Solution:
    """A target that is reachable after all: an answer for the general solver, a hint for others."""
    if case.method.name == "general":
        _add_effort(found.report, case.report)
        return Solution(found.q, Status.SOLVED, case.method.name, found.report)
    missed = f"{case.method.name} met no tolerance, but the target is reachable"
    sentence = Message(f"{missed}: {{general}} solves it", general="method='general'")
    return _failure(case, Status.NOT_CONVERGED, sentence)


def _nearest(case: Case) -> Case:
    """The case with the nearest pose that polished tries find."""
    return _nearer(case, _polished(case, case.kind, case.limits, case.prepared))


def _polished(case: Case, kind: int, limits: Floats, prepared: Prepared) -> Found:
    """The first answer, or else the nearest pose, of tries that are each polished."""
    best = _search(case, kind, limits, prepared, 1)
    for skip in range(1, POLISHED):
        if best.solved:
            break
        found = _search(case, kind, limits, prepared, 1, skip=skip)
        if found.solved or _size(case, found.report) < _size(case, best.report):
            best = found
    return best


def _size(case: Case, report: Floats) -> float:
    """Both errors as one, weighed as the solver weighs them [m]."""
    facts = case.prepared.of(METHODS["general"], case.kind)[-1]
    return math.hypot(report[POSITION_ERROR], 0.2 * facts[REACH] * report[ROTATION_ERROR])


def _nearer(case: Case, found: Found) -> Case:
    """The case with the better of two nearest poses."""
    if _size(case, found.report) < _size(case, case.report):
        _add_effort(found.report, case.report)
        return replace(case, q=found.q, report=found.report)
    return case


def _add_effort(report: Floats, before: Floats) -> None:
    """Counts the tries and iterations spent before into a report, in place."""
    report[[TRIES, ITERATIONS]] += before[[TRIES, ITERATIONS]]


def _answer_without_limits(case: Case) -> Floats | None:
    """(n,) an answer with few joints outside their limits, or None if none was found."""
    free = case.prepared.released()
    for q0, seed in _starts(case):
        found = _search(case, case.kind, _no_limits(case), free, SIDE_QUESTION, seed=seed, q0=q0)
        if found.solved:
            return _spare_joints(case, found.q)
    return None


def _no_limits(case: Case) -> Floats:
    """(2, n) limits that limit nothing, slides included."""
    return np.array([[-math.inf], [math.inf]]) * np.ones(case.model.n)


def _starts(case: Case) -> Iterator[tuple[Floats, int]]:
    """The nearest pose first, then starts of the solver's own."""
    yield case.q, 1
    for seed in range(1, SEARCHES_WITHOUT_LIMITS):
        yield NO_START, seed


def _spare_joints(case: Case, q: Floats) -> Floats:
    """An answer with no more joints outside than q: each is put back inside where the others suffice."""
    free = case.prepared.released()
    for kept in _outside(case, q):
        outside = _outside(case, q)
        if kept not in outside or len(outside) == 1:
            continue
        limits = case.limits.copy()
        for k in (case.model.variable(name) for name in outside if name != kept):
            limits[:, k] = -math.inf, math.inf
        found = _search(case, case.kind, limits, free, SIDE_QUESTION)
        q = found.q if found.solved else q
    return q


def _outside(case: Case, q: Floats) -> list[str]:
    """The joints of q that no whole turn brings inside the limits."""
    value = _turned_inside(case, q)
    lower, upper = case.limits - LIMIT_SLACK, case.limits + LIMIT_SLACK
    outside = (value < lower[LOWER]) | (value > upper[UPPER])
    return [name for name, out in zip(case.model.joint_names, outside, strict=True) if out]


def _turned_inside(case: Case, q: Floats) -> Floats:
    """(n,) the same pose, each joint that whole turns bring inside its limits brought there."""
    lower, upper = case.limits[LOWER] - LIMIT_SLACK, case.limits[UPPER] + LIMIT_SLACK
    value: Floats = q.copy()
    for kind, variable, ratio in case.model.joints:  # a mimic joint may not come round with its variable
        if kind == PRISMATIC or ratio != round(ratio):
            lower[int(variable)], upper[int(variable)] = -math.inf, math.inf
    short, beyond = value < lower, value > upper
    value[short] += 2.0 * math.pi * np.ceil((lower - value)[short] / (2.0 * math.pi))
    value[beyond] -= 2.0 * math.pi * np.ceil((value - upper)[beyond] / (2.0 * math.pi))
    return value


def _step_sentence(case: Case, q: Floats) -> str:
    moves = np.abs(q - case.start)
    k = int(np.argmax(moves))
    return (
        "no answer lies within max_joint_step of q0; the nearest one found moves "
        f"{case.model.joint_names[k]} by {moves[k]:.3g}"
    )


def _explain_limits(case: Case, q: Floats) -> Solution:
    """The verdict of a target for which an answer without limits is known."""
    blockers = _outside(case, q)
    if blockers:
        joints = "joint" if len(blockers) == 1 else "joints"
        sentence = f"the limits of {joints} {', '.join(blockers)} are in the way: without them the target is solvable"
        return _failure(case, Status.LIMITS, sentence)
    inside = _turned_inside(case, q)  # reachable after all
    if case.own_limits is not None:
        return _failure(case, Status.LIMITS, _step_sentence(case, inside))
    return _after_second_look(case, _search(case, case.kind, case.limits, case.prepared, THOROUGH, q0=inside))


def _explain_position(case: Case) -> Solution:
    """The verdict of a target that asks for a position and is not solvable even without limits."""
    free = case.prepared.released()
    alone = _polished(case, POSITION, case.limits, case.prepared)
    if not alone.solved:
        alone = _polished(case, POSITION, _no_limits(case), free)
    if not alone.solved:
        gap = alone.report[POSITION_ERROR]
        sentence = f"no pose was found nearer to the position than {gap:.3g} m, even with orientation and limits free"
        return _failure(case, Status.OUT_OF_REACH, sentence)
    if case.kind == POSITION:
        return _explain_limits(case, alone.q)
    blocked = ", ".join(_outside(case, alone.q))
    if not blocked:
        sentence = "the position is reachable, but not with this orientation, not even without joint limits"
        return _failure(case, Status.ORIENTATION, sentence)
    sentence = f"the position needs {blocked} beyond the limits, and even then the orientation was not found"
    return _failure(case, Status.NOT_CONVERGED, sentence)


def _failure(case: Case, status: Status, sentence: str) -> Solution:
    """The solution with the sentence and what the nearest pose is off by."""
    nearest = f"the nearest pose found is off by {describe_errors(case.report)}"
    return Solution(case.q, status, case.method.name, case.report, sentence + f"; {nearest}")


def gap_to_reach(case: Case) -> tuple[float, str]:
    """How far the target lies beyond what no pose can pass [m], and the sentence; 0 if it does not.

    The bounds are exact in one direction: what lies beyond them is unreachable for certain.
    """
    if case.kind == ORIENTATION:
        return 0.0, ""
    along_axes = float(np.linalg.norm(case.terms[TOL_AXES : TOL_AXES + 3]))
    nearest, farthest = reach_bounds(case.model, case.limits)
    distance = float(np.linalg.norm(case.goal[:3, 3] - case.model.links[0, :, 3]))
    allowed = min(float(case.terms[TOL_POSITION]), along_axes) + ROUNDING * (distance + farthest)
    if distance - farthest > allowed:
        gap = distance - farthest - allowed
        return gap, f"the target is at least {gap:.3g} m beyond the arm's reach of {farthest:.3g} m"
    if nearest - distance > allowed:
        gap = nearest - distance - allowed
        return (
            gap,
            f"the target is at least {gap:.3g} m too near: no pose comes within {nearest:.3g} m of the first joint",
        )
    return 0.0, ""


def reach_bounds(model: Model, limits: Floats) -> tuple[float, float]:
    """Bounds on the distance from the first joint's origin to the tip [m], by the triangle inequality."""
    least = [float(np.linalg.norm(link[:, 3])) for link in model.links[1:]]
    most = list(least)
    for joint in model.joints:
        if joint[KIND] == PRISMATIC:
            ends = np.abs(joint[RATIO] * limits[:, int(joint[VARIABLE])])
            crosses = limits[LOWER, int(joint[VARIABLE])] <= 0.0 <= limits[UPPER, int(joint[VARIABLE])]
            least.append(0.0 if crosses else float(ends.min()))
            most.append(float(ends.max()))
    total = sum(most)
    hole = max(low - (total - high) for low, high in zip(least, most, strict=True)) if math.isfinite(total) else 0.0
    return max(hole, 0.0), total
