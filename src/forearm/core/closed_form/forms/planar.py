"""Arms in a plane: two or three parallel turns, and a slide along them (SCARA).

The last turning axis is put where the pose wants it by a triangle of two links (the law of cosines,
two answers); the last joint turns what is left, and the slide takes up the height. A pose that is
tilted out of the plane or lifted without a slide has no answer: the rows then miss it, and the
measured pose says so.

`lines` (k, 7): the turning axes in order, then the slide if there is one.
"""

import math

from forearm.core.closed_form.forms.subproblems import turn_onto, turn_to_distance_in_plane
from forearm.core.jit import lean
from forearm.core.maths.vectors import across, any_across, apply, dot, minus, plus, read, rotation

TURNS = 3  # of a chain whose pose has two answers


@lean
def plane_branches(lines, R, t, own, rows_out):
    """Writes every q that brings the last turning axis and the angle right; returns how many."""
    h = read(lines, 0, 0)
    m = any_across(h)
    whole = turn_onto(h, m, apply(R, m), 0.0)
    if lines.shape[0] < TURNS:  # the one row of two turns
        p1, p2 = read(lines, 0, 3), read(lines, 1, 3)
        q1 = turn_onto(h, minus(p2, p1), minus(plus(apply(R, p2), t), p1), own[0])
        rows_out[0, 0], rows_out[0, 1] = q1, math.copysign(1.0, dot(read(lines, 1, 0), h)) * (whole - q1)
        return 1
    p1, p2, p3 = read(lines, 0, 3), read(lines, 1, 3), read(lines, 2, 3)
    x = plus(apply(R, p3), t)
    sign2, sign3 = math.copysign(1.0, dot(read(lines, 1, 0), h)), math.copysign(1.0, dot(read(lines, 2, 0), h))
    a, c, y = minus(p3, p2), minus(p1, p2), minus(x, p1)
    flat = across(h, y)
    many, elbow, other = turn_to_distance_in_plane(h, a, c, dot(flat, flat), sign2 * own[1])
    for i in range(many):
        q1 = turn_onto(h, minus(apply(rotation(h, elbow), a), c), y, own[0])
        rows_out[i, 0], rows_out[i, 1], rows_out[i, 2] = q1, sign2 * elbow, sign3 * (whole - q1 - elbow)
        if lines.shape[0] > TURNS:
            rows_out[i, 3] = math.copysign(1.0, dot(read(lines, 3, 0), h)) * dot(h, minus(x, p3))
        elbow = other
    return many
