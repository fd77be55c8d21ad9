"""Where a solve of a bone tree starts: as straight as limits allow, bent out of a dead lock, or drawn."""

import math

from forearm.core.bones.codes import (
    BONE,
    FIXED,
    GOAL_KIND,
    HALF_Y,
    HALF_Z,
    HIGH,
    HINGE,
    KIND,
    LOW,
    POINT,
    TWIST_HIGH,
    TWIST_LOW,
)
from forearm.core.bones.joints import clamp_joint
from forearm.core.bones.pose import aim_bone, place_bone, place_socket
from forearm.core.bones.room import PULL
from forearm.core.codes import ORIENTATION
from forearm.core.jit import lean
from forearm.core.maths.limits import clamp, copy, next_random
from forearm.core.maths.se3 import cross, norm

# A tree is locked when no turn of a joint moves a tip toward its goal: the sine between every lever
# and the error stays below this.
LOCKED = 1e-6
# How far the first joint of a locked tree is bent; the others bend back twice as much in all [rad].
BEND = 0.3
# Free swings are drawn up to this [rad].
DRAWN_SWING = 1.5


@lean
def is_locked(parent, wants, P):
    """Whether every lever from a joint to a tip lies along the tip's error."""
    for k in range(wants.shape[0]):
        tip = int(wants[k, BONE])
        if wants[k, GOAL_KIND] == ORIENTATION:
            return False
        i, e = tip, tip + 1
        x, y, z = wants[k, POINT] - P[e, 0], wants[k, POINT + 1] - P[e, 1], wants[k, POINT + 2] - P[e, 2]
        while i >= 0:
            s = parent[i] + 1
            lx, ly, lz = P[e, 0] - P[s, 0], P[e, 1] - P[s, 1], P[e, 2] - P[s, 2]
            cx, cy, cz = cross(lx, ly, lz, x, y, z)
            if norm(cx, cy, cz) > LOCKED * norm(lx, ly, lz) * norm(x, y, z):
                return False
            i = parent[i]
    return True


@lean
def bend_tree(tree, roles, q):
    """Bends every joint a little, always the same way, inside the limits."""
    parent, joints = tree.parent, tree.joints
    n = parent.shape[0]
    for i in range(n):
        if roles[i, PULL] == 0.0 or joints[i, KIND] == FIXED:
            continue
        turn = BEND if parent[i] < 0 else -2.0 * BEND / n
        if joints[i, KIND] == HINGE:
            if not joints[i, LOW] <= q[i, 0] + turn <= joints[i, HIGH]:
                turn = -turn
            q[i, 0] += turn
        else:
            q[i, 1] += turn
        clamp_joint(joints, i, q)


@lean
def draw_values(joints, roles, state, q):
    """Draws joint values inside the limits for all bones that lead to a goal."""
    for i in range(q.shape[0]):
        if roles[i, PULL] == 0.0 or joints[i, KIND] == FIXED:
            continue
        state, u = next_random(state)
        state, v = next_random(state)
        state, w = next_random(state)
        if joints[i, KIND] == HINGE:
            low, high = max(joints[i, LOW], -math.pi), min(joints[i, HIGH], math.pi)
            q[i, 0] = clamp(low + u * (high - low), joints[i, LOW], joints[i, HIGH])
            continue
        radius, angle = math.sqrt(u), 2.0 * math.pi * v
        q[i, 0] = min(joints[i, HALF_Y], DRAWN_SWING) * radius * math.cos(angle)
        q[i, 1] = min(joints[i, HALF_Z], DRAWN_SWING) * radius * math.sin(angle)
        low, high = max(joints[i, TWIST_LOW], -math.pi), min(joints[i, TWIST_HIGH], math.pi)
        q[i, 2] = clamp(low + w * (high - low), joints[i, TWIST_LOW], joints[i, TWIST_HIGH])
    return state


@lean
def aim_straight(tree, goal, pose):
    """Lays a chain toward a target beyond its reach, in one pass, as straight as the limits allow."""
    wants, P = goal.wants, pose.P
    copy(pose.base, P[0])
    for i in range(tree.parent.shape[0]):
        s = tree.parent[i] + 1
        x, y, z = wants[0, POINT] - P[s, 0], wants[0, POINT + 1] - P[s, 1], wants[0, POINT + 2] - P[s, 2]
        size = norm(x, y, z)
        place_socket(tree, i, pose)
        if goal.roles[i, PULL] > 0.0 and size > 0.0:
            aim_bone(tree, i, pose, x / size, y / size, z / size)
        place_bone(tree, i, pose)
