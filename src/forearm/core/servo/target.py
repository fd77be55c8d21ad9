"""What a tick is given: a target, a twist, nothing, or something that is none.

A target that stays the same for some ticks between changes comes from a slower source; from its second such change on
the way to it is spread over as many ticks as the last one took to come. A twist moves the target by itself, on
a leash to the tip: it never runs far ahead of an arm that cannot follow.
"""

import math

from forearm.core.codes import (
    DIRECTION,
    OPENED,
    POINT_AXIS,
    POSE,
    RIGID_SLACK,
    TERMS,
    TOL_AXES,
    TOL_POSITION,
    TOL_ROTATION,
)
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy, copy_rows
from forearm.core.maths.se3 import apply_rotation, is_rigid, norm, relative_rotation, rotation_vector
from forearm.core.maths.vectors import apply, rotation
from forearm.core.servo.state import (
    AGE,
    FOLLOWED,
    FROM_TIP,
    INTERPOLATES,
    IS_SLOW,
    NO_TARGET,
    PERIOD,
    SIDES,
    SILENT,
    TICK,
    TO_GO,
    TWIST,
)

# Changes farther apart than this [s] are steps, not a slow stream; intervals that differ by no more than this factor
# are of one stream.
SLOW, ALIKE = 0.12, 2.5
# The leash of a twist: so long as its speed goes in this time [s], and a little [m], [rad].
LEASH_TIME, LEASH, LEASH_ANGLE = 0.1, 0.001, 0.002
TWIST_TOLERANCE = 1e-6  # of the pose that a twist moves [m] and [rad]


@lean
def take_target(memory, asked, pose, T_tip):
    """Reads what a tick is given into what is followed; whether it was good: a target, and sound."""
    numbers = memory.numbers
    kind = int(asked[0])
    if kind == TWIST:
        good = take_twist(memory, asked[1:], T_tip)
    else:
        good = kind != NO_TARGET and is_sound(kind, asked[1:], pose)
        take_place(memory, kind, good, asked[1:], pose, T_tip)
    numbers[SILENT] = 0.0 if good else numbers[SILENT] + 1.0
    return good


@lean
def take_place(memory, kind, good, terms, pose, T_tip):
    """Reads a target that is no twist, if it is good; else what was followed is followed on."""
    numbers = memory.numbers
    numbers[AGE] += 1.0
    if good:
        if kind != int(numbers[FOLLOWED]) or not is_same(memory, terms, pose):
            note_change(memory, kind)
            copy_rows(pose, memory.given)
            copy(terms, memory.given_terms)
            numbers[FOLLOWED] = kind
    elif numbers[FOLLOWED] == TWIST:
        take_twist(memory, memory.given_terms, T_tip)  # they are zero
    if numbers[FOLLOWED] != TWIST and numbers[FOLLOWED] != NO_TARGET:
        approach(memory)


@leaf
def is_sound(kind, terms, pose):
    """Whether a target is finite, and a rigid transform; a point needs no rotation, but has one."""
    for i in range(DIRECTION, TERMS):
        if not math.isfinite(terms[i]):
            return False
    return is_rigid(pose, RIGID_SLACK)


@leaf
def is_same(memory, terms, pose):
    """Whether a target is the one given last, to the bit."""
    for i in range(3):
        for j in range(4):
            if pose[i, j] != memory.given[i, j]:
                return False
    for i in range(TERMS):
        if terms[i] != memory.given_terms[i]:
            return False
    return True


@leaf
def note_change(memory, kind):
    """Decides how many ticks the way to a new target takes: one, or as many as it took to come."""
    numbers = memory.numbers
    age, before = numbers[AGE], numbers[PERIOD]
    alike = age <= ALIKE * before and before <= ALIKE * age
    is_slow = numbers[INTERPOLATES] != 0.0 and age > 1.0 and age * numbers[TICK] <= SLOW and alike
    numbers[IS_SLOW] = 1.0 if is_slow else 0.0
    numbers[TO_GO] = age if is_slow and kind == int(numbers[FOLLOWED]) else 1.0
    numbers[PERIOD], numbers[AGE] = age, 0.0
    numbers[SIDES] = 0.0


