"""Why a target was not met: a status, a true sentence, and the nearest pose found.

Each question is put to the general solver with a larger budget than a solve has: is the target
reachable after all? Without joint limits? By position alone? What a bound proves is said as
proven; what a search did not find is said as not found.
"""

import itertools
import math

import numpy as np

from forearm.arm.configurations import RADIANS, no_limits, turned_inside
from forearm.common.types import Floats
from forearm.core import codes
from forearm.errors import Message
from forearm.models.model import Model
from forearm.results.solution import NOT_EXPLAINED, Solution, Status, describe_errors
from forearm.solve.problem import GENERAL, LENGTHS, NO_START, Outcome, Problem, each_try, search
from forearm.solve.second_look import FIRST_TRIES, add_effort, from_curve, is_long, reach_of, size_of_miss

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
SEED = 1  # of these searches: another than a solve's own

# What sums of lengths lose by rounding, per metre: a target that near to a bound may be met.
ROUNDING = 1e-14
DIGITS = 2.0**-52  # what a number is rounded to, as a share of it; each joint adds that much to a pose

# A miss up to this share of the reach proves nothing: near singular poses, and with tolerances as narrow as what
# rounding adds, a search ends that near to what it could meet.
HAIR = 1e-6

# A pose near the start stays the nearest unless another one is nearer by this share: a jump for less is worth nothing.
# It is looked for by so many walks, each within a box around where the last one ended.
WORTH_A_JUMP, WALKS = 0.01, 4

FREEDOMS = 6  # of a pose

# A target so many times beyond the reach was given in another unit.
FAR_BEYOND = 100.0


def explain(problem: Problem, outcome: Outcome) -> Solution | Outcome:
    """The solution of a failed solve: status, sentence and nearest pose known; an outcome if it is met after all."""
    gap, proof = gap_to_reach(problem)
    if gap > 0.0:
        nearest = near_start(problem, _nearer(problem, outcome, _polished(problem, problem)))
        return _failure(nearest, Status.OUT_OF_REACH, proof)
    second = _thorough(problem)
    if second.solved:
        return _after_second_look(outcome, second)
    outcome = _nearer(problem, _nearer(problem, outcome, second), _polished(problem, problem))
    outcome = near_start(problem, outcome)
    if problem.own_limits is not None:
        problem = problem._replace(limits=problem.own_limits)
        farther = _thorough(problem)
        if farther.solved:
            return _failure(outcome, Status.STEP, _step_sentence(problem, farther.q))
    freed = _answer_without_limits(problem, outcome)
    if freed is not None:
        return _explain_limits(problem, outcome, freed)
    if size_of_miss(problem, outcome.report) < HAIR * reach_of(problem):
        sentence = too_narrow(problem) or "the nearest pose is so close that the target may be reachable"
    elif problem.kind == codes.ORIENTATION:
        sentence = f"no pose was found in {THOROUGH} tries, nor without limits"
    else:
        return _explain_position(problem, outcome)
    return _failure(outcome, Status.NOT_CONVERGED, sentence)


def unexplained(problem: Problem, outcome: Outcome) -> Solution:
    """The solution of a failed solve that asks for no reason: what a bound proves, or that the step is too short."""
    outcome = near_start(problem, outcome)
    status = Status.OUT_OF_REACH if outcome.code == codes.OUT_OF_REACH else Status.NOT_CONVERGED
    if status is Status.NOT_CONVERGED and problem.own_limits is not None:
        farther = search(problem._replace(limits=problem.own_limits), FIRST_TRIES, start=problem.start)
        status = Status.STEP if farther.solved else status
    return Solution(outcome.q, status, outcome.method.name, outcome.report, NOT_EXPLAINED)


def near_start(problem: Problem, outcome: Outcome) -> Outcome:
    """A miss with the pose around the start where that is as near: small steps of a target are small ones of joints."""
    if outcome.method.name != GENERAL.name or not len(problem.start) or not np.isfinite(problem.start).all():
        return outcome
    enough = (1.0 + WORTH_A_JUMP) * size_of_miss(problem, outcome.report)
    farthest = float(np.abs(outcome.q - problem.start).max(initial=0.0))
    start, before = problem.start, math.inf
    for _ in range(WALKS if math.isfinite(enough) else 0):
        found = search(problem, 1, seed=SEED, start=start)
        size, start = size_of_miss(problem, found.report), found.q
        if float(np.abs(start - problem.start).max(initial=0.0)) >= farthest or not size < before:
            break
        if size <= enough:
            add_effort(found.report, outcome.report)
            return outcome._replace(q=found.q, report=found.report)
        before = size
    return outcome


def out_of_time(problem: Problem, outcome: Outcome) -> Solution:
    """The solution of a solve that its time limit ended."""
    tries, limit = int(outcome.report[codes.TRIES]), f"within its time limit of {problem.timeout:g} s"
    return _failure(outcome, Status.NOT_CONVERGED, f"the search ended after {tries} tries, {limit}")


def _thorough(problem: Problem) -> Outcome:
    """What a search with a large budget comes to, for a long chain from FABRIK's pose too."""
    found = search(problem, THOROUGH, seed=SEED, start=problem.start)
    curved = from_curve(problem) if not found.solved and is_long(problem) else found
    return curved if curved.solved else found


