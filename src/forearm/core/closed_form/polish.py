"""Brings the answer of a closed form onto the real axes where a file has rounded them."""

from forearm.core.arm.compact import ARM_COLUMNS, LANES, Q, place
from forearm.core.arm.goal import judge_at_once
from forearm.core.closed_form.forms.plan import REACH
from forearm.core.codes import POSITION_ERROR, ROTATION_ERROR, TOL_POSITION, TOL_ROTATION
from forearm.core.general.lm import (
    AIM,
    POSITION_GOAL,
    ROTATION_GOAL,
    UNIT,
    WEIGHT,
    compare,
    differentiate,
    hold_blocked_joints,
    take_aim,
    take_step,
)
from forearm.core.general.solve import keep_limits
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy
from forearm.core.shaped import shaped

# Errors above this are polished away although the tolerance allows them [m and rad].
EXACT = 1e-9
MOST = 6  # steps; a row of a form is so near that one is enough nearly always
POLISH_COLUMNS = ARM_COLUMNS + 5  # numbers of scratch per joint, beside those that the caller has anyway
DAMPING = 1e-10  # keeps the normal equations regular at singularities [share of reach squared]


@leaf
def is_exact(report, terms):
    """Whether measured errors need no polish."""
    near_point = report[POSITION_ERROR] <= min(EXACT, terms[TOL_POSITION])
    return near_point and report[ROTATION_ERROR] <= min(EXACT, terms[TOL_ROTATION])


@lean
def measure(links, joints, limits, goal, kind, terms, plan, chain, T, e, scratch, q, report_out):
    """Measures q; polishes it in place if it is not exact and that brings it nearer. The status code.

    Args:
        scratch: At least 21 numbers per joint and 38 more.
    """
    n = q.shape[0]
    lanes = (n + LANES - 1) // LANES * LANES
    arm, line = shaped(scratch[: ARM_COLUMNS * n], (n, ARM_COLUMNS)), scratch[ARM_COLUMNS * n :]
    trig, line = shaped(line[: 3 * lanes], (3, lanes)), line[3 * lanes :]
    aim, before = line[:AIM], line[AIM : AIM + n]
    code = judge_at_once(links, joints, limits, goal, kind, terms, q, 0, 1, trig, T, e, report_out)
    if is_exact(report_out, terms):
        return code
    trig[:, :] = 0.0  # the padding is computed with
    copy(q, before)
    error = report_out[POSITION_ERROR] + report_out[ROTATION_ERROR]
    steps = polish(joints, limits, goal, kind, terms, plan, chain, aim, arm, trig, T, e, q)
    code = judge_at_once(links, joints, limits, goal, kind, terms, q, steps, 1, trig, T, e, report_out)
    if report_out[POSITION_ERROR] + report_out[ROTATION_ERROR] < error:
        return code
    copy(before, q)
    return judge_at_once(links, joints, limits, goal, kind, terms, q, steps, 1, trig, T, e, report_out)


@lean
def polish(joints, limits, goal, kind, terms, plan, chain, aim, arm, trig, T, e, q):
    """Moves q in place toward the goal on the real axes, by Gauss-Newton; returns the steps taken."""
    take_aim(plan[REACH], terms, False, False, aim)
    aim[POSITION_GOAL] = min(aim[POSITION_GOAL], (0.1 * EXACT) ** 2)
    aim[ROTATION_GOAL] = min(aim[ROTATION_GOAL], (0.1 * EXACT * aim[WEIGHT]) ** 2)
    keep_limits(joints, limits, arm)
    for k in range(q.shape[0]):
        arm[k, Q] = q[k]
    steps = 0
    while steps < MOST:
        place(chain, False, arm, trig, T)
        arrived, _ = compare(chain, goal, kind, terms, aim, arm, T, e)
        if arrived:
            break
        differentiate(chain, kind, terms, aim, arm, T)
        hold_blocked_joints(arm, e)
        take_step(kind, DAMPING * aim[UNIT], arm, e)
        steps += 1
    for k in range(q.shape[0]):
        q[k] = arm[k, Q]
    return steps
