"""Why a walk along a path could not go on, and what to do: the first of four questions that is answered by yes.

1. Too coarse: do smaller steps lead through? (Through a true jump they do not shrink.)
2. Limits: does the same motion go on without joint limits, or does nothing inside them reach?
3. Out of reach: does nothing at all reach, not even without limits?
4. Otherwise: a singularity, where the branch ends or turns faster than the bound allows.

But where the joints can go on to the way-point ahead and only the straight line to it cannot be followed, the
way-points are too far apart, whatever stands on the line: that is said, with what to do.
"""

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from forearm.arm.configurations import RADIANS
from forearm.common.types import Floats
from forearm.core.arm.kinematics import jacobian
from forearm.core.codes import LIMIT_SLACK, ORIENTATION, POSITION
from forearm.core.track.guard import CERTAIN
from forearm.errors import Message, within
from forearm.results.solution import Status
from forearm.solve.explain import gap_to_reach
from forearm.solve.methods.layout import chain_and_facts
from forearm.solve.problem import GENERAL
from forearm.targets.target import ROWS
from forearm.tracking.bridge import Bridge, find_bridge
from forearm.tracking.path import cut
from forearm.tracking.walk import CUTS, PathProblem, Walk, walk

FINER = (2, 4, 8, 16, 32, 64)  # pieces of the segment that stopped the walk, tried in this order
COARSE, FINE = 8, 16  # pieces of it that are followed whatever the steps
SHRINKS = 0.75  # steps of half the size are below this share, unless the joints jump
BETWEEN = 11  # configurations looked at between two points that may collide
TRIES = 256  # starts before a target counts as unreachable: about 1 in 100,000 needs more
LOOSER = 1.1  # what is proposed as a tolerance, as a share of what is needed: rounded to two digits it still does
SHORTER = 0.5  # of what a line takes, a way in joints that is shorter than this share is told first
PROBE = 0.5**CUTS  # how far beyond the stop the path is looked at [way-points]


class Finer(NamedTuple):
    """What following a segment in smaller steps takes."""

    motion: float  # the most that a joint moves [rad or m]
    pieces: int | None  # so many of the whole segment lead through inside all bounds, if that is known


def name_stop(problem: PathProblem, found: Walk) -> tuple[Status, str]:
    """The status of a walk that did not arrive, and the sentence."""
    ahead = int(np.floor(found.place)) + 1
    where = f"stopped at way-point {ahead} of {len(problem.path)}"
    if found.place > ahead - 1:
        where = f"stopped between way-points {ahead - 1} and {ahead} of {len(problem.path)}"
    status, why = _why(problem, found, ahead)
    return status, within(where, why)


def _why(problem: PathProblem, found: Walk, ahead: int) -> tuple[Status, str]:
    q, place = found.q[-1], found.place
    if problem.guard is not None:
        blocked = _what_collides(problem, q, place, ahead)
        if blocked:
            return Status.COLLISION, blocked
        problem = replace(problem, guard=None)
    finer = _cut_finer(problem, found, ahead)
    bridge = find_bridge(problem, found.q[found.places == ahead - 1][-1], ahead - 1)
    if finer is not None and (bridge is None or bridge.step > SHORTER * finer.motion):
        return Status.TOO_COARSE, _coarse_sentence(problem, finer)
    blockers = _blockers(problem, q, place, ahead)
    if bridge is not None:
        return Status.TOO_COARSE, _line_sentence(problem, bridge, _what_of_the_line(problem, finer, blockers, ahead))
    if blockers:
        return Status.LIMITS, f"{blockers} in the way; without them the same motion goes on"
    return _why_no_answer(problem, q, place, ahead)


def _what_of_the_line(problem: PathProblem, finer: Finer | None, blockers: str, ahead: int) -> str:
    """What keeps the joints from following a line, in words; where that is not known, only that no way was found."""
    line, most, unit = f"the straight line to way-point {ahead}", problem.max_joint_step, _unit(problem)
    if finer is not None:
        moves = f"on it a joint moves {finer.motion:.3g} {unit}, most of it at once"
        return f"{line} cannot be followed in steps of {most:.3g} {unit} ({moves})"
    return f"{line} cannot be followed ({blockers} in the way on it)" if blockers else f"no way along {line} was found"


