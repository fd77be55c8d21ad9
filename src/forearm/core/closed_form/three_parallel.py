"""Six revolute axes with 2, 3, 4 parallel and 5, 6 meeting (Universal Robots and their like).

The height of the wrist point along the parallel axes gives q1; the tool's last axis against them
gives q5 and q6; what is left is a turn about them and a triangle in their plane: q2, q3, q4. Where
axis 6 comes to lie along them the split between q6 and the triangle's turn is free: then rows are
added with the caller's own q6, and with those at which the triangle is just straight or folded.

The subproblems after Elias and Wen, 2022 (IK-Geo). `lines` (6, 6): direction and point of each axis
at the zero configuration; axes 5 and 6 share their point.
"""

import math

from forearm.core.closed_form.spherical_wrist import write_row
from forearm.core.closed_form.subproblems import (
    SOFT_SINGULAR,
    middle_angles,
    singular_middle_angle,
    turn_onto,
    turn_to_distance_in_plane,
    turn_to_height,
)
from forearm.core.closed_form.vectors import (
    across,
    any_across,
    apply,
    dot,
    length,
    minus,
    plus,
    product,
    read,
    rotation,
    transpose,
    unapply,
)
from forearm.core.jit import lean


@lean
def parallel_branches(lines, R, t, own, rows_out):
    """Writes every q with E1 ... E6 = (R, t), one a row; returns how many there are (at most 28).

    Args:
        lines: (6, 6) the axes.
        R: 9-tuple, rotation of the displacement from the zero configuration.
        t: 3-tuple, its translation [m].
        own: (6,) the values of angles that the pose leaves free.
    """
    h1, h, h5, h6 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 4, 0), read(lines, 5, 0)
    p1, w = read(lines, 0, 3), read(lines, 5, 3)
    g = minus(plus(apply(R, w), t), p1)
    rows = 0
    many, q1, other1 = turn_to_height(h1, h, g, dot(h, minus(w, p1)), own[0])
    for _ in range(many):
        R1 = rotation(h1, q1)
        y = plus(p1, unapply(R1, g))  # the wrist point with the first joint turned back
        S = product(transpose(R1), R)
        u = apply(S, h6)
        many5, q5, other5, sine = middle_angles(h, h5, h6, u, own[4])
        for _ in range(many5):
            q6 = turn_onto(h6, unapply(S, h), unapply(rotation(h5, q5), h), own[5])
            rows = triangle_rows(lines, S, y, q1, q5, q6, own, rows, rows_out)
            q5 = other5
        if sine <= SOFT_SINGULAR:
            q5 = singular_middle_angle(h, h5, h6, u)
            rows = triangle_rows(lines, S, y, q1, q5, own[5], own, rows, rows_out)
            rows = boundary_rows(lines, S, y, q1, q5, own, rows, rows_out)
        q1 = other1
    return rows


@lean
def triangle_rows(lines, S, y, q1, q5, q6, own, rows, rows_out):
    """Writes the two triangles that complete q1, q5, q6; returns the number of rows by then."""
    h, h3, h4, h5, h6 = (
        read(lines, 1, 0),
        read(lines, 2, 0),
        read(lines, 3, 0),
        read(lines, 4, 0),
        read(lines, 5, 0),
    )
    p2, p3, p4, w = read(lines, 1, 3), read(lines, 2, 3), read(lines, 3, 3), read(lines, 5, 3)
    m = any_across(h)
    # the turn about the parallel axes, from what q5 and q6 leave over
    whole = turn_onto(h, m, apply(S, unapply(rotation(h6, q6), unapply(rotation(h5, q5), m))), 0.0)
    Y = across(h, minus(minus(y, apply(rotation(h, whole), minus(w, p4))), p2))
    a, c = minus(p4, p3), minus(p2, p3)
    sign3, sign4 = math.copysign(1.0, dot(h3, h)), math.copysign(1.0, dot(h4, h))
    many, elbow, other = turn_to_distance_in_plane(h, a, c, dot(Y, Y), sign3 * own[2])
    for _ in range(many):
        q2 = turn_onto(h, minus(apply(rotation(h, elbow), a), c), Y, own[1])
        rows = write_row(q1, q2, sign3 * elbow, sign4 * (whole - q2 - elbow), q5, q6, rows, rows_out)
        elbow = other
    return rows


@lean
def boundary_rows(lines, S, y, q1, q5, own, rows, rows_out):
    """Writes rows of a singular wrist with q6 such that the triangle is just straight, or folded."""
    h, h5, h6 = read(lines, 1, 0), read(lines, 4, 0), read(lines, 5, 0)
    p2, p3, p4, w = read(lines, 1, 3), read(lines, 2, 3), read(lines, 3, 3), read(lines, 5, 3)
    upper, fore = length(across(h, minus(p3, p2))), length(across(h, minus(p4, p3)))
    m = any_across(h6)
    for side in range(2):
        span = upper + fore if side == 0 else abs(upper - fore)
        many, whole, other = turn_to_distance_in_plane(h, minus(w, p4), minus(y, p2), span * span, 0.0)
        for _ in range(many):
            left = unapply(rotation(h5, q5), unapply(rotation(h, whole), apply(S, m)))
            rows = triangle_rows(lines, S, y, q1, q5, turn_onto(h6, m, left, 0.0), own, rows, rows_out)
            whole = other
    return rows
