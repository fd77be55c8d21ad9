"""A segment among distances that are given on a grid, interpolated along its three axes; nothing is allocated.

Along a segment the interpolated distance is a cubic from one plane of the grid to the next, so its least value is found
exactly, cell after cell; cells none of whose eight corners is below the least so far are passed over. Outside the grid,
no obstacle is nearer than the grid itself, nor than the distance at its nearest point: the larger of both counts.

The numbers of a grid follow its row (`core/collision/obstacle_rows.py`): three counts in a row of their own, then the
distances, 18 a row, the last axis fastest.
"""

import math

from forearm.core.collision.distance import shrunk
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp
from forearm.core.maths.vectors import length

COLUMNS = 18


@lean
def segment_grid(rows, k, step, p, d):
    """The least distance along p + s d, where on it, and the way out there; all in the grid's axes, from its middle.

    `step` are the distances between planes [m]; row k has the counts.
    """
    count = (int(rows[k, 0]), int(rows[k, 1]), int(rows[k, 2]))
    x, y = seen(p[0], d[0], step[0], count[0]), seen(p[1], d[1], step[1], count[1])
    lines, best, s, at = (x, y, seen(p[2], d[2], step[2], count[2])), math.inf, 0.0, 0.0
    while True:
        end = min(next_plane(x, count[0], at), next_plane(y, count[1], at), next_plane(lines[2], count[2], at), 1.0)
        corner = corner_at(lines, count, 0.5 * (at + end))
        if lowest_corner(rows, k, count, corner) < best:
            size, t = least_between(rows, k, count, step, lines, corner, at, end)
            if size < best:
                best, s = size, t
        if end >= 1.0 or not end > at:
            break
        at = end
    return best, s, gradient(rows, k, count, step, lines, s)


@leaf
def seen(p, d, step, count):
    """A coordinate along the segment, in cells from the first plane: where it starts, and how far it goes."""
    return p / step + 0.5 * (count - 1), d / step


@leaf
def next_plane(line, count, at):
    """Where the segment crosses the next plane of one axis behind a place; beyond its end if it crosses none."""
    start, way = line
    if way == 0.0:
        return math.inf
    here = start + at * way
    plane = math.floor(here) + 1.0 if way > 0.0 else math.ceil(here) - 1.0
    plane = max(plane, 0.0) if way > 0.0 else min(plane, count - 1.0)
    if plane < 0.0 or plane > count - 1.0:
        return math.inf
    there = (plane - start) / way
    if there <= at:  # rounded back to where it is: the plane behind
        there = (plane + (1.0 if way > 0.0 else -1.0) - start) / way
    return max(there, at)


@leaf
def corner_at(lines, count, at):
    """The cell that holds the segment at a place, or the one nearest to it, by its first corner."""
    return cell(lines[0], count[0], at), cell(lines[1], count[1], at), cell(lines[2], count[2], at)


@leaf
def cell(line, count, at):
    """The same along one axis."""
    return int(clamp(math.floor(line[0] + at * line[1]), 0.0, count - 2.0))