def _line_sentence(problem: PathProblem, bridge: Bridge, line: str) -> str:
    """What to do where the way-point ahead is met and the line to it is not followed."""
    words = f"{line}, though the way-point itself is reached by moving no joint more than {bridge.step:.3g} "
    words += f"{_unit(problem)}; if the path bends there, give more way-points of it, or let "
    words += "the joints leave the line: {between}"
    if bridge.step <= problem.max_joint_step:
        metres, radians = (LOOSER * off for off in np.maximum(bridge.halfway, problem.halfway))
        words += f", or {{halfway}} of {metres:.2g} m and {radians:.2g} rad"
    return Message(words, halfway="halfway_tol", between="between='joints'")


def _what_collides(problem: PathProblem, q: Floats, place: float, ahead: int) -> str:
    """What the same motion would come too near to if it went on; empty if it does not go on even so."""
    assert problem.guard is not None
    bare = replace(problem, guard=None, progress=None)
    found = walk(bare, bare.plan(), bare.node(q, place), until=float(ahead))
    if len(found.q) < 2:
        return ""
    steps = np.linspace(0.0, 1.0, BETWEEN)[:, None]
    way = np.concatenate([a + steps * (b - a) for a, b in pairwise(found.q)])
    gaps, nearest = problem.guard.measure(way, problem.guard.clearance + CERTAIN)
    worst = int(np.argmin(gaps))
    if gaps[worst] == np.inf:
        return ""
    what = problem.guard.tell(gaps[worst], nearest[worst], way[worst])
    return f"the same motion would go on too near: {what} (clearance {problem.guard.clearance:g} m)"


def _why_no_answer(problem: PathProblem, q: Floats, place: float, ahead: int) -> tuple[Status, str]:
    """Asks what the path allows anywhere, not only near q: a little beyond the stop, then at the way-point ahead."""
    free, goals = problem.released(), (min(place + PROBE, float(ahead)), float(ahead))
    without_limits = {}
    for goal in goals:
        found = free.search(goal, TRIES, q0=q)
        if found is None:
            gap, proof = gap_to_reach(problem.single(goal))
            what = _place_in_words(problem, goal, ahead)
            unproven = f"no joint values were found that reach {what}, not even without joint limits"
            return Status.OUT_OF_REACH, (proof if goal == ahead else within(what, proof)) if gap > 0.0 else unproven
        without_limits[goal] = found
    for goal in goals:
        other = problem.search(goal, TRIES, q0=q)
        if other is None:
            limits, what = _limits_passed(problem, without_limits[goal]), _place_in_words(problem, goal, ahead)
            blockers = limits or "the joint limits are"
            return Status.LIMITS, f"no joint values inside the limits reach {what}; {blockers} in the way"
    assert other is not None
    return Status.SINGULARITY, _singular_sentence(problem, q, other)


def _place_in_words(problem: PathProblem, goal: float, ahead: int) -> str:
    """The way-point ahead, or a place on the line to it, with whether that way-point is reached."""
    if goal == ahead:
        return f"way-point {ahead}"
    words = f"the straight line to way-point {ahead} at {goal - ahead + 1.0:.3f} of the way"
    return words if problem.search(float(ahead), TRIES) is None else words + " (the way-point itself is reached)"


def _cut_finer(problem: PathProblem, found: Walk, ahead: int) -> Finer | None:
    """What leads through the segment if smaller steps do, else None: its pieces inside all bounds, or its rest."""
    q, first, bare = found.q[found.places == ahead - 1][-1], ahead - 1.0, replace(problem, progress=None)
    for pieces in FINER:
        way = _followed(replace(bare, path=cut(problem.path, first, float(ahead), pieces)), q)
        if way is not None:
            return Finer(_motion(way), pieces)
    way = _followed(replace(bare, path=cut(problem.path, found.place, float(ahead), FINER[-1])), found.q[-1])
    return _shrinking(bare, found, ahead) if way is None else Finer(_motion(way), None)


