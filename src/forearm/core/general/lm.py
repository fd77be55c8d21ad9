"""One try: Levenberg-Marquardt inside joint limits, from a given start.

`cold` starts anywhere: damping in proportion to the error (Chan and Lawrence 1988), every step
accepted, and the try abandoned as soon as the error stops shrinking, because another start is
cheaper than patience. `near` starts close to the answer and must not leave its neighbourhood:
steps that do not help are taken back. Both hold joints at their limits by an active set that is
decided anew at each step, so a joint comes off its limit as freely as it came onto it.

The rotation error is the chord `2 sin(angle / 2)` about its axis times W [m], which is smooth up to
half a turn.
"""

import math
from typing import Any, NamedTuple

from forearm.core.arm.compact import (
    ARM_COLUMNS,
    AXIS,
    COLUMN,
    DRIVER,
    HIGH,
    KEPT,
    LOW,
    ORIGIN,
    RATE,
    SLIDES,
    Q,
    padded,
    place,
)
from forearm.core.arm.goal import goal_error, keep_asked_rows, meets
from forearm.core.arm.problem import Gauge
from forearm.core.codes import (
    DIRECTION,
    ORIENTATION,
    POINT_AXIS,
    POSE,
    POSITION,
    PRISMATIC,
    TOL_POSITION,
    TOL_ROTATION,
    TOOL_AXIS,
)
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp
from forearm.core.maths.normal_equations import solve_3x3, solve_6x6
from forearm.core.maths.se3 import apply_rotation, cross, dot, half_turn_across, quaternion, relative_rotation
from forearm.core.shaped import shaped


class Aim(NamedTuple):
    """The numbers of a try that hold for one target."""

    position: Any  # square of the position error to arrive at [m^2]
    rotation: Any  # the same of the weighted rotation error [m^2]
    weight: Any  # W, of rotation against position [m]
    unit: Any  # of damping: reach squared [m^2]
    banded: Any  # whether tolerances are given axis by axis
    coupled: Any  # whether some joint does not follow a variable of its own one to one


class Try(NamedTuple):
    """What a try reads and works with; q stands in `arm`."""

    chain: Any  # (m+1, 12), see `core/arm/compact.py`
    aim: Any
    arm: Any  # (m, 16) per joint or variable
    gauge: Any  # trig padded with zeros to whole vector registers
    budget: Any  # the settings of the call, negative once it is given up (`ask_long` in `solve/problem.py`)


# damping of a cold try: share of the squared error, and a floor as a share of reach squared
CHAN = 0.03
COLD_FLOOR = 1e-14
# a cold try ends unless the squared error fell below this share since the last look
PROGRESS = 0.7
# damping of a near try [share of reach squared]: first, least and most; its factors
NEAR_FIRST, NEAR_LEAST, NEAR_MOST = 1e-3, 1e-12, 1e4
EASE, TIGHTEN = 0.1, 10.0
# a near try ends when an accepted step gains less than this share
NEAR_GAIN = 1e-4
# aim a little inside the tolerance: the answer is judged by another sine and cosine
MARGIN = 0.99


@leaf
def take_aim(reach, terms, banded, coupled):
    """The squared goals of both errors [m^2], the rotation weight and the damping unit."""
    weight = 0.2 * reach
    chord = 2.0 * math.sin(0.5 * min(terms[TOL_ROTATION], math.pi))
    position, rotation = (MARGIN * terms[TOL_POSITION]) ** 2, (MARGIN * weight * chord) ** 2
    return Aim(position, rotation, weight, reach * reach, banded, coupled)


@leaf
def aim_closer(aim, position, rotation):
    """The same aim with other squared goals of both errors [m^2]."""
    return Aim(position, rotation, aim.weight, aim.unit, aim.banded, aim.coupled)


@shared
def try_size(m):
    """How many numbers of scratch a try takes."""
    return ARM_COLUMNS * m + 3 * padded(m) + 22


@leaf
def open_try(chain, aim, budget, work):
    """A try that works in the first `try_size(m)` numbers of scratch; only for lean kernels."""
    m, lanes = chain.shape[0] - 1, padded(chain.shape[0] - 1)
    arm, line = shaped(work[: ARM_COLUMNS * m], (m, ARM_COLUMNS)), work[ARM_COLUMNS * m :]
    trig, line = shaped(line[: 3 * lanes], (3, lanes)), line[3 * lanes :]
    trig[:, :] = 0.0  # the padding is computed with
    return Try(chain, aim, arm, Gauge(trig, shaped(line[:16], (4, 4)), line[16:22]), budget)


