"""The same equations as a sparse matrix: L'DL along the elimination tree of the variables (Featherstone 2008, ch. 6).

Rows are stored by depth, so that every update is a run of neighbours. It serves short paths, where it is faster than
the recursion, and joints that follow another's variable, which the recursion cannot hold.
"""

from forearm.core.jit import leaf, lean
from forearm.core.tree.layout import DEEP, HELD, ORDER, PARENT, POSTURES, STIFF, UP, VARIABLE
from forearm.core.tree.recursion import hang_springs


@lean
def assemble(tree, room):
    """Writes the normal equations of the springs, without damping and posture, each row by the depth of its columns."""
    joints, K, S, H = tree.joints, room.K, room.S, room.H
    nv = tree.order.shape[0]
    offset = nv - tree.variables.shape[0]
    hang_springs(tree, room)
    for k in range(nv):
        for d in range(H.shape[1]):
            H[k, d] = 0.0
    for i in range(joints.shape[0] - 1, -1, -1):
        own, above, s, u = K[i + 1], K[int(joints[i, PARENT]) + 1], S[i + 1], room.U[i + 1]
        for a in range(6):
            total = 0.0
            for b in range(6):
                total += own[6 * a + b] * s[b]
                above[6 * a + b] += own[6 * a + b]
            u[a] = total
        v = offset + int(joints[i, VARIABLE])
        enter(tree, H, v, v, product(s, u))
        j = int(joints[i, PARENT])
        while j >= 0:
            w = offset + int(joints[j, VARIABLE])
            enter(tree, H, v, w, product(S[j + 1], u) * (2.0 if v == w else 1.0))
            j = int(joints[j, PARENT])
        for k in range(offset):
            enter(tree, H, v, k, u[k])
    for a in range(offset):
        for b in range(a + 1):
            H[a, b] += K[0, 6 * a + b]


@leaf
def product(a, b):
    """The scalar product of six numbers."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@leaf
def enter(tree, H, v, w, value):
    """Adds to the entry of two variables, in the row of the deeper one."""
    deep, other = int(tree.order[v, DEEP]), int(tree.order[w, DEEP])
    if deep >= other:
        H[v, other] += value
    else:
        H[w, deep] += value


@lean
def factorise(tree, room, damping):
    """Writes the factors of the equations in which variables that are held do not move."""
    order, H, L, held = tree.order, room.H, room.L, room.steps[HELD]
    nv = order.shape[0]
    offset = nv - tree.variables.shape[0]
    for v in range(nv):
        deep, w = int(order[v, DEEP]), int(order[v, UP])
        L[v, deep] = H[v, deep] + damping
        if v >= offset:
            L[v, deep] += room.flags[POSTURES] * tree.variables[v - offset, STIFF] * tree.variables[v - offset, STIFF]
        for d in range(deep - 1, -1, -1):
            L[v, d] = H[v, d] if held[v] == 0.0 and held[w] == 0.0 else 0.0
            w = int(order[w, UP])
        if held[v] != 0.0:
            L[v, deep] = 1.0
    for k in range(nv):
        v = int(order[k, ORDER])
        row, deep, w = L[v], int(order[v, DEEP]), int(order[v, UP])
        inverse = 1.0 / row[deep]
        for d in range(deep - 1, -1, -1):
            a, other = row[d] * inverse, L[w]
            for j in range(d + 1):
                other[j] -= a * row[j]
            row[d] = a
            w = int(order[w, UP])


@lean
def substitute(tree, room, right, dq_out):
    """Solves with the factors: the step of a right-hand side, zero where a variable is held."""
    order, L, held = tree.order, room.L, room.steps[HELD]
    nv = order.shape[0]
    for v in range(nv):
        dq_out[v] = right[v] if held[v] == 0.0 else 0.0
    for k in range(nv):
        v = int(order[k, ORDER])
        w = int(order[v, UP])
        for d in range(int(order[v, DEEP]) - 1, -1, -1):
            dq_out[w] -= L[v, d] * dq_out[v]
            w = int(order[w, UP])
    for k in range(nv - 1, -1, -1):
        v = int(order[k, ORDER])
        deep, w = int(order[v, DEEP]), int(order[v, UP])
        dq_out[v] /= L[v, deep]
        for d in range(deep - 1, -1, -1):
            dq_out[v] -= L[v, d] * dq_out[w]
            w = int(order[w, UP])
