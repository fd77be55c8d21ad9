"""Six revolute axes whose last three meet in a point w: first the arm brings w to its place, then the wrist turns.

`E1 E2 E3 w = x` with x = R w + t has up to four answers, by two subproblems and an alignment, if two
of the first three axes are parallel or meet (four cases); each leaves three turns about w, with two
answers. Where the outer wrist axes are one line, a row with the caller's own fourth angle is added.

Pieper 1968; the subproblems after Elias and Wen, 2022 (IK-Geo). `lines` (6, 6): direction and
point of each axis at the zero configuration; meeting axes share their point.
"""

import math

from forearm.core.closed_form.forms.prune import gap, hopeless, joined, nearer_first, offer
from forearm.core.closed_form.forms.subproblems import (
    SOFT_SINGULAR,
    direction_onto,
    directions_to_distance,
    directions_to_distance_in_plane,
    directions_to_height,
    given,
    middle_directions,
    singular_middle_angle,
    turn_onto,
)
from forearm.core.jit import lean
from forearm.core.maths.vectors import across, any_across, apply, dot, minus, plus, read, turned

# what the first three axes have in common: 2 and 3 parallel, 1 and 2 meet, 2 and 3 meet, 1 and 2 parallel
PARALLEL_23, MEET_12, MEET_23, PARALLEL_12 = 0, 1, 2, 3


@lean
def wrist_branches(case, lines, R, t, own, sieve, best, rows_out):
    """Writes every q with E1 ... E6 = (R, t), one a row; returns how many there are (at most 12).

    `own` (6,) has the values of angles that the pose leaves free; `sieve` and `best` say which rows are wanted
    (`core/closed_form/forms/prune.py`).
    """
    w = read(lines, 5, 3)
    x = plus(apply(R, w), t)
    if case == PARALLEL_23:
        return arm_parallel_23(lines, R, x, w, own, sieve, best, rows_out)
    if case == MEET_12:
        return arm_meet_12(lines, R, x, w, own, sieve, best, rows_out)
    if case == MEET_23:
        return arm_meet_23(lines, R, x, w, own, sieve, best, rows_out)
    return arm_parallel_12(lines, R, x, w, own, sieve, best, rows_out)


@lean
def arm_parallel_23(lines, R, x, w, own, sieve, best, rows_out):
    """Axes 2 and 3 parallel: the height along them gives q1, the distance in their plane q3."""
    h1, h2, h3 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 2, 0)
    p1, p2, p3 = read(lines, 0, 3), read(lines, 1, 3), read(lines, 2, 3)
    a, b, g = minus(w, p3), minus(p2, p3), minus(x, p1)
    rows = 0
    many1, c, s, other_c, other_s = directions_to_height(h1, h2, g, dot(h2, minus(w, p1)), own[0])
    q1, c1, s1, away1, other1, other_c1, other_s1, other_away1 = nearer_first(sieve, 0, many1, c, s, other_c, other_s)
    for _ in range(many1):
        if hopeless(best, away1):
            break  # the other is farther still
        y = minus(plus(p1, turned(h1, c1, -s1, g)), p2)  # E1^-1 x, seen from p2
        flat = across(h2, y)
        many3, c, s, other_c, other_s = directions_to_distance_in_plane(h3, a, b, dot(flat, flat), own[2])
        q3, c3, s3, away3, other3, other_c3, other_s3, other_away3 = nearer_first(
            sieve, 2, many3, c, s, other_c, other_s
        )
        for _ in range(many3):
            if hopeless(best, joined(best, away1, away3)):
                break
            c2, s2 = direction_onto(h2, minus(turned(h3, c3, s3, a), b), y)
            c2, s2 = given(c2, s2, own[1])
            q2 = math.atan2(s2, c2)
            away = joined(best, joined(best, away1, away3), gap(sieve, 1, q2))
            rows = wrist_rows(lines, R, q1, c1, s1, q2, c2, s2, q3, c3, s3, away, own, sieve, best, rows, rows_out)
            q3, c3, s3, away3 = other3, other_c3, other_s3, other_away3
        q1, c1, s1, away1 = other1, other_c1, other_s1, other_away1
    return rows


