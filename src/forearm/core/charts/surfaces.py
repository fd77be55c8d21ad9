"""How near two surfaces of triangles come: asked of two trees of boxes, and of triangles where boxes are near.

A surface is `triangles` (t, 15), three corners, a radius about all of them (a ball is a triangle without size), how
far they are from a joint's axis at most, their mean and how far they are from it, in groups of equal length;
`balls` (2 g - 1, 26), the middle and radius round all, round both halves and so on down to the g groups, as
`core/maths/balls.py` writes them, with how far they are from that axis, the center of their triangles and the sum of
their areas along the normals, and a box about them, its middle, three directions and half of its extent along each: of
what is nearly flat it is thin; and `marks` (k, 3), a point of each of its parts. Kernels take it as one flat array:
t, g and k, then these.

What is near is told by three numbers: a distance, and what is added for each metre from the axis of the first surface
and of the second: what either moves by as the joints turn.
"""

import math
from typing import Any, NamedTuple

from forearm.core.collision.distance import segment_segment, shrunk
from forearm.core.collision.triangle import over_inside
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.se3 import apply_rotation
from forearm.core.maths.vectors import cross, dot, length, minus, plus, read
from forearm.core.shaped import shaped

ROUND, AXIS, MIDDLE, EXTENT = 9, 10, 11, 14  # of a triangle
BALL_AXIS, CENTER, AREA, BOX, WAYS, HALF = 4, 5, 8, 11, 14, 23  # of a ball
TRIANGLE_COLUMNS, BALL_COLUMNS, COUNTS = 15, 26, 3
FAR_OFF = 3.0  # from a place so many radii away triangles in a ball look like one of the same area
TINY = 1e-12  # more than nothing [m]
ANY_NEAR = (-1.0, math.inf)  # of `enough`: the first that is no farther than near will do
PILE = 128  # pairs of boxes that wait to be looked at: a tree is never so deep


class Surface(NamedTuple):
    """A link's surface in the frame of its joint."""

    triangles: Any  # (t, 15)
    balls: Any  # (2 g - 1, 26)
    marks: Any  # (k, 3) a point of each of its parts


@shared
def surface_size(t, g, k):
    """How many numbers a surface of t triangles in g groups, with k parts, is as one flat array."""
    return COUNTS + TRIANGLE_COLUMNS * t + BALL_COLUMNS * (2 * g - 1) + 3 * k


@leaf
def open_surface(flat):
    """A surface that is one flat array."""
    t, balls, k = int(flat[0]), 2 * int(flat[1]) - 1, int(flat[2])
    first = COUNTS + TRIANGLE_COLUMNS * t
    last = first + BALL_COLUMNS * balls
    triangles = shaped(flat[COUNTS:first], (t, TRIANGLE_COLUMNS))
    rows, marks = shaped(flat[first:last], (balls, BALL_COLUMNS)), shaped(flat[last : last + 3 * k], (k, 3))
    return Surface(triangles, rows, marks)


@leaf
def moved(T, x):
    """A point in another frame."""
    return plus(apply_rotation(T, x[0], x[1], x[2]), (T[0, 3], T[1, 3], T[2, 3]))


@lean
def apart(one, i, other, j, T, near):
    """How much farther than near box i of a surface is from box j of another one, whose frame stands at T, at least."""
    by = near[0] + near[1] * one.balls[i, BALL_AXIS] + near[2] * other.balls[j, BALL_AXIS]
    return boxes_apart(one.balls, i, other.balls, j, T) - by


