"""Planar chains with joint limits: the curve's poses first, bounded Gauss-Newton where they leave the limits.

36 poses are laid (17 tilts and the arc, to both sides). One that keeps all limits is the answer. Else the
joints of the eight that leave them least are clamped, and the tip is brought back by least turns: a 2x2
system, joints at their limits held by an active set that is decided anew at each step. Drawn starts come last.
All of it is two-dimensional: joint i turns by q_i from its rest angle, heading_i = heading_i-1 + rest_i + q_i.
Fails where limits make local minima that none of the starts escapes.
"""

import math

from forearm.core.bezier.frame import FAILED
from forearm.core.bezier.search import TILT_STEP, TILTS, forget, lay_seed, outward, remember
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, next_random, wrap_near

# How many of the least violating poses are mended, and how many drawn starts follow.
MENDED, DRAWN = 8, 200
MAX_STEPS = 60
# The tip has arrived at this share of the chain's length.
ARRIVED = 1e-13
# Damping per squared miss, and its least, in units of the chain's length squared.
DAMPING, LEAST_DAMPING = 0.05, 1e-15
# Largest turn of a joint in one step [rad].
MAX_TURN = 0.5
# A try ends unless LOOK steps took off this share of the miss.
LOOK, PROGRESS = 10, 0.3
# Where limits are infinite, starts are drawn in [-pi, pi].
HALF_TURN = math.pi


@lean
def read_angles(xy, heading, side, ranges, q):
    """Writes the joint angles of a pose in the plane of its bend; returns the sum of squared violations [rad^2].

    Args:
        xy: (n+1, 2) the pose; heading: of its line to the target [rad]; side: +1, or -1 for its mirror image.
        ranges: (3, n) lowest, highest and rest angles.
        q: (n,) out, unclamped, in the turn nearest to the middle of its range.
    """
    before, total = 0.0, 0.0
    for i in range(q.shape[0]):
        angle = heading + side * math.atan2(xy[i + 1, 1] - xy[i, 1], xy[i + 1, 0] - xy[i, 0])
        low, high = ranges[0, i], ranges[1, i]
        bounded = math.isfinite(low) and math.isfinite(high)
        q[i] = wrap_near(angle - before - ranges[2, i], 0.5 * (low + high) if bounded else clamp(0.0, low, high))
        excess = max(0.0, low - q[i], q[i] - high)
        total += excess * excess
        before = angle
    return total


@leaf
def clamp_all(ranges, q):
    """Moves all joints into their ranges."""
    for i in range(q.shape[0]):
        q[i] = clamp(q[i], ranges[0, i], ranges[1, i])


@lean
def lay_angles(length, ranges, q, xy):
    """Forward kinematics: writes the points (n+1, 2) with the base at 0."""
    x, y, heading = 0.0, 0.0, 0.0
    xy[0, 0], xy[0, 1] = 0.0, 0.0
    for i in range(q.shape[0]):
        heading += ranges[2, i] + q[i]
        x, y = x + length[i] * math.cos(heading), y + length[i] * math.sin(heading)
        xy[i + 1, 0], xy[i + 1, 1] = x, y


@lean
def bring_tip(length, total, ranges, x, y, xy, q, step, held):
    """Turns the joints inside their ranges until the tip is at (x, y); returns whether it is, the miss, the steps."""
    n = q.shape[0]
    before = math.inf
    miss = math.inf
    for count in range(MAX_STEPS):
        lay_angles(length, ranges, q, xy)
        rx, ry = x - xy[n, 0], y - xy[n, 1]
        miss = math.sqrt(rx * rx + ry * ry)
        if miss <= ARRIVED * total:
            return True, miss, count
        if count % LOOK == LOOK - 1:
            if miss > (1.0 - PROGRESS) * before:
                return False, miss, count
            before = miss
        damping = DAMPING * miss * miss + LEAST_DAMPING * total * total
        least_turns(ranges, xy, rx, ry, damping, q, step, held)
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(step[i]))
        k = min(1.0, MAX_TURN / largest) if largest > 0.0 else 1.0
        for i in range(n):
            q[i] = clamp(q[i] + k * step[i], ranges[0, i], ranges[1, i])
    return False, miss, MAX_STEPS


