"""What each task asks at a placement: its error, and the stiffness and force that it puts on its link.

The rotation error is the chord `2 sin(angle / 2)` about its axis, smooth up to half a turn. A task on one link is a
spring there: a symmetric 6x6 about the base's origin and the force that pulls. Tasks between two links and on the
centre of mass couple branches; they become rows of a Jacobian, which the step adds by Woodbury's formula.
"""

import math

from forearm.core.codes import PRISMATIC
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp
from forearm.core.maths.se3 import cross, dot, half_turn_across, quaternion
from forearm.core.tree.among import push_off
from forearm.core.tree.layout import (
    AXIS,
    BOOST,
    CENTRE_OF_MASS,
    COUPLED,
    DIRECTION,
    E_P,
    E_R,
    ERROR,
    GOAL,
    KIND,
    LINK,
    LOOK_AT,
    MASK,
    OTHER,
    OTHER_TIP,
    PARENT,
    POINT_AXIS,
    PUSHED,
    RATIO,
    RELATIVE,
    TASK,
    TIP,
    TOL_P,
    TOL_R,
    VARIABLE,
    WEIGHT_P,
    WEIGHT_R,
)
from forearm.core.tree.place import joined, weigh

MARGIN = 0.99  # aim a little inside tolerances: rounding between here and the judge
TINY = 1e-12  # squared length below which a direction is none


@leaf
def chord_of(g, T):
    """The chord that turns the rotation of frame T into that of frame g."""
    r = (
        dot(g[0], g[1], g[2], T[0], T[1], T[2]),
        dot(g[0], g[1], g[2], T[3], T[4], T[5]),
        dot(g[0], g[1], g[2], T[6], T[7], T[8]),
        dot(g[3], g[4], g[5], T[0], T[1], T[2]),
        dot(g[3], g[4], g[5], T[3], T[4], T[5]),
        dot(g[3], g[4], g[5], T[6], T[7], T[8]),
        dot(g[6], g[7], g[8], T[0], T[1], T[2]),
        dot(g[6], g[7], g[8], T[3], T[4], T[5]),
        dot(g[6], g[7], g[8], T[6], T[7], T[8]),
    )
    _, x, y, z = quaternion(r)
    return 2.0 * x, 2.0 * y, 2.0 * z


@leaf
def chord_between(t, u):
    """The chord that turns unit vector t onto u."""
    c = 1.0 + dot(t[0], t[1], t[2], u[0], u[1], u[2])
    if c < TINY:
        x, y, z = half_turn_across(t[0], t[1], t[2])
        return 2.0 / math.pi * x, 2.0 / math.pi * y, 2.0 / math.pi * z
    x, y, z = cross(t[0], t[1], t[2], u[0], u[1], u[2])
    scale = math.sqrt(2.0 / c)
    return scale * x, scale * y, scale * z


@leaf
def axis_of(task, T):
    """Where the tool axis of a task points."""
    x, y, z = task[AXIS], task[AXIS + 1], task[AXIS + 2]
    return T[0] * x + T[1] * y + T[2] * z, T[3] * x + T[4] * y + T[5] * z, T[6] * x + T[7] * y + T[8] * z


@leaf
def look(task, T):
    """The unit vector from a tip to the point it looks at, and one over the distance."""
    x, y, z = task[GOAL + 9] - T[9], task[GOAL + 10] - T[10], task[GOAL + 11] - T[11]
    inverse = 1.0 / math.sqrt(max(x * x + y * y + z * z, TINY))
    return (inverse * x, inverse * y, inverse * z), inverse


