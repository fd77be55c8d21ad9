"""The general solver: any chain of one-axis joints, any target, hard limits.

The start the caller gave comes first, then the entries of a seed table nearest to the target,
then seeded random starts; each is one try of bounded Levenberg-Marquardt (`core/general/lm.py`). Most targets
fall at the first try, in about five steps. Where the caller's start leads nowhere, the answer
nearest to it among the table's is taken. A target that nothing reaches gets the nearest pose
found, polished. Fails only where the budget of tries ends before a start in the right valley.
"""

import math

import numpy as np

from forearm.core.arm.compact import ARM_COLUMNS, CHAIN_COLUMNS, HIGH, LANES, LOW, Q
from forearm.core.arm.goal import begin, has_axis_tolerances, judge_at_once
from forearm.core.arm.problem import Gauge, Goal, Robot
from forearm.core.codes import (
    KIND,
    LOWER,
    NOT_CONVERGED,
    ORIENTATION,
    OUT_OF_REACH,
    PRISMATIC,
    RATIO,
    SOLVED,
    TERMS,
    TOL_POSITION,
    UPPER,
    VARIABLE,
)
from forearm.core.general.lm import Try, cold, near, take_aim
from forearm.core.general.seeds import (
    ENTRIES,
    FACTS,
    FEATURES,
    KEYS,
    NO_RANK,
    REACH,
    WINDOW,
    Seeds,
    chain_length,
    next_rank,
    rank_seeds,
    unfold,
)
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp, copy, draw_inside, farthest_joint, middle, next_random, wrap_near
from forearm.core.maths.se3 import norm
from forearm.core.shaped import shaped

# places in `settings`
MAX_TRIES, MAX_ITERATIONS, RNG_SEED, SKIP_TRIES = 0, 1, 2, 3
SETTINGS = 4
# places in the head of a problem: moving joints, kind of target
JOINTS, ASKED, HEAD = 0, 1, 2

# order of tries: from q0 in a box around it, from other points of that box, from q0 freely, then
# boldly; the table's; random ones. Where q0 is not near the goal, the first three are left out.
BOXED, SHAKEN, CAREFUL, BOLD, TABLE, RANDOM = -6, -5, -2, -1, 0, 8
BOX = 0.25  # how far the first tries let a joint move from q0 [rad or m]
NEAR = 0.04  # squared error up to which q0 counts as near [share of reach squared]
# steps between two looks at a try's progress: far q0, table, random
BOLD_PATIENCE, TABLE_PATIENCE, RANDOM_PATIENCE = 3, 2, 4
HOPELESS_TRIES = 8  # tries spent on a point that lies beyond the chain's length
POLISH = 60  # steps spent on the nearest pose when no try arrived
ROUNDING = 1e-12  # share of a sum of lengths that rounding may add
STRETCH = 1.8  # every other random start is spread toward the limits, where hard answers sit
FREE = 1e300  # bound of a joint that may turn for ever; an endless slide has an infinite one


@lean
def solve_packed(problem, table, pose, q0, work, q_out, report_out):
    """Writes joint values that meet the goal, or come nearest to it, and returns a status code.

    Opens the arrays of a problem and its seed table (`solve/methods/layout.py` lays them out); `work` is scratch of
    `workspace(m, n)` numbers.
    """
    m, n, kind = int(problem[JOINTS]), q_out.shape[0], int(problem[ASKED])
    settings, rest = problem[HEAD : HEAD + SETTINGS], problem[HEAD + SETTINGS :]
    terms, rest = rest[:TERMS], rest[TERMS:]
    limits, rest = shaped(rest[: 2 * n], (2, n)), rest[2 * n :]
    links, rest = shaped(rest[: 12 * (m + 1)], (m + 1, 3, 4)), rest[12 * (m + 1) :]
    joints, rest = shaped(rest[: 3 * m], (m, 3)), rest[3 * m :]
    chain, facts = shaped(rest[:-FACTS], (m + 1, CHAIN_COLUMNS)), rest[-FACTS:]
    entries = shaped(table[: ENTRIES * (n + 9)], (ENTRIES, n + 9))
    keys = shaped(table[ENTRIES * (n + 9) :].view(np.float32), (KEYS, ENTRIES))
    fault = begin(limits, pose, q0, q_out)
    if fault != SOLVED:
        return fault
    robot, goal = Robot(links, joints, limits), Goal(pose, kind, terms)
    return try_starts(robot, goal, q0, settings, chain, keys, entries, facts, work, q_out, report_out)


@shared
def workspace(m, n):
    """How many numbers of scratch a call takes."""
    lanes = (m + LANES - 1) // LANES * LANES
    return ARM_COLUMNS * m + 3 * lanes + 34 + FEATURES + n + WINDOW // 2


