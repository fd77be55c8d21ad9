"""Which row to take: whole turns into the limits, then the nearest to a configuration.

Joints are independent, so the nearest representative of each is the nearest of all, in the
largest change of a joint as well as in the sum of changes.
"""

import math
from typing import Any, NamedTuple

from forearm.core.closed_form.forms.plan import HELD, JOINT
from forearm.core.codes import KIND, LOWER, PRISMATIC, UPPER
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import TURN, clamp, wrap_near


@leaf
def bring_inside(value, reference, lower, upper, slack):
    """Whether some whole turns bring an angle inside the limits, and the nearest such value to a reference."""
    r = wrap_near(value, reference)
    if r < lower - slack:
        r += TURN * math.ceil((lower - slack - r) / TURN)
    elif r > upper + slack:
        r -= TURN * math.ceil((r - upper - slack) / TURN)
    return lower - slack <= r <= upper + slack, clamp(r, lower, upper)


class Near(NamedTuple):
    """Where near is, and how it is counted."""

    start: Any  # (n,) a configuration; also the values of angles that a pose leaves free
    slack: Any  # how far a joint may lie outside before it is moved onto its limit [rad or m]
    norm: Any  # 1 for the sum of changes, else the largest change


@leaf
def join(near, a, b):
    """The distance of two groups of joints together: their sum, or the larger."""
    return a + b if near.norm == 1.0 else max(a, b)


@lean
def distance_inside(robot, lines, near, row):
    """Turns a row (k,) of the form's order into the limits in place; its distance, infinite if it stays outside."""
    joints, limits, start, slack = robot.joints, robot.limits, near.start, near.slack
    total = 0.0
    for i in range(lines.shape[0]):
        k = int(lines[i, JOINT])
        lower, upper = limits[LOWER, k], limits[UPPER, k]
        if joints[k, KIND] == PRISMATIC:
            inside, value = lower - slack <= row[i] <= upper + slack, clamp(row[i], lower, upper)
        else:
            inside, value = bring_inside(row[i], start[k], lower, upper, slack)
        if not inside:
            return math.inf
        row[i] = value
        total = join(near, total, abs(value - start[k]))
    return total


@lean
def nearest_row(robot, lines, near, rows, count, away):
    """Turns all rows into the limits and writes their distances from start; the nearest, or -1."""
    for i in range(count):
        away[i] = distance_inside(robot, lines, near, rows[i])
    return least_of(away, count)


@leaf
def least_of(away, count):
    """The place of the least of some distances, or -1 if all are infinite."""
    best, least = -1, math.inf
    for i in range(count):
        if away[i] < least:
            best, least = i, away[i]
    return best


@leaf
def take_row(plan, lines, row, held, q_out):
    """Writes a row of the form's order by joint, with the value of the held joint if there is one."""
    if plan[HELD] >= 0.0:
        q_out[int(plan[HELD])] = held
    for i in range(lines.shape[0]):
        q_out[int(lines[i, JOINT])] = row[i]
