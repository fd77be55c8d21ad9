"""A slow search of its own for what is reachable: the truth that verdicts are judged by.

Levenberg-Marquardt on the n x n normal equations from many random starts, each step accepted only
if it helps, joints held at their limits by an active set. It reads the library's tables of links and
joints and shares no code with it: forward kinematics of its own, no seed table, no early abandonment,
another error (the angle itself, whose gradient is exact), another random generator.
"""

import math

import numpy as np

from forearm.core.codes import (
    DIRECTION,
    KIND,
    ORIENTATION,
    POINT_AXIS,
    POSE,
    POSITION,
    PRISMATIC,
    RATIO,
    TOL_POSITION,
    TOL_ROTATION,
    TOOL_AXIS,
    VARIABLE,
)
from loops import njit

FIRST_STEPS, LAST_STEPS = 60, 400  # steps from each start, and for the best of them
POLISHED = 12  # how many of the best are
TIGHT = 0.5  # share of the tolerance that counts as reached while searching


@njit(nogil=True, error_model="numpy")
def place_frames(links, joints, q, frames):
    """Writes (m+1, 4, 4): where each joint stands after its motion, along or about its z; the tip last."""
    T = np.eye(4)
    for i in range(links.shape[0]):
        link = np.eye(4)
        link[:3] = links[i]
        if i < joints.shape[0]:
            value = joints[i, RATIO] * q[int(joints[i, VARIABLE])]
            motion = np.eye(4)
            if joints[i, KIND] == PRISMATIC:
                motion[2, 3] = value
            else:
                c, s = math.cos(value), math.sin(value)
                motion[0, 0], motion[0, 1], motion[1, 0], motion[1, 1] = c, -s, s, c
            link = product(link, motion)
        T = product(T, link)
        frames[i] = T


@njit(nogil=True, error_model="numpy")
def product(A, B):
    """A @ B, without a library."""
    C = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            for k in range(4):
                C[i, j] += A[i, k] * B[k, j]
    return C


@njit(nogil=True, error_model="numpy")
def slopes(joints, frames, J):
    """Writes the (6, n) change of the tip's place and turn with each variable, in the base frame."""
    J[:] = 0.0
    for i in range(joints.shape[0]):
        k, axis = int(joints[i, VARIABLE]), joints[i, RATIO] * frames[i, :3, 2]
        if joints[i, KIND] == PRISMATIC:
            J[:3, k] += axis
            continue
        arm = frames[-1, :3, 3] - frames[i, :3, 3]
        J[0, k] += axis[1] * arm[2] - axis[2] * arm[1]
        J[1, k] += axis[2] * arm[0] - axis[0] * arm[2]
        J[2, k] += axis[0] * arm[1] - axis[1] * arm[0]
        J[3:, k] += axis


@njit(nogil=True, error_model="numpy")
def axis_times_angle(R):
    """The rotation vector of a 3x3."""
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    sine, cosine = 0.5 * math.sqrt(x * x + y * y + z * z), 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    angle = math.atan2(sine, cosine)
    v = np.array([x, y, z])
    if sine < 1e-7 and cosine < 0.0:  # half a turn: any column of R + I is along the axis
        k = np.argmax(np.array([R[0, 0], R[1, 1], R[2, 2]]))
        v = R[:, k].copy()
        v[k] += 1.0
    size = math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2)
    return v * (angle / size) if size > 0.0 else v


@njit(nogil=True, error_model="numpy")
def error(tip, goal, kind, terms, W):
    """(6,) position error [m] and rotation error times W [m], zero where nothing is asked."""
    e = np.zeros(6)
    if kind != ORIENTATION:
        e[:3] = goal[:3, 3] - tip[:3, 3]
    if kind in (POSE, ORIENTATION):
        R = np.zeros((3, 3))
        for i in range(3):
            for j in range(3):
                for k in range(3):
                    R[i, j] += goal[i, k] * tip[j, k]
        e[3:] = W * axis_times_angle(R)
    if kind == POINT_AXIS:
        a, b = np.zeros(3), terms[DIRECTION:]
        for i in range(3):
            for k in range(3):
                a[i] += tip[i, k] * terms[TOOL_AXIS + k]
        turn = np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
        sine = math.sqrt(turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2)
        angle = math.atan2(sine, a[0] * b[0] + a[1] * b[1] + a[2] * b[2])
        e[3:] = turn * (W * angle / sine) if sine > 0.0 else turn
    return e


