"""The two stages of FABRIK-R (Santos et al., IEEE Access 9, 2021), and what they work on.

The forward stage puts the tip on the target and places the joints one by one toward the base; the
backward stage starts at the fixed base and places them toward the tip. Each move is one motion of
one joint: either the next axis is turned until the plane across it holds a point further on (Eq.
(6), closed form), or a point is brought closest. Which of the two, and which point, stands in the
step table (`solve/methods/fabrik_r_tables.py`), made once per robot.
"""

import math

import numpy as np

from forearm.core.arm.kinematics import follow_link, set_identity, slide_along_z, turn_about_z
from forearm.core.codes import POSE
from forearm.core.iterative.fabrik_r_place import (
    CLOSEST,
    COLUMNS,
    LOCAL,
    OFFSET,
    PLANE,
    POINT,
    SHIFT,
    SLIDE,
    STEP,
    TINY_RADIUS,
    Sweeps,
    choose_value,
    mover_of,
    seen_from,
    swing_axis,
)
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp, copy_rows
from forearm.core.maths.se3 import norm
from forearm.core.shaped import shaped

# parts of the step table: forward stage, backward stage to a position, backward stage to a pose
FORWARD, BACKWARD, BACKWARD_POSE = 0, 1, 2


@shared
def sweeps_size(n):
    """How many numbers of scratch the stages take."""
    return 32 + 30 * (n + 1)


@leaf
def open_sweeps(steps, n, work):
    """What the stages work on, in the first `sweeps_size(n)` numbers of scratch; only for lean kernels."""
    T, wanted, rest = shaped(work[:16], (4, 4)), shaped(work[16:32], (4, 4)), work[32:]
    ahead, rest = shaped(rest[: 12 * (n + 1)], (n + 1, 3, 4)), rest[12 * (n + 1) :]
    behind, rest = shaped(rest[: 12 * (n + 1)], (n + 1, 3, 4)), rest[12 * (n + 1) :]
    return Sweeps(shaped(steps, (3, n + 1, COLUMNS)), ahead, behind, wanted, T, shaped(rest[: 6 * (n + 1)], (n + 1, 6)))


@lean
def forward_reach(robot, goal, sweeps, q):
    """Places the joints from the target toward the base; joint 0 stays.

    The running frame stands at the last joint after its motion, and is left at joint 1; points and axes are
    overwritten. `q` (n,) are the joint values of the last backward stage: this stage moves points only.
    """
    n, limits = q.shape[0], robot.limits
    steps, behind, T, stored = sweeps.steps, sweeps.behind, sweeps.T, sweeps.stored
    if goal.kind == POSE:
        copy_rows(sweeps.wanted, T)
    else:
        aim_tip(steps[FORWARD, n - 1], goal.pose, T, stored)
    for i in range(3):
        stored[n, i] = goal.pose[i, 3]
    note(T, stored, n - 1)
    for m in range(n - 2, 0, -1):
        row = steps[FORWARD, m]
        value = choose_value(sweeps, behind[m + 1], row, mover_of(q, limits, m + 1, -1.0), q[m], m - 1)
        move(T, row, -value)
        note(T, stored, m + 1)  # a slide moves its own point
        follow_link(T, behind[m + 1])
        note(T, stored, m)


@lean
def backward_reach(robot, goal, sweeps, q):
    """Places the joints from the fixed base toward the tip and overwrites their values, points and axes.

    The running frame is left at the last joint after its motion.
    """
    n, limits = q.shape[0], robot.limits
    ahead, T, stored = sweeps.ahead, sweeps.T, sweeps.stored
    part = sweeps.steps[BACKWARD_POSE] if goal.kind == POSE else sweeps.steps[BACKWARD]
    set_identity(T)
    follow_link(T, ahead[0])
    note(T, stored, 0)
    for m in range(1, n + 1):
        slid = q[m] if m < n else 0.0
        q[m - 1] = choose_value(sweeps, ahead[m], part[m], mover_of(q, limits, m - 1, 1.0), slid, min(m + 1, n))
        move(T, part[m], q[m - 1])
        if m < n:
            follow_link(T, ahead[m])
            note(T, stored, m)
    note_tip(T, ahead[n], stored)


