"""From a target to two-link problems: the analytic first half of the combined method, then the sweeps.

The target's frame fixes the wrist, which leaves P_t, where the second link must end. Arms with
parallel axes have a problem per value of joint 1 (Eq. (7)) and, in the UR's form, per sign of l5
(Eq. (8)); an arm with a ball shoulder has one (Eq. (21)).
"""

import math

import numpy as np

from forearm.core.closed_form.forms.plan import displacement
from forearm.core.closed_form.forms.srs import upper_arm
from forearm.core.closed_form.forms.subproblems import (
    SOFT_SINGULAR,
    middle_angles,
    singular_middle_angle,
    turn_onto,
    turn_to_distance_in_plane,
    turn_to_height,
)
from forearm.core.codes import LOWER, UPPER
from forearm.core.combined.codes import (
    BALL,
    BRANCH,
    CONE,
    DIST,
    ELBOW_POINT,
    END_POINT,
    FORM,
    LENGTHS,
    MAX_PROBLEMS,
    OFFSET,
    PARALLEL,
    REACHABLE,
    SEED,
    SIDE,
    SIGNS,
    START,
    STEPS,
    SWEEPS,
    TARGET,
)
from forearm.core.combined.fabrik import ELBOW, ON_LINE, SHOULDER, sweep_two_links, write_fence, write_fences
from forearm.core.combined.singular import nearest_free_turn
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, middle, wrap_near
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
    unapply,
)

# How far the links may miss their lengths for the elbow to count as on an outer axis [m].
ON_AXIS = 1e-6


@leaf
def write_problems(reduction, limits, pose, start, problems_out):
    """Writes target and branch of each two-link problem; how many there are."""
    lines, facts = reduction.lines, reduction.facts
    R, t = displacement(pose, reduction.back)
    if facts[FORM] == BALL:  # Eq. (21)
        write_target(plus(apply(R, read(lines, 4, 3)), t), problems_out[0])
        write_side(lines, facts, start, problems_out[0])
        return add_singular_elbows(lines, facts, R, problems_out)
    h1, p1, h, w = read(lines, 0, 0), read(lines, 0, 3), read(lines, 1, 0), read(lines, 4, 3)
    x = plus(apply(R, w), t)
    found, q1a, q1b = turn_to_height(h1, h, minus(x, p1), dot(h, minus(w, p1)), start[0])  # Eq. (7)
    count = 0
    for k in range(found):
        q1 = q1a if k == 0 else q1b
        R1 = rotation(h1, q1)
        y = plus(p1, unapply(R1, minus(x, p1)))
        problems_out[count, BRANCH] = q1
        if facts[FORM] == PARALLEL:
            left = (product(transpose(R1), R), y, q1)
            count = add_wrist_signs(lines, facts, limits, left, start, count, problems_out)
        else:
            write_target(y, problems_out[count])
            count += 1
    return count


@leaf
def write_target(point, row_out):
    """Writes P_t."""
    row_out[TARGET], row_out[TARGET + 1], row_out[TARGET + 2] = point


@leaf
def write_side(lines, facts, start, row):
    """Writes to which side of v_init the plane of the links lies: that of the target.

    A target on the line of v_init leaves it open; it is then the side of the start's elbow, so that an
    arm whose wrist moves along that line does not turn about it.
    """
    e1, s = read_fact(facts, START), read(lines, 0, 3)
    side = across(e1, minus(read_fact(row, TARGET), s))
    if length(side) <= ON_LINE * facts[LENGTHS]:
        side = across(e1, apply(upper_arm(lines, start), minus(read_fact(facts, ELBOW_POINT), s)))
    if length(side) <= ON_LINE * facts[LENGTHS]:
        side = any_across(e1)
    side = across(e1, times(1.0 / length(side), side))  # across twice: a short vector lost digits
    row[SIDE], row[SIDE + 1], row[SIDE + 2] = times(1.0 / length(side), side)


