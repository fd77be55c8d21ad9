"""The goal layer: joint values that follow the target, with no regard yet to speed.

A few damped steps a tick (Levenberg-Marquardt, `core/general/lm.py`; in two levels where one part has
priority, `levels.py`) from where the goal was. While the target is
met the goal starts where its own rate takes it: this carries it through folds, where an arm without momentum would
turn back. What the tip does not feel (null space) goes to the posture at rest, and is damped.

A goal that stays off its target is stuck at a fold, a limit or the edge of reach; then each tick makes one try from
a random start, and of the answers of some ticks the one that the arm reaches soonest becomes the goal.
"""

import math

import numpy as np

from forearm.core.arm.compact import COLUMN, HIGH, LOW, Q
from forearm.core.arm.problem import Goal
from forearm.core.codes import ORIENTATION, POINT_AXIS, POSE, POSITION
from forearm.core.general.lm import CHAN, cold, column_dot, compare, differentiate, hold_blocked_joints, stand
from forearm.core.general.solve import draw, free_whole_turns, keep_limits, load, unload
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, copy
from forearm.core.maths.normal_equations import solve_6x6
from forearm.core.servo.levels import ROTATION_FIRST, step_by_levels, weigh_step
from forearm.core.servo.pace import AHEAD, WITH_ARM, begins_again, has_stood, share_with_arm
from forearm.core.servo.side import choose_side, keep_first_side, turns_round
from forearm.core.servo.state import (
    AIMED,
    BLOCKED,
    CHANGES,
    DRAWN,
    FASTEST,
    FIRST_LEFT,
    FOUND,
    GOAL,
    HARDEST,
    HAS_REST,
    IS_ALONE,
    IS_MET,
    LEFT,
    MARK,
    MAY_CHANGE,
    PACE,
    PLACE,
    PRIORITY,
    RATE,
    REST,
    SHARE,
    SOONEST,
    SPARE,
    STALLED,
    TICK,
    TICKS,
    TRIES,
    UNFELT,
    WISH,
)

FLOOR = 1e-12  # of the damping [share of reach squared]
EXACTLY = 2.0  # of IS_MET: the target's tolerances are met, too
MET = 1e-8  # squared error below which the goal counts as on its target [share of reach squared]
LARGEST_STEP = 0.2  # of a joint in one step [rad or m]: the goal stays on its branch
# How the rest posture draws [1/s], at most at these shares of the greatest speed and acceleration, which leaves the arm
# room to keep its tip where it is; time constant of what else moves [s].
PULL, PULL_MOST, PULL_HARDEST, DAMPED = 2.0, 0.1, 0.1, 0.01
PATIENCE = 0.05  # time in which the error must fall by half, or the goal is stuck [s]
WHOLE_TURN = 12.0  # ticks in which a goal that goes ahead of the arm has surely made its turn, or is stuck
ROUND = 0.016  # time of a round of tries [s], and the least number of them
LEAST_TRIES = 6
TRY_PATIENCE, TRY_STEPS = 4, 24  # steps of a try between two looks at its progress, and at most


@lean
def follow(memory, robot, trial, goal, steps):
    """Moves the goal's joints toward the target; leaves the error of the last look in `trial`.

    True if the goal waits for the arm.
    """
    rows, numbers, arm, unit = memory.rows, memory.numbers, trial.arm, trial.aim.unit
    n, dt = rows.shape[1], numbers[TICK]
    has_both = goal.kind == POSE or goal.kind == POINT_AXIS
    # wide tolerances may be met by a goal that is not on its target: at the edge of reach, say
    was_on_it = numbers[IS_MET] != 0.0 and numbers[LEFT] <= MET * unit
    levels = numbers[PRIORITY] != 0.0 and has_both and not (was_on_it and numbers[IS_MET] == EXACTLY)
    if not levels:
        numbers[SHARE], numbers[IS_ALONE] = 1.0, 0.0
    keep_limits(robot, arm)
    again = begins_again(numbers)
    if again:
        keep_first_side(numbers)
    lead = dt if was_on_it and not again else 0.0
    for k in range(n):
        start = rows[PLACE, k] if again else rows[GOAL, k]
        arm[k, Q] = clamp(start + lead * rows[RATE, k], arm[k, LOW], arm[k, HIGH])
    numbers[BLOCKED], is_held_back = -1.0, False
    for step in range(steps):
        E = look(memory, trial, goal, levels, step == 0)
        if not trial.aim.banded:
            differentiate(trial, goal)
            choose_side(memory, robot.limits, trial, goal)
        if step == 0:
            unfelt_wish(memory, arm)
        if levels:
            step_by_levels(memory, trial, CHAN, FLOOR * unit)
        else:
            hold_blocked_joints(arm, trial.gauge.e)
            step_at_once(memory, trial, CHAN * E + FLOOR * unit, step == 0)
        is_held_back = move_bounded(memory, arm)
        if is_held_back:
            break
    E = look(memory, trial, goal, levels, False)
    for k in range(n):
        rows[GOAL, k] = arm[k, Q]
    numbers[LEFT], numbers[IS_MET] = E, 1.0 if MET * unit >= E else 0.0
    return is_held_back


@leaf
def look(memory, trial, goal, levels, first):
    """Writes the error where the goal is now; returns its square. By levels, a step that was none is taken back."""
    rows, arm, unit = memory.rows, trial.arm, trial.aim.unit
    stand(trial)
    _, E = compare(trial, goal)
    if levels and weigh_step(memory.numbers, trial.gauge.e, unit, first):
        for k in range(rows.shape[1]):
            arm[k, Q] = rows[WISH, k]
        stand(trial)
        _, E = compare(trial, goal)
        weigh_step(memory.numbers, trial.gauge.e, unit, True)
    if levels:
        for k in range(rows.shape[1]):
            rows[WISH, k] = arm[k, Q]
    return E


