"""A self-motion curve traced from a point until it closes, with every plane that it crosses written down.

Steps are as long as the curve is straight; each point is corrected with the joint held that moves most. The answers
of the slices are the certificate: a curve that meets one twice has jumped to another curve.

Where two curves nearly touch, a step may land on the other one, and another step come back: all answers are then met
once, and two curves count as one. The tangent is the null vector of the Jacobian with the signs of its minors, which is
continuous along a curve and points the other way across such a gap (Allgower and Georg 1990): such steps are refused.
"""

import math

from forearm.core.jit import leaf, lean
from forearm.core.self_motion.layout import (
    ALONG,
    AXES,
    COUNT,
    FIRST,
    JOINT,
    MARK,
    TOGETHER,
    TRUST,
    UNLISTED,
    VALUE,
)
from forearm.core.self_motion.point import EXACT, ROUGH, correct, fastest, write_start
from forearm.core.self_motion.segment import TURN, roots, turn_between, write_between

CLOSED, MET, JUMPED, STUCK, FULL = 0, 1, 2, 3, 4  # how a trace ends
# by fineness: the most a point is corrected by per step, the turn of the tangent that is aimed at and the most that is
# taken (its cosine), the longest step [rad]
CORRECTED, AIMED, LEAST_COSINE, LONGEST = (0.1, 0.05, 0.025), (0.2, 0.1, 0.05), (0.93, 0.98, 0.995), (0.4, 0.2, 0.1)
SHORTEST = 1e-6  # [rad]
TOUCHING = 1e-5  # steps shorter than this may go straight on where curves come together [rad]
CLOSE, NEAR, SAME = 1e-4, 5e-3, 1e-5  # how near a crossing is to the answer that it is, at once and made exact [rad]
SEED_STEPS = 400  # after which a start between slices is left


@leaf
def apart(a, b):
    """The largest difference of two configurations, whole turns aside."""
    most = 0.0
    for j in range(AXES):
        d = a[j] - b[j]
        most = max(most, abs(d - TURN * math.floor(d / TURN + 0.5)))
    return most


@lean
def find_answer(desk, plane, q):
    """The answer of a plane that is nearest to q, how far it is, and how far the next one is."""
    best, near, second = -1, math.inf, math.inf
    first = int(plane[FIRST])
    for i in range(first, first + int(plane[COUNT])):
        d = apart(q, desk.found[i])
        if d < near:
            best, near, second = i, d, near
        elif d < second:
            second = d
    return best, near, second


@lean
def cross_plane(arm, desk, plane, a, b, t, report_out):
    """The answer of a plane where a segment crosses it, or -1 if the plane does not list it."""
    q, joint = desk.q[5], int(plane[JOINT])
    write_between(a, b, t, q)
    best, near, second = find_answer(desk, plane, q)
    if near < CLOSE and second > NEAR:
        return best
    turns = math.floor((q[joint] - plane[VALUE]) / TURN + 0.5)
    q[joint] = plane[VALUE] + TURN * turns
    if correct(arm, desk.G, q, joint, EXACT, desk.J, desk.A, desk.q[6]) < math.inf:
        best, near, _ = find_answer(desk, plane, q)
        if near < SAME:
            return best
    if plane[TRUST] > 0.0:
        report_out[UNLISTED] += 1.0
    return -1


@lean
def cross_planes(arm, desk, planes, a, b, last, number, own, seeded, report_out):
    """Marks the answers that a segment goes through, up to a share of it; returns MET, JUMPED, or CLOSED if it is well.

    The answer `own` is where the curve began. A start between slices is only asked whether it is on a known curve.
    """
    wide = b[ALONG] - a[ALONG]
    for k in range(planes):
        plane = desk.planes[k]
        j = int(plane[JOINT])
        y0, y1 = a[j] - plane[VALUE], b[j] - plane[VALUE]
        turn = turn_between(y0, y1)
        y0, y1 = y0 - turn, y1 - turn
        g0, g1 = wide * a[AXES + j], wide * b[AXES + j]
        if y0 * y1 > 0.0 and (g0 * g1 > 0.0 or min(abs(y0), abs(y1)) > wide):
            continue
        count, r0, r1, r2 = roots(y0, y1, g0, g1)
        for i in range(count):
            t = r0 if i == 0 else r1 if i == 1 else r2
            if t > last:
                continue
            met = cross_plane(arm, desk, plane, a, b, t, report_out)
            if met < 0 or met == own:
                continue
            if seeded and desk.found[met, MARK] > 0.0:
                return MET
            if desk.found[met, MARK] > 0.0:
                return JUMPED
            desk.found[met, MARK] = number
    return CLOSED