@leaf
def add_singular_elbows(lines, facts, R, problems_out):
    """Adds, of a ball-shouldered arm, the elbow on the first or the last axis where the target allows it; the count.

    There joints 1 and 3, or 5 and 7, turn about one line, and limits that only this one swivel keeps may be met.
    Nothing is left to iterate: its dist is by how much a link misses its length.
    """
    s, h1, target, count = read(lines, 0, 3), read(lines, 0, 0), read_fact(problems_out[0], TARGET), 1
    last, forearm = apply(R, read(lines, 6, 0)), minus(read_fact(facts, END_POINT), read_fact(facts, ELBOW_POINT))
    along = length(cross(read(lines, 4, 0), forearm)) <= ON_LINE * facts[LENGTHS + 1]  # else the wrist is never so
    for k in range(4):
        if not (facts[SIGNS] > 0.0 if k < 2 else along):
            continue
        sign = 1.0 if k % 2 == 0 else -1.0
        if k < 2:
            P2 = plus(s, times(sign * facts[LENGTHS], h1))
        else:
            P2 = plus(target, times(sign * facts[LENGTHS + 1], last))
        miss = abs(length(minus(target, P2)) - facts[LENGTHS + 1]) + abs(length(minus(P2, s)) - facts[LENGTHS])
        if miss <= ON_AXIS:
            row = problems_out[count]
            write_target(target, row)
            row[DIST], row[REACHABLE] = miss, 0.0
            for i in range(3):
                row[BRANCH + i], row[BRANCH + 3 + i], row[SIDE + i] = P2[i], target[i], problems_out[0, SIDE + i]
            count += 1
    return count


@lean
def add_wrist_signs(lines, facts, limits, left, start, count, problems_out):
    """Adds the problems of one q1 in the UR's form: two signs of l5 (Eq. (8)), more at the wrist's singularity.

    `left`: the rotation S left for joints 2 to 6, the wrist seen from link 1, and q1. Where axis 6 is parallel to
    axis 2, q6 is free: it stays where it was, puts P_t on the border of what the links reach, or goes where all
    limits are kept (`core/combined/singular.py`).
    """
    S, y, q1 = left
    h, h5, h6 = read(lines, 1, 0), read(lines, 4, 0), read(lines, 5, 0)
    u = apply(S, h6)
    found, q5a, q5b, sine = middle_angles(h, h5, h6, u, start[4])
    for k in range(found):
        q5 = q5a if k == 0 else q5b
        q6 = turn_onto(h6, unapply(S, h), unapply(rotation(h5, q5), h), start[5])
        count = add_parallel(lines, S, y, q1, q5, q6, count, problems_out)
    if sine > SOFT_SINGULAR:
        return count
    q5 = singular_middle_angle(h, h5, h6, u)
    count = add_parallel(lines, S, y, q1, q5, start[5], count, problems_out)
    arm, away = minus(read(lines, 4, 3), read(lines, 3, 3)), minus(y, read(lines, 1, 3))
    for k in range(4):
        span = facts[LENGTHS] + (facts[LENGTHS + 1] if k < 2 else -facts[LENGTHS + 1])
        angles, a, b = turn_to_distance_in_plane(h, arm, away, span * span, 0.0)
        if k % 2 < angles:
            m = any_across(h6)
            turned = unapply(rotation(h5, q5), unapply(rotation(h, a if k % 2 == 0 else b), apply(S, m)))
            count = add_parallel(lines, S, y, q1, q5, turn_onto(h6, m, turned, 0.0), count, problems_out)
    for k in range(2):
        met = problems_out[MAX_PROBLEMS - 1]  # no problem is there
        found, q6 = nearest_free_turn(lines, facts, limits, left, q5, k == 1, start, met)
        if found:
            count = add_parallel(lines, S, y, q1, q5, q6, count, problems_out)
    return count


