"""Closed forms among obstacles: every branch inside the limits is known, so the nearest free one is the answer.

Branches are asked for their distance first and measured only if that is kept. If none is free, the branch with the
least overlap is written, and nothing free exists: a pose has no other
answers than its branches, except at a singularity, where they are lines (the caller looks at that). One kernel a
class of structure, so that a robot compiles what it needs.
"""

import math

import numpy as np

from forearm.core.arm.compact import ARM_COLUMNS, CHAIN_COLUMNS
from forearm.core.arm.goal import judge
from forearm.core.arm.problem import Gauge, Goal, Robot
from forearm.core.closed_form.forms.nearest import least_of, nearest_row, take_row
from forearm.core.closed_form.forms.plan import LINE_COLUMNS, NEARNESS, PLAN, ROWS, SLACK
from forearm.core.closed_form.polish import measure
from forearm.core.closed_form.rows import plane_rows, six_rows
from forearm.core.closed_form.scratch import (
    AWAY,
    ERROR_PLACE,
    LIMITS_PLACE,
    POSE_PLACE,
    TABLE,
    begin_form,
    scratch_left,
    scratch_size,
)
from forearm.core.codes import BODY, CLEARANCE, COLLISION, ITERATIONS, NOT_CONVERGED, OTHER, SOLVED, TRIES
from forearm.core.collision.bodies import NOTHING, PLACED, World, is_clear, worst_gap
from forearm.core.collision.clearance import put
from forearm.core.collision.search import SURE, WANTED, blocked, padded
from forearm.core.general.seeds import FACTS
from forearm.core.general.solve import ASKED, HEAD, JOINTS, SETTINGS
from forearm.core.jit import kernel, leaf, lean
from forearm.core.maths.limits import copy
from forearm.core.shaped import shaped


@kernel
def parallel_among(problem, form, bodies, pairs, obstacles, sure, search, goal, q0, q_out, report_out):
    """Six axes, three of them parallel: writes the nearest free branch, or the least overlapping; a status code.

    The report's tries count the branches looked at.

    Args:
        problem, form: As `core/closed_form/solve.py` opens them.
        bodies, pairs, obstacles, sure, search: As `core/collision/search.py` takes them.
    """
    n, work = q_out.shape[0], np.empty(desk_size(problem, bodies, q_out))
    code = begin_among(problem, obstacles, sure, search, goal, q0, work, q_out, report_out)
    if code != SOLVED:
        return code
    count = six_rows(problem, form, goal, None, False, n, work)
    return go_through(
        problem, form, goal, World(bodies, pairs, obstacles, search[WANTED]), count, work, q_out, report_out
    )


@kernel
def wrist_among(problem, form, bodies, pairs, obstacles, sure, search, goal, q0, q_out, report_out):
    """The same for six axes with a spherical wrist."""
    n, work = q_out.shape[0], np.empty(desk_size(problem, bodies, q_out))
    code = begin_among(problem, obstacles, sure, search, goal, q0, work, q_out, report_out)
    if code != SOLVED:
        return code
    count = six_rows(problem, form, goal, True, False, n, work)
    return go_through(
        problem, form, goal, World(bodies, pairs, obstacles, search[WANTED]), count, work, q_out, report_out
    )


@kernel
def plane_among(problem, form, bodies, pairs, obstacles, sure, search, goal, q0, q_out, report_out):
    """The same for parallel axes, with or without a slide along them."""
    n, work = q_out.shape[0], np.empty(desk_size(problem, bodies, q_out))
    code = begin_among(problem, obstacles, sure, search, goal, q0, work, q_out, report_out)
    if code != SOLVED:
        return code
    count = plane_rows(form, goal, n, work)
    return go_through(
        problem, form, goal, World(bodies, pairs, obstacles, search[WANTED]), count, work, q_out, report_out
    )


@leaf
def desk_size(problem, bodies, q):
    """How many numbers of scratch a call takes: what closed forms take (`answer.py`), then the placed arm and a q."""
    m, n = int(problem[JOINTS]), q.shape[0]
    return scratch_size(n) + 3 * padded(m) + ARM_COLUMNS * m + PLACED * bodies.shape[0] + n


@leaf
def begin_among(problem, obstacles, sure, search, goal, q0, work, q_out, report_out):
    """Checks target and start, and looks at what is certain; 0 to go on, else the status code to end with."""
    n = q_out.shape[0]
    code = begin_form(problem, goal, q0, work, q_out)
    if code == SOLVED and search[SURE] != 0.0:
        m, kind = int(problem[JOINTS]), int(problem[ASKED])
        terms, rest = problem[HEAD + SETTINGS : LIMITS_PLACE], problem[LIMITS_PLACE:]
        if blocked(sure, obstacles, search[WANTED], goal, kind, terms, report_out):
            limits, rest = shaped(rest[: 2 * n], (2, n)), rest[2 * n :]
            links, rest = shaped(rest[: 12 * (m + 1)], (m + 1, 3, 4)), rest[12 * (m + 1) :]
            line = work[2 * n :]
            T, e = shaped(line[POSE_PLACE:ERROR_PLACE], (4, 4)), line[ERROR_PLACE:AWAY]
            robot = Robot(links, shaped(rest[: 3 * m], (m, 3)), limits)
            judge(robot, Goal(goal, kind, terms), q_out, 0, 0, Gauge(shaped(line[:0], (3, 0)), T, e), report_out)
            return COLLISION
    return code


