"""A chart of joint values: where two links surely do not touch, by their surfaces.

In the middle of a box of joint values the surfaces are asked whether they come within what joints can move them by in
the box, and a little more; if not, the box is free. Else it is halved across the joint that moves most, until all
joints together move the links by little enough: such boxes count as touching where they may. So do boxes of some size
whose middle and corners all touch: that nothing of them is free is not proven, but it is what is surely safe to say.
"""

import math
from typing import Any, NamedTuple

from forearm.core.arm.chart import ABOVE, CUT, GAP, HEAD, HIGH, LOW, SLOT, SLOTS, SPARE, VARIABLE
from forearm.core.arm.kinematics import fk_frames
from forearm.core.charts.surfaces import PILE, Surface, is_inside, is_within, nearest
from forearm.core.jit import leaf, lean, shared
from forearm.core.shaped import shaped

# places in `steer`: what joints move links by in the finest boxes, and in boxes that are free; the gap to keep [m]
FINE, FREE, KEPT = 0, 1, 2
LEVERS = 3  # from there on: how far each variable moves the links against each other at most [m per rad, or per m]
# from there on: what each variable turns the first surface by about its axis, the second, or moves them by otherwise
FIRST, SECOND, OTHERWISE = LEVERS + SLOTS, LEVERS + 2 * SLOTS, LEVERS + 3 * SLOTS
COARSE = LEVERS + 4 * SLOTS  # from there on: half of a box, at most, whose corners speak for it
STEER = COARSE + SLOTS
MIDDLE, HALF, PARENT, IS_ABOVE = 0, SLOTS, 2 * SLOTS, 2 * SLOTS + 1  # columns of a box that waits
WAITING_COLUMNS, WAITING = 2 * SLOTS + 2, 128  # one for each halving, and so deep it never is
ROUNDING = 1e-7  # what places of links may be off by [m]


class Meeting(NamedTuple):
    """Two surfaces on joints."""

    links: Any
    joints: Any
    ends: Any  # (2,) the joints that carry them, -1: the base
    one: Any
    other: Any
    q: Any  # (n,) joint values at hand
    frames: Any  # (m + 1, 4, 4)
    T: Any  # (4, 4) the pose of the second link in the frame of the first, the last of the frames
    pile: Any


@shared
def boxes_size(m, n):
    """How many numbers of scratch two surfaces on a chain take."""
    return 16 * (m + 1) + 2 * PILE + n + WAITING * WAITING_COLUMNS


@leaf
def open_boxes(links, joints, ends, one, other, n, work):
    """Two surfaces in `boxes_size` numbers of scratch, and the boxes that wait; only for lean kernels."""
    size = 16 * (joints.shape[0] + 1)
    frames, rest = shaped(work[:size], (joints.shape[0] + 1, 4, 4)), work[size:]
    pile, rest = shaped(rest[: 2 * PILE], (PILE, 2)), rest[2 * PILE :]
    q, rest = rest[:n], rest[n:]
    waiting = shaped(rest[: WAITING * WAITING_COLUMNS], (WAITING, WAITING_COLUMNS))
    return Meeting(links, joints, ends, one, other, q, frames, frames[joints.shape[0]], pile), waiting


@leaf
def place_between(meeting):
    """Writes the pose of the second link's frame in that of the first, behind joint values."""
    T, frames, one, other = meeting.T, meeting.frames, int(meeting.ends[0]), int(meeting.ends[1])
    fk_frames(meeting.links, meeting.joints, meeting.q, frames)
    for i in range(3):
        for j in range(4):
            total = frames[other, i, j]
            if one >= 0:
                total = 0.0
                for k in range(3):
                    total += frames[one, k, i] * (frames[other, k, j] - (frames[one, k, 3] if j == 3 else 0.0))
            T[i, j] = total


@leaf
def put_in(meeting, chart, box, corner):
    """Places the links at a corner of a box, by its number's bits, or at its middle, -1."""
    for slot in range(SLOTS):
        if chart[1 + slot, VARIABLE] >= 0.0:
            side = 0.0 if corner < 0 else (1.0 if (corner >> slot) & 1 else -1.0)
            meeting.q[int(chart[1 + slot, VARIABLE])] = box[MIDDLE + slot] + side * box[HALF + slot]
    place_between(meeting)


@lean
def count_within(links, joints, ends, triangles_a, balls_a, triangles_b, balls_b, Q, distances, work, counts_out):
    """Writes in how many of N configurations two surfaces come within each of some distances.

    `ends` are the joints that carry them; `work` has `boxes_size(m, n)` numbers.
    """
    one, other = Surface(triangles_a, balls_a, balls_a), Surface(triangles_b, balls_b, balls_b)
    n = Q.shape[1]
    meeting, _ = open_boxes(links, joints, ends, one, other, n, work)
    for d in range(distances.shape[0]):
        counts_out[d] = 0.0
    for i in range(Q.shape[0]):
        for k in range(n):
            meeting.q[k] = Q[i, k]
        place_between(meeting)
        for d in range(distances.shape[0]):
            if is_within(one, other, meeting.T, (distances[d], 0.0, 0.0), meeting.pile):
                counts_out[d] += 1.0


