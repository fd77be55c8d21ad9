"""The general solver: any chain of one-axis joints, any target, hard limits.

The start the caller gave comes first, then the entries of a seed table nearest to the target,
then seeded random starts; each is one try of bounded Levenberg-Marquardt (`core/general/lm.py`). Most targets
fall at the first try, in about five steps. Where the caller's start leads nowhere, the answer
nearest to it among the table's is taken; without a start, entries near the neutral posture come first.
A target that nothing reaches gets the nearest pose found, polished. Fails only where the budget of tries
ends before a start in the right valley.
"""

import math

import numpy as np

from forearm.core.arm.compact import HIGH, LOW, Q, is_coupled
from forearm.core.arm.goal import begin, has_axis_tolerances, judge_at_once
from forearm.core.arm.problem import DRIVEN, REACH, change, open_problem, row_of
from forearm.core.codes import (
    KIND,
    LOWER,
    NOT_CONVERGED,
    ORIENTATION,
    OUT_OF_REACH,
    PRISMATIC,
    RATIO,
    SOLVED,
    TOL_POSITION,
    UPPER,
    VARIABLE,
)
from forearm.core.general.drive import drive
from forearm.core.general.fold import chain_length
from forearm.core.general.lm import cold, near, open_try, take_aim, try_size
from forearm.core.general.seeds import NO_RANK, next_seed
from forearm.core.general.table import open_seeds, seeds_size
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp, copy, draw_inside, farthest_joint, middle, next_random, wrap_near
from forearm.core.maths.se3 import norm

# places in `settings`
MAX_TRIES, MAX_ITERATIONS, RNG_SEED, SKIP_TRIES = 0, 1, 2, 3

# The steps of a search in their order: from q0 in a box around it, from other points of that box, from q0 freely,
# then boldly; from points farther around q0; the table's entries; random starts. Where q0 is not near the goal, it is
# tried boldly at once, and what lies around it is not.
BOXED, SHAKEN, CAREFUL, BOLD, AROUND, TABLE, RANDOM = -5, -4, -3, -2, -1, 0, 1
SHAKES, ROUNDS, SEEDS = 3, 4, 8  # tries of the second step, around q0, and of the table; the last step has no end
BOX = 0.25  # how far the first tries let a joint move from q0 [rad or m]
WIDE = 1.0  # how far around q0 starts are drawn where the box has no answer [rad or m]
NEAR = 0.04  # squared error up to which q0 counts as near [share of reach squared]
# steps between two looks at a try's progress: far q0, table, random
BOLD_PATIENCE, TABLE_PATIENCE, RANDOM_PATIENCE = 3, 2, 4
HOPELESS_TRIES = 8  # tries spent on a point that lies beyond the chain's length
POLISH = 60  # steps spent on the nearest pose when no try arrived
ROUNDING = 1e-12  # share of a sum of lengths that rounding may add
STRETCH = 1.8  # every other random start is spread toward the limits, where hard answers sit
FREE = 1e300  # bound of a joint that may turn for ever; an endless slide has an infinite one


@lean
def solve_general(problem, table, pose, q0, work, q_out, report_out):
    """Writes joint values that meet the goal, or come nearest to it, and returns a status code.

    `table` is a seed table; see `core/arm/problem.py` for the rest. `work` has `general_size(m, n)` numbers.
    """
    n = q_out.shape[0]
    asked = open_problem(problem, pose, n)
    fault = begin(asked.robot.limits, pose, q0, q_out)
    if fault != SOLVED:
        return fault
    terms, facts = asked.goal.terms, asked.facts
    aim = take_aim(facts[REACH], terms, has_axis_tolerances(terms), is_coupled(asked.chain))
    trial, rest = open_try(asked.chain, aim, asked.settings, work), work[try_size(asked.robot.joints.shape[0]) :]
    seeds, q = open_seeds(table, facts, n, rest), rest[seeds_size() : seeds_size() + n]
    return try_starts(asked, q0, trial, seeds, q, q_out, report_out)


@shared
def general_size(m, n):
    """How many numbers of scratch a call takes."""
    return try_size(m) + seeds_size() + n


@lean
def solve_general_many(problem, table, limits, goals, terms, starts, work, q_out, report_out, codes_out):
    """Solves each goal, exactly as a call of its own would; `problem` is this call's own and is written to."""
    for i in range(goals.shape[0]):
        change(problem, terms, limits, i, i == 0)
        start = starts[row_of(starts, i)] if starts.shape[0] > 0 else work[:0]
        codes_out[i] = solve_general(problem, table, goals[i], start, work, q_out[i], report_out[i])


