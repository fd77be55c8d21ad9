"""FABRIK on two links: the paper's counts, lengths and ranges that survive, targets it crawls to."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forearm.core.combined.fabrik import (
    BEND,
    ELBOW,
    FENCE_COLUMNS,
    SHOULDER,
    backward_reach,
    forward_reach,
    straight_start,
    sweep_two_links,
    write_fence,
)

UR5 = (0.425, 0.39225)
IIWA = (0.42, 0.4)
TOLERANCE = 1e-6


def fences(shoulder=(-math.pi, math.pi), elbow=(-math.pi, math.pi)):
    rows = np.empty((2, FENCE_COLUMNS))
    write_fence(SHOULDER, *shoulder, rows)
    write_fence(ELBOW, *elbow, rows)
    return rows


def in_plane(target, origin, v_init):
    """A target in the plane through it and v_init, v_init along x."""
    way, v = np.subtract(target, origin), np.divide(v_init, np.linalg.norm(v_init))
    return float(way @ v), float(np.linalg.norm(way - (way @ v) * v))


def angles(elbow, end):
    phi1 = math.atan2(elbow[1], elbow[0])
    return phi1, math.remainder(math.atan2(end[1] - elbow[1], end[0] - elbow[0]) - phi1, math.tau)


def test_figure_3a_takes_641_sweeps():
    # the print says 659; its figures have three digits, and from those 641 follows
    target = in_plane((0.041, -0.007, 0.135), (0.0, 0.0, 0.089159), (-0.984, 0.178, 0.0))
    *_, dist, sweeps = sweep_two_links(target, UR5, fences(), TOLERANCE, 10_000)
    assert sweeps == 641
    assert dist <= TOLERANCE


@pytest.mark.compiled
def test_sweeps_explode_as_a_target_nears_full_stretch():
    # printed for the 4-DOF arm, and 0.0000244 m outside its reach: sweeps never end there
    printed, origin = np.array([0.606, -0.548, 0.290]), np.array([0.0, 0.0, 0.36])
    cone = fences((-math.radians(120), math.radians(120)), (-math.radians(120), math.radians(120)))
    counts = []
    for share in (0.99, 0.999, 0.9999, 0.99997):
        target = in_plane(origin + share * (printed - origin), origin, (0, 0, 1))
        *_, dist, sweeps = sweep_two_links(target, IIWA, cone, TOLERANCE, 1_000_000)
        assert dist <= TOLERANCE
        counts.append(sweeps)
    assert counts == sorted(counts)
    assert counts[-1] > 50 * counts[0]
    *_, dist, sweeps = sweep_two_links(in_plane(printed, origin, (0, 0, 1)), IIWA, cone, TOLERANCE, 100_000)
    assert sweeps == 100_000
    assert dist == pytest.approx(np.linalg.norm(printed - origin) - 0.82, rel=1e-3)


UNIT = st.floats(-1.0, 1.0)


@given(UNIT, UNIT, st.floats(0.1, 3.0), st.floats(0.1, 3.0), st.integers(0, 30))
@settings(max_examples=60, deadline=None)
def test_lengths_and_ranges_survive_every_sweep(x, y, shoulder, elbow_range, most):
    elbow, end, dist, _ = sweep_two_links(
        (x, y), IIWA, fences((-shoulder, shoulder), (-0.1, elbow_range)), TOLERANCE, most
    )
    assert math.hypot(*elbow) == pytest.approx(IIWA[0], abs=1e-12)
    assert math.dist(elbow, end) == pytest.approx(IIWA[1], abs=1e-12)
    assert dist == pytest.approx(math.dist(end, (x, y)), abs=1e-15)
    phi1, phi2 = angles(elbow, end)
    assert abs(phi1) <= shoulder + 1e-9
    assert -0.1 - 1e-9 <= phi2 <= elbow_range + 1e-9


@given(UNIT, UNIT)
@settings(max_examples=40, deadline=None)
def test_dist_never_grows_without_ranges(x, y):
    before = math.inf
    for most in range(12):
        *_, dist, _ = sweep_two_links((x, y), UR5, fences(), TOLERANCE, most)
        assert dist <= before + 1e-12
        before = dist


def test_ranges_that_do_not_hold_zero_bend_the_start():
    elbow, end = straight_start((0.3, 0.2), UR5, fences((0.5, 1.0), (-0.3, -0.2)))
    assert angles(elbow, end) == pytest.approx((0.5, -0.3))


def test_a_target_on_the_line_of_the_chain_is_reached_from_a_bent_start():
    elbow, end = straight_start((0.4, 0.0), UR5, fences())
    assert angles(elbow, end)[0] == pytest.approx(BEND)
    *_, dist, sweeps = sweep_two_links((0.4, 0.0), UR5, fences(), TOLERANCE, 1000)
    assert dist <= TOLERANCE
    assert sweeps > 0


def test_points_on_top_of_each_other_have_a_direction_too():
    assert forward_reach((0.2, 0.1), 0.3, (0.2, 0.1)) == pytest.approx((-0.1, 0.1))
    elbow, end = backward_reach((0.0, 0.0), (0.3, 0.3), fences(), (0.0, 0.0))
    assert math.hypot(*elbow) == pytest.approx(0.3)
    assert math.dist(elbow, end) == pytest.approx(0.3)
