"""Uses the freedom a redundant arm has left: moves toward a posture while the tip stands still.

Each round steps along the part of the way to the posture that the tip does not feel (the null
space of the Jacobian), then brings the tip back by a careful try of `core/general/lm.py`. A round that does not
come closer is taken back, so the answer only improves and the limits always hold.
"""

import math

from forearm.core.arm.compact import COLUMN, HIGH, LOW, Q, is_coupled
from forearm.core.arm.goal import has_axis_tolerances, judge
from forearm.core.arm.problem import REACH, change, open_problem, row_of
from forearm.core.codes import ITERATIONS, LOWER, POSITION, SOLVED, TRIES, UPPER
from forearm.core.general.lm import column_dot, linearise, near, open_try, take_aim, try_size
from forearm.core.general.solve import FREE, free_whole_turns, keep_limits, turn_near
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp, copy
from forearm.core.maths.normal_equations import solve_3x3, solve_6x6

ROUNDS = 12
LARGEST_STEP = 0.5  # of a joint in one round [rad or m]
CLOSER = 1e-3  # a round must gain this share of the distance, or it was the last
NULL_DAMPING = 1e-12  # keeps the normal equations regular [share of reach squared]
RETURN_STEPS = 12  # steps to bring the tip back


@lean
def settle(problem, pose, posture, work, q, report_out):
    """Moves a solved q in place toward a posture while it stays solved, as measured; returns the status code.

    `problem` and `pose` as for a solving kernel (`core/arm/problem.py`); `work` has `settle_size(m, n)` numbers.
    """
    n = q.shape[0]
    asked = open_problem(problem, pose, n)
    robot, goal = asked.robot, asked.goal
    aim = take_aim(asked.facts[REACH], goal.terms, has_axis_tolerances(goal.terms), is_coupled(asked.chain))
    trial, rest = open_try(asked.chain, aim, asked.settings, work), work[try_size(robot.joints.shape[0]) :]
    arm, gauge, way, kept, given = trial.arm, trial.gauge, rest[:n], rest[n : 2 * n], rest[2 * n : 3 * n]
    steps, tries = report_out[ITERATIONS], report_out[TRIES]
    copy(q, given)
    turn_toward(robot, posture, arm, q)
    copy(q, kept)
    distance = squared_distance(q, posture)
    for _ in range(ROUNDS):
        keep_limits(robot, arm)
        for k in range(n):
            arm[k, Q] = q[k]
        linearise(trial, goal)
        unfelt_way(goal.kind, posture, aim.unit, arm, gauge.e, way)
        for k in range(n):
            arm[k, Q] = clamp(arm[k, Q] + way[k], arm[k, LOW], arm[k, HIGH])
        arrived, _, used = near(trial, goal, math.inf, RETURN_STEPS)
        steps += used
        for k in range(n):
            q[k] = clamp(arm[k, Q], robot.limits[LOWER, k], robot.limits[UPPER, k])
        turn_toward(robot, posture, arm, q)
        left = squared_distance(q, posture)
        if not (arrived and left < (1.0 - CLOSER) * distance):
            break
        distance = left
        copy(q, kept)
    copy(kept, q)
    code = judge(robot, goal, q, steps, tries, gauge, report_out)
    if code == SOLVED:
        return code
    copy(given, q)  # a turn or the tolerance is too fine for the digits of what was found
    return judge(robot, goal, q, steps, tries, gauge, report_out)


@shared
def settle_size(m, n):
    """How many numbers of scratch a call takes."""
    return try_size(m) + 3 * n


@lean
def settle_many(problem, limits, goals, terms, postures, chosen, work, q, report_out):
    """Moves the chosen answers of many targets in place; `problem` is this call's own and is written to."""
    for j in range(chosen.shape[0]):
        i = chosen[j]
        change(problem, terms, limits, i, j == 0)
        settle(problem, goals[i], postures[row_of(postures, i)], work, q[i], report_out[i])


@leaf
def turn_toward(robot, posture, arm, q):
    """Gives joints that may turn wholly the representative nearest to the posture."""
    free_whole_turns(robot, arm)
    for k in range(q.shape[0]):
        lower, upper = robot.limits[LOWER, k], robot.limits[UPPER, k]
        if arm[k, HIGH] == FREE:
            q[k] = clamp(turn_near(q[k], posture[k], lower, upper), lower, upper)


@leaf
def squared_distance(q, posture):
    """The sum of squared joint differences."""
    total = 0.0
    for k in range(q.shape[0]):
        total += (q[k] - posture[k]) ** 2
    return total


@leaf
def unfelt_way(kind, posture, unit, arm, b, way_out):
    """Writes the step toward the posture that leaves the tip where it is, to first order."""
    n = way_out.shape[0]
    for k in range(n):
        way_out[k] = posture[k] - arm[k, Q]
        blocked = (arm[k, Q] <= arm[k, LOW] and way_out[k] < 0.0) or (arm[k, Q] >= arm[k, HIGH] and way_out[k] > 0.0)
        if blocked:
            way_out[k] = 0.0
            for i in range(6):
                arm[k, COLUMN + i] = 0.0
    project_out(kind, unit, arm, b, way_out)
    largest = 0.0
    for k in range(n):
        largest = max(largest, abs(way_out[k]))
    if largest > LARGEST_STEP:
        for k in range(n):
            way_out[k] *= LARGEST_STEP / largest


@lean
def project_out(kind, unit, arm, b, way):
    """Takes from a motion, in place, what the tip feels of it: way - J^T (J J^T)^-1 J way.

    The columns of J stand in `arm`; `b` (6,) is scratch.
    """
    n = way.shape[0]
    for i in range(6):
        b[i] = 0.0
        for k in range(n):
            b[i] += arm[k, COLUMN + i] * way[k]
    if kind == POSITION:
        x, y, z = solve_3x3(arm, COLUMN, NULL_DAMPING * unit, b)
        u, v, w = 0.0, 0.0, 0.0
    else:
        x, y, z, u, v, w = solve_6x6(arm, COLUMN, NULL_DAMPING * unit, b)
    for k in range(n):
        way[k] -= column_dot(arm, k, x, y, z, u, v, w)
