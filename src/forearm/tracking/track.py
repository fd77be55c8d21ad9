"""The road from way-points to a track: starts, walks one after the other, look-ahead, words.

A walk that goes the whole way ends the search. The first ones differ in what a redundant arm does
with its freedom; only if none arrives are strands looked ahead (`tracking/look_ahead.py`). What comes back
is measured by forward kinematics, like every answer.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from forearm.arm.configurations import neutral, refuse_start, turned_near
from forearm.common.types import Floats
from forearm.core.codes import START_SLACK
from forearm.core.track.guard import CERTAIN
from forearm.core.track.path import AT_POSITION, AT_ROTATION
from forearm.core.track.start import TOWARD
from forearm.results.solution import Solution, Status
from forearm.results.track import Track
from forearm.solve.arguments import Arguments
from forearm.solve.collision_free import DEFAULT_SETTINGS, solve_guarded
from forearm.solve.methods.options import as_step
from forearm.solve.problem import AUTO, GENERAL, is_banded, run, stages
from forearm.solve.single import conclude
from forearm.tracking.look_ahead import look_ahead
from forearm.tracking.walk import Course, Progress, Walk, walk
from forearm.tracking.waypoints import as_halfway, as_times, as_waypoints
from forearm.tracking.why_stopped import TRIES, name_stop

# Of a track [rad or m]: 500 way-points over a whole turn of a joint need 0.013 a step.
DEFAULT_JOINT_STEP = 0.1

# Free motion toward a posture: share of the tip's speed, share of the way, low-pass; the last two
# per 1/500 of the path. Toward the middle of the limits gently, not at all, then firmly; on closed
# paths back to the start and at once, so that no turn drifts; if that is blocked, to the middle.
GENTLE, FIRM, BACK = (0.5, 0.02, 0.1), (1.0, 0.1, 0.05), (2.0, 1.0, 1.0)

# Searches for other answers to the first target, and how far apart two of them are [rad or m].
SEARCHES, DISTINCT = 128, 0.1
SEARCH_TRIES = 8
MOST_ROOTS = 64
# A first answer no farther from q0 than this is the nearest: the solver looked there first.
NEAR = 0.25


@dataclass(frozen=True)
class Start:
    """Where tracks may begin: the answers to the first target, best first, or why there is none."""

    answers: list[Floats]
    verdict: Solution


def track(
    call: Arguments,
    targets: Any,
    *,
    times: Any,
    closed: bool | None,
    insert: bool,
    halfway: Any,
    progress: Progress | None,
) -> Track:
    """Tracks a path; arguments as `Robot.track` takes them."""
    step, tolerances = as_step(call.max_joint_step), as_halfway(halfway)
    q0 = None if call.q0 is None else call.start
    path = as_waypoints(targets)
    course = Course(call.tables, call.bounds, path, step, tolerances, insert, progress, call.guard)
    return follow_path(course, q0, closed, times)


def follow_path(course: Course, q0: Floats | None, closed: bool | None, times: Any) -> Track:
    """Tracks a path.

    Args:
        course: The robot on its path.
        q0: (n,) where to start, or None for anywhere.
        closed: Whether to come back to the first joint values, or None if the path says so itself.
        times: (N,) increasing, of the way-points [s], or None.
    """
    times = as_times(times, len(course.path))
    lower, upper = course.limits[0] - START_SLACK, course.limits[1] + START_SLACK
    if q0 is not None and not ((lower <= q0) & (q0 <= upper)).all():
        refuse_start(q0, course.limits, course.prepared.model)
    start = find_starts(course, q0)
    if not start.answers:
        sentence = f"way-point 0 is not reached: {start.verdict.reason}"
        nothing = Walk(np.empty(0), np.empty((0, course.limits.shape[1])), False)
        return _wrap(course, nothing, start.verdict.status, sentence, q0, times)
    returns = course.path.closed if closed is None else closed
    found = _search(course, start.answers, returns)
    if not found.arrived:
        status, sentence = name_stop(course, found)
        return _wrap(course, found, status, sentence, q0, times)
    return _wrap(course, found, Status.SOLVED, _sentence(course, found), q0, times)


def find_starts(course: Course, q0: Floats | None) -> Start:
    """The first point's joint values: nearest to q0, or all that were found, the middle ones first."""
    problem = course.problem(course.path.at(0.0), q0)
    if course.guard is None:
        first = conclude(problem, run(problem, (GENERAL,)))
    else:
        guard = replace(course.guard, clearance=course.guard.clearance + CERTAIN)
        methods = stages(course.prepared, AUTO, problem.kind, near=False, banded=is_banded(problem.terms), guarded=True)
        first = solve_guarded(problem._replace(settings=DEFAULT_SETTINGS), methods, guard)
    if not first.success:
        return Start([], first)
    if q0 is not None and np.abs(first.q - q0).max() <= NEAR:
        return Start([first.q], first)
    reference = neutral(course.limits) if q0 is None else q0
    answers = sorted(other_answers(course, first.q, q0), key=lambda q: float(np.abs(q - reference).max()))
    return Start(answers[:MOST_ROOTS] if q0 is None else answers[:1], first)


