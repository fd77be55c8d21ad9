"""The path between way-points, and what a configuration on it is off by.

A place on the path is a number s: way-point i at s = i, and between two of them the straight line
for points and the shortest turn at constant rate for rotations and directions (the chord).
"""

import math

from forearm.core.arm.goal import asked_errors, goal_error, meets
from forearm.core.arm.kinematics import fk_tip
from forearm.core.arm.problem import Goal
from forearm.core.codes import DIRECTION, POINT_AXIS, TOL_AXES, TOL_POSITION, TOL_ROTATION
from forearm.core.jit import kernel, leaf
from forearm.core.maths.se3 import cross, dot, norm, relative_rotation, rotation_vector, turn_between
from forearm.core.shaped import shaped

# columns of what `measure_path` writes
AT_POSITION, AT_ROTATION, AT_MEETS = 0, 1, 2


@leaf
def blend(goals, terms, kind, s, goal_out, terms_out):
    """Writes the target at place s; tolerances are those of the way-point ahead."""
    i = int(s)
    f = s - i
    ahead = i if f == 0.0 else i + 1
    for r in range(4):
        for c in range(4):
            goal_out[r, c] = goals[ahead, r, c]
    for k in range(terms_out.shape[0]):
        terms_out[k] = terms[ahead, k]
    if f == 0.0:
        return
    for r in range(3):
        goal_out[r, 3] = goals[i, r, 3] + f * (goals[ahead, r, 3] - goals[i, r, 3])
    x, y, z = rotation_vector(relative_rotation(goals[i], goals[ahead]))
    for c in range(3):
        a, b, d = goals[i, 0, c], goals[i, 1, c], goals[i, 2, c]
        goal_out[0, c], goal_out[1, c], goal_out[2, c] = turned(f * x, f * y, f * z, a, b, d)
    if kind == POINT_AXIS:
        a, b, d = terms[i, DIRECTION], terms[i, DIRECTION + 1], terms[i, DIRECTION + 2]
        u, v, w = terms[ahead, DIRECTION], terms[ahead, DIRECTION + 1], terms[ahead, DIRECTION + 2]
        x, y, z = turn_between(a, b, d, u, v, w)
        u, v, w = turned(f * x, f * y, f * z, a, b, d)
        terms_out[DIRECTION], terms_out[DIRECTION + 1], terms_out[DIRECTION + 2] = u, v, w


@leaf
def turned(x, y, z, a, b, c):
    """The vector (a, b, c) turned by the rotation vector (x, y, z) (Rodrigues)."""
    angle = norm(x, y, z)
    if angle == 0.0:
        return a, b, c
    x, y, z = x / angle, y / angle, z / angle
    sine, cosine = math.sin(angle), math.cos(angle)
    u, v, w = cross(x, y, z, a, b, c)
    along = (1.0 - cosine) * dot(x, y, z, a, b, c)
    return cosine * a + sine * u + along * x, cosine * b + sine * v + along * y, cosine * c + sine * w + along * z


@leaf
def widen(position, rotation, terms):
    """Adds to every tolerance what a pose halfway between two points may be off, in place."""
    terms[TOL_POSITION] += position
    terms[TOL_ROTATION] += rotation
    for i in range(3):
        terms[TOL_AXES + i] += position
        terms[TOL_AXES + 3 + i] += rotation


@leaf
def keeps(links, joints, goal, kind, terms, q, T, e):
    """Whether q meets the goal by forward kinematics."""
    fk_tip(links, joints, q, T)
    asked = Goal(goal, kind, terms)
    goal_error(T, asked, e)
    return meets(asked, e)


@kernel
def measure_path(links, joints, goals, terms, kind, places, Q, work, errors_out):
    """Writes (M, 3) position error, rotation error, and 1 where the target is met.

    Args:
        places: (M,) places on the path.
        Q: (M, n) joint values there.
        work: (52,) scratch.
    """
    T, goal, e, here = shaped(work[:16], (4, 4)), shaped(work[16:32], (4, 4)), work[32:38], work[38:52]
    for j in range(places.shape[0]):
        blend(goals, terms, kind, places[j], goal, here)
        errors_out[j, AT_MEETS] = 1.0 if keeps(links, joints, goal, kind, here, Q[j], T, e) else 0.0
        errors_out[j, AT_POSITION], errors_out[j, AT_ROTATION] = asked_errors(Goal(goal, kind, here), e)


@kernel
def place_on_path(goals, terms, kind, s, goal_out, terms_out):
    """Writes the target at place s."""
    blend(goals, terms, kind, s, goal_out, terms_out)