@leaf
def errors_of(task, room):
    """Position error, chord and tip of a task on one link or between two: three tuples, frames where they are asked."""
    tip = joined(room.T[int(task[LINK]) + 1], task, TIP)
    if task[TASK] == LOOK_AT:
        axis = axis_of(task, tip)
        direction, inverse = look(task, tip)
        if inverse * inverse * TINY >= 1.0:  # at the point itself there is nowhere to look: half a turn off
            direction = (-axis[0], -axis[1], -axis[2])
        return (0.0, 0.0, 0.0), chord_between(axis, direction), tip
    if task[TASK] == RELATIVE:
        other = joined(room.T[int(task[OTHER]) + 1], task, OTHER_TIP)
        goal = joined(other, task, GOAL)
        place = (goal[9] - tip[9], goal[10] - tip[10], goal[11] - tip[11])
        return place, chord_of(goal, tip), tip
    place = (task[GOAL + 9] - tip[9], task[GOAL + 10] - tip[10], task[GOAL + 11] - tip[11])
    if task[TASK] == POINT_AXIS:
        direction = (task[DIRECTION], task[DIRECTION + 1], task[DIRECTION + 2])
        return place, chord_between(axis_of(task, tip), direction), tip
    return place, chord_of(task[GOAL:], tip), tip


@leaf
def note_errors(task, e_p, e_r, te_out):
    """Writes how far a task is from its goal; returns whether it is inside its tolerances."""
    p = dot(e_p[0], e_p[1], e_p[2], e_p[0], e_p[1], e_p[2]) if task[WEIGHT_P] > 0.0 else 0.0
    r = dot(e_r[0], e_r[1], e_r[2], e_r[0], e_r[1], e_r[2]) if task[WEIGHT_R] > 0.0 else 0.0
    te_out[E_P], te_out[E_R] = math.sqrt(p), math.sqrt(r)
    te_out[ERROR] = task[WEIGHT_P] * task[WEIGHT_P] * p + task[WEIGHT_R] * task[WEIGHT_R] * r
    chord = 2.0 * math.sin(0.5 * min(task[TOL_R], math.pi))
    return te_out[E_P] <= MARGIN * task[TOL_P] and te_out[E_R] <= MARGIN * chord


@lean
def stiffen(tree, room):
    """Writes errors, stiffness and force of every task whose boost is positive, and of gaps where they count.

    Returns whether all of them are met, and their weighted squared error.
    """
    tasks, te = tree.tasks, room.te
    met, E, rows = True, 0.0, 0
    for t in range(tasks.shape[0]):
        boost = te[t, BOOST]
        if boost == 0.0:
            continue
        task = tasks[t]
        if task[TASK] == CENTRE_OF_MASS:
            inside, rows = couple_centre(tree, room, task, te[t], rows)
        else:
            e_p, e_r, tip = errors_of(task, room)
            inside = note_errors(task, e_p, e_r, te[t])
            if task[TASK] == RELATIVE:
                rows = couple_links(tree, room, task, boost, e_p, e_r, tip, rows)
            else:
                spring(task, room, boost, e_p, e_r, tip, room.tk[t], room.tf[t])
        met = met and inside
        E += boost * te[t, ERROR]
    room.flags[COUPLED] = rows
    return push_off(tree, room, met, E) if room.flags[PUSHED] != 0.0 else (met, E)


