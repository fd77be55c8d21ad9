"""Exact braking in ticks: how fast a joint may move and still stop in time.

Slowing by w a tick from speed v takes `dt (v + (v - w) + ...)`. The greatest v whose sum stays within d is a formula;
the continuous `sqrt(2 a d)` is not it, and breaks the bound on acceleration at the last tick.
"""

import math

from forearm.core.jit import leaf
from forearm.core.maths.limits import clamp
from forearm.core.servo.state import FASTEST, HARDEST, PLACE, QUICKEST, SLOWEST, SPEED, TICK


@leaf
def brake(distance, w, dt, fastest):
    """The greatest speed up to `fastest`, this tick's included, from which slowing by w a tick stops within a distance.

    After k ticks of slowing at least w is left, so `d = dt ((k + 1) v - w k (k + 1) / 2)`.
    """
    ticks = distance / (w * dt)
    if not ticks > 0.0:
        return 0.0
    most = fastest / w + 1.0
    if ticks >= 0.5 * most * (most + 1.0):
        return fastest
    k = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * ticks) - 1.0))
    return min(fastest, w * (ticks + 0.5 * k * (k + 1.0)) / (k + 1.0))


@leaf
def set_box(memory, limits):
    """Writes the least and the greatest speed of each joint for this tick.

    Never empty for a joint that could stop in time a tick ago: slowing by w is inside then.
    """
    rows, dt = memory.rows, memory.numbers[TICK]
    for k in range(limits.shape[1]):
        q, v, fastest, w = rows[PLACE, k], rows[SPEED, k], rows[FASTEST, k], rows[HARDEST, k] * dt
        rows[SLOWEST, k] = max(v - w, -brake(q - limits[0, k], w, dt, fastest))
        rows[QUICKEST, k] = min(v + w, brake(limits[1, k] - q, w, dt, fastest))


@leaf
def in_box(memory, k, wish):
    """The speed of joint k nearest to a wish that its bounds allow; acceleration is kept whatever else is."""
    rows = memory.rows
    v, w = rows[SPEED, k], rows[HARDEST, k] * memory.numbers[TICK]
    return clamp(clamp(wish, rows[SLOWEST, k], rows[QUICKEST, k]), v - w, v + w)