@lean
def go_through(problem, form, goal, world, count, work, q_out, report_out):
    """Of the branches in the scratch, takes the nearest free one, or the one with the most room; a status code."""
    m, n, s, kind = int(problem[JOINTS]), q_out.shape[0], world[0].shape[0], int(problem[ASKED])
    terms, rest = problem[HEAD + SETTINGS : LIMITS_PLACE], problem[LIMITS_PLACE:]
    limits, rest = shaped(rest[: 2 * n], (2, n)), rest[2 * n :]
    links, rest = shaped(rest[: 12 * (m + 1)], (m + 1, 3, 4)), rest[12 * (m + 1) :]
    joints, chain = shaped(rest[: 3 * m], (m, 3)), shaped(rest[3 * m : -FACTS], (m + 1, CHAIN_COLUMNS))
    lines = shaped(form[PLAN + 16 :], ((form.shape[0] - PLAN - 16) // LINE_COLUMNS, LINE_COLUMNS))
    plan, start, line, lanes = form[:PLAN], work[:n], work[2 * n :], padded(m)
    T, e, away = shaped(line[POSE_PLACE:ERROR_PLACE], (4, 4)), line[ERROR_PLACE:AWAY], line[AWAY:TABLE]
    rows = shaped(line[TABLE : TABLE + ROWS * n], (ROWS, n))
    left, room = work[scratch_left(n) : scratch_size(n)], work[scratch_size(n) :]
    trig, room = shaped(room[: 3 * lanes], (3, lanes)), room[3 * lanes :]
    arm, room = shaped(room[: ARM_COLUMNS * m], (m, ARM_COLUMNS)), room[ARM_COLUMNS * m :]
    placed, q = shaped(room[: PLACED * s], (s, PLACED)), room[PLACED * s :]
    trig[:, :] = 0.0  # the padding is computed with
    task = (links, joints, limits, goal, kind, terms, chain)
    listed, desk = (plan, lines, rows, away, count), (T, e, left, arm, trig, placed, q)
    nearest_row(joints, limits, lines, start, plan[SLACK], plan[NEARNESS], rows, count, away)
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
    plan, lines, rows, away, count = listed
    T, e, left, arm, trig, placed, q = desk
    for seen in range(count):
        row = least_of(away, count)
        if row < 0:
            break
        away[row] = math.inf
        take_row(plan, lines, rows[row], 0.0, q)
        put(chain, False, world.bodies, q, arm, trig, T, placed)
        if not is_clear(world, placed):
            continue
        robot, asked, gauge = Robot(links, joints, limits), Goal(goal, kind, terms), Gauge(trig, T, e)
        if measure(robot, asked, plan, chain, gauge, left, q, report_out) != SOLVED:
            continue
        if report_out[ITERATIONS] > 0.0:
            put(chain, False, world.bodies, q, arm, trig, T, placed)
            if not is_clear(world, placed):
                continue
        copy(q, q_out)
        report_out[TRIES] = seen + 1.0
        return True
    return False


@lean
def take_most_room(task, world, listed, desk, q_out, report_out):
    """Writes the branch that overlaps least, each polished before it is looked at; returns a status code."""
    links, joints, limits, goal, kind, terms, chain = task
    plan, lines, rows, away, count = listed
    T, e, left, arm, trig, placed, q = desk
    most, seen, nearest, against = -math.inf, 0, NOTHING, NOTHING
    for row in range(count):
        if away[row] == math.inf:
            continue
        take_row(plan, lines, rows[row], 0.0, q)
        robot, asked, gauge = Robot(links, joints, limits), Goal(goal, kind, terms), Gauge(trig, T, e)
        if measure(robot, asked, plan, chain, gauge, left, q, report_out) != SOLVED:
            continue
        seen += 1
        put(chain, False, world.bodies, q, arm, trig, T, placed)
        gap, body, other = worst_gap(world, placed)
        if gap > most:
            most = gap
            copy(q, q_out)
            nearest, against = body, other
    judge(Robot(links, joints, limits), Goal(goal, kind, terms), q_out, 0, seen, Gauge(trig, T, e), report_out)
    if seen == 0:
        return NOT_CONVERGED
    report_out[CLEARANCE], report_out[BODY], report_out[OTHER] = most, nearest, against
    return SOLVED if most == math.inf else COLLISION
