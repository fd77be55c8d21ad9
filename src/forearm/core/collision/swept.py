"""Whether the straight way between two configurations is free, certified without samples.

On a stretch of half-width w about its middle no point of body b moves farther than mu_b w, where mu_b
sums, over the joints in front of it, the joint's share of the way times the farthest that b can be from
it. A body whose gap at the middle is larger than that by the clearance is free on all of the stretch;
the others are looked at again on both halves (Schwarzer, Saha and Latombe 2005).
"""

import math

import numpy as np

from forearm.core.arm.compact import ARM_COLUMNS, DRIVER, LANES, RATE, SHIFT, SLIDES
from forearm.core.codes import PRISMATIC
from forearm.core.collision.bodies import (
    FRAME,
    PLACED,
    SPAN,
    START,
    WATCHED,
    World,
    gap_between,
    gap_from,
    is_clear,
    kept_apart,
    may_be_near,
)
from forearm.core.collision.clearance import put, shares_variables
from forearm.core.jit import kernel, leaf, lean
from forearm.core.maths.se3 import norm
from forearm.core.shaped import shaped

DEEPEST = 50  # halvings at most: the way then has no length any more
BEFORE_END = 1.0 - 1e-15  # the place of a way's end where it is not free


@kernel
def free_between(chain, bodies, pairs, obstacles, clearance, tolerance, qa, qb):
    """1 if the way from qa to qb is free, else the place on it, from 0, where it was seen not to be.

    Free means that no gap is below `clearance - tolerance`; a place is told where one is below `clearance`.
    """
    m, s = chain.shape[0] - 1, bodies.shape[0]
    arm, trig, T = np.empty((m, ARM_COLUMNS)), np.zeros((3, (m + LANES - 1) // LANES * LANES)), np.empty((4, 4))
    placed, q, room = np.empty((s, PLACED)), np.empty(qa.shape[0]), np.empty(certified_size(s, pairs.shape[0]))
    world = World(bodies, pairs, obstacles, clearance)
    for end in (0.0, 1.0):
        at(qa, qb, end, q)
        put(chain, shares_variables(chain), bodies, q, arm, trig, T, placed)
        if not is_clear(world, placed):
            return min(end, BEFORE_END)
    return certified(chain, world, tolerance, qa, qb, arm, trig, T, q, placed, room)


@leaf
def certified_size(bodies, pairs):
    """How many numbers `certified` works with."""
    return (bodies + pairs) * (DEEPEST + 2) + 2 * (DEEPEST + 2)


@lean
def certified(chain, world, tolerance, qa, qb, arm, trig, T, q, placed, room):
    """As `free_between` for a way whose ends are known to be free; q and the rest are scratch.

    What is not certified yet is kept by depth, 1 or 0 for each body and pair, so that halves look at that only.
    """
    bodies, pairs = world.bodies, world.pairs
    count = bodies.shape[0] + pairs.shape[0]
    swing, rest = room[:count], room[count:]
    waiting, rest = shaped(rest[: (DEEPEST + 1) * count], (DEEPEST + 1, count)), rest[(DEEPEST + 1) * count :]
    middles, depths = rest[: DEEPEST + 2], rest[DEEPEST + 2 :]
    coupled = shares_variables(chain)
    write_swings(chain, bodies, pairs, qa, qb, swing)
    waiting[0, :] = 1.0
    left, middles[0], depths[0] = 1, 0.5, 0.0
    while left > 0:
        left -= 1
        middle, depth = middles[left], int(depths[left])
        half = 0.5 ** (depth + 1)
        at(qa, qb, middle, q)
        put(chain, coupled, bodies, q, arm, trig, T, placed)
        below = min(depth + 1, DEEPEST)
        found = certify(world, tolerance, half, swing, placed, waiting[depth], waiting[below])
        if found < 0:
            return middle
        if depth < DEEPEST and found > 0:
            middles[left], depths[left] = middle + 0.5 * half, below
            middles[left + 1], depths[left + 1] = middle - 0.5 * half, below
            left += 2
    return 1.0


@leaf
def at(qa, qb, place, q_out):
    """Writes the configuration at a place from 0 to 1 of the way."""
    for k in range(qa.shape[0]):
        q_out[k] = qa[k] + place * (qb[k] - qa[k])


@leaf
def certify(world, tolerance, half, swing, placed, waiting, waiting_out):
    """Writes what is not certified about what is placed; how many, or -1 if a gap is below the clearance."""
    bodies, pairs, obstacles, clearance = world
    count, found, own = bodies.shape[0], 0, kept_apart(clearance)
    for b in range(count):
        still = False
        if waiting[b] != 0.0 and bodies[b, WATCHED] != 0.0:
            enough = clearance - tolerance + swing[b] * half
            for k in range(obstacles.shape[0]):
                if not may_be_near(world, k, placed, b, max(enough, clearance)):
                    continue
                gap = gap_from(world, k, placed, b)[0]
                if gap < clearance:
                    return -1
                still = still or gap < enough
        waiting_out[b] = 1.0 if still else 0.0
        found += 1 if still else 0
    for i in range(pairs.shape[0]):
        still = False
        if waiting[count + i] != 0.0:
            gap = gap_between(world, placed, pairs[i, 0], pairs[i, 1])[0]
            if gap < own:
                return -1
            still = gap < own - tolerance + swing[count + i] * half
        waiting_out[count + i] = 1.0 if still else 0.0
        found += 1 if still else 0
    return found


@leaf
def write_swings(chain, bodies, pairs, qa, qb, swing_out):
    """Writes how far each body can move on the whole way, then how far against the other of each pair [m]."""
    count = bodies.shape[0]
    for b in range(count):
        swing_out[b] = swing_of(chain, bodies, b, 0, qa, qb)
    for i in range(pairs.shape[0]):
        swing_out[count + i] = swing_of(chain, bodies, pairs[i, 1], int(bodies[pairs[i, 0], FRAME]) + 1, qa, qb)


@leaf
def swing_of(chain, bodies, b, first, qa, qb):
    """How far body b can move by its joints from `first` on."""
    x, y, z = bodies[b, START], bodies[b, START + 1], bodies[b, START + 2]
    u, v, w = bodies[b, SPAN], bodies[b, SPAN + 1], bodies[b, SPAN + 2]
    length, total = max(norm(x, y, z), norm(x + u, y + v, z + w)), 0.0
    for j in range(int(bodies[b, FRAME]), first - 1, -1):
        row = chain[j + 1]
        k = int(row[DRIVER])
        change = abs(row[RATE] * (qb[k] - qa[k]))
        if row[SLIDES] == PRISMATIC:
            total += change
            length += abs(row[RATE]) * max(abs(qa[k]), abs(qb[k]))
        else:
            total += change * length
        if j > 0:
            before = chain[j]
            length += norm(before[SHIFT], before[SHIFT + 1], before[SHIFT + 2])
    return total if not math.isnan(total) else math.inf
