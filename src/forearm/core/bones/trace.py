"""The stages of FABRIK on a tree, one after the other, written down."""

import numpy as np

from forearm.core.bones.fabrik import PULL, ROLES, assign_roles, backward_reach, forward_reach
from forearm.core.bones.pose import place_bones, worst_errors
from forearm.core.jit import kernel
from forearm.core.maths.limits import copy, copy_rows


@kernel
def trace_bones(parent, length, joints, base, q, wants, free_base, stages_out):
    """Writes the points after every stage of plain sweeps; returns how many stages there are, the start included."""
    n = parent.shape[0]
    B, R, G = np.empty((n, 3, 3)), np.empty((n, 3, 3)), np.empty((n, 3, 3))
    P, F, pulls = np.empty((n + 1, 3)), np.empty((n + 1, 3)), np.empty((n + 1, 4))
    roles, q_t = np.empty((n, ROLES)), np.empty((n, 3))
    assign_roles(parent, wants, roles)
    place_bones(parent, length, joints, base, q, B, R, P)
    copy_rows(P, stages_out[0])
    count = 1
    while count + 2 <= stages_out.shape[0] and not worst_errors(wants, R, P)[2]:
        copy_rows(P, F)
        forward_reach(parent, length, joints, wants, roles, q, q_t, B, R, P, pulls, F, G)
        for i in range(n):  # bones without a goal stay where they are
            if roles[i, PULL] == 0.0:
                copy(P[i + 1], F[i + 1])
        copy_rows(F, stages_out[count])
        if free_base:
            copy(F[0], base)
        backward_reach(parent, length, joints, wants, roles, base, F, G, q, B, R, P)
        copy_rows(P, stages_out[count + 1])
        count += 2
    return count
