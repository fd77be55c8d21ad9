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
        for a in range(6):
            total = 0.0
            for b in range(6):
                total += own[6 * a + b] * s[b]
            u[a] = total
            pivot += total * s[a]
        w = 1.0 / pivot if room.steps[HELD, offset + v] == 0.0 else 0.0
        D[i + 1, 0], D[i + 1, 1] = pivot, w
        for a in range(6):
            scaled = w * u[a]
            for b in range(6):
                above[6 * a + b] += own[6 * a + b] - scaled * u[b]


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
        a = right[v]
        for k in range(6):
            a += s[k] * own[k]
        moved = a * D[i + 1, 1]
        dq_out[v] = moved
        for k in range(6):
            above[k] += own[k] - moved * u[k]
    move_base(room, damping, right, offset, dq_out)
    for i in range(joints.shape[0]):
        s, u, own, above = S[i + 1], U[i + 1], V[i + 1], V[int(joints[i, PARENT]) + 1]
        v, back = offset + int(joints[i, VARIABLE]), 0.0
        for k in range(6):
            back += u[k] * above[k]
        dq_out[v] -= D[i + 1, 1] * back
        for k in range(6):
            own[k] = above[k] + s[k] * dq_out[v]


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
