"""Damped least squares (Wampler 1986; Nakamura and Hanafusa 1986): the textbook Jacobian method.

Each step solves `dq = J^T (J J^T + lambda^2 I)^-1 e`, with a constant lambda that trades speed
near the answer for calm near a singularity. Joints at a limit that would be pushed out are held
still for that step. Supports every target and joint. It stalls in local minima, for which seeded
restarts are offered, and converges slowly where the Jacobian is nearly singular.
"""

from typing import Any, NamedTuple

import numpy as np

from forearm.core.arm.goal import begin, goal_error, judge, keep_asked_rows, meets
from forearm.core.arm.kinematics import fk_frames, jacobian_of_frames
from forearm.core.arm.problem import Gauge, open_problem
from forearm.core.codes import NOT_CONVERGED, SOLVED
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp, copy, draw_inside
from forearm.core.maths.linear import cholesky_solve
from forearm.core.shaped import shaped

# places in `settings`
MAX_ITERATIONS, DAMPING, MAX_STEP, RESTARTS, RNG_SEED, ROTATION_WEIGHT = 0, 1, 2, 3, 4, 5


class Descent(NamedTuple):
    """The scratch of a textbook method."""

    frames: Any  # (m+1, 4, 4) frames of the joints and of the tip
    gauge: Gauge  # its pose is the last of the frames
    J: Any  # (6, n)
    A: Any  # (6, 6)
    q: Any  # (n,)


@shared
def descent_size(m, n):
    """How many numbers of scratch a textbook method takes."""
    return 16 * (m + 1) + 42 + 7 * n


@leaf
def open_descent(m, n, work):
    """The scratch of a textbook method; only for lean kernels."""
    frames, rest = shaped(work[: 16 * (m + 1)], (m + 1, 4, 4)), work[16 * (m + 1) :]
    gauge, A, rest = Gauge(shaped(rest[:0], (3, 0)), frames[m], rest[:6]), shaped(rest[6:42], (6, 6)), rest[42:]
    return Descent(frames, gauge, shaped(rest[: 6 * n], (6, n)), A, rest[6 * n : 7 * n])


@lean
def solve_dls(problem, table, pose, q0, work, q_out, report_out):
    """Writes the joint values nearest to the goal found from q0 and returns a status code."""
    n = q_out.shape[0]
    robot, goal, settings, _, _ = open_problem(problem, pose, n)
    fault = begin(robot.limits, pose, q0, q_out)
    if fault != SOLVED:
        return fault
    desk = open_descent(robot.joints.shape[0], n, work)
    q = desk.q
    copy(q_out, q)
    best, used = np.inf, 0
    state = np.uint64(settings[RNG_SEED])
    attempt = 0
    while attempt <= settings[RESTARTS]:  # the budgets may be taken away meanwhile
        if attempt > 0:
            state = draw_inside(robot.limits, state, q)
        steps, error = descend(robot, goal, settings, desk, q)
        used += steps
        if error < best:
            best = error
            copy(q, q_out)
        attempt += 1
        if judge(robot, goal, q_out, used, attempt, desk.gauge, report_out) == SOLVED:
            return SOLVED
    return NOT_CONVERGED


@lean
def descend(robot, goal, settings, desk, q):
    """Moves q toward the goal in place; returns the steps taken and the weighted error left."""
    frames, J, A, e, W = desk.frames, desk.J, desk.A, desk.gauge.e, settings[ROTATION_WEIGHT]
    step = 0
    while True:
        fk_frames(robot.links, robot.joints, q, frames)
        goal_error(desk.gauge.T, goal, e)
        error = weighted_square(e, W)
        if meets(goal, e) or step >= settings[MAX_ITERATIONS]:
            return step, error
        jacobian_of_frames(robot.joints, frames, J)
        keep_asked_rows(desk.gauge.T, goal, e, J)
        hold_blocked_joints(robot.limits, q, e, J)
        weigh_rotation(W, e, J)
        damped_system(J, settings[DAMPING], A)
        cholesky_solve(A, e)
        take_step(J, e, robot.limits, settings[MAX_STEP], q)
        step += 1


@leaf
def weighted_square(e, W):
    """|position error|^2 + W^2 |rotation error|^2 [m^2]."""
    return e[0] ** 2 + e[1] ** 2 + e[2] ** 2 + W * W * (e[3] ** 2 + e[4] ** 2 + e[5] ** 2)


@leaf
def weigh_rotation(W, e, J):
    """Multiplies the rotation rows by W [m/rad], in place."""
    for i in range(3, 6):
        e[i] *= W
        for k in range(J.shape[1]):
            J[i, k] *= W


@leaf
def hold_blocked_joints(limits, q, e, J):
    """Zeroes the column of each joint that stands at a limit and would be pushed out."""
    for k in range(q.shape[0]):
        push = 0.0
        for i in range(6):
            push += J[i, k] * e[i]
        if (q[k] <= limits[0, k] and push < 0.0) or (q[k] >= limits[1, k] and push > 0.0):
            J[:, k] = 0.0


@leaf
def damped_system(J, damping, A_out):
    """Writes J J^T + damping^2 I."""
    for i in range(6):
        for j in range(i + 1):
            total = 0.0
            for k in range(J.shape[1]):
                total += J[i, k] * J[j, k]
            A_out[i, j] = total
            A_out[j, i] = total
        A_out[i, i] += damping * damping


@leaf
def take_step(J, y, limits, max_step, q):
    """Q <- clamp(q + J^T y), shortened so that no joint moves more than max_step."""
    n = q.shape[0]
    largest = 0.0
    for k in range(n):
        largest = max(largest, abs(column_dot(J, k, y)))
    scale = 1.0 if largest <= max_step else max_step / largest
    for k in range(n):
        q[k] = clamp(q[k] + scale * column_dot(J, k, y), limits[0, k], limits[1, k])


@leaf
def column_dot(J, k, y):
    """The scalar product of column k of J with y."""
    total = 0.0
    for i in range(6):
        total += J[i, k] * y[i]
    return total
