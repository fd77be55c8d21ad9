"""What all closed forms share: a task and its scratch opened, the rows of each class, the nearest that measures up.

Every class has kernels of its own (`core/closed_form/solve.py`), so that a robot compiles what it needs and no more.
They are made of these pieces.
"""

import math
from typing import Any, NamedTuple

from forearm.core.arm.compact import ARM_COLUMNS, padded
from forearm.core.arm.goal import begin, judge_at_once
from forearm.core.arm.problem import Gauge, Problem, open_problem
from forearm.core.closed_form.forms.nearest import Near, least_of, nearest_row, take_row
from forearm.core.closed_form.forms.plan import (
    CASE,
    JOINT,
    REACH,
    ROWS,
    SLACK,
    Form,
    displacement,
    in_form_order,
    open_form,
)
from forearm.core.closed_form.forms.planar import plane_branches
from forearm.core.closed_form.forms.prune import DISTANCE, HIGH, LOW, NORM_PLACE, START
from forearm.core.closed_form.forms.spherical_wrist import wrist_branches
from forearm.core.closed_form.forms.srs_nearest import SWIVEL_SCRATCH
from forearm.core.closed_form.forms.three_parallel import parallel_branches
from forearm.core.closed_form.polish import is_exact, measure
from forearm.core.codes import INEXACT, LOWER, SOLVED, UPPER, VARIABLE
from forearm.core.general.seeds import face
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import copy
from forearm.core.shaped import shaped

NORM = 0  # place in `settings`: the norm by which near is near, 1 or infinity
SIX = 6
FACING, NEAREST, ALL = 0, 1, 2  # what rows of six axes are looked for, in this order
QUARTER = 0.5 * math.pi


class Desk(NamedTuple):
    """The scratch of a closed form."""

    own: Any  # (n,) the start in the form's order
    best: Any  # (2,) how near the best row is
    away: Any  # (32,) distances of the rows
    rows: Any  # (32, n)
    wanted: Any  # (18,) which rows are wanted
    swivel: Any  # what an arm with a swivel takes
    arm: Any  # (n, 16) what the polish takes
    gauge: Gauge
    before: Any  # (n,)


class Task(NamedTuple):
    """A closed form's problem, opened."""

    asked: Problem
    form: Form
    near: Near
    desk: Desk


@shared
def form_size(m, n):
    """How many numbers of scratch a call takes."""
    return (3 + ROWS + ARM_COLUMNS) * n + 24 + ROWS + 3 * SIX + SWIVEL_SCRATCH + 3 * padded(n)


@leaf
def open_desk(n, work):
    """The scratch of a closed form behind the start; only for lean kernels."""
    own, best, away, line = work[:n], work[n : n + 2], work[n + 2 : n + 2 + ROWS], work[n + 2 + ROWS :]
    rows, line = shaped(line[: ROWS * n], (ROWS, n)), line[ROWS * n :]
    wanted, swivel, line = line[: 3 * SIX], line[3 * SIX :], line[3 * SIX + SWIVEL_SCRATCH :]
    arm, line = shaped(line[: ARM_COLUMNS * n], (n, ARM_COLUMNS)), line[ARM_COLUMNS * n :]
    T, e, before, line = shaped(line[:16], (4, 4)), line[16:22], line[22 : 22 + n], line[22 + n :]
    trig = shaped(line[: 3 * padded(n)], (3, padded(n)))
    return Desk(own, best, away, rows, wanted, swivel, arm, Gauge(trig, T, e), before)


@leaf
def open_task(problem, form, pose, axes, n, work):
    """A form's flat arrays of so many axes, a constant where it can be one, opened; only for lean kernels."""
    asked, opened = open_problem(problem, pose, n), open_form(form, axes)
    near = Near(work[:n], opened.plan[SLACK], asked.settings[NORM])
    return Task(asked, opened, near, open_desk(n, work[n:]))


@leaf
def begin_form(task, q0, q_out):
    """Checks target and start, and writes the start into q_out and into the task. 0 if all is well.

    Without a start, that is the neutral posture turned to face the target.
    """
    robot, pose = task.asked.robot, task.asked.goal.pose
    fault = begin(robot.limits, pose, q0, q_out)
    if fault == SOLVED and q0.shape[0] == 0:
        face(robot, task.asked.facts, pose, q_out)
    copy(q_out, task.near.start)
    return fault


@leaf
def begin_sieve(task, width, facing):
    """Which rows are wanted: the nearest alone, or with a width of 0 all of them; only for lean kernels.

    `facing` asks for the nearest of those that turn the first joint less than a quarter turn from the start's.
    """
    near, desk = task.near, task.desk
    wanted, limits = shaped(desk.wanted[: 3 * width], (3, width)), task.asked.robot.limits
    for i in range(width):
        k = int(task.form.lines[i, JOINT])
        wanted[LOW, i], wanted[HIGH, i] = limits[LOWER, k] - near.slack, limits[UPPER, k] + near.slack
        wanted[START, i] = near.start[k]
        if facing and k == int(task.asked.robot.joints[0, VARIABLE]):
            wanted[LOW, i] = max(wanted[LOW, i], near.start[k] - QUARTER)
            wanted[HIGH, i] = min(wanted[HIGH, i], near.start[k] + QUARTER)
    desk.best[DISTANCE], desk.best[NORM_PLACE] = math.inf, near.norm
    return desk.own, wanted, desk.best


@leaf
def six_rows(task, wrist, look):
    """Writes the rows of six axes that are looked for; returns how many.

    FACING: the nearest inside the limits whose first joint faces as the start does; NEAREST: of all; ALL: each.
    `wrist` is True for a spherical wrist, None for three parallel axes: known when this is compiled.
    """
    (plan, back, lines), rows = task.form, task.desk.rows
    own, wanted, best = begin_sieve(task, 0 if look == ALL else SIX, look == FACING)
    R, t = displacement(task.asked.goal.pose, back)
    R, t = in_form_order(plan, lines, R, t, task.near.start, own)
    if wrist is None:
        return parallel_branches(lines, R, t, own, wanted, best, rows)
    return wrist_branches(int(plan[CASE]), lines, R, t, own, wanted, best, rows)


@leaf
def plane_rows(task):
    """Writes the rows of parallel axes; returns how many."""
    plan, back, lines = task.form
    R, t = displacement(task.asked.goal.pose, back)
    R, t = in_form_order(plan, lines, R, t, task.near.start, task.desk.own)
    return plane_branches(lines, R, t, task.desk.own, task.desk.rows)


@lean
def take_nearest(task, polished, held, count, q_out, report_out):
    """Writes the nearest of `count` rows that passes the measurement; returns the status code.

    `polished` is True to polish rows that are not exact, None to say INEXACT at the first such row. None is known
    when this is compiled: the polish, which is most of the work then, is left out.
    """
    asked, form, near, desk = task
    robot, goal, rows, away = asked.robot, asked.goal, desk.rows, desk.away
    place = nearest_row(robot, form.lines, near, rows, count, away)
    while place >= 0:
        take_row(form.plan, form.lines, rows[place], held, q_out)
        if polished is None:
            code = judge_at_once(robot, goal, q_out, 0, 1, desk.gauge, report_out)
            if not is_exact(report_out, goal.terms):
                return INEXACT
        else:
            code = measure(asked, form.plan[REACH], desk, q_out, report_out)
        if code == SOLVED:
            return code
        away[place] = math.inf
        place = least_of(away, count)
    # none of them: the start, measured
    copy(near.start, q_out)
    return judge_at_once(robot, goal, q_out, 0, 1, desk.gauge, report_out)