@leaf
def value(rows, k, count, i, j, m):
    """The distance at a point of the grid."""
    place = (i * count[1] + j) * count[2] + m
    return rows[k + 1 + place // COLUMNS, place % COLUMNS]


@lean
def lowest_corner(rows, k, count, corner):
    """The least distance at the corners of a cell: it is nowhere less inside."""
    least, (i, j, m) = math.inf, corner
    for a in range(8):
        least = min(least, value(rows, k, count, i + a // 4, j + a // 2 % 2, m + a % 2))
    return least


@lean
def interpolated(rows, k, count, corner, u, v, w):
    """The distance inside a cell, at shares of its three edges."""
    total, (i, j, m) = 0.0, corner
    for a in range(8):
        share = (u if a // 4 == 1 else 1.0 - u) * (v if a // 2 % 2 == 1 else 1.0 - v) * (w if a % 2 == 1 else 1.0 - w)
        total += share * value(rows, k, count, i + a // 4, j + a // 2 % 2, m + a % 2)
    return total


@leaf
def held(line, corner, at):
    """The share of a cell's edge at a place of the segment, held inside the cell."""
    return clamp(line[0] + at * line[1] - corner, 0.0, 1.0)


@leaf
def along(rows, k, count, lines, corner, at):
    """The distance at a place of the segment, or at the point of the cell that is nearest to it."""
    u, v, w = held(lines[0], corner[0], at), held(lines[1], corner[1], at), held(lines[2], corner[2], at)
    return interpolated(rows, k, count, corner, u, v, w)


@lean
def least_between(rows, k, count, step, lines, corner, low, high):
    """The least value on a stretch inside one cell, or beside one, and where it is.

    Four values make the cubic; its least one is at an end of the stretch or where its slope is zero.
    """
    width = high - low
    a, b = along(rows, k, count, lines, corner, low), along(rows, k, count, lines, corner, low + width / 3.0)
    c, d = along(rows, k, count, lines, corner, low + 2.0 * width / 3.0), along(rows, k, count, lines, corner, high)
    cubic, square = 13.5 * (d - 3.0 * c + 3.0 * b - a), 4.5 * (2.0 * a - 5.0 * b + 4.0 * c - d)
    linear = 0.5 * (-11.0 * a + 18.0 * b - 9.0 * c + 2.0 * d)
    best, s = (a, low) if a <= d else (d, high)
    under = square * square - cubic * linear
    bottom = -square - math.copysign(math.sqrt(max(under, 0.0)), square)
    for i in range(2):  # both zeros of cubic t^2 + 2 square t + linear
        over, under_it = (bottom, cubic) if i == 0 else (linear, bottom)
        t = over / under_it if under >= 0.0 and under_it != 0.0 else -1.0
        if 0.0 < t < 1.0:
            at = along(rows, k, count, lines, corner, low + t * width)
            if at < best:
                best, s = at, low + t * width
    size, t = least_beside(count, step, lines, low, high)
    return (size, t) if size > best else (best, s)


@leaf
def beyond(lines, step, count, axis, at):
    """How far the segment is outside the grid along one axis at a place, with its sign [m]."""
    x = lines[axis][0] + at * lines[axis][1]
    return step[axis] * (x - clamp(x, 0.0, count[axis] - 1.0))


@leaf
def off_grid(lines, step, count, at):
    """The way from the grid to the segment at a place [m]; zero inside."""
    return beyond(lines, step, count, 0, at), beyond(lines, step, count, 1, at), beyond(lines, step, count, 2, at)


@lean
def least_beside(count, step, lines, low, high):
    """The least distance of a stretch from the grid, and where it is; minus infinity for one inside.

    The stretch crosses none of the grid's planes, so it is outside along the same axes all the way.
    """
    pull, weight, middle, outside = 0.0, 0.0, off_grid(lines, step, count, 0.5 * (low + high)), False
    for axis in range(3):
        if middle[axis] != 0.0:
            way, outside = step[axis] * lines[axis][1], True
            pull += way * beyond(lines, step, count, axis, low)
            weight += way * way
    s = clamp(low - pull / weight, low, high) if weight > 0.0 else low
    return (length(off_grid(lines, step, count, s)) if outside else -math.inf), s


@lean
def gradient(rows, k, count, step, lines, at):
    """The unit direction in which the distance grows fastest at a place of the segment."""
    corner, g = corner_at(lines, count, at), off_grid(lines, step, count, at)
    u, v, w = held(lines[0], corner[0], at), held(lines[1], corner[1], at), held(lines[2], corner[2], at)
    if length(g) == 0.0 or length(g) <= interpolated(rows, k, count, corner, u, v, w):
        up = interpolated(rows, k, count, corner, 1.0, v, w) - interpolated(rows, k, count, corner, 0.0, v, w)
        on = interpolated(rows, k, count, corner, u, 1.0, w) - interpolated(rows, k, count, corner, u, 0.0, w)
        to = interpolated(rows, k, count, corner, u, v, 1.0) - interpolated(rows, k, count, corner, u, v, 0.0)
        g = (
            up / step[0] if g[0] == 0.0 else 0.0,
            on / step[1] if g[1] == 0.0 else 0.0,
            to / step[2] if g[2] == 0.0 else 0.0,
        )
    size = length(g)
    return shrunk(g, size) if size > 0.0 else (0.0, 0.0, 1.0)