@lean
def arm_meet_12(lines, R, x, w, own, sieve, best, rows_out):
    """Axes 1 and 2 meet in c: the distance of x from c gives q3, its height along axis 1 q2."""
    h1, h2, h3 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 2, 0)
    centre, p3 = read(lines, 0, 3), read(lines, 2, 3)
    v, reach = minus(x, centre), minus(w, p3)
    rows = 0
    many3, c, s, other_c, other_s = directions_to_distance(h3, reach, minus(centre, p3), dot(v, v), own[2])
    q3, c3, s3, away3, other3, other_c3, other_s3, other_away3 = nearer_first(sieve, 2, many3, c, s, other_c, other_s)
    for _ in range(many3):
        if hopeless(best, away3):
            break  # the other is farther still
        a = minus(plus(p3, turned(h3, c3, s3, reach)), centre)
        many2, c, s, other_c, other_s = directions_to_height(h2, a, h1, dot(h1, v), own[1])
        q2, c2, s2, away2, other2, other_c2, other_s2, other_away2 = nearer_first(
            sieve, 1, many2, c, s, other_c, other_s
        )
        for _ in range(many2):
            if hopeless(best, joined(best, away3, away2)):
                break
            c1, s1 = direction_onto(h1, turned(h2, c2, s2, a), v)
            c1, s1 = given(c1, s1, own[0])
            q1 = math.atan2(s1, c1)
            away = joined(best, joined(best, away3, away2), gap(sieve, 0, q1))
            rows = wrist_rows(lines, R, q1, c1, s1, q2, c2, s2, q3, c3, s3, away, own, sieve, best, rows, rows_out)
            q2, c2, s2, away2 = other2, other_c2, other_s2, other_away2
        q3, c3, s3, away3 = other3, other_c3, other_s3, other_away3
    return rows


@lean
def arm_meet_23(lines, R, x, w, own, sieve, best, rows_out):
    """Axes 2 and 3 meet in c: the distance of c from x gives q1, the height along axis 2 q3."""
    h1, h2, h3 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 2, 0)
    p1, centre = read(lines, 0, 3), read(lines, 1, 3)
    a, g, b = minus(centre, p1), minus(x, p1), minus(w, centre)
    rows = 0
    many1, c, s, other_c, other_s = directions_to_distance(h1, a, g, dot(b, b), own[0])
    q1, c1, s1, away1, other1, other_c1, other_s1, other_away1 = nearer_first(sieve, 0, many1, c, s, other_c, other_s)
    for _ in range(many1):
        if hopeless(best, away1):
            break  # the other is farther still
        v = minus(plus(p1, turned(h1, c1, -s1, g)), centre)
        many3, c, s, other_c, other_s = directions_to_height(h3, b, h2, dot(h2, v), own[2])
        q3, c3, s3, away3, other3, other_c3, other_s3, other_away3 = nearer_first(
            sieve, 2, many3, c, s, other_c, other_s
        )
        for _ in range(many3):
            if hopeless(best, joined(best, away1, away3)):
                break
            c2, s2 = direction_onto(h2, turned(h3, c3, s3, b), v)
            c2, s2 = given(c2, s2, own[1])
            q2 = math.atan2(s2, c2)
            away = joined(best, joined(best, away1, away3), gap(sieve, 1, q2))
            rows = wrist_rows(lines, R, q1, c1, s1, q2, c2, s2, q3, c3, s3, away, own, sieve, best, rows, rows_out)
            q3, c3, s3, away3 = other3, other_c3, other_s3, other_away3
        q1, c1, s1, away1 = other1, other_c1, other_s1, other_away1
    return rows


