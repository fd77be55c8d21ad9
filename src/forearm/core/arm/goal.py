"""What a target asks of a pose: the error to it, the rows that count, and the verdict.

The error is a twist in the base frame: position [m], then rotation vector [rad], with zeros for
what the target leaves open. `begin` and `finish` frame every solving kernel: the first checks the
input, the second measures the returned joint values by forward kinematics and nothing else.
"""

import math

from forearm.core.arm.kinematics import fk_tip, fk_tip_at_once
from forearm.core.arm.problem import Gauge, open_problem
from forearm.core.codes import (
    BAD_START,
    BAD_TARGET,
    BAND,
    DIRECTION,
    ITERATIONS,
    LIMIT_EXCESS,
    LIMIT_SLACK,
    LOWER,
    NOT_CONVERGED,
    OPENED,
    ORIENTATION,
    POINT_AXIS,
    POSE,
    POSITION,
    POSITION_ERROR,
    RIGID_SLACK,
    RIM,
    ROTATION_ERROR,
    SOLVED,
    START_SLACK,
    TOL_AXES,
    TOL_POSITION,
    TOL_ROTATION,
    TOOL_AXIS,
    TRIES,
    UPPER,
    WIDE,
)
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, excess, middle
from forearm.core.maths.se3 import (
    apply_inverse_rotation,
    apply_rotation,
    is_rigid,
    norm,
    relative_rotation,
    rotation_vector,
    turn_between,
)
from forearm.core.shaped import shaped

FINISH_SCRATCH = 22  # numbers of scratch that `finish` takes: a pose and an error
NONE = -1  # the place of a fault among many targets or starts where there is none


@leaf
def goal_error(T, goal, e_out):
    """Writes the twist that takes pose T to the goal, zero in what the goal leaves open."""
    pose, kind, terms = goal
    e_out[:] = 0.0
    if kind != ORIENTATION:
        for i in range(3):
            e_out[i] = pose[i, 3] - T[i, 3]
    if kind == POSE or kind == ORIENTATION:
        e_out[3], e_out[4], e_out[5] = rotation_vector(relative_rotation(T, pose))
    elif kind == POINT_AXIS:
        x, y, z = apply_rotation(T, terms[TOOL_AXIS], terms[TOOL_AXIS + 1], terms[TOOL_AXIS + 2])
        dx, dy, dz = terms[DIRECTION], terms[DIRECTION + 1], terms[DIRECTION + 2]
        e_out[3], e_out[4], e_out[5] = turn_between(x, y, z, dx, dy, dz)


@leaf
def meets(goal, e):
    """Whether an error twist lies inside every tolerance."""
    terms = goal.terms
    if not norm(e[0], e[1], e[2]) <= terms[TOL_POSITION]:
        return False
    if not norm(e[3], e[4], e[5]) <= terms[TOL_ROTATION]:
        return False
    if not has_axis_tolerances(terms):
        return True
    x, y, z = apply_inverse_rotation(goal.pose, e[0], e[1], e[2])
    u, v, w = apply_inverse_rotation(goal.pose, e[3], e[4], e[5])
    return (
        abs(x) <= terms[TOL_AXES]
        and abs(y) <= terms[TOL_AXES + 1]
        and abs(z) <= terms[TOL_AXES + 2]
        and abs(u) <= terms[TOL_AXES + 3]
        and abs(v) <= terms[TOL_AXES + 4]
        and abs(w) <= terms[TOL_AXES + 5]
    )


@leaf
def asked_errors(goal, e):
    """The lengths of the position and rotation errors, without axes that the goal leaves free."""
    terms = goal.terms
    if not has_axis_tolerances(terms):
        return norm(e[0], e[1], e[2]), norm(e[3], e[4], e[5])
    x, y, z = apply_inverse_rotation(goal.pose, e[0], e[1], e[2])
    u, v, w = apply_inverse_rotation(goal.pose, e[3], e[4], e[5])
    open_position, open_rotation = terms[TOL_POSITION] == math.inf, terms[TOL_ROTATION] == math.inf
    return (
        norm(
            0.0 if open_position and terms[TOL_AXES] == math.inf else x,
            0.0 if open_position and terms[TOL_AXES + 1] == math.inf else y,
            0.0 if open_position and terms[TOL_AXES + 2] == math.inf else z,
        ),
        norm(
            0.0 if open_rotation and terms[TOL_AXES + 3] == math.inf else u,
            0.0 if open_rotation and terms[TOL_AXES + 4] == math.inf else v,
            0.0 if open_rotation and terms[TOL_AXES + 5] == math.inf else w,
        ),
    )


@leaf
def has_axis_tolerances(terms):
    """Whether any tolerance is given axis by axis, or opened."""
    if terms[OPENED] != 0.0:
        return True
    for i in range(6):
        if terms[TOL_AXES + i] != math.inf:
            return True
    return False


@lean
def keep_asked_rows(T, goal, e, J):
    """Leaves in the error and the Jacobian only what the goal asks for, in place.

    Rows the goal leaves open become zero, a free turn about the tool axis is projected out, and
    inside a wide per-axis tolerance (a band), or a norm's that is opened (a ball), an error is no error.
    """
    pose, kind, terms = goal
    if kind == POSITION:
        J[3:, :] = 0.0
    elif kind == ORIENTATION:
        J[:3, :] = 0.0
    elif kind == POINT_AXIS:
        x, y, z = apply_rotation(T, terms[TOOL_AXIS], terms[TOOL_AXIS + 1], terms[TOOL_AXIS + 2])
        for k in range(J.shape[1]):
            along = x * J[3, k] + y * J[4, k] + z * J[5, k]
            J[3, k] -= along * x
            J[4, k] -= along * y
            J[5, k] -= along * z
    if has_axis_tolerances(terms):
        for half in range(0, 6, 3):  # position and rotation in the goal's own axes
            e[half], e[half + 1], e[half + 2] = apply_inverse_rotation(pose, e[half], e[half + 1], e[half + 2])
            for k in range(J.shape[1]):
                J[half, k], J[half + 1, k], J[half + 2, k] = apply_inverse_rotation(
                    pose, J[half, k], J[half + 1, k], J[half + 2, k]
                )
        _open_bands(terms, e, J)


