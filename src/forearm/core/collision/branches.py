"""Closed forms among obstacles: every branch inside the limits is known, so the nearest free one is the answer.

Branches are asked for their distance first and measured only if that is kept. If none is free, the branch with the
least overlap is written, and nothing free exists: a pose has no other answers than its branches, except at a
singularity, where they are lines (the caller looks at that). One kernel a class of structure, so that a robot
compiles what it needs.

Args of each: as `core/collision/search.py` takes them, but the table is the form, as `core/closed_form/solve.py` takes
it, and `work` has `branches_size` numbers. The report's tries count the branches looked at.
"""

import math

from forearm.core.arm.goal import judge
from forearm.core.closed_form.forms.nearest import least_of, nearest_row, take_row
from forearm.core.closed_form.forms.plan import REACH, count_axes
from forearm.core.closed_form.polish import measure
from forearm.core.closed_form.scratch import ALL, SIX, begin_form, form_size, open_task, plane_rows, six_rows
from forearm.core.codes import BODY, CLEARANCE, COLLISION, ITERATIONS, NOT_CONVERGED, OTHER, SOLVED, TRIES
from forearm.core.collision.bodies import NOTHING, World, is_clear, worst_gap
from forearm.core.collision.certain import blocked
from forearm.core.collision.clearance import open_stance, put, stance_size
from forearm.core.collision.search import SURE, WANTED
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import copy


@lean
def parallel_among(problem, form, bodies, pairs, charts, obstacles, sure, search, pose, q0, work, q_out, report_out):
    """Six axes, three of them parallel: writes the nearest free branch, or the least overlapping; a status code."""
    task = open_task(problem, form, pose, SIX, q_out.shape[0], work)
    world = World(bodies, pairs, charts, obstacles, search[WANTED])
    code = begin_among(task, world, sure, search, q0, q_out, report_out)
    return go_through(task, world, six_rows(task, None, ALL), work, q_out, report_out) if code == SOLVED else code


@lean
def wrist_among(problem, form, bodies, pairs, charts, obstacles, sure, search, pose, q0, work, q_out, report_out):
    """The same for six axes with a spherical wrist."""
    task = open_task(problem, form, pose, SIX, q_out.shape[0], work)
    world = World(bodies, pairs, charts, obstacles, search[WANTED])
    code = begin_among(task, world, sure, search, q0, q_out, report_out)
    return go_through(task, world, six_rows(task, True, ALL), work, q_out, report_out) if code == SOLVED else code


@lean
def plane_among(problem, form, bodies, pairs, charts, obstacles, sure, search, pose, q0, work, q_out, report_out):
    """The same for parallel axes, with or without a slide along them."""
    task = open_task(problem, form, pose, count_axes(form), q_out.shape[0], work)
    world = World(bodies, pairs, charts, obstacles, search[WANTED])
    code = begin_among(task, world, sure, search, q0, q_out, report_out)
    return go_through(task, world, plane_rows(task), work, q_out, report_out) if code == SOLVED else code


@shared
def branches_size(m, n, bodies):
    """How many numbers of scratch a call takes: what closed forms take, then a stance and a q."""
    return form_size(m, n) + stance_size(m, bodies) + n


@leaf
def begin_among(task, world, sure, search, q0, q_out, report_out):
    """Checks target and start, and looks at what is certain; 0 to go on, else the status code to end with."""
    asked, code = task.asked, begin_form(task, q0, q_out)
    if code == SOLVED and search[SURE] != 0.0 and blocked(sure, world, asked.goal, report_out):
        judge(asked.robot, asked.goal, q_out, 0, 0, task.desk.gauge, report_out)
        return COLLISION
    return code


@lean
def go_through(task, world, count, work, q_out, report_out):
    """Of the branches in the scratch, takes the nearest free one, or the one with the most room; a status code."""
    asked, form, near, desk = task
    m, n, s = asked.robot.joints.shape[0], q_out.shape[0], world.bodies.shape[0]
    rest = work[form_size(m, n) :]
    stance, q = open_stance(asked.chain, world.bodies, rest), rest[stance_size(m, s) : stance_size(m, s) + n]
    nearest_row(asked.robot, form.lines, near, desk.rows, count, desk.away)
    if take_first_free(task, world, stance, count, q, q_out, report_out):
        return SOLVED
    nearest_row(asked.robot, form.lines, near, desk.rows, count, desk.away)
    return take_most_room(task, world, stance, count, q, q_out, report_out)


@lean
def take_first_free(task, world, stance, count, q, q_out, report_out):
    """Writes the nearest branch that is free; whether there is one.

    That it is free is asked before it is measured: most are not. A polish moves it a hair, so it is asked again.
    """
    (plan, _, lines), desk = task.form, task.desk
    for seen in range(count):
        row = least_of(desk.away, count)
        if row < 0:
            break
        desk.away[row] = math.inf
        take_row(plan, lines, desk.rows[row], 0.0, q)
        put(stance, world.bodies, q)
        if (
            not is_clear(world, stance.placed, stance.trial.arm)
            or measure(task.asked, plan[REACH], desk, q, report_out) != SOLVED
        ):
            continue
        if report_out[ITERATIONS] > 0.0:
            put(stance, world.bodies, q)
            if not is_clear(world, stance.placed, stance.trial.arm):
                continue
        copy(q, q_out)
        report_out[TRIES] = seen + 1.0
        return True
    return False


@lean
def take_most_room(task, world, stance, count, q, q_out, report_out):
    """Writes the branch that overlaps least, each polished before it is looked at; returns a status code."""
    asked, (plan, _, lines), desk = task.asked, task.form, task.desk
    most, seen, nearest, against = -math.inf, 0, NOTHING, NOTHING
    for row in range(count):
        if desk.away[row] == math.inf:
            continue
        take_row(plan, lines, desk.rows[row], 0.0, q)
        if measure(asked, plan[REACH], desk, q, report_out) != SOLVED:
            continue
        seen += 1
        put(stance, world.bodies, q)
        gap, body, other = worst_gap(world, stance.placed, stance.trial.arm)
        if gap > most:
            most, nearest, against = gap, body, other
            copy(q, q_out)
    judge(asked.robot, asked.goal, q_out, 0, seen, desk.gauge, report_out)
    if seen == 0:
        return NOT_CONVERGED
    report_out[CLEARANCE], report_out[BODY], report_out[OTHER] = most, nearest, against
    return SOLVED if most == math.inf else COLLISION
