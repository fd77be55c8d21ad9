"""From way-points to a track: starts, walks one after the other, look-ahead, words.

A walk that goes the whole way ends the search. The first ones differ in what a redundant arm does
with its freedom; only if none arrives are strands looked ahead (`tracking/look_ahead.py`). What comes back
is measured by forward kinematics, like every answer.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from forearm.arm.branches.front import facing
from forearm.arm.configurations import RADIANS, neutral, refuse_start, turned_near
from forearm.common.checks import as_switch, brief
from forearm.common.types import Floats
from forearm.core.codes import START_SLACK
from forearm.core.track.guard import CERTAIN
from forearm.core.track.path import AT_POSITION, AT_ROTATION, MEASURE_SCRATCH, measure_path
from forearm.core.track.start import TOWARD
from forearm.errors import Message, OptionError
from forearm.models.model import Model
from forearm.results.solution import Solution, Status
from forearm.results.track import Reconfiguration, Track
from forearm.solve.arguments import Arguments
from forearm.solve.collision import DEFAULT_SETTINGS
from forearm.solve.collision_free import solve_guarded
from forearm.solve.methods.options import as_step
from forearm.solve.problem import AUTO, GENERAL, open_wide, run, stages
from forearm.solve.single import conclude
from forearm.tracking.branches import are_known, jump_on, through_branches
from forearm.tracking.bridge import walk_on
from forearm.tracking.look_ahead import look_ahead
from forearm.tracking.path import as_between, as_halfway, as_path, as_times, is_closed
from forearm.tracking.walk import PathProblem, Progress, Walk, walk
from forearm.tracking.why_stopped import TRIES, name_stop

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
MEASURED = 20_000  # points at a time: some 20 ms, after which an interrupt is heard


def track(
    call: Arguments,
    targets: Any,
    *,
    times: Any,
    closed: bool | None,
    insert: bool,
    halfway: Any,
    between: Any,
    reconfigure: Any,
    progress: Progress | None,
) -> Track:
    """Tracks a path; arguments as `Robot.track` takes them."""
    call.refuse_unknown(())
    if progress is not None and not callable(progress):
        raise OptionError(f"progress is {brief(progress)}; it takes a function of (stage, done, total), or None")
    step, off, insert = as_step(call.max_joint_step), as_halfway(halfway), as_switch(insert, "insert")
    closed = None if closed is None else as_switch(closed, "closed")
    q0 = None if call.q0 is None else call.start()
    rules = (step, off, insert, progress, call.guard(), as_between(between, insert))
    problem = PathProblem(call.arm, call.bounds(), as_path(targets), *rules)
    times = as_times(times, len(problem.path))
    lower, upper = problem.limits[0] - START_SLACK, problem.limits[1] + START_SLACK
    if q0 is not None and not ((lower <= q0) & (q0 <= upper)).all():
        refuse_start(q0, problem.limits, problem.tables.model)
    first = first_answer(problem, q0)
    if not first.success:
        nothing = Walk(np.empty(0), np.empty((0, problem.limits.shape[1])), False)
        return _wrap(problem, nothing, first.status, f"way-point 0 is not reached: {first.reason}", q0, times)
    returns = is_closed(problem.path) if closed is None else closed
    starts, jumps = find_starts(problem, first.q, q0), as_switch(reconfigure, "reconfigure")
    found = _search(problem, starts, returns)
    wide = open_wide(problem.path.terms, problem.tables.metre)
    if not found.arrived and wide is not problem.path.terms:
        problem = replace(problem, path=replace(problem.path, terms=wide))
        again = _search(problem, find_starts(problem, first.q, q0), returns)
        found = again if again.arrived or again.place > found.place else found
    found = _other_ways(problem, starts, found, jumps)
    status, sentence = (Status.SOLVED, _sentence(problem, found)) if found.arrived else name_stop(problem, found)
    if not found.arrived:
        sentence = _with_cure(problem, starts, found, sentence)
    return _wrap(problem, found, status, sentence, q0, times)


def first_answer(problem: PathProblem, q0: Floats | None) -> Solution:
    """The solution of the first target, as `solve` finds it near q0."""
    first = problem.single(0.0, q0)
    if problem.guard is None:
        return conclude(first, run(first, (GENERAL,)))
    guard = replace(problem.guard, clearance=problem.guard.clearance + CERTAIN)
    methods = stages(problem.tables, AUTO, first.kind, False, True, first.terms)
    return solve_guarded(first._replace(settings=DEFAULT_SETTINGS), methods, guard)


def find_starts(problem: PathProblem, first: Floats, q0: Floats | None) -> list[Floats]:
    """Joint values of the first point: the nearest to q0, or all that were found, those near neutral first."""
    if q0 is not None and np.abs(first - q0).max() <= NEAR:
        return [first]
    at_first = problem.path.goals[0]
    reference = facing(problem.tables.model, problem.limits, at_first) if q0 is None else q0
    answers = sorted(other_answers(problem, first, q0), key=lambda q: float(np.abs(q - reference).max()))
    return answers[:MOST_ROOTS] if q0 is None else answers[:1]


def other_answers(problem: PathProblem, first: Floats, q0: Floats | None) -> list[Floats]:
    """Distinct answers to the first target that seeded searches find, beginning with the one known."""
    answers = [first]
    for seed in range(SEARCHES):
        q = problem.search(0.0, SEARCH_TRIES, skip=SEARCH_TRIES * (seed + 1))
        if q is None:
            continue
        if q0 is not None:  # the same answer, its joints by whole turns as near to q0 as their limits allow
            near = turned_near(q, q0, problem.tables.model)
            inside = (problem.limits[0] <= near) & (near <= problem.limits[1])
            q = problem.search(0.0, 1, q0=np.where(inside, near, q))
        if q is not None and problem.is_free(q) and all(np.abs(q - other).max() > DISTINCT for other in answers):
            answers.append(q)
    return answers


def _search(problem: PathProblem, starts: list[Floats], returns: bool) -> Walk:
    """The first full walk, or the longest."""
    parts = []
    for q in starts if not problem.redundant else starts[:1]:
        for plan, posture in _plans(problem, q, returns):
            found = walk_on(problem, plan, walk(problem, plan, problem.node(q), posture=posture), posture)
            if found.arrived:
                return found
            parts.append(found)
    best = max(parts, key=lambda part: part.place)
    if not problem.redundant:
        return best
    beyond = float(np.floor(best.place)) + 1.0
    if len(starts) == 1 and problem.search(beyond, TRIES, q0=best.q[-1]) is None:
        return best  # nothing at all reaches the way-point ahead, so no other strand can pass it
    ahead = walk_on(problem, problem.plan(), look_ahead(problem, starts))
    return ahead if ahead.arrived or ahead.place > best.place else best


def _other_ways(problem: PathProblem, starts: list[Floats], found: Walk, jumps: bool) -> Walk:
    """A walk that stopped, by other sheets of its branch if they go farther; with jumps, to the end."""
    if found.arrived:
        return found
    if are_known(problem):
        other = through_branches(problem, starts, False)
        found = other if other.arrived or other.place > np.floor(found.place) + 1.0 else found
        return through_branches(problem, starts, True) if jumps and not found.arrived else found
    return jump_on(problem, found, _any_answers, _farthest) if jumps else found


def _with_cure(problem: PathProblem, starts: list[Floats], found: Walk, sentence: str) -> str:
    """The sentence of a stop, and how far the joints' own ways between way-points would lead, if farther."""
    if problem.between != "line" or not problem.insert:
        return sentence
    bends = replace(problem, between="joints", progress=None)
    other = _other_ways(bends, starts, _farthest(bends, starts[:1]), False)
    if not other.arrived and other.place < np.floor(found.place) + 2.0:
        return sentence
    far = "all way-points are met" if other.arrived else f"way-point {int(other.place)} is reached"
    marked = sentence if isinstance(sentence, Message) else Message(sentence)
    words = f"; with {{between}}, {far}"
    if "{between}" not in marked.text:
        words = (
            f"; with {{between}}, which leaves the straight lines, {far}: more way-points of the curve may do as well"
        )
    return Message(marked.text + words, **{**marked.said, "between": "between='joints'"})