@lean
def cold(trial, goal, patience, most):
    """Moves q from any start; returns whether it arrived, the squared error left, and the steps."""
    before = math.inf
    E = math.inf
    for step in range(most + 1):
        stand(trial)
        arrived, E = compare(trial, goal)
        if arrived:
            return True, E, step
        if step == most or trial.budget[0] < 0.0:
            break
        if step > 0 and step % patience == 0:
            if not PROGRESS * before >= E:
                return False, E, step
            before = E
        if not trial.aim.banded:
            differentiate(trial, goal)
        hold_blocked_joints(trial.arm, trial.gauge.e)
        take_step(goal.kind, CHAN * E + COLD_FLOOR * trial.aim.unit, trial.arm, trial.gauge.e)
    return False, E, most


@lean
def near(trial, goal, widest, most):
    """Moves q without leaving its neighbourhood; returns as `cold` does, q at its best."""
    arm, unit = trial.arm, trial.aim.unit
    n = arm.shape[0]
    damping = NEAR_FIRST
    E_kept = math.inf
    for step in range(most + 1):
        stand(trial)
        arrived, E = compare(trial, goal)
        if arrived:
            return True, E, step
        if step == 0 and not widest * unit >= E:
            return False, E, 0
        if trial.budget[0] < 0.0:
            return False, E, step
        if E_kept > E:
            stalled = (1.0 - NEAR_GAIN) * E_kept < E
            E_kept = E
            for k in range(n):
                arm[k, KEPT] = arm[k, Q]
            if stalled or step == most:
                return False, E, step
            damping = max(EASE * damping, NEAR_LEAST)
        else:
            damping *= TIGHTEN
            for k in range(n):
                arm[k, Q] = arm[k, KEPT]
            if damping > NEAR_MOST or step == most:
                return False, E_kept, step
            stand(trial)
            compare(trial, goal)
        if not trial.aim.banded:
            differentiate(trial, goal)
        hold_blocked_joints(arm, trial.gauge.e)
        take_step(goal.kind, damping * unit, arm, trial.gauge.e)
    return False, E_kept, most


@leaf
def stand(trial):
    """Writes each joint's axis and origin, and the tip's pose, at the q of a try."""
    place(trial.chain, trial.aim.coupled, trial.arm, trial.gauge.trig, trial.gauge.T)


@leaf
def linearise(trial, goal):
    """Writes error and Jacobian at the q of a try."""
    stand(trial)
    compare(trial, goal)
    if not trial.aim.banded:
        differentiate(trial, goal)


@leaf
def compare(trial, goal):
    """Writes the weighted error; returns whether it is small enough, and its square [m^2]."""
    aim, T, e_out = trial.aim, trial.gauge.T, trial.gauge.e
    if aim.banded:
        return compare_banded(trial, goal)
    pose, kind, terms = goal
    W = aim.weight
    x, y, z = 0.0, 0.0, 0.0
    u, v, w = 0.0, 0.0, 0.0
    if kind != ORIENTATION:
        x, y, z = pose[0, 3] - T[0, 3], pose[1, 3] - T[1, 3], pose[2, 3] - T[2, 3]
    if kind == POSE or kind == ORIENTATION:
        u, v, w = chord(relative_rotation(T, pose))
    elif kind == POINT_AXIS:
        u, v, w = axis_chord(T, terms)
    u, v, w = W * u, W * v, W * w
    e_out[0], e_out[1], e_out[2], e_out[3], e_out[4], e_out[5] = x, y, z, u, v, w
    position, rotation = dot(x, y, z, x, y, z), dot(u, v, w, u, v, w)
    arrived = position <= aim.position and rotation <= aim.rotation
    return arrived, position + rotation


@leaf
def chord(r):
    """Axis times 2 sin(angle / 2) of a rotation."""
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = r
    trace = r00 + r11 + r22
    if trace > 0.0:
        scale = 1.0 / math.sqrt(1.0 + trace)
        return scale * (r21 - r12), scale * (r02 - r20), scale * (r10 - r01)
    _, x, y, z = quaternion(r)
    return 2.0 * x, 2.0 * y, 2.0 * z


@leaf
def axis_chord(T, terms):
    """The shortest turn of the tool axis onto its direction: axis times 2 sin(angle / 2)."""
    ax, ay, az = apply_rotation(T, terms[TOOL_AXIS], terms[TOOL_AXIS + 1], terms[TOOL_AXIS + 2])
    bx, by, bz = terms[DIRECTION], terms[DIRECTION + 1], terms[DIRECTION + 2]
    c = dot(ax, ay, az, bx, by, bz)
    if c > -0.999999:
        x, y, z = cross(ax, ay, az, bx, by, bz)
        scale = math.sqrt(2.0 / (1.0 + c))
    else:  # opposite: any half turn across the axis will do
        x, y, z = half_turn_across(ax, ay, az)
        scale = 2.0 / math.pi
    return scale * x, scale * y, scale * z


