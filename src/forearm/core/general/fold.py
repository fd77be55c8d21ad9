"""Poses without what the first and the last joint only turn, and what tells such poses apart.

A turn of the first joint only turns the pose about its axis, and a turn of the last only turns
the tip about its own; so both are left out ("folded") and set afterwards to match the target.
What remains of a pose is a point in a half plane (radius, height) and a direction, four numbers.
A joint that slides, or that shares its variable, is not folded; a target that asks for less than
a pose is described by what it asks.
"""

import math

from forearm.core.arm.problem import DRIVEN, FOLD_FIRST, FOLD_LAST, LENGTH, REACH, SLIDE, UP
from forearm.core.codes import KIND, LOWER, ORIENTATION, POINT_AXIS, POSE, POSITION, PRISMATIC, RATIO, UPPER, VARIABLE
from forearm.core.jit import leaf, lean
from forearm.core.maths.se3 import apply_inverse_rotation
from forearm.core.maths.sincos import sincos

# places of a folded pose's features: three of position, nine of direction
PLACE, HEADING, FEATURES = 0, 3, 12
HALF_SQRT2 = math.sqrt(0.5)


@lean
def measure_chain(links, joints, limits, kind, facts_out):
    """Writes the chain's reach and unit of length, and which ends of it are folded."""
    m = joints.shape[0]
    reach = chain_length(links, joints, limits)
    if reach == 0.0 or reach == math.inf:
        reach = 1.0
    first, last = can_fold(joints, 0), can_fold(joints, m - 1)
    if m < 3:
        first = last = False
    if kind == ORIENTATION and not (first and last):
        first = last = False
    if kind == POSITION or kind == POINT_AXIS:
        last = False
    facts_out[REACH] = reach
    facts_out[LENGTH] = reach / 3.0
    facts_out[SLIDE] = wrist_slide(links, joints) if last else 0.0
    facts_out[FOLD_FIRST] = 1.0 if first else 0.0
    facts_out[FOLD_LAST] = 1.0 if last else 0.0


@leaf
def chain_length(links, joints, limits):
    """The length of all links behind the first joint and of all slides at their longest [m]."""
    length = 0.0
    for i in range(joints.shape[0]):
        C = links[i + 1]
        length += math.sqrt(C[0, 3] ** 2 + C[1, 3] ** 2 + C[2, 3] ** 2)
        if joints[i, KIND] == PRISMATIC:
            k = int(joints[i, VARIABLE])
            length += abs(joints[i, RATIO]) * max(abs(limits[LOWER, k]), abs(limits[UPPER, k]))
    return length


@leaf
def can_fold(joints, i):
    """Whether moving joint i turns, and has its variable to itself one to one."""
    if joints[i, KIND] == PRISMATIC or joints[i, RATIO] != 1.0:
        return False
    for other in range(joints.shape[0]):
        if other != i and joints[other, VARIABLE] == joints[i, VARIABLE]:
            return False
    return True


@leaf
def wrist_slide(links, joints):
    """How far along the last axis the point nearest to the axis before it lies [m]."""
    m = joints.shape[0]
    C = links[m - 1]
    square = C[0, 2] ** 2 + C[1, 2] ** 2
    if joints[m - 2, KIND] == PRISMATIC or square < 1e-12:
        return 0.0
    return -(C[0, 3] * C[0, 2] + C[1, 3] * C[1, 2]) / square


@leaf
def fold(links, facts, T, X_out):
    """X = C0^-1 T, and where the last joint is folded also Cn^-1 and the slide along its axis."""
    first, last = links[0], links[links.shape[0] - 1]
    dx, dy, dz = T[0, 3] - first[0, 3], T[1, 3] - first[1, 3], T[2, 3] - first[2, 3]
    X_out[0, 3], X_out[1, 3], X_out[2, 3] = apply_inverse_rotation(first, dx, dy, dz)
    for j in range(3):
        X_out[0, j], X_out[1, j], X_out[2, j] = apply_inverse_rotation(first, T[0, j], T[1, j], T[2, j])
    if facts[FOLD_LAST] == 0.0:
        return
    for i in range(3):
        a, b, c = X_out[i, 0], X_out[i, 1], X_out[i, 2]
        for j in range(3):
            X_out[i, j] = a * last[j, 0] + b * last[j, 1] + c * last[j, 2]
        back = X_out[i, 0] * last[0, 3] + X_out[i, 1] * last[1, 3] + X_out[i, 2] * last[2, 3]
        X_out[i, 3] += facts[SLIDE] * X_out[i, 2] - back


@leaf
def fold_angles(kind, facts, X):
    """The angles of the folded ends: of the point about the first axis, of the tip about the last."""
    first_angle, last_angle = 0.0, 0.0
    if facts[FOLD_FIRST] != 0.0:
        column = 2 if kind == ORIENTATION else 3
        first_angle = math.atan2(X[1, column], X[0, column])
    if facts[FOLD_LAST] != 0.0:
        last_angle = math.atan2(X[2, 1], -X[2, 0])
    return first_angle, last_angle


@leaf
def describe(kind, facts, angle, X, f_out):
    """Writes the features of a folded pose: its place, and what matters of its heading."""
    for j in range(FEATURES):
        f_out[j] = 0.0
    s, c = sincos(angle)
    folded = facts[FOLD_FIRST] != 0.0
    if kind == ORIENTATION:
        if folded:
            write_place(c, s, 1.0, True, X, 2, f_out)
    elif facts[DRIVEN] != 0.0:  # the base drives to the rest of its place
        f_out[PLACE] = (facts[UP] * X[0, 3] + facts[UP + 1] * X[1, 3] + facts[UP + 2] * X[2, 3]) / facts[LENGTH]
    else:
        write_place(c, s, 1.0 / facts[LENGTH], folded, X, 3, f_out)
    if kind == POINT_AXIS:
        for j in range(3):
            write_heading(c, s, 1.0, X, j, j, f_out)
    elif kind == POSE and facts[FOLD_LAST] != 0.0:
        write_heading(c, s, 1.0, X, 2, 0, f_out)
    elif kind == POSE or (kind == ORIENTATION and not folded):
        write_heading(c, s, HALF_SQRT2, X, 0, 0, f_out)
        write_heading(c, s, HALF_SQRT2, X, 1, 1, f_out)


@leaf
def write_place(c, s, scale, folded, X, column, f_out):
    """A column of X as (radius, height), or whole where the first joint is not folded."""
    x, y = c * X[0, column] + s * X[1, column], c * X[1, column] - s * X[0, column]
    f_out[PLACE] = scale * x
    f_out[PLACE + 1] = scale * (X[2, column] if folded else y)
    f_out[PLACE + 2] = 0.0 if folded else scale * X[2, column]


@leaf
def write_heading(c, s, scale, X, column, place, f_out):
    """A column of X turned back about z, as the heading's given triple."""
    f_out[HEADING + 3 * place] = scale * (c * X[0, column] + s * X[1, column])
    f_out[HEADING + 3 * place + 1] = scale * (c * X[1, column] - s * X[0, column])
    f_out[HEADING + 3 * place + 2] = scale * X[2, column]
