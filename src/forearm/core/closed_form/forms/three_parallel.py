"""Six revolute axes with 2, 3, 4 parallel and 5, 6 meeting (Universal Robots and their like).

The height of the wrist point along the parallel axes gives q1; the tool's last axis against them
gives q5 and q6; what is left is a turn about them and a triangle in their plane: q2, q3, q4. Where
axis 6 comes to lie along them the split between q6 and the triangle's turn is free: then rows are
added with the caller's own q6, and with those at which the triangle is just straight or folded.

The subproblems after Elias and Wen, 2022 (IK-Geo). `lines` (6, 6): direction and point of each axis
at the zero configuration; axes 5 and 6 share their point.
"""

import math

from forearm.core.closed_form.forms.prune import gap, hopeless, joined, nearer_first, offer
from forearm.core.closed_form.forms.subproblems import (
    SOFT_SINGULAR,
    angle_of,
    direction_onto,
    directions_to_distance_in_plane,
    directions_to_height,
    directions_to_sum,
    given,
    middle_directions,
    singular_middle_angle,
)
from forearm.core.jit import leaf, lean
from forearm.core.maths.vectors import across, any_across, apply, cross, dot, length, minus, plus, read, turned, unapply


@lean
def parallel_branches(lines, R, t, own, sieve, best, rows_out):
    """Writes every q with E1 ... E6 = (R, t), one a row; returns how many there are (at most 28).

    `own`, `sieve` and `best` as for `wrist_branches`.
    """
    h1, h, h5, h6 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 4, 0), read(lines, 5, 0)
    p1, w = read(lines, 0, 3), read(lines, 5, 3)
    g, last, m = minus(plus(apply(R, w), t), p1), apply(R, h6), any_across(h)
    rows = 0
    many, c, s, other_c, other_s = directions_to_height(h1, h, g, dot(h, minus(w, p1)), own[0])
    q1, c1, s1, away1, other1, other_c1, other_s1, other_away1 = nearer_first(sieve, 0, many, c, s, other_c, other_s)
    for _ in range(many):
        if hopeless(best, away1):
            break  # the other is farther still
        y = plus(p1, turned(h1, c1, -s1, g))  # the wrist point with the first joint turned back
        u = turned(h1, c1, -s1, last)  # and axis 6
        seen = unapply(R, turned(h1, c1, s1, h))  # the parallel axes as the tool sees them
        many5, c, s, other_c, other_s, sine = middle_directions(h, h5, h6, u, own[4])
        q5, c5, s5, away5, other5, other_c5, other_s5, other_away5 = nearer_first(
            sieve, 4, many5, c, s, other_c, other_s
        )
        for _ in range(many5):
            away = joined(best, away1, away5)
            if hopeless(best, away):
                break
            c6, s6 = direction_onto(h6, seen, turned(h5, c5, -s5, h))
            c6, s6 = given(c6, s6, own[5])
            q6 = math.atan2(s6, c6)
            rows = triangle_rows(lines, R, m, y, q1, c1, s1, q5, q6, c6, s6, away, own, sieve, best, rows, rows_out)
            q5, c5, s5, away5 = other5, other_c5, other_s5, other_away5
        if sine <= SOFT_SINGULAR:
            rows = singular_rows(lines, R, m, y, u, q1, c1, s1, away1, own, sieve, best, rows, rows_out)
        q1, c1, s1, away1 = other1, other_c1, other_s1, other_away1
    return rows


@leaf
def in_plane(h, m, a):
    """A vector's two coordinates across unit vector h: along unit vector m, and along h x m."""
    return dot(m, a), dot(h, cross(m, a))


