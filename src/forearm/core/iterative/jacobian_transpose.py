"""Jacobian transpose (Wolovich and Elliott 1984): the cheapest step, and the slowest to arrive.

Each step moves along `J^T e` by the length that would be best if the chain were linear (Buss
2004): `alpha = <e, J J^T e> / <J J^T e, J J^T e>`. Joints are clamped to their limits. Supports
every target and joint. It crawls along narrow valleys and stops in local minima.
"""

from forearm.core.arm.goal import begin, goal_error, judge, keep_asked_rows, meets
from forearm.core.arm.kinematics import fk_frames, jacobian_of_frames
from forearm.core.arm.problem import open_problem
from forearm.core.codes import SOLVED
from forearm.core.iterative.dls import column_dot, hold_blocked_joints, open_descent, take_step, weigh_rotation
from forearm.core.jit import leaf, lean

# places in `settings`
MAX_ITERATIONS, MAX_STEP, ROTATION_WEIGHT = 0, 1, 2


@lean
def solve_jacobian_transpose(problem, table, pose, q0, work, q_out, report_out):
    """Writes the joint values nearest to the goal found from q0 and returns a status code."""
    robot, goal, settings, _, _ = open_problem(problem, pose, q_out.shape[0])
    fault = begin(robot.limits, pose, q0, q_out)
    if fault != SOLVED:
        return fault
    desk = open_descent(robot.joints.shape[0], q_out.shape[0], work)
    gauge, J, e = desk.gauge, desk.J, desk.gauge.e
    step = 0
    while True:
        fk_frames(robot.links, robot.joints, q_out, desk.frames)
        goal_error(gauge.T, goal, e)
        if meets(goal, e) or step >= settings[MAX_ITERATIONS]:
            break
        jacobian_of_frames(robot.joints, desk.frames, J)
        keep_asked_rows(gauge.T, goal, e, J)
        hold_blocked_joints(robot.limits, q_out, e, J)
        weigh_rotation(settings[ROTATION_WEIGHT], e, J)
        scale_by_best_length(J, e)
        take_step(J, e, robot.limits, settings[MAX_STEP], q_out)
        step += 1
    return judge(robot, goal, q_out, step, 1, gauge, report_out)


@leaf
def scale_by_best_length(J, e):
    """E <- alpha e, with the alpha that a linear chain would need; 0 where nothing can move."""
    above, below = 0.0, 0.0
    for i in range(6):
        moved = 0.0  # (J J^T e)_i
        for k in range(J.shape[1]):
            moved += J[i, k] * column_dot(J, k, e)
        above += e[i] * moved
        below += moved * moved
    alpha = above / below if below > 0.0 else 0.0
    for i in range(6):
        e[i] *= alpha
