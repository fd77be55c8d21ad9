"""Six revolute axes whose last three meet in a point w: first the arm brings w to its place, then the wrist turns.

`E1 E2 E3 w = x` with x = R w + t has up to four answers, by two subproblems and an alignment, if two
of the first three axes are parallel or meet (four cases); each leaves three turns about w, with two
answers. Where the outer wrist axes are one line, a row with the caller's own fourth angle is added.

Pieper 1968; the subproblems after Elias and Wen, 2022 (IK-Geo). `lines` (6, 6): direction and
point of each axis at the zero configuration; meeting axes share their point.
"""

from forearm.core.closed_form.subproblems import (
    SOFT_SINGULAR,
    first_angle,
    last_angle,
    middle_angles,
    singular_middle_angle,
    turn_onto,
    turn_to_distance,
    turn_to_distance_in_plane,
    turn_to_height,
)
from forearm.core.closed_form.vectors import (
    across,
    apply,
    dot,
    minus,
    plus,
    product,
    read,
    rotation,
    transpose,
    unapply,
)
from forearm.core.jit import leaf, lean

# what the first three axes have in common: 2 and 3 parallel, 1 and 2 meet, 2 and 3 meet, 1 and 2 parallel
PARALLEL_23, MEET_12, MEET_23, PARALLEL_12 = 0, 1, 2, 3


@lean
def wrist_branches(case, lines, R, t, own, rows_out):
    """Writes every q with E1 ... E6 = (R, t), one a row; returns how many there are (at most 12).

    Args:
        case: What the first three axes have in common.
        lines: (6, 6) the axes.
        R: 9-tuple, rotation of the displacement from the zero configuration.
        t: 3-tuple, its translation [m].
        own: (6,) the values of angles that the pose leaves free.
    """
    w = read(lines, 5, 3)
    x = plus(apply(R, w), t)
    if case == PARALLEL_23:
        return arm_parallel_23(lines, R, x, w, own, rows_out)
    if case == MEET_12:
        return arm_meet_12(lines, R, x, w, own, rows_out)
    if case == MEET_23:
        return arm_meet_23(lines, R, x, w, own, rows_out)
    return arm_parallel_12(lines, R, x, w, own, rows_out)


@lean
def arm_parallel_23(lines, R, x, w, own, rows_out):
    """Axes 2 and 3 parallel: the height along them gives q1, the distance in their plane q3."""
    h1, h2, h3 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 2, 0)
    p1, p2, p3 = read(lines, 0, 3), read(lines, 1, 3), read(lines, 2, 3)
    a, c = minus(w, p3), minus(p2, p3)
    rows = 0
    many1, q1, other1 = turn_to_height(h1, h2, minus(x, p1), dot(h2, minus(w, p1)), own[0])
    for _ in range(many1):
        y = minus(plus(p1, unapply(rotation(h1, q1), minus(x, p1))), p2)  # E1^-1 x, seen from p2
        flat = across(h2, y)
        many3, q3, other3 = turn_to_distance_in_plane(h3, a, c, dot(flat, flat), own[2])
        for _ in range(many3):
            q2 = turn_onto(h2, minus(apply(rotation(h3, q3), a), c), y, own[1])
            rows = wrist_rows(lines, R, q1, q2, q3, own, rows, rows_out)
            q3 = other3
        q1 = other1
    return rows


@lean
def arm_meet_12(lines, R, x, w, own, rows_out):
    """Axes 1 and 2 meet in c: the distance of x from c gives q3, its height along axis 1 q2."""
    h1, h2, h3 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 2, 0)
    c, p3 = read(lines, 0, 3), read(lines, 2, 3)
    v = minus(x, c)
    rows = 0
    many3, q3, other3 = turn_to_distance(h3, minus(w, p3), minus(c, p3), dot(v, v), own[2])
    for _ in range(many3):
        a = minus(plus(p3, apply(rotation(h3, q3), minus(w, p3))), c)
        many2, q2, other2 = turn_to_height(h2, a, h1, dot(h1, v), own[1])
        for _ in range(many2):
            q1 = turn_onto(h1, apply(rotation(h2, q2), a), v, own[0])
            rows = wrist_rows(lines, R, q1, q2, q3, own, rows, rows_out)
            q2 = other2
        q3 = other3
    return rows