@leaf
def boxes_apart(one, i, other, j, T):
    """How far two boxes are apart, at least: in the directions of either, the other's extents along these added."""
    x = minus(moved(T, read(other, j, BOX)), read(one, i, BOX))
    a, b, c = read(one, i, WAYS), read(one, i, WAYS + 3), read(one, i, WAYS + 6)
    h, k = read(one, i, HALF), read(other, j, HALF)
    mine, across = (0.0, 0.0, 0.0), 0.0
    for n in range(3):
        way = apply_rotation(T, other[j, WAYS + 3 * n], other[j, WAYS + 3 * n + 1], other[j, WAYS + 3 * n + 2])
        turned = abs(dot(a, way)), abs(dot(b, way)), abs(dot(c, way))
        mine = (mine[0] + k[n] * turned[0], mine[1] + k[n] * turned[1], mine[2] + k[n] * turned[2])
        beside = max(0.0, abs(dot(x, way)) - k[n] - dot(h, turned))
        across += beside * beside
    along = abs(dot(a, x)) - h[0] - mine[0], abs(dot(b, x)) - h[1] - mine[1], abs(dot(c, x)) - h[2] - mine[2]
    along = max(0.0, along[0]), max(0.0, along[1]), max(0.0, along[2])
    return math.sqrt(max(across, dot(along, along)))


@leaf
def is_within(one, other, T, near, pile):
    """Whether any points of two surfaces are near each other; `pile` is (PILE, 3) scratch."""
    return nearest(one, other, T, near, TINY, ANY_NEAR, pile)[0] <= 0.0


@leaf
def will_do(gap, reach, enough):
    """Whether something that is found ends a search: see `nearest`."""
    return reach > enough[1] or (gap <= 0.0 and reach > enough[0])


@lean
def nearest(one, other, T, near, most, enough, pile):
    """How much farther than near two surfaces are, if that is less than `most`, else `most`; what near is there.

    And in which groups of triangles. Once something is found where near is more than the second number of `enough`, or
    that is no farther than near, this more than the first, that will do. `pile` is (PILE, 3) scratch.
    """
    least, reach, at, beside = most, 0.0, -1, -1
    pile[0, 0], pile[0, 1], pile[0, 2] = 0.0, 0.0, apart(one, 0, other, 0, T, near)
    count = 1
    leaves, others = one.balls.shape[0] // 2, other.balls.shape[0] // 2
    while count > 0 and (at < 0 or not will_do(least, reach, enough)):
        count -= 1
        if pile[count, 2] >= least:
            continue
        i, j = int(pile[count, 0]), int(pile[count, 1])
        if i >= leaves and j >= others:
            found = groups_apart(one, i - leaves, other, j - others, T, near, least)
            if found[0] < least:
                least, reach, at, beside = found[0], found[1], i - leaves, j - others
            continue
        split = j >= others or (i < leaves and one.balls[i, 3] >= other.balls[j, 3])
        a, b = (2 * i + 1, j) if split else (i, 2 * j + 1)
        c, d = (2 * i + 2, j) if split else (i, 2 * j + 2)
        first, second = apart(one, a, other, b, T, near), apart(one, c, other, d, T, near)
        if second < first:  # the nearer one comes out of the pile first
            a, b, c, d, first, second = c, d, a, b, second, first
        if second < least:
            pile[count, 0], pile[count, 1], pile[count, 2] = c, d, second
            count += 1
        if first < least:
            pile[count, 0], pile[count, 1], pile[count, 2] = a, b, first
            count += 1
    return least, reach, at, beside


@leaf
def corners_of(triangles, k):
    """The corners of a triangle."""
    return read(triangles, k, 0), read(triangles, k, 3), read(triangles, k, 6)


@lean
def groups_apart(one, i, other, j, T, near, most):
    """As `nearest` for group i of one surface and group j of the other."""
    wide = one.triangles.shape[0] // (one.balls.shape[0] // 2 + 1)
    width = other.triangles.shape[0] // (other.balls.shape[0] // 2 + 1)
    least, reach = most, 0.0
    for b in range(j * width, (j + 1) * width):
        center, corners = moved(T, read(other.triangles, b, MIDDLE)), corners_of(other.triangles, b)
        corners = moved(T, corners[0]), moved(T, corners[1]), moved(T, corners[2])
        for a in range(i * wide, (i + 1) * wide):
            by = near[0] + near[1] * one.triangles[a, AXIS] + near[2] * other.triangles[b, AXIS]
            whole = by + one.triangles[a, ROUND] + other.triangles[b, ROUND]
            off = length(minus(read(one.triangles, a, MIDDLE), center))
            if off - one.triangles[a, EXTENT] - other.triangles[b, EXTENT] - whole < least:
                gap = triangles_apart(corners_of(one.triangles, a), corners, least + whole) - whole
                if gap < least:
                    least, reach = gap, by
    return least, reach


