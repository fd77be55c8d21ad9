"""Closed forms among obstacles: every branch inside the limits is known, so the nearest free one is the answer.

Branches are asked for their distance first and measured only if that is kept. If none is free, the branch with the
least overlap is written, and nothing free exists: a pose has no other
answers than its branches, except at a singularity, where they are lines (the caller looks at that).
"""

import math

import numpy as np

from forearm.core.among import SURE, WANTED, blocked, judged, padded
from forearm.core.bodies import NOTHING, PLACED, is_clear, worst_gap
from forearm.core.clearance import put
from forearm.core.closed_form.answer import AWAY, BEST, ERROR_PLACE, POSE_PLACE, TABLE, scratch_left, scratch_size
from forearm.core.closed_form.choose import least_of, nearest_row, take_row
from forearm.core.closed_form.plan import LINE_COLUMNS, NEARNESS, PLAN, ROWS, SLACK, branches, displacement
from forearm.core.closed_form.polish import measure
from forearm.core.closed_form.sieve import DISTANCE, NORM_PLACE
from forearm.core.codes import BODY, CLEARANCE, COLLISION, ITERATIONS, NOT_CONVERGED, OTHER, SOLVED, TERMS, TRIES
from forearm.core.compact import ARM_COLUMNS, CHAIN_COLUMNS
from forearm.core.general import ASKED, HEAD, JOINTS, SETTINGS
from forearm.core.goal import begin, judge
from forearm.core.jit import kernel, lean
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
    m, n, s, kind = int(problem[JOINTS]), q_out.shape[0], bodies.shape[0], int(problem[ASKED])
    terms, rest = problem[HEAD + SETTINGS : HEAD + SETTINGS + TERMS], problem[HEAD + SETTINGS + TERMS :]
    limits, rest = rest[: 2 * n].reshape((2, n)), rest[2 * n :]
    links, rest = rest[: 12 * (m + 1)].reshape((m + 1, 3, 4)), rest[12 * (m + 1) :]
    joints, chain = rest[: 3 * m].reshape((m, 3)), rest[3 * m : -FACTS].reshape((m + 1, CHAIN_COLUMNS))
    fault = begin(limits, goal, q0, q_out)
    if fault != SOLVED:
        return fault
    if search[SURE] != 0.0 and blocked(sure, obstacles, search[WANTED], goal, kind, terms, report_out):
        return judged(links, joints, limits, goal, kind, terms, q_out, COLLISION, report_out)
    work = np.empty(scratch_size(n) + 3 * padded(m) + ARM_COLUMNS * m + PLACED * s + n)
    task = (links, joints, limits, goal, kind, terms, chain)
    world = (bodies, pairs, obstacles, search[WANTED])
    return go_through(task, world, form, work, q_out, report_out)


@lean
def go_through(task, world, form, work, q_out, report_out):
    """Lists all branches and takes the nearest free one, or the one with the most room; returns a status code."""
    _, joints, limits, goal, _, _, _ = task
    m, n, s, lanes = joints.shape[0], q_out.shape[0], world[0].shape[0], padded(joints.shape[0])
    plan, back = form[:PLAN], form[PLAN : PLAN + 16].reshape((4, 4))
    lines = form[PLAN + 16 :].reshape(((form.shape[0] - PLAN - 16) // LINE_COLUMNS, LINE_COLUMNS))
    start, own, line, room = work[:n], work[n : 2 * n], work[2 * n :], work[scratch_size(n) :]
    best, T, e = line[BEST:POSE_PLACE], line[POSE_PLACE:ERROR_PLACE].reshape((4, 4)), line[ERROR_PLACE:AWAY]
    away, rows = line[AWAY:TABLE], line[TABLE : TABLE + ROWS * n].reshape((ROWS, n))
    sieve, left = line[TABLE:TABLE].reshape((3, 0)), work[scratch_left(n) : scratch_size(n)]
    trig, room = room[: 3 * lanes].reshape((3, lanes)), room[3 * lanes :]
    arm, room = room[: ARM_COLUMNS * m].reshape((m, ARM_COLUMNS)), room[ARM_COLUMNS * m :]
    placed, q = room[: PLACED * s].reshape((s, PLACED)), room[PLACED * s :]
    trig[:, :] = 0.0  # the padding is computed with
    best[DISTANCE], best[NORM_PLACE] = math.inf, plan[NEARNESS]  # nothing is too far away: all rows are wanted
    copy(q_out, start)
    R, t = displacement(goal, back)
    count = branches(plan, lines, R, t, start, own, sieve, best, rows)
    nearest_row(joints, limits, lines, start, plan[SLACK], plan[NEARNESS], rows, count, away)
    listed, desk = (plan, lines, rows, away, count), (T, e, left, arm, trig, placed, q)
    if take_first_free(task, world, listed, desk, q_out, report_out):
        return SOLVED
    nearest_row(joints, limits, lines, start, plan[SLACK], plan[NEARNESS], rows, count, away)
    return take_most_room(task, world, listed, desk, q_out, report_out)


@lean
def take_first_free(task, world, listed, desk, q_out, report_out):
    """Writes the nearest branch that is free; whether there is one.

    That it is free is asked before it is measured: most are not. A polish moves it a hair, so it is asked again.
    """
    links, joints, limits, goal, kind, terms, chain = task
    bodies, pairs, obstacles, wanted = world
    plan, lines, rows, away, count = listed
    T, e, left, arm, trig, placed, q = desk
    for seen in range(count):
        row = least_of(away, count)
        if row < 0:
            break
        away[row] = math.inf
        take_row(plan, lines, rows[row], 0.0, q)
        put(chain, False, bodies, q, arm, trig, T, placed)
        if not is_clear(bodies, placed, pairs, obstacles, wanted):
            continue
        if measure(links, joints, limits, goal, kind, terms, plan, chain, T, e, left, q, report_out) != SOLVED:
            continue
        if report_out[ITERATIONS] > 0.0:
            put(chain, False, bodies, q, arm, trig, T, placed)
            if not is_clear(bodies, placed, pairs, obstacles, wanted):
                continue
        copy(q, q_out)
        report_out[TRIES] = seen + 1.0
        return True
    return False


@lean
def take_most_room(task, world, listed, desk, q_out, report_out):
    """Writes the branch that overlaps least, each polished before it is looked at; returns a status code."""
    links, joints, limits, goal, kind, terms, chain = task
    bodies, pairs, obstacles, wanted = world
    plan, lines, rows, away, count = listed
    T, e, left, arm, trig, placed, q = desk
    most, seen, nearest, against = -math.inf, 0, NOTHING, NOTHING
    for row in range(count):
        if away[row] == math.inf:
            continue
        take_row(plan, lines, rows[row], 0.0, q)
        if measure(links, joints, limits, goal, kind, terms, plan, chain, T, e, left, q, report_out) != SOLVED:
            continue
        seen += 1
        put(chain, False, bodies, q, arm, trig, T, placed)
        gap, body, other = worst_gap(bodies, placed, pairs, obstacles, wanted)
        if gap > most:
            most = gap
            copy(q, q_out)
            nearest, against = body, other
    judge(links, joints, limits, goal, kind, terms, q_out, 0, seen, T, e, report_out)
    if seen == 0:
        return NOT_CONVERGED
    report_out[CLEARANCE], report_out[BODY], report_out[OTHER] = most, nearest, against
    return SOLVED if most == math.inf else COLLISION
