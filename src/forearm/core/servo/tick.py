"""One tick of a servo: a target in, one bounded step of the joints out.

The goal layer follows the target in joints (`goal.py`), the drive layer goes after the goal inside the bounds
(`drive.py`), obstacles hold it back (`keep_off.py`). A tick takes the same road whatever comes: nothing is
allocated, nothing is explained; status and reason are left as numbers.
"""

import math

from forearm.core.arm.compact import Q, is_coupled
from forearm.core.arm.goal import asked_errors, goal_error, has_axis_tolerances, meets
from forearm.core.arm.problem import REACH, Goal, open_problem
from forearm.core.codes import LOWER, TOL_POSITION, TOL_ROTATION, UPPER
from forearm.core.collision.bodies import World
from forearm.core.general.lm import Aim, open_try, stand, try_size
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp, copy
from forearm.core.servo.braking import in_box, set_box
from forearm.core.servo.drive import calm, is_smoothed, pole_of, take_rate, wish_speeds
from forearm.core.servo.goal import EXACTLY, begin_patience, follow, is_stuck, look_elsewhere, turns_back
from forearm.core.servo.keep_off import keep_off
from forearm.core.servo.pace import ELSEWHERE, WITH_ARM, set_pace
from forearm.core.servo.state import (
    AGE,
    BEFORE,
    BLOCKED,
    CALM,
    CLEARANCE,
    DRAWN,
    EARLIER,
    FASTEST,
    FLOW,
    FOLLOWED,
    FOLLOWING,
    GOAL,
    HARDEST,
    HELD,
    IS_MET,
    LIMITED,
    LOST,
    NO_TARGET,
    NOTHING,
    OF_ACCELERATION,
    OF_OBSTACLE,
    OF_POSITION,
    OF_REACH,
    OF_SHAPE,
    OF_SILENCE,
    OF_SMOOTHING,
    OF_SPEED,
    OF_STOP,
    OFF_POSITION,
    OFF_ROTATION,
    PACE,
    PLACE,
    RATE,
    REASON,
    ROUGHNESS,
    SILENT,
    SPEED,
    STALLED,
    STATUS,
    STOPPED,
    TICK,
    TICKS,
    TO_GO,
    TWIST,
    WEIGHT,
    WHICH,
    WISH,
    open_state,
)
from forearm.core.servo.target import is_on_the_way, kind_followed, take_target

# steps of the goal layer a tick: for ticks up to this long [s], and for longer ones
SHORT, FEW_STEPS, MORE_STEPS = 0.004, 2, 4
SILENCE = 0.2  # time without a target after which it counts as lost [s]
# Time that a goal may take to come to its target before the target is called out of reach [s], and in ticks at least.
PATIENCE, PATIENT_TICKS = 0.01, 5.0
ON_GOAL = 1e-8  # how far from the goal the arm may be and still be on it [rad or m]
# Of a smoothed goal the arm may be away this often its roughness, and no joint farther than the second [rad or m].
# Noise is about once its roughness in the mean, several times that at 1 kHz, where large samples are cut.
SHAKEN, SHAKEN_MOST = 8.0, 0.1
ROUNDING = 1e-9  # by which a step may seem to leave the limits [rad or m]


@shared
def servo_size(m, n):
    """How many numbers of scratch a tick takes; -1 for more variables than joints, which no robot has."""
    return try_size(m) if n <= m else -1


@lean
def tick(problem, state, asked, pose, work, q_out):
    """Moves the arm by one tick toward what is asked and writes its joint values; returns the status.

    `problem` says no more than which robot it is (`core/arm/problem.py`); `asked` has the kind of target and its
    terms, or a twist. `work` has `servo_size(m, n)` numbers.
    """
    n = q_out.shape[0]
    memory, opened = open_state(state, n), open_problem(problem, pose, n)
    good, slowest, by_speed = wish(memory, opened, asked, pose, work)
    held = move(memory, opened.robot.limits)
    copy(memory.rows[PLACE], q_out)
    tell(memory, int(asked[0]), good, slowest, by_speed, held)
    return int(memory.numbers[STATUS])


