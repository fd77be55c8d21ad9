"""What a tree of bones is asked beside its tips' goals, as rows of errors: looks, obstacles and poles.

- A look: an axis of a bone's frame points from the bone's end to a point. `looks` (L, 23) are rows as `wants`, of which
  BONE, WEIGHT, TURN_TOL, POINT and TOOL are read.
- A touch: a bone that is nearer to an obstacle than wanted lacks distance; at most MOST_TOUCHES are pushed in a step.
- A pole: the elbow of a limb lies on the pole's side of the line from the limb's beginning to its tip, as in
  `core/bones/pole.py`. `poles` (M, 5) are the tip's bone, the limb's first bone, and the point. Poles give way to all
  else: their rows are there only while `pull` is above zero.
"""

import math
from typing import NamedTuple

import numpy as np

from forearm.core.bones.codes import BONE, GOAL_KIND, POINT, TOOL, TURN_TOL, WEIGHT
from forearm.core.bones.pole import NO_SIDE
from forearm.core.bones.pose import worst_errors
from forearm.core.bones.refine import TURN_WEIGHT, write_jacobian, write_residual
from forearm.core.bones.room import OMEGA, OWNER
from forearm.core.codes import ORIENTATION, POSITION
from forearm.core.collision.obstacle_rows import bound_gap, segment_gap
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import wrap_near
from forearm.core.maths.se3 import apply_rotation, turn_between
from forearm.core.maths.vectors import across, cross, dot, length, minus, plus, read, times

MOST_TOUCHES = 32
# columns of `touches`: the bone, the point of it that is nearest, the way out, what it lacks in sizes of the tree
TOUCHED, AT, OUT, LACK = 0, 1, 4, 7
TOUCHES = 8
# columns of `poles`
LIMB_TIP, LIMB_FIRST, POLE_POINT = 0, 1, 2
POLES = 5


class Around(NamedTuple):
    """What is asked beside the tips' goals."""

    looks: np.ndarray  # (L, 23)
    poles: np.ndarray  # (M, 5)
    radii: np.ndarray  # (n,) of the bones [m]
    obstacles: np.ndarray  # (k, 18)
    clearance: float  # that bones shall keep [m]
    wanted: float  # that they are pushed to, a little more [m]
    left: np.ndarray  # (M,) the angles from elbow to pole that shall be left [rad]
    touches: np.ndarray  # (MOST_TOUCHES, TOUCHES) those of the pose that was looked at last


# -- looks ---------------------------------------------------------------------------------------


@lean
def look_way(looks, k, P):
    """The unit way from the end of a bone to the point it looks at, and the distance [m]."""
    d = minus(read(looks, k, POINT), read(P, int(looks[k, BONE]) + 1, 0))
    far = length(d)
    return (times(1.0 / far, d) if far > 0.0 else (1.0, 0.0, 0.0)), far


@lean
def look_turn(looks, k, pose):
    """The rotation vector that brings a bone's axis onto the way to its point [rad]."""
    a = apply_rotation(pose.R[int(looks[k, BONE])], looks[k, TOOL], looks[k, TOOL + 1], looks[k, TOOL + 2])
    d, _ = look_way(looks, k, pose.P)
    return turn_between(a[0], a[1], a[2], d[0], d[1], d[2])


@lean
def worst_look(looks, pose):
    """The largest angle by which a look misses [rad], and whether all are within their tolerances."""
    worst, met = 0.0, True
    for k in range(looks.shape[0]):
        turn = length(look_turn(looks, k, pose))
        worst, met = max(worst, turn), met and turn <= looks[k, TURN_TOL]
    return worst, met