@lean
def build_chart(
    links, joints, ends, triangles_a, balls_a, marks_a, triangles_b, balls_b, marks_b, q, steer, work, chart_out
):
    """Writes the boxes of a chart whose head is written; how many rows it has then, or -1 where there is no room.

    As `count_within` is called; `steer` are numbers as above, `q` any joint values.
    """
    one, other = Surface(triangles_a, balls_a, marks_a), Surface(triangles_b, balls_b, marks_b)
    meeting, waiting = open_boxes(links, joints, ends, one, other, q.shape[0], work)
    for k in range(q.shape[0]):
        meeting.q[k] = q[k]
    begin(chart_out, waiting[0])
    left, rows = 1, HEAD
    while left > 0:
        left -= 1
        if rows == chart_out.shape[0] or left + 2 > WAITING:
            return -1
        box, row = waiting[left], chart_out[rows]
        if box[IS_ABOVE] != 0.0:
            chart_out[int(box[PARENT]), ABOVE] = rows
        slot = widest(box, steer)
        gap, whole = gap_in(meeting, chart_out, box, steer)
        row[SLOT], row[GAP], row[ABOVE], row[SPARE] = -1.0, gap, 0.0, 0.0
        if not whole:
            row[SLOT], row[CUT] = slot, box[MIDDLE + slot]
            halve(box, slot, rows, waiting[left + 1])
            left += 2
        rows += 1
    return rows


@leaf
def begin(chart, box_out):
    """Writes the box of all of a chart."""
    for slot in range(SLOTS):
        low, high = chart[1 + slot, LOW], chart[1 + slot, HIGH]
        box_out[MIDDLE + slot], box_out[HALF + slot] = 0.5 * (low + high), 0.5 * (high - low)
    box_out[PARENT], box_out[IS_ABOVE] = 0.0, 0.0


@leaf
def widest(box, steer):
    """Across which variable a box is halved: the one that moves links farthest in it."""
    best = 0
    for slot in range(1, SLOTS):
        if box[HALF + slot] * steer[LEVERS + slot] > box[HALF + best] * steer[LEVERS + best]:
            best = slot
    return best


@leaf
def halve(box, slot, row, below_out):
    """Makes a box its half above, which waits, and writes the half below, which is looked at first."""
    quarter = 0.5 * box[HALF + slot]
    box[HALF + slot], box[PARENT], box[IS_ABOVE] = quarter, row, 1.0
    for k in range(WAITING_COLUMNS):
        below_out[k] = box[k]
    box[MIDDLE + slot] += quarter
    below_out[MIDDLE + slot] -= quarter
    below_out[IS_ABOVE] = 0.0


@lean
def gap_in(meeting, chart, box, steer):
    """The gap that is certain in a box, infinite where it is large enough, and whether the box shall stay whole."""
    one, other, T, pile, swing = meeting.one, meeting.other, meeting.T, meeting.pile, ROUNDING
    near = (ROUNDING, 0.0, 0.0)
    for slot in range(SLOTS):
        half = box[HALF + slot]
        swing += half * steer[LEVERS + slot]
        first, second, way = steer[FIRST + slot], steer[SECOND + slot], steer[OTHERWISE + slot]
        near = (near[0] + half * way, near[1] + half * first, near[2] + half * second)
    put_in(meeting, chart, box, -1)
    enough = -math.inf if swing <= steer[FINE] else -steer[FINE]
    gap, reach = nearest(one, other, T, near, steer[KEPT], enough, pile)
    far = gap >= steer[KEPT]
    if far or (gap > 0.0 and reach <= steer[FREE]):  # what joints move by where links are nearest
        if are_nested(meeting):  # in all of the box, as the surfaces meet nowhere in it
            return -swing, True
        return math.inf if far else gap, True
    if gap <= 0.0 and reach <= steer[FINE]:
        return min(gap, -ROUNDING), True
    return -swing, gap <= 0.0 and touches_all_over(meeting, chart, box, steer)


@leaf
def are_nested(meeting):
    """Whether a part of one surface lies inside of the other one."""
    one, other, T, back = meeting.one, meeting.other, meeting.T, meeting.frames[0]
    if is_inside(one, other, T):
        return True
    for i in range(3):  # the other way round
        for j in range(3):
            back[i, j] = T[j, i]
        back[i, 3] = -(T[0, i] * T[0, 3] + T[1, i] * T[1, 3] + T[2, i] * T[2, 3])
    return is_inside(other, one, back)


@leaf
def touches_all_over(meeting, chart, box, steer):
    """Whether a box is small enough for its corners to speak for it, and all of them touch."""
    for slot in range(SLOTS):
        if box[HALF + slot] > steer[COARSE + slot]:
            return False
    if not is_within(meeting.one, meeting.other, meeting.T, (0.0, 0.0, 0.0), meeting.pile):
        return False
    for corner in range(2**SLOTS):
        if chart[3, VARIABLE] < 0.0 and corner >= 4:
            break
        put_in(meeting, chart, box, corner)
        if not is_within(meeting.one, meeting.other, meeting.T, (0.0, 0.0, 0.0), meeting.pile):
            return False
    return True