@leaf
def aim_tip(row, goal, T, stored):
    """Puts the tip on a target position: tilts the last axis, then spins the last joint closest.

    T, the last joint's frame, is free to turn: only the tip's position is asked for.
    """
    n = stored.shape[0] - 1
    j = int(row[POINT])
    wx, wy, wz = stored[j, 0] - goal[0, 3], stored[j, 1] - goal[1, 3], stored[j, 2] - goal[2, 3]
    far = norm(wx, wy, wz)
    if far > TINY_RADIUS:
        if row[STEP] == CLOSEST:  # a pivot tip: the axis itself aims at the point
            far = math.copysign(far, row[OFFSET])
            swing_axis(T, wx / far, wy / far, wz / far)
        elif row[STEP] == PLANE:
            tilt_axis(T, row[OFFSET] / far, wx / far, wy / far, wz / far)
    for i in range(3):
        T[i, 3] = goal[i, 3]
    wx, wy, _ = seen_from(T, stored, n - 1)
    x, y = row[LOCAL], row[LOCAL + 1]
    a, b = x * wx + y * wy, x * wy - y * wx
    if np.hypot(a, b) > TINY_RADIUS * TINY_RADIUS:
        angle = math.atan2(b, a)
        turn_about_z(T, math.sin(angle), math.cos(angle))
    for i in range(3):
        T[i, 3] += T[i, 0] * row[LOCAL] + T[i, 1] * row[LOCAL + 1] + T[i, 2] * row[LOCAL + 2]


@leaf
def tilt_axis(T, cosine, wx, wy, wz):
    """Turns T by the least angle that gives its z axis this cosine with unit vector w."""
    cosine = clamp(cosine, -1.0, 1.0)
    along = T[0, 2] * wx + T[1, 2] * wy + T[2, 2] * wz
    x, y, z = T[0, 2] - along * wx, T[1, 2] - along * wy, T[2, 2] - along * wz
    across = norm(x, y, z)
    if across > TINY_RADIUS:
        scale = math.sqrt(1.0 - cosine * cosine) / across
        swing_axis(T, cosine * wx + scale * x, cosine * wy + scale * y, cosine * wz + scale * z)


@lean
def prepare(links, pose, sweeps):
    """Writes the links between the points of the step table, their inverses, and the wanted frame.

    A point slides freely along its own axis, so moving it there leaves the motion as it is.
    """
    steps, ahead_out, behind_out, wanted_out = sweeps.steps, sweeps.ahead, sweeps.behind, sweeps.wanted
    n = links.shape[0] - 1
    for k in range(n + 1):
        link, C, D = links[k], ahead_out[k], behind_out[k]
        before = steps[FORWARD, k - 1, SHIFT] if k > 0 else 0.0
        shift = steps[FORWARD, k, SHIFT] if k < n else 0.0
        for i in range(3):
            C[i, 0], C[i, 1], C[i, 2] = link[i, 0], link[i, 1], link[i, 2]
            C[i, 3] = link[i, 3] + shift * link[i, 2]
        C[2, 3] -= before
        for i in range(3):
            D[i, 0], D[i, 1], D[i, 2] = C[0, i], C[1, i], C[2, i]
            D[i, 3] = -(C[0, i] * C[0, 3] + C[1, i] * C[1, 3] + C[2, i] * C[2, 3])
    copy_rows(pose, wanted_out)
    follow_link(wanted_out, behind_out[n])


@lean
def stand(sweeps, q):
    """Writes the points and axes at q, and the last joint's frame after its motion."""
    n, T, ahead = q.shape[0], sweeps.T, sweeps.ahead
    set_identity(T)
    for m in range(n):
        follow_link(T, ahead[m])
        note(T, sweeps.stored, m)
        move(T, sweeps.steps[BACKWARD, m + 1], q[m])
    note_tip(T, ahead[n], sweeps.stored)


@leaf
def move(T, row, value):
    """Moves T by the joint whose step the row is: a turn about z, or a slide along it."""
    if row[STEP] == SLIDE:
        slide_along_z(T, value)
    else:
        turn_about_z(T, math.sin(value), math.cos(value))


@leaf
def note(T, stored, m):
    """Stores the point and the axis of joint m."""
    for i in range(3):
        stored[m, i] = T[i, 3]
        stored[m, 3 + i] = T[i, 2]


@leaf
def note_tip(T, link, stored):
    """Stores the tip's point, with the last joint's axis."""
    n = stored.shape[0] - 1
    for i in range(3):
        stored[n, i] = T[i, 3] + T[i, 0] * link[0, 3] + T[i, 1] * link[1, 3] + T[i, 2] * link[2, 3]
        stored[n, 3 + i] = T[i, 2]


@leaf
def follow_to_tip(T, link, shift, tip_out):
    """Writes the tip's frame from the last joint's, whose origin lies `shift` along its axis."""
    copy_rows(T, tip_out)
    for i in range(3):
        tip_out[i, 3] -= shift * T[i, 2]
    follow_link(tip_out, link)
