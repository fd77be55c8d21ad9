"""Charts looked up: a box by brute force, the straight way between two configurations by samples."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forearm.core.arm import chart as places
from forearm.core.arm.chart import (
    ABOVE,
    BODY_A,
    BODY_B,
    CHART_COLUMNS,
    CUT,
    GAP,
    HEAD,
    HIGH,
    LOW,
    OUTSIDE,
    ROWS,
    SLACK,
    SLOT,
    SLOTS,
    VARIABLE,
    chart_gap,
    least_charted,
    place_off,
)
from forearm.core.arm.compact import ARM_COLUMNS, Q

KNOWN = 0.0125  # the gap that is asked for [m]
GAPS = (-0.01, -0.002, 0.004, 0.011, math.inf)
seeds = st.integers(0, 2**32 - 1)


def drawn_chart(rng, variables, depth=5):
    """A chart of random boxes over variables of an arm, and its boxes one by one: (lows, highs, gap)."""
    head = np.zeros((HEAD, CHART_COLUMNS))
    head[0, [BODY_A, BODY_B]] = rng.integers(0, 9, 2)
    head[1:, VARIABLE] = -1.0
    for slot, (variable, turns) in enumerate(variables):
        low = rng.uniform(-4.0, 1.0)
        wide = 2.0 * math.pi if turns else rng.uniform(0.5, 5.0)
        head[1 + slot] = variable, low, low + wide, wide if turns else 0.0
    rows, boxes = list(head), []

    def grow(lows, highs, left):
        if left == 0 or rng.random() < 0.15:
            rows.append(np.array([-1.0, rng.choice(GAPS), 0.0, 0.0]))
            boxes.append((lows, highs, rows[-1][GAP]))
            return
        slot = int(rng.integers(len(variables)))
        cut, row = rng.uniform(lows[slot], highs[slot]), np.zeros(CHART_COLUMNS)
        rows.append(row)
        below, above = highs.copy(), lows.copy()
        below[slot] = above[slot] = cut
        grow(lows, below, left - 1)
        row[SLOT], row[CUT], row[ABOVE] = slot, cut, len(rows)
        grow(above, highs, left - 1)

    grow(head[1:, LOW].copy(), head[1:, HIGH].copy(), depth)
    chart = np.array(rows)
    chart[0, ROWS] = len(chart)
    return chart, boxes


def gap_of(chart, boxes, q):
    """The gap by looking at every box; of a chart's outside its own."""
    values = np.zeros(SLOTS)
    for slot in range(SLOTS):
        variable, low, high, turn = chart[1 + slot]
        if variable >= 0.0:
            value = q[int(variable)]
            values[slot] = low + math.fmod(math.fmod(value - low, turn) + turn, turn) if turn else value
            if not low - SLACK <= values[slot] <= high + SLACK:
                return OUTSIDE
    (gap,) = {
        gap
        for lows, highs, gap in boxes
        if all(
            (low <= value or low == start) and (value < high or high == end)
            for low, high, value, start, end in zip(
                lows, highs, values, chart[1:HEAD, LOW], chart[1:HEAD, HIGH], strict=True
            )
        )
    } or {math.nan}
    return gap


def standing(q):
    """An arm's joints, of which charts read the values only."""
    arm = np.zeros((len(q), ARM_COLUMNS))
    arm[:, Q] = q
    return arm


def several(rng, count):
    """Charts of one to three of four variables, one behind the other, with their boxes."""
    found = []
    for _ in range(count):
        variables = rng.permutation(4)[: rng.integers(1, SLOTS + 1)]
        found.append(drawn_chart(rng, [(int(v), rng.random() < 0.4) for v in variables]))
    return np.concatenate([chart for chart, _ in found]), found


@given(seeds)
def test_a_box_is_found_as_by_looking_at_all_of_them(seed):
    rng = np.random.default_rng(seed)
    chart, boxes = drawn_chart(rng, [(2, False), (0, True), (3, False)][: rng.integers(1, 4)])
    for q in rng.uniform(-9.0, 9.0, (20, 4)):
        assert chart_gap(chart, 0, standing(q)) == gap_of(chart, boxes, q)


@given(seeds)
def test_the_least_of_several_charts_is_told_with_its_chart(seed):
    rng = np.random.default_rng(seed)
    charts, found = several(rng, 3)
    starts = np.cumsum([0, *(len(chart) for chart, _ in found)])
    for q in rng.uniform(-4.0, 4.0, (10, 4)):
        gaps = [gap_of(chart, boxes, q) for chart, boxes in found]
        least, first = least_charted(charts, standing(q), KNOWN)
        if min(gaps) < KNOWN:
            assert (least, first) == (min(gaps), starts[int(np.argmin(gaps))])
        else:
            assert (least, first) == (KNOWN, -1)


def test_no_chart_says_nothing():
    none = np.empty((0, CHART_COLUMNS))
    assert least_charted(none, standing(np.zeros(3)), KNOWN) == (KNOWN, -1)
    assert place_off(none, np.zeros(3), np.ones(3), KNOWN) == math.inf