@lean
def look_gradient(tree, looks, k, pose, room, count, free_base, size, J, row):
    """Writes three rows: how the turn of a look shrinks with each variable; turns about the way itself do nothing."""
    parent, P, moves, first = tree.parent, pose.P, room.moves, room.first
    d, far = look_way(looks, k, P)
    g, over, end = math.sqrt(looks[k, WEIGHT]) * TURN_WEIGHT, 1.0 / max(far, NO_SIDE * size), int(looks[k, BONE]) + 1
    i = end - 1
    while i >= 0:
        arm, v = minus(read(P, end, 0), read(P, parent[i] + 1, 0)), int(first[i])
        while v < count and moves[v, OWNER] == i:
            omega = read(moves, v, OMEGA)
            x = across(d, plus(omega, times(over, cross(d, cross(omega, arm)))))
            for a in range(3):
                J[row + a, v] = g * x[a]
            v += 1
        i = parent[i]
    if free_base:
        h = times(g * size * over, d)
        for a in range(3):  # h x e_b in column b
            J[row + a, count - 3 + a] = 0.0
        J[row, count - 2], J[row, count - 1] = -h[2], h[1]
        J[row + 1, count - 3], J[row + 1, count - 1] = h[2], -h[0]
        J[row + 2, count - 3], J[row + 2, count - 2] = -h[1], h[0]


# -- touches -------------------------------------------------------------------------------------


@lean
def nearest_touch(tree, around, P):
    """The least gap of all bones [m], infinite without obstacles, and its bone and obstacle, -1 if none."""
    obstacles, least, bone, other = around.obstacles, math.inf, -1, -1
    for i in range(tree.parent.shape[0]):
        p = read(P, tree.parent[i] + 1, 0)
        d = minus(read(P, i + 1, 0), p)
        for k in range(obstacles.shape[0]):
            if bound_gap(obstacles, k, p, d) - around.radii[i] < least:
                gap = segment_gap(obstacles, k, p, d)[0] - around.radii[i]
                if gap < least:
                    least, bone, other = gap, i, k
    return least, bone, other


@lean
def note_touches(tree, around, size, P):
    """Writes the bones that lack distance; returns how many, and the squares of what all lack together."""
    obstacles, touches, count, square = around.obstacles, around.touches, 0, 0.0
    for i in range(tree.parent.shape[0]):
        p = read(P, tree.parent[i] + 1, 0)
        d = minus(read(P, i + 1, 0), p)
        for k in range(obstacles.shape[0]):
            if bound_gap(obstacles, k, p, d) - around.radii[i] >= around.wanted:
                continue
            gap, s, n = segment_gap(obstacles, k, p, d)
            lack = (around.wanted - (gap - around.radii[i])) / size
            if lack <= 0.0:
                continue
            square += lack * lack
            if count < MOST_TOUCHES:
                x = plus(p, times(s, d))
                touches[count, TOUCHED], touches[count, LACK] = float(i), lack
                for a in range(3):
                    touches[count, AT + a], touches[count, OUT + a] = x[a], n[a]
                count += 1
    return count, square


@lean
def touch_gradient(tree, around, t, P, room, count, free_base, size, row):
    """Writes one row: how the point of a touch moves out with each variable."""
    touches, moves, first = around.touches, room.moves, room.first
    x, n, i = read(touches, t, AT), read(touches, t, OUT), int(touches[t, TOUCHED])
    while i >= 0:
        m, v = cross(minus(x, read(P, tree.parent[i] + 1, 0)), n), int(first[i])
        while v < count and moves[v, OWNER] == i:
            row[v] = dot(read(moves, v, OMEGA), m) / size
            v += 1
        i = tree.parent[i]
    if free_base:
        for a in range(3):
            row[count - 3 + a] = n[a]


# -- poles ---------------------------------------------------------------------------------------


@lean
def limb_side(parent, poles, k, P, size):
    """The unit line of a limb, its elbow across it, the angle about it from elbow to pole [rad], how flat the bend is.

    The angle is 0 where it is undefined, and so is the flatness then.
    """
    tip, first = int(poles[k, LIMB_TIP]), int(poles[k, LIMB_FIRST])
    origin = read(P, parent[first] + 1, 0)
    a = minus(read(P, tip + 1, 0), origin)
    reach = length(a)
    e, spread, i = (0.0, 0.0, 0.0), 0.0, tip
    if reach < NO_SIDE * size:
        return a, e, 0.0, 0.0
    a = times(1.0 / reach, a)
    while i != first:
        i = parent[i]
        x = across(a, minus(read(P, i + 1, 0), origin))
        e, spread = plus(e, x), spread + length(x)
    p = across(a, minus(read(poles, k, POLE_POINT), origin))
    if length(e) < NO_SIDE * size or length(p) < NO_SIDE * size:
        return a, e, 0.0, 0.0
    return a, e, math.atan2(dot(a, cross(e, p)), dot(e, p)), length(e) / spread


