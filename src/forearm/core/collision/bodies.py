"""An arm as capsules: where they are at a configuration, and how near they come to what they must not touch.

`bodies` (s, 11), sorted by frame: the moving joint whose frame carries the capsule (-1: the base), one end
of its axis and the way to the other in that frame [m], its radius [m], whether it is held against
obstacles (what stands still with the base is not: it is mounted there), and, since they are needed ever
again, half the length of its axis and one over that length squared (0 for a sphere). Frames of joints are
those of `core/arm/compact.py`, after the joint's own turn. `pairs` (p, 2) lists bodies that must not touch each other.
`placed` (s, 6) holds one end and the way to the other in the base frame.

Many bodies of a frame may have a cover, a capsule round them in the row in front: of those held against obstacles it
says 1 more than how many rows it covers where others say 1, else that number below 0 where others say 0; there may be
covers among these. Many pairs of two frames' bodies may have two rows in front: both covers (or bodies without), each
as -1 less its row, and how many rows follow that are theirs; there may be such rows among these (`arm/covers.py`).

A gap is the distance between two surfaces [m], negative where they overlap. What is nearest is told by
two numbers: the body, and the obstacle, or -1 - b for body b of the arm itself.
"""

import math
from typing import Any, NamedTuple

from forearm.core.arm.chart import BODY_A, BODY_B, least_charted
from forearm.core.arm.compact import COSINE, DRIVER, ORIGIN, RATE, SINE, SLIDES, TWIST_COS, TWIST_SIN, Q, turn
from forearm.core.codes import PRISMATIC
from forearm.core.collision.distance import point_at, segment_segment
from forearm.core.collision.obstacle_rows import (
    COLUMN,
    GRID,
    KIND,
    NODE,
    ROUNDING,
    ball_is_near,
    behind,
    bound_gap,
    segment_gap,
)
from forearm.core.jit import leaf, lean
from forearm.core.maths.vectors import dot, minus, read

FRAME, START, SPAN, RADIUS, WATCHED, HALF, OVER_SQUARE = 0, 1, 4, 7, 8, 9, 10
BODY_COLUMNS = 11
PLACED = 6
NOTHING = -1000000  # where nothing is nearest
# The most that links of one arm are asked to keep from each other [m], however much obstacles are: arms have
# wrists with less room than that, and no configuration would be free. It holds the usual clearance of 0.01 m and
# what a repair and a certificate take beyond it, and stays below what counts as touching (`arm/geometry.py`).
OWN_MOST = 0.0125


class World(NamedTuple):
    """What an arm shall keep apart, and how far; the kernels read nothing else of a scene."""

    bodies: Any  # (s, 11)
    pairs: Any  # (p, 2)
    charts: Any  # (r, 4) of pairs of links that are held by their joints, see `core/arm/chart.py`
    obstacles: Any  # (k, 18), see `core/collision/obstacle_rows.py`
    clearance: Any  # to keep from obstacles [m]


class Stance(NamedTuple):
    """An arm that stands somewhere: its joints and its bodies."""

    trial: Any
    placed: Any  # (s, 6)


@lean
def place_bodies(stance, bodies):
    """Writes where every body is, as the joints stand."""
    place_still(bodies, stance.placed)
    move_bodies(stance, bodies)


@leaf
def place_still(bodies, placed_out):
    """Writes where the bodies are that stand still with the base."""
    b = 0
    while b < bodies.shape[0] and bodies[b, FRAME] < 0.0:
        for j in range(PLACED):
            placed_out[b, j] = bodies[b, START + j]
        b += 1


@lean
def move_bodies(stance, bodies):
    """Writes where the bodies are that joints move, as these stand."""
    (chain, _, arm, (trig, _, _), _), placed_out = stance
    xx, yx, zx = chain[0, 0], chain[0, 1], chain[0, 2]
    xy, yy, zy = chain[0, 4], chain[0, 5], chain[0, 6]
    xz, yz, zz = chain[0, 8], chain[0, 9], chain[0, 10]
    count, b = bodies.shape[0], 0
    while b < count and bodies[b, FRAME] < 0.0:
        b += span_of(bodies, b)
    for i in range(arm.shape[0]):
        row = chain[i + 1]
        xx, yx = turn(xx, yx, trig[SINE, i], trig[COSINE, i])
        xy, yy = turn(xy, yy, trig[SINE, i], trig[COSINE, i])
        xz, yz = turn(xz, yz, trig[SINE, i], trig[COSINE, i])
        slide = row[RATE] * arm[int(row[DRIVER]), Q] if row[SLIDES] == PRISMATIC else 0.0
        while b < count and bodies[b, FRAME] == i:
            p, q, r = bodies[b, START], bodies[b, START + 1], bodies[b, START + 2] + slide
            u, v, w = bodies[b, SPAN], bodies[b, SPAN + 1], bodies[b, SPAN + 2]
            placed_out[b, 0] = arm[i, ORIGIN] + p * xx + q * yx + r * zx
            placed_out[b, 1] = arm[i, ORIGIN + 1] + p * xy + q * yy + r * zy
            placed_out[b, 2] = arm[i, ORIGIN + 2] + p * xz + q * yz + r * zz
            placed_out[b, 3] = u * xx + v * yx + w * zx
            placed_out[b, 4] = u * xy + v * yy + w * zy
            placed_out[b, 5] = u * xz + v * yz + w * zz
            b += 1
        yx, zx = turn(yx, zx, row[TWIST_SIN], row[TWIST_COS])
        yy, zy = turn(yy, zy, row[TWIST_SIN], row[TWIST_COS])
        yz, zz = turn(yz, zz, row[TWIST_SIN], row[TWIST_COS])