@lean
def try_starts(asked, q0, trial, seeds, q, q_out, report_out):
    """Tries one start after another until one arrives; returns a status code."""
    robot, goal, settings, arm = asked.robot, asked.goal, asked.settings, trial.arm
    unreachable = beyond_reach(robot, goal)
    most = patience = int(settings[MAX_ITERATIONS])
    best, nearest, steps, tries = math.inf, math.inf, 0, 0
    state, cursor = np.uint64(settings[RNG_SEED] + settings[SKIP_TRIES]), (NO_RANK, 0, 0.0)
    step, count = BOXED if q0.shape[0] > 0 else TABLE, int(settings[SKIP_TRIES])
    if count > 0:
        step = RANDOM
    # The budget is read at every try: whoever waits may take it away (`ask` in `solve/problem.py`).
    while tries < (HOPELESS_TRIES if unreachable else settings[MAX_TRIES]) and not (
        step == RANDOM and nearest < math.inf
    ):
        if step < TABLE:
            state = start_at(robot, q0, step, state, arm)
            patience = RANDOM_PATIENCE if step == AROUND else patience
        else:
            free_whole_turns(robot, arm)
            if step == TABLE:
                cursor = next_seed(robot, goal, seeds, q0.shape[0] == 0, cursor, q)
                patience = TABLE_PATIENCE
            else:
                state = draw(robot.limits, count % 2 == 1, state, q)
                patience = RANDOM_PATIENCE
            load(q, arm)
        if step >= BOLD and asked.facts[DRIVEN] != 0.0:
            drive(trial, goal)
        if step == BOXED or step == CAREFUL:
            arrived, E, used = near(trial, goal, NEAR, most)
            patience = most if used > 0 else BOLD_PATIENCE
            if used == 0 and not arrived:
                step = CAREFUL  # q0 is far: it is only tried boldly
        else:
            arrived, E, used = cold(trial, goal, patience, most)
        tried = step
        step, count = next_step(step, count, patience == BOLD_PATIENCE)
        steps += used
        tries += 1 if arrived or used > 0 else 0
        if not (arrived or (best > E and nearest == math.inf)):
            continue
        if CAREFUL <= tried < TABLE:  # inside the limits, but it may have left its turn
            free_whole_turns(robot, arm)
        unload(arm, robot.limits, q0, q)
        code = judge_at_once(robot, goal, q, steps, tries, trial.gauge, report_out) if arrived else NOT_CONVERGED
        if code == SOLVED:
            away = farthest_joint(q, q0)
            if away < nearest:
                nearest = away
                copy(q, q_out)
            if q0.shape[0] == 0 or tried < AROUND:
                return SOLVED
        elif best > E and nearest == math.inf:
            best = E
            copy(q, q_out)
    if nearest < math.inf:
        return judge_at_once(robot, goal, q_out, steps, tries, trial.gauge, report_out)
    if best < math.inf:
        steps += come_nearer(trial, robot.limits, goal, q0, q_out)
    code = judge_at_once(robot, goal, q_out, steps, tries, trial.gauge, report_out)
    return OUT_OF_REACH if unreachable and code != SOLVED else code


@leaf
def come_nearer(trial, limits, goal, q0, q):
    """Moves q in place, from the best of all tries to the nearest pose around it; returns the iterations.

    Only behind a try: it left the bounds of each variable in `trial`.
    """
    load(q, trial.arm)
    most = POLISH  # a variable: a constant would compile `near` a second time
    _, left, used = near(trial, goal, math.inf, most)
    if left < math.inf:  # else the target is so far away that no error has a square
        unload(trial.arm, limits, q0, q)
    return used


@leaf
def next_step(step, count, far):
    """The step behind a try, and how many tries of it are made; what lies around a far q0 is passed over."""
    last = SHAKES if step == SHAKEN else ROUNDS if step == AROUND else SEEDS if step == TABLE else 1
    if step == RANDOM or count + 1 < last:
        return step, count + 1
    return TABLE if far and step == BOLD else step + 1, 0


@leaf
def keep_limits(robot, arm_out):
    """Writes the bounds of each variable as they are: near a start, a whole turn is a jump."""
    write_bounds(robot, math.inf, arm_out)