@leaf
def _open_bands(terms, e, J):
    """Shrinks each error by the inner nine tenths of its band, or by nearly all where it is opened; inside, rows drop.

    A half whose norm has a tolerance of its own is asked for as a whole and has no bands: where it is wide and
    opened, it has a ball.
    """
    metre = terms[OPENED]
    is_opened = metre != 0.0
    for i in range(6):
        band, unit = terms[TOL_AXES + i], metre if i < 3 else 1.0
        whole = terms[TOL_POSITION] if i < 3 else terms[TOL_ROTATION]
        if band < (unit * WIDE if is_opened else BAND) or whole != math.inf:
            continue
        inner = band - min(0.1 * band, unit * RIM) if is_opened else 0.9 * band
        if abs(e[i]) <= inner:
            e[i] = 0.0
            J[i, :] = 0.0
        else:
            e[i] -= math.copysign(inner, e[i])
    if is_opened:
        _open_ball(terms[TOL_POSITION], metre, 0, e, J)
        _open_ball(terms[TOL_ROTATION], 1.0, 3, e, J)


@leaf
def _open_ball(radius, unit, half, e, J):
    """Leaves of the error from row `half` on what lies beyond a wide ball, and only that way in the Jacobian."""
    if not unit * WIDE <= radius < math.inf:
        return
    inner, length = radius - min(0.1 * radius, unit * RIM), norm(e[half], e[half + 1], e[half + 2])
    share = 0.0 if length <= inner else 1.0 / length  # inside, the rows are dropped
    x, y, z = share * e[half], share * e[half + 1], share * e[half + 2]
    left = length - inner
    e[half], e[half + 1], e[half + 2] = left * x, left * y, left * z
    for k in range(J.shape[1]):
        along = x * J[half, k] + y * J[half + 1, k] + z * J[half + 2, k]
        J[half, k], J[half + 1, k], J[half + 2, k] = along * x, along * y, along * z


@lean
def begin(limits, pose, q0, q_out):
    """Checks target and start, and writes the start into q_out, clamped. 0 if all is well.

    Without a q0 (length zero) the start is the middle of the limits.
    """
    if not is_rigid(pose, RIGID_SLACK):
        return BAD_TARGET
    for k in range(q_out.shape[0]):
        lower, upper = limits[LOWER, k], limits[UPPER, k]
        if q0.shape[0] == 0:
            q_out[k] = middle(lower, upper)
        elif math.isfinite(q0[k]) and lower - START_SLACK <= q0[k] <= upper + START_SLACK:
            q_out[k] = clamp(q0[k], lower, upper)
        else:
            return BAD_START
    return SOLVED


@lean
def find_not_rigid(goals):
    """The place of the first matrix that is no rigid transform, or NONE."""
    for i in range(goals.shape[0]):
        if not is_rigid(goals[i], RIGID_SLACK):
            return i
    return NONE


@lean
def find_outside(starts, limits):
    """The place of the first start that is not finite or outside the limits, or NONE."""
    for i in range(starts.shape[0]):
        for k in range(starts.shape[1]):
            value, lower, upper = starts[i, k], limits[LOWER, k] - START_SLACK, limits[UPPER, k] + START_SLACK
            if not (math.isfinite(value) and lower <= value <= upper):
                return i
    return NONE


@lean
def finish(problem, pose, q, work, report_out):
    """Measures a q that Python asks about: writes the report of no iterations and returns the verdict.

    `work` has FINISH_SCRATCH numbers.
    """
    asked = open_problem(problem, pose, q.shape[0])
    gauge = Gauge(shaped(work[:0], (3, 0)), shaped(work[:16], (4, 4)), work[16:22])
    return judge(asked.robot, asked.goal, q, 0, 1, gauge, report_out)


@lean
def judge(robot, goal, q, iterations, tries, gauge, report_out):
    """Measures q by forward kinematics, writes the report and returns the verdict."""
    fk_tip(robot.links, robot.joints, q, gauge.T)
    return weigh(robot.limits, goal, q, iterations, tries, gauge, report_out)


@lean
def judge_at_once(robot, goal, q, iterations, tries, gauge, report_out):
    """As `judge`, in less time: for callers that have scratch for the sines and cosines of all joints."""
    fk_tip_at_once(robot.links, robot.joints, q, gauge.trig, gauge.T)
    return weigh(robot.limits, goal, q, iterations, tries, gauge, report_out)


@leaf
def weigh(limits, goal, q, iterations, tries, gauge, report_out):
    """Compares the tip's pose T with the goal and q with the limits; writes the report, returns the verdict."""
    goal_error(gauge.T, goal, gauge.e)
    beyond = excess(limits, q)
    report_out[POSITION_ERROR], report_out[ROTATION_ERROR] = asked_errors(goal, gauge.e)
    report_out[LIMIT_EXCESS] = beyond
    report_out[ITERATIONS] = iterations
    report_out[TRIES] = tries
    if meets(goal, gauge.e) and beyond <= LIMIT_SLACK:
        return SOLVED
    return NOT_CONVERGED