@lean
def approach(memory):
    """Moves what is followed on to the target that was given: there at once, or a share of the way left."""
    numbers, T, goal = memory.numbers, memory.pose, memory.given
    left = numbers[TO_GO]
    if left <= 1.0:
        copy_rows(goal, T)
        copy(memory.given_terms, memory.terms)
        return
    numbers[TO_GO] = left - 1.0
    x, y, z = rotation_vector(relative_rotation(T, goal))
    for i in range(3):
        T[i, 3] += (goal[i, 3] - T[i, 3]) / left
    turn_pose(T, x / left, y / left, z / left)
    d, given = memory.terms, memory.given_terms
    for i in range(DIRECTION):  # what is on the way is judged by the tolerances of where it goes
        d[i] = given[i]
    if int(numbers[FOLLOWED]) == POINT_AXIS:
        for i in range(DIRECTION, TERMS):
            d[i] += (given[i] - d[i]) / left
        size = norm(d[DIRECTION], d[DIRECTION + 1], d[DIRECTION + 2])
        for i in range(DIRECTION, TERMS):
            d[i] = d[i] / size if size > 0.0 else given[i]


@leaf
def turn_pose(T, x, y, z):
    """Turns a pose in place about its own origin by a rotation vector in the base frame."""
    angle = norm(x, y, z)
    if angle == 0.0:
        return
    R = rotation((x / angle, y / angle, z / angle), angle)
    for j in range(3):
        T[0, j], T[1, j], T[2, j] = apply(R, (T[0, j], T[1, j], T[2, j]))


@lean
def take_twist(memory, twist, T_tip):
    """Moves the followed pose by a twist for one tick, on its leash to the tip; whether the twist was finite."""
    numbers, T, dt = memory.numbers, memory.pose, memory.numbers[TICK]
    # squares that overflow are no speeds either: no pose could be turned by them
    good = math.isfinite(norm(twist[0], twist[1], twist[2])) and math.isfinite(norm(twist[3], twist[4], twist[5]))
    if numbers[FOLLOWED] != TWIST:
        copy_rows(T_tip, T)
        copy_rows(T_tip, memory.given)
        numbers[FOLLOWED] = TWIST
        memory.given_terms[:] = 0.0  # what a twist that stops coming leaves
        memory.terms[TOL_AXES:OPENED] = math.inf
        memory.terms[OPENED:] = 0.0
        memory.terms[TOL_POSITION] = memory.terms[TOL_ROTATION] = TWIST_TOLERANCE
    share = dt if good else 0.0
    x, y, z = (twist[0], twist[1], twist[2]) if good else (0.0, 0.0, 0.0)
    u, v, w = (twist[3], twist[4], twist[5]) if good else (0.0, 0.0, 0.0)
    if twist[FROM_TIP] != 0.0:
        x, y, z = apply_rotation(T, x, y, z)
        u, v, w = apply_rotation(T, u, v, w)
    T[0, 3] += share * x
    T[1, 3] += share * y
    T[2, 3] += share * z
    turn_pose(T, share * u, share * v, share * w)
    pull_back(T, T_tip, LEASH + LEASH_TIME * norm(x, y, z), LEASH_ANGLE + LEASH_TIME * norm(u, v, w))
    return good


@leaf
def pull_back(T, T_tip, most, most_angle):
    """Moves a pose to within a distance and an angle of the tip."""
    x, y, z = T[0, 3] - T_tip[0, 3], T[1, 3] - T_tip[1, 3], T[2, 3] - T_tip[2, 3]
    away = norm(x, y, z)
    if away > most:
        share = most / away
        T[0, 3], T[1, 3], T[2, 3] = T_tip[0, 3] + share * x, T_tip[1, 3] + share * y, T_tip[2, 3] + share * z
    u, v, w = rotation_vector(relative_rotation(T_tip, T))
    angle = norm(u, v, w)
    if angle > most_angle:
        back = (most_angle - angle) / angle
        turn_pose(T, back * u, back * v, back * w)


@leaf
def kind_followed(numbers):
    """The kind of the target that is followed, as solvers know it: a twist moves a pose."""
    kind = int(numbers[FOLLOWED])
    return POSE if kind == TWIST else kind


@leaf
def is_on_the_way(numbers):
    """Whether ticks without a target are no more than what a slow stream leaves between two of them."""
    return numbers[IS_SLOW] != 0.0 and numbers[SILENT] <= ALIKE * numbers[PERIOD]
