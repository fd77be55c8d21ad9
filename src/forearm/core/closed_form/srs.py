"""One configuration of an arm with spherical shoulder and wrist: in the limits, near a start.

Eight branches (two elbows, two shoulders, two wrists), each with its own swivel intervals. The start's
own swivel angle is taken where it lies inside, else the nearest that does.
"""

import math

from forearm.core.closed_form.choose import bring_inside, distance_inside
from forearm.core.closed_form.intervals import (
    branch_inside,
    nearest_inside,
    write_arcs,
    write_breaks,
    write_intervals,
)
from forearm.core.closed_form.swivel import (
    SHORT,
    elbow_angles,
    swivel_near,
    swivel_row,
    unit,
    upper_arm,
    upper_arm_at_zero,
    write_waves,
)
from forearm.core.closed_form.vectors import length
from forearm.core.codes import LOWER, UPPER
from forearm.core.jit import lean

ELBOW = 3
# How far inside an interval a swivel angle is put, so that rounding leaves no joint outside [rad].
INSET = 1e-7
# Joints whose targets stand exactly at their limits are missed by rounding without this [rad].
WIDEN = 1e-9


@lean
def nearest_swivel(
    joints, limits, lines, R, t, start, slack, norm, thorough, waves, arcs, breaks, intervals, row, best_out
):
    """Writes the branch nearest to start; returns its distance, infinite if none is inside the limits.

    Args:
        start: (7,) where near is, and the values of free angles.
        slack: How far a joint may lie outside before it is moved onto its limit [rad].
        norm: 1 for the sum of changes, else the largest change.
        thorough: Whether to look beyond the start's swivel angle if that gave an answer.
    """
    v, many, q4, other4 = elbow_angles(lines, R, t, start)
    least = math.inf
    if many == 0 or length(v) < SHORT:
        return least
    v = unit(v)
    upper = upper_arm(lines, start)
    write_arcs(lines, limits, 0.0, arcs)
    for look in range(3):
        if look == 2:
            write_arcs(lines, limits, WIDEN, arcs)
        for _ in range(many):
            inside, q4 = bring_inside(q4, start[ELBOW], limits[LOWER, ELBOW], limits[UPPER, ELBOW], slack)
            if inside:
                R0 = upper_arm_at_zero(lines, v, q4)
                psi = swivel_near(v, R0, upper)
                write_waves(lines, R, v, R0, q4, waves)
                count = write_breaks(waves, arcs, breaks) if look > 0 else 0
                for branch in range(4):
                    shoulder, wrist = branch // 2, branch % 2
                    at = psi
                    if not branch_inside(waves, arcs, shoulder, wrist, psi):
                        found = write_intervals(waves, arcs, breaks, count, shoulder, wrist, intervals)
                        if look == 0 or found == 0:
                            continue
                        at = nearest_inside(intervals, found, psi, INSET)
                    elif look == 1:
                        continue  # seen at the first look
                    swivel_row(lines, R, v, R0, q4, at, shoulder, wrist, start, row)
                    away = distance_inside(joints, limits, lines, start, slack, norm, row)
                    if away < least:
                        least = away
                        for k in range(7):
                            best_out[k] = row[k]
            q4, other4 = other4, q4
        if least < math.inf and (look > 0 or not thorough):
            break
    return least
