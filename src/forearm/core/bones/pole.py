"""The pole: which way the elbow of a chain points.

A chain may swivel about the line from its base to its tip and the tip stays where it is. The elbow
is the sum of what the joints between stand off that line; it shall lie on the pole's side. Turning
the first bone about the line turns the whole chain, and no other joint changes. A pole that crosses
the line changes sides at once; with a previous pose to go on from, the elbow follows it by at most a
given angle a solve, so it walks round and never flips; by less where the joints stand off to different
sides, as in a coil, since a small change of such a shape turns its elbow far. A planar chain can only
be mirrored.
"""

import math

from forearm.core.bones.codes import BONE, HAS_START, IS_PLANAR, MAX_STEPS, MAX_SWIVEL, REFINE
from forearm.core.bones.fabrik import turned
from forearm.core.bones.pose import aim_bone, place_bone, place_bones, place_socket, turn_bone_to, worst_errors
from forearm.core.bones.refine import refine
from forearm.core.bones.room import Pose
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, copy_rows
from forearm.core.maths.se3 import cross, dot, norm

# Rounds of swivelling, and halvings in each, where limits stand against the pole.
POLE_ROUNDS = 6
POLE_HALVINGS = 4
# The pole counts as met within this angle [rad].
POLE_MET = 1e-9
# Off the line by less than this share of the chain's size, elbow or pole have no side.
NO_SIDE = 1e-10


@lean
def swivel_axis(parent, tip, P, pole, size):
    """The unit line from base to tip, the angle about it from elbow to pole [rad], and how flat the bend is.

    The angle is 0 where it is undefined. A bend to one side is flat (1); one whose sides cancel is not (0).
    """
    ax, ay, az = P[tip + 1, 0] - P[0, 0], P[tip + 1, 1] - P[0, 1], P[tip + 1, 2] - P[0, 2]
    reach = norm(ax, ay, az)
    if reach < NO_SIDE * size:
        return 1.0, 0.0, 0.0, 0.0, 0.0
    ax, ay, az = ax / reach, ay / reach, az / reach
    ex = ey = ez = spread = 0.0
    i = parent[tip]
    while i >= 0:
        x, y, z = across(ax, ay, az, P[i + 1, 0] - P[0, 0], P[i + 1, 1] - P[0, 1], P[i + 1, 2] - P[0, 2])
        ex, ey, ez, spread = ex + x, ey + y, ez + z, spread + norm(x, y, z)
        i = parent[i]
    px, py, pz = across(ax, ay, az, pole[0] - P[0, 0], pole[1] - P[0, 1], pole[2] - P[0, 2])
    if norm(ex, ey, ez) < NO_SIDE * size or norm(px, py, pz) < NO_SIDE * size:
        return ax, ay, az, 0.0, 0.0
    flat = norm(ex, ey, ez) / spread
    cx, cy, cz = cross(ex, ey, ez, px, py, pz)
    return ax, ay, az, math.atan2(dot(ax, ay, az, cx, cy, cz), dot(ex, ey, ez, px, py, pz)), flat


@leaf
def across(ax, ay, az, x, y, z):
    """The part of a vector across a unit axis."""
    along = dot(ax, ay, az, x, y, z)
    return x - along * ax, y - along * ay, z - along * az


@leaf
def mirrored(ax, ay, az, x, y, z):
    """A vector mirrored at a unit axis, as half a turn about it does."""
    along = 2.0 * dot(ax, ay, az, x, y, z)
    return along * ax - x, along * ay - y, along * az - z


@lean
def turn_first_bone(tree, tip, x, y, z, pose, G):
    """Turns the first bone on the way to a tip by a rotation vector as far as its limits allow; G is work."""
    parent, R, i = tree.parent, pose.R, tip
    while parent[i] >= 0:
        i = parent[i]
    for b in range(3):
        vx, vy, vz = turned(x, y, z, R[i, 0, b], R[i, 1, b], R[i, 2, b])
        G[i, 0, b], G[i, 1, b], G[i, 2, b] = vx, vy, vz
    turn_bone_to(tree, i, pose, G)
    place_bones(tree, pose)


@lean
def swivel_free(parent, wants, pole, size, planar, most, P):
    """Turns the points of a chain without limits toward the pole by at most an angle; returns what is left of it."""
    tip = int(wants[0, BONE])
    ax, ay, az, angle, flat = swivel_axis(parent, tip, P, pole, size)
    if planar and (abs(angle) < 0.5 * math.pi or most < math.pi):
        return angle
    turn = clamp(angle, -most * flat, most * flat) if most < math.inf else angle
    for i in range(1, P.shape[0] - 1):
        x, y, z = P[i, 0] - P[0, 0], P[i, 1] - P[0, 1], P[i, 2] - P[0, 2]
        if planar:
            x, y, z = mirrored(ax, ay, az, x, y, z)
        else:
            x, y, z = turned(ax * turn, ay * turn, az * turn, x, y, z)
        P[i, 0], P[i, 1], P[i, 2] = P[0, 0] + x, P[0, 1] + y, P[0, 2] + z
    return 0.0 if planar else angle - turn


@lean
def follow_pole(tree, goal, settings, pole, pose, room):
    """Turns the elbow toward the pole as far as limits allow, the tips staying; returns the angle left [rad]."""
    parent, size, tip, P = tree.parent, goal.size, int(goal.wants[0, BONE]), pose.P
    has_start, planar = settings[HAS_START] != 0.0, settings[IS_PLANAR] != 0.0
    trial = Pose(pose.base, room.best_q, pose.B, pose.R, P)
    ax, ay, az, angle, flat = swivel_axis(parent, tip, P, pole, size)
    budget = settings[MAX_SWIVEL] * flat if has_start else math.inf
    if planar and (has_start or abs(angle) < 0.5 * math.pi):
        return angle
    for _ in range(POLE_ROUNDS):
        turn = clamp(angle, -budget, budget)
        if abs(turn) < POLE_MET:
            return angle
        moved = False
        for _ in range(POLE_HALVINGS):
            copy_rows(pose.q, trial.q)
            if planar:
                mirror_chain(tree, ax, ay, az, trial, room.F)
            else:
                turn_first_bone(tree, tip, ax * turn, ay * turn, az * turn, trial, room.G)
            arrived = worst_errors(goal.wants, trial)[2]
            if not arrived and settings[REFINE] != 0.0:
                _, arrived = refine(tree, goal, False, int(settings[MAX_STEPS]), trial, room)
            ax, ay, az, left, _ = swivel_axis(parent, tip, P, pole, size)
            if arrived and abs(left) < abs(angle):
                moved = True
                break
            place_bones(tree, pose)
            ax, ay, az, angle, _ = swivel_axis(parent, tip, P, pole, size)
            turn *= 0.5
        if not moved:
            return angle
        copy_rows(trial.q, pose.q)
        budget -= abs(angle - left)
        angle = left
    return angle


@lean
def mirror_chain(tree, ax, ay, az, pose, F):
    """Mirrors a planar chain at the line from its base to its tip as far as its limits allow."""
    copy_rows(pose.P, F)
    for i in range(tree.parent.shape[0]):
        s = tree.parent[i] + 1
        k = 1.0 / tree.length[i]
        x, y, z = (F[i + 1, 0] - F[s, 0]) * k, (F[i + 1, 1] - F[s, 1]) * k, (F[i + 1, 2] - F[s, 2]) * k
        x, y, z = mirrored(ax, ay, az, x, y, z)
        place_socket(tree, i, pose)
        aim_bone(tree, i, pose, x, y, z)
        place_bone(tree, i, pose)
