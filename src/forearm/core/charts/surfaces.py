"""How near two surfaces of triangles come: asked of two trees of balls, and of triangles where balls are near.

A surface is `triangles` (t, 11), three corners, a radius about all of them (a ball is a triangle without size) and how
far they are from a joint's axis at most, in groups of equal length, and `balls` (2 g - 1, 5), the middle and radius
round all, round both halves and so on down to the g groups, as `core/maths/balls.py` writes them, with the same.

What is near is told by three numbers: a distance, and what is added for each metre from the axis of the first surface
and of the second: what either moves by as the joints turn.
"""

import math
from typing import Any, NamedTuple

from forearm.core.collision.triangle import segment_corners
from forearm.core.jit import leaf, lean
from forearm.core.maths.se3 import apply_rotation
from forearm.core.maths.vectors import cross, dot, length, minus, plus, read

ROUND, AXIS = 9, 10  # of a triangle
BALL_AXIS = 4  # of a ball
TRIANGLE_COLUMNS, BALL_COLUMNS = 11, 5
PILE = 128  # pairs of balls that wait to be looked at: a tree is never so deep


class Surface(NamedTuple):
    """A link's surface in the frame of its joint."""

    triangles: Any  # (t, 11)
    balls: Any  # (2 g - 1, 5)
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


@lean
def is_within(one, other, T, near, pile):
    """Whether any points of two surfaces are near each other; `pile` is (PILE, 2) scratch."""
    if apart(one, 0, other, 0, T, near) > 0.0:
        return False
    leaves, others = one.balls.shape[0] // 2, other.balls.shape[0] // 2
    pile[0, 0], pile[0, 1], count = 0.0, 0.0, 1
    while count > 0:
        count -= 1
        i, j = int(pile[count, 0]), int(pile[count, 1])
        if i >= leaves and j >= others:
            if groups_within(one, i - leaves, other, j - others, T, near):
                return True
            continue
        split = j >= others or (i < leaves and one.balls[i, 3] >= other.balls[j, 3])
        a, b = (2 * i + 1, j) if split else (i, 2 * j + 1)
        c, d = (2 * i + 2, j) if split else (i, 2 * j + 2)
        first, second = apart(one, a, other, b, T, near), apart(one, c, other, d, T, near)
        if second < first:  # the nearer one comes out of the pile first
            a, b, c, d, first, second = c, d, a, b, second, first
        if second <= 0.0:
            pile[count, 0], pile[count, 1] = c, d
            count += 1
        if first <= 0.0:
            pile[count, 0], pile[count, 1] = a, b
            count += 1
    return False


@leaf
def corners_of(triangles, k):
    """The corners of a triangle."""
    return read(triangles, k, 0), read(triangles, k, 3), read(triangles, k, 6)


@lean
def groups_within(one, i, other, j, T, near):
    """The same for group i of one surface and group j of the other."""
    wide = one.triangles.shape[0] // (one.balls.shape[0] // 2 + 1)
    width = other.triangles.shape[0] // (other.balls.shape[0] // 2 + 1)
    for b in range(j * width, (j + 1) * width):
        corners = corners_of(other.triangles, b)
        corners = moved(T, corners[0]), moved(T, corners[1]), moved(T, corners[2])
        for a in range(i * wide, (i + 1) * wide):
            reach = near[0] + one.triangles[a, ROUND] + other.triangles[b, ROUND]
            reach += near[1] * one.triangles[a, AXIS] + near[2] * other.triangles[b, AXIS]
            if triangles_within(corners_of(one.triangles, a), corners, reach):
                return True
    return False


@lean
def triangles_within(one, other, distance):
    """Whether two triangles are no farther apart than a distance: two of their edges or an edge and a face are."""
    middle = plus(plus(one[0], one[1]), one[2])
    off = minus(middle, plus(plus(other[0], other[1]), other[2]))
    wide = (radius_of(one, middle), radius_of(other, plus(plus(other[0], other[1]), other[2])))
    if length(off) / 3.0 - wide[0] - wide[1] > distance:
        return False
    if off_plane(one, other) > distance or off_plane(other, one) > distance:
        return False
    for k in range(3):
        if segment_corners(one, other[k], minus(other[(k + 1) % 3], other[k]))[0] <= distance:
            return True
        if segment_corners(other, one[k], minus(one[(k + 1) % 3], one[k]))[0] <= distance:
            return True
    return False


@leaf
def off_plane(one, other):
    """How far a triangle is from the plane of another one; 0 where it crosses that."""
    n = cross(minus(one[1], one[0]), minus(one[2], one[0]))
    size = length(n)
    if not size > 0.0:
        return 0.0
    a, b, c = dot(n, minus(other[0], one[0])), dot(n, minus(other[1], one[0])), dot(n, minus(other[2], one[0]))
    return max(min(a, b, c), -max(a, b, c), 0.0) / size


@leaf
def radius_of(corners, middle):
    """How far a triangle's corners are from the mean of them; `middle` is three times that."""
    third, most = (middle[0] / 3.0, middle[1] / 3.0, middle[2] / 3.0), 0.0
    for k in range(3):
        most = max(most, length(minus(corners[k], third)))
    return most


@lean
def is_inside(one, other, T):
    """Whether a part of the other surface, whose frame stands at T, lies inside of the first."""
    for k in range(other.marks.shape[0]):
        x = moved(T, read(other.marks, k, 0))
        if length(minus(x, read(one.balls, 0, 0))) <= one.balls[0, 3] and winds_about(one.triangles, x):
            return True
    return False


@lean
def winds_about(triangles, x):
    """Whether triangles wind about a point (van Oosterom and Strackee 1983)."""
    total = 0.0
    for k in range(triangles.shape[0]):
        a, b, c = corners_of(triangles, k)
        a, b, c = minus(a, x), minus(b, x), minus(c, x)
        u, v, w = length(a), length(b), length(c)
        below = u * v * w + dot(a, b) * w + dot(b, c) * u + dot(c, a) * v
        total += math.atan2(dot(a, cross(b, c)), below)
    return abs(total) > math.pi