def _shrinking(problem: PathProblem, found: Walk, ahead: int) -> Finer | None:
    """What leads through the rest of a segment in steps however large that shrink as it is cut; None if none do."""
    loose, steps, way = replace(problem, max_joint_step=np.inf, halfway=(np.inf, np.inf), insert=False), [], None
    for pieces in (COARSE, FINE):
        way = _followed(replace(loose, path=cut(problem.path, found.place, float(ahead), pieces)), found.q[-1])
        if way is None:
            return None
        steps.append(float(np.abs(np.diff(way, axis=0)).max()))
    assert way is not None
    return Finer(_motion(way), None) if steps[1] < SHRINKS * steps[0] else None


def _followed(problem: PathProblem, q: Floats) -> Floats | None:
    """(M, n) points of a walk from q that comes to the end of a path; None if it does not."""
    found = walk(problem, problem.plan(), problem.node(q))
    return found.q if found.arrived else None


def _motion(way: Floats) -> float:
    """How far the joint that moves most goes, to and fro."""
    return float(np.abs(np.diff(way, axis=0)).sum(axis=0).max())


def _unit(problem: PathProblem) -> str:
    """What a step is measured in: the joints' unit."""
    return RADIANS.joint(problem.tables.model.joint_kinds)


def _coarse_sentence(problem: PathProblem, finer: Finer) -> str:
    most, unit = problem.max_joint_step, _unit(problem)
    if finer.motion > most:
        means = f"a joint must move {finer.motion:.3g} {unit} here, more than {{step}} = {most:.3g} {unit}"
        means += ", most of it at once" if problem.insert else ""
    else:
        means = "the pose halfway leaves the line between the way-points by more than {halfway}"
    remedy = "give more way-points" if problem.insert else "give more way-points, or {insert}"
    if finer.pieces is not None:
        remedy += f"; {finer.pieces - 1} between these two are enough"
    names = {"step": "max_joint_step", "halfway": "halfway_tol", "insert": "insert=True"}
    return Message(f"the way-points are too far apart: {means}; {remedy}", **names)


def _blockers(problem: PathProblem, q: Floats, place: float, ahead: int) -> str:
    """The limits that are passed where the same motion goes on without them; empty if it does not."""
    free = problem.released()
    found = walk(free, free.plan(), free.node(q, place), until=float(ahead))
    if not found.arrived:
        return ""
    farthest = found.q[np.argmax(np.max(np.maximum(problem.limits[0] - found.q, found.q - problem.limits[1]), axis=1))]
    return _limits_passed(problem, farthest)


def _limits_passed(problem: PathProblem, q: Floats) -> str:
    """The joints outside their limits, in words; empty if there are none."""
    out = (q < problem.limits[0] - LIMIT_SLACK) | (q > problem.limits[1] + LIMIT_SLACK)
    names = [name for name, beyond in zip(problem.tables.model.joint_names, out, strict=True) if beyond]
    return f"the limits of {'joint' if len(names) == 1 else 'joints'} {', '.join(names)} are" if names else ""


def _singular_sentence(problem: PathProblem, q: Floats, other: Floats) -> str:
    moves = np.abs(other - q)
    k = int(np.argmax(moves))
    model = problem.tables.model
    name, unit = model.joint_names[k], RADIANS.names(model.joint_kinds)[k]
    return (
        f"the arm is near a singularity (smallest singular value {smallest_singular_value(problem, q):.2g}) and cannot "
        f"go on along the line from there in steps of {problem.max_joint_step:.3g} {_unit(problem)}; other joint "
        f"values reach it, the nearest found moves {name} by {moves[k]:.3g} {unit}"
        + (", on a way that leaves the line" if moves[k] <= problem.max_joint_step else "")
    )


def smallest_singular_value(problem: PathProblem, q: Floats) -> float:
    """Of the Jacobian's rows that the path asks for, rotation in metres at a fifth of the reach."""
    model, kind = problem.tables.model, problem.path.kind
    J, frames = np.empty((6, model.n)), np.empty((model.m + 1, 4, 4))
    jacobian(model.links, model.joints, q, frames, J)
    _, facts = chain_and_facts(problem.tables.of(GENERAL, kind)[0], model)
    J[3:] *= 0.2 * facts[0]
    rows = {POSITION: J[:3], ORIENTATION: J[3:]}.get(kind, J)
    singular = np.linalg.svd(rows, compute_uv=False)
    return float(singular[min(ROWS[kind], len(singular)) - 1])