@lean
def tick_among(problem, state, asked, pose, bodies, pairs, charts, obstacles, work, q_out):
    """As `tick` among obstacles; `work` has `servo_among_size(m, n, s, p)` numbers."""
    n = q_out.shape[0]
    memory, opened = open_state(state, n), open_problem(problem, pose, n)
    numbers, limits = memory.numbers, opened.robot.limits
    good, slowest, by_speed = wish(memory, opened, asked, pose, work)
    world = World(bodies, pairs, charts, obstacles, numbers[CLEARANCE])
    blocked = keep_off(memory, limits, world, opened.chain, work)
    held = move(memory, limits)
    copy(memory.rows[PLACE], q_out)
    tell(memory, int(asked[0]), good, slowest, by_speed, held)
    if blocked and numbers[STATUS] == LIMITED:
        numbers[REASON] = OF_OBSTACLE
    return int(numbers[STATUS])


@lean
def wish(memory, opened, asked, pose, work):
    """Writes the speeds that the joints shall have and their box; returns what `tell` is told."""
    rows, numbers = memory.rows, memory.numbers
    trial = open_try(opened.chain, aim_at(opened, memory), opened.settings, work)
    if int(asked[0]) == TWIST or int(numbers[FOLLOWED]) == TWIST:  # a leash to the tip: where is it?
        for k in range(trial.arm.shape[0]):
            trial.arm[k, Q] = rows[PLACE, k] if k < rows.shape[1] else 0.0
        stand(trial)
    good = take_target(memory, asked, pose, trial.gauge.T)
    numbers[TICKS] += 1.0
    copy(rows[BEFORE], rows[EARLIER])
    copy(rows[GOAL], rows[BEFORE])
    if numbers[FOLLOWED] != NO_TARGET and numbers[STOPPED] == 0.0:
        move_goal(memory, opened, work)
    else:
        stay(memory, opened.robot.limits)
    take_rate(memory)
    pole = pole_of(memory)
    calm(memory, pole)
    set_box(memory, opened.robot.limits)
    slowest, by_speed = wish_speeds(memory, pole)
    return good, slowest, by_speed


@leaf
def aim_at(opened, memory):
    """What the goal layer aims at: the target's tolerances, rotation weighed as the servo wishes."""
    terms, numbers = memory.terms, memory.numbers
    W = numbers[WEIGHT]
    chord = 2.0 * math.sin(0.5 * min(terms[TOL_ROTATION], math.pi))
    reach, banded = opened.facts[REACH], has_axis_tolerances(terms)
    return Aim(terms[TOL_POSITION] ** 2, (W * chord) ** 2, W, reach * reach, banded, is_coupled(opened.chain))


@lean
def move_goal(memory, opened, work):
    """Lets the goal follow the target, on another branch if it is stuck."""
    numbers = memory.numbers
    kind = kind_followed(numbers)
    goal = Goal(memory.pose, kind, memory.terms)
    trial = open_try(opened.chain, aim_at(opened, memory), opened.settings, work)
    steps = FEW_STEPS if numbers[TICK] <= SHORT else MORE_STEPS
    waits = follow(memory, opened.robot, trial, goal, steps)
    goal_error(trial.gauge.T, goal, trial.gauge.e)
    numbers[OFF_POSITION], numbers[OFF_ROTATION] = asked_errors(goal, trial.gauge.e)
    if meets(goal, trial.gauge.e):
        numbers[IS_MET] = EXACTLY
    if waits:
        begin_patience(numbers)
    elif is_stuck(numbers):
        if turns_back(memory):
            forget_motion(memory)
        elif look_elsewhere(memory, opened.robot, trial, goal):
            forget_motion(memory)
            numbers[PACE] = ELSEWHERE
    set_pace(memory)
    if numbers[PACE] == WITH_ARM:
        forget_motion(memory)


@leaf
def forget_motion(memory):
    """Takes the goal for one that stands: it was put somewhere else."""
    rows = memory.rows
    for k in range(rows.shape[1]):
        rows[BEFORE, k] = rows[EARLIER, k] = rows[GOAL, k]


