"""Everything a closed form gives for a pose, for `solve_all`: rows, swivel intervals, swivel angles."""

import math

import numpy as np

from forearm.core.closed_form.forms.nearest import take_row
from forearm.core.closed_form.forms.plan import (
    HELD,
    LINE_COLUMNS,
    PLAN,
    REACH,
    Form,
    Sieve,
    branches,
    count_axes,
    displacement,
)
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
from forearm.core.closed_form.forms.vectors import length, product, rotation
from forearm.core.closed_form.held import without_held
from forearm.core.closed_form.polish import measure
from forearm.core.closed_form.scratch import open_task
from forearm.core.jit import kernel, lean

BRANCHES = 8  # of an arm with a swivel: two elbows, two shoulders, two wrists


@kernel
def list_rows(form, goal, start, held, rows_out):
    """Writes every row of a form that has finitely many, by joint; returns how many.

    Args:
        form: The flat form.
        start: (n,) the values of angles that the pose leaves free.
        held: The value of the held joint, if the form has one.
        rows_out: (32, n).
    """
    plan, lines = form[:PLAN], form[PLAN + 16 :].reshape((count_axes(form), LINE_COLUMNS))
    opened = Form(plan, form[PLAN : PLAN + 16].reshape((4, 4)), lines)
    R, t = displacement(goal, opened.back)
    if plan[HELD] >= 0.0:
        R, t = without_held(plan, held, R, t)
    rows = np.empty(rows_out.shape)
    everything = Sieve(np.empty(lines.shape[0]), np.empty((3, 0)), np.array([math.inf, math.inf]))
    count = branches(opened, R, t, start, everything, rows)
    for i in range(count):
        take_row(plan, lines, rows[i], held, rows_out[i])
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
    swivel_row(lines, R, product(rotation(v, psi), R0), q4, branch, start, row_out)
    return True


@kernel
def swivel_angle(lines, q):
    """The swivel angle of a configuration [rad]; NaN where shoulder and wrist coincide."""
    return swivel_of(lines, q)


@lean
def measure_row(problem, form, pose, work, q, report_out):
    """Measures a row inside the limits and polishes it in place if need be; returns the status code."""
    task = open_task(problem, form, pose, count_axes(form), q.shape[0], work)
    return measure(task.asked, task.form.plan[REACH], task.desk, q, report_out)
