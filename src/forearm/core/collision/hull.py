"""Exact signed distance of a segment from a convex hull, and from a column of a height field; nothing is allocated.

A hull is a row of its own and one for each of its triangles (`core/collision/obstacle_rows.py`). Outside, the nearest
point lies on a triangle that faces the segment; inside, the shortest way out leads along a triangle's normal, or
across the segment and an edge whose two triangles that direction lies between.

A column is all below a triangle down to its floor. Inside, the way out of it leads up: beside it stand others.
"""

import math

from forearm.core.collision.distance import GRAZING, shrunk
from forearm.core.collision.triangle import segment_corners, segment_triangle
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp
from forearm.core.maths.vectors import cross, dot, length, minus, plus, read, times

# columns of a hull's triangle: its unit normal, its corners, the triangles beyond its edges (counted from 0), and how
# far its plane is from the hull's middle; of a column, CORNERS are those above and BEYOND the way from its middle to
# its floor
NORMAL, CORNERS, BEYOND, OFFSET = 2, 5, 14, 17
SIDES = ((0, 3, 4), (0, 4, 1), (1, 4, 5), (1, 5, 2), (2, 5, 3), (2, 3, 0), (3, 5, 4), (0, 1, 2))  # of a column


@lean
def segment_hull(rows, first, last, p, d):
    """Signed distance of p + s d, as seen from the hull's middle, from a hull with triangles first to last - 1."""
    low, high = 0.0, 1.0
    for k in range(first, last):
        n = read(rows, k, NORMAL)
        low, high = below(dot(n, p) - rows[k, OFFSET], dot(n, d), low, high)
        if low > high:
            break
    if low <= high:
        return way_out_of_hull(rows, first, last, p, d, 0.5 * (low + high))
    best, s, way = math.inf, 0.0, (1.0, 0.0, 0.0)
    for k in range(first, last):
        n = read(rows, k, NORMAL)
        height = dot(n, p) - rows[k, OFFSET]
        if max(height, height + dot(n, d)) > 0.0:
            size, at, aside = segment_triangle(rows, k, CORNERS, p, d)
            if size < best:
                best, s, way = size, at, aside
    if best <= GRAZING:
        return way_out_of_hull(rows, first, last, p, d, s)
    return best, s, way


@leaf
def below(height, rise, low, high):
    """The part of [low, high] on which height + s rise is not above 0; none if it ends before it begins."""
    if rise == 0.0:
        return low, high if height <= 0.0 else -1.0
    if rise > 0.0:
        return low, min(high, -height / rise)
    return max(low, -height / rise), high


@lean
def way_out_of_hull(rows, first, last, p, d, inside):
    """The shortest way of a segment out of the hull it meets: minus its length, where on it, the direction."""
    best, s, way = math.inf, inside, (1.0, 0.0, 0.0)
    for k in range(first, last):
        n = read(rows, k, NORMAL)
        height, rise = dot(n, p) - rows[k, OFFSET], dot(n, d)
        if -min(height, height + rise) < best:
            best, way = -min(height, height + rise), n
            s = inside if rise == 0.0 else 0.0 if rise > 0.0 else 1.0
        for i in range(3):
            other = first + int(rows[k, BEYOND + i])
            if other > k:  # each edge once
                corner = read(rows, k, CORNERS + 3 * i)
                edge = minus(read(rows, k, CORNERS + 3 * ((i + 1) % 3)), corner)
                depth, at, aside = over_edge(corner, edge, n, read(rows, other, NORMAL), p, d)
                if depth < best:
                    best, s, way = depth, at, aside
    return -max(best, 0.0), s, way


@leaf
def over_edge(corner, edge, n, m, p, d):
    """How far a segment must go across itself and an edge between triangles with normals n and m; infinite if it can't.

    The direction must point away from both triangles, so that nothing of the hull lies beyond the edge.
    """
    across = cross(edge, d)
    size = length(across)
    if size > 0.0:
        way = shrunk(across, size if dot(across, plus(n, m)) > 0.0 else -size)
        if dot(way, cross(n, edge)) <= 0.0 and dot(way, cross(edge, m)) <= 0.0:
            x = minus(p, corner)
            a, b, c = dot(d, d), dot(d, edge), dot(edge, edge)
            s = (b * dot(edge, x) - c * dot(d, x)) / (a * c - b * b) if a * c > b * b else 0.5
            return -dot(way, x), clamp(s, 0.0, 1.0), way
    return math.inf, 0.5, edge


@leaf
def column_corner(rows, k, i):
    """Corner i of a column, as seen from its middle: three above, then three on its floor."""
    corner, down = read(rows, k, CORNERS + 3 * (i % 3)), read(rows, k, BEYOND)
    return corner if i < 3 else plus(corner, times(1.0 - dot(corner, down) / dot(down, down), down))


@lean
def segment_column(rows, k, p, d):
    """Signed distance of p + s d, as seen from the column's middle, from a column."""
    a, b, c = column_corner(rows, k, 0), column_corner(rows, k, 1), column_corner(rows, k, 2)
    down = read(rows, k, BEYOND)
    top = cross(minus(b, a), minus(c, a))
    top = shrunk(top, length(top) if dot(top, down) < 0.0 else -length(top))
    height, rise = dot(top, minus(p, a)), dot(top, d)
    low, high = below(height, rise, 0.0, 1.0)
    low, high = below(dot(down, minus(p, down)), dot(down, d), low, high)
    for i in range(3):
        one, two, three = (a, b, c) if i == 0 else (b, c, a) if i == 1 else (c, a, b)
        n = cross(minus(two, one), down)
        if dot(n, minus(three, one)) > 0.0:
            n = times(-1.0, n)
        low, high = below(dot(n, minus(p, one)), dot(n, d), low, high)
    if low <= high:
        s = 0.5 * (low + high) if rise == 0.0 else low if rise > 0.0 else high
        return min(height + s * rise, 0.0), s, top
    best, s, way = math.inf, 0.0, top
    for i, j, m in SIDES:
        corners = (column_corner(rows, k, i), column_corner(rows, k, j), column_corner(rows, k, m))
        size, at, aside = segment_corners(corners, p, d)
        if size < best:
            best, s, way = size, at, aside
    return best, s, way
