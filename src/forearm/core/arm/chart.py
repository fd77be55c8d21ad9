"""Charts of joint values: whether two links touch, where that depends on one to three joints between them alone.

A chart is a tree of boxes of joint values, halved over and over (`core/charts/boxes.py`). All charts of an arm are rows
of one array (r, 4), one chart behind the other:

- how many rows the chart has, body a, body b, 0;
- three rows of variables: which one (-1: none), the least and the largest value, and a whole turn if it is all there is
  of a joint that turns, else 0;
- a box in two: which of the three variables, where it is cut, which row of the chart is the half above (that below is
  the next row), 0;
- or a box that is not cut: -1, the gap of the links that is certain in all of it [m], 0, 0. It is infinite where they
  are surely as far apart as they are ever asked to be, and negative where they touch, or may.

Values outside a chart count as touching.
"""

import math

from forearm.core.arm.compact import Q
from forearm.core.jit import leaf, lean

ROWS, BODY_A, BODY_B = 0, 1, 2  # of a chart's first row
VARIABLE, LOW, HIGH, TURN = 0, 1, 2, 3  # of a row of a variable
SLOT, CUT, ABOVE, SPARE = 0, 1, 2, 3  # of a box in two; the last is 0
GAP = 1  # of a box that is not cut
CHART_COLUMNS, SLOTS = 4, 3
HEAD = 1 + SLOTS  # rows in front of a chart's boxes
OUTSIDE = -1e-3  # the gap where no chart says anything [m]
SLACK = 1e-9  # what rounding may take a value out of a chart by
STEP = 1e-9  # the least step along a way: what is passed over has no room in it


@leaf
def charted(charts, row, value):
    """A variable's value as its chart has it: a whole turn on or back."""
    turn = charts[row, TURN]
    return value - turn * math.floor((value - charts[row, LOW]) / turn) if turn > 0.0 else value


@leaf
def is_outside(charts, row, value):
    """Whether a value lies outside its chart, or is no number."""
    return charts[row, VARIABLE] >= 0.0 and not (charts[row, LOW] - SLACK <= value <= charts[row, HIGH] + SLACK)


@leaf
def box_at(charts, first, values, ways):
    """The row of the box that holds three values, -1 outside; how far on, in shares of the ways, it ends."""
    for slot in range(SLOTS):
        if is_outside(charts, first + 1 + slot, values[slot]):
            return -1, 0.0
    k, end = first + HEAD, math.inf
    while charts[k, SLOT] >= 0.0:
        slot, cut = int(charts[k, SLOT]), charts[k, CUT]
        value, way = values[slot], ways[slot]
        below = value < cut
        if (way > 0.0) if below else (way < 0.0):
            end = min(end, (cut - value) / way)
        k = k + 1 if below else first + int(charts[k, ABOVE])
    return k, end


@leaf
def value_in(charts, row, stands):
    """The value of a chart's variable where joints stand: those of an arm (`core/arm/compact.py`), or plain values."""
    k = int(charts[row, VARIABLE])
    if k < 0:
        return 0.0
    return charted(charts, row, stands[k, Q] if stands.ndim == 2 else stands[k])


@lean
def chart_gap(charts, first, stands):
    """The gap of the two links of the chart at a row, as joints stand [m]."""
    one, two = value_in(charts, first + 1, stands), value_in(charts, first + 2, stands)
    k, _ = box_at(charts, first, (one, two, value_in(charts, first + 3, stands)), (0.0, 0.0, 0.0))
    return charts[k, GAP] if k >= 0 else OUTSIDE


@lean
def least_charted(charts, stands, known):
    """The least gap below `known`, else `known`, and the row of its chart, or -1, as joints stand."""
    first, least = 0, -1
    while first < charts.shape[0]:
        gap = chart_gap(charts, first, stands)
        if gap < known:
            known, least = gap, first
        first += int(charts[first, ROWS])
    return known, least


@leaf
def on_way(charts, row, qa, qb, place):
    """The value of a chart's variable at a place from 0 to 1 of the way from qa to qb, and how it changes.

    A way shorter than `STEP` counts as none: steps along it would be lost in rounding.
    """
    if charts[row, VARIABLE] < 0.0:
        return 0.0, 0.0
    k = int(charts[row, VARIABLE])
    way = qb[k] - qa[k]
    return charted(charts, row, qa[k] + place * way), (way if abs(way) > STEP else 0.0)


@leaf
def way_in_chart(charts, first, qa, qb, known):
    """The place from 0 to 1 of the way from qa to qb where a chart's gap is below `known`, or infinity."""
    place = 0.0
    while True:
        one, by_one = on_way(charts, first + 1, qa, qb, place)
        two, by_two = on_way(charts, first + 2, qa, qb, place)
        three, by_three = on_way(charts, first + 3, qa, qb, place)
        values, ways = (one, two, three), (by_one, by_two, by_three)
        k, end = box_at(charts, first, values, ways)
        if k < 0 or charts[k, GAP] < known:
            return place
        for slot in range(SLOTS):  # the chart itself may end before its box does
            row, way = first + 1 + slot, ways[slot]
            if way != 0.0:
                end = min(end, ((charts[row, HIGH] if way > 0.0 else charts[row, LOW]) - values[slot]) / way)
        if place >= 1.0:
            return math.inf
        place = min(1.0, place + max(end, 0.0) + STEP)


@lean
def place_off(charts, qa, qb, known):
    """The first place from 0 to 1 of the way from qa to qb where a chart's gap is below `known`, or infinity."""
    first, place = 0, math.inf
    while first < charts.shape[0]:
        place = min(place, way_in_chart(charts, first, qa, qb, known))
        first += int(charts[first, ROWS])
    return place
