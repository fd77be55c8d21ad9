"""What all closed forms share beside their rows: check the input, then take the nearest row that measures up.

Every class has kernels of its own (`core/closed_form/solve.py`), so that a robot compiles what it needs and no more.
They are made of these pieces, which open the flat arrays themselves.
"""

import math

from forearm.core.arm.compact import CHAIN_COLUMNS, LANES
from forearm.core.arm.goal import begin, judge_at_once
from forearm.core.arm.problem import Gauge, Goal, Robot
from forearm.core.closed_form.forms.nearest import least_of, nearest_row, take_row
from forearm.core.closed_form.forms.plan import LINE_COLUMNS, NEARNESS, PLAN, ROWS, SLACK
from forearm.core.closed_form.forms.prune import DISTANCE, NORM_PLACE, fill_sieve
from forearm.core.closed_form.forms.srs_nearest import SWIVEL_SCRATCH
from forearm.core.closed_form.polish import POLISH_COLUMNS, is_exact, measure
from forearm.core.codes import INEXACT, NOT_CONVERGED, SOLVED, TERMS
from forearm.core.general.seeds import FACTS
from forearm.core.general.solve import ASKED, HEAD, JOINTS, SETTINGS
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import copy
from forearm.core.shaped import shaped

# The scratch of a call, for n joints: the start (n,), the same in the form's order (n,), how near the
# best row is (2,), a pose (16,), an error (6,), the distances of the rows (32,), the rows (32, n), the
# sieve (3, n), and then what the polish and the swivel take. Places behind the first 2 n numbers:
BEST, POSE_PLACE, ERROR_PLACE, AWAY, TABLE = 0, 2, 18, 24, 24 + ROWS
LIMITS_PLACE = HEAD + SETTINGS + TERMS  # in a packed problem


@shared
def scratch_size(n):
    """How many numbers of scratch a call takes."""
    return TABLE + SWIVEL_SCRATCH + (5 + ROWS + POLISH_COLUMNS) * n


@leaf
def scratch_left(n):
    """Where the scratch begins that is left for the polish and the swivel."""
    return TABLE + (5 + ROWS) * n


@leaf
def begin_form(problem, goal, q0, work, q_out):
    """Checks target and start, and writes the start into q_out and into the scratch. 0 if all is well."""
    n = q_out.shape[0]
    fault = begin(shaped(problem[LIMITS_PLACE : LIMITS_PLACE + 2 * n], (2, n)), goal, q0, q_out)
    copy(q_out, work[:n])
    return fault


@leaf
def begin_sieve(problem, form, n, width, work):
    """Writes which rows are wanted: the nearest alone, or with a width of 0 all of them."""
    limits = shaped(problem[LIMITS_PLACE : LIMITS_PLACE + 2 * n], (2, n))
    lines = shaped(form[PLAN + 16 :], ((form.shape[0] - PLAN - 16) // LINE_COLUMNS, LINE_COLUMNS))
    table = 2 * n + TABLE + ROWS * n
    fill_sieve(limits, lines, work[:n], form[SLACK], shaped(work[table : table + 3 * width], (3, width)))
    work[2 * n + BEST + DISTANCE], work[2 * n + BEST + NORM_PLACE] = math.inf, form[NEARNESS]


@lean
def take_nearest(problem, form, goal, polished, held, count, work, q_out, report_out):
    """Writes the nearest row that passes the measurement; returns the status code.

    Args:
        polished: True to polish rows that are not exact; None to say INEXACT at the first such row. None
            is known when this is compiled: the polish, which is most of the work then, is left out.
        held: The value of the held joint, if there is one.
        count: How many rows there are.
    """
    m, n, kind = int(problem[JOINTS]), q_out.shape[0], int(problem[ASKED])
    terms, rest = problem[HEAD + SETTINGS : LIMITS_PLACE], problem[LIMITS_PLACE:]
    limits, rest = shaped(rest[: 2 * n], (2, n)), rest[2 * n :]
    links, rest = shaped(rest[: 12 * (m + 1)], (m + 1, 3, 4)), rest[12 * (m + 1) :]
    joints, chain = shaped(rest[: 3 * m], (m, 3)), shaped(rest[3 * m : -FACTS], (m + 1, CHAIN_COLUMNS))
    lines = shaped(form[PLAN + 16 :], ((form.shape[0] - PLAN - 16) // LINE_COLUMNS, LINE_COLUMNS))
    plan, start, line = form[:PLAN], work[:n], work[2 * n :]
    T, e, away = shaped(line[POSE_PLACE:ERROR_PLACE], (4, 4)), line[ERROR_PLACE:AWAY], line[AWAY:TABLE]
    rows, left = shaped(line[TABLE : TABLE + ROWS * n], (ROWS, n)), work[scratch_left(n) :]
    lanes = (m + LANES - 1) // LANES * LANES
    trig = shaped(left[: 3 * lanes], (3, lanes))
    robot, asked, gauge = Robot(links, joints, limits), Goal(goal, kind, terms), Gauge(trig, T, e)
    place = nearest_row(joints, limits, lines, start, plan[SLACK], plan[NEARNESS], rows, count, away)
    while place >= 0:
        take_row(plan, lines, rows[place], held, q_out)
        if polished is None:
            code = judge_at_once(robot, asked, q_out, 0, 1, gauge, report_out)
            if not is_exact(report_out, terms):
                return INEXACT
        else:
            code = measure(robot, asked, plan, chain, gauge, left, q_out, report_out)
        if code == SOLVED:
            return code
        away[place] = math.inf
        place = least_of(away, count)
    # none of them: the start, measured
    copy(start, q_out)
    judge_at_once(robot, asked, q_out, 0, 1, gauge, report_out)
    return NOT_CONVERGED