def _any_answers(problem: PathProblem) -> list[Floats]:
    """Distinct answers to the first target of a path, the middle ones first; none if it is not reached."""
    first = first_answer(problem, None)
    return find_starts(problem, first.q, None) if first.success else []


def _farthest(problem: PathProblem, starts: list[Floats]) -> Walk:
    """The walk from any of these starts that comes farthest."""
    walks = (
        walk_on(problem, plan, walk(problem, plan, problem.node(q), posture=posture), posture)
        for q in starts
        for plan, posture in _plans(problem, q, False)[:2]
    )
    best = next(walks)
    for other in walks:
        if best.arrived:
            break
        best = other if other.place > best.place else best
    return best


def _plans(problem: PathProblem, q: Floats, returns: bool) -> list[tuple[Floats, Floats]]:
    """What a redundant arm may do with its freedom, in the order of trying; otherwise one plan."""
    if not problem.redundant:
        return [(problem.plan(), q)]
    middle = neutral(problem.limits)
    plans = [(problem.plan(TOWARD, *GENTLE), middle), (problem.plan(), q), (problem.plan(TOWARD, *FIRM), middle)]
    back = problem.plan(TOWARD, *BACK)
    return [(back, q), (back, middle), *plans] if returns else plans


def _sentence(problem: PathProblem, found: Walk) -> str:
    """What was reached, and what had to be done for it."""
    added = int((found.places != np.floor(found.places)).sum())
    words = f"all {len(problem.path)} way-points are met, inside all limits, in steps of at most "
    steps = np.delete(np.abs(np.diff(found.q, axis=0)).max(axis=1, initial=0.0), np.array(found.jumps, int) - 1)
    unit = RADIANS.joint(problem.tables.model.joint_kinds)
    words += f"{steps.max(initial=0.0):.3g} {unit} (bound {problem.max_joint_step:.3g} {unit})"
    if added:
        least = _own_step(found)
        own = f", and {{step}} is below the path's own step of {least:.3g} {unit}"
        words += f"; {added} {'point was' if added == 1 else 'points were'} inserted where the way-points are far apart"
        words += own if least > problem.max_joint_step else ""
    words += _bent_words(problem, found) + _jump_words(_jumps(problem, found), problem.tables.model)
    return Message(words, step="max_joint_step")


