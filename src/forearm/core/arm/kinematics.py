"""Forward kinematics, the geometric Jacobian and manipulability of a serial chain.

`T_base_tip = links[0] J(q0) links[1] J(q1) ... links[m]`, every joint along or about z.
"""

import math

from forearm.core.codes import KIND, PRISMATIC, RATIO, VARIABLE
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy_rows
from forearm.core.maths.se3 import cross
from forearm.core.maths.sincos import FAR, sincos
from forearm.core.shaped import shaped


@leaf
def set_identity(T):
    """Makes a 4x4 the identity."""
    for i in range(4):
        for j in range(4):
            T[i, j] = 1.0 if i == j else 0.0


@leaf
def follow_link(T, link):
    """T <- T link, in place."""
    for i in range(3):
        a, b, c = T[i, 0], T[i, 1], T[i, 2]
        T[i, 3] += a * link[0, 3] + b * link[1, 3] + c * link[2, 3]
        for j in range(3):
            T[i, j] = a * link[0, j] + b * link[1, j] + c * link[2, j]


@leaf
def move_joint(T, joint, q):
    """T <- T J(q), in place: a turn about z or a slide along it."""
    value = joint[RATIO] * q[int(joint[VARIABLE])]
    if joint[KIND] == PRISMATIC:
        slide_along_z(T, value)
    else:
        turn_about_z(T, math.sin(value), math.cos(value))


@leaf
def slide_along_z(T, way):
    """T moved along its own z axis, in place [m]."""
    for i in range(3):
        T[i, 3] += way * T[i, 2]


@leaf
def turn_about_z(T, s, c):
    """T turned about its own z axis, in place, by an angle of sine s and cosine c."""
    for i in range(3):
        x, y = T[i, 0], T[i, 1]
        T[i, 0] = c * x + s * y
        T[i, 1] = c * y - s * x


@lean
def fk_tip(links, joints, q, T_out):
    """Writes the (4, 4) pose of the tip in the base frame."""
    set_identity(T_out)
    m = joints.shape[0]
    for i in range(m):
        follow_link(T_out, links[i])
        move_joint(T_out, joints[i], q)
    follow_link(T_out, links[m])


@lean
def fk_tip_at_once(links, joints, q, trig, T_out):
    """As `fk_tip`, all sines and cosines at once in vector registers: half its time; `trig` (3, k >= m) is scratch."""
    m, most = joints.shape[0], 0.0
    for i in range(trig.shape[1]):
        trig[0, i] = joints[i, RATIO] * q[int(joints[i, VARIABLE])] if i < m else 0.0
        most = max(most, abs(trig[0, i]))
    if not most < FAR:
        fk_tip(links, joints, q, T_out)
        return
    for i in range(trig.shape[1]):
        trig[1, i], trig[2, i] = sincos(trig[0, i])
    set_identity(T_out)
    for i in range(m):
        follow_link(T_out, links[i])
        if joints[i, KIND] == PRISMATIC:
            slide_along_z(T_out, trig[0, i])
        else:
            turn_about_z(T_out, trig[1, i], trig[2, i])
    follow_link(T_out, links[m])


@lean
def fk_checked(links, joints, q, T_out):
    """`fk_tip` and True, or False and nothing written if a joint value is not finite."""
    for k in range(q.shape[0]):
        if not math.isfinite(q[k]):
            return False
    fk_tip(links, joints, q, T_out)
    return True


@lean
def fk_frames(links, joints, q, frames_out):
    """Writes (m+1, 4, 4): each joint's frame after its own motion, then the tip."""
    m = joints.shape[0]
    for i in range(m + 1):
        T = frames_out[i]
        if i == 0:
            set_identity(T)
        else:
            copy_rows(frames_out[i - 1], T)
        follow_link(T, links[i])
        if i < m:
            move_joint(T, joints[i], q)


@lean
def fk_batch(links, joints, Q, T_out):
    """Writes the (N, 4, 4) tip poses of N configurations."""
    for k in range(Q.shape[0]):
        fk_tip(links, joints, Q[k], T_out[k])


@lean
def jacobian_of_frames(joints, frames, J_out):
    """Writes the (6, n) geometric Jacobian of the tip in the base frame, linear rows first."""
    m = joints.shape[0]
    J_out[:, :] = 0.0
    tip = frames[m]
    for i in range(m):
        T, ratio, k = frames[i], joints[i, RATIO], int(joints[i, VARIABLE])
        ax, ay, az = T[0, 2], T[1, 2], T[2, 2]
        if joints[i, KIND] == PRISMATIC:
            J_out[0, k] += ratio * ax
            J_out[1, k] += ratio * ay
            J_out[2, k] += ratio * az
            continue
        x, y, z = cross(ax, ay, az, tip[0, 3] - T[0, 3], tip[1, 3] - T[1, 3], tip[2, 3] - T[2, 3])
        J_out[0, k] += ratio * x
        J_out[1, k] += ratio * y
        J_out[2, k] += ratio * z
        J_out[3, k] += ratio * ax
        J_out[4, k] += ratio * ay
        J_out[5, k] += ratio * az


@lean
def jacobian(links, joints, q, frames, J_out):
    """Writes the (6, n) geometric Jacobian of the tip at q in the base frame; `frames` (m+1, 4, 4) is scratch."""
    fk_frames(links, joints, q, frames)
    jacobian_of_frames(joints, frames, J_out)


@lean
def manipulability(J, work):
    """sqrt(det(J J^T)), or sqrt(det(J^T J)) where there are fewer columns than rows; `work` is as large as J.

    The product of the diagonal of R in a QR factorisation (modified Gram-Schmidt, twice is not
    needed for a product), so small values keep their digits: the determinant would square them.
    """
    rows, columns = J.shape
    tall = rows >= columns
    count, length = (columns, rows) if tall else (rows, columns)
    A = shaped(work[: count * length], (count, length))  # the vectors to orthogonalise, one a row
    for i in range(count):
        for k in range(length):
            A[i, k] = J[k, i] if tall else J[i, k]
    product = 1.0
    for i in range(count):
        square = 0.0
        for k in range(length):
            square += A[i, k] * A[i, k]
        if square == 0.0:
            return 0.0
        product *= math.sqrt(square)
        for j in range(i + 1, count):
            overlap = 0.0
            for k in range(length):
                overlap += A[i, k] * A[j, k]
            for k in range(length):
                A[j, k] -= overlap / square * A[i, k]
    return product


@lean
def best_manipulability(links, joints, Q, met, rows, work, best_out):
    """Writes the largest of Yoshikawa's measures among the met of Q (V, K, n), K at each of V voxels; NaN if none is.

    `rows` of the Jacobian count: 6 for poses, 3 for positions. `work` has 16 (m + 1) + 12 n numbers.
    """
    m, n = joints.shape[0], Q.shape[2]
    frames, rest = shaped(work[: 16 * (m + 1)], (m + 1, 4, 4)), work[16 * (m + 1) :]
    J, part, rest = shaped(rest[: 6 * n], (6, n)), shaped(rest[: rows * n], (rows, n)), rest[6 * n :]
    for v in range(Q.shape[0]):
        best_out[v] = math.nan
        for k in range(Q.shape[1]):
            if met[v, k]:
                jacobian(links, joints, Q[v, k], frames, J)
                value = manipulability(part, rest)
                if not best_out[v] >= value:
                    best_out[v] = value