def _released(problem: Problem) -> Problem:
    """The same problem without joint limits."""
    return problem._replace(tables=problem.tables.released, limits=no_limits(problem.model.n))


def denied(problem: Problem, outcome: Outcome) -> Solution:
    """The solution of an outcome that one measurement calls met and the next one, rounded otherwise, does not."""
    sentence = too_narrow(problem) or "the tolerance is as small as the rounding errors of the computation; widen it"
    return _failure(outcome, Status.NOT_CONVERGED, sentence)


def too_narrow(problem: Problem) -> str:
    """What is to be said of a tolerance that is finer than the digits of a tip's pose; empty if none is."""
    terms, least = problem.terms[: codes.OPENED], problem.model.n * DIGITS
    for asked, unit in ((terms[LENGTHS], "m"), (terms[~LENGTHS], "rad")):
        finest, told = float(asked.min()), least * (reach_of(problem) if unit == "m" else 1.0)
        if finest < told:
            words = f"the tolerance of {finest:g} {unit} is below what double precision measures on this arm"
            return f"{words}, about {told:.1g} {unit}; widen it"
    return ""


def _after_second_look(outcome: Outcome, found: Outcome) -> Solution | Outcome:
    """A target that is reachable after all, as found shows: an answer for the general solver, a hint for others."""
    name = outcome.method.name
    if name == GENERAL.name:
        add_effort(found.report, outcome.report)
        return found
    missed = f"{name} did not come within the tolerance, but the target is reachable"
    sentence = Message(f"{missed}: {{general}} solves it", general="method='general'")
    return _failure(outcome, Status.NOT_CONVERGED, sentence)


def _polished(problem: Problem, asked: Problem) -> Outcome:
    """The first answer to what is asked, or else the nearest pose, of tries that are each polished."""
    curves = (from_curve(asked) for _ in range(is_long(asked)))
    found = []
    for outcome in itertools.chain(each_try(asked, POLISHED, SEED), curves):
        if outcome.solved:
            return outcome
        found.append(outcome)
    sizes = size_of_miss(problem, np.array([outcome.report for outcome in found]))
    return found[int(np.argmin(np.where(np.isnan(sizes), math.inf, sizes)))]


def _nearer(problem: Problem, outcome: Outcome, found: Outcome) -> Outcome:
    """The outcome with the better of two nearest poses."""
    if size_of_miss(problem, found.report) < size_of_miss(problem, outcome.report):
        add_effort(found.report, outcome.report)
        return outcome._replace(q=found.q, report=found.report)
    return outcome


def _answer_without_limits(problem: Problem, outcome: Outcome) -> Floats | None:
    """(n,) an answer with few joints outside their limits, or None if none was found."""
    free, own_starts = _released(problem), ((NO_START, seed) for seed in range(1, SEARCHES_WITHOUT_LIMITS))
    for start, seed in ((outcome.q, 1), *own_starts):  # the nearest pose first
        found = search(free, SIDE_QUESTION, seed=seed, start=start)
        if found.solved:
            return _spare_joints(problem, found.q)
    found = from_curve(free) if is_long(free) else outcome
    return _spare_joints(problem, found.q) if found.solved else None


def _spare_joints(problem: Problem, q: Floats) -> Floats:
    """An answer with no more joints outside than q: each is put back inside where the others suffice."""
    for kept in _outside(problem, q):
        outside = _outside(problem, q)
        if kept not in outside or len(outside) == 1:
            continue
        limits = problem.limits.copy()
        for k in (problem.model.variable(name) for name in outside if name != kept):
            limits[:, k] = -math.inf, math.inf
        found = search(_released(problem)._replace(limits=limits), SIDE_QUESTION, seed=SEED)
        q = found.q if found.solved else q
    return q


def _outside(problem: Problem, q: Floats, slack: float = codes.LIMIT_SLACK) -> list[str]:
    """The joints of q that no whole turn brings inside the limits."""
    value = turned_inside(q, problem.limits, slack, problem.model)
    lower, upper = problem.limits - slack, problem.limits + slack
    outside = (value < lower[codes.LOWER]) | (value > upper[codes.UPPER])
    return [name for name, out in zip(problem.model.joint_names, outside, strict=True) if out]


def _step_sentence(problem: Problem, q: Floats) -> str:
    moves = np.abs(q - problem.start)
    k = int(np.argmax(moves))
    return (
        "no answer lies within max_joint_step of q0; the nearest one found moves "
        f"{problem.model.joint_names[k]} by {moves[k]:.3g} {RADIANS.names(problem.model.joint_kinds)[k]}"
    )