@leaf
def start_at(robot, q0, step, state, arm):
    """Loads q0, or a point of the box around it, with the bounds of that step; the random state."""
    keep_limits(robot, arm)
    if step == BOXED or step == SHAKEN:  # the nearest answer, if it is near, lies in a box around q0
        for k in range(q0.shape[0]):
            arm[k, LOW], arm[k, HIGH] = max(arm[k, LOW], q0[k] - BOX), min(arm[k, HIGH], q0[k] + BOX)
    load(q0, arm)
    if step == AROUND:
        return shake(q0.shape[0], WIDE, state, arm)
    return shake(q0.shape[0], 0.5 * BOX, state, arm) if step == SHAKEN else state


@leaf
def shake(n, most, state, arm):
    """Moves each joint to a random place at most so far away, for tries that q0 itself failed."""
    for k in range(arm.shape[0]):
        state, u = next_random(state)
        if k < n:  # other rows no variable uses
            arm[k, Q] = clamp(arm[k, Q] + 2.0 * most * (u - 0.5), arm[k, LOW], arm[k, HIGH])
    return state


@leaf
def free_whole_turns(robot, arm_out):
    """Writes the bounds of each variable: none where a whole turn fits and changes nothing."""
    write_bounds(robot, 2.0 * math.pi, arm_out)


@leaf
def write_bounds(robot, least, arm_out):
    """Writes the limits of each variable, none where it ranges this far and a turn changes nothing."""
    joints, limits = robot.joints, robot.limits
    for k in range(arm_out.shape[0]):
        arm_out[k, LOW], arm_out[k, HIGH] = -FREE, FREE
    for k in range(limits.shape[1], arm_out.shape[0]):
        arm_out[k, Q] = 0.0  # a row that no variable uses
    for i in range(joints.shape[0]):
        k = int(joints[i, VARIABLE])
        turns = joints[i, KIND] != PRISMATIC and joints[i, RATIO] == np.round(joints[i, RATIO])
        if not (turns and limits[UPPER, k] - limits[LOWER, k] >= least):
            arm_out[k, LOW], arm_out[k, HIGH] = limits[LOWER, k], limits[UPPER, k]


@leaf
def beyond_reach(robot, goal):
    """Whether the target point lies farther from the first joint than the chain is long."""
    (links, joints, limits), (pose, kind, terms) = robot, goal
    if kind == ORIENTATION or has_axis_tolerances(terms):
        return False
    x, y, z = pose[0, 3] - links[0, 0, 3], pose[1, 3] - links[0, 1, 3], pose[2, 3] - links[0, 2, 3]
    return norm(x, y, z) > (1.0 + ROUNDING) * chain_length(links, joints, limits) + terms[TOL_POSITION]


@leaf
def load(q, arm):
    """Copies a start into the try's array, joints that turn freely within half a turn of zero."""
    for k in range(q.shape[0]):
        arm[k, Q] = wrap_near(q[k], 0.0) if arm[k, HIGH] == FREE else clamp(q[k], arm[k, LOW], arm[k, HIGH])


@leaf
def unload(arm, limits, q0, q_out):
    """Copies the try's answer out, free joints at the representative nearest to q0 inside the limits."""
    for k in range(q_out.shape[0]):
        lower, upper = limits[LOWER, k], limits[UPPER, k]
        reference = q0[k] if q0.shape[0] > 0 else middle(lower, upper)
        value = turn_near(arm[k, Q], reference, lower, upper) if arm[k, HIGH] == FREE else arm[k, Q]
        q_out[k] = clamp(value, lower, upper)


@leaf
def turn_near(value, reference, lower, upper):
    """The angle's representative nearest to a reference inside limits that a whole turn fits in."""
    value = wrap_near(value, reference)
    value += 2.0 * math.pi if value < lower else 0.0
    value -= 2.0 * math.pi if value > upper else 0.0
    return value


@leaf
def draw(limits, spread, state, q_out):
    """Draws a start inside the limits, spread from their middle toward them if asked."""
    state = draw_inside(limits, state, q_out)
    for k in range(q_out.shape[0]):
        lower, upper = limits[LOWER, k], limits[UPPER, k]
        if spread and math.isfinite(lower) and math.isfinite(upper):
            centre = middle(lower, upper)
            q_out[k] = clamp(centre + STRETCH * (q_out[k] - centre), lower, upper)
    return state