@lean
def arm_parallel_12(lines, R, x, w, own, sieve, best, rows_out):
    """Axes 1 and 2 parallel: the height along them gives q3, the distance in their plane q2."""
    h1, h2, h3 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 2, 0)
    p1, p2, p3 = read(lines, 0, 3), read(lines, 1, 3), read(lines, 2, 3)
    v, reach, b = minus(x, p1), minus(w, p3), minus(p1, p2)
    flat = across(h1, v)
    rows = 0
    many3, c, s, other_c, other_s = directions_to_height(h3, reach, h1, dot(h1, minus(x, p3)), own[2])
    q3, c3, s3, away3, other3, other_c3, other_s3, other_away3 = nearer_first(sieve, 2, many3, c, s, other_c, other_s)
    for _ in range(many3):
        if hopeless(best, away3):
            break  # the other is farther still
        a = minus(plus(p3, turned(h3, c3, s3, reach)), p2)
        many2, c, s, other_c, other_s = directions_to_distance_in_plane(h2, a, b, dot(flat, flat), own[1])
        q2, c2, s2, away2, other2, other_c2, other_s2, other_away2 = nearer_first(
            sieve, 1, many2, c, s, other_c, other_s
        )
        for _ in range(many2):
            if hopeless(best, joined(best, away3, away2)):
                break
            c1, s1 = direction_onto(h1, minus(turned(h2, c2, s2, a), b), v)
            c1, s1 = given(c1, s1, own[0])
            q1 = math.atan2(s1, c1)
            away = joined(best, joined(best, away3, away2), gap(sieve, 0, q1))
            rows = wrist_rows(lines, R, q1, c1, s1, q2, c2, s2, q3, c3, s3, away, own, sieve, best, rows, rows_out)
            q2, c2, s2, away2 = other2, other_c2, other_s2, other_away2
        q3, c3, s3, away3 = other3, other_c3, other_s3, other_away3
    return rows


@lean
def wrist_rows(lines, R, q1, c1, s1, q2, c2, s2, q3, c3, s3, away, own, sieve, best, rows, rows_out):
    """Writes the wrist angles that complete q1, q2, q3; returns the number of rows by then.

    The last angle comes from what the others leave over of a vector across axis 6, so errors of the
    fourth are made up for and the rotation stays exact at the singularity.
    """
    if hopeless(best, away):
        return rows
    h1, h2, h3 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 2, 0)
    h4, h5, h6 = read(lines, 3, 0), read(lines, 4, 0), read(lines, 5, 0)
    m = any_across(h6)
    u = turned(h3, c3, -s3, turned(h2, c2, -s2, turned(h1, c1, -s1, apply(R, h6))))
    n = turned(h3, c3, -s3, turned(h2, c2, -s2, turned(h1, c1, -s1, apply(R, m))))
    many, c5, s5, other_c5, other_s5, sine = middle_directions(h4, h5, h6, u, own[4])
    for _ in range(many):
        q5 = math.atan2(s5, c5)
        away5 = joined(best, away, gap(sieve, 4, q5))
        if not hopeless(best, away5):
            c4, s4 = direction_onto(h4, turned(h5, c5, s5, h6), u)
            c4, s4 = given(c4, s4, own[3])
            q4 = math.atan2(s4, c4)
            q6 = turn_onto(h6, m, turned(h5, c5, -s5, turned(h4, c4, -s4, n)), 0.0)
            away5 = joined(best, joined(best, away5, gap(sieve, 3, q4)), gap(sieve, 5, q6))
            rows = offer(sieve, best, away5, q1, q2, q3, q4, q5, q6, rows, rows_out)
        c5, s5 = other_c5, other_s5
    if sine <= SOFT_SINGULAR:
        q4, q5 = own[3], singular_middle_angle(h4, h5, h6, u)
        c4, s4, c5, s5 = math.cos(q4), math.sin(q4), math.cos(q5), math.sin(q5)
        q6 = turn_onto(h6, m, turned(h5, c5, -s5, turned(h4, c4, -s4, n)), 0.0)
        away = joined(best, joined(best, away, gap(sieve, 3, q4)), gap(sieve, 4, q5))
        rows = offer(sieve, best, joined(best, away, gap(sieve, 5, q6)), q1, q2, q3, q4, q5, q6, rows, rows_out)
    return rows
