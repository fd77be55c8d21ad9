"""Brings the answer of a closed form onto the real axes where a file has rounded them."""

from forearm.core.arm.compact import Q
from forearm.core.arm.goal import judge_at_once
from forearm.core.codes import POSITION_ERROR, ROTATION_ERROR, TOL_POSITION, TOL_ROTATION
from forearm.core.general.lm import (
    Try,
    aim_closer,
    compare,
    differentiate,
    hold_blocked_joints,
    stand,
    take_aim,
    take_step,
)
from forearm.core.general.solve import keep_limits
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy

# Errors above this are polished away although the tolerance allows them [m and rad].
EXACT = 1e-9
MOST = 6  # steps; a row of a form is so near that one is enough nearly always
DAMPING = 1e-10  # keeps the normal equations regular at singularities [share of reach squared]


@leaf
def is_exact(report, terms):
    """Whether measured errors need no polish."""
    near_point = report[POSITION_ERROR] <= min(EXACT, terms[TOL_POSITION])
    return near_point and report[ROTATION_ERROR] <= min(EXACT, terms[TOL_ROTATION])


@lean
def measure(asked, reach, desk, q, report_out):
    """Measures q; polishes it in place if it is not exact and that brings it nearer. The status code."""
    robot, goal, gauge, before = asked.robot, asked.goal, desk.gauge, desk.before
    code = judge_at_once(robot, goal, q, 0, 1, gauge, report_out)
    if is_exact(report_out, goal.terms):
        return code
    gauge.trig[:, :] = 0.0  # the padding is computed with
    copy(q, before)
    error = report_out[POSITION_ERROR] + report_out[ROTATION_ERROR]
    steps = polish(asked, reach, desk, q)
    code = judge_at_once(robot, goal, q, steps, 1, gauge, report_out)
    if report_out[POSITION_ERROR] + report_out[ROTATION_ERROR] < error:
        return code
    copy(before, q)
    return judge_at_once(robot, goal, q, steps, 1, gauge, report_out)


@lean
def polish(asked, reach, desk, q):
    """Moves q in place toward the goal on the real axes, by Gauss-Newton; returns the steps taken."""
    goal, arm, e = asked.goal, desk.arm, desk.gauge.e
    aim, close = take_aim(reach, goal.terms, False, False), 0.1 * EXACT
    aim = aim_closer(aim, min(aim.position, close**2), min(aim.rotation, (close * aim.weight) ** 2))
    trial = Try(asked.chain, aim, arm, desk.gauge, asked.settings)
    keep_limits(asked.robot, arm)
    for k in range(q.shape[0]):
        arm[k, Q] = q[k]
    steps = 0
    while steps < MOST:
        stand(trial)
        arrived, _ = compare(trial, goal)
        if arrived:
            break
        differentiate(trial, goal)
        hold_blocked_joints(arm, e)
        take_step(goal.kind, DAMPING * aim.unit, arm, e)
        steps += 1
    for k in range(q.shape[0]):
        q[k] = arm[k, Q]
    return steps