@leaf
def wanted_first(numbers, trial, goal):
    """The kind of target that tries for another branch aim at: what has priority alone where not even that is met."""
    has_both = goal.kind == POSE or goal.kind == POINT_AXIS
    if numbers[PRIORITY] == 0.0 or not has_both or numbers[FIRST_LEFT] <= MET * trial.aim.unit:
        return goal.kind
    if numbers[PRIORITY] != ROTATION_FIRST:
        return POSITION
    return ORIENTATION if goal.kind == POSE else goal.kind


@leaf
def unfelt_wish(memory, arm):
    """Writes the motion that is wished for where the tip does not feel it; none of joints held at a limit."""
    rows, dt = memory.rows, memory.numbers[TICK]
    for k in range(rows.shape[1]):
        most, more = PULL_MOST * rows[FASTEST, k], PULL_HARDEST * rows[HARDEST, k] * dt
        pull = clamp(PULL * (rows[REST, k] - rows[GOAL, k]), -most, most)
        pull = clamp(pull, rows[DRAWN, k] - more, rows[DRAWN, k] + more)
        rows[DRAWN, k] = pull if memory.numbers[HAS_REST] != 0.0 else 0.0
        wish = min(1.0, dt / DAMPED) * (rows[DRAWN, k] - rows[RATE, k]) * dt
        at_limit = arm[k, Q] <= arm[k, LOW] or arm[k, Q] >= arm[k, HIGH]
        rows[UNFELT, k] = 0.0 if at_limit else wish


@leaf
def step_at_once(memory, trial, damping, first):
    """Writes the step `z + J^T (J J^T + damping I)^-1 (e - J z)` into the spare row."""
    rows, arm, e = memory.rows, trial.arm, trial.gauge.e
    for k in range(rows.shape[1]):
        z = rows[UNFELT, k] if first else 0.0
        rows[SPARE, k] = z
        for i in range(6):
            e[i] -= arm[k, COLUMN + i] * z
    a, b, c, d, f, g = solve_6x6(arm, COLUMN, damping, e)
    for k in range(rows.shape[1]):
        rows[SPARE, k] += column_dot(arm, k, a, b, c, d, f, g)
        if is_held(arm, k):
            memory.numbers[BLOCKED] = k


@leaf
def move_bounded(memory, arm):
    """Q <- clamp(q + the step in the spare row), no joint farther than the largest step; True if held back."""
    rows, most = memory.rows, 0.0
    for k in range(rows.shape[1]):
        most = max(most, abs(rows[SPARE, k]))
    whole = LARGEST_STEP / most if most > LARGEST_STEP else 1.0
    share = share_with_arm(memory, arm, whole) if memory.numbers[PACE] == WITH_ARM else whole
    for k in range(rows.shape[1]):
        arm[k, Q] = clamp(arm[k, Q] + share * rows[SPARE, k], arm[k, LOW], arm[k, HIGH])
    return share < whole


@leaf
def is_held(arm, k):
    """Whether a variable stands at a limit and its column was taken away."""
    if arm[k, LOW] < arm[k, Q] < arm[k, HIGH]:
        return False
    total = 0.0
    for i in range(6):
        total += abs(arm[k, COLUMN + i])
    return total == 0.0


@leaf
def begin_patience(numbers):
    """Begins to wait anew: from here on the error must fall by half in time."""
    numbers[MARK], numbers[STALLED], numbers[TRIES] = numbers[LEFT], 0.0, 0.0


@leaf
def is_stuck(numbers):
    """Counts the ticks in which the goal comes no nearer to its target; True once they are too many."""
    if numbers[IS_MET] != 0.0 or numbers[LEFT] < 0.5 * numbers[MARK]:
        begin_patience(numbers)
        return False
    numbers[STALLED] += 1.0
    return numbers[STALLED] * numbers[TICK] >= PATIENCE


@leaf
def turns_back(memory):
    """Takes a goal that is stuck ahead of the arm on one side of a half turn back, to go by the other; True if so."""
    rows, numbers = memory.rows, memory.numbers
    if numbers[PACE] != AHEAD or not has_stood(numbers, PATIENCE, WHOLE_TURN) or not turns_round(numbers):
        return False
    begin_patience(numbers)
    numbers[MARK] = math.inf
    copy(rows[PLACE], rows[GOAL])
    return True


@lean
def look_elsewhere(memory, robot, trial, goal):
    """Makes one try for another branch for a goal that is stuck; True if the goal was moved to one."""
    rows, numbers = memory.rows, memory.numbers
    dt = numbers[TICK]
    if numbers[MAY_CHANGE] == 0.0:
        return False
    if numbers[TRIES] == 0.0:
        numbers[SOONEST], numbers[AIMED] = math.inf, wanted_first(numbers, trial, goal)
    numbers[TRIES] += 1.0
    arm, q, kind = trial.arm, rows[SPARE], int(numbers[AIMED])
    free_whole_turns(robot, arm)
    draw(robot.limits, int(numbers[TRIES]) % 2 == 0, np.uint64(numbers[TICKS]), q)
    load(q, arm)
    patience, most = TRY_PATIENCE, TRY_STEPS
    arrived, _, _ = cold(trial, Goal(goal.pose, kind, goal.terms), patience, most)
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