@leaf
def add_parallel(lines, S, y, q1, q5, q6, count, problems_out):
    """Adds the problem that values of joints 1, 5, 6 leave, the sum of the parallel angles from the remainder."""
    if count >= MAX_PROBLEMS - 1:
        return count
    h, m = read(lines, 1, 0), any_across(read(lines, 1, 0))
    R56 = product(rotation(read(lines, 4, 0), q5), rotation(read(lines, 5, 0), q6))
    theta = turn_onto(h, m, apply(S, unapply(R56, m)), 0.0)
    row = problems_out[count]
    row[BRANCH], row[BRANCH + 1], row[BRANCH + 2], row[BRANCH + 3] = q1, q5, q6, theta
    wrist = minus(read(lines, 4, 3), read(lines, 3, 3))
    write_target(minus(y, apply(rotation(h, theta), wrist)), row)  # Eq. (9)
    return count + 1


# -- sweeps --------------------------------------------------------------------------------------


@lean
def sweep_problem(reduction, limits, tolerance, most, fences, row):
    """Runs FABRIK on one problem and writes where it ended: dist, sweeps, seeds of the refiner, points."""
    lines, facts = reduction.lines, reduction.facts
    origin, e1, e2 = plane_of(lines, facts, row)
    lengths = (facts[LENGTHS], facts[LENGTHS + 1])
    rel = minus(read_fact(row, TARGET), origin)
    target = (dot(rel, e1), dot(rel, e2))
    d = np.hypot(target[0], target[1])
    row[STEPS] = 0.0
    reachable = abs(lengths[0] - lengths[1]) - tolerance <= d <= lengths[0] + lengths[1] + tolerance
    row[REACHABLE] = 1.0 if reachable else 0.0
    # beyond reach one sweep points the links at the target, which is the nearest they come
    elbow, end, dist, sweeps = sweep_two_links(target, lengths, fences, tolerance, most if reachable else 1)
    row[DIST], row[SWEEPS] = dist, sweeps
    if facts[FORM] == BALL:
        for i in range(3):
            row[BRANCH + i] = origin[i] + elbow[0] * e1[i] + elbow[1] * e2[i]
            row[BRANCH + 3 + i] = origin[i] + end[0] * e1[i] + end[1] * e2[i]
        return
    phi1 = math.atan2(elbow[1], elbow[0])
    phi2 = math.atan2(end[1] - elbow[1], end[0] - elbow[0]) - phi1  # Eqs. (11), (12)
    row[SEED] = inside_range(limits, 1, phi1)
    row[SEED + 1] = inside_range(limits, 2, facts[SIGNS] * (phi2 - facts[OFFSET]))


@leaf
def write_ranges(facts, limits, fences_out):
    """Writes the ranges of shoulder and elbow for the sweeps, from the limits of this call."""
    if facts[FORM] == BALL:
        write_fence(ELBOW, -widest(limits, 3, facts[OFFSET]), widest(limits, 3, facts[OFFSET]), fences_out)
        cone = widest(limits, 1, facts[CONE]) if facts[SIGNS] > 0.0 else math.pi
        write_fence(SHOULDER, -cone, cone, fences_out)
    else:
        write_fences(limits, (1, 1.0, 0.0), (2, facts[SIGNS], facts[OFFSET]), fences_out)


@leaf
def widest(limits, joint, offset):
    """The largest angle |q + offset| inside a joint's limits, at most pi [rad]."""
    low, high = limits[LOWER, joint] + offset, limits[UPPER, joint] + offset
    most = max(abs(low), abs(high))
    return most if most < math.pi else math.pi


@leaf
def plane_of(lines, facts, row):
    """Origin P1 and axes of the plane the two links move in; the first is v_init (Eq. (10))."""
    e1 = read_fact(facts, START)
    if facts[FORM] != BALL:
        origin, h = read(lines, 1, 3), read(lines, 1, 0)
        return origin, e1, cross(h, e1)
    return read(lines, 0, 3), e1, read_fact(row, SIDE)


@leaf
def read_fact(facts, start):
    """Three facts as a vector."""
    return facts[start], facts[start + 1], facts[start + 2]


@leaf
def inside_range(limits, joint, angle):
    """The angle nearest to the middle of a joint's range, moved inside it [rad]."""
    low, high = limits[LOWER, joint], limits[UPPER, joint]
    return clamp(wrap_near(angle, middle(low, high)), low, high)