def _own_step(found: Walk) -> float:
    """The most that a joint moves from one way-point to the next, but for jumps [rad or m]."""
    at = np.flatnonzero(found.places == np.floor(found.places))
    moves = np.abs(np.diff(found.q[at], axis=0)).max(axis=1, initial=0.0)
    jumped = np.searchsorted(at, found.jumps) - 1
    return float(np.delete(moves, jumped).max(initial=0.0))


def _jumps(problem: PathProblem, found: Walk) -> tuple[Reconfiguration, ...]:
    """What is told of each jump."""
    told = []
    for point in found.jumps:
        moves, place = np.abs(found.q[point] - found.q[point - 1]), found.places[point - 1]
        k = int(np.argmax(moves))
        in_place = bool(found.places[point] == place)
        joint = problem.tables.model.joint_names[k]
        told.append(Reconfiguration(point, int(np.floor(place)), in_place, joint, float(moves[k])))
    return tuple(told)


def _jump_words(jumps: tuple[Reconfiguration, ...], model: Model) -> str:
    """How often the arm reconfigures, and where; empty if never."""
    if not jumps:
        return ""
    where = ("at" if jump.in_place else "behind" for jump in jumps)
    units = dict(zip(model.joint_names, RADIANS.names(model.joint_kinds), strict=True))
    places = (
        f"{w} way-point {jump.waypoint} ({jump.joint} by {jump.motion:.3g} {units[jump.joint]})"
        for w, jump in zip(where, jumps, strict=True)
    )
    count = "once" if len(jumps) == 1 else f"{len(jumps)} times"
    return f"; the arm reconfigures {count}: {', '.join(places)}"


def _bent_words(problem: PathProblem, found: Walk) -> str:
    """How often the joints left the line between two way-points, and how far; empty if never."""
    if not found.bent:
        return ""
    inserted = np.isin(np.floor(found.places), found.bent) & (found.places != np.floor(found.places))
    errors = _measure(problem, found)[inserted]
    most = errors.max(axis=0, initial=0.0)
    count = "one segment" if len(found.bent) == 1 else f"{len(found.bent)} segments"
    off = f", at the points there by at most {most[AT_POSITION]:.2g} m and {most[AT_ROTATION]:.2g} rad"
    return f"; on {count} the joints leave the straight line{off if inserted.any() else ''}"


def _measure(problem: PathProblem, found: Walk) -> Floats:
    """(M, 3) of each point the position error, the rotation error, and 1 where the target is met."""
    model, path, M = problem.tables.model, problem.path, len(found.q)
    errors = np.empty((M, 3))
    robot, scratch = (model.links, model.joints), np.empty(MEASURE_SCRATCH)
    for first in range(0, M, MEASURED):
        some = (found.places[first : first + MEASURED], found.q[first : first + MEASURED])
        measure_path(*robot, path.goals, path.terms, path.kind, *some, scratch, errors[first : first + MEASURED])
    return errors


def _wrap(
    problem: PathProblem, found: Walk, status: Status, sentence: str, q0: Floats | None, times: Floats | None
) -> Track:
    """The track with every point measured."""
    model, path, M = problem.tables.model, problem.path, len(found.q)
    errors = _measure(problem, found)
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
        waypoints=len(path),
        position_errors=arrays[2],
        rotation_errors=arrays[3],
        steps=steps,
        times=here,
        velocity_limits=model.velocity,
        joint_names=model.joint_names,
        bent=found.bent,
        reconfigurations=_jumps(problem, found),
        joint_units=tuple(RADIANS.names(model.joint_kinds)),
    )
