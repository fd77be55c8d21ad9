"""FABRIK's two stages on a tree of bones with limits (Aristidou and Lasenby 2011; Aristidou et al. 2016).

Forward: every tip is put on its goal and the bones are laid from it toward the base, each along the
line to where its start was. Where several branches meet (a sub-base), each proposes a place and the
weighted mean of them is taken. Backward: the base goes back to its place and the bones are laid
toward the tips. The limits of a joint hold in both stages, as in Eqs. (1)-(5) of the combined paper:
forward against the bone behind it, backward against the bone before it. Bones without a tip with a
goal keep their joint values.

It supports every joint and target. It crawls near full stretch and near fold, and may cycle at
limits; `core/bones/refine.py` finishes then.
"""

import math

from forearm.core.bones.codes import BALL, BONE, FRAME, GOAL_KIND, HALF_Y, KIND, POINT, REST, TWIST_HIGH, WEIGHT
from forearm.core.bones.joints import fit_rotation, fit_twist, joint_rotation, transport
from forearm.core.bones.pose import aim_bone, inverse_times, place_bone, place_socket, tip_turn, turn_bone_to
from forearm.core.bones.room import NONE, ONLY_CHILD, PULL, SEVERAL, TIP
from forearm.core.codes import ORIENTATION, POINT_AXIS, POSITION
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy
from forearm.core.maths.se3 import apply_inverse_rotation, dot, norm


@lean
def assign_roles(parent, wants, roles):
    """Writes which bones lead to tips with goals, and how much those count."""
    n = parent.shape[0]
    for i in range(n):
        roles[i, PULL], roles[i, ONLY_CHILD], roles[i, TIP] = 0.0, NONE, NONE
    for k in range(wants.shape[0]):
        roles[int(wants[k, BONE]), PULL] += wants[k, WEIGHT]
        roles[int(wants[k, BONE]), TIP] = float(k)
    for i in range(n - 1, -1, -1):
        p = parent[i]
        if p >= 0 and roles[i, PULL] > 0.0:
            roles[p, PULL] += roles[i, PULL]
            roles[p, ONLY_CHILD] = float(i) if roles[p, ONLY_CHILD] == NONE else SEVERAL


@leaf
def is_limited(joints, i):
    """Whether a bone's direction or twist is bound to its parent's."""
    return joints[i, KIND] != BALL or joints[i, HALF_Y] < math.inf or joints[i, TWIST_HIGH] < math.inf


@lean
def carry_frame(R, i, x, y, z, G):
    """Writes G[i]: bone i's frame carried along until it points along a unit vector."""
    was, now = (R[i, 0, 0], R[i, 1, 0], R[i, 2, 0]), (x, y, z)
    G[i, 0, 0], G[i, 1, 0], G[i, 2, 0] = x, y, z
    for b in range(1, 3):
        vx, vy, vz = transport(was, now, (R[i, 0, b], R[i, 1, b], R[i, 2, b]))
        G[i, 0, b], G[i, 1, b], G[i, 2, b] = vx, vy, vz


@lean
def wanted_frame(wants, k, R, i, G):
    """Writes G[i]: the frame that tip k's goal asks for, or the nearest that points its tool axis right."""
    if wants[k, GOAL_KIND] != POINT_AXIS:
        for a in range(3):
            for b in range(3):
                G[i, a, b] = wants[k, FRAME + 3 * a + b]
        return
    tx, ty, tz = tip_turn(wants, k, R)
    for b in range(3):
        vx, vy, vz = turned(tx, ty, tz, R[i, 0, b], R[i, 1, b], R[i, 2, b])
        G[i, 0, b], G[i, 1, b], G[i, 2, b] = vx, vy, vz


@lean
def turned(tx, ty, tz, vx, vy, vz):
    """The vector v turned by the rotation vector t (Rodrigues)."""
    angle = norm(tx, ty, tz)
    if angle == 0.0:
        return vx, vy, vz
    x, y, z = tx / angle, ty / angle, tz / angle
    c, s = math.cos(angle), math.sin(angle)
    k = dot(x, y, z, vx, vy, vz) * (1.0 - c)
    return (
        vx * c + (y * vz - z * vy) * s + k * x,
        vy * c + (z * vx - x * vz) * s + k * y,
        vz * c + (x * vy - y * vx) * s + k * z,
    )


