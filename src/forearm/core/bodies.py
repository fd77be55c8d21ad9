"""An arm as capsules: where they are at a configuration, and how near they come to what they must not touch.

`bodies` (s, 9), sorted by frame: the moving joint whose frame carries the capsule (-1: the base), one end
of its axis and the way to the other in that frame [m], its radius [m], and whether it is held against
obstacles (what stands still with the base is not: it is mounted there). Frames of joints are those of
`compact.py`, after the joint's own turn. `pairs` (p, 2) lists bodies that must not touch each other.
`placed` (s, 6) holds one end and the way to the other in the base frame.

A gap is the distance between two surfaces [m], negative where they overlap. What is nearest is told by
two numbers: the body, and the obstacle, or -1 - b for body b of the arm itself.
"""

import math

from forearm.core.codes import PRISMATIC
from forearm.core.compact import COSINE, DRIVER, ORIGIN, RATE, SINE, SLIDES, TWIST_COS, TWIST_SIN, Q, turn
from forearm.core.distance import segment_segment
from forearm.core.jit import leaf, lean
from forearm.core.scene import bound_gap, segment_gap

FRAME, START, SPAN, RADIUS, WATCHED = 0, 1, 4, 7, 8
BODY_COLUMNS = 9
PLACED = 6
NOTHING = -1000000  # where nothing is nearest


@lean
def place_bodies(chain, arm, trig, bodies, placed_out):
    """Writes where every body is; `place` must have been called for the same q."""
    xx, yx, zx = chain[0, 0], chain[0, 1], chain[0, 2]
    xy, yy, zy = chain[0, 4], chain[0, 5], chain[0, 6]
    xz, yz, zz = chain[0, 8], chain[0, 9], chain[0, 10]
    count, b = bodies.shape[0], 0
    while b < count and bodies[b, FRAME] < 0.0:
        for j in range(PLACED):
            placed_out[b, j] = bodies[b, START + j]
        b += 1
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
def gap_from(obstacles, k, placed, bodies, b):
    """The gap of body b from obstacle k; where on the body's axis it is, and the unit vector away."""
    size, s, nx, ny, nz = segment_gap(
        obstacles, k, placed[b, 0], placed[b, 1], placed[b, 2], placed[b, 3], placed[b, 4], placed[b, 5]
    )
    return size - bodies[b, RADIUS], s, nx, ny, nz


@leaf
def least_from(obstacles, k, placed, bodies, b):
    """A lower bound of the gap of body b from obstacle k."""
    size = bound_gap(obstacles, k, placed[b, 0], placed[b, 1], placed[b, 2], placed[b, 3], placed[b, 4], placed[b, 5])
    return size - bodies[b, RADIUS]


@leaf
def gap_between(placed, bodies, a, b):
    """The gap of body b from body a; where on b's axis it is, and the unit vector away from a."""
    size, s, nx, ny, nz = segment_segment(
        placed[b, 0],
        placed[b, 1],
        placed[b, 2],
        placed[b, 3],
        placed[b, 4],
        placed[b, 5],
        placed[a, 0],
        placed[a, 1],
        placed[a, 2],
        placed[a, 3],
        placed[a, 4],
        placed[a, 5],
    )
    return size - bodies[a, RADIUS] - bodies[b, RADIUS], s, nx, ny, nz


@lean
def least_gap(bodies, placed, pairs, obstacles, known):
    """The least gap of the arm if it is below `known`, else `known`; and what is nearest."""
    body, other = NOTHING, NOTHING
    for b in range(bodies.shape[0]):
        if bodies[b, WATCHED] == 0.0:
            continue
        for k in range(obstacles.shape[0]):
            if least_from(obstacles, k, placed, bodies, b) < known:
                gap = gap_from(obstacles, k, placed, bodies, b)[0]
                if gap < known:
                    known, body, other = gap, b, k
    for p in range(pairs.shape[0]):
        gap = gap_between(placed, bodies, pairs[p, 0], pairs[p, 1])[0]
        if gap < known:
            known, body, other = gap, pairs[p, 1], -1 - pairs[p, 0]
    return known, body, other


@lean
def is_clear(bodies, placed, pairs, obstacles, clearance):
    """Whether no gap is below the clearance; ends at the first that is."""
    for b in range(bodies.shape[0]):
        if bodies[b, WATCHED] == 0.0:
            continue
        for k in range(obstacles.shape[0]):
            if least_from(obstacles, k, placed, bodies, b) >= clearance:
                continue
            if gap_from(obstacles, k, placed, bodies, b)[0] < clearance:
                return False
    for p in range(pairs.shape[0]):
        if gap_between(placed, bodies, pairs[p, 0], pairs[p, 1])[0] < clearance:
            return False
    return True


@leaf
def gap_of(bodies, placed, pairs, obstacles, clearance):
    """Infinity if the arm is clear, else its least gap."""
    if is_clear(bodies, placed, pairs, obstacles, clearance):
        return math.inf
    return least_gap(bodies, placed, pairs, obstacles, clearance)[0]
