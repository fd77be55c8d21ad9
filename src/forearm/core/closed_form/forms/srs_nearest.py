"""One configuration of an arm with spherical shoulder and wrist: in the limits, near a start.

Eight branches (two elbows, two shoulders, two wrists), each with its own swivel intervals. The start's
own swivel angle is taken where it lies inside, else the nearest that does.
"""

import math
from typing import Any, NamedTuple

from forearm.core.closed_form.forms.nearest import bring_inside, distance_inside, join
from forearm.core.closed_form.forms.srs import (
    SHORT,
    WAVES,
    elbow_angles,
    swivel_near,
    swivel_row,
    unit,
    upper_arm,
    upper_arm_at_zero,
    write_waves,
)
from forearm.core.closed_form.forms.srs_intervals import (
    ARC_COLUMNS,
    BREAKS,
    nearest_inside,
    write_arcs,
    write_breaks,
    write_intervals,
)
from forearm.core.closed_form.forms.subproblems import direction_onto, given, middle_directions, turn_onto
from forearm.core.codes import LOWER, UPPER
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy
from forearm.core.maths.vectors import any_across, apply, length, product, read, rotation, transpose, turned
from forearm.core.shaped import shaped

ELBOW = 3
SWIVEL_SCRATCH = 3 * WAVES + 7 * ARC_COLUMNS + 3 * BREAKS + 7
# How far inside an interval a swivel angle is put, so that rounding leaves no joint outside [rad].
INSET = 1e-7
# Joints whose targets stand exactly at their limits are missed by rounding without this [rad].
WIDEN = 1e-9


class Swivels(NamedTuple):
    """What the search over swivel angles works with."""

    waves: Any  # (10, 3) see `core/closed_form/forms/srs.py`
    arcs: Any  # (7, 5), as what follows see `core/closed_form/forms/srs_intervals.py`
    breaks: Any  # (24,)
    intervals: Any  # (24, 2)
    row: Any  # (7,)


@leaf
def open_swivels(scratch):
    """The scratch of a search over swivel angles, of `SWIVEL_SCRATCH` numbers; only for lean kernels."""
    waves, line = shaped(scratch[: 3 * WAVES], (WAVES, 3)), scratch[3 * WAVES :]
    arcs, line = shaped(line[: 7 * ARC_COLUMNS], (7, ARC_COLUMNS)), line[7 * ARC_COLUMNS :]
    intervals, row = shaped(line[BREAKS : 3 * BREAKS], (BREAKS, 2)), line[3 * BREAKS : 3 * BREAKS + 7]
    return Swivels(waves, arcs, line[:BREAKS], intervals, row)


@lean
def nearest_swivel(robot, lines, R, t, near, thorough, scratch, best_out):
    """Writes the branch nearest to the start; returns 1, or 0 if none is inside the limits.

    `thorough` asks to look beyond the start's swivel angle although that gave an answer.
    """
    v, many, q4, other4 = elbow_angles(lines, R, t, near.start)
    if many == 0 or length(v) < SHORT:
        return 0
    elbows = (R, unit(v), many, q4, other4)  # what the pose leaves of the arm, whatever its swivel
    least = at_own_swivel(robot.limits, lines, elbows, near, scratch[:7], best_out)
    for look in range(2):
        if least < math.inf and (look > 0 or not thorough):
            break
        widen = 0.0 if look == 0 else WIDEN
        least = at_nearest_swivels(robot, lines, elbows, near, widen, least, scratch, best_out)
    return 1 if least < math.inf else 0


@lean
def at_own_swivel(limits, lines, elbows, near, row, best_out):
    """Writes the nearest branch at the swivel angle of the start; returns its distance, or infinity.

    At one swivel angle shoulder and wrist have two postures each, whatever the other does.
    """
    R, v, many, q4, other4 = elbows
    start = near.start
    upper, h4 = upper_arm(lines, start), read(lines, ELBOW, 0)
    least = math.inf
    for _ in range(many):
        inside, elbow = bring_inside(q4, start[ELBOW], limits[LOWER, ELBOW], limits[UPPER, ELBOW], near.slack)
        if inside:
            R0 = upper_arm_at_zero(lines, v, elbow)
            moved = product(rotation(v, swivel_near(v, R0, upper)), R0)
            away = nearest_turns(limits, lines, 0, moved, near, row)
            if away < least:
                W = product(transpose(product(moved, rotation(h4, elbow))), R)
                away = join(near, away, nearest_turns(limits, lines, ELBOW + 1, W, near, row))
                away = join(near, away, abs(elbow - start[ELBOW]))
            if away < least:
                least = away
                row[ELBOW] = elbow
                copy(row, best_out)
        q4 = other4
    return least


@lean
def nearest_turns(limits, lines, first, W, near, row_out):
    """Writes the angles about three meeting axes that make W and are nearest to start; their distance."""
    h1, h2, h3 = read(lines, first, 0), read(lines, first + 1, 0), read(lines, first + 2, 0)
    u, m = apply(W, h3), any_across(h3)
    n = apply(W, m)
    start, slack, least = near.start, near.slack, math.inf
    _, c2, s2, other_c2, other_s2, _ = middle_directions(h1, h2, h3, u, 0.0)
    for _ in range(2):
        middle = math.atan2(s2, c2)
        k = first + 1
        a, c1, s1 = 0.0, 1.0, 0.0
        inside, b = bring_inside(middle, start[k], limits[LOWER, k], limits[UPPER, k], slack)
        if inside:
            c1, s1 = direction_onto(h1, turned(h2, c2, s2, h3), u)
            c1, s1 = given(c1, s1, start[first])
            inside, a = bring_inside(
                math.atan2(s1, c1), start[first], limits[LOWER, first], limits[UPPER, first], slack
            )
        if inside:
            last = turn_onto(h3, m, turned(h2, c2, -s2, turned(h1, c1, -s1, n)), 0.0)
            k = first + 2
            inside, c = bring_inside(last, start[k], limits[LOWER, k], limits[UPPER, k], slack)
            away = join(near, join(near, abs(a - start[first]), abs(b - start[first + 1])), abs(c - start[k]))
            if inside and away < least:
                least = away
                row_out[first], row_out[first + 1], row_out[first + 2] = a, b, c
        c2, s2 = other_c2, other_s2
    return least


@lean
def at_nearest_swivels(robot, lines, elbows, near, widen, least, scratch, best_out):
    """Improves on the best branch by those whose swivel angle is moved into their intervals; its distance."""
    R, v, many, q4, other4 = elbows
    limits, start = robot.limits, near.start
    waves, arcs, breaks, intervals, row = open_swivels(scratch)
    upper = upper_arm(lines, start)
    write_arcs(lines, limits, widen, arcs)
    for _ in range(many):
        inside, elbow = bring_inside(q4, start[ELBOW], limits[LOWER, ELBOW], limits[UPPER, ELBOW], near.slack)
        if inside:
            R0 = upper_arm_at_zero(lines, v, elbow)
            psi = swivel_near(v, R0, upper)
            write_waves(lines, R, v, R0, elbow, waves)
            count = write_breaks(waves, arcs, breaks)
            for branch in range(4):
                shoulder, wrist = branch // 2, branch % 2
                found = write_intervals(waves, arcs, breaks, count, shoulder, wrist, intervals)
                if found == 0:
                    continue
                at = nearest_inside(intervals, found, psi, INSET)
                swivel_row(lines, R, product(rotation(v, at), R0), elbow, branch, start, row)
                away = distance_inside(robot, lines, near, row)
                if away < least:
                    least = away
                    copy(row, best_out)
        q4 = other4
    return least
