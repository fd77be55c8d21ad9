"""The cubic through two vertices of a curve and their tangents, and where one of its joints has a value."""

import math

from forearm.core.jit import leaf
from forearm.core.self_motion.layout import ALONG, AXES

TURN = 2.0 * math.pi
FINE, MOST = 1e-13, 60  # of a root


@leaf
def cubic(y0, y1, g0, g1, t):
    """The cubic with values y and slopes g at 0 and 1."""
    u = 1.0 - t
    return u * u * (y0 * (1.0 + 2.0 * t) + g0 * t) + t * t * (y1 * (3.0 - 2.0 * t) - g1 * u)


@leaf
def slope_at(y0, y1, g0, g1, t):
    """The slope of the cubic."""
    u = 1.0 - t
    return 6.0 * t * u * (y1 - y0) + u * (1.0 - 3.0 * t) * g0 + t * (3.0 * t - 2.0) * g1


@leaf
def write_between(a, b, t, q_out):
    """Writes the joint values at a share of the way between two vertices."""
    wide = b[ALONG] - a[ALONG]
    for j in range(AXES):
        q_out[j] = cubic(a[j], b[j], wide * a[AXES + j], wide * b[AXES + j], t)


@leaf
def turn_between(y0, y1):
    """The whole turns that bring the middle of two angles nearest to zero [rad]."""
    return TURN * math.floor(0.5 * (y0 + y1) / TURN + 0.5)


@leaf
def extremum(y0, y1, g0, g1, t0):
    """An extremum of the cubic in (t0, 1), or -1 if there is none."""
    # its slope is a t^2 + 2 b t + c
    a, b, c = 6.0 * (y0 - y1) + 3.0 * (g0 + g1), 3.0 * (y1 - y0) - 2.0 * g0 - g1, g0
    inside = b * b - a * c
    if inside <= 0.0:
        return -1.0
    root = -(b + math.copysign(math.sqrt(inside), b))
    one, other = root / a if a != 0.0 else -1.0, c / root if root != 0.0 else -1.0
    if one > other:
        one, other = other, one
    if t0 < one < 1.0:
        return one
    return other if t0 < other < 1.0 else -1.0


@leaf
def root_between(y0, y1, g0, g1, low, high):
    """The root of the cubic between two places where it has other signs."""
    f_low = cubic(y0, y1, g0, g1, low)
    f_high = cubic(y0, y1, g0, g1, high)
    side, t = 0, low
    for _ in range(MOST):
        if high - low < FINE or f_high == f_low:
            break
        t = (low * f_high - high * f_low) / (f_high - f_low)
        value = cubic(y0, y1, g0, g1, t)
        if value == 0.0 or abs(value) < FINE:
            break
        if value * f_high > 0.0:
            high, f_high, f_low = t, value, f_low * (0.5 if side == -1 else 1.0)
            side = -1
        else:
            low, f_low, f_high = t, value, f_high * (0.5 if side == 1 else 1.0)
            side = 1
    return t


@leaf
def roots(y0, y1, g0, g1):
    """How many roots the cubic has in (0, 1], at most three, and where."""
    # pieces between extrema are monotone: each has one root or none
    count, r0, r1, r2, low = 0, -1.0, -1.0, -1.0, 0.0
    f_low = y0
    for _ in range(3):
        middle = extremum(y0, y1, g0, g1, low)
        high = middle if middle > 0.0 else 1.0
        f_high = cubic(y0, y1, g0, g1, high) if middle > 0.0 else y1
        if (f_low < 0.0 <= f_high) or (f_high <= 0.0 < f_low):
            t = root_between(y0, y1, g0, g1, low, high) if f_high != 0.0 else high
            if count == 0:
                r0 = t
            elif count == 1:
                r1 = t
            else:
                r2 = t
            count += 1
        low, f_low = high, f_high
        if middle <= 0.0:
            break
    return count, r0, r1, r2
