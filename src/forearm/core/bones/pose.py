"""Where the bones of a tree are: frames and points from joint values, and how far tips miss."""

import math

from forearm.core.bones.codes import BONE, FRAME, GOAL_KIND, HEADING, POINT, REACH_TOL, REST, TOOL, TURN_TOL
from forearm.core.bones.joints import clamp_joint, fit_direction, fit_rotation, joint_excess, joint_rotation
from forearm.core.bones.room import Pose, Tree, open_frames
from forearm.core.codes import ORIENTATION, POINT_AXIS, POSITION
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy
from forearm.core.maths.se3 import apply_inverse_rotation, apply_rotation, norm, rotation_vector, turn_between


@lean
def place_socket(tree, i, pose):
    """Writes B[i] = R_parent REST_i: the frame bone i has when its joint is at zero."""
    joints, R, B = tree.joints, pose.R, pose.B
    p = tree.parent[i]
    for a in range(3):
        for b in range(3):
            if p < 0:
                B[i, a, b] = joints[i, REST + 3 * a + b]
            else:
                B[i, a, b] = (
                    R[p, a, 0] * joints[i, REST + b]
                    + R[p, a, 1] * joints[i, REST + 3 + b]
                    + R[p, a, 2] * joints[i, REST + 6 + b]
                )


@lean
def place_bone(tree, i, pose):
    """Writes bone i's frame from its joint values, and the point where it ends."""
    B, R, P = pose.B, pose.R, pose.P
    s, length = tree.parent[i] + 1, tree.length[i]
    r = joint_rotation(tree.joints, i, pose.q)
    for a in range(3):
        x, y, z = B[i, a, 0], B[i, a, 1], B[i, a, 2]
        R[i, a, 0] = x * r[0] + y * r[3] + z * r[6]
        R[i, a, 1] = x * r[1] + y * r[4] + z * r[7]
        R[i, a, 2] = x * r[2] + y * r[5] + z * r[8]
        P[i + 1, a] = P[s, a] + length * R[i, a, 0]


@lean
def place_bones(tree, pose):
    """Writes the sockets, frames and points of all bones: forward kinematics."""
    copy(pose.base, pose.P[0])
    for i in range(tree.parent.shape[0]):
        place_socket(tree, i, pose)
        place_bone(tree, i, pose)


@lean
def aim_bone(tree, i, pose, x, y, z):
    """Turns joint i so that its bone points along a unit vector as far as its limits allow."""
    dx, dy, dz = apply_inverse_rotation(pose.B[i], x, y, z)
    fit_direction(tree.joints, i, pose.q, dx, dy, dz)


@lean
def turn_bone_to(tree, i, pose, G):
    """Turns joint i so that its bone's frame comes nearest to G[i], inside the limits."""
    fit_rotation(tree.joints, i, pose.q, inverse_times(pose.B[i], G[i]))


@leaf
def inverse_times(A, B):
    """A^T B of two rotations in row order."""
    return (
        apply_inverse_rotation(B, A[0, 0], A[1, 0], A[2, 0])
        + apply_inverse_rotation(B, A[0, 1], A[1, 1], A[2, 1])
        + apply_inverse_rotation(B, A[0, 2], A[1, 2], A[2, 2])
    )


@lean
def tip_turn(wants, k, R):
    """The rotation vector from tip k's frame to what it shall be [rad]; zero where none is asked."""
    i, kind = int(wants[k, BONE]), int(wants[k, GOAL_KIND])
    if kind == POSITION:
        return 0.0, 0.0, 0.0
    if kind == POINT_AXIS:
        x, y, z = apply_rotation(R[i], wants[k, TOOL], wants[k, TOOL + 1], wants[k, TOOL + 2])
        return turn_between(x, y, z, wants[k, HEADING], wants[k, HEADING + 1], wants[k, HEADING + 2])
    A, f = R[i], FRAME
    return rotation_vector(  # of G A^T, with G the frame that the tip shall have
        apply_rotation(A, wants[k, f], wants[k, f + 1], wants[k, f + 2])
        + apply_rotation(A, wants[k, f + 3], wants[k, f + 4], wants[k, f + 5])
        + apply_rotation(A, wants[k, f + 6], wants[k, f + 7], wants[k, f + 8])
    )


@lean
def worst_errors(wants, pose):
    """The largest errors of all tips [m], [rad], and whether every tip is within its tolerances."""
    P, position, rotation, arrived = pose.P, 0.0, 0.0, True
    for k in range(wants.shape[0]):
        node, miss = int(wants[k, BONE]) + 1, 0.0
        if wants[k, GOAL_KIND] != ORIENTATION:
            x, y, z = wants[k, POINT] - P[node, 0], wants[k, POINT + 1] - P[node, 1], wants[k, POINT + 2] - P[node, 2]
            miss = norm(x, y, z)
        tx, ty, tz = tip_turn(wants, k, pose.R)
        turn = norm(tx, ty, tz)
        if not (miss <= wants[k, REACH_TOL] and turn <= wants[k, TURN_TOL]):
            arrived = False
        position, rotation = max(position, miss), max(rotation, turn)
    return position, rotation, arrived


@lean
def worst_excess(joints, q):
    """How far the worst joint lies outside its limits [rad]."""
    worst = 0.0
    for i in range(q.shape[0]):
        worst = max(worst, joint_excess(joints, i, q))
        if math.isnan(q[i, 0] + q[i, 1] + q[i, 2]):
            return math.inf
    return worst


@lean
def pose_of_values(parent, length, joints, base, q, work, R_out, P_out):
    """Moves joint values inside their limits, then writes frames and points; `work` is of `pose_size`."""
    for i in range(parent.shape[0]):
        clamp_joint(joints, i, q)
    place_bones(Tree(parent, length, joints), Pose(base, q, open_frames(work, parent.shape[0])[0], R_out, P_out))


@lean
def values_of_points(parent, length, joints, points, work, q_out):
    """Turns bones toward given points from the base on, frames carried along from q, which is overwritten."""
    B, R, P = open_frames(work, parent.shape[0])
    point_bones(Tree(parent, length, joints), points, Pose(points[0], q_out, B, R, P))


@lean
def point_bones(tree, points, pose):
    """Turns the joints, base first, until the bones point as they do between given points, as far as limits allow."""
    copy(pose.base, pose.P[0])
    for i in range(tree.parent.shape[0]):
        s = tree.parent[i] + 1
        x, y, z = points[i + 1, 0] - points[s, 0], points[i + 1, 1] - points[s, 1], points[i + 1, 2] - points[s, 2]
        size = norm(x, y, z)
        place_socket(tree, i, pose)
        if size > 0.0:
            aim_bone(tree, i, pose, x / size, y / size, z / size)
        place_bone(tree, i, pose)
