"""Exact signed distance of a segment from a solid cylinder; nothing is allocated.

Outside, half the derivative of the squared distance along the segment never falls, so its zero is bracketed. Inside,
the shortest way out leads through an end, through the wall, or over a rim with a direction across the segment; each
is looked at, and of the last kind there is at most one that is locally shortest.
"""

import math

from forearm.core.collision.distance import GRAZING, away, point_at, shrunk
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp
from forearm.core.maths.vectors import any_across, cross, dot, length, minus, plus, times

ROUNDS, NARROW = 80, 1e-16  # of a bracket: how often it is made smaller at most, and when it is small enough


@lean
def segment_cylinder(p, d, u, half, radius):
    """Signed distance of p + s d from the cylinder round the origin along the unit vector u; it, s and the way away."""
    z, w = dot(u, p), dot(u, d)
    x, y = minus(p, times(z, u)), minus(d, times(w, u))  # across the axis
    s, low, high = 0.0, cylinder_slope(x, y, z, w, half, radius, 0.0), cylinder_slope(x, y, z, w, half, radius, 1.0)
    if low < 0.0:
        s = 1.0 if high <= 0.0 else slope_zero(x, y, z, w, half, radius, low, high)
    q, height = point_at(x, y, s), z + s * w
    wide, over = length(q), abs(height) - half
    aside, above = max(wide - radius, 0.0), math.copysign(max(over, 0.0), height)
    if aside <= GRAZING and abs(above) <= GRAZING:
        return way_out_of_cylinder(p, d, u, half, radius)
    outward = times(above, u)
    size, n = away(plus(outward, times(aside / wide, q)) if aside > 0.0 else outward, d)
    return size, s, n


@leaf
def cylinder_slope(x, y, z, w, half, radius, s):
    """Half the derivative of the squared distance at s."""
    q, height = point_at(x, y, s), z + s * w
    wide, over, slope = length(q), abs(height) - half, 0.0
    if wide > radius:
        slope += (wide - radius) * dot(q, y) / wide
    return slope + math.copysign(over, height) * w if over > 0.0 else slope


@lean
def slope_zero(x, y, z, w, half, radius, low, high):
    """Where the slope is zero, between a start where it is below and an end where it is not."""
    a, b, s = 0.0, 1.0, 0.5
    for k in range(ROUNDS):
        s = 0.5 * (a + b) if k % 3 == 2 else clamp(a - low * (b - a) / (high - low), a, b)
        at = cylinder_slope(x, y, z, w, half, radius, s)
        if at < 0.0:
            a, low, high = s, at, high if k % 3 == 2 else 0.5 * high
        else:
            b, high, low = s, at, low if k % 3 == 2 else 0.5 * low
        if at == 0.0 or b - a <= NARROW:
            break
    return s


@lean
def way_out_of_cylinder(p, d, u, half, radius):
    """The shortest way of a segment out of the cylinder it meets: minus its length, where on it, the direction."""
    z, w = dot(u, p), dot(u, d)
    lower = 0.5 if w == 0.0 else 0.0 if w > 0.0 else 1.0  # where on it the lower end is
    best, s, n = half - min(z, z + w), lower, u  # through the end that u points to, then through the other
    depth = half + max(z, z + w)
    if depth < best:
        best, s, n = depth, 1.0 - lower, times(-1.0, u)
    x, y = minus(p, times(z, u)), minus(d, times(w, u))
    square, turn = dot(y, y), cross(u, y)
    t = clamp(-dot(x, y) / square, 0.0, 1.0) if square > 0.0 else 0.0
    wide, aside = away(point_at(x, y, t), turn if square > 0.0 else u)
    if 0.0 < t < 1.0:  # along the wall's tangent, whichever side is nearer
        aside = shrunk(turn, math.copysign(length(turn), dot(turn, x)))
    elif wide == 0.0:
        aside = any_across(u)
    depth = radius - min(dot(aside, x), dot(aside, point_at(x, y, 1.0)))
    if depth < best:
        best, s, n = depth, t, aside
    if square > 0.0:
        depth, over = over_rim(p, d, u, half, radius, shrunk(turn, length(turn)))
        if depth < best:
            best, n = depth, over
            rim = plus(times(math.copysign(half, dot(u, n)), u), times(radius, shrunk(*flat_part(n, u))))
            s = clamp(dot(minus(rim, p), d) / dot(d, d), 0.0, 1.0)
    return -max(best, 0.0), s, n


@leaf
def flat_part(n, u):
    """The part of n across u, and its length; 1 for one without."""
    flat = minus(n, times(dot(u, n), u))
    size = length(flat)
    return flat, size if size > 0.0 else 1.0


@lean
def over_rim(p, d, u, half, radius, x):
    """The shortest way over a rim across the segment, unless it is along x, the tangent across axis and segment.

    At an angle f from x it is as long as half c sin f + radius sqrt(1 - (c sin f)^2) - a cos f - b sin f; its slope
    over cos f falls, then rises, so from where it is least on there is one zero at most.
    """
    y = cross(d, x)
    y = shrunk(y, length(y))
    a, b, c = dot(x, p), dot(y, p), dot(y, u)
    x, y, a, b, c = times(math.copysign(1.0, a), x), times(math.copysign(1.0, b), y), abs(a), abs(b), abs(c)
    low, high, bend = 0.0, 0.5 * math.pi, radius * c * c
    if bend > a:
        m = (bend / a) ** (2.0 / 3.0) if a > 0.0 else math.inf
        low = math.asin(math.sqrt((m - 1.0) / (m - c * c))) if m < math.inf else high
    f = low
    if rim_slope(a, b, c, half, radius, low) < 0.0:
        for _ in range(ROUNDS):
            f = 0.5 * (low + high)
            slope = rim_slope(a, b, c, half, radius, f)
            step = f - slope / rim_bend(a, b, c, half, radius, f)
            low, high = (f, high) if slope < 0.0 else (low, f)
            if low < step < high:  # Newton's, kept inside
                f, slope = step, rim_slope(a, b, c, half, radius, step)
                low, high = (f, high) if slope < 0.0 else (low, f)
            if slope == 0.0 or high - low <= NARROW:
                break
    sine, cosine = math.sin(f), math.cos(f)
    depth = half * c * sine + radius * math.sqrt(1.0 - (c * sine) ** 2) - a * cosine - b * sine
    return depth, plus(times(cosine, x), times(sine, y))


@leaf
def rim_slope(a, b, c, half, radius, f):
    """How the way over a rim grows with its angle."""
    sine, cosine = math.sin(f), math.cos(f)
    return (half * c - b) * cosine - radius * c * c * sine * cosine / math.sqrt(1.0 - (c * sine) ** 2) + a * sine


@leaf
def rim_bend(a, b, c, half, radius, f):
    """How its slope grows."""
    sine, cosine = math.sin(f), math.cos(f)
    root = math.sqrt(1.0 - (c * sine) ** 2)
    bent = (cosine * cosine - sine * sine) / root + (c * sine * cosine) ** 2 / root**3
    return (b - half * c) * sine + a * cosine - radius * c * c * bent