@lean
def pole_gradient(tree, poles, k, P, room, count, size, pull, row):
    """Writes one row: how the elbow turns about its limb's line with each variable, the tip held."""
    parent, moves, first = tree.parent, room.moves, room.first
    a, e, _, flat = limb_side(parent, poles, k, P, size)
    if flat == 0.0:
        return
    tip, begin, over = int(poles[k, LIMB_TIP]), int(poles[k, LIMB_FIRST]), 1.0 / length(e)
    t = times(pull * over * over, cross(a, e))  # a unit way in which the elbow turns, per length
    total, moved, i, in_limb = (0.0, 0.0, 0.0), 0.0, parent[tip], tip != begin
    pivot = read(P, parent[begin] + 1, 0)
    while i >= 0:
        start = pivot
        if in_limb:
            start = read(P, parent[i] + 1, 0)
            total, moved = plus(total, read(P, i + 1, 0)), moved + 1.0
        m, v = cross(minus(total, times(moved, start)), t), int(first[i])
        while v < count and moves[v, OWNER] == i:
            row[v] = dot(read(moves, v, OMEGA), m)
            v += 1
        in_limb = in_limb and i != begin
        i = parent[i]


# -- all of them ---------------------------------------------------------------------------------


@leaf
def is_met(tree, goal, around, pose):
    """Whether all tips and looks are within their tolerances and all bones keep their distance."""
    if not worst_errors(goal.wants, pose)[2] or not worst_look(around.looks, pose)[1]:
        return False
    return around.obstacles.shape[0] == 0 or nearest_touch(tree, around, pose.P)[0] >= around.clearance


@lean
def write_errors(tree, goal, around, pull, pose, r):
    """Writes the errors of all rows: tips, looks, touches, poles; returns rows, touches and the squared norm."""
    row, square = write_residual(goal, pose, r)
    for k in range(around.looks.shape[0]):
        turn, w = look_turn(around.looks, k, pose), math.sqrt(around.looks[k, WEIGHT]) * TURN_WEIGHT
        for a in range(3):
            r[row] = w * turn[a]
            square += r[row] * r[row]
            row += 1
    touching, lack = note_touches(tree, around, goal.size, pose.P)
    for t in range(touching):
        r[row] = around.touches[t, LACK]
        row += 1
    for k in range(around.poles.shape[0] if pull > 0.0 else 0):
        angle = limb_side(tree.parent, around.poles, k, pose.P, goal.size)[2]
        r[row] = pull * wrap_near(angle - around.left[k], 0.0)
        square += r[row] * r[row]
        row += 1
    return row, touching, square + lack


@leaf
def tip_rows(wants):
    """How many rows the tips' goals take."""
    rows = 0
    for k in range(wants.shape[0]):
        rows += (3 if wants[k, GOAL_KIND] != ORIENTATION else 0) + (3 if wants[k, GOAL_KIND] != POSITION else 0)
    return rows


@lean
def write_gradients(tree, goal, around, pull, touching, free_base, pose, room, count, J):
    """Writes the rows of J for the errors that were written last."""
    write_jacobian(tree, goal, pose.P, room, count, free_base, J)
    row, looks, size = tip_rows(goal.wants), around.looks.shape[0], goal.size
    poles = around.poles.shape[0] if pull > 0.0 else 0
    for a in range(row, row + 3 * looks + touching + poles):
        for v in range(count):
            J[a, v] = 0.0
    for k in range(looks):
        look_gradient(tree, around.looks, k, pose, room, count, free_base, size, J, row)
        row += 3
    for t in range(touching):
        touch_gradient(tree, around, t, pose.P, room, count, free_base, size, J[row])
        row += 1
    for k in range(poles):
        pole_gradient(tree, around.poles, k, pose.P, room, count, size, pull, J[row])
        row += 1
