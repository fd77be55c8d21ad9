"""The goal layer: joint values that follow the target, with no regard yet to speed.

A few damped steps a tick (Levenberg-Marquardt, `core/general/lm.py`) from where the goal was. While the target is
met the goal starts where its own rate takes it: this carries it through folds, where an arm without momentum would
turn back. What the tip does not feel (null space) goes to the posture at rest, and is damped.

A goal that stays off its target is stuck at a fold, a limit or the edge of reach; then each tick makes one try from
a random start, and of the answers of some ticks the one that the arm reaches soonest becomes the goal.
"""

import math

import numpy as np

from forearm.core.arm.compact import COLUMN, HIGH, LOW, Q
from forearm.core.codes import LOWER, ORIENTATION, POSE, UPPER
from forearm.core.general.lm import CHAN, cold, column_dot, compare, differentiate, hold_blocked_joints, stand
from forearm.core.general.solve import draw, free_whole_turns, keep_limits, load, unload
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, copy
from forearm.core.maths.normal_equations import solve_6x6
from forearm.core.servo.state import (
    BLOCKED,
    CHANGES,
    FASTEST,
    FOUND,
    GOAL,
    HAS_REST,
    IS_MET,
    LEFT,
    MARK,
    MAY_CHANGE,
    PLACE,
    RATE,
    REST,
    SLANT,
    SOONEST,
    SPARE,
    STALLED,
    TICK,
    TICKS,
    TRIES,
    UNFELT,
    WEIGHT,
)

FLOOR = 1e-12  # of the damping [share of reach squared]
MET = 1e-8  # squared error below which the goal counts as on its target [share of reach squared]
LARGEST_STEP = 0.2  # of a joint in one step [rad or m]: the goal stays on its branch
# How the rest posture draws [1/s], at most at this share of the greatest speed; time constant of what else moves [s].
DRAWN, DRAWN_MOST, DAMPED = 2.0, 0.05, 0.01
# Half a turn off, both ways round are as long: from this chord on [rad], what the limits leave decides.
NEARLY_ROUND = 1.8
SLANTING = 0.1  # time over which what has priority comes to count more, where both cannot be had [s]
PATIENCE = 0.05  # time in which the error must fall by half, or the goal is stuck [s]
ROUND = 0.016  # time of a round of tries [s], and the least number of them
LEAST_TRIES = 6
TRY_PATIENCE, TRY_STEPS = 4, 24  # steps of a try between two looks at its progress, and at most


@lean
def follow(memory, robot, trial, goal, steps):
    """Moves the goal's joints toward the target; leaves the error of the last look in `trial`."""
    rows, numbers, arm, unit = memory.rows, memory.numbers, trial.arm, trial.aim.unit
    n, dt = rows.shape[1], numbers[TICK]
    keep_limits(robot, arm)
    lead = dt if numbers[IS_MET] != 0.0 else 0.0
    for k in range(n):
        arm[k, Q] = clamp(rows[GOAL, k] + lead * rows[RATE, k], arm[k, LOW], arm[k, HIGH])
    numbers[BLOCKED] = -1.0
    for step in range(steps):
        stand(trial)
        _, E = compare(trial, goal)
        if not trial.aim.banded:
            differentiate(trial, goal)
            choose_side(robot.limits, trial, goal)
        hold_blocked_joints(arm, trial.gauge.e)
        if step == 0:
            unfelt_wish(memory, arm)
        take_bounded_step(memory, trial, CHAN * E + FLOOR * unit, step == 0)
    stand(trial)
    compare(trial, goal)
    for k in range(n):
        rows[GOAL, k] = arm[k, Q]
    E = even_error(numbers, trial)
    numbers[LEFT], numbers[IS_MET] = E, 1.0 if MET * unit >= E else 0.0
    slant = min(1.0, numbers[SLANT] + dt / SLANTING) if MET * unit < E else max(0.0, numbers[SLANT] - dt / SLANTING)
    numbers[SLANT] = slant


@leaf
def even_error(numbers, trial):
    """The squared error of the last look as if nothing had priority."""
    e, share = trial.gauge.e, numbers[WEIGHT] / trial.aim.weight
    position, rotation = e[0] * e[0] + e[1] * e[1] + e[2] * e[2], e[3] * e[3] + e[4] * e[4] + e[5] * e[5]
    return position + share * share * rotation


@leaf
def unfelt_wish(memory, arm):
    """Writes the motion that is wished for where the tip does not feel it; none of joints held at a limit."""
    rows, dt = memory.rows, memory.numbers[TICK]
    for k in range(rows.shape[1]):
        most = DRAWN_MOST * rows[FASTEST, k] * dt
        drawn = clamp(DRAWN * dt * (rows[REST, k] - rows[GOAL, k]), -most, most)
        wish = drawn if memory.numbers[HAS_REST] != 0.0 else 0.0
        wish -= min(1.0, dt / DAMPED) * rows[RATE, k] * dt
        at_limit = arm[k, Q] <= arm[k, LOW] or arm[k, Q] >= arm[k, HIGH]
        rows[UNFELT, k] = 0.0 if at_limit else wish