@njit(nogil=True, error_model="numpy")
def damped_step(J, e, held, damping, floor):
    """(n,) the step of the joints that are not held: (J^T J + damping diag) dq = J^T e, by Cholesky."""
    n = J.shape[1]
    A, x = np.zeros((n, n)), np.zeros(n)
    for i in range(n):
        A[i, i] = 1.0
        if held[i]:
            continue
        for r in range(6):
            x[i] += J[r, i] * e[r]
        for j in range(i + 1):
            if not held[j]:
                s = 0.0
                for r in range(6):
                    s += J[r, i] * J[r, j]
                A[i, j] = s
        A[i, i] += damping * (A[i, i] + floor)
    for i in range(n):
        for j in range(i + 1):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] = math.sqrt(max(A[i, i], 1e-300)) if i == j else A[i, j] / A[j, j]
        for k in range(i):
            x[i] -= A[i, k] * x[k]
        x[i] /= A[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= A[k, i] * x[k]
        x[i] /= A[i, i]
    return x


@njit(nogil=True, error_model="numpy")
def descend(links, joints, limits, goal, kind, terms, W, most, q):
    """Moves q downhill in place; returns the squared error left and whether the tolerances are met."""
    n = limits.shape[1]
    frames, J = np.empty((joints.shape[0] + 1, 4, 4)), np.empty((6, n))
    held, trial = np.zeros(n, np.bool_), np.empty(n)
    damping, dull = 1e-2, 0
    place_frames(links, joints, q, frames)
    e = error(frames[-1], goal, kind, terms, W)
    E = np.sum(e * e)
    for _ in range(most):
        p, r = math.sqrt(np.sum(e[:3] ** 2)), math.sqrt(np.sum(e[3:] ** 2))
        if p <= TIGHT * terms[TOL_POSITION] and r <= TIGHT * W * terms[TOL_ROTATION]:
            return E, True
        slopes(joints, frames, J)
        J[3:] *= W if kind != POSITION else 0.0
        if kind == ORIENTATION:
            J[:3] = 0.0
        if kind == POINT_AXIS:
            drop_roll(frames[-1], terms, J)
        for k in range(n):
            push = np.sum(J[:, k] * e)
            held[k] = (q[k] <= limits[0, k] and push < 0.0) or (q[k] >= limits[1, k] and push > 0.0)
        better = False
        while not better and damping < 1e9:
            dq = damped_step(J, e, held, damping, 1e-6 * W * W)
            for k in range(n):
                trial[k] = min(max(q[k] + dq[k], limits[0, k]), limits[1, k])
            place_frames(links, joints, trial, frames)
            e_new = error(frames[-1], goal, kind, terms, W)
            better = np.sum(e_new * e_new) < E
            damping *= 0.2 if better else 5.0
        if not better:
            break
        gain = 1.0 - np.sum(e_new * e_new) / E
        q[:], e, E, damping = trial, e_new, np.sum(e_new * e_new), max(damping, 1e-9)
        dull = dull + 1 if gain < 1e-7 else 0
        if dull == 3:
            break
    return E, False


@njit(nogil=True, error_model="numpy")
def drop_roll(tip, terms, J):
    """Takes the turn about the tool axis out of the rotation rows."""
    a = np.zeros(3)
    for i in range(3):
        for k in range(3):
            a[i] += tip[i, k] * terms[TOOL_AXIS + k]
    for k in range(J.shape[1]):
        along = a[0] * J[3, k] + a[1] * J[4, k] + a[2] * J[5, k]
        for i in range(3):
            J[3 + i, k] -= along * a[i]


@njit(nogil=True, error_model="numpy")
def search(links, joints, limits, goal, kind, terms, W, starts, seed, hints, q_out):
    """The least error over many starts [m], and whether the target was met; its q in q_out.

    `hints` (h, n) are further starts, polished as the best are.
    """
    np.random.seed(seed)
    n = limits.shape[1]
    Q, errors = np.empty((starts, n)), np.empty(starts)
    for s in range(starts):
        for k in range(n):
            lower, upper = limits[0, k], limits[1, k]
            if not (math.isfinite(lower) and math.isfinite(upper)):
                lower, upper = max(lower, -math.pi), min(upper, math.pi)
            Q[s, k] = np.random.uniform(lower, upper)
        errors[s], met = descend(links, joints, limits, goal, kind, terms, W, FIRST_STEPS, Q[s])
        if met:
            q_out[:] = Q[s]
            return math.sqrt(errors[s]), True
    order = np.argsort(errors)
    best = math.inf
    for i in range(min(POLISHED, starts) + hints.shape[0]):
        q = hints[i].copy() if i < hints.shape[0] else Q[order[i - hints.shape[0]]]
        E, met = descend(links, joints, limits, goal, kind, terms, W, LAST_STEPS, q)
        if best > E:
            best = E
            q_out[:] = q
        if met:
            return math.sqrt(E), True
    return math.sqrt(best), False
