"""How near two surfaces of triangles come: asked of two trees of balls, and of triangles where balls are near.

A surface is `triangles` (t, 15), three corners, a radius about all of them (a ball is a triangle without size), how
far they are from a joint's axis at most, their mean and how far they are from it, in groups of equal length; and
`balls` (2 g - 1, 11), the middle and radius round all, round both halves and so on down to the g groups, as
`core/maths/balls.py` writes them, with how far they are from that axis, and the center of their triangles and the sum
of their areas along the normals.

What is near is told by three numbers: a distance, and what is added for each metre from the axis of the first surface
and of the second: what either moves by as the joints turn.
"""

import math
from typing import Any, NamedTuple

from forearm.core.collision.distance import segment_segment, shrunk
from forearm.core.collision.triangle import over_inside
from forearm.core.jit import leaf, lean
from forearm.core.maths.se3 import apply_rotation
from forearm.core.maths.vectors import cross, dot, length, minus, plus, read

ROUND, AXIS, MIDDLE, EXTENT = 9, 10, 11, 14  # of a triangle
BALL_AXIS, CENTER, AREA = 4, 5, 8  # of a ball
TRIANGLE_COLUMNS, BALL_COLUMNS = 15, 11
FAR_OFF = 3.0  # from a place so many radii away triangles in a ball look like one of the same area
TINY = 1e-12  # more than nothing [m]
PILE = 128  # pairs of balls that wait to be looked at: a tree is never so deep


class Surface(NamedTuple):
    """A link's surface in the frame of its joint."""

    triangles: Any  # (t, 15)
    balls: Any  # (2 g - 1, 11)
    marks: Any  # (k, 3) a point of each of its parts


@leaf
def moved(T, x):
    """A point in another frame."""
    return plus(apply_rotation(T, x[0], x[1], x[2]), (T[0, 3], T[1, 3], T[2, 3]))


@leaf
def apart(one, i, other, j, T, near):
    """How much farther than near ball i of a surface is from ball j of another one, whose frame stands at T."""
    x = minus(moved(T, read(other.balls, j, 0)), read(one.balls, i, 0))
    gap = length(x) - one.balls[i, 3] - other.balls[j, 3]
    return gap - near[0] - near[1] * one.balls[i, BALL_AXIS] - near[2] * other.balls[j, BALL_AXIS]


@leaf
def is_within(one, other, T, near, pile):
    """Whether any points of two surfaces are near each other; `pile` is (PILE, 2) scratch."""
    return nearest(one, other, T, near, TINY, 0.0, pile)[0] <= 0.0


@lean
def nearest(one, other, T, near, most, enough, pile):
    """How much farther than near two surfaces are, if that is less than `most`, else `most`; what near is there.

    Once something at most `enough` is found, that will do. `pile` is (PILE, 2) scratch.
    """
    least, reach = most, 0.0
    pile[0, 0], pile[0, 1], count = 0.0, 0.0, 1 if apart(one, 0, other, 0, T, near) < most else 0
    leaves, others = one.balls.shape[0] // 2, other.balls.shape[0] // 2
    while count > 0 and least > enough:
        count -= 1
        i, j = int(pile[count, 0]), int(pile[count, 1])
        if apart(one, i, other, j, T, near) >= least:
            continue
        if i >= leaves and j >= others:
            found = groups_apart(one, i - leaves, other, j - others, T, near, least)
            if found[0] < least:
                least, reach = found
            continue
        split = j >= others or (i < leaves and one.balls[i, 3] >= other.balls[j, 3])
        a, b = (2 * i + 1, j) if split else (i, 2 * j + 1)
        c, d = (2 * i + 2, j) if split else (i, 2 * j + 2)
        first, second = apart(one, a, other, b, T, near), apart(one, c, other, d, T, near)
        if second < first:  # the nearer one comes out of the pile first
            a, b, c, d, first, second = c, d, a, b, second, first
        if second < least:
            pile[count, 0], pile[count, 1] = c, d
            count += 1
        if first < least:
            pile[count, 0], pile[count, 1] = a, b
            count += 1
    return least, reach


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
