"""What makes answers of rows of joint values: turned into the limits, measured, ordered, and each kept once."""

import math

from forearm.core.arm.goal import judge
from forearm.core.arm.kinematics import fk_tip
from forearm.core.arm.problem import Gauge, open_problem
from forearm.core.codes import LOWER, SOLVED, UPPER
from forearm.core.jit import leaf, lean
from forearm.core.shaped import shaped

TURN = 2.0 * math.pi
# Answers closer than this in every joint are one: near a singularity the digits of a joint are lost.
SAME = 1e-6  # [rad or m]
# So are answers that are joined by others (a singular wrist turning on the spot): the pose must stay
# where it is, within MET [m, or sine of an angle], at these shares of the way between them. Two
# branches that nearly coincide bend away from the target between them, by their distance squared
# times lengths of the arm; much less than that is no bend.
BETWEEN = (0.3, 0.5, 0.8)
MET = 1e-6
BEND = 1e-3


@leaf
def nearest_turn(value, start, lower, upper, slack):
    """The value inside the limits that differs by whole turns and is nearest to the start; NaN if there is none."""
    nearest = value + TURN * math.floor((start - value) / TURN + 0.5)
    below = math.floor((nearest - lower + slack) / TURN) if math.isfinite(lower) else 1.0
    above = math.floor((upper + slack - nearest) / TURN) if math.isfinite(upper) else 1.0
    if below + above < 0.0:
        return math.nan
    turns = max(min(0.0, above), -below)
    best = min(max(nearest + TURN * turns, lower), upper)
    if turns - 1.0 >= -below:  # of two that are as near, the lower one
        other = min(max(nearest + TURN * (turns - 1.0), lower), upper)
        if abs(other - start) <= abs(best - start):
            best = other
    return best


@lean
def turn_inside(limits, start, comes_round, slack, rows, rows_out):
    """Writes the rows (k, n) that lie inside the limits, each joint turned to the start; returns how many."""
    count = 0
    for i in range(rows.shape[0]):
        inside = True
        for k in range(rows.shape[1]):
            value, lower, upper = rows[i, k], limits[LOWER, k], limits[UPPER, k]
            if comes_round[k]:
                value = nearest_turn(value, start[k], lower, upper, slack)
            elif lower - slack <= value <= upper + slack:
                value = min(max(value, lower), upper)
            else:
                value = math.nan
            if not math.isfinite(value):
                inside = False
                break
            rows_out[count, k] = value
        if inside:
            count += 1
    return count


@lean
def measure_rows(problem, pose, rows, work, rows_out, reports_out):
    """Writes the rows that meet the target as forward kinematics has it, and their reports; returns how many."""
    n, count = rows.shape[1], 0
    asked = open_problem(problem, pose, n)
    gauge = Gauge(shaped(work[:0], (3, 0)), shaped(work[:16], (4, 4)), work[16:22])
    for i in range(rows.shape[0]):
        if judge(asked.robot, asked.goal, rows[i], 0, 1, gauge, reports_out[count]) == SOLVED:
            for k in range(n):
                rows_out[count, k] = rows[i, k]
            count += 1
    return count


@lean
def are_one(problem, pose, comes_round, bend, a, b, work):
    """Whether two answers are one: the same, or joined by answers."""
    n, apart = a.shape[0], 0.0
    T, way, q = shaped(work[:16], (4, 4)), work[16 : 16 + n], work[16 + n : 16 + 2 * n]
    for k in range(n):
        way[k] = b[k] - a[k]
        if comes_round[k]:
            way[k] -= TURN * math.floor(way[k] / TURN + 0.5)
        apart = max(apart, abs(way[k]))
    if apart < SAME:
        return True
    robot, most = open_problem(problem, pose, n).robot, min(MET, BEND * bend * apart * apart)
    for share in BETWEEN:
        for k in range(n):
            q[k] = a[k] + share * way[k]
        fk_tip(robot.links, robot.joints, q, T)
        for i in range(3):
            for j in range(4):
                if not abs(T[i, j] - pose[i, j]) < most:
                    return False
    return True


@lean
def each_once(problem, pose, start, comes_round, bend, rows, work, far_out, order_out):
    """Writes the places of the rows (k, n), the nearest to the start first, each answer once; returns how many.

    `far_out` (k,) becomes the largest change of a joint from the start, `bend` is a length of the arm, at most 1 m.
    """
    count, total, n = 0, rows.shape[0], rows.shape[1]
    for i in range(total):
        far = 0.0
        for k in range(n):
            far = max(far, abs(rows[i, k] - start[k]))
        far_out[i] = far
        place = i
        while place > 0 and far_out[order_out[place - 1]] > far:
            order_out[place] = order_out[place - 1]
            place -= 1
        order_out[place] = i
    for i in range(total):
        known, row = False, order_out[i]
        for j in range(count):
            if are_one(problem, pose, comes_round, bend, rows[row], rows[order_out[j]], work):
                known = True
                break
        if not known:
            order_out[count] = row
            count += 1
    return count
