"""The swivel angles at which an arm with spherical shoulder and wrist is inside its limits, exactly.

The joint angles are read off waves in psi (`core/closed_form/forms/srs.py`). A limit is passed only where a wave has a
root: `sin(beta) sin(q - limit) = 0` for the outer joints, `cos(beta) = cos(limit)` for the middle
ones. So all such roots are sorted (at most 24), and between two neighbours one test says whether
the arc lies inside: no cases to tell apart.
"""

import math

import numpy as np

from forearm.core.closed_form.forms.srs import COSINE, FIRST_COSINE, FIRST_SINE, GROUP, LAST_COSINE, LAST_SINE
from forearm.core.closed_form.forms.subproblems import turn_onto
from forearm.core.codes import LOWER, UPPER
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import TURN, wrap_near
from forearm.core.maths.vectors import read

BREAKS = 24
INSIDE_SLACK = 1e-12  # what rounding adds to the test of an arc
FREE_RADIUS = 1e-9  # sine of the middle angle below which the outer angles have no meaning
ANYWHERE = -2.0  # less than any cosine: no limit

# columns of `arcs` (7, 5): the middle of a joint's range (cosine, sine), cosine of half its width,
# and its ends; the ranges of joints 2 and 6 are those of the angle between their outer axes
MIDDLE_COS, MIDDLE_SIN, HALF_COS, FROM, TO = 0, 1, 2, 3, 4
ARC_COLUMNS = 5


@lean
def write_arcs(lines, limits, widen, arcs_out):
    """Writes the range of each joint as an arc of the circle, widened by some radians."""
    for i in range(7):
        zero = 0.0
        if i == 1 or i == 5:
            zero = turn_onto(read(lines, i, 0), read(lines, i - 1, 0), read(lines, i + 1, 0), 0.0)
        lower, upper = limits[LOWER, i] - widen, limits[UPPER, i] + widen
        if not upper - lower < TURN:
            arcs_out[i, MIDDLE_COS], arcs_out[i, MIDDLE_SIN], arcs_out[i, HALF_COS] = 1.0, 0.0, ANYWHERE
            continue
        middle = 0.5 * (lower + upper) + zero
        arcs_out[i, MIDDLE_COS], arcs_out[i, MIDDLE_SIN] = math.cos(middle), math.sin(middle)
        arcs_out[i, HALF_COS] = math.cos(0.5 * (upper - lower))
        arcs_out[i, FROM], arcs_out[i, TO] = lower + zero, upper + zero


@leaf
def value(waves, row, s, c):
    """A wave at an angle of sine s and cosine c."""
    return waves[row, 0] * s + waves[row, 1] * c + waves[row, 2]


@lean
def group_inside(waves, group, arcs, joint, side, psi):
    """Whether three meeting joints, the first of them `joint`, are inside their limits at psi."""
    s, c = math.sin(psi), math.cos(psi)
    sign = 1.0 if side == 0 else -1.0
    n, d = value(waves, group + FIRST_SINE, s, c), value(waves, group + FIRST_COSINE, s, c)
    r = np.hypot(n, d)
    cosine = value(waves, group + COSINE, s, c)
    turned = cosine * arcs[joint + 1, MIDDLE_COS] + sign * r * arcs[joint + 1, MIDDLE_SIN]
    if turned < arcs[joint + 1, HALF_COS] - INSIDE_SLACK:
        return False
    if r < FREE_RADIUS:
        return True
    if sign * (d * arcs[joint, MIDDLE_COS] + n * arcs[joint, MIDDLE_SIN]) < arcs[joint, HALF_COS] * r - INSIDE_SLACK:
        return False
    n, d = value(waves, group + LAST_SINE, s, c), value(waves, group + LAST_COSINE, s, c)
    turned = sign * (d * arcs[joint + 2, MIDDLE_COS] + n * arcs[joint + 2, MIDDLE_SIN])
    return turned >= arcs[joint + 2, HALF_COS] * r - INSIDE_SLACK


@leaf
def branch_inside(waves, arcs, shoulder, wrist, psi):
    """Whether all joints beside the elbow are inside their limits at psi."""
    return group_inside(waves, 0, arcs, 0, shoulder, psi) and group_inside(waves, GROUP, arcs, 4, wrist, psi)