def _explain_limits(problem: Problem, outcome: Outcome, q: Floats) -> Solution | Outcome:
    """The verdict of a target for which an answer without limits is known."""
    blockers = _outside(problem, q)
    if not blockers:  # inside but for whole turns and a hair: reachable after all, if a search from there says so
        inside = turned_inside(q, problem.limits, codes.LIMIT_SLACK, problem.model)
        found = search(problem, THOROUGH, seed=SEED, start=inside)
        if found.solved and problem.own_limits is not None:
            return _failure(outcome, Status.STEP, _step_sentence(problem, found.q))
        if found.solved:
            return _after_second_look(outcome, found)
        blockers = _outside(problem, q, 0.0)
    if not blockers:
        sentence = "whole turns bring an answer inside the limits, but angles that large miss the tolerance by rounding"
        return _failure(outcome, Status.NOT_CONVERGED, sentence)
    joints = "joint" if len(blockers) == 1 else "joints"
    sentence = f"the limits of {joints} {', '.join(blockers)} are in the way: without them the target is solvable"
    return _failure(outcome, Status.LIMITS, sentence)


def _explain_position(problem: Problem, outcome: Outcome) -> Solution | Outcome:
    """The verdict of a target that asks for a position and is not solvable even without limits."""
    terms: Floats = problem.terms.copy()
    if problem.kind != codes.POSITION:
        terms[codes.TOL_ROTATION] = terms[codes.TOL_AXES + 3 : codes.TOL_AXES + 6] = math.inf
    position = problem._replace(kind=codes.POSITION, terms=terms)
    alone = _polished(problem, position)
    if not alone.solved:
        alone = _polished(problem, _released(position))
    if not alone.solved:
        gap = alone.report[codes.POSITION_ERROR]
        if not math.isfinite(gap):  # else a bound would prove it
            return _failure(outcome, Status.NOT_CONVERGED, "the tolerance is too wide to be judged")
        free = "" if problem.kind == codes.POSITION else "with any orientation and "
        sentence = f"no pose was found nearer to the position than {gap:.3g} m, not even {free}without limits"
        return _failure(outcome, Status.OUT_OF_REACH, sentence)
    if problem.kind == codes.POSITION:
        return _explain_limits(problem, outcome, alone.q)
    blocked = ", ".join(_outside(problem, alone.q))
    if not blocked:
        what = "direction of the axis" if problem.kind == codes.POINT_AXIS else "orientation"
        sentence = f"the position is reachable, but not with this {what}, not even without joint limits"
        n = problem.model.n
        if problem.kind == codes.POSE and n < FREEDOMS:
            words = f"{sentence}: an arm of {n} joints meets few poses; {{fewer}}"
            sentence = Message(words, fewer="ask for fa.PointAxis(...) or fa.Position(...)")
        return _failure(outcome, Status.ORIENTATION, sentence)
    sentence = f"the position needs {blocked} beyond the limits, and even then the orientation was not found"
    return _failure(outcome, Status.NOT_CONVERGED, sentence)


def _failure(outcome: Outcome, status: Status, sentence: str) -> Solution:
    """The solution with the sentence and what the nearest pose is off by."""
    nearest = f"the nearest pose found is off by {describe_errors(outcome.report)}"
    if not np.isfinite(outcome.report[[codes.POSITION_ERROR, codes.ROTATION_ERROR]]).all():
        nearest = "it is farther away than can be measured"
    return Solution(outcome.q, status, outcome.method.name, outcome.report, sentence + f"; {nearest}")


def gap_to_reach(problem: Problem) -> tuple[float, str]:
    """How far the target lies beyond what no pose can pass [m], and the sentence; 0 if it does not.

    The bounds are exact in one direction: what lies beyond them is unreachable for certain.
    """
    if problem.kind == codes.ORIENTATION:
        return 0.0, ""
    along_axes = float(np.linalg.norm(problem.terms[codes.TOL_AXES : codes.TOL_AXES + 3]))
    nearest, farthest = reach_bounds(problem.model, problem.limits)
    distance = math.hypot(*(problem.goal[:3, 3] - problem.model.links[0, :, 3]).tolist())
    allowed = min(float(problem.terms[codes.TOL_POSITION]), along_axes) + ROUNDING * (distance + farthest)
    beyond, short = distance - farthest - allowed, nearest - distance - allowed
    if beyond > 0.0:
        words = f"the target is at least {beyond:.3g} m beyond the arm's reach of {farthest:.3g} m"
        return beyond, words + (" (did you mean millimetres?)" if distance > FAR_BEYOND * farthest else "")
    if short > 0.0:
        bound = f"no pose comes within {nearest:.3g} m of the first joint"
        return short, f"the target is at least {short:.3g} m too near: {bound}"
    return 0.0, ""


def reach_bounds(model: Model, limits: Floats) -> tuple[float, float]:
    """Bounds on the distance from the first joint's origin to the tip [m], by the triangle inequality."""
    least = [float(np.linalg.norm(link[:, 3])) for link in model.links[1:]]
    most = list(least)
    for joint in model.joints:
        if joint[codes.KIND] == codes.PRISMATIC:
            lower, upper = pair = limits[:, int(joint[codes.VARIABLE])]
            ends = np.abs(joint[codes.RATIO] * pair)
            least.append(0.0 if lower <= 0.0 <= upper else float(ends.min()))
            most.append(float(ends.max()))
    total = sum(most)
    hole = max(low - (total - high) for low, high in zip(least, most, strict=True)) if math.isfinite(total) else 0.0
    return max(hole, 0.0), total
