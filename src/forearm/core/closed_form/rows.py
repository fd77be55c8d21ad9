"""The rows of each class, written into the scratch of a call (laid out in `core/closed_form/scratch.py`)."""

from forearm.core.closed_form.forms.plan import CASE, LINE_COLUMNS, PLAN, ROWS, displacement, in_form_order
from forearm.core.closed_form.forms.planar import plane_branches
from forearm.core.closed_form.forms.spherical_wrist import wrist_branches
from forearm.core.closed_form.forms.srs_nearest import nearest_swivel
from forearm.core.closed_form.forms.three_parallel import parallel_branches
from forearm.core.closed_form.held import first_held
from forearm.core.closed_form.scratch import AWAY, BEST, LIMITS_PLACE, TABLE, begin_sieve, scratch_left
from forearm.core.general.solve import JOINTS
from forearm.core.jit import leaf
from forearm.core.shaped import shaped

SIX = 6


@leaf
def six_rows(problem, form, goal, wrist, nearest, n, work):
    """Writes the rows of six axes, or only the nearest inside the limits; returns how many.

    Args:
        wrist: True for a spherical wrist, None for three parallel axes; known when this is compiled.
        nearest: Whether only the nearest is wanted.
    """
    width = SIX if nearest else 0
    begin_sieve(problem, form, n, width, work)
    plan, back, lines = (
        form[:PLAN],
        shaped(form[PLAN : PLAN + 16], (4, 4)),
        shaped(form[PLAN + 16 :], (SIX, LINE_COLUMNS)),
    )
    own, best, line = work[n : 2 * n], work[2 * n + BEST : 2 * n + BEST + 2], work[2 * n + TABLE :]
    rows, sieve = shaped(line[: ROWS * n], (ROWS, n)), shaped(line[ROWS * n : ROWS * n + 3 * width], (3, width))
    R, t = displacement(goal, back)
    R, t = in_form_order(plan, lines, R, t, work[:n], own)
    if wrist is None:
        return parallel_branches(lines, R, t, own, sieve, best, rows)
    return wrist_branches(int(plan[CASE]), lines, R, t, own, sieve, best, rows)


@leaf
def plane_rows(form, goal, n, work):
    """Writes the rows of parallel axes; returns how many."""
    plan, back, lines = (
        form[:PLAN],
        shaped(form[PLAN : PLAN + 16], (4, 4)),
        shaped(form[PLAN + 16 :], (n, LINE_COLUMNS)),
    )
    own, rows = work[n : 2 * n], shaped(work[2 * n + TABLE : 2 * n + TABLE + ROWS * n], (ROWS, n))
    R, t = displacement(goal, back)
    R, t = in_form_order(plan, lines, R, t, work[:n], own)
    return plane_branches(lines, R, t, own, rows)


@leaf
def swivel_rows(problem, form, goal, near, n, work):
    """Writes the nearest branch of an arm with a swivel; returns 1, or 0 if none is inside the limits."""
    m = int(problem[JOINTS])
    plan, back, lines = (
        form[:PLAN],
        shaped(form[PLAN : PLAN + 16], (4, 4)),
        shaped(form[PLAN + 16 :], (n, LINE_COLUMNS)),
    )
    limits, line = shaped(problem[LIMITS_PLACE : LIMITS_PLACE + 2 * n], (2, n)), problem[LIMITS_PLACE + 2 * n :]
    joints = shaped(line[12 * (m + 1) : 12 * (m + 1) + 3 * m], (m, 3))
    R, t = displacement(goal, back)
    row, left = work[2 * n + TABLE : 3 * n + TABLE], work[scratch_left(n) :]
    return nearest_swivel(joints, limits, lines, R, t, work[:n], plan, near, left, row)


@leaf
def held_rows(problem, form, goal, n, work):
    """Writes the rows at the first value of the held joint that has one inside; how many, and that value."""
    m = int(problem[JOINTS])
    begin_sieve(problem, form, n, 0, work)
    plan, back, lines = (
        form[:PLAN],
        shaped(form[PLAN : PLAN + 16], (4, 4)),
        shaped(form[PLAN + 16 :], (SIX, LINE_COLUMNS)),
    )
    limits, line = shaped(problem[LIMITS_PLACE : LIMITS_PLACE + 2 * n], (2, n)), problem[LIMITS_PLACE + 2 * n :]
    joints = shaped(line[12 * (m + 1) : 12 * (m + 1) + 3 * m], (m, 3))
    own, best, line = work[n : 2 * n], work[2 * n + BEST : 2 * n + BEST + 2], work[2 * n :]
    rows, sieve = shaped(line[TABLE : TABLE + ROWS * n], (ROWS, n)), shaped(line[TABLE:TABLE], (3, 0))
    R, t = displacement(goal, back)
    return first_held(joints, limits, plan, lines, R, t, work[:n], own, sieve, best, rows, line[AWAY:TABLE])