@lean
def closes(arm, desk, start, a, b, held):
    """Where in a segment the curve is back at its start, as a share of it; 2 if it is not."""
    q = desk.q[5]
    y0, y1, sign = a[held] - start[held], b[held] - start[held], math.copysign(1.0, start[AXES + held])
    turn = turn_between(y0, y1)
    y0, y1 = sign * (y0 - turn), sign * (y1 - turn)
    if not (y0 < 0.0 <= y1 and y1 - y0 < 1.0):
        return 2.0
    wide = b[ALONG] - a[ALONG]
    _, t, _, _ = roots(y0, y1, sign * wide * a[AXES + held], sign * wide * b[AXES + held])
    write_between(a, b, t, q)
    if apart(q, start) > NEAR:
        return 2.0
    q[held] = start[held] + turn
    if not correct(arm, desk.G, q, held, EXACT, desk.J, desk.A, desk.q[6]) < math.inf:
        return 2.0
    return t if apart(q, start) < SAME else 2.0


@lean
def step(arm, desk, fineness, h, bend, side, a, b_out):
    """Writes the next vertex a step h away; returns the turn of the tangent, negative if h is too long, and the side.

    The side is 1 if the way leads along the tangent, -1 if against it; it changes only where curves touch.
    """
    q, held = desk.q[2], fastest(a[AXES:ALONG])
    for j in range(AXES):
        q[j] = a[j] + h * (a[AXES + j] + 0.5 * h * bend[j])
    tangent = desk.q[3]
    if not correct(arm, desk.G, q, held, ROUGH, desk.J, desk.A, tangent) < CORRECTED[fineness] * h:
        return -1.0, side
    cosine, chord = 0.0, 0.0
    for j in range(AXES):
        cosine += side * tangent[j] * a[AXES + j]
        chord += (q[j] - a[j]) ** 2
    if abs(cosine) < LEAST_COSINE[fineness] or (cosine < 0.0 and h > TOUCHING):
        return -1.0, side
    side = math.copysign(side, side * cosine)
    turn = math.acos(min(abs(cosine), 1.0))
    wide = math.sqrt(chord) * (1.0 + turn * turn / 24.0)
    for j in range(AXES):
        b_out[j], b_out[AXES + j] = q[j], side * tangent[j]
        bend[j] = (b_out[AXES + j] - a[AXES + j]) / wide
    b_out[ALONG] = a[ALONG] + wide
    return turn, side


@lean
def trace(arm, desk, planes, q, fineness, number, own, vertices, report_out):
    """Writes the vertices of the curve through q, the last the first again; returns how it ended and how many.

    `own` is the answer of a slice that q is, or -1 for a start between slices.
    """
    start, bend, h, room, seeded = vertices[0], desk.q[4], 0.1 * LONGEST[fineness], vertices.shape[0], own < 0
    for j in range(AXES):
        start[j], bend[j] = q[j], 0.0
    start[ALONG] = 0.0
    held = write_start(arm, desk.G, start[:AXES], desk.J, desk.A, start[AXES:ALONG])
    if held < 0:
        return STUCK, 0
    last, side = 0, 1.0
    while last + 1 < room:
        a, b = vertices[last], vertices[last + 1]
        turn, onward = step(arm, desk, fineness, h, bend, side, a, b)
        if turn < 0.0:
            h *= 0.5
            if h < SHORTEST:
                return STUCK, 0
            continue
        if onward != side:
            report_out[TOGETHER] += 1.0
        side = onward
        share = closes(arm, desk, start, a, b, held) if last > 0 else 2.0
        became = cross_planes(arm, desk, planes, a, b, min(share, 1.0), number, own, seeded, report_out)
        if became != CLOSED:
            return became, 0
        last += 1
        if share <= 1.0:
            b[ALONG] = a[ALONG] + share * (b[ALONG] - a[ALONG])
            for j in range(AXES):
                b[j] = start[j] + TURN * math.floor((b[j] - start[j]) / TURN + 0.5)
                b[AXES + j] = start[AXES + j]
            return CLOSED, last + 1
        if seeded and last > SEED_STEPS:
            return MET, 0
        h = min(h * min(max(AIMED[fineness] / max(turn, 1e-3), 0.5), 2.0), LONGEST[fineness])
    return FULL, 0
