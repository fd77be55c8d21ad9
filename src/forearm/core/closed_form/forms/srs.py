"""Seven revolute axes with 1, 2, 3 meeting in a shoulder s and 5, 6, 7 in a wrist w: one free angle.

The elbow angle q4 follows from the distance between shoulder and wrist. The elbow may then swivel
about the line between them by any angle psi, and the rotation of the upper arm is
`R123(psi) = Rot(v, psi) R0`. So every entry of it, and of the wrist's rotation, is a wave
`A sin psi + B cos psi + C`, and so is every bound that a joint limit sets (`core/closed_form/forms/srs_intervals.py`).

psi is 0 where the elbow lies in the half-plane of the first axis's direction (with a vertical first
axis: elbow up). `lines` (7, 7): the axes at the zero configuration; meeting axes share their point,
and that of axis 4 is the elbow.

After Shimizu et al., IEEE Trans. Robotics 24(5), 2008.
"""

import math

from forearm.core.closed_form.forms.subproblems import (
    first_angle,
    last_angle,
    middle_angles,
    turn_onto,
    turn_to_distance,
)
from forearm.core.jit import leaf, lean
from forearm.core.maths.vectors import (
    across,
    any_across,
    apply,
    cross,
    dot,
    length,
    minus,
    plus,
    product,
    read,
    rotation,
    times,
    transpose,
)

# Lengths below which a direction is not read off them [m, or sine].
SHORT = 1e-9
# places in `waves`: five of the shoulder, then the same five of the wrist
COSINE, FIRST_SINE, FIRST_COSINE, LAST_SINE, LAST_COSINE = 0, 1, 2, 3, 4
GROUP = 5
WAVES = 10


@leaf
def elbow_angles(lines, R, t, own):
    """The vector v from shoulder to wrist, how many elbow angles q4 there are, and both."""
    s, w, p4 = read(lines, 0, 3), read(lines, 6, 3), read(lines, 3, 3)
    v = minus(plus(apply(R, w), t), s)
    many, one, other = turn_to_distance(read(lines, 3, 0), minus(w, p4), minus(s, p4), dot(v, v), own[3])
    return v, many, one, other


@leaf
def wrist_seen_from_shoulder(lines, q4):
    """The vector u from shoulder to wrist with the first three joints at zero and the elbow bent."""
    s, w, p4 = read(lines, 0, 3), read(lines, 6, 3), read(lines, 3, 3)
    return minus(apply(rotation(read(lines, 3, 0), q4), minus(w, p4)), minus(s, p4))


@leaf
def unit(a):
    """A vector scaled to length one."""
    return times(1.0 / length(a), a)


@leaf
def elbow_side(lines, u):
    """The unit vector across u to the side where the elbow is, with the first three joints at zero.

    Where the arm is straight, the side to which it bends for small positive q4.
    """
    e = across(u, minus(read(lines, 3, 3), read(lines, 0, 3)))
    if length(e) < SHORT:
        e = across(u, cross(u, read(lines, 3, 0)))
    return unit(across(u, e))  # across twice: the first leaves what a short vector lost


@leaf
def reference_side(lines, v):
    """The unit vector across v toward the first axis: where the elbow is at psi = 0."""
    h1 = read(lines, 0, 0)
    r = across(v, h1)
    if length(r) < SHORT:
        r = across(v, any_across(h1))
    return unit(across(v, r))


@leaf
def frame_onto_frame(a, b, c, d):
    """The rotation that takes the unit vectors a, b at a right angle onto c, d."""
    e, f = cross(a, b), cross(c, d)
    return (
        c[0] * a[0] + d[0] * b[0] + f[0] * e[0],
        c[0] * a[1] + d[0] * b[1] + f[0] * e[1],
        c[0] * a[2] + d[0] * b[2] + f[0] * e[2],
        c[1] * a[0] + d[1] * b[0] + f[1] * e[0],
        c[1] * a[1] + d[1] * b[1] + f[1] * e[1],
        c[1] * a[2] + d[1] * b[2] + f[1] * e[2],
        c[2] * a[0] + d[2] * b[0] + f[2] * e[0],
        c[2] * a[1] + d[2] * b[1] + f[2] * e[1],
        c[2] * a[2] + d[2] * b[2] + f[2] * e[2],
    )


@leaf
def upper_arm_at_zero(lines, v, q4):
    """R0: the rotation of the upper arm at psi = 0; v is a unit vector."""
    u = unit(wrist_seen_from_shoulder(lines, q4))
    return frame_onto_frame(u, elbow_side(lines, u), v, reference_side(lines, v))