@lean
def bind_to_child(joints, c, i, q_scratch, B_scratch, G):
    """Turns G[i] until child c's joint is inside its limits against the child's frame G[c], as in Eq. (1)."""
    S = B_scratch[c]
    for a in range(3):  # the child's socket if bone i had frame G[i]
        x, y, z = G[i, a, 0], G[i, a, 1], G[i, a, 2]
        for b in range(3):
            S[a, b] = x * joints[c, REST + b] + y * joints[c, REST + 3 + b] + z * joints[c, REST + 6 + b]
    fit_rotation(joints, c, q_scratch, inverse_times(S, G[c]))
    r = joint_rotation(joints, c, q_scratch)
    for a in range(3):  # the socket that puts the joint inside its limits: G[c] L^T
        x, y, z = G[c, a, 0], G[c, a, 1], G[c, a, 2]
        for b in range(3):
            S[a, b] = x * r[3 * b] + y * r[3 * b + 1] + z * r[3 * b + 2]
    for a in range(3):
        x, y, z = S[a, 0], S[a, 1], S[a, 2]
        for b in range(3):
            k = REST + 3 * b
            G[i, a, b] = x * joints[c, k] + y * joints[c, k + 1] + z * joints[c, k + 2]


@leaf
def pull_tips(wants, P, pulls):
    """Writes where goals pull the nodes: weight times point, and the weight (n+1, 4)."""
    for node in range(pulls.shape[0]):
        pulls[node, 0] = pulls[node, 1] = pulls[node, 2] = pulls[node, 3] = 0.0
    for k in range(wants.shape[0]):
        node, w = int(wants[k, BONE]) + 1, wants[k, WEIGHT]
        for a in range(3):
            place = P[node, a] if wants[k, GOAL_KIND] == ORIENTATION else wants[k, POINT + a]
            pulls[node, a] += w * place
        pulls[node, 3] += w


@lean
def forward_reach(tree, goal, pose, room):
    """Lays the bones from the goals toward the base: writes points F (n+1, 3) and frames G (n, 3, 3) of the room."""
    wants, roles, R, P, pulls, F, G = goal.wants, goal.roles, pose.R, pose.P, room.pulls, room.F, room.G
    pull_tips(wants, P, pulls)
    for i in range(tree.parent.shape[0] - 1, -1, -1):
        if roles[i, PULL] == 0.0:
            continue
        s, k = tree.parent[i] + 1, int(roles[i, TIP])
        for a in range(3):
            F[i + 1, a] = pulls[i + 1, a] / pulls[i + 1, 3]
            room.q[i, a] = pose.q[i, a]
        x, y, z = F[i + 1, 0] - P[s, 0], F[i + 1, 1] - P[s, 1], F[i + 1, 2] - P[s, 2]
        size = norm(x, y, z)
        if size > 0.0:
            carry_frame(R, i, x / size, y / size, z / size, G)
        else:
            carry_frame(R, i, R[i, 0, 0], R[i, 1, 0], R[i, 2, 0], G)
        c = int(roles[i, ONLY_CHILD])
        if k >= 0 and wants[k, GOAL_KIND] != POSITION:
            wanted_frame(wants, k, R, i, G)
        elif c >= 0 and is_limited(tree.joints, c):
            bind_to_child(tree.joints, c, i, room.q, pose.B, G)
        for a in range(3):
            pulls[s, a] += roles[i, PULL] * (F[i + 1, a] - tree.length[i] * G[i, a, 0])
        pulls[s, 3] += roles[i, PULL]
    for a in range(3):
        F[0, a] = pulls[0, a] / pulls[0, 3]


@lean
def backward_reach(tree, goal, pose, room):
    """Lays the bones from the base toward the points F of the room, inside all limits: writes the pose."""
    joints, roles, F, G, P = tree.joints, goal.roles, room.F, room.G, pose.P
    copy(pose.base, P[0])
    for i in range(tree.parent.shape[0]):
        place_socket(tree, i, pose)
        if roles[i, PULL] > 0.0:
            s, k, c = tree.parent[i] + 1, int(roles[i, TIP]), int(roles[i, ONLY_CHILD])
            x, y, z = F[i + 1, 0] - P[s, 0], F[i + 1, 1] - P[s, 1], F[i + 1, 2] - P[s, 2]
            size = norm(x, y, z)
            if k >= 0 and goal.wants[k, GOAL_KIND] != POSITION:
                turn_bone_to(tree, i, pose, G)
            elif size > 0.0:
                aim_bone(tree, i, pose, x / size, y / size, z / size)
                if c >= 0 and joints[i, KIND] == BALL and is_limited(joints, c):
                    # as the forward stage would have it for the sake of the child
                    vx, vy, vz = apply_inverse_rotation(pose.B[i], G[i, 0, 1], G[i, 1, 1], G[i, 2, 1])
                    fit_twist(joints, i, pose.q, pose.q[i, 0], pose.q[i, 1], vx, vy, vz)
        place_bone(tree, i, pose)
