"""Planar chains with joint limits: the curve's poses first, bounded Gauss-Newton where they leave the limits.

36 poses are laid (17 tilts and the arc, to both sides). One that keeps all limits is the answer. Else the
joints of the eight that leave them least are clamped, and the tip is brought back by least turns: a 2x2
system, joints at their limits held by an active set that is decided anew at each step. Drawn starts come last.
All of it is two-dimensional: joint i turns by q_i from its rest angle, heading_i = heading_i-1 + rest_i + q_i.
Fails where limits make local minima that none of the starts escapes.
"""

import math
from typing import NamedTuple

import numpy as np

from forearm.core.bezier.frame import FAILED
from forearm.core.bezier.room import Draft, Links
from forearm.core.bezier.search import FIRST, GAP, SECOND, TILTS, forget, lay_seed, remember, tilt_of
from forearm.core.jit import lean
from forearm.core.maths.limits import clamp, copy, middle, next_random, wrap_near

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
SIDE = 3  # the column of `seeds` that holds a swivel elsewhere holds the side here


class Limited(NamedTuple):
    """A planar chain with limits, its target and work arrays."""

    links: Links
    D: float  # distance of the target, within reach [m]
    heading: float  # of the target [rad]
    side: float  # +1 or -1, to which the chain shall bend if it can
    ranges: np.ndarray  # (3, n) lowest, highest and rest angles [rad]
    draft: Draft
    seeds: np.ndarray
    q: np.ndarray  # (n,) angles [rad]
    q_best: np.ndarray
    step: np.ndarray
    held: np.ndarray


@lean
def read_angles(xy, heading, side, ranges, q):
    """Writes the angles of a pose (n+1, 2), each in the turn nearest to the middle of its range, unclamped.

    The line to its target has a heading [rad]; side -1 asks for its mirror image. Returns the sum of squared
    violations [rad^2].
    """
    before, total = 0.0, 0.0
    for i in range(q.shape[0]):
        angle = heading + side * math.atan2(xy[i + 1, 1] - xy[i, 1], xy[i + 1, 0] - xy[i, 0])
        low, high = ranges[0, i], ranges[1, i]
        q[i] = wrap_near(angle - before - ranges[2, i], middle(low, high))
        excess = max(0.0, low - q[i], q[i] - high)
        total += excess * excess
        before = angle
    return total


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
def bring_tip(task, x, y):
    """Turns the joints inside their ranges until the tip is at (x, y); returns whether it is, the miss, the steps."""
    length, total, _ = task.links
    ranges, xy, q, step = task.ranges, task.draft.xy, task.q, task.step
    n = q.shape[0]
    before = miss = math.inf
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
        least_turns(ranges, xy, rx, ry, damping, q, step, task.held)
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
def pose_with_limits(task, rng_seed):
    """Finds angles inside the ranges that bring the tip to distance D along the heading, else those of the least miss.

    Returns the stage that found them (1 a curve as it is, 2 mended, 3 drawn, 0 none), and the steps taken.
    """
    if lay_inside(task):
        return 1, 0
    q, seeds, ranges, D = task.q, task.seeds, task.ranges, task.D
    x, y = D * math.cos(task.heading), D * math.sin(task.heading)
    least, steps, state = math.inf, 0, rng_seed
    for k in range(MENDED + DRAWN):
        if k < MENDED:
            if seeds[k, GAP] == -math.inf:
                continue
            lay_seed(task.links, D, seeds[k, FIRST], seeds[k, SECOND], task.draft)
            read_angles(task.draft.xy, task.heading, seeds[k, SIDE], ranges, q)
            for i in range(q.shape[0]):
                q[i] = clamp(q[i], ranges[0, i], ranges[1, i])
        else:
            state = draw_angles(ranges, state, q)
        arrived, miss, count = bring_tip(task, x, y)
        steps += count
        if arrived:
            return (2 if k < MENDED else 3), steps
        if miss < least:
            least = miss
            copy(q, task.q_best)
    copy(task.q_best, q)
    return 0, steps


@lean
def lay_inside(task):
    """Lays the curves to both sides; returns whether one keeps all limits (it is in q), else remembers the best."""
    forget(task.seeds)
    for k in range(TILTS + 1):
        tilt = tilt_of(k)
        if lay_seed(task.links, task.D, tilt, tilt, task.draft) == FAILED:
            continue
        for flip in range(2):
            hand = task.side if flip == 0 else -task.side
            violation = read_angles(task.draft.xy, task.heading, hand, task.ranges, task.q)
            if violation == 0.0:
                return True
            remember(task.seeds, MENDED, -violation, tilt, tilt, hand)
    return False


@lean
def draw_angles(ranges, state, q):
    """Draws angles inside the ranges; returns the new state of the generator."""
    for i in range(q.shape[0]):
        state, u = next_random(state)
        low, high = max(ranges[0, i], -math.pi), min(ranges[1, i], math.pi)
        q[i] = clamp(low + u * (high - low), ranges[0, i], ranges[1, i])
    return state
