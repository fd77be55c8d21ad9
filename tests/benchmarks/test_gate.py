"""The gate: what it calls slower, and that its baseline names what it measures."""

import json

import gate


def test_only_what_slowed_by_more_than_half_is_named():
    now = {"a": 10.0, "b": 15.1, "c": 14.9, "new": 1e9}
    then = {"a": 10.0, "b": 10.0, "c": 10.0, "gone": 1.0}
    slowed, unmatched = gate.compare(now, then)
    assert slowed == [("b", 15.1, 10.0)]
    assert unmatched == ["gone", "new"]


def test_times_are_read_as_multiples_of_the_reference():
    assert gate.ratios({"reference": 2.0, "a": 10.0}) == {"a": 5.0}


def test_the_baseline_holds_a_ratio_for_every_figure():
    baseline = json.loads(gate.BASELINE.read_text())
    assert set(baseline) == set(gate.figures()) - {"reference"}
    assert all(ratio > 0.0 for ratio in baseline.values())


def test_measuring_keeps_the_best_of_the_rounds():
    calls, best = {"reference": (lambda: None, 1), "a": (lambda: None, 1)}, {"a": -1.0}
    gate.measure(calls, 3, best)
    assert best["a"] == -1.0
    assert 0.0 <= best["reference"] < 60.0
