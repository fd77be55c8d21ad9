"""Segments whose straight line cannot be followed, though the way-point ahead is within a step or a few.

Way-points of a curve that are far apart have straight lines between them that the curve does not follow: a line may
leave the arm's reach, pass a limit or a singularity, where the curve does none of it. There the joints can go straight
from one way-point to the next, and the tip leaves the line by a known distance.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from forearm.common.types import Floats
from forearm.core.codes import DIRECTION, POINT_AXIS, POSITION
from forearm.core.track.path import AT_POSITION, AT_ROTATION, MEASURE_SCRATCH, measure_path
from forearm.tracking.path import cut
from forearm.tracking.walk import CUTS, PathProblem, Walk, walk

LOOKS = 15  # places between two way-points at which the joints' way is measured; the middle is one of them
# Of the way between two way-points, the tip may leave the line by this share: a flip leaves it by far more.
SHARE = 0.5


class Bridge(NamedTuple):
    """The straight way in joints from a way-point to the next."""

    q: Floats  # (n,) joint values there
    step: float  # the most that a joint moves [rad or m]
    off: tuple[float, float]  # how far the tip leaves the line at most [m] and [rad]
    halfway: tuple[float, float]  # and in the middle


def bridge_to(problem: PathProblem, q: Floats, ahead: Floats, first: int) -> Bridge | None:
    """The way in joints from q at a way-point to values at the one behind it; None if it leaves the line too far."""
    one = replace(problem, path=cut(problem.path, float(first), first + 1.0, 1))
    bridge = _measured(one, q, ahead)
    return bridge if _is_near(one, bridge) else None


def find_bridge(problem: PathProblem, q: Floats, first: int) -> Bridge | None:
    """The way in joints from q at a way-point to the one behind it, in one step if it can be; None if there is none."""
    part = cut(problem.path, float(first), first + 1.0, 1)
    for box in (problem.max_joint_step, problem.max_joint_step * 2**CUTS):
        loose = replace(problem, path=part, max_joint_step=box, halfway=(np.inf, np.inf), insert=False, progress=None)
        found = walk(loose, loose.plan(), loose.node(q))
        if found.arrived:
            bridge = _measured(loose, q, found.q[-1])
            if _is_near(loose, bridge):
                return bridge
    return None


def _measured(problem: PathProblem, q: Floats, ahead: Floats) -> Bridge:
    """The bridge between the joint values of both ends of a path of one segment."""
    model, path = problem.tables.model, problem.path
    shares = np.linspace(0.0, 1.0, LOOKS + 2)[1:-1]
    way, errors = np.ascontiguousarray(q + shares[:, None] * (ahead - q)), np.empty((LOOKS, 3))
    measure_path(
        model.links, model.joints, path.goals, path.terms, path.kind, shares, way, np.empty(MEASURE_SCRATCH), errors
    )
    off, middle = errors.max(axis=0), errors[LOOKS // 2]
    return Bridge(
        ahead,
        float(np.abs(ahead - q).max()),
        (float(off[AT_POSITION]), float(off[AT_ROTATION])),
        (float(middle[AT_POSITION]), float(middle[AT_ROTATION])),
    )


def _is_near(problem: PathProblem, bridge: Bridge) -> bool:
    """Whether the tip stays near the line of a path of one segment, by its length; a turn counts as in a solve."""
    (a, b), (before, behind), weight = problem.path.goals, problem.path.terms, problem.tables.rotation_weight
    chord = float(np.linalg.norm(b[:3, :3] - a[:3, :3])) / np.sqrt(2.0)  # 2 sin(angle / 2)
    if problem.path.kind in (POINT_AXIS, POSITION):
        chord = float(np.linalg.norm(behind[DIRECTION:] - before[DIRECTION:])) * (problem.path.kind == POINT_AXIS)
    length = float(np.linalg.norm(b[:3, 3] - a[:3, 3])) + weight * chord
    return bool(bridge.off[0] + weight * bridge.off[1] <= SHARE * length)


def walk_on(problem: PathProblem, plan: Floats, found: Walk, posture: Floats | None = None) -> Walk:
    """A walk gone on with over every segment that must be bridged; as it was where the line has to be kept."""
    bent = list(found.bent)
    while problem.between == "joints" and not found.arrived:
        first = int(np.floor(found.place))
        kept = found.places <= first
        places, Q = found.places[kept], found.q[kept]
        bridge = find_bridge(problem, Q[-1], first)
        if bridge is None:
            break
        way = along(problem, Q[-1], bridge.q, first)
        bent.append(first)
        rest = walk(problem, plan, problem.node(bridge.q, first + 1.0), posture=posture)
        places = np.concatenate([places, way.places[1:], rest.places[1:]])
        found = Walk(places, np.concatenate([Q, way.q[1:], rest.q[1:]]), rest.arrived, tuple(bent))
    return found


def along(problem: PathProblem, q: Floats, ahead: Floats, first: int) -> Walk:
    """The points of a bridge, its ends among them, as many as keep the bound on steps."""
    pieces = max(1, int(np.ceil(float(np.abs(ahead - q).max()) / problem.max_joint_step)))
    shares = np.arange(pieces + 1) / pieces
    way = q + shares[:, None] * (ahead - q)
    way[-1] = ahead
    return Walk(first + shares, way, True, (first,))