@lean
def least_turns(ranges, xy, rx, ry, damping, q, step, held):
    """Writes the smallest turns that move the tip by (rx, ry), those that would leave their range held at its end."""
    n = q.shape[0]
    for i in range(n):
        held[i], step[i] = 0.0, 0.0
    for _ in range(n):
        a, b, c = damping, 0.0, damping
        x, y = rx, ry
        for i in range(n):
            u, v = xy[i, 1] - xy[n, 1], xy[n, 0] - xy[i, 0]  # how the tip moves when joint i turns
            if held[i] == 0.0:
                a, b, c = a + u * u, b + u * v, c + v * v
            else:
                x, y = x - u * step[i], y - v * step[i]
        determinant = a * c - b * b
        lx, ly = (c * x - b * y) / determinant, (a * y - b * x) / determinant
        changed = False
        for i in range(n):
            if held[i] == 0.0:
                step[i] = (xy[i, 1] - xy[n, 1]) * lx + (xy[n, 0] - xy[i, 0]) * ly
                room = clamp(step[i], ranges[0, i] - q[i], ranges[1, i] - q[i])
                if room != step[i]:
                    step[i], held[i], changed = room, 1.0, True
        if not changed:
            return


@lean
def pose_with_limits(length, total, nearest, D, heading, side, ranges, rng_seed, room, seeds, q, q_best):
    """Finds joint angles inside the ranges that bring the tip to distance D along the heading.

    Args:
        length, total, nearest, D: as in `core/bezier/frame.py`; D within reach.
        heading: of the target [rad]; side: +1 or -1, to which the chain shall bend if it can.
        ranges: (3, n) lowest, highest and rest angles [rad].
        rng_seed: of the drawn starts (uint64).
        room: work arrays w (4,), t (n+1,), xy (n+1, 2), step (n,), held (n,).
        seeds: (SEEDS, 4), q_best (n,): work.
        q: (n,) the angles found, else those of the least miss.

    Returns:
        The stage that found it (1 a curve as it is, 2 mended, 3 drawn, 0 none), the miss [m], the steps taken.
    """
    w, t, xy, step, held = room
    forget(seeds)
    for k in range(TILTS + 1):
        tilt = outward(k) * TILT_STEP if k < TILTS else math.nan
        if lay_seed(length, total, nearest, D, tilt, tilt, w, t, xy) == FAILED:
            continue
        for flip in range(2):
            hand = side if flip == 0 else -side
            violation = read_angles(xy, heading, hand, ranges, q)
            if violation == 0.0:
                return 1, 0.0, 0
            remember(seeds, MENDED, -violation, tilt, tilt, hand)
    x, y = D * math.cos(heading), D * math.sin(heading)
    least, steps, state = math.inf, 0, rng_seed
    for k in range(MENDED + DRAWN):
        if k < MENDED:
            if seeds[k, 0] == -math.inf:
                continue
            lay_seed(length, total, nearest, D, seeds[k, 1], seeds[k, 2], w, t, xy)
            read_angles(xy, heading, seeds[k, 3], ranges, q)
            clamp_all(ranges, q)
        else:
            state = draw_angles(ranges, state, q)
        arrived, miss, count = bring_tip(length, total, ranges, x, y, xy, q, step, held)
        steps += count
        if arrived:
            return (2 if k < MENDED else 3), miss, steps
        if miss < least:
            least = miss
            for i in range(q.shape[0]):
                q_best[i] = q[i]
    for i in range(q.shape[0]):
        q[i] = q_best[i]
    return 0, least, steps


@lean
def draw_angles(ranges, state, q):
    """Draws angles inside the ranges; returns the new state of the generator."""
    for i in range(q.shape[0]):
        state, u = next_random(state)
        low, high = max(ranges[0, i], -HALF_TURN), min(ranges[1, i], HALF_TURN)
        q[i] = clamp(low + u * (high - low), ranges[0, i], ranges[1, i])
    return state