@lean
def try_starts(robot, goal, q0, settings, chain, keys, entries, facts, work, q_out, report_out):
    """Tries one start after another until one arrives; returns a status code."""
    joints, limits, terms = robot.joints, robot.limits, goal.terms
    m, lanes = joints.shape[0], (joints.shape[0] + LANES - 1) // LANES * LANES
    arm, line = shaped(work[: ARM_COLUMNS * m], (m, ARM_COLUMNS)), work[ARM_COLUMNS * m :]
    trig, line = shaped(line[: 3 * lanes], (3, lanes)), line[3 * lanes :]
    T, X, e = shaped(line[:16], (4, 4)), shaped(line[16:28], (3, 4)), line[28:34]
    f, line = line[34 : 34 + FEATURES], line[34 + FEATURES :]
    q, ranks = line[: q_out.shape[0]], line[q_out.shape[0] :].view(np.int32)
    trig[:, :] = 0.0  # the padding is computed with
    aim = take_aim(facts[REACH], terms, has_axis_tolerances(terms), is_coupled(joints))
    gauge = Gauge(trig, T, e)
    trial, seeds = Try(chain, aim, arm, gauge), Seeds(keys, entries, facts, X, f, ranks)
    unreachable = beyond_reach(robot, goal)
    budget = HOPELESS_TRIES if unreachable else int(settings[MAX_TRIES])
    most = patience = int(settings[MAX_ITERATIONS])
    best, nearest, steps, tries = math.inf, math.inf, 0, 0
    state, rank, start, angle = np.uint64(settings[RNG_SEED] + settings[SKIP_TRIES]), NO_RANK, 0, 0.0
    attempt = first_attempt(q0, int(settings[SKIP_TRIES]))
    while tries < budget and not (attempt >= RANDOM and nearest < math.inf):
        if attempt < TABLE:
            state = start_at(q0, joints, limits, attempt, state, arm)
        else:
            free_whole_turns(joints, limits, arm)
            if attempt < RANDOM:
                if attempt == TABLE:
                    rank, start, angle = rank_seeds(robot, goal, seeds)
                else:
                    rank = next_rank(ranks, rank)
                unfold(robot, seeds, start + rank % WINDOW, angle, q)
                patience = TABLE_PATIENCE
            else:
                state = draw(limits, attempt % 2 == 1, state, q)
                patience = RANDOM_PATIENCE
            load(q, arm)
        if attempt == BOXED or attempt == CAREFUL:
            arrived, E, used = near(trial, goal, NEAR, most)
            patience = most if used > 0 else BOLD_PATIENCE
            if used == 0 and not arrived:
                attempt = CAREFUL
        else:
            arrived, E, used = cold(trial, goal, patience, most)
        attempt += 1
        steps += used
        tries += 1 if arrived or used > 0 else 0
        if not (arrived or (best > E and nearest == math.inf)):
            continue
        if CAREFUL < attempt <= TABLE:  # a try from q0, inside the limits, that may have left its turn
            free_whole_turns(joints, limits, arm)
        unload(arm, limits, q0, q)
        code = NOT_CONVERGED
        if arrived:
            code = judge_at_once(robot, goal, q, steps, tries, gauge, report_out)
        if code == SOLVED:
            away = farthest_joint(q, q0)
            if away < nearest:
                nearest = away
                copy(q, q_out)
            if q0.shape[0] == 0 or attempt <= TABLE:
                return SOLVED
        elif best > E and nearest == math.inf:
            best = E
            copy(q, q_out)
    if nearest < math.inf:
        return judge_at_once(robot, goal, q_out, steps, tries, gauge, report_out)
    steps += come_nearer(trial, limits, goal, q0, q_out)
    judge_at_once(robot, goal, q_out, steps, tries, gauge, report_out)
    return OUT_OF_REACH if unreachable else NOT_CONVERGED


@leaf
def come_nearer(trial, limits, goal, q0, q):
    """Moves q in place, from the best of all tries to the nearest pose around it; returns the iterations."""
    load(q, trial.arm)
    most = POLISH  # a variable: a constant would compile `near` a second time
    _, _, used = near(trial, goal, math.inf, most)
    unload(trial.arm, limits, q0, q)
    return used


@leaf
def first_attempt(q0, skipped):
    """Where the order of tries begins: at q0 if there is one, at the table, or past both."""
    if skipped > 0:
        return RANDOM + skipped
    return BOXED if q0.shape[0] > 0 else TABLE


@leaf
def keep_limits(joints, limits, arm_out):
    """Writes the bounds of each variable as they are: near a start, a whole turn is a jump."""
    write_bounds(joints, limits, math.inf, arm_out)


@leaf
def keep_near(q0, arm_out):
    """Narrows the bounds to a box around the start, where the nearest answer lies if it is near."""
    for k in range(q0.shape[0]):
        arm_out[k, LOW] = max(arm_out[k, LOW], q0[k] - BOX)
        arm_out[k, HIGH] = min(arm_out[k, HIGH], q0[k] + BOX)


@leaf
def start_at(q0, joints, limits, attempt, state, arm):
    """Loads q0, or a point of the box around it, with the bounds of that try."""
    keep_limits(joints, limits, arm)
    if attempt < CAREFUL:
        keep_near(q0, arm)
    load(q0, arm)
    return shake(state, arm) if SHAKEN <= attempt < CAREFUL else state


@leaf
def shake(state, arm):
    """Moves each joint to a random place within half its box, for tries that q0 itself failed."""
    for k in range(arm.shape[0]):
        state, u = next_random(state)
        if arm[k, HIGH] - arm[k, LOW] <= 2.0 * BOX:
            arm[k, Q] = clamp(arm[k, Q] + BOX * (u - 0.5), arm[k, LOW], arm[k, HIGH])
    return state


@leaf
def free_whole_turns(joints, limits, arm_out):
    """Writes the bounds of each variable: none where a whole turn fits and changes nothing."""
    write_bounds(joints, limits, 2.0 * math.pi, arm_out)


@leaf
def write_bounds(joints, limits, least, arm_out):
    """Writes the limits of each variable, none where it ranges this far and a turn changes nothing."""
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
def is_coupled(joints):
    """Whether some joint does not follow a variable of its own one to one."""
    for i in range(joints.shape[0]):
        if joints[i, VARIABLE] != i or joints[i, RATIO] != 1.0:
            return True
    return False


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
