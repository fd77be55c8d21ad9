"""Exact braking: the greatest speed that stops in time, tick by tick."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forearm.core.servo import braking

brake = getattr(braking.brake, "py_func", braking.brake)


def stopping_path(v, w, dt):
    """What slowing by w a tick covers, this tick included."""
    total = 0.0
    while v > 0.0:
        total += v * dt
        v -= w
    return total


@given(
    st.floats(1e-9, 3.0),
    st.floats(0.5, 50.0),
    st.sampled_from([1e-3, 1.0 / 60.0, 0.1]),
)
def test_the_greatest_speed_stops_within_the_distance_and_a_little_more_does_not(distance, acceleration, dt):
    w = acceleration * dt
    v = brake(distance, w, dt, 1e9)
    assert stopping_path(v, w, dt) <= distance * (1.0 + 1e-9)
    assert stopping_path(v * (1.0 + 1e-6) + 1e-12, w, dt) > distance


@pytest.mark.parametrize("distance", [0.0, -1e-9, -1.0])
def test_no_distance_leaves_no_speed(distance):
    assert brake(distance, 0.01, 1e-3, 2.0) == 0.0


def test_an_endless_way_leaves_the_greatest_speed():
    assert brake(float("inf"), 0.01, 1e-3, 2.0) == 2.0
