"""The closed forms as a solving method: the nearest branch inside the limits, measured.

Poses only, on arms whose axes allow it (`forearm.structure`). The answer is the branch nearest to q0,
or to the middle of the limits without one; where a file has rounded the axes it is polished on the
real ones. Returns NOT_CONVERGED if no branch lies inside the limits.
"""

import math

import numpy as np

from forearm.core.closed_form.choose import least_of, nearest_row, take_row
from forearm.core.closed_form.held import first_held
from forearm.core.closed_form.plan import (
    CLASS,
    HELD,
    LINE_COLUMNS,
    NEARNESS,
    PLAN,
    PLANE,
    ROWS,
    SHOULDER_AND_WRIST,
    SLACK,
    branches,
    displacement,
)
from forearm.core.closed_form.polish import POLISH_COLUMNS, measure
from forearm.core.closed_form.sieve import DISTANCE, NORM_PLACE, fill_sieve
from forearm.core.closed_form.srs import SWIVEL_SCRATCH, nearest_swivel
from forearm.core.codes import NOT_CONVERGED, SOLVED, TERMS
from forearm.core.compact import CHAIN_COLUMNS
from forearm.core.general import ASKED, HEAD, JOINTS, SETTINGS
from forearm.core.goal import begin, judge
from forearm.core.jit import kernel, leaf, lean
from forearm.core.limits import copy
from forearm.core.seeds import FACTS

NORM = 0  # place in `settings`
FIXED = 24 + ROWS + SWIVEL_SCRATCH  # numbers of the workspace that do not grow with the joints


@kernel
def solve_form(problem, form, goal, q0, q_out, report_out):
    """Writes the nearest branch inside the limits and returns a status code; q0 or the middle if none.

    Args:
        problem: A robot, its limits and the terms, as `core/general.py` opens them.
        form: What was recognised, as `plan.py` opens it.
    """
    work = np.empty(form_workspace(q_out.shape[0]))
    return open_problem(problem, form, goal, q0, work, q_out, report_out)


@leaf
def form_workspace(n):
    """How many numbers `solve_opened` works with."""
    return FIXED + (5 + ROWS + POLISH_COLUMNS) * n


@leaf
def open_problem(problem, form, goal, q0, work, q_out, report_out):
    """Opens the arrays of a problem and of a form, checks the input, then solves it."""
    m, n, kind = int(problem[JOINTS]), q_out.shape[0], int(problem[ASKED])
    terms, rest = problem[HEAD + SETTINGS : HEAD + SETTINGS + TERMS], problem[HEAD + SETTINGS + TERMS :]
    limits, rest = rest[: 2 * n].reshape((2, n)), rest[2 * n :]
    links, rest = rest[: 12 * (m + 1)].reshape((m + 1, 3, 4)), rest[12 * (m + 1) :]
    joints, chain = rest[: 3 * m].reshape((m, 3)), rest[3 * m : -FACTS].reshape((m + 1, CHAIN_COLUMNS))
    plan, back = form[:PLAN], form[PLAN : PLAN + 16].reshape((4, 4))
    lines = form[PLAN + 16 :].reshape(((form.shape[0] - PLAN - 16) // LINE_COLUMNS, LINE_COLUMNS))
    fault = begin(limits, goal, q0, q_out)
    if fault != SOLVED:
        return fault
    near = q0.shape[0] > 0
    return solve_opened(
        links, joints, limits, goal, kind, terms, near, plan, lines, back, chain, work, q_out, report_out
    )


@lean
def solve_opened(links, joints, limits, goal, kind, terms, near, plan, lines, back, chain, work, q_out, report_out):
    """Takes the nearest row that passes the measurement; q_out holds the start."""
    n = q_out.shape[0]
    start, own, line = work[:n], work[n : 2 * n], work[2 * n :]
    T, e, best, line = line[:16].reshape((4, 4)), line[16:22], line[22:24], line[24:]
    rows, away, line = line[: ROWS * n].reshape((ROWS, n)), line[ROWS * n : ROWS * (n + 1)], line[ROWS * (n + 1) :]
    flat, line = line[: 3 * n], line[3 * n :]
    copy(q_out, start)
    R, t = displacement(goal, back)
    listing = plan[CLASS] == PLANE or plan[HELD] >= 0.0 or plan[CLASS] == SHOULDER_AND_WRIST
    for look in range(1 if listing else 2):
        # at the first look only the nearest row; should it fail, all of them
        width = 0 if listing or look == 1 else lines.shape[0]
        sieve, held = flat[: 3 * width].reshape((3, width)), 0.0
        fill_sieve(limits, lines, start, plan[SLACK], sieve)
        best[DISTANCE], best[NORM_PLACE] = math.inf, plan[NEARNESS]
        if plan[CLASS] == SHOULDER_AND_WRIST:
            count = nearest_swivel(joints, limits, lines, R, t, start, plan, near, line, rows[0])
        elif plan[HELD] >= 0.0:
            count, held = first_held(joints, limits, plan, lines, R, t, start, own, sieve, best, rows, away)
        else:
            count = branches(plan, lines, R, t, start, own, sieve, best, rows)
        place = nearest_row(joints, limits, lines, start, plan[SLACK], plan[NEARNESS], rows, count, away)
        while place >= 0:
            take_row(plan, lines, rows[place], held, q_out)
            code = measure(links, joints, limits, goal, kind, terms, plan, chain, T, e, line, q_out, report_out)
            if code == SOLVED:
                return code
            away[place] = math.inf
            place = least_of(away, count)
        if count == 0:
            break
    copy(start, q_out)
    judge(links, joints, limits, goal, kind, terms, q_out, 0, 1, T, e, report_out)
    return NOT_CONVERGED