@lean
def compare_banded(trial, goal):
    """As `compare`, for tolerances given axis by axis; makes the Jacobian too."""
    T, e_out = trial.gauge.T, trial.gauge.e
    goal_error(T, goal, e_out)
    arrived = meets(goal, e_out)
    differentiate(trial, goal)
    J = trial.arm[:, COLUMN : COLUMN + 6].T
    keep_asked_rows(T, goal, e_out, J)
    E = 0.0
    for i in range(6):
        e_out[i] *= 1.0 if i < 3 else trial.aim.weight
        E += e_out[i] * e_out[i]
    return arrived, E


@leaf
def differentiate(trial, goal):
    """Writes each variable's column of the Jacobian, rotation rows times W, zero where not asked."""
    chain, aim, arm, gauge, _ = trial
    T, kind, terms = gauge.T, goal.kind, goal.terms
    W = aim.weight if kind != POSITION else 0.0
    V = 1.0 if kind != ORIENTATION else 0.0
    tx, ty, tz = 0.0, 0.0, 0.0
    if kind == POINT_AXIS:
        tx, ty, tz = apply_rotation(T, terms[TOOL_AXIS], terms[TOOL_AXIS + 1], terms[TOOL_AXIS + 2])
    for i in range(arm.shape[0]):
        ax, ay, az = arm[i, AXIS], arm[i, AXIS + 1], arm[i, AXIS + 2]
        if chain[i + 1, SLIDES] == PRISMATIC:
            write_column(arm, i, V * ax, V * ay, V * az, 0.0, 0.0, 0.0)
            continue
        x, y, z = T[0, 3] - arm[i, ORIGIN], T[1, 3] - arm[i, ORIGIN + 1], T[2, 3] - arm[i, ORIGIN + 2]
        x, y, z = cross(ax, ay, az, x, y, z)
        if kind == POINT_AXIS:
            along = dot(ax, ay, az, tx, ty, tz)
            ax, ay, az = ax - along * tx, ay - along * ty, az - along * tz
        write_column(arm, i, V * x, V * y, V * z, W * ax, W * ay, W * az)
    if aim.coupled:
        join_columns(chain, arm)


@leaf
def write_column(arm, k, x, y, z, u, v, w):
    """Writes the six entries of a column."""
    arm[k, COLUMN], arm[k, COLUMN + 1], arm[k, COLUMN + 2] = x, y, z
    arm[k, COLUMN + 3], arm[k, COLUMN + 4], arm[k, COLUMN + 5] = u, v, w


@leaf
def join_columns(chain, arm):
    """Adds up the columns of joints that share a variable; axes and origins are overwritten."""
    m = arm.shape[0]
    for i in range(m):
        for j in range(6):
            arm[i, AXIS + j] = arm[i, COLUMN + j]
            arm[i, COLUMN + j] = 0.0
    for i in range(m):
        k = int(chain[i + 1, DRIVER])
        for j in range(6):
            arm[k, COLUMN + j] += chain[i + 1, RATE] * arm[i, AXIS + j]


@leaf
def hold_blocked_joints(arm, e):
    """Zeroes the column of each joint that stands at a limit and would be pushed out."""
    for k in range(arm.shape[0]):
        if arm[k, LOW] < arm[k, Q] < arm[k, HIGH]:
            continue
        push = column_dot(arm, k, e[0], e[1], e[2], e[3], e[4], e[5])
        if (arm[k, Q] <= arm[k, LOW] and push < 0.0) or (arm[k, Q] >= arm[k, HIGH] and push > 0.0):
            for i in range(6):
                arm[k, COLUMN + i] = 0.0


@leaf
def column_dot(arm, k, a, b, c, d, e, f):
    """The scalar product of variable k's column with a six-vector."""
    return dot(arm[k, COLUMN], arm[k, COLUMN + 1], arm[k, COLUMN + 2], a, b, c) + dot(
        arm[k, COLUMN + 3], arm[k, COLUMN + 4], arm[k, COLUMN + 5], d, e, f
    )


@leaf
def take_step(kind, damping, arm, e):
    """Q <- clamp(q + J^T (J J^T + damping I)^-1 e)."""
    if kind == POSITION:
        a, b, c = solve_3x3(arm, COLUMN, damping, e)
        d, g, f = 0.0, 0.0, 0.0
    else:
        a, b, c, d, g, f = solve_6x6(arm, COLUMN, damping, e)
    for k in range(arm.shape[0]):
        move = column_dot(arm, k, a, b, c, d, g, f)
        arm[k, Q] = clamp(arm[k, Q] + move, arm[k, LOW], arm[k, HIGH])