@leaf
def span_of(bodies, b):
    """How many rows a row is with all that it covers."""
    return max(int(abs(bodies[b, WATCHED])), 1)


@leaf
def axis_of(placed, b):
    """One end of the axis of body b, and the way to the other."""
    return read(placed, b, 0), read(placed, b, 3)


@leaf
def gap_from(world, k, placed, b):
    """The gap of body b from obstacle k; where on the body's axis it is, and the unit vector away."""
    p, d = axis_of(placed, b)
    size, s, n = segment_gap(world.obstacles, k, p, d)
    return size - world.bodies[b, RADIUS], s, n


@leaf
def may_be_near(world, k, placed, b, gap):
    """Whether body b can be nearer than a gap to obstacle k, by the ball round the obstacle."""
    p, d = axis_of(placed, b)
    return ball_is_near(world.obstacles, k, p, d, world.bodies[b, OVER_SQUARE], world.bodies[b, RADIUS] + gap)


@leaf
def may_meet(world, placed, a, b, gap):
    """Whether two bodies can be nearer than a gap to each other, by the balls round them."""
    (p, d), (q, e), bodies = axis_of(placed, a), axis_of(placed, b), world.bodies
    x = point_at(minus(p, q), minus(d, e), 0.5)
    reach = bodies[a, HALF] + bodies[b, HALF] + bodies[a, RADIUS] + bodies[b, RADIUS] + gap + ROUNDING
    return reach > 0.0 and dot(x, x) < reach * reach


@leaf
def gap_between(world, placed, a, b):
    """The gap of body b from body a; where on b's axis it is, and the unit vector away from a."""
    (p, d), (q, e) = axis_of(placed, b), axis_of(placed, a)
    size, s, n = segment_segment(p, d, q, e)
    return size - world.bodies[a, RADIUS] - world.bodies[b, RADIUS], s, n


@leaf
def members(bodies, b):
    """The rows that row b stands for: those that it covers, or itself."""
    count = int(bodies[b, WATCHED])
    return (b, b + 1) if count < 2 else (b + 1, b + count)


@leaf
def is_touched(world, k, placed, b, near, gap):
    """Whether row b, near to row k of the obstacles, is near to an obstacle and not to a node alone.

    A cover is looked at itself, unless the distance of what it covers may be less than its own: interpolated ones, and
    depths under ground.
    """
    kind = world.obstacles[k, KIND]
    if not near or kind == NODE:
        return False
    return world.bodies[b, WATCHED] < 2.0 or kind == GRID or kind == COLUMN or gap_from(world, k, placed, b)[0] < gap


@leaf
def beside(bodies, c, near):
    """The row to look at behind row c: all that a cover holds is passed over where it is not near."""
    return c + 1 if near or bodies[c, WATCHED] < 2.0 else c + int(bodies[c, WATCHED])


@leaf
def is_body(world, c):
    """Whether a row is a body, not a cover."""
    return world.bodies[c, WATCHED] < 2.0


@leaf
def reaches(world, k, placed, b, c, gap):
    """Whether row c can be nearer than a gap to obstacle k, to which row b that covers it is near."""
    if b == c:
        return True
    near = may_be_near(world, k, placed, c, gap)
    return near and (world.bodies[c, WATCHED] < 2.0 or is_touched(world, k, placed, c, near, gap))


@leaf
def pairs_from(world, placed, p, end, gap):
    """The next pair to look at from row p on, before the end; where two covers are far apart theirs are passed over."""
    pairs = world.pairs
    while p < end and pairs[p, 0] < 0:
        apart = gap_between(world, placed, -1 - pairs[p, 0], -1 - pairs[p, 1])[0]
        p += 2 if apart < gap else 2 + pairs[p + 1, 0]
    return p


@lean
def keeps_off(world, placed, b, gap):
    """Whether what row b stands for is no nearer than a gap to any obstacle; ends at the first that is."""
    (first, last), k = members(world.bodies, b), 0
    if has_tree(world.obstacles):  # a cover would be near to many: it says only whether its bodies are worth a look
        first, last = b, b + 1
    while k < world.obstacles.shape[0]:
        near = may_be_near(world, k, placed, b, gap)
        if is_touched(world, k, placed, b, near, gap):
            c = first
            while c < last:
                near_too = reaches(world, k, placed, b, c, gap)
                if near_too and (b == c or is_body(world, c)) and gap_from(world, k, placed, c)[0] < gap:
                    return False
                c = beside(world.bodies, c, near_too)
        k = behind(world.obstacles, k, near)
    return True


