"""Cyclic coordinate descent (Wang and Chen 1991): one joint at a time, tip to base.

Each joint takes the value that brings the tip nearest to the goal while all others stand still.
Position, rotation and tool axis all vary with one revolute joint as `a cos x + b sin x + c`, so
that value is `atan2(b, a)`, exactly; a prismatic joint moves by the projected distance. Supports
every target on chains without mimic joints. Slow where joints work against each other.
"""

import math

from forearm.core.arm.goal import begin, goal_error, judge, meets
from forearm.core.arm.kinematics import fk_frames
from forearm.core.arm.problem import open_problem
from forearm.core.codes import (
    DIRECTION,
    KIND,
    ORIENTATION,
    POINT_AXIS,
    POSITION,
    PRISMATIC,
    RATIO,
    SOLVED,
    TOOL_AXIS,
    VARIABLE,
)
from forearm.core.iterative.dls import open_descent
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, wrap_near
from forearm.core.maths.se3 import apply_rotation, cross, dot

# places in `settings`
MAX_ITERATIONS, ROTATION_WEIGHT = 0, 1


@lean
def solve_ccd(problem, table, pose, q0, work, q_out, report_out):
    """Writes the joint values nearest to the goal found from q0 and returns a status code."""
    robot, goal, settings, _, _ = open_problem(problem, pose, q_out.shape[0])
    fault = begin(robot.limits, pose, q0, q_out)
    if fault != SOLVED:
        return fault
    joints, limits, m = robot.joints, robot.limits, robot.joints.shape[0]
    desk = open_descent(m, q_out.shape[0], work)
    frames, tip, e = desk.frames, desk.gauge.T, desk.gauge.e
    W = settings[ROTATION_WEIGHT]
    sweep = 0
    while True:
        fk_frames(robot.links, joints, q_out, frames)
        goal_error(tip, goal, e)
        if meets(goal, e) or sweep >= settings[MAX_ITERATIONS]:
            break
        for i in range(m - 1, -1, -1):
            before = q_out[int(joints[i, VARIABLE])]
            turn_best(joints[i], limits, frames[i], tip, goal, W, q_out)
            carry(joints[i], frames[i], q_out[int(joints[i, VARIABLE])] - before, tip)
        sweep += 1
    return judge(robot, goal, q_out, sweep, 1, desk.gauge, report_out)


@leaf
def carry(joint, frame, change, tip):
    """Moves the tip along with a joint that changed; joints nearer to the base did not move."""
    ax, ay, az = frame[0, 2], frame[1, 2], frame[2, 2]
    value = joint[RATIO] * change
    if joint[KIND] == PRISMATIC:
        tip[0, 3] += value * ax
        tip[1, 3] += value * ay
        tip[2, 3] += value * az
        return
    c, s = math.cos(value), math.sin(value)
    for j in range(4):
        lever = 1.0 if j == 3 else 0.0  # a point turns about the joint, a direction about the origin
        x, y, z = tip[0, j] - lever * frame[0, 3], tip[1, j] - lever * frame[1, 3], tip[2, j] - lever * frame[2, 3]
        along = (1.0 - c) * dot(ax, ay, az, x, y, z)
        nx, ny, nz = cross(ax, ay, az, x, y, z)
        tip[0, j] = c * x + s * nx + along * ax + lever * frame[0, 3]
        tip[1, j] = c * y + s * ny + along * ay + lever * frame[1, 3]
        tip[2, j] = c * z + s * nz + along * az + lever * frame[2, 3]


@leaf
def turn_best(joint, limits, frame, tip, goal, W, q):
    """Gives one joint the value that brings the tip nearest to the goal, inside its limits."""
    pose, kind, terms = goal
    k = int(joint[VARIABLE])
    lower, upper = limits[0, k], limits[1, k]
    ax, ay, az = frame[0, 2], frame[1, 2], frame[2, 2]
    if joint[KIND] == PRISMATIC:
        if kind != ORIENTATION:
            move = dot(ax, ay, az, pose[0, 3] - tip[0, 3], pose[1, 3] - tip[1, 3], pose[2, 3] - tip[2, 3])
            q[k] = clamp(q[k] + move / joint[RATIO], lower, upper)
        return
    a, b, axis = 0.0, 0.0, (ax, ay, az)
    if kind != ORIENTATION:
        ox, oy, oz = frame[0, 3], frame[1, 3], frame[2, 3]
        point = (tip[0, 3] - ox, tip[1, 3] - oy, tip[2, 3] - oz)
        a, b = add_alignment(a, b, 1.0, axis, point, (pose[0, 3] - ox, pose[1, 3] - oy, pose[2, 3] - oz))
    if kind == POINT_AXIS:
        tool = apply_rotation(tip, terms[TOOL_AXIS], terms[TOOL_AXIS + 1], terms[TOOL_AXIS + 2])
        wanted = (terms[DIRECTION], terms[DIRECTION + 1], terms[DIRECTION + 2])
        a, b = add_alignment(a, b, W * W, axis, tool, wanted)
    elif kind != POSITION:
        for j in range(3):
            column, wanted = (tip[0, j], tip[1, j], tip[2, j]), (pose[0, j], pose[1, j], pose[2, j])
            a, b = add_alignment(a, b, W * W, axis, column, wanted)
    if a != 0.0 or b != 0.0:
        q[k] = nearest_allowed(q[k], math.atan2(b, a) / joint[RATIO], lower, upper)


@leaf
def add_alignment(a, b, weight, axis, u, v):
    """Adds to (a, b) how well u, turned by x about a unit axis, agrees with v: a cos x + b sin x."""
    (ax, ay, az), (ux, uy, uz), (vx, vy, vz) = axis, u, v
    along = dot(ax, ay, az, ux, uy, uz)
    a += weight * (dot(ux, uy, uz, vx, vy, vz) - along * dot(ax, ay, az, vx, vy, vz))
    cx, cy, cz = cross(ax, ay, az, ux, uy, uz)
    b += weight * dot(cx, cy, cz, vx, vy, vz)
    return a, b


@leaf
def nearest_allowed(q, turn, lower, upper):
    """Q + turn or a full turn away from it if that lies inside the limits, else the better limit."""
    best = q + turn
    if lower <= best <= upper:
        return best
    middle = wrap_near(best, 0.5 * (lower + upper)) if math.isfinite(upper - lower) else best
    return clamp(middle, lower, upper)
