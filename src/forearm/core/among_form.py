"""Closed forms among obstacles: every branch inside the limits is known, so the nearest free one is the answer.

If none is free, the branch with the least overlap is written, and nothing free exists: a pose has no other
answers than its branches, except at a singularity, where they are lines (the caller looks at that).
"""

import math

import numpy as np

from forearm.core.among import SURE, WANTED, blocked, judged
from forearm.core.bodies import PLACED, gap_of, least_gap
from forearm.core.clearance import put
from forearm.core.closed_form.choose import least_of, nearest_row, take_row
from forearm.core.closed_form.plan import LINE_COLUMNS, NEARNESS, PLAN, ROWS, SLACK, branches, displacement
from forearm.core.closed_form.polish import is_exact
from forearm.core.closed_form.solve import improve
from forearm.core.codes import BODY, CLEARANCE, COLLISION, NOT_CONVERGED, OTHER, SOLVED, TERMS
from forearm.core.compact import ARM_COLUMNS, CHAIN_COLUMNS, LANES
from forearm.core.general import ASKED, HEAD, JOINTS, SETTINGS
from forearm.core.goal import begin, judge
from forearm.core.jit import kernel
from forearm.core.limits import copy
from forearm.core.seeds import FACTS


@kernel
def solve_form_among(problem, form, bodies, pairs, obstacles, sure, search, goal, q0, q_out, report_out):
    """Writes the nearest free branch, or the least overlapping; returns a status code.

    The report's tries count the branches looked at.

    Args:
        problem, form: As `core/closed_form/solve.py` opens them; a form with finitely many branches.
        bodies, pairs, obstacles, sure, search: As `core/among.py` takes them.
    """
    m, n, kind = int(problem[JOINTS]), q_out.shape[0], int(problem[ASKED])
    terms, rest = problem[HEAD + SETTINGS : HEAD + SETTINGS + TERMS], problem[HEAD + SETTINGS + TERMS :]
    limits, rest = rest[: 2 * n].reshape((2, n)), rest[2 * n :]
    links, rest = rest[: 12 * (m + 1)].reshape((m + 1, 3, 4)), rest[12 * (m + 1) :]
    joints, chain = rest[: 3 * m].reshape((m, 3)), rest[3 * m : -FACTS].reshape((m + 1, CHAIN_COLUMNS))
    fault = begin(limits, goal, q0, q_out)
    if fault != SOLVED:
        return fault
    if search[SURE] != 0.0 and blocked(sure, obstacles, search[WANTED], goal, kind, terms, report_out):
        return judged(links, joints, limits, goal, kind, terms, q_out, COLLISION, report_out)
    plan, back = form[:PLAN], form[PLAN : PLAN + 16].reshape((4, 4))
    lines = form[PLAN + 16 :].reshape(((form.shape[0] - PLAN - 16) // LINE_COLUMNS, LINE_COLUMNS))
    lanes, s = (m + LANES - 1) // LANES * LANES, bodies.shape[0]
    work = np.zeros(3 * lanes + 2 * n + 38 + ROWS * (n + 1) + ARM_COLUMNS * m + PLACED * s + n)
    trig, line = work[: 3 * lanes].reshape((3, lanes)), work[3 * lanes :]
    start, own, line = line[:n], line[n : 2 * n], line[2 * n :]
    T, e, line = line[:16].reshape((4, 4)), line[16:22], line[38:]
    rows, away, line = line[: ROWS * n].reshape((ROWS, n)), line[ROWS * n : ROWS * (n + 1)], line[ROWS * (n + 1) :]
    arm, line = line[: ARM_COLUMNS * m].reshape((m, ARM_COLUMNS)), line[ARM_COLUMNS * m :]
    placed, q = line[: PLACED * s].reshape((s, PLACED)), line[PLACED * s :]
    copy(q_out, start)
    R, t = displacement(goal, back)
    count = branches(plan, lines, R, t, start, own, rows)
    best = nearest_row(joints, limits, lines, start, plan[SLACK], plan[NEARNESS], rows, count, away)
    most, seen = -math.inf, 0
    while best >= 0:
        take_row(plan, lines, rows[best], 0.0, q)
        code = judge(links, joints, limits, goal, kind, terms, q, 0, seen + 1, T, e, report_out)
        if not is_exact(report_out, terms):
            code = improve(links, joints, limits, goal, kind, terms, plan, chain, q, report_out)
        if code == SOLVED:
            seen += 1
            put(chain, False, bodies, q, arm, trig, T, placed)
            gap = gap_of(bodies, placed, pairs, obstacles, search[WANTED])
            if gap > most:
                most = gap
                copy(q, q_out)
            if gap == math.inf:
                break
        away[best] = math.inf
        best = least_of(away, count)
    judge(links, joints, limits, goal, kind, terms, q_out, 0, seen, T, e, report_out)
    put(chain, False, bodies, q_out, arm, trig, T, placed)
    gap, body, other = least_gap(bodies, placed, pairs, obstacles, math.inf)
    report_out[CLEARANCE], report_out[BODY], report_out[OTHER] = gap, body, other
    if most == math.inf:
        return SOLVED
    return COLLISION if seen > 0 else NOT_CONVERGED
