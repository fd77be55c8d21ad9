"""What a singular pose leaves free, searched inside the limits of all joints.

Where axis 6 of the UR's form is parallel to axis 2, only the sum of angles 2, 3, 4 and 6 is fixed: theta, the turn of
the wrist about axis 2, is free. Each limit of these joints, and the border of what the links reach, is met at a
few theta in closed form. Between two of them nothing changes, so a point of each stretch, its ends and points
beside them are looked at, and the nearest to the start that is inside all limits is taken, for either elbow side.
Where the outer axes of three that meet fall together, only a sum of their two angles is fixed.
"""

import math

from forearm.core.closed_form.forms.nearest import bring_inside
from forearm.core.closed_form.forms.subproblems import turn_onto, turn_to_distance_in_plane
from forearm.core.codes import LIMIT_SLACK, LOWER, UPPER
from forearm.core.combined.codes import LENGTHS, OFFSET, SIGNS, START
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import TURN, clamp
from forearm.core.maths.vectors import any_across, apply, cross, dot, minus, plus, read, rotation, times

# Where points of a stretch are looked at: its beginning, beside it, its middle, beside its end.
BESIDE = 0.01
LOOKS = 4


@lean
def nearest_free_turn(lines, facts, limits, left, q5, mirrored, start, met):
    """Whether some theta is inside all limits on one elbow side, and the q6 of the nearest to the start.

    `left` is the rotation S left for joints 2 to 6 and the wrist y seen from link 1; `met` has room for 18 numbers.
    """
    S, y, _ = left
    h, h5, h6, m = read(lines, 1, 0), read(lines, 4, 0), read(lines, 5, 0), any_across(read(lines, 5, 0))
    arm, away = minus(read(lines, 4, 3), read(lines, 3, 3)), minus(y, read(lines, 1, 3))
    R5 = rotation(h5, q5)
    side = 1.0 if dot(apply(R5, h6), h) > 0.0 else -1.0
    zero = turn_onto(h, apply(R5, m), apply(S, m), 0.0)  # theta + side q6
    count = write_met(lines, facts, limits, arm, away, zero, side, met)
    best, least = 0.0, math.inf
    for i in range(max(count, 1)):
        low = met[i] if count > 0 else 0.0
        span = (met[i + 1] if i + 1 < count else met[0] + TURN) - low if count > 0 else TURN
        for look in range(LOOKS):
            share = 0.5 if look == 2 else 1.0 - BESIDE if look == 3 else BESIDE * look
            theta = low + share * span
            distance = distance_at(facts, limits, h, arm, away, theta, side * (zero - theta), mirrored, start)
            if distance < least:
                best, least = side * (zero - theta), distance
    return least < math.inf, best


@leaf
def write_met(lines, facts, limits, arm, away, zero, side, met_out):
    """Writes, in their order, the theta at which a limit of joints 2, 3, 4, 6 or the border of reach is met."""
    h, e1 = read(lines, 1, 0), (facts[START], facts[START + 1], facts[START + 2])
    l2, l3 = facts[LENGTHS], facts[LENGTHS + 1]
    e2, count = cross(h, e1), 0
    for row in range(2):  # lower limits, upper limits
        if math.isfinite(limits[row, 5]):
            count = insert(zero - side * limits[row, 5], count, met_out)
        span = l2 + (l3 if row == LOWER else -l3)
        count = insert_turns(h, arm, away, span * span, 0.0, count, met_out)
        if math.isfinite(limits[row, 2]):
            square = l2 * l2 + l3 * l3 + 2.0 * l2 * l3 * math.cos(facts[SIGNS] * limits[row, 2] + facts[OFFSET])
            count = insert_turns(h, arm, away, square, 0.0, count, met_out)
        if math.isfinite(limits[row, 1]):
            c, s = l2 * math.cos(limits[row, 1]), l2 * math.sin(limits[row, 1])
            elbow = plus(times(c, e1), times(s, e2))
            count = insert_turns(h, arm, minus(away, elbow), l3 * l3, 0.0, count, met_out)
        if math.isfinite(limits[row, 3]):  # then link 3 and the wrist are one body
            turn = facts[SIGNS + 1] * limits[row, 3]
            second = plus(times(l3 * math.cos(facts[OFFSET]), e1), times(l3 * math.sin(facts[OFFSET]), e2))
            body = plus(second, apply(rotation(h, turn), arm))
            count = insert_turns(h, body, away, l2 * l2, turn, count, met_out)
    return count


@leaf
def insert_turns(h, a, c, square, extra, count, met):
    """Adds the angles, plus an extra one, at which a turned about h is this far from c; how many there are then."""
    found, one, other = turn_to_distance_in_plane(h, a, c, square, 0.0)
    if found > 0:
        count = insert(one + extra, count, met)
    if found > 1:
        count = insert(other + extra, count, met)
    return count


@leaf
def insert(angle, count, met):
    """Adds an angle, within a turn from 0, to a sorted list; how many there are then."""
    angle -= TURN * math.floor(angle / TURN)
    place = count
    while place > 0 and met[place - 1] > angle:
        met[place] = met[place - 1]
        place -= 1
    met[place] = angle
    return count + 1


@leaf
def distance_at(facts, limits, h, arm, away, theta, q6, mirrored, start):
    """The sum of the changes of joints 2, 3, 4, 6 from the start at theta; infinite outside limits or reach."""
    l2, l3, e1 = facts[LENGTHS], facts[LENGTHS + 1], (facts[START], facts[START + 1], facts[START + 2])
    end = minus(away, apply(rotation(h, theta), arm))
    x, y = dot(end, e1), dot(end, cross(h, e1))
    cosine = (x * x + y * y - l2 * l2 - l3 * l3) / (2.0 * l2 * l3)
    if abs(cosine) > 1.0 + LIMIT_SLACK:
        return math.inf
    bend = math.acos(clamp(cosine, -1.0, 1.0))
    bend = -bend if mirrored else bend
    q2 = math.atan2(y, x) - math.atan2(l3 * math.sin(bend), l2 + l3 * math.cos(bend))
    q3 = facts[SIGNS] * (bend - facts[OFFSET])
    q4 = facts[SIGNS + 1] * (theta - q2 - facts[SIGNS] * q3)
    total = 0.0
    for k in range(1, 6):
        if k != 4:
            value = q2 if k == 1 else q3 if k == 2 else q4 if k == 3 else q6
            inside, value = bring_inside(value, start[k], limits[LOWER, k], limits[UPPER, k], LIMIT_SLACK)
            total += abs(value - start[k]) if inside else math.inf
    return total


@leaf
def share_turn(limits, first, side, zero, start):
    """The value of the first of two joints with one axis, `first` and `first + 2`, nearest to the start.

    The second is `zero` where the first is 0, and turns by -side of it; both shall be inside their limits. Where that
    is not possible, the start, moved inside those of the first.
    """
    low, high, wish = limits[LOWER, first], limits[UPPER, first], start[first]
    a, b = side * (zero - limits[LOWER, first + 2]), side * (zero - limits[UPPER, first + 2])
    least, most = min(a, b), max(a, b)
    best = clamp(wish, low, high)
    if not math.isfinite(most - least):
        return best
    distance, span = math.inf, most - least + TURN
    turns = math.ceil((max(low, wish - span) - LIMIT_SLACK - most) / TURN)
    while least + TURN * turns <= min(high, wish + span) + LIMIT_SLACK:
        value = clamp(clamp(wish, least + TURN * turns, most + TURN * turns), low, high)
        if abs(value - wish) < distance:
            best, distance = value, abs(value - wish)
        turns += 1
    return best
