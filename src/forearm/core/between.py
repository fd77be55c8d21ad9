"""Whether the straight way between two configurations is free, certified without samples.

On a stretch of half-width w about its middle no point of body b moves farther than mu_b w, where mu_b
sums, over the joints in front of it, the joint's share of the way times the farthest that b can be from
it. A body whose gap at the middle is larger than that by the clearance is free on all of the stretch;
the others are looked at again on both halves (Schwarzer, Saha and Latombe 2005).
"""

import math

import numpy as np

from forearm.core.bodies import FRAME, PLACED, SPAN, START, WATCHED, gap_between, gap_from, least_from
from forearm.core.clearance import put, shares_variables
from forearm.core.codes import PRISMATIC
from forearm.core.compact import ARM_COLUMNS, DRIVER, LANES, RATE, SHIFT, SLIDES
from forearm.core.jit import kernel, leaf
from forearm.core.se3 import norm

DEEPEST = 60  # halvings at most: the way then has no length any more


@kernel
def free_between(chain, bodies, pairs, obstacles, clearance, tolerance, qa, qb):
    """1 if the way from qa to qb is free, else the place on it, from 0, where it was seen not to be.

    Free means that no gap is below `clearance - tolerance`; a place is told where one is below `clearance`.
    """
    m, n, s, p = chain.shape[0] - 1, qa.shape[0], bodies.shape[0], pairs.shape[0]
    arm, trig, T = np.empty((m, ARM_COLUMNS)), np.zeros((3, (m + LANES - 1) // LANES * LANES)), np.empty((4, 4))
    placed, q = np.empty((s, PLACED)), np.empty(n)
    swing, between = np.empty(s), np.empty(p)
    coupled = shares_variables(chain)
    write_swings(chain, bodies, pairs, qa, qb, swing, between)
    open_ = np.ones((DEEPEST + 1, s + p), np.bool_)  # what is not certified yet, by depth
    middles, depths = np.empty(DEEPEST + 2), np.empty(DEEPEST + 2, np.int64)
    for place in (0.0, 1.0):  # both ends, at half-width zero
        at(qa, qb, place, q)
        put(chain, coupled, bodies, q, arm, trig, T, placed)
        open_[0, :] = True
        if not certify(bodies, pairs, obstacles, clearance, tolerance, 0.0, swing, between, placed, open_[0], open_[0]):
            return min(place, 1.0 - 1e-16)
    open_[0, :] = True
    count, middles[0], depths[0] = 1, 0.5, 0
    while count > 0:
        count -= 1
        middle, depth = middles[count], depths[count]
        half = 0.5 ** (depth + 1)
        at(qa, qb, middle, q)
        put(chain, coupled, bodies, q, arm, trig, T, placed)
        below = min(depth + 1, DEEPEST)
        if not certify(
            bodies, pairs, obstacles, clearance, tolerance, half, swing, between, placed, open_[depth], open_[below]
        ):
            return middle
        if depth < DEEPEST and np.any(open_[below]):
            middles[count], depths[count] = middle + 0.5 * half, below
            middles[count + 1], depths[count + 1] = middle - 0.5 * half, below
            count += 2
    return 1.0


@leaf
def at(qa, qb, place, q_out):
    """Writes the configuration at a place from 0 to 1 of the way."""
    for k in range(qa.shape[0]):
        q_out[k] = qa[k] + place * (qb[k] - qa[k])


@leaf
def certify(bodies, pairs, obstacles, clearance, tolerance, half, swing, between, placed, open_, still_out):
    """Writes what is not certified on a stretch about what is placed; False if a gap is below the clearance."""
    count = bodies.shape[0]
    for b in range(count):
        still = False
        if open_[b] and bodies[b, WATCHED] != 0.0:
            enough = clearance - tolerance + swing[b] * half
            for k in range(obstacles.shape[0]):
                if least_from(obstacles, k, placed, bodies, b) >= max(enough, clearance):
                    continue
                gap = gap_from(obstacles, k, placed, bodies, b)[0]
                if gap < clearance:
                    return False
                still = still or gap < enough
        still_out[b] = still
    for i in range(pairs.shape[0]):
        still = False
        if open_[count + i]:
            gap = gap_between(placed, bodies, pairs[i, 0], pairs[i, 1])[0]
            if gap < clearance:
                return False
            still = gap < clearance - tolerance + between[i] * half
        still_out[count + i] = still
    return True


@leaf
def write_swings(chain, bodies, pairs, qa, qb, swing_out, between_out):
    """Writes how far each body can move on the whole way, and how far against the other of its pair [m]."""
    for b in range(bodies.shape[0]):
        swing_out[b] = swing_of(chain, bodies, b, 0, qa, qb)
    for i in range(pairs.shape[0]):
        between_out[i] = swing_of(chain, bodies, pairs[i, 1], int(bodies[pairs[i, 0], FRAME]) + 1, qa, qb)


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