@lean
def write_breaks(waves, arcs, breaks_out):
    """Writes the sorted swivel angles in [-pi, pi) at which a joint may pass a limit; how many."""
    count = 0
    for side in range(2):
        group, joint = side * GROUP, side * 4
        for end in range(FROM, TO + 1):
            if arcs[joint, HALF_COS] != ANYWHERE:
                s, c = math.sin(arcs[joint, end]), math.cos(arcs[joint, end])
                count = outer_roots(waves, group + FIRST_SINE, group + FIRST_COSINE, s, c, count, breaks_out)
            if arcs[joint + 2, HALF_COS] != ANYWHERE:
                s, c = math.sin(arcs[joint + 2, end]), math.cos(arcs[joint + 2, end])
                count = outer_roots(waves, group + LAST_SINE, group + LAST_COSINE, s, c, count, breaks_out)
            if arcs[joint + 1, HALF_COS] != ANYWHERE:
                row, level = group + COSINE, math.cos(arcs[joint + 1, end])
                A, B, C = waves[row, 0], waves[row, 1], waves[row, 2] - level
                count = insert_roots(A, B, C, count, breaks_out)
    return count


@leaf
def outer_roots(waves, sine, cosine, s, c, count, breaks_out):
    """Inserts the roots of n cos(limit) - d sin(limit)."""
    A = waves[sine, 0] * c - waves[cosine, 0] * s
    B = waves[sine, 1] * c - waves[cosine, 1] * s
    C = waves[sine, 2] * c - waves[cosine, 2] * s
    return insert_roots(A, B, C, count, breaks_out)


@lean
def insert_roots(A, B, C, count, breaks_out):
    """Inserts the roots of A sin psi + B cos psi + C into a sorted row; returns its new length."""
    r = np.hypot(A, B)
    inside = (r - C) * (r + C)
    if not inside > 0.0:
        return count  # no root, or one where the wave only touches zero: nothing is passed
    middle, half = math.atan2(A, B), math.atan2(math.sqrt(inside), -C)
    for side in range(2):
        root = wrap_near(middle + half if side == 0 else middle - half, 0.0)
        root = root - TURN if root >= math.pi else root
        i = count
        while i > 0 and breaks_out[i - 1] > root:
            breaks_out[i] = breaks_out[i - 1]
            i -= 1
        breaks_out[i] = root
        count += 1
    return count


@lean
def write_intervals(waves, arcs, breaks, count, shoulder, wrist, intervals_out):
    """Writes the swivel intervals of one branch, ends in order; returns how many.

    An interval begins in [-pi, pi) and may end behind pi. All around the circle: one of [-pi, pi].
    """
    if count == 0:
        intervals_out[0, 0], intervals_out[0, 1] = -math.pi, math.pi
        return 1 if branch_inside(waves, arcs, shoulder, wrist, 0.0) else 0
    many, open_end, outside = 0, False, 0
    for i in range(count):
        lower = breaks[i]
        upper = breaks[i + 1] if i + 1 < count else breaks[0] + TURN
        inside = branch_inside(waves, arcs, shoulder, wrist, 0.5 * (lower + upper))
        if inside and open_end:
            intervals_out[many - 1, 1] = upper
        elif inside:
            intervals_out[many, 0], intervals_out[many, 1] = lower, upper
            many += 1
        open_end = inside
        outside += 0 if inside else 1
    if outside == 0:
        intervals_out[0, 0], intervals_out[0, 1] = -math.pi, math.pi
        return 1
    if many > 1 and open_end and intervals_out[0, 0] == breaks[0]:  # the last runs on into the first
        intervals_out[many - 1, 1] = intervals_out[0, 1] + TURN
        for i in range(many - 1):
            intervals_out[i, 0], intervals_out[i, 1] = intervals_out[i + 1, 0], intervals_out[i + 1, 1]
        many -= 1
    return many


@lean
def nearest_inside(intervals, many, psi, inset):
    """The angle inside one of many intervals that is nearest to psi, a little off their ends."""
    best, gap = 0.0, math.inf
    for i in range(many):
        middle, half = 0.5 * (intervals[i, 0] + intervals[i, 1]), 0.5 * (intervals[i, 1] - intervals[i, 0])
        off = wrap_near(psi - middle, 0.0)
        inner = half - min(inset, 0.5 * half)
        placed = min(max(off, -inner), inner)
        if abs(off - placed) < gap:
            best, gap = middle + placed, abs(off - placed)
    return best
