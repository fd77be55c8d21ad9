"""Everything a closed form gives for a pose, for `solve_all`: rows, swivel intervals, swivel angles."""

import math

import numpy as np

from forearm.core.arm.problem import Gauge, Goal, Robot
from forearm.core.closed_form.forms.plan import HELD, JOINT, branches, displacement
from forearm.core.closed_form.forms.srs import (
    SHORT,
    WAVES,
    elbow_angles,
    swivel_near,
    swivel_of,
    swivel_row,
    unit,
    upper_arm,
    upper_arm_at_zero,
    write_waves,
)
from forearm.core.closed_form.forms.srs_intervals import ARC_COLUMNS, BREAKS, write_arcs, write_breaks, write_intervals
from forearm.core.closed_form.forms.srs_nearest import SWIVEL_SCRATCH
from forearm.core.closed_form.forms.vectors import length
from forearm.core.closed_form.held import without_held
from forearm.core.closed_form.polish import POLISH_COLUMNS, measure
from forearm.core.jit import kernel

BRANCHES = 8  # of an arm with a swivel: two elbows, two shoulders, two wrists


@kernel
def list_rows(plan, lines, back, goal, start, held, rows_out):
    """Writes every row of a form that has finitely many, by joint; returns how many.

    Args:
        start: (n,) the values of angles that the pose leaves free.
        held: The value of the held joint, if the form has one.
        rows_out: (32, n).
    """
    R, t = displacement(goal, back)
    if plan[HELD] >= 0.0:
        R, t = without_held(plan, held, R, t)
    rows, own = np.empty(rows_out.shape), np.empty(lines.shape[0])
    everything, best = np.empty((3, 0)), np.array([math.inf, math.inf])
    count = branches(plan, lines, R, t, start, own, everything, best, rows)
    for i in range(count):
        if plan[HELD] >= 0.0:
            rows_out[i, int(plan[HELD])] = held
        for j in range(lines.shape[0]):
            rows_out[i, int(lines[j, JOINT])] = rows[i, j]
    return count


@kernel
def list_intervals(lines, back, limits, goal, start, widen, elbows_out, swivels_out, counts_out, intervals_out):
    """Writes the swivel intervals of the eight branches; those of the elbow's own limit are the caller's.

    Args:
        start: (7,) whose swivel angle is asked for beside them.
        widen: How far the limits are widened [rad].
        elbows_out: (2,) both elbow angles; NaN where there is none.
        swivels_out: (2,) the swivel angle nearest to the start's for each elbow.
        counts_out: (8,) how many intervals each branch has; branch = 4 elbow + 2 shoulder + wrist.
        intervals_out: (8, 24, 2) their ends.
    """
    waves, arcs, breaks = np.empty((WAVES, 3)), np.empty((7, ARC_COLUMNS)), np.empty(BREAKS)
    R, t = displacement(goal, back)
    v, many, q4, other4 = elbow_angles(lines, R, t, start)
    elbows_out[:], counts_out[:] = math.nan, 0
    if length(v) < SHORT:
        return
    v = unit(v)
    upper = upper_arm(lines, start)
    write_arcs(lines, limits, widen, arcs)
    for elbow in range(many):
        R0 = upper_arm_at_zero(lines, v, q4)
        elbows_out[elbow], swivels_out[elbow] = q4, swivel_near(v, R0, upper)
        write_waves(lines, R, v, R0, q4, waves)
        count = write_breaks(waves, arcs, breaks)
        for side in range(4):
            branch = 4 * elbow + side
            counts_out[branch] = write_intervals(waves, arcs, breaks, count, side // 2, side % 2, intervals_out[branch])
        q4 = other4


@kernel
def row_at_swivel(lines, back, goal, start, branch, psi, row_out):
    """Writes the (7,) joint values of a branch at a swivel angle; False if it has no such elbow."""
    R, t = displacement(goal, back)
    v, many, one, other = elbow_angles(lines, R, t, start)
    if branch // 4 >= many or length(v) < SHORT:
        return False
    v, q4 = unit(v), other if branch // 4 == 1 else one
    R0 = upper_arm_at_zero(lines, v, q4)
    swivel_row(lines, R, v, R0, q4, psi, branch // 2 % 2, branch % 2, start, row_out)
    return True


@kernel
def swivel_angle(lines, q):
    """The swivel angle of a configuration [rad]; NaN where shoulder and wrist coincide."""
    return swivel_of(lines, q)


@kernel
def measure_row(links, joints, limits, pose, kind, terms, plan, chain, q, report_out):
    """Measures a row inside the limits and polishes it in place if need be; returns the status code."""
    robot, goal = Robot(links, joints, limits), Goal(pose, kind, terms)
    gauge, scratch = (
        Gauge(np.empty((3, 0)), np.empty((4, 4)), np.empty(6)),
        np.empty(POLISH_COLUMNS * q.shape[0] + SWIVEL_SCRATCH),
    )
    return measure(robot, goal, plan, chain, gauge, scratch, q, report_out)
