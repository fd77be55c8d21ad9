"""Exact distances of a segment from a point, a segment and a box; nothing is allocated.

A segment is `p + s d`: a point and the way to its other end, each a tuple of three. Each function gives back
the distance [m], where on the segment it is attained (s: 0 at its start, 1 at its end), and the unit
vector that leads away from the other shape: a segment moved along it by s is s farther. Radii are the
caller's to subtract. A segment that meets a box has a negative distance, the way out of it (separating
axes). Where all z are zero every z here is zero, to the bit, and so are ways out: a planar scene
stays planar. Boxes of such a scene are `FLAT` along z.
"""

import math

from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp
from forearm.core.maths.vectors import cross, dot, length, minus, plus, times

# Directions whose sine squared is below this count as parallel: the formula for two lines loses its
# digits there, and ends of the segments are looked at too.
PARALLEL = 1e-6
# A point this near to a box [m] may be where a segment enters it, rounded to its outside: one that only
# touches has no way out to go, so it loses nothing.
GRAZING = 1e-13
# Half the size of a planar box along z: no way out leads there, and its products stay finite.
FLAT = 1e150


@leaf
def point_at(p, d, s):
    """The point p + s d."""
    return plus(p, times(s, d))


@leaf
def shrunk(a, size):
    """A vector divided by a number."""
    return a[0] / size, a[1] / size, a[2] / size


@leaf
def away(v, d):
    """Length and unit vector of v; for a zero vector one across d, in the plane z = 0 if that is."""
    size = length(v)
    if size > 0.0:
        return size, shrunk(v, size)
    size = math.sqrt(d[1] * d[1] + d[0] * d[0])
    if size > 0.0:
        return 0.0, (-d[1] / size, d[0] / size, 0.0)
    return 0.0, (1.0, 0.0, 0.0)


@leaf
def segment_point(p, d, c):
    """Distance of the segment p + s d from the point c; returns distance, s and the unit vector away from c."""
    x, square = minus(p, c), dot(d, d)
    s = clamp(-dot(x, d) / square, 0.0, 1.0) if square > 0.0 else 0.0
    size, n = away(point_at(x, d, s), d)
    return size, s, n


@leaf
def segment_segment(p, d, q, e):
    """Distance of the segment p + s d from q + t e; returns distance, s and the unit vector away from the second."""
    x = minus(p, q)
    a, b, c, f, g = dot(d, d), dot(d, e), dot(e, e), dot(d, x), dot(e, x)
    if a == 0.0 or c == 0.0:
        s = clamp(-f / a, 0.0, 1.0) if a > 0.0 else 0.0
        t = clamp(g / c, 0.0, 1.0) if c > 0.0 else 0.0
    else:
        s, t = between_lines(a, b, c, f, g)
        if a * c - b * b < PARALLEL * a * c:
            s, t = nearest_ends(a, b, c, f, g, s, t)
    size, n = away(minus(point_at(x, d, s), times(t, e)), d)
    return size, s, n


@leaf
def between_lines(a, b, c, f, g):
    """Where two segments are closest by the formula for lines, clamped twice; exact unless nearly parallel."""
    denominator = a * c - b * b
    s = clamp((b * g - f * c) / denominator, 0.0, 1.0) if denominator > 0.0 else 0.0
    t = clamp((b * s + g) / c, 0.0, 1.0)
    s = clamp((b * t - f) / a, 0.0, 1.0)
    return s, clamp((b * s + g) / c, 0.0, 1.0)


@leaf
def nearest_ends(a, b, c, f, g, s, t):
    """The best of (s, t) and the four ends of two segments, each end with the nearest point to it."""
    best = gap_square(a, b, c, f, g, s, t)
    for k in range(4):
        if k < 2:
            u = float(k)
            v = clamp((b * u + g) / c, 0.0, 1.0)
        else:
            v = float(k - 2)
            u = clamp((b * v - f) / a, 0.0, 1.0)
        square = gap_square(a, b, c, f, g, u, v)
        if square < best:
            best, s, t = square, u, v
    return s, t


@leaf
def gap_square(a, b, c, f, g, s, t):
    """The squared distance at (s, t) but for a constant."""
    return s * (a * s + 2.0 * f - 2.0 * b * t) + t * (c * t - 2.0 * g)


@leaf
def outside(x, h):
    """How far each coordinate lies outside [-h, h], with its sign."""
    return x[0] - clamp(x[0], -h[0], h[0]), x[1] - clamp(x[1], -h[1], h[1]), x[2] - clamp(x[2], -h[2], h[2])


@lean
def segment_box(p, d, h):
    """Signed distance of p + s d from the box of half sizes h round the origin, along the axes.

    Half the derivative of the squared distance is piecewise linear and never falls; between the
    crossings of the faces it is interpolated, so the answer is exact.
    """
    if box_slope(p, d, h, 0.0) >= 0.0:
        s = 0.0
    elif box_slope(p, d, h, 1.0) <= 0.0:
        s = 1.0
    else:
        low, high = shrink(p[0], d[0], h[0], p, d, h, 0.0, 1.0)
        low, high = shrink(p[1], d[1], h[1], p, d, h, low, high)
        low, high = shrink(p[2], d[2], h[2], p, d, h, low, high)
        f, g = box_slope(p, d, h, low), box_slope(p, d, h, high)
        s = low if g <= f else clamp(low - f * (high - low) / (g - f), low, high)
    x = outside(point_at(p, d, s), h)
    if abs(x[0]) <= GRAZING and abs(x[1]) <= GRAZING and abs(x[2]) <= GRAZING:
        return way_out(p, d, h)
    size, n = away(x, d)
    return size, s, n


@leaf
def box_slope(p, d, h, s):
    """Half the derivative of the squared distance at s."""
    return dot(d, outside(point_at(p, d, s), h))


@leaf
def shrink(x, way, half, p, d, h, low, high):
    """The bracket of the slope's zero, cut where one coordinate crosses its two faces."""
    if way != 0.0:
        for sign in (-1.0, 1.0):
            s = (sign * half - x) / way
            if low < s < high:
                if box_slope(p, d, h, s) < 0.0:
                    low = s
                else:
                    high = s
    return low, high


@lean
def way_out(p, d, h):
    """The shortest way of a segment out of the box it meets: minus its length, the middle inside, the direction.

    Separating axes: the faces of the box, and the box's edges crossed with the segment.
    """
    low, high = inside_part(p[0], d[0], h[0], 0.0, 1.0)
    low, high = inside_part(p[1], d[1], h[1], low, high)
    low, high = inside_part(p[2], d[2], h[2], low, high)
    best, way = math.inf, (1.0, 0.0, 0.0)
    for axis in range(3):
        face = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
        edge = cross(d, face)
        size = length(edge)
        for k in range(4):
            if k < 2:
                n = face
            elif size > 0.0:
                n = shrunk(edge, size)
            else:
                break
            if k % 2 == 1:
                n = (-n[0], -n[1], -n[2])
            first = dot(n, p)
            least = min(first, first + dot(n, d))
            depth = h[0] * abs(n[0]) + h[1] * abs(n[1]) + h[2] * abs(n[2]) - least
            if depth < best:
                best, way = depth, n
    return -max(best, 0.0), 0.5 * (low + high), way


@leaf
def inside_part(x, way, half, low, high):
    """The part of [low, high] on which a coordinate lies between its two faces."""
    if way != 0.0:
        s, t = (-half - x) / way, (half - x) / way
        low, high = max(low, min(s, t)), min(high, max(s, t))
    return low, max(low, high)
