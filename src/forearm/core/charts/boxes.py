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
from forearm.core.charts.surfaces import (
    ANY_NEAR,
    PILE,
    TINY,
    groups_apart,
    is_inside,
    is_within,
    nearest,
    open_surface,
    will_do,
)
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
AT = 2 * SLOTS + 2  # from there on: the groups of triangles that were near in the box it is half of, or -1
WAITING_COLUMNS, WAITING = 2 * SLOTS + 4, 128  # one for each halving, and so deep it never is
ROUNDING = 1e-7  # what places of links may be off by [m]
TOUCHING = -1e-3  # the gap of surfaces that touch, whose depth is not known [m]


class Meeting(NamedTuple):
    """Two surfaces and the m joints between them, the last of which carries the second."""

    links: Any
    joints: Any
    one: Any
    other: Any
    q: Any  # (n,) joint values at hand
    frames: Any  # (m + 1, 4, 4) in the frame of the first
    T: Any  # (4, 4) the pose of the second in it, one of the frames
    pile: Any


@shared
def boxes_size(m, n):
    """How many numbers of scratch two surfaces take, m joints between them."""
    return 16 * (m + 1) + 3 * PILE + n + WAITING * WAITING_COLUMNS


@leaf
def open_boxes(links, joints, one, other, n, work):
    """Two surfaces in `boxes_size` numbers of scratch, and the boxes that wait; only for lean kernels."""
    m = joints.shape[0]
    frames, rest = shaped(work[: 16 * (m + 1)], (m + 1, 4, 4)), work[16 * (m + 1) :]
    pile, rest = shaped(rest[: 3 * PILE], (PILE, 3)), rest[3 * PILE :]
    q, rest = rest[:n], rest[n:]
    waiting = shaped(rest[: WAITING * WAITING_COLUMNS], (WAITING, WAITING_COLUMNS))
    both = open_surface(one), open_surface(other)
    return Meeting(links, joints, both[0], both[1], q, frames, frames[m - 1], pile), waiting


@leaf
def place_between(meeting):
    """Writes the pose of the second link's frame in that of the first, behind joint values."""
    fk_frames(meeting.links, meeting.joints, meeting.q, meeting.frames)


@leaf
def put_at(meeting, q):
    """Places the links at joint values."""
    for k in range(q.shape[0]):
        meeting.q[k] = q[k]
    place_between(meeting)


@leaf
def put_in(meeting, chart, box, corner):
    """Places the links at a corner of a box, by its number's bits, or at its middle, -1."""
    for slot in range(SLOTS):
        if chart[1 + slot, VARIABLE] >= 0.0:
            side = 0.0 if corner < 0 else (1.0 if (corner >> slot) & 1 else -1.0)
            meeting.q[int(chart[1 + slot, VARIABLE])] = box[MIDDLE + slot] + side * box[HALF + slot]
    place_between(meeting)


@lean
def least_gaps(links, joints, one, other, Q, work, gaps_out):
    """Makes N gaps the distance of two surfaces in as many configurations, where that is less.

    Of surfaces that touch, or one of which is inside of the other, it is `TOUCHING`. `links` and `joints` are those
    between them, `work` has `boxes_size(m, n)` numbers.
    """
    meeting, _ = open_boxes(links, joints, one, other, Q.shape[1], work)
    for i in range(Q.shape[0]):
        if gaps_out[i] > TOUCHING:
            put_at(meeting, Q[i])
            most = max(gaps_out[i], TINY)
            gap = nearest(meeting.one, meeting.other, meeting.T, (0.0, 0.0, 0.0), most, ANY_NEAR, meeting.pile)[0]
            if gap <= 0.0 or are_nested(meeting):
                gap = TOUCHING
            gaps_out[i] = min(gaps_out[i], gap)


@lean
def build_chart(links, joints, one, other, q, steer, work, chart_out):
    """Writes the boxes of a chart whose head is written; how many rows it has then, or -1 where there is no room.

    As `least_gaps` is called; `steer` are numbers as above, `q` any joint values.
    """
    meeting, waiting = open_boxes(links, joints, one, other, q.shape[0], work)
    put_at(meeting, q)
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
    box_out[PARENT], box_out[IS_ABOVE], box_out[AT], box_out[AT + 1] = 0.0, 0.0, -1.0, -1.0


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
    keep, enough = steer[KEPT], ANY_NEAR if swing <= steer[FINE] else (steer[FINE], max(steer[FINE], steer[FREE]))
    gap, reach, at, beside = keep, 0.0, int(box[AT]), int(box[AT + 1])
    if at >= 0:  # what was near in the whole of it mostly is in its halves
        gap, reach = groups_apart(one, at, other, beside, T, near, keep)
    if gap >= keep or not will_do(gap, reach, enough):
        gap, reach, at, beside = nearest(one, other, T, near, keep, enough, pile)
    box[AT], box[AT + 1] = at, beside
    far = gap >= keep
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
    one, other, T, back = meeting.one, meeting.other, meeting.T, meeting.frames[meeting.joints.shape[0]]
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
