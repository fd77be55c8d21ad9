"""Closed forms among obstacles: every branch inside the limits is known, so the nearest free one is the answer.

Branches are asked for their distance first and measured only if that is kept. If none is free, the branch with the
least overlap is written, and nothing free exists: a pose has no other
answers than its branches, except at a singularity, where they are lines (the caller looks at that). One kernel a
class of structure, so that a robot compiles what it needs.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from forearm.core.arm.goal import judge
from forearm.core.arm.problem import JOINTS
from forearm.core.closed_form.forms.nearest import least_of, nearest_row, take_row
from forearm.core.closed_form.forms.plan import REACH, count_axes
from forearm.core.closed_form.polish import measure
from forearm.core.closed_form.scratch import Task, begin_form, form_size, open_task, plane_rows, six_rows
from forearm.core.codes import BODY, CLEARANCE, COLLISION, ITERATIONS, NOT_CONVERGED, OTHER, SOLVED, TRIES
from forearm.core.collision.bodies import NOTHING, Stance, World, is_clear, worst_gap
from forearm.core.collision.certain import blocked
from forearm.core.collision.clearance import open_stance, put, stance_size
from forearm.core.collision.search import SURE, WANTED
from forearm.core.jit import kernel, leaf, lean, shared
from forearm.core.maths.limits import copy


class Listed(NamedTuple):
    """The branches of a closed form among obstacles."""

    task: Task
    world: World
    count: Any  # how many there are
    stance: Stance
    q: Any  # (n,) the branch at hand


@kernel
def parallel_among(problem, form, bodies, pairs, obstacles, sure, search, pose, q0, q_out, report_out):
    """Six axes, three of them parallel: writes the nearest free branch, or the least overlapping; a status code.

    The report's tries count the branches looked at.

    Args:
        problem, form: As `core/closed_form/solve.py` takes them.
        bodies, pairs, obstacles, sure, search: As `core/collision/search.py` takes them.
    """
    work = np.empty(branches_size(int(problem[JOINTS]), q_out.shape[0], bodies.shape[0]))
    world = World(bodies, pairs, obstacles, search[WANTED])
    return parallel_in(problem, form, world, sure, search, pose, q0, work, q_out, report_out)


@lean
def parallel_in(problem, form, world, sure, search, pose, q0, work, q_out, report_out):
    """As `parallel_among`, in scratch of `branches_size` numbers."""
    task = open_task(problem, form, pose, count_axes(form), q_out.shape[0], work)
    code = begin_among(task, world, sure, search, q0, q_out, report_out)
    if code != SOLVED:
        return code
    return go_through(task, world, six_rows(task, None, False), work, q_out, report_out)


@kernel
def wrist_among(problem, form, bodies, pairs, obstacles, sure, search, pose, q0, q_out, report_out):
    """The same for six axes with a spherical wrist."""
    work = np.empty(branches_size(int(problem[JOINTS]), q_out.shape[0], bodies.shape[0]))
    world = World(bodies, pairs, obstacles, search[WANTED])
    return wrist_in(problem, form, world, sure, search, pose, q0, work, q_out, report_out)


@lean
def wrist_in(problem, form, world, sure, search, pose, q0, work, q_out, report_out):
    """As `wrist_among`, in scratch of `branches_size` numbers."""
    task = open_task(problem, form, pose, count_axes(form), q_out.shape[0], work)
    code = begin_among(task, world, sure, search, q0, q_out, report_out)
    if code != SOLVED:
        return code
    return go_through(task, world, six_rows(task, True, False), work, q_out, report_out)


@kernel
def plane_among(problem, form, bodies, pairs, obstacles, sure, search, pose, q0, q_out, report_out):
    """The same for parallel axes, with or without a slide along them."""
    work = np.empty(branches_size(int(problem[JOINTS]), q_out.shape[0], bodies.shape[0]))
    world = World(bodies, pairs, obstacles, search[WANTED])
    return plane_in(problem, form, world, sure, search, pose, q0, work, q_out, report_out)


@lean
def plane_in(problem, form, world, sure, search, pose, q0, work, q_out, report_out):
    """As `plane_among`, in scratch of `branches_size` numbers."""
    task = open_task(problem, form, pose, count_axes(form), q_out.shape[0], work)
    code = begin_among(task, world, sure, search, q0, q_out, report_out)
    if code != SOLVED:
        return code
    return go_through(task, world, plane_rows(task), work, q_out, report_out)


@shared
def branches_size(m, n, bodies):
    """How many numbers of scratch a call takes: what closed forms take, then the placed arm and a q."""
    return form_size(m, n) + stance_size(m, bodies) + n


@leaf
def begin_among(task, world, sure, search, q0, q_out, report_out):
    """Checks target and start, and looks at what is certain; 0 to go on, else the status code to end with."""
    asked = task.asked
    code = begin_form(task, q0, q_out)
    if code == SOLVED and search[SURE] != 0.0 and blocked(sure, world, asked.goal, report_out):
        judge(asked.robot, asked.goal, q_out, 0, 0, task.desk.gauge, report_out)
        return COLLISION
    return code


@lean
def go_through(task, world, count, work, q_out, report_out):
    """Of the branches in the scratch, takes the nearest free one, or the one with the most room; a status code."""
    robot, lines, desk = task.asked.robot, task.form.lines, task.desk
    m, n, s = robot.joints.shape[0], q_out.shape[0], world.bodies.shape[0]
    room = work[form_size(m, n) :]
    stance, q = open_stance(task.asked.chain, world.bodies, room), room[stance_size(m, s) : stance_size(m, s) + n]
    listed = Listed(task, world, count, stance, q)
    nearest_row(robot, lines, task.near, desk.rows, count, desk.away)
    if take_first_free(listed, q_out, report_out):
        return SOLVED
    nearest_row(robot, lines, task.near, desk.rows, count, desk.away)
    return take_most_room(listed, q_out, report_out)


@lean
def take_first_free(listed, q_out, report_out):
    """Writes the nearest branch that is free; whether there is one.

    That it is free is asked before it is measured: most are not. A polish moves it a hair, so it is asked again.
    """
    task, world, count, stance, q = listed
    plan, lines, rows, away = task.form.plan, task.form.lines, task.desk.rows, task.desk.away
    for seen in range(count):
        row = least_of(away, count)
        if row < 0:
            break
        away[row] = math.inf
        take_row(plan, lines, rows[row], 0.0, q)
        put(stance, world.bodies, q)
        if not is_clear(world, stance.placed):
            continue
        if measure(task.asked, plan[REACH], task.desk, q, report_out) != SOLVED:
            continue
        if report_out[ITERATIONS] > 0.0:
            put(stance, world.bodies, q)
            if not is_clear(world, stance.placed):
                continue
        copy(q, q_out)
        report_out[TRIES] = seen + 1.0
        return True
    return False


@lean
def take_most_room(listed, q_out, report_out):
    """Writes the branch that overlaps least, each polished before it is looked at; returns a status code."""
    task, world, count, stance, q = listed
    asked, plan, lines, desk = task.asked, task.form.plan, task.form.lines, task.desk
    most, seen, nearest, against = -math.inf, 0, NOTHING, NOTHING
    for row in range(count):
        if desk.away[row] == math.inf:
            continue
        take_row(plan, lines, desk.rows[row], 0.0, q)
        if measure(asked, plan[REACH], desk, q, report_out) != SOLVED:
            continue
        seen += 1
        put(stance, world.bodies, q)
        gap, body, other = worst_gap(world, stance.placed)
        if gap > most:
            most = gap
            copy(q, q_out)
            nearest, against = body, other
    judge(asked.robot, asked.goal, q_out, 0, seen, desk.gauge, report_out)
    if seen == 0:
        return NOT_CONVERGED
    report_out[CLEARANCE], report_out[BODY], report_out[OTHER] = most, nearest, against
    return SOLVED if most == math.inf else COLLISION
