"""The damped normal equations of a tree without a Jacobian: Featherstone's articulated bodies, stiffness for inertia.

Leaf to root each joint is eliminated from the stiffness of what hangs on it; root to leaf the motions come back.
It costs in proportion to the number of joints, which pays on deep trees. Each variable must drive one joint only.
"""

from forearm.core.jit import lean
from forearm.core.maths.linear import cholesky_solve
from forearm.core.tree.layout import (
    BOOST,
    CENTRE_OF_MASS,
    HELD,
    LINK,
    PARENT,
    POSTURES,
    RELATIVE,
    STIFF,
    TASK,
    VARIABLE,
)


@lean
def hang_springs(tree, room):
    """Puts the stiffness of each task on its link."""
    tasks, K = tree.tasks, room.K
    for i in range(K.shape[0]):
        for k in range(36):
            K[i, k] = 0.0
    for t in range(tasks.shape[0]):
        kind = tasks[t, TASK]
        if room.te[t, BOOST] > 0.0 and kind != CENTRE_OF_MASS and kind != RELATIVE:
            row, spring = K[int(tasks[t, LINK]) + 1], room.tk[t]
            for k in range(36):
                row[k] += spring[k]


@lean
def eliminate(tree, room, damping):
    """Eliminates every joint that is not held, leaf to root."""
    joints, K, S, U, D = tree.joints, room.K, room.S, room.U, room.D
    offset = tree.order.shape[0] - tree.variables.shape[0]
    hang_springs(tree, room)
    for i in range(joints.shape[0] - 1, -1, -1):
        own, above, s, u = K[i + 1], K[int(joints[i, PARENT]) + 1], S[i + 1], U[i + 1]
        v = int(joints[i, VARIABLE])
        pivot = damping + room.flags[POSTURES] * tree.variables[v, STIFF] * tree.variables[v, STIFF]
        s0, s1, s2, s3, s4, s5 = s[0], s[1], s[2], s[3], s[4], s[5]  # held in registers: rows may overlap in memory
        u0 = own[0] * s0 + own[1] * s1 + own[2] * s2 + own[3] * s3 + own[4] * s4 + own[5] * s5
        u1 = own[6] * s0 + own[7] * s1 + own[8] * s2 + own[9] * s3 + own[10] * s4 + own[11] * s5
        u2 = own[12] * s0 + own[13] * s1 + own[14] * s2 + own[15] * s3 + own[16] * s4 + own[17] * s5
        u3 = own[18] * s0 + own[19] * s1 + own[20] * s2 + own[21] * s3 + own[22] * s4 + own[23] * s5
        u4 = own[24] * s0 + own[25] * s1 + own[26] * s2 + own[27] * s3 + own[28] * s4 + own[29] * s5
        u5 = own[30] * s0 + own[31] * s1 + own[32] * s2 + own[33] * s3 + own[34] * s4 + own[35] * s5
        pivot += u0 * s0 + u1 * s1 + u2 * s2 + u3 * s3 + u4 * s4 + u5 * s5
        w = 1.0 / pivot if room.steps[HELD, offset + v] == 0.0 else 0.0
        u[0], u[1], u[2], u[3], u[4], u[5] = u0, u1, u2, u3, u4, u5
        D[i + 1, 0], D[i + 1, 1] = pivot, w
        for a in range(6):
            k, scaled = 6 * a, w * u[a]
            x0 = above[k] + own[k] - scaled * u0
            x1 = above[k + 1] + own[k + 1] - scaled * u1
            x2 = above[k + 2] + own[k + 2] - scaled * u2
            x3 = above[k + 3] + own[k + 3] - scaled * u3
            x4 = above[k + 4] + own[k + 4] - scaled * u4
            x5 = above[k + 5] + own[k + 5] - scaled * u5
            above[k], above[k + 1], above[k + 2] = x0, x1, x2
            above[k + 3], above[k + 4], above[k + 5] = x3, x4, x5


@lean
def sweep(tree, room, damping, right, dq_out):
    """Solves with what `eliminate` kept: the step of a right-hand side, zero where a variable is held."""
    joints, S, U, D, V, F = tree.joints, room.S, room.U, room.D, room.V, room.F
    offset = right.shape[0] - tree.variables.shape[0]
    for i in range(F.shape[0]):
        for k in range(6):
            F[i, k] = 0.0
    for i in range(joints.shape[0] - 1, -1, -1):
        s, u, own, above = S[i + 1], U[i + 1], F[i + 1], F[int(joints[i, PARENT]) + 1]
        v = offset + int(joints[i, VARIABLE])
        f0, f1, f2, f3, f4, f5 = own[0], own[1], own[2], own[3], own[4], own[5]
        a = right[v] + s[0] * f0 + s[1] * f1 + s[2] * f2 + s[3] * f3 + s[4] * f4 + s[5] * f5
        moved = a * D[i + 1, 1]
        dq_out[v] = moved
        f0, f1, f2 = above[0] + f0 - moved * u[0], above[1] + f1 - moved * u[1], above[2] + f2 - moved * u[2]
        f3, f4, f5 = above[3] + f3 - moved * u[3], above[4] + f4 - moved * u[4], above[5] + f5 - moved * u[5]
        above[0], above[1], above[2], above[3], above[4], above[5] = f0, f1, f2, f3, f4, f5
    move_base(room, damping, right, offset, dq_out)
    for i in range(joints.shape[0]):
        s, u, own, above = S[i + 1], U[i + 1], V[i + 1], V[int(joints[i, PARENT]) + 1]
        v = offset + int(joints[i, VARIABLE])
        m0, m1, m2, m3, m4, m5 = above[0], above[1], above[2], above[3], above[4], above[5]
        move = dq_out[v] - D[i + 1, 1] * (u[0] * m0 + u[1] * m1 + u[2] * m2 + u[3] * m3 + u[4] * m4 + u[5] * m5)
        m0, m1, m2 = m0 + s[0] * move, m1 + s[1] * move, m2 + s[2] * move
        m3, m4, m5 = m3 + s[3] * move, m4 + s[4] * move, m5 + s[5] * move
        own[0], own[1], own[2], own[3], own[4], own[5] = m0, m1, m2, m3, m4, m5
        dq_out[v] = move


@lean
def move_base(room, damping, right, offset, dq_out):
    """Writes the motion of the base: zero, or where it is free the answer of its own six equations."""
    V = room.V[0]
    for k in range(6):
        V[k] = 0.0
    if offset == 0:
        return
    A = room.A[:6, :6]
    for i in range(6):
        V[i] = right[i] + room.F[0, i]
        for j in range(6):
            A[i, j] = room.K[0, 6 * i + j]
        A[i, i] += damping
    cholesky_solve(A, V)
    for k in range(6):
        dq_out[k] = V[k]