@lean
def spring(task, room, boost, e_p, e_r, tip, K, f):
    """Writes the 6x6 stiffness and the force of a task on one link, about the base's origin."""
    wp, wr = boost * task[WEIGHT_P] * task[WEIGHT_P], boost * task[WEIGHT_R] * task[WEIGHT_R]
    x, y, z = tip[9] - room.T[0, 9], tip[10] - room.T[0, 10], tip[11] - room.T[0, 11]
    if task[TASK] == LOOK_AT:
        gaze(task, wr, (x, y, z), e_r, tip, K, f)
        return
    for k in range(36):
        K[k] = 0.0
    K[0] = K[7] = K[14] = wp
    K[4], K[5], K[9], K[11], K[15], K[16] = wp * z, -wp * y, -wp * z, wp * x, wp * y, -wp * x
    K[24], K[30], K[19], K[31], K[20], K[26] = K[4], K[5], K[9], K[11], K[15], K[16]
    K[21], K[28], K[35] = wp * (y * y + z * z) + wr, wp * (x * x + z * z) + wr, wp * (x * x + y * y) + wr
    K[22], K[23], K[29] = -wp * x * y, -wp * x * z, -wp * y * z
    if task[TASK] == POINT_AXIS:
        a, b, c = axis_of(task, tip)
        K[21], K[28], K[35] = K[21] - wr * a * a, K[28] - wr * b * b, K[35] - wr * c * c
        K[22], K[23], K[29] = K[22] - wr * a * b, K[23] - wr * a * c, K[29] - wr * b * c
    K[27], K[33], K[34] = K[22], K[23], K[29]
    mx, my, mz = cross(x, y, z, e_p[0], e_p[1], e_p[2])
    f[0], f[1], f[2] = wp * e_p[0], wp * e_p[1], wp * e_p[2]
    f[3], f[4], f[5] = wp * mx + wr * e_r[0], wp * my + wr * e_r[1], wp * mz + wr * e_r[2]


@lean
def gaze(task, wr, d, e, tip, K, f):
    """The same of a task that looks at a point: B = [[h]x, I - tt' - [h]x [d]x], K = wr B'B, f = wr B'e."""
    t = axis_of(task, tip)
    u, inverse = look(task, tip)
    h = (inverse * u[0], inverse * u[1], inverse * u[2])
    along = dot(h[0], h[1], h[2], d[0], d[1], d[2])
    for i in range(6):
        f[i] = 0.0
        for j in range(6):
            K[6 * i + j] = 0.0
    for row in range(3):
        # a row of [h]x; [h]x [d]x = d h' - (h.d) I
        b0 = 0.0 if row == 0 else h[2] if row == 1 else -h[1]
        b1 = -h[2] if row == 0 else 0.0 if row == 1 else h[0]
        b2 = h[1] if row == 0 else -h[0] if row == 1 else 0.0
        own = 1.0 + along
        b3 = (own if row == 0 else 0.0) - t[row] * t[0] - d[row] * h[0]
        b4 = (own if row == 1 else 0.0) - t[row] * t[1] - d[row] * h[1]
        b5 = (own if row == 2 else 0.0) - t[row] * t[2] - d[row] * h[2]
        B = (b0, b1, b2, b3, b4, b5)
        for i in range(6):
            f[i] += wr * B[i] * e[row]
            for j in range(6):
                K[6 * i + j] += wr * B[i] * B[j]


# -- what couples branches -----------------------------------------------------------------------


@leaf
def clear_rows(room, first, count):
    """Empties rows of the coupling Jacobian."""
    for r in range(first, first + count):
        for k in range(room.J.shape[1]):
            room.J[r, k] = 0.0


@lean
def couple_links(tree, room, task, boost, e_p, e_r, tip, first):
    """Writes six rows of one link against another: what moves both drops out; returns the next row."""
    joints, J, S, ex = tree.joints, room.J, room.S, room.ex
    offset, root = J.shape[1] - tree.variables.shape[0], math.sqrt(boost)
    wp, wr = root * task[WEIGHT_P], root * task[WEIGHT_R]
    clear_rows(room, first, 6)
    x, y, z = tip[9] - room.T[0, 9], tip[10] - room.T[0, 10], tip[11] - room.T[0, 11]
    for k in range(3):
        ex[first + k, 0], ex[first + 3 + k, 0] = wp * e_p[k], wr * e_r[k]
    a, b = int(task[LINK]), int(task[OTHER])
    while a != b:
        if a > b:
            i, sign, px, py, pz = a, 1.0, x, y, z
            a = int(joints[a, PARENT])
        else:
            i, sign, px, py, pz = b, -1.0, x + e_p[0], y + e_p[1], z + e_p[2]
            b = int(joints[b, PARENT])
        s, column = S[i + 1], offset + int(joints[i, VARIABLE])
        mx, my, mz = cross(s[3], s[4], s[5], px, py, pz)
        J[first, column] += sign * wp * (s[0] + mx)
        J[first + 1, column] += sign * wp * (s[1] + my)
        J[first + 2, column] += sign * wp * (s[2] + mz)
        for k in range(3):
            J[first + 3 + k, column] += sign * wr * s[3 + k]
    return first + 6


