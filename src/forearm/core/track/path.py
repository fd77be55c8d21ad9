"""The path between way-points, and what a configuration on it is off by.

A place on the path is a number s: way-point i at s = i, and between two of them the straight line
for points and the shortest turn at constant rate for rotations and directions (the chord).
"""

import math
from typing import Any, NamedTuple

from forearm.core.arm.goal import asked_errors, goal_error, meets
from forearm.core.arm.kinematics import fk_tip
from forearm.core.arm.problem import Gauge, Goal
from forearm.core.codes import DIRECTION, POINT_AXIS, TERMS, TOL_AXES, TOL_POSITION, TOL_ROTATION
from forearm.core.collision.distance import shrunk
from forearm.core.jit import leaf, lean
from forearm.core.maths.se3 import relative_rotation, rotation_vector, turn_between
from forearm.core.maths.vectors import cross, dot, length, plus, read, times
from forearm.core.shaped import shaped

MEASURE_SCRATCH = 16 + TERMS + 22  # numbers that `measure_path` works in: a target, a pose and its error
# columns of what `measure_path` writes
AT_POSITION, AT_ROTATION, AT_MEETS = 0, 1, 2


class Path(NamedTuple):
    """Way-points, all of one kind."""

    goals: Any  # (N, 4, 4)
    terms: Any  # (N, 15)
    kind: Any


@leaf
def blend(path, s, goal_out):
    """Writes the target at place s; tolerances are those of the way-point ahead."""
    goals, terms, kind = path
    pose_out, _, terms_out = goal_out
    i = int(s)
    f = s - i
    ahead = i if f == 0.0 else i + 1
    for r in range(4):
        for c in range(4):
            pose_out[r, c] = goals[ahead, r, c]
    for k in range(terms_out.shape[0]):
        terms_out[k] = terms[ahead, k]
    if f == 0.0:
        return
    for r in range(3):
        pose_out[r, 3] = goals[i, r, 3] + f * (goals[ahead, r, 3] - goals[i, r, 3])
    turn = times(f, rotation_vector(relative_rotation(goals[i], goals[ahead])))
    for c in range(3):
        pose_out[0, c], pose_out[1, c], pose_out[2, c] = turned(turn, (goals[i, 0, c], goals[i, 1, c], goals[i, 2, c]))
    if kind == POINT_AXIS:
        a, b = read(terms, i, DIRECTION), read(terms, ahead, DIRECTION)
        turn = times(f, turn_between(a[0], a[1], a[2], b[0], b[1], b[2]))
        terms_out[DIRECTION], terms_out[DIRECTION + 1], terms_out[DIRECTION + 2] = turned(turn, a)


@leaf
def turned(turn, a):
    """The vector a turned by a rotation vector (Rodrigues)."""
    angle = length(turn)
    if angle == 0.0:
        return a
    x, sine, cosine = shrunk(turn, angle), math.sin(angle), math.cos(angle)
    along = (1.0 - cosine) * dot(x, a)
    return plus(plus(times(cosine, a), times(sine, cross(x, a))), times(along, x))


@leaf
def widen(position, rotation, terms):
    """Adds to every tolerance what a pose halfway between two points may be off, in place."""
    terms[TOL_POSITION] += position
    terms[TOL_ROTATION] += rotation
    for i in range(3):
        terms[TOL_AXES + i] += position
        terms[TOL_AXES + 3 + i] += rotation


@leaf
def keeps(links, joints, goal, q, gauge):
    """Whether q meets the goal by forward kinematics."""
    fk_tip(links, joints, q, gauge.T)
    goal_error(gauge.T, goal, gauge.e)
    return meets(goal, gauge.e)


@lean
def measure_path(links, joints, goals, terms, kind, places, Q, work, errors_out):
    """Writes (M, 3) errors and 1 where met, of joint values Q (M, n) at (M,) places; `work`: `MEASURE_SCRATCH`."""
    path, rest = Path(goals, terms, kind), work[16 + TERMS :]
    goal = Goal(shaped(work[:16], (4, 4)), kind, work[16 : 16 + TERMS])
    gauge = Gauge(shaped(work[:0], (3, 0)), shaped(rest[:16], (4, 4)), rest[16:22])
    for j in range(places.shape[0]):
        blend(path, places[j], goal)
        errors_out[j, AT_MEETS] = 1.0 if keeps(links, joints, goal, Q[j], gauge) else 0.0
        errors_out[j, AT_POSITION], errors_out[j, AT_ROTATION] = asked_errors(goal, gauge.e)


@lean
def place_on_path(goals, terms, kind, s, pose_out, terms_out):
    """Writes the target at place s."""
    blend(Path(goals, terms, kind), s, Goal(pose_out, kind, terms_out))
