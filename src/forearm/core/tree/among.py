"""Bodies on a tree: where they are, how near they come to what they must not touch, and the rows that push them off.

Every gap below what is wanted adds a row to the coupled ones of a step (`core/tree/step.py`): its residual is what is
missing, its gradient how the gap grows with each variable. Joints that move both bodies of a pair drop out.
"""

import math

from forearm.core.collision.bodies import (
    FRAME,
    SPAN,
    START,
    World,
    gap_between,
    gap_from,
    is_body,
    is_clear,
    is_touched,
    kept_apart,
    least_gap,
    looked_at,
    may_be_near,
    nearest_of,
    worst_gap,
)
from forearm.core.collision.obstacle_rows import behind
from forearm.core.collision.repair import BUFFER, nearest_pair, place_on
from forearm.core.jit import leaf, lean
from forearm.core.maths.vectors import cross
from forearm.core.tree.layout import BOOST, COUPLED, PARENT, VARIABLE, open_room, open_tree
from forearm.core.tree.place import place

WORLD = -2  # where an obstacle hangs: behind the base


@lean
def place_bodies(room):
    """Writes where every body is, as the joints stand."""
    bodies, placed = room.world.bodies, room.placed
    for b in range(bodies.shape[0]):
        T, row, out = room.T[int(bodies[b, FRAME]) + 1], bodies[b], placed[b]
        x, y, z = row[START], row[START + 1], row[START + 2]
        u, v, w = row[SPAN], row[SPAN + 1], row[SPAN + 2]
        for k in range(3):
            out[k] = T[3 * k] * x + T[3 * k + 1] * y + T[3 * k + 2] * z + T[9 + k]
            out[3 + k] = T[3 * k] * u + T[3 * k + 1] * v + T[3 * k + 2] * w


@lean
def push_off(tree, room, met, E):
    """Adds rows for gaps that are too small; whether all tasks are met and all is clear, and the error with them.

    Of bodies under one cover, and of pairs under two, only the least gap counts: they are parts of one link.
    """
    place_bodies(room)
    world, placed, lack = room.world, room.placed, 0.0
    wanted, weight = world.clearance + BUFFER, heaviest(room)
    b = 0
    while b < world.bodies.shape[0]:
        held, after = looked_at(world, placed, b, wanted)
        if held:
            lack += push_body(tree, room, b, wanted, weight)
        b = after
    own, i = kept_apart(wanted), 0
    while i < world.pairs.shape[0]:
        known, a, b, i = nearest_pair(world, placed, i, own)
        if known < own:
            _, s, n = gap_between(world, placed, a, b)
            lack += push(tree, room, weight * (own - known), weight, (b, a), place_on(placed, b, s), n)
    return met and is_clear(world, placed, room.x), E + lack


@leaf
def heaviest(room):
    """The square root of the greatest boost: gaps count with the first level."""
    most = 0.0
    for t in range(room.te.shape[0]):
        most = max(most, room.te[t, BOOST])
    return math.sqrt(most)


@lean
def push_body(tree, room, b, wanted, weight):
    """Adds a row for every obstacle that is nearer than wanted to row b; the squares of what is missing."""
    world, placed, lack, k = room.world, room.placed, 0.0, 0
    while k < world.obstacles.shape[0]:
        near = may_be_near(world, k, placed, b, wanted)
        if is_touched(world, k, placed, b, near, wanted):
            c = b if is_body(world, b) else nearest_of(world, placed, b, (k, k + 1), wanted)[1]
            if c >= 0:
                gap, s, n = gap_from(world, k, placed, c)
                if gap < wanted:
                    lack += push(tree, room, weight * (wanted - gap), weight, (c, -1), place_on(placed, c, s), n)
        k = behind(world.obstacles, k, near)
    return lack


@lean
def push(tree, room, missing, weight, pair, x, n):
    """Adds the row that moves point x of a body along n, away from another body (-1: an obstacle); its squared error.

    Rows beyond those that there is room for are left to the next steps.
    """
    r, bodies, joints = int(room.flags[COUPLED]), room.world.bodies, tree.joints
    if r >= room.J.shape[0]:
        return missing * missing
    row = room.J[r]
    for v in range(row.shape[0]):
        row[v] = 0.0
    d = (x[0] - room.T[0, 9], x[1] - room.T[0, 10], x[2] - room.T[0, 11])
    offset, m = row.shape[0] - tree.variables.shape[0], cross(d, n)
    a, b = int(bodies[pair[0], FRAME]), int(bodies[pair[1], FRAME]) if pair[1] >= 0 else WORLD
    while a != b:
        i, sign = (a, weight) if a > b else (b, -weight)
        if i >= 0:
            s = room.S[i + 1]
            along = s[0] * n[0] + s[1] * n[1] + s[2] * n[2] + s[3] * m[0] + s[4] * m[1] + s[5] * m[2]
            row[offset + int(joints[i, VARIABLE])] += sign * along
            above = int(joints[i, PARENT])
        else:
            for k in range(3 if offset > 0 else 0):
                row[k], row[3 + k] = weight * n[k], weight * m[k]
            above = WORLD
        if a > b:
            a = above
        else:
            b = above
    room.ex[r, 0], room.flags[COUPLED] = missing, r + 1
    return missing * missing


# -- for Python ----------------------------------------------------------------------------------


@lean
def tree_gaps(numbers, bodies, pairs, charts, obstacles, clearance, X, work, gaps_out, nearest_out):
    """Writes the least gap at each of N placements, and (N, 2) what is nearest (`core/collision/bodies.py`).

    Only gaps too small for the clearance count, infinity is written where there is none; at infinity all of them do.
    """
    tree = open_tree(numbers)
    room = open_room(tree, World(bodies, pairs, charts, obstacles, clearance), work)
    for i in range(X.shape[0]):
        stand(tree, room, X[i])
        if clearance == math.inf:
            gap, body, other = least_gap(room.world, room.placed, room.x, math.inf, math.inf)
        else:
            gap, body, other = worst_gap(room.world, room.placed, room.x)
        gaps_out[i], nearest_out[i, 0], nearest_out[i, 1] = gap, body, other


@lean
def tree_pair_gaps(numbers, bodies, pairs, X, work, gaps_out):
    """Writes the (N, p) gaps of pairs of bodies at N placements."""
    tree = open_tree(numbers)
    room = open_room(tree, World(bodies, pairs, bodies[:0], bodies[:0], 0.0), work)
    for i in range(X.shape[0]):
        stand(tree, room, X[i])
        for p in range(pairs.shape[0]):
            gaps_out[i, p] = gap_between(room.world, room.placed, pairs[p, 0], pairs[p, 1])[0]


@leaf
def stand(tree, room, x):
    """Places joints and bodies."""
    for k in range(x.shape[0]):
        room.x[k] = x[k]
    place(tree, room)
    place_bodies(room)