@leaf
def take_bounded_step(memory, trial, damping, first):
    """Q <- clamp(q + z + J^T (J J^T + damping I)^-1 (e - J z)), no joint farther than the largest step."""
    rows, arm, e = memory.rows, trial.arm, trial.gauge.e
    n, most = rows.shape[1], 0.0
    for k in range(n):
        z = rows[UNFELT, k] if first else 0.0
        rows[SPARE, k] = z
        for i in range(6):
            e[i] -= arm[k, COLUMN + i] * z
    a, b, c, d, f, g = solve_6x6(arm, COLUMN, damping, e)
    for k in range(n):
        rows[SPARE, k] += column_dot(arm, k, a, b, c, d, f, g)
        most = max(most, abs(rows[SPARE, k]))
    share = LARGEST_STEP / most if most > LARGEST_STEP else 1.0
    for k in range(n):
        value = arm[k, Q] + share * rows[SPARE, k]
        if is_held(arm, k):
            memory.numbers[BLOCKED] = k
        arm[k, Q] = clamp(value, arm[k, LOW], arm[k, HIGH])


@leaf
def is_held(arm, k):
    """Whether a variable stands at a limit and its column was taken away."""
    if arm[k, LOW] < arm[k, Q] < arm[k, HIGH]:
        return False
    total = 0.0
    for i in range(6):
        total += abs(arm[k, COLUMN + i])
    return total == 0.0


@lean
def choose_side(limits, trial, goal):
    """Turns the rotation error round where it is nearly half a turn and the other way leaves more room to limits."""
    arm, e, W = trial.arm, trial.gauge.e, trial.aim.weight
    if goal.kind != POSE and goal.kind != ORIENTATION:
        return
    chord = math.sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5]) / W
    if chord < NEARLY_ROUND:
        return
    angle = 2.0 * math.asin(min(1.0, 0.5 * chord))
    damping = FLOOR * trial.aim.unit + 1e-4 * W * W  # of a look ahead: near a singular pose it need not be exact
    x, y, z = e[0], e[1], e[2]
    e[0], e[1], e[2] = 0.0, 0.0, 0.0
    a, b, c, d, f, g = solve_6x6(arm, COLUMN, damping, e)
    e[0], e[1], e[2] = x, y, z
    near, far = 0.0, 0.0
    for k in range(limits.shape[1]):
        move = column_dot(arm, k, a, b, c, d, f, g) / chord
        near += beyond(limits, k, arm[k, Q] + angle * move)
        far += beyond(limits, k, arm[k, Q] - (2.0 * math.pi - angle) * move)
    if far < near:
        e[3], e[4], e[5] = -e[3], -e[4], -e[5]


@leaf
def beyond(limits, k, value):
    """How far a value lies outside the limits of joint k."""
    return max(0.0, limits[LOWER, k] - value, value - limits[UPPER, k])


@lean
def look_elsewhere(memory, robot, trial, goal):
    """Makes one try for another branch if the goal is stuck; True if the goal was moved to one."""
    rows, numbers = memory.rows, memory.numbers
    dt = numbers[TICK]
    if numbers[IS_MET] != 0.0 or numbers[LEFT] < 0.5 * numbers[MARK]:
        numbers[MARK], numbers[STALLED], numbers[TRIES] = numbers[LEFT], 0.0, 0.0
        return False
    numbers[STALLED] += 1.0
    if numbers[STALLED] * dt < PATIENCE or numbers[MAY_CHANGE] == 0.0:
        return False
    if numbers[TRIES] == 0.0:
        numbers[SOONEST] = math.inf
    numbers[TRIES] += 1.0
    arm, q = trial.arm, rows[SPARE]
    free_whole_turns(robot, arm)
    draw(robot.limits, int(numbers[TRIES]) % 2 == 0, np.uint64(numbers[TICKS]), q)
    load(q, arm)
    patience, most = TRY_PATIENCE, TRY_STEPS
    arrived, _, _ = cold(trial, goal, patience, most)
    if arrived:
        unload(arm, robot.limits, rows[PLACE], q)
        needed = 0.0
        for k in range(q.shape[0]):
            needed = max(needed, abs(q[k] - rows[PLACE, k]) / rows[FASTEST, k])
        if needed < numbers[SOONEST]:
            numbers[SOONEST] = needed
            copy(q, rows[FOUND])
    if numbers[TRIES] < max(float(LEAST_TRIES), ROUND / dt):
        return False
    numbers[TRIES] = numbers[STALLED] = 0.0  # a pause until the next round
    if numbers[SOONEST] == math.inf:
        return False
    numbers[CHANGES] += 1.0
    numbers[MARK] = math.inf
    copy(rows[FOUND], rows[GOAL])
    return True