@lean
def arm_meet_23(lines, R, x, w, own, rows_out):
    """Axes 2 and 3 meet in c: the distance of c from x gives q1, the height along axis 2 q3."""
    h1, h2, h3 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 2, 0)
    p1, c = read(lines, 0, 3), read(lines, 1, 3)
    a, g, b = minus(c, p1), minus(x, p1), minus(w, c)
    rows = 0
    many1, q1, other1 = turn_to_distance(h1, a, g, dot(b, b), own[0])
    for _ in range(many1):
        v = minus(plus(p1, unapply(rotation(h1, q1), g)), c)
        many3, q3, other3 = turn_to_height(h3, b, h2, dot(h2, v), own[2])
        for _ in range(many3):
            q2 = turn_onto(h2, apply(rotation(h3, q3), b), v, own[1])
            rows = wrist_rows(lines, R, q1, q2, q3, own, rows, rows_out)
            q3 = other3
        q1 = other1
    return rows


@lean
def arm_parallel_12(lines, R, x, w, own, rows_out):
    """Axes 1 and 2 parallel: the height along them gives q3, the distance in their plane q2."""
    h1, h2, h3 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 2, 0)
    p1, p2, p3 = read(lines, 0, 3), read(lines, 1, 3), read(lines, 2, 3)
    v = minus(x, p1)
    flat = across(h1, v)
    rows = 0
    many3, q3, other3 = turn_to_height(h3, minus(w, p3), h1, dot(h1, minus(x, p3)), own[2])
    for _ in range(many3):
        a = minus(plus(p3, apply(rotation(h3, q3), minus(w, p3))), p2)
        many2, q2, other2 = turn_to_distance_in_plane(h2, a, minus(p1, p2), dot(flat, flat), own[1])
        for _ in range(many2):
            q1 = turn_onto(h1, minus(apply(rotation(h2, q2), a), minus(p1, p2)), v, own[0])
            rows = wrist_rows(lines, R, q1, q2, q3, own, rows, rows_out)
            q2 = other2
        q3 = other3
    return rows


@lean
def wrist_rows(lines, R, q1, q2, q3, own, rows, rows_out):
    """Writes the wrist angles that complete (q1, q2, q3); returns the number of rows by then."""
    h1, h2, h3 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 2, 0)
    h4, h5, h6 = read(lines, 3, 0), read(lines, 4, 0), read(lines, 5, 0)
    arm = product(product(rotation(h1, q1), rotation(h2, q2)), rotation(h3, q3))
    W = product(transpose(arm), R)
    u = apply(W, h6)
    many, q5, other5, sine = middle_angles(h4, h5, h6, u, own[4])
    for _ in range(many):
        q4 = first_angle(h4, h5, h6, u, q5, own[3])
        rows = write_row(q1, q2, q3, q4, q5, last_angle(h4, h5, h6, W, q4, q5), rows, rows_out)
        q5 = other5
    if sine <= SOFT_SINGULAR:
        q5 = singular_middle_angle(h4, h5, h6, u)
        rows = write_row(q1, q2, q3, own[3], q5, last_angle(h4, h5, h6, W, own[3], q5), rows, rows_out)
    return rows


@leaf
def write_row(q1, q2, q3, q4, q5, q6, rows, rows_out):
    """Writes one configuration; returns the number of rows by then."""
    rows_out[rows, 0], rows_out[rows, 1], rows_out[rows, 2] = q1, q2, q3
    rows_out[rows, 3], rows_out[rows, 4], rows_out[rows, 5] = q4, q5, q6
    return rows + 1