@leaf
def write_wave(row, v, R0, left, right, waves_out):
    """Writes A, B, C of left . Rot(v, psi) R0 right."""
    z = apply(R0, right)
    C = dot(left, v) * dot(v, z)
    waves_out[row, 0], waves_out[row, 1], waves_out[row, 2] = dot(left, cross(v, z)), dot(left, z) - C, C


@lean
def write_waves(lines, R, v, R0, q4, waves_out):
    """Writes the (10, 3) waves that the six joints beside the elbow are read off.

    For axes h1, h2, h3 with h2 across both and beta the middle angle from h1 to h3:
    h1.R h3 = cos(beta), h2.R h3 = sin(beta) sin(q1), (h2 x h1).R h3 = sin(beta) cos(q1),
    h1.R h2 = sin(beta) sin(q3), h1.R (h3 x h2) = sin(beta) cos(q3).
    """
    h1, h2, h3 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 2, 0)
    write_wave(COSINE, v, R0, h1, h3, waves_out)
    write_wave(FIRST_SINE, v, R0, h2, h3, waves_out)
    write_wave(FIRST_COSINE, v, R0, cross(h2, h1), h3, waves_out)
    write_wave(LAST_SINE, v, R0, h1, h2, waves_out)
    write_wave(LAST_COSINE, v, R0, h1, cross(h3, h2), waves_out)
    # of the wrist: l . W m = (R m) . R123 (R4 l), as W = (R123 R4)^T R
    R4 = rotation(read(lines, 3, 0), q4)
    h1, h2, h3 = read(lines, 4, 0), read(lines, 5, 0), read(lines, 6, 0)
    write_wave(GROUP + COSINE, v, R0, apply(R, h3), apply(R4, h1), waves_out)
    write_wave(GROUP + FIRST_SINE, v, R0, apply(R, h3), apply(R4, h2), waves_out)
    write_wave(GROUP + FIRST_COSINE, v, R0, apply(R, h3), apply(R4, cross(h2, h1)), waves_out)
    write_wave(GROUP + LAST_SINE, v, R0, apply(R, h2), apply(R4, h1), waves_out)
    write_wave(GROUP + LAST_COSINE, v, R0, apply(R, cross(h3, h2)), apply(R4, h1), waves_out)


@lean
def swivel_row(lines, R, upper, q4, branch, own, row_out):
    """Writes the seven joint values at a rotation of the upper arm, those that the pose leaves free from `own`.

    `branch` is 2 shoulder + wrist, each 0 or 1: which of the two middle angles they take.
    """
    q1, q2, q3 = three_turns(lines, 0, upper, branch // 2 % 2, own[0])
    lower = product(upper, rotation(read(lines, 3, 0), q4))
    q5, q6, q7 = three_turns(lines, 4, product(transpose(lower), R), branch % 2, own[4])
    row_out[0], row_out[1], row_out[2], row_out[3] = q1, q2, q3, q4
    row_out[4], row_out[5], row_out[6] = q5, q6, q7


@lean
def three_turns(lines, first, W, side, free):
    """The angles about three meeting axes that make the rotation W, on one side of the middle one."""
    h1, h2, h3 = read(lines, first, 0), read(lines, first + 1, 0), read(lines, first + 2, 0)
    u = apply(W, h3)
    _, one, other, _ = middle_angles(h1, h2, h3, u, 0.0)
    b = one if side == 0 else other
    a = first_angle(h1, h2, h3, u, b, free)
    return a, b, last_angle(h1, h2, h3, W, a, b)


@leaf
def upper_arm(lines, q):
    """R123 at a configuration."""
    h1, h2, h3 = read(lines, 0, 0), read(lines, 1, 0), read(lines, 2, 0)
    return product(product(rotation(h1, q[0]), rotation(h2, q[1])), rotation(h3, q[2]))


@lean
def swivel_near(v, R0, upper):
    """The psi at which Rot(v, psi) R0 is nearest to a rotation of the upper arm."""
    M = product(R0, transpose(upper))
    A = v[0] * (M[5] - M[7]) + v[1] * (M[6] - M[2]) + v[2] * (M[1] - M[3])
    B = M[0] + M[4] + M[8] - dot(v, apply(M, v))
    return math.atan2(A, B)


@lean
def swivel_of(lines, q):
    """The swivel angle psi of a configuration [rad]; NaN where shoulder and wrist coincide."""
    u = wrist_seen_from_shoulder(lines, q[3])
    if length(u) < SHORT:
        return math.nan
    upper = upper_arm(lines, q)
    u = unit(u)
    v = apply(upper, u)
    return turn_onto(v, reference_side(lines, v), apply(upper, elbow_side(lines, u)), 0.0)
