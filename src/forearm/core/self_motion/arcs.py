"""Where self-motion curves are inside the limits: arcs with exact ends.

Where a joint meets a limit the cubic between two vertices says about; Newton's method with that joint held at the
limit says exactly. Along a curve joints leave and come in; arcs are where none is out. A joint that turns all round
inside its limits ends no arc.
"""

import math

from forearm.core.codes import LOWER, UPPER
from forearm.core.jit import leaf, lean
from forearm.core.self_motion.layout import (
    ALONG,
    ARC,
    AXES,
    BEGIN,
    BEGIN_LIMIT,
    BEGIN_Q,
    END,
    END_LIMIT,
    END_Q,
    EVENTS,
    OF,
)
from forearm.core.self_motion.point import EXACT, correct
from forearm.core.self_motion.segment import TURN, cubic, roots, slope_at, turn_between, write_between

WAY, LIMIT, OUT, Q = 0, 1, 2, 3  # places in an event


@leaf
def is_limited(limits, j):
    """Whether a joint does not turn all round."""
    return limits[UPPER, j] - limits[LOWER, j] < TURN


@lean
def count_out(limits, q):
    """How many joints are outside their limits, whole turns aside."""
    out = 0
    for j in range(AXES):
        if is_limited(limits, j):
            above = q[j] - limits[LOWER, j]
            out += 1 if above - TURN * math.floor(above / TURN) > limits[UPPER, j] - limits[LOWER, j] else 0
    return out


@lean
def place_of(a, b, t, q):
    """The share of a segment at which the joint that moves most has its value of q: where the point is found again."""
    wide, f, most = b[ALONG] - a[ALONG], 0, -1.0
    for j in range(AXES):
        speed = abs((1.0 - t) * a[AXES + j] + t * b[AXES + j])
        if speed > most:
            f, most = j, speed
    for _ in range(3):
        slope = slope_at(a[f], b[f], wide * a[AXES + f], wide * b[AXES + f], t)
        if slope == 0.0:
            break
        t += (q[f] - cubic(a[f], b[f], wide * a[AXES + f], wide * b[AXES + f], t)) / slope
    return min(max(t, 0.0), 1.0)


@lean
def add_event(arm, desk, a, b, t, j, side, value, count):
    """Adds the crossing of a limit in its place; returns how many there are."""
    q, events, wide = desk.q[5], desk.events, b[ALONG] - a[ALONG]
    slope = slope_at(a[j], b[j], wide * a[AXES + j], wide * b[AXES + j], t)
    write_between(a, b, t, q)
    q[j] = value
    if correct(arm, desk.G, q, j, EXACT, desk.J, desk.A, desk.q[6]) < math.inf:
        t = place_of(a, b, t, q)
    else:  # a joint that only touches its limit
        write_between(a, b, t, q)
        q[j] = value
    way, place = a[ALONG] + t * wide, count
    while place > 0 and events[place - 1, WAY] > way:
        for k in range(Q + AXES):
            events[place, k] = events[place - 1, k]
        place -= 1
    row = events[place]
    row[WAY], row[LIMIT] = way, (j + 1.0) if side == UPPER else -(j + 1.0)
    row[OUT] = 1.0 if (slope > 0.0) == (side == UPPER) else -1.0
    for k in range(AXES):
        row[Q + k] = q[k]
    return count + 1


@lean
def list_events(arm, limits, vertices, desk):
    """Writes every crossing of a limit along a curve in order; returns how many, or -1 if there is no room."""
    count = 0
    for i in range(vertices.shape[0] - 1):
        a, b = vertices[i], vertices[i + 1]
        wide = b[ALONG] - a[ALONG]
        for j in range(AXES):
            if not is_limited(limits, j):
                continue
            g0, g1 = wide * a[AXES + j], wide * b[AXES + j]
            for side in range(2):
                y0, y1 = a[j] - limits[side, j], b[j] - limits[side, j]
                turn = turn_between(y0, y1)
                y0, y1 = y0 - turn, y1 - turn
                if y0 * y1 > 0.0 and (g0 * g1 > 0.0 or min(abs(y0), abs(y1)) > wide):
                    continue
                many, r0, r1, r2 = roots(y0, y1, g0, g1)
                if count + many > EVENTS:
                    return -1
                for k in range(many):
                    t = r0 if k == 0 else r1 if k == 1 else r2
                    count = add_event(arm, desk, a, b, t, j, side, limits[side, j] + turn, count)
    return count


@leaf
def write_end(row, event, lap, ahead, places):
    """Writes where an arc begins or ends; in the second lap, the curve's length and its whole turns are added."""
    way, limit, first = places
    row[way], row[limit] = event[WAY] + lap, event[LIMIT]
    for j in range(AXES):
        row[first + j] = event[Q + j] + ahead[j]


@lean
def add_arcs(arm, limits, vertices, number, desk, arcs_out, count):
    """Adds the arcs of a curve inside the limits; returns how many there are and whether limits add up.

    -1 instead of a number says that there is no room.
    """
    first, last, ahead = vertices[0], vertices[vertices.shape[0] - 1], desk.q[7]
    length, events = last[ALONG], list_events(arm, limits, vertices, desk)
    if events < 0 or count + events + 1 > arcs_out.shape[0]:
        return -1, False
    begun = count_out(limits, first)
    if events == 0:
        if begun == 0:
            row = arcs_out[count]
            for k in range(ARC):
                row[k] = 0.0
            row[OF], row[END] = number, length
            for j in range(AXES):
                row[BEGIN_Q + j], row[END_Q + j] = first[j], last[j]
            count += 1
        return count, True
    total, out = 0.0, float(begun)
    for i in range(events):
        total += desk.events[i, OUT]
    # once round to the first event after which none is out, then from there
    opened, added = False, count
    for turn in range(2 * events):
        event = desk.events[turn % events]
        for j in range(AXES):
            ahead[j] = last[j] - first[j] if turn >= events else 0.0
        before, out = out, out + event[OUT]
        if before > 0.0 and out == 0.0 and turn < events:
            row, opened = arcs_out[added], True
            row[OF] = number
            write_end(row, event, 0.0, ahead, (BEGIN, BEGIN_LIMIT, BEGIN_Q))
        elif before == 0.0 and out > 0.0 and opened:
            write_end(arcs_out[added], event, length if turn >= events else 0.0, ahead, (END, END_LIMIT, END_Q))
            added, opened = added + 1, False
        if turn >= events and not opened:
            break
    return added, total == 0.0