@leaf
def stay(memory, limits):
    """Takes for the goal where the arm can stop soonest, or the limit that it was put too fast before, or beyond."""
    rows, numbers, dt = memory.rows, memory.numbers, memory.numbers[TICK]
    for k in range(rows.shape[1]):
        v, w = rows[SPEED, k], rows[HARDEST, k] * dt
        size, way = abs(v), 0.0
        whole = math.floor(size / w)
        # slowing by w a tick from the next one on: (v - w) + (v - 2 w) + ...
        way = dt * (whole * size - 0.5 * w * whole * (whole + 1.0))
        rows[GOAL, k] = clamp(rows[PLACE, k] + math.copysign(way, v), limits[LOWER, k], limits[UPPER, k])
        rows[RATE, k] = rows[FLOW, k] = rows[DRAWN, k] = 0.0
        rows[CALM, k] = rows[GOAL, k]
    forget_motion(memory)
    numbers[IS_MET] = 0.0


@leaf
def move(memory, limits):
    """Moves every joint by one tick; returns the joint whose bound on acceleration or position held it back, or -1."""
    rows, dt = memory.rows, memory.numbers[TICK]
    held, most = -1, 0.0
    for k in range(rows.shape[1]):
        q, wish = rows[PLACE, k], rows[WISH, k]
        v = in_box(memory, k, wish)
        short = abs(wish - v) / rows[FASTEST, k]
        if short > most and abs(wish - v) * dt > ROUNDING:
            held, most = k, short
        value = q + dt * v
        lower, upper = limits[LOWER, k], limits[UPPER, k]
        if lower <= q <= upper and abs(clamp(value, lower, upper) - value) <= ROUNDING:
            value = clamp(value, lower, upper)
        rows[PLACE, k], rows[SPEED, k] = value, v
    return held


@leaf
def is_there(memory):
    """Whether the arm is where the target wants it; of targets that shake and are smoothed, as near as they shake."""
    rows, numbers = memory.rows, memory.numbers
    n, most, mean = rows.shape[1], 0.0, 0.0
    for k in range(n):
        off = abs(rows[GOAL, k] - rows[PLACE, k])
        most, mean = max(most, off), mean + off / (rows[HARDEST, k] * n)
    if numbers[IS_MET] == EXACTLY and most <= ON_GOAL:
        return True
    is_new = numbers[FOLLOWED] == TWIST or numbers[AGE] < 1.0 or numbers[TO_GO] > 1.0  # what stands does not shake
    if numbers[IS_MET] == 0.0 or not is_new or not is_smoothed(numbers):
        return False
    return mean <= SHAKEN * numbers[ROUGHNESS] and most <= SHAKEN_MOST


@leaf
def tell(memory, given, good, slowest, by_speed, held):
    """Writes the status of the tick and the reason for it."""
    numbers, dt = memory.numbers, memory.numbers[TICK]
    status, reason, which = LIMITED, OF_REACH if numbers[BLOCKED] < 0.0 else OF_POSITION, int(numbers[BLOCKED])
    is_stalled = numbers[IS_MET] != EXACTLY and numbers[STALLED] >= max(PATIENCE / dt, PATIENT_TICKS)
    if is_there(memory):
        status, reason, which = FOLLOWING, NOTHING, -1
    elif is_stalled:
        pass
    elif slowest >= 0:
        reason, which = OF_SPEED if by_speed else OF_ACCELERATION, slowest
    elif held >= 0:
        reason, which = OF_ACCELERATION, held
    elif is_smoothed(numbers):
        reason, which = OF_SMOOTHING, -1
    if numbers[STOPPED] != 0.0:
        status, reason = HELD, OF_STOP
    elif not good and not is_on_the_way(numbers):
        lost = numbers[SILENT] * dt > SILENCE
        status, reason = LOST if lost else HELD, OF_SILENCE if given == NO_TARGET else OF_SHAPE
    numbers[STATUS], numbers[REASON], numbers[WHICH] = status, reason, which