def other_answers(course: Course, first: Floats, q0: Floats | None) -> list[Floats]:
    """Distinct answers to the first target that seeded searches find, beginning with the one known."""
    target, answers = course.path.at(0.0), [first]
    for seed in range(SEARCHES):
        q = course.search(target, SEARCH_TRIES, skip=SEARCH_TRIES * (seed + 1))
        if q is None:
            continue
        if q0 is not None:  # the same answer, its joints turned toward q0
            q = course.search(target, 1, q0=_turned(course, q, q0))
        if q is not None and course.is_free(q) and all(np.abs(q - other).max() > DISTINCT for other in answers):
            answers.append(q)
    return answers


def _turned(course: Course, q: Floats, q0: Floats) -> Floats:
    """An answer with each joint by whole turns as near to q0 as its limits allow."""
    near = turned_near(q, q0, course.prepared.model)
    inside = (course.limits[0] <= near) & (near <= course.limits[1])
    return np.where(inside, near, q)


def _search(course: Course, starts: list[Floats], returns: bool) -> Walk:
    """The first full walk, or the longest."""
    best: Walk | None = None
    for q in starts if not course.redundant else starts[:1]:
        for plan, posture in _plans(course, q, returns):
            found = walk(course, plan, course.node(q), posture=posture)
            if found.arrived:
                return found
            best = found if best is None or found.place > best.place else best
    assert best is not None  # there is a start
    if not course.redundant or (len(starts) == 1 and _ends_here(course, best)):
        return best
    ahead = look_ahead(course, starts)
    return ahead if ahead.arrived or ahead.place > best.place else best


def _plans(course: Course, q: Floats, returns: bool) -> list[tuple[Floats, Floats]]:
    """What a redundant arm may do with its freedom, in the order of trying; otherwise one plan."""
    if not course.redundant:
        return [(course.plan(), q)]
    middle = neutral(course.limits)
    plans = [(course.plan(TOWARD, *GENTLE), middle), (course.plan(), q), (course.plan(TOWARD, *FIRM), middle)]
    back = course.plan(TOWARD, *BACK)
    return [(back, q), (back, middle), *plans] if returns else plans


def _ends_here(course: Course, found: Walk) -> bool:
    """Whether no joint values at all reach the way-point ahead, so that no other strand can pass it."""
    ahead = course.path.at(float(np.floor(found.place)) + 1.0)
    return course.search(ahead, TRIES, q0=found.q[-1]) is None


def _sentence(course: Course, found: Walk) -> str:
    """What was reached, and what had to be done for it."""
    added = len(found.places) - len(course.path)
    words = f"all {len(course.path)} way-points are met, inside all limits, in steps of at most "
    words += f"{np.abs(np.diff(found.q, axis=0)).max(initial=0.0):.3g} (bound {course.max_joint_step:.3g})"
    if added:
        least = np.abs(np.diff(found.at_waypoints, axis=0)).max(initial=0.0)
        own = f", and max_joint_step is below the path's own step of {least:.3g}"
        words += f"; {added} points were inserted where the way-points are far apart"
        words += own if least > course.max_joint_step else ""
    return words


def _wrap(course: Course, found: Walk, status: Status, sentence: str, q0: Floats | None, times: Floats | None) -> Track:
    """The track with every point measured."""
    model, M = course.prepared.model, len(found.q)
    errors = course.path.measure(model, found.places, found.q)
    before = found.q[:1] if q0 is None else q0[None]
    steps = np.abs(np.diff(np.concatenate([before, found.q]) if M else found.q, axis=0)).max(axis=1, initial=0.0)
    here = None if times is None else np.interp(found.places, np.arange(len(times)), times)
    stopped = None if status is Status.SOLVED else (int(np.floor(found.place)) + 1 if M else 0)
    arrays = found.q, found.places, errors[:, AT_POSITION].copy(), errors[:, AT_ROTATION].copy(), steps
    for array in arrays if here is None else (*arrays, here):
        array.flags.writeable = False
    return Track(
        q=found.q,
        places=found.places,
        status=status,
        reason=sentence,
        stopped_at=stopped,
        waypoints=len(course.path),
        position_errors=arrays[2],
        rotation_errors=arrays[3],
        steps=steps,
        times=here,
        velocity_limits=model.velocity,
        joint_names=model.joint_names,
    )
