"""Everything a closed form gives for a pose, for `solve_all`: rows, swivel intervals, swivel angles.

All take a flat form (`core/closed_form/forms/plan.py`), and scratch of `form_size(m, n)` numbers where they need any.
"""

import math

from forearm.core.arm.problem import open_problem
from forearm.core.closed_form.forms.nearest import bring_inside, take_row
from forearm.core.closed_form.forms.plan import HELD, REACH, SLACK, Sieve, branches, count_axes, displacement, open_form
from forearm.core.closed_form.forms.prune import DISTANCE, NORM_PLACE
from forearm.core.closed_form.forms.srs import (
    SHORT,
    elbow_angles,
    swivel_near,
    swivel_of,
    swivel_row,
    unit,
    upper_arm,
    upper_arm_at_zero,
    write_waves,
)
from forearm.core.closed_form.forms.srs_intervals import nearest_inside, write_arcs, write_breaks, write_intervals
from forearm.core.closed_form.forms.srs_nearest import ELBOW, INSET, open_swivels
from forearm.core.closed_form.held import without_held
from forearm.core.closed_form.polish import measure
from forearm.core.closed_form.scratch import open_desk, open_task
from forearm.core.codes import LOWER, UPPER
from forearm.core.jit import lean
from forearm.core.maths.vectors import length, product, rotation
from forearm.core.shaped import shaped

BRANCHES = 8  # of an arm with a swivel: two elbows, two shoulders, two wrists
SEVEN = 7


@lean
def list_rows(form, pose, start, held, work, rows_out):
    """Writes every row of a form that has finitely many, by joint, into (32, n); returns how many.

    `start` (n,) has the values of angles that the pose leaves free, `held` that of the held joint if there is one.
    """
    plan, back, lines = opened = open_form(form, count_axes(form))
    desk = open_desk(rows_out.shape[1], work)
    R, t = displacement(pose, back)
    if plan[HELD] >= 0.0:
        R, t = without_held(plan, held, R, t)
    desk.best[DISTANCE], desk.best[NORM_PLACE] = math.inf, math.inf
    everything = Sieve(desk.own, shaped(desk.wanted[:0], (3, 0)), desk.best)
    count = branches(opened, R, t, start, everything, desk.rows)
    for i in range(count):
        take_row(plan, lines, desk.rows[i], held, rows_out[i])
    return count


@lean
def list_intervals(problem, form, pose, start, widen, work, swivels_out, counts_out, intervals_out):
    """Writes the swivel intervals of the eight branches within limits widened by some radians.

    Branch = 4 elbow + 2 shoulder + wrist. Of each the swivel angle inside its intervals that is nearest to the
    start's, how many there are (none where its elbow is outside its own limits), and (24, 2) their ends.
    """
    plan, back, lines = open_form(form, SEVEN)
    limits, swivels = open_problem(problem, pose, SEVEN).robot.limits, open_swivels(work)
    waves, arcs, breaks = swivels.waves, swivels.arcs, swivels.breaks
    R, t = displacement(pose, back)
    v, many, q4, other4 = elbow_angles(lines, R, t, start)
    for branch in range(BRANCHES):
        counts_out[branch] = 0
    if length(v) < SHORT:
        return
    v = unit(v)
    upper = upper_arm(lines, start)
    write_arcs(lines, limits, widen, arcs)
    for elbow in range(many):
        if bring_inside(q4, start[ELBOW], limits[LOWER, ELBOW], limits[UPPER, ELBOW], plan[SLACK])[0]:
            R0 = upper_arm_at_zero(lines, v, q4)
            psi = swivel_near(v, R0, upper)
            write_waves(lines, R, v, R0, q4, waves)
            count = write_breaks(waves, arcs, breaks)
            for side in range(4):
                branch = 4 * elbow + side
                ends = intervals_out[branch]
                counts_out[branch] = write_intervals(waves, arcs, breaks, count, side // 2, side % 2, ends)
                swivels_out[branch] = nearest_inside(ends, counts_out[branch], psi, INSET)
        q4 = other4


@lean
def row_at_swivel(form, pose, start, branch, psi, row_out):
    """Writes the (7,) joint values of a branch at a swivel angle; False if it has no such elbow."""
    _, back, lines = open_form(form, SEVEN)
    R, t = displacement(pose, back)
    v, many, one, other = elbow_angles(lines, R, t, start)
    if branch // 4 >= many or length(v) < SHORT:
        return False
    v, q4 = unit(v), other if branch // 4 == 1 else one
    R0 = upper_arm_at_zero(lines, v, q4)
    swivel_row(lines, R, product(rotation(v, psi), R0), q4, branch, start, row_out)
    return True


@lean
def swivel_angle(form, q):
    """The swivel angle of a configuration [rad]; NaN where shoulder and wrist coincide."""
    return swivel_of(open_form(form, SEVEN).lines, q)


@lean
def measure_row(problem, form, pose, work, q, report_out):
    """Measures a row inside the limits and polishes it in place if need be; returns the status code."""
    task = open_task(problem, form, pose, count_axes(form), q.shape[0], work)
    return measure(task.asked, task.form.plan[REACH], task.desk, q, report_out)