@leaf
def looked_at(world, placed, b, gap):
    """Whether row b is held against all obstacles, and the row to look at behind it.

    Among few obstacles a cover is held against each, with all that it holds; in a tree it only tells whether what it
    holds is worth a look.
    """
    bodies, count = world.bodies, int(world.bodies[b, WATCHED])
    if count < 2:
        return count == 1, b + span_of(bodies, b)
    if not has_tree(world.obstacles):
        return True, b + count
    return False, beside(bodies, b, not keeps_off(world, placed, b, gap))


@lean
def nearest_of(world, placed, b, rows, known):
    """The least gap of what row b stands for below `known` from obstacles in some rows; the body and its row, or -1."""
    (first, last), body, nearest = members(world.bodies, b), -1, -1
    k = rows[0]
    while k < rows[1]:
        near = may_be_near(world, k, placed, b, known)
        if is_touched(world, k, placed, b, near, known):
            c = first
            while c < last:
                near_too = reaches(world, k, placed, b, c, known)
                if near_too and is_body(world, c):
                    gap = gap_from(world, k, placed, c)[0]
                    if gap < known:
                        known, body, nearest = gap, c, k
                c = beside(world.bodies, c, near_too)
        k = behind(world.obstacles, k, near)
    return known, body, nearest


@leaf
def has_tree(obstacles):
    """Whether obstacles are laid out as a tree."""
    return obstacles.shape[0] > 0 and obstacles[0, KIND] == NODE


@leaf
def nearest_leaf(obstacles, p, d):
    """The rows of a tree's leaf near a segment: what is nearest there leaves little else to look at; else none."""
    k = 0
    if not has_tree(obstacles):
        return 0, 0
    while obstacles[k + 1, KIND] == NODE:
        one = k + 1
        other = behind(obstacles, one, False)
        k = one if bound_gap(obstacles, one, p, d) <= bound_gap(obstacles, other, p, d) else other
    return k + 1, behind(obstacles, k, False)


@lean
def least_gap(world, placed, arm, known, own):
    """The least gap below `known`, else `known`, and what is nearest; the arm's own pairs count below `own` [m].

    `arm` are its joints, or the values of their variables; none, and no chart is looked at.
    """
    body, other = NOTHING, NOTHING
    b = 0
    while b < world.bodies.shape[0]:
        held, after = looked_at(world, placed, b, known)
        if held:
            p, d = axis_of(placed, b)
            near = nearest_leaf(world.obstacles, p, d)
            for rows in (near, (0, world.obstacles.shape[0])):
                gap, c, k = nearest_of(world, placed, b, rows, known)
                if k >= 0:
                    known, body, other = gap, c, k
        b = after
    end = world.pairs.shape[0]
    i = pairs_from(world, placed, 0, end, min(known, own))
    while i < end:
        a, b = world.pairs[i, 0], world.pairs[i, 1]
        if may_meet(world, placed, a, b, min(known, own)):
            gap = gap_between(world, placed, a, b)[0]
            if gap < min(known, own):
                known, body, other = gap, b, -1 - a
        i = pairs_from(world, placed, i + 1, end, min(known, own))
    if arm is not None:
        gap, first = least_charted(world.charts, arm, min(known, own))
        if first >= 0:
            known, body, other = gap, int(world.charts[first, BODY_B]), -1 - int(world.charts[first, BODY_A])
    return known, body, other


@leaf
def kept_apart(clearance):
    """What links of one arm keep from each other where obstacles shall keep a clearance [m]."""
    return min(clearance, OWN_MOST)


@lean
def is_clear(world, placed, arm):
    """Whether no gap is below the clearance, or what the arm's own links keep; ends at the first that is.

    `arm` as `least_gap` takes it.
    """
    clearance = world.clearance
    own = kept_apart(clearance)
    b = 0
    while b < world.bodies.shape[0]:
        held, after = looked_at(world, placed, b, clearance)
        if held and not keeps_off(world, placed, b, clearance):
            return False
        b = after
    end = world.pairs.shape[0]
    i = pairs_from(world, placed, 0, end, own)
    while i < end:
        a, b = world.pairs[i, 0], world.pairs[i, 1]
        if may_meet(world, placed, a, b, own) and gap_between(world, placed, a, b)[0] < own:
            return False
        i = pairs_from(world, placed, i + 1, end, own)
    return arm is None or least_charted(world.charts, arm, own)[1] < 0


@lean
def worst_gap(world, placed, arm):
    """The least gap that is too small and what it lies between; infinity if the arm is clear."""
    gap, body, other = least_gap(world, placed, arm, world.clearance, kept_apart(world.clearance))
    return (math.inf if body == NOTHING else gap), body, other