@lean
def triangle_rows(lines, R, m, y, q1, c1, s1, q5, q6, c6, s6, away, own, sieve, best, rows, rows_out):
    """Writes the two triangles that complete q1, q5, q6; returns the number of rows by then.

    Angles in the plane are counted from the unit vector m; y is the wrist point with the first joint turned back.
    """
    h1, h, h5, h6 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 4, 0), read(lines, 5, 0)
    p2, p3, p4, w = read(lines, 1, 3), read(lines, 2, 3), read(lines, 3, 3), read(lines, 5, 3)
    away = joined(best, away, gap(sieve, 5, q6))
    if hopeless(best, away):
        return rows
    # the turn about the parallel axes is what q1 and q6 leave over for axis 5, which q5 does not move
    x5, y5 = in_plane(h, m, h5)
    x, z = in_plane(h, m, turned(h1, c1, -s1, apply(R, turned(h6, c6, -s6, h5))))
    c, s = x * x5 + z * y5, z * x5 - x * y5
    k = 1.0 / math.sqrt(c * c + s * s)
    c, s = k * c, k * s
    vx, vy = in_plane(h, m, minus(w, p4))
    Yx, Yy = in_plane(h, m, minus(y, p2))
    Yx, Yy = Yx - (c * vx - s * vy), Yy - (s * vx + c * vy)
    ax, ay = in_plane(h, m, minus(p4, p3))
    bx, by = in_plane(h, m, minus(p2, p3))
    sign3, sign4 = math.copysign(1.0, dot(read(lines, 2, 0), h)), math.copysign(1.0, dot(read(lines, 3, 0), h))
    half = 0.5 * (ax * ax + ay * ay + bx * bx + by * by - Yx * Yx - Yy * Yy)  # |a turned - b| = |Y|
    many, c3, s3, other_c3, other_s3 = directions_to_sum(ax * bx + ay * by, ax * by - ay * bx, half, sign3 * own[2])
    q2 = own[1]
    for _ in range(many):
        elbow = math.atan2(s3, c3)
        away3 = joined(best, away, gap(sieve, 2, sign3 * elbow))
        if not hopeless(best, away3):
            x, z = c3 * ax - s3 * ay - bx, s3 * ax + c3 * ay - by
            q2 = angle_of(x * Yx + z * Yy, x * Yy - z * Yx, own[1])
            away3 = joined(best, away3, gap(sieve, 1, q2))
        if not hopeless(best, away3):
            q4 = sign4 * (math.atan2(s, c) - q2 - elbow)
            away3 = joined(best, away3, gap(sieve, 3, q4))
            rows = offer(sieve, best, away3, q1, q2, sign3 * elbow, q4, q5, q6, rows, rows_out)
        c3, s3 = other_c3, other_s3
    return rows


@lean
def singular_rows(lines, R, m, y, u, q1, c1, s1, away1, own, sieve, best, rows, rows_out):
    """Writes rows of a singular wrist: with the caller's q6, and with q6 such that the triangle just reaches."""
    h1, h, h5, h6 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 4, 0), read(lines, 5, 0)
    p2, p3, p4, w = read(lines, 1, 3), read(lines, 2, 3), read(lines, 3, 3), read(lines, 5, 3)
    q5 = singular_middle_angle(h, h5, h6, u)
    c5, s5 = math.cos(q5), math.sin(q5)
    away = joined(best, away1, gap(sieve, 4, q5))
    q6, c6, s6 = own[5], math.cos(own[5]), math.sin(own[5])
    rows = triangle_rows(lines, R, m, y, q1, c1, s1, q5, q6, c6, s6, away, own, sieve, best, rows, rows_out)
    upper, fore = length(across(h, minus(p3, p2))), length(across(h, minus(p4, p3)))
    m6 = any_across(h6)
    left = turned(h1, c1, -s1, apply(R, m6))
    for side in range(2):  # the triangle just straight, or just folded
        span = upper + fore if side == 0 else abs(upper - fore)
        many, c, s, other_c, other_s = directions_to_distance_in_plane(h, minus(w, p4), minus(y, p2), span * span, 0.0)
        for _ in range(many):
            c6, s6 = direction_onto(h6, m6, turned(h5, c5, -s5, turned(h, c, -s, left)))
            q6 = math.atan2(s6, c6)
            rows = triangle_rows(lines, R, m, y, q1, c1, s1, q5, q6, c6, s6, away, own, sieve, best, rows, rows_out)
            c, s = other_c, other_s
    return rows
