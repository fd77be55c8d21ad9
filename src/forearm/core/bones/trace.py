"""The stages of FABRIK on a tree, one after the other, written down."""

import numpy as np

from forearm.core.bones.fabrik import assign_roles, backward_reach, forward_reach
from forearm.core.bones.pose import place_bones, worst_errors
from forearm.core.bones.room import PULL, ROLES, Goal, Pose, Tree, make_room
from forearm.core.jit import kernel
from forearm.core.maths.limits import copy, copy_rows


@kernel
def trace_bones(parent, length, joints, base, q, wants, free_base, stages_out):
    """Writes the points after every stage of plain sweeps; returns how many stages there are, the start included."""
    n = parent.shape[0]
    tree, room, goal = Tree(parent, length, joints), make_room(n, 1), Goal(wants, np.empty((n, ROLES)), 0.0)
    pose = Pose(base, q, np.empty((n, 3, 3)), np.empty((n, 3, 3)), np.empty((n + 1, 3)))
    assign_roles(parent, wants, goal.roles)
    place_bones(tree, pose)
    copy_rows(pose.P, stages_out[0])
    count = 1
    while count + 2 <= stages_out.shape[0] and not worst_errors(wants, pose)[2]:
        copy_rows(pose.P, room.F)
        forward_reach(tree, goal, pose, room)
        for i in range(n):  # bones without a goal stay where they are
            if goal.roles[i, PULL] == 0.0:
                copy(pose.P[i + 1], room.F[i + 1])
        copy_rows(room.F, stages_out[count])
        if free_base:
            copy(room.F[0], base)
        backward_reach(tree, goal, pose, room)
        copy_rows(pose.P, stages_out[count + 1])
        count += 2
    return count