@lean
def centre_error(tree, task, c):
    """How far the centre of mass has to go: to its point, or into the support; in coordinates that count."""
    if task[AXIS] == 0.0:
        x, y, z = task[GOAL + 9] - c[0], task[GOAL + 10] - c[1], task[GOAL + 11] - c[2]
        return task[MASK] * x, task[MASK + 1] * y, task[MASK + 2] * z
    best, x, y, inside = math.inf, 0.0, 0.0, True
    count = tree.corners.shape[0]
    for k in range(count):
        a, b = tree.corners[k], tree.corners[(k + 1) % count]
        along, across, ax, ay = b[0] - a[0], b[1] - a[1], a[0] - c[0], a[1] - c[1]
        inside = inside and across * ax - along * ay >= 0.0
        square = along * along + across * across
        s = clamp(-(ax * along + ay * across) / square, 0.0, 1.0) if square > 0.0 else 0.0
        ax, ay = ax + s * along, ay + s * across
        if ax * ax + ay * ay < best:
            best, x, y = ax * ax + ay * ay, ax, ay
    return (0.0, 0.0, 0.0) if inside else (x, y, 0.0)


@lean
def couple_centre(tree, room, task, te, first):
    """Writes rows of the centre of mass; whether it is met, and the next row.

    One for each coordinate that counts; over a support one along the way into it, and none inside.
    """
    c = weigh(tree, room)
    e = centre_error(tree, task, c)
    inside = note_errors(task, e, (0.0, 0.0, 0.0), te)
    weight = math.sqrt(te[BOOST]) * task[WEIGHT_P]
    r = first
    if task[AXIS] != 0.0:
        if te[E_P] > 0.0:
            clear_rows(room, r, 1)
            room.ex[r, 0] = weight * te[E_P]
            for k in range(2):
                write_centre_row(tree, room, weight * e[k] / te[E_P], c, k, room.J[r])
            r += 1
        return inside, r
    for k in range(3):
        if task[MASK + k] != 0.0:
            clear_rows(room, r, 1)
            room.ex[r, 0] = weight * e[k]
            write_centre_row(tree, room, weight, c, k, room.J[r])
            r += 1
    return inside, r


@lean
def write_centre_row(tree, room, weight, c, k, J_out):
    """Adds how each variable moves one coordinate of the centre of mass: (M_sub / M) z x (c_sub - o)."""
    joints, T, sums = tree.joints, room.T, room.sums
    offset, share = J_out.shape[0] - tree.variables.shape[0], weight / sums[0, 0]
    if offset > 0:
        d = (c[0] - T[0, 9], c[1] - T[0, 10], c[2] - T[0, 11])
        J_out[k] += weight
        a, b = (k + 1) % 3, (k + 2) % 3
        J_out[3 + a] += weight * d[b]
        J_out[3 + b] -= weight * d[a]
    for i in range(joints.shape[0]):
        mass, frame = sums[i + 1, 0], T[i + 1]
        scale = share * joints[i, RATIO]
        zx, zy, zz = frame[2], frame[5], frame[8]
        if joints[i, KIND] == PRISMATIC:
            move = (mass * zx, mass * zy, mass * zz)
        else:
            x, y = sums[i + 1, 1] - mass * frame[9], sums[i + 1, 2] - mass * frame[10]
            move = cross(zx, zy, zz, x, y, sums[i + 1, 3] - mass * frame[11])
        J_out[offset + int(joints[i, VARIABLE])] += scale * move[k]
