"""Whether the straight way between two configurations is free, certified without samples.

On a stretch of half-width w about its middle no point of body b moves farther than mu_b w, where mu_b
sums, over the joints in front of it, the joint's share of the way times the farthest that b can be from
it. A body whose gap at the middle is larger than that by the clearance is free on all of the stretch;
the others are looked at again on both halves (Schwarzer, Saha and Latombe 2005). The boxes of charts that
the way leads through are looked at one after the other (`core/arm/chart.py`).
"""

import math

from forearm.core.arm.chart import place_off
from forearm.core.arm.compact import DRIVER, RATE, SHIFT, SLIDES
from forearm.core.codes import PRISMATIC
from forearm.core.collision.bodies import (
    FRAME,
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
from forearm.core.collision.clearance import open_stance, put, stance_size
from forearm.core.collision.obstacle_rows import KIND, NODE, behind
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.vectors import length, plus, read
from forearm.core.shaped import shaped

DEEPEST = 50  # halvings at most: the way then has no length any more
BEFORE_END = 1.0 - 1e-15  # the place of a way's end where it is not free


@shared
def stretches_size(count):
    """How many numbers of scratch a certificate takes for so many bodies and pairs."""
    return count * (DEEPEST + 2) + 2 * (DEEPEST + 2)


@shared
def between_size(m, n, bodies, pairs):
    """How many numbers of scratch `free_between` takes."""
    return stance_size(m, bodies) + n + stretches_size(bodies + pairs)


@lean
def free_between(chain, bodies, pairs, charts, obstacles, clearance, tolerance, qa, qb, work):
    """1 if the way from qa to qb is free, else the place on it, from 0, where it was seen not to be.

    Free means that no gap is below `clearance - tolerance`; a place is told where one is below `clearance`.
    """
    n, world = qa.shape[0], World(bodies, pairs, charts, obstacles, clearance)
    stance, rest = open_stance(chain, bodies, work), work[stance_size(chain.shape[0] - 1, bodies.shape[0]) :]
    for end in (0.0, 1.0):
        at(qa, qb, end, rest[:n])
        put(stance, bodies, rest[:n])
        if not is_clear(world, stance.placed, stance.trial.arm):
            return min(end, BEFORE_END)
    return certified(world, tolerance, qa, qb, stance, rest)


@lean
def certified(world, tolerance, qa, qb, stance, work):
    """As `free_between` for a way whose ends are known to be free; `work` holds a q and the stretches."""
    n, count, rows = qa.shape[0], world.bodies.shape[0] + world.pairs.shape[0], DEEPEST + 1
    off = place_off(world.charts, qa, qb, kept_apart(world.clearance))
    if off <= 1.0:
        return min(off, BEFORE_END)
    # how far each body and each pair's can move [m]; 1 or 0 by depth, so that halves look at what waits only;
    # where on the way the stretches still to be looked at lie, and how often they were halved
    q, swing, rest = work[:n], work[n : n + count], work[n + count :]
    waiting, rest = shaped(rest[: rows * count], (rows, count)), rest[rows * count :]
    middles, depths = rest[: rows + 1], rest[rows + 1 :]
    write_swings(stance.trial.chain, world, qa, qb, swing)
    waiting[0, :] = 1.0
    left, middles[0], depths[0] = 1, 0.5, 0.0
    while left > 0:
        left -= 1
        middle, depth = middles[left], int(depths[left])
        half = 0.5 ** (depth + 1)
        at(qa, qb, middle, q)
        put(stance, world.bodies, q)
        below = min(depth + 1, DEEPEST)
        found = certify(world, tolerance, half, swing, stance.placed, waiting[depth], waiting[below])
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
    bodies, pairs, _, obstacles, clearance = world
    count, found, own = bodies.shape[0], 0, kept_apart(clearance)
    for b in range(count):
        still = False
        if waiting[b] != 0.0 and bodies[b, WATCHED] == 1.0:  # covers are passed over
            enough = clearance - tolerance + swing[b] * half
            k = 0
            while k < obstacles.shape[0]:
                near = may_be_near(world, k, placed, b, max(enough, clearance))
                if near and obstacles[k, KIND] != NODE:
                    gap = gap_from(world, k, placed, b)[0]
                    if gap < clearance:
                        return -1
                    still = still or gap < enough
                k = behind(obstacles, k, near)
        waiting_out[b] = 1.0 if still else 0.0
        found += 1 if still else 0
    covers = 0
    for i in range(pairs.shape[0]):
        still, covers = False, 2 if pairs[i, 0] < 0 else covers - 1
        if waiting[count + i] != 0.0 and covers <= 0:
            gap = gap_between(world, placed, pairs[i, 0], pairs[i, 1])[0]
            if gap < own:
                return -1
            still = gap < own - tolerance + swing[count + i] * half
        waiting_out[count + i] = 1.0 if still else 0.0
        found += 1 if still else 0
    return found


@leaf
def write_swings(chain, world, qa, qb, swing_out):
    """Writes how far each body can move on the whole way, then how far against the other of each pair [m]."""
    bodies, pairs, count = world.bodies, world.pairs, world.bodies.shape[0]
    for b in range(count):
        swing_out[b] = swing_of(chain, bodies, b, 0, qa, qb)
    covers = 0
    for i in range(pairs.shape[0]):
        covers = 2 if pairs[i, 0] < 0 else covers - 1  # two rows of them
        first = 0 if covers > 0 else int(bodies[pairs[i, 0], FRAME]) + 1
        swing_out[count + i] = 0.0 if covers > 0 else swing_of(chain, bodies, pairs[i, 1], first, qa, qb)


@leaf
def swing_of(chain, bodies, b, first, qa, qb):
    """How far body b can move by its joints from `first` on."""
    p = read(bodies, b, START)
    farthest, total = max(length(p), length(plus(p, read(bodies, b, SPAN)))), 0.0
    for j in range(int(bodies[b, FRAME]), first - 1, -1):
        row = chain[j + 1]
        k = int(row[DRIVER])
        change = abs(row[RATE] * (qb[k] - qa[k]))
        if row[SLIDES] == PRISMATIC:
            total += change
            farthest += abs(row[RATE]) * max(abs(qa[k]), abs(qb[k]))
        else:
            total += change * farthest
        if j > 0:
            farthest += length(read(chain, j, SHIFT))
    return total if not math.isnan(total) else math.inf