@given(seeds, st.integers(-3, 3))
def test_a_joint_that_turns_is_where_it_is_after_whole_turns(seed, turns):
    rng = np.random.default_rng(seed)
    chart, boxes = drawn_chart(rng, [(0, True), (1, False)])
    low = chart[1, LOW]
    for q in rng.uniform((low + 1e-6, -4.0), (low + 2.0 * math.pi - 1e-6, 4.0), (10, 2)):
        turned = q + np.array([2.0 * math.pi * turns, 0.0])
        if all(abs(turned[0] - 2.0 * math.pi * turns - cut) > 1e-9 for lows, *_ in boxes for cut in lows[:1]):
            assert chart_gap(chart, 0, standing(turned)) == gap_of(chart, boxes, q)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300])
def test_what_is_no_value_of_a_joint_counts_as_touching(value):
    chart, _ = drawn_chart(np.random.default_rng(1), [(0, False)])
    assert chart_gap(chart, 0, standing(np.array([value]))) == OUTSIDE


def test_ends_of_a_chart_belong_to_it_and_what_is_beyond_them_does_not():
    chart, boxes = drawn_chart(np.random.default_rng(2), [(0, False)])
    low, high = chart[1, LOW], chart[1, HIGH]
    first, last = (min(boxes, key=lambda box: box[0][0])[2], max(boxes, key=lambda box: box[1][0])[2])
    assert chart_gap(chart, 0, standing(np.array([low - 0.5 * SLACK]))) == first
    assert chart_gap(chart, 0, standing(np.array([high + 0.5 * SLACK]))) == last
    for value in (low - 1e-6, high + 1e-6):
        assert chart_gap(chart, 0, standing(np.array([value]))) == OUTSIDE


@given(seeds)
def test_a_way_is_off_exactly_where_samples_say_so(seed):
    """No sample before the place is too near, and right behind it one is."""
    rng = np.random.default_rng(seed)
    charts, found = several(rng, int(rng.integers(1, 3)))
    for chart, boxes in found:  # few boxes touch, so that ways get somewhere
        for row in range(HEAD, len(chart)):
            if chart[row, SLOT] < 0.0 and rng.random() < 0.7:
                chart[row, GAP] = math.inf
        boxes[:] = [
            (*box[:2], chart[row, GAP])
            for box, row in zip(boxes, [r for r in range(HEAD, len(chart)) if chart[r, SLOT] < 0.0], strict=True)
        ]
    charts = np.concatenate([chart for chart, _ in found])
    qa, qb = rng.uniform(-2.0, 2.0, (2, 4))
    qb[rng.random(4) < 0.25] = qa[0]
    off = place_off(charts, qa, qb, KNOWN)

    def near(place):
        return least_charted(charts, standing(qa + place * (qb - qa)), KNOWN)[1] >= 0

    until = min(off, 1.0)
    assert not any(near(place) for place in np.linspace(0.0, 1.0, 2001) if place < until - 1e-7)
    if off <= 1.0:
        assert any(near(min(1.0, max(0.0, off + by))) for by in (0.0, -1e-12, 1e-12, 1e-9))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_way_through_whole_turns_comes_past_every_box(sign):
    """The one box that touches lies elsewhere than both ends, beyond where the chart begins anew."""
    chart = np.array([
        [8.0, 0.0, 1.0, 0.0], [0.0, -math.pi, math.pi, 2.0 * math.pi], [-1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0],
        [0.0, 2.0, 6.0, 0.0], [-1.0, math.inf, 0.0, 0.0], [0.0, 2.1, 8.0, 0.0], [-1.0, -0.1, 0.0, 0.0],
        [-1.0, math.inf, 0.0, 0.0],
    ])  # fmt: skip
    chart[0, ROWS] = len(chart)
    qa, qb = np.array([2.5 if sign > 0.0 else 1.5]), np.array([2.5 if sign > 0.0 else 1.5])
    qb = qb + sign * 2.0 * math.pi
    off = place_off(chart, qa, qb, KNOWN)
    edge = 2.0 + 2.0 * math.pi if sign > 0.0 else 2.1 - 2.0 * math.pi
    assert off == pytest.approx((edge - qa[0]) / (qb[0] - qa[0]), abs=1e-8)
    assert place_off(chart, qa, qa + sign * 0.4, KNOWN) == math.inf


@pytest.mark.parametrize("cut", [0.5, 0.0, -1.3])
@pytest.mark.parametrize("by", [-1e-9, -1e-13, -1e-16, 1e-16, 1e-13, 1e-9])
def test_a_way_that_hardly_moves_a_joint_ends_soon(monkeypatch, cut, by):
    """It begins on a cut, which steps along it do not leave for rounding; each step is a look at a box."""
    chart = np.array([
        [0.0, 0.0, 1.0, 0.0], [0.0, -2.0, 2.0, 0.0], [1.0, -2.0, 2.0, 0.0], [-1.0, 0.0, 0.0, 0.0],
        [0.0, cut, 6.0, 0.0], [-1.0, math.inf, 0.0, 0.0], [-1.0, math.inf, 0.0, 0.0],
    ])  # fmt: skip
    chart[0, ROWS] = len(chart)
    looks, box_at = [], places.box_at

    def counted(*arguments):
        looks.append(1)
        assert len(looks) < 1000, "a thousand looks at two boxes"
        return box_at(*arguments)

    monkeypatch.setattr(places, "box_at", counted)
    assert place_off(chart, np.array([cut, -1.0]), np.array([cut + by, 1.0]), KNOWN) == math.inf