@lean
def triangles_apart(one, other, most):
    """How far two triangles are apart, if that is less than `most`, else infinity.

    Two of their edges are, or a corner of one and the face of the other; or an edge goes through a face.
    """
    if off_plane(one, other) >= most or off_plane(other, one) >= most:
        return math.inf
    least = min(off_face(one, other), off_face(other, one))
    if least > 0.0:
        for k in range(3):
            way = minus(other[(k + 1) % 3], other[k])
            for i in range(3):
                edge = minus(one[(i + 1) % 3], one[i])
                least = min(least, segment_segment(other[k], way, one[i], edge)[0])
    return least if least < most else math.inf


@leaf
def off_face(one, other):
    """How far corners of a triangle are above the inside of another one, 0 where an edge goes through; or infinity."""
    u, v = minus(one[1], one[0]), minus(one[2], one[0])
    across = cross(u, v)
    area, least = length(across), math.inf
    if area > 0.0:
        n = shrunk(across, area)
        for k in range(3):
            least = min(least, over_inside(u, v, n, minus(other[k], one[0]), minus(other[(k + 1) % 3], other[k]))[0])
    return least


@leaf
def off_plane(one, other):
    """How far a triangle is from the plane of another one; 0 where it crosses that."""
    n = cross(minus(one[1], one[0]), minus(one[2], one[0]))
    size = length(n)
    if not size > 0.0:
        return 0.0
    a, b, c = dot(n, minus(other[0], one[0])), dot(n, minus(other[1], one[0])), dot(n, minus(other[2], one[0]))
    return max(min(a, b, c), -max(a, b, c), 0.0) / size


@lean
def is_inside(one, other, T):
    """Whether a part of the other surface, whose frame stands at T, lies inside of the first."""
    for k in range(other.marks.shape[0]):
        x = moved(T, read(other.marks, k, 0))
        if length(minus(x, read(one.balls, 0, 0))) <= one.balls[0, 3] and winds_about(one, x):
            return True
    return False


@lean
def winds_about(surface, x):
    """Whether a surface winds about a point; parts far off are seen as a whole (Barill and others 2018)."""
    balls, leaves, total, k = surface.balls, surface.balls.shape[0] // 2, 0.0, 0
    width = surface.triangles.shape[0] // (leaves + 1)
    while True:
        away = minus(read(balls, k, CENTER), x)
        far = length(away)
        if far > FAR_OFF * balls[k, 3]:
            total += dot(read(balls, k, AREA), away) / far**3
        elif k < leaves:
            k = 2 * k + 1
            continue
        else:
            total += solid_angle(surface.triangles, (k - leaves) * width, (k - leaves + 1) * width, x)
        while k > 0 and k % 2 == 0:  # both halves are done
            k = (k - 1) // 2
        if k == 0:
            return abs(total) > 2.0 * math.pi
        k += 1


@leaf
def solid_angle(triangles, first, last, x):
    """The solid angle that triangles are seen under from a point (van Oosterom and Strackee 1983)."""
    total = 0.0
    for k in range(first, last):
        a, b, c = corners_of(triangles, k)
        a, b, c = minus(a, x), minus(b, x), minus(c, x)
        u, v, w = length(a), length(b), length(c)
        below = u * v * w + dot(a, b) * w + dot(b, c) * u + dot(c, a) * v
        total += 2.0 * math.atan2(dot(a, cross(b, c)), below)
    return total
