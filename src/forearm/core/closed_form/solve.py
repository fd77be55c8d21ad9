"""The closed forms as a solving method: all branches, the nearest inside the limits, measured.

Poses only, on arms whose axes allow it (`forearm.structure`). The answer is the branch nearest to q0,
or to the middle of the limits without one; where a file has rounded the axes it is polished on the
real ones. Returns NOT_CONVERGED if no branch lies inside the limits.
"""

import math

import numpy as np

from forearm.core.closed_form.choose import least_of, nearest_row, take_row
from forearm.core.closed_form.held import first_held
from forearm.core.closed_form.intervals import ARC_COLUMNS, BREAKS
from forearm.core.closed_form.plan import (
    CLASS,
    HELD,
    LINE_COLUMNS,
    NEARNESS,
    PLAN,
    ROWS,
    SHOULDER_AND_WRIST,
    SLACK,
    branches,
    displacement,
)
from forearm.core.closed_form.polish import is_exact, polish
from forearm.core.closed_form.srs import nearest_swivel
from forearm.core.closed_form.swivel import WAVES
from forearm.core.codes import NOT_CONVERGED, REPORT, SOLVED, TERMS
from forearm.core.compact import ARM_COLUMNS, CHAIN_COLUMNS, LANES
from forearm.core.general import ASKED, HEAD, JOINTS, SETTINGS
from forearm.core.goal import begin, judge
from forearm.core.jit import kernel
from forearm.core.limits import copy
from forearm.core.lm import AIM
from forearm.core.seeds import FACTS

NORM = 0  # place in `settings`


@kernel
def solve_form(problem, form, goal, q0, q_out, report_out):
    """Writes the nearest branch inside the limits and returns a status code; q0 or the middle if none.

    Args:
        problem: A robot, its limits and the terms, as `core/general.py` opens them.
        form: What was recognised, as `plan.py` opens it.
    """
    m, n, kind = int(problem[JOINTS]), q_out.shape[0], int(problem[ASKED])
    terms, rest = problem[HEAD + SETTINGS : HEAD + SETTINGS + TERMS], problem[HEAD + SETTINGS + TERMS :]
    limits, rest = rest[: 2 * n].reshape((2, n)), rest[2 * n :]
    links, rest = rest[: 12 * (m + 1)].reshape((m + 1, 3, 4)), rest[12 * (m + 1) :]
    joints, chain = rest[: 3 * m].reshape((m, 3)), rest[3 * m : -FACTS].reshape((m + 1, CHAIN_COLUMNS))
    fault = begin(limits, goal, q0, q_out)
    if fault != SOLVED:
        return fault
    plan, back = form[:PLAN], form[PLAN : PLAN + 16].reshape((4, 4))
    lines = form[PLAN + 16 :].reshape(((form.shape[0] - PLAN - 16) // LINE_COLUMNS, LINE_COLUMNS))
    norm = plan[NEARNESS]
    work = np.empty(2 * n + 22 + ROWS * n + ROWS)
    start, own, line = work[:n], work[n : 2 * n], work[2 * n :]
    T, e, line = line[:16].reshape((4, 4)), line[16:22], line[22:]
    rows, away = line[: ROWS * n].reshape((ROWS, n)), line[ROWS * n :]
    copy(q_out, start)
    R, t = displacement(goal, back)
    held = 0.0
    if plan[CLASS] == SHOULDER_AND_WRIST:
        count = one_swivel(joints, limits, lines, R, t, start, plan[SLACK], norm, q0.shape[0] > 0, rows[0])
    elif plan[HELD] >= 0.0:
        count, held = first_held(joints, limits, plan, lines, R, t, start, norm, own, rows, away)
    else:
        count = branches(plan, lines, R, t, start, own, rows)
    best = nearest_row(joints, limits, lines, start, plan[SLACK], norm, rows, count, away)
    while best >= 0:
        take_row(plan, lines, rows[best], held, q_out)
        code = judge(links, joints, limits, goal, kind, terms, q_out, 0, 1, T, e, report_out)
        if not is_exact(report_out, terms):
            code = improve(links, joints, limits, goal, kind, terms, plan, chain, q_out, report_out)
        if code == SOLVED:
            return code
        away[best] = math.inf
        best = least_of(away, count)
    copy(start, q_out)
    judge(links, joints, limits, goal, kind, terms, q_out, 0, 1, T, e, report_out)
    return NOT_CONVERGED


@kernel
def one_swivel(joints, limits, lines, R, t, start, slack, norm, thorough, row_out):
    """Writes the nearest configuration of an arm with a swivel; returns 1, or 0 if none is inside."""
    waves, arcs, breaks = np.empty((WAVES, 3)), np.empty((7, ARC_COLUMNS)), np.empty(BREAKS)
    intervals, row = np.empty((BREAKS, 2)), np.empty(7)
    away = nearest_swivel(
        joints, limits, lines, R, t, start, slack, norm, thorough, waves, arcs, breaks, intervals, row, row_out
    )
    return 1 if away < math.inf else 0


@kernel
def improve(links, joints, limits, goal, kind, terms, plan, chain, q, report_out):
    """Polishes q in place on the real axes if that brings it nearer; returns the status code."""
    n = q.shape[0]
    T, e, aim = np.empty((4, 4)), np.empty(6), np.empty(AIM)
    arm, trig = np.empty((n, ARM_COLUMNS)), np.zeros((3, (n + LANES - 1) // LANES * LANES))
    before, report = q.copy(), np.empty(REPORT)
    steps = polish(joints, limits, goal, kind, terms, plan, chain, aim, arm, trig, T, e, q)
    code = judge(links, joints, limits, goal, kind, terms, q, steps, 1, T, e, report)
    if report[0] + report[1] < report_out[0] + report_out[1]:
        copy(report, report_out)
        return code
    copy(before, q)
    return judge(links, joints, limits, goal, kind, terms, q, steps, 1, T, e, report_out)
