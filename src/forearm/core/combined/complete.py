"""From two links back to all joints: the analytic second half of the combined method.

Every sign that the geometry leaves open is a branch: the elbow's side, the shoulder's and the
wrist's flip. `write_arm` and then `write_wrist` give the joint values of one; whether they meet
target and limits is measured by forward kinematics afterwards (Eqs. (16) to (19)), never assumed.
"""

import math

from forearm.core.closed_form.forms.srs import frame_onto_frame
from forearm.core.closed_form.forms.subproblems import (
    SOFT_SINGULAR,
    first_angle,
    last_angle,
    middle_angles,
    singular_middle_angle,
)
from forearm.core.combined.codes import (
    BALL,
    BRANCH,
    ELBOW_POINT,
    END_POINT,
    FORM,
    LENGTHS,
    OFFSET,
    PARALLEL,
    SCRATCH,
    SEED,
    SIGNS,
    START,
)
from forearm.core.combined.reduce import read_fact
from forearm.core.combined.singular import share_turn
from forearm.core.jit import leaf
from forearm.core.maths.vectors import (
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

# Sine of the elbow's angle below which the two links are one line and the plane between them is lost.
STRAIGHT = 1e-12


@leaf
def write_arm(lines, facts, limits, R, row, branch, start, q_out):
    """Writes the joints before the wrist and what rotation is left for it; False if there is no such branch."""
    if facts[FORM] == BALL:  # both signs of q4 and q2, Eqs. (22) to (24)
        W, q_out[3] = shoulder_rotation(lines, facts, row, 1.0 if branch % 2 == 0 else -1.0)
        if not write_ball_angles(lines, limits, 0, W, branch // 2, start, q_out):
            return False
        write_rotation(product(transpose(product(W, rotation(read(lines, 3, 0), q_out[3]))), R), row)
        return True
    phi1, phi2 = elbow_side(facts, row, branch == 1)
    q_out[0], q_out[1], q_out[2] = row[BRANCH], phi1, facts[SIGNS] * (phi2 - facts[OFFSET])
    if facts[FORM] != PARALLEL:
        R12 = product(rotation(read(lines, 0, 0), q_out[0]), rotation(read(lines, 1, 0), q_out[1]))
        write_rotation(product(transpose(product(R12, rotation(read(lines, 2, 0), q_out[2]))), R), row)
    return True


@leaf
def write_wrist(lines, facts, limits, row, flip, start, q_out):
    """Writes the wrist's joints behind those of `write_arm`; False if there is no such flip."""
    if facts[FORM] != PARALLEL:  # Eqs. (25), (26)
        first = 4 if facts[FORM] == BALL else 3
        return write_ball_angles(lines, limits, first, read_rotation(row), flip, start, q_out)
    q_out[4], q_out[5] = row[BRANCH + 1], row[BRANCH + 2]
    q_out[3] = facts[SIGNS + 1] * (row[BRANCH + 3] - q_out[1] - facts[SIGNS] * q_out[2])  # Eq. (13)
    return True


@leaf
def write_rotation(W, row_out):
    """Keeps the rotation left for the wrist."""
    for i in range(9):
        row_out[SCRATCH + i] = W[i]


@leaf
def read_rotation(row):
    """The rotation left for the wrist."""
    return (
        row[SCRATCH], row[SCRATCH + 1], row[SCRATCH + 2],
        row[SCRATCH + 3], row[SCRATCH + 4], row[SCRATCH + 5],
        row[SCRATCH + 6], row[SCRATCH + 7], row[SCRATCH + 8],
    )  # fmt: skip


@leaf
def elbow_side(facts, row, mirrored):
    """Angles of both links: as found, or with the elbow mirrored at the line from P1 to P3 [rad]."""
    phi1, phi2 = row[SEED], facts[SIGNS] * row[SEED + 1] + facts[OFFSET]
    if not mirrored:
        return phi1, phi2
    across, along = facts[LENGTHS + 1] * math.sin(phi2), facts[LENGTHS] + facts[LENGTHS + 1] * math.cos(phi2)
    return phi1 + 2.0 * math.atan2(across, along), -phi2


@leaf
def write_ball_angles(lines, limits, first, W, flip, start, q_out):
    """Writes the angles of three axes that meet, from their rotation W; flip 2 is the singular one, if any."""
    h1, h2, h3 = read(lines, first, 0), read(lines, first + 1, 0), read(lines, first + 2, 0)
    u = apply(W, h3)
    if flip == 2:
        if length(cross(h1, u)) > SOFT_SINGULAR:
            return False
        b = singular_middle_angle(h1, h2, h3, u)
        side = 1.0 if dot(h1, u) > 0.0 else -1.0
        q_out[first + 1] = b
        q_out[first] = share_turn(limits, first, side, last_angle(h1, h2, h3, W, 0.0, b), start)
    else:
        found, one, other, _ = middle_angles(h1, h2, h3, u, start[first + 1])
        if flip >= found:
            return False
        q_out[first + 1] = one if flip == 0 else other
        q_out[first] = first_angle(h1, h2, h3, u, q_out[first + 1], start[first])
    q_out[first + 2] = last_angle(h1, h2, h3, W, q_out[first], q_out[first + 1])
    return True


@leaf
def shoulder_rotation(lines, facts, row, bend):
    """The rotation of joints 1, 2, 3 that puts the links through P2 and P3, and q4; `bend` is the elbow's sign."""
    s, h4 = read(lines, 0, 3), read(lines, 3, 0)
    P2, P3 = read_fact(row, BRANCH), read_fact(row, BRANCH + 3)
    u, v = times(1.0 / facts[LENGTHS], minus(P2, s)), times(1.0 / facts[LENGTHS + 1], minus(P3, P2))
    n = cross(u, v)
    sine = length(n)
    angle = math.atan2(sine, dot(u, v))  # Eq. (22)
    if sine <= STRAIGHT:
        n = cross(read_fact(facts, START), u)
        if length(n) <= STRAIGHT:
            n = any_across(u)
    n = times(bend / length(n), n)
    u0 = times(1.0 / facts[LENGTHS], minus(read_fact(facts, ELBOW_POINT), s))
    return frame_onto_frame(u0, h4, u, n), bend * angle - facts[OFFSET]


@leaf
def write_points(lines, facts, row):
    """Writes P2 and P3 of a ball-shouldered arm from its four iterated joint values."""
    s, h4 = read(lines, 0, 3), read(lines, 3, 0)
    R12 = product(rotation(read(lines, 0, 0), row[SEED]), rotation(read(lines, 1, 0), row[SEED + 1]))
    R123 = product(R12, rotation(read(lines, 2, 0), row[SEED + 2]))
    E, w = read_fact(facts, ELBOW_POINT), read_fact(facts, END_POINT)
    P2 = plus(s, apply(R123, minus(E, s)))
    P3 = plus(P2, apply(R123, apply(rotation(h4, row[SEED + 3]), minus(w, E))))
    for i in range(3):
        row[BRANCH + i], row[BRANCH + 3 + i] = P2[i], P3[i]
