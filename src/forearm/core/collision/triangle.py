"""Exact distance of a segment from a triangle: the facets that meshes are made of.

The nearest points lie where the segment pierces the triangle, at an end of the segment above the
triangle's inside, or on an edge of the triangle; each case is looked at. A triangle has no inside, so
a distance is never negative: it is zero where the segment pierces it.
"""

import math

from forearm.core.collision.distance import point_at, segment_segment, shrunk
from forearm.core.jit import leaf, lean
from forearm.core.maths.vectors import cross, dot, length, minus, read, times


@leaf
def segment_triangle(rows, k, column, p, d):
    """Distance of p + s d from the triangle whose corners are nine numbers of a row; it, s and the unit vector away."""
    return segment_corners((read(rows, k, column), read(rows, k, column + 3), read(rows, k, column + 6)), p, d)


@lean
def segment_corners(corners, p, d):
    """The same for the triangle with these three corners."""
    corner = corners[0]
    u, v = minus(corners[1], corner), minus(corners[2], corner)
    across = cross(u, v)
    area = length(across)
    best, s, n = math.inf, 0.0, (1.0, 0.0, 0.0)
    if area > 0.0:  # else it is a line, and its edges are all of it
        best, s, n = over_inside(u, v, shrunk(across, area), minus(p, corner), d)
    if best > 0.0:
        for i in range(3):
            one = corners[i]
            edge = minus(corners[(i + 1) % 3], one)
            size, t, aside = segment_segment(p, d, one, edge)
            if size < best:
                best, s, n = size, t, aside
    return best, s, n


@leaf
def over_inside(u, v, n, p, d):
    """The nearest of both ends above the inside of the triangle and the place where the segment pierces it.

    All is seen from the first corner; u and v lead to the others, n is the unit normal.
    """
    height, rise = dot(n, p), dot(n, d)
    best, s, sign = math.inf, 0.0, 1.0
    for k in range(3):
        t = 0.0 if k == 0 else 1.0
        if k == 2:
            if rise == 0.0 or not 0.0 < -height / rise < 1.0:
                continue
            t = -height / rise
        h = 0.0 if k == 2 else height + t * rise
        if abs(h) < best and holds(u, v, n, point_at(p, d, t)):
            side = h if h != 0.0 else 2.0 * height + rise  # pierced: toward the side with most of the segment
            best, s, sign = abs(h), t, 1.0 if side >= 0.0 else -1.0
    return best, s, times(sign, n)


@leaf
def holds(u, v, n, x):
    """Whether a point, as seen from the first corner, lies above the inside of the triangle."""
    if not (dot(cross(n, u), x) >= 0.0 and dot(cross(v, n), x) >= 0.0):
        return False
    return dot(cross(n, minus(v, u)), minus(x, u)) >= 0.0
