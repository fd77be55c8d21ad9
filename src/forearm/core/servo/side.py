"""Which way round: a target half a turn off can be turned to by either side, and the limits decide.

The side is chosen once, when the target comes to be nearly half a turn off, by a look ahead along tangents: where would
each way take the joints? It is then kept until the error is small enough to have one side only; chosen anew at every
step, it would change with the pose, and the arm would turn to and fro. A look ahead along tangents may be wrong: a goal
that is stuck on its side, alone ahead of the arm, goes back and takes the other one, once a target (`goal.py`).
"""

import math

from forearm.core.arm.compact import COLUMN, Q
from forearm.core.codes import LOWER, ORIENTATION, POSE, UPPER
from forearm.core.general.lm import column_dot
from forearm.core.jit import leaf, lean
from forearm.core.maths.normal_equations import solve_6x6
from forearm.core.maths.se3 import dot
from forearm.core.servo.state import FIRST_SIDE, IS_SIDED, SIDE, SIDES

NEARLY_ROUND = 1.8  # chord from which on there are two sides [rad]
UNSURE, BETTER = 1.0, 0.2  # by which a look ahead may be wrong, and the long way must be better [rad or m]
LOOK_DAMPING = 1e-4  # of the look ahead, which near a singular pose need not be exact [share of the weight squared]


@leaf
def keep_first_side(numbers):
    """Goes the way that was chosen when the target came, for a goal that sets out to it once more."""
    for i in range(3):
        numbers[SIDE + i] = numbers[FIRST_SIDE + i]
    numbers[IS_SIDED] = 1.0


@leaf
def turns_round(numbers):
    """Takes the other side of a half turn, if only one has been tried for this target; whether it does."""
    if numbers[SIDES] != 1.0:
        return False
    for i in range(3):
        numbers[SIDE + i] = numbers[FIRST_SIDE + i] = -numbers[FIRST_SIDE + i]
    numbers[IS_SIDED], numbers[SIDES] = 1.0, 2.0
    return True


@lean
def choose_side(memory, limits, trial, goal):
    """Turns the rotation error round where it is nearly half a turn and the other side is the chosen one."""
    numbers, e, W = memory.numbers, trial.gauge.e, trial.aim.weight
    if goal.kind != POSE and goal.kind != ORIENTATION:
        return
    chord = math.sqrt(dot(e[3], e[4], e[5], e[3], e[4], e[5])) / W
    if chord < NEARLY_ROUND:
        numbers[IS_SIDED] = 0.0
        return
    is_new = numbers[IS_SIDED] == 0.0
    numbers[SIDES] = max(1.0, numbers[SIDES])
    if is_new:
        turns = has_more_room_behind(limits, trial, chord)
    else:
        turns = dot(e[3], e[4], e[5], numbers[SIDE], numbers[SIDE + 1], numbers[SIDE + 2]) < 0.0
    for i in range(3):
        e[3 + i] = -e[3 + i] if turns else e[3 + i]
        numbers[SIDE + i] = e[3 + i]
        if is_new:
            numbers[FIRST_SIDE + i] = e[3 + i]
    numbers[IS_SIDED] = 1.0


@lean
def has_more_room_behind(limits, trial, chord):
    """Whether the longer way round leaves the joints farther inside their limits than the shorter."""
    arm, e, W = trial.arm, trial.gauge.e, trial.aim.weight
    angle = 2.0 * math.asin(min(1.0, 0.5 * chord))
    x, y, z = e[0], e[1], e[2]
    e[0], e[1], e[2] = 0.0, 0.0, 0.0
    a, b, c, d, f, g = solve_6x6(arm, COLUMN, LOOK_DAMPING * W * W, e)
    e[0], e[1], e[2] = x, y, z
    near, far = 0.0, 0.0
    for k in range(limits.shape[1]):
        move = column_dot(arm, k, a, b, c, d, f, g) / chord
        near += beyond(limits, k, arm[k, Q] + angle * move)
        far += beyond(limits, k, arm[k, Q] - (2.0 * math.pi - angle) * move)
    return far < near - BETTER


@leaf
def beyond(limits, k, value):
    """How far a value that is not sure may lie outside the limits of joint k."""
    return max(0.0, limits[LOWER, k] - value + UNSURE, value - limits[UPPER, k] + UNSURE)
