"""The subproblems of the closed forms: every angle they give solves their equation, and none is missing."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forearm.core.closed_form.forms.subproblems import (
    BEYOND,
    first_angle,
    last_angle,
    middle_angles,
    turn_onto,
    turn_to_distance,
    turn_to_height,
)
from forearm.core.maths.vectors import apply, rotation

TINY = 1e-12  # what rounding may leave of an equation with lengths near 1


def euler(h1, h2, h3, W):
    """Both answers of three turns, and how many of them count."""
    u = apply(W, h3)
    count, b1, b2, _ = middle_angles(h1, h2, h3, u, 0.0)
    found = []
    for b in (b1, b2)[:count]:
        a = first_angle(h1, h2, h3, u, b, 0.0)
        found.append((a, b, last_angle(h1, h2, h3, W, a, b)))
    return found


def turned(h, angle):
    return np.array(rotation(h, angle)).reshape(3, 3)


def unit(rng):
    v = rng.normal(size=3)
    return tuple((v / np.linalg.norm(v)).tolist())


seeds = st.integers(0, 2**31)
angles = st.floats(-math.pi, math.pi)


def same_angle(a, b):
    return abs(math.remainder(a - b, 2 * math.pi))


@given(seeds, angles)
def test_turning_one_vector_onto_another_is_undone(seed, angle):
    rng = np.random.default_rng(seed)
    h, a = unit(rng), unit(rng)
    b = tuple((turned(h, angle) @ a).tolist())
    found = turn_onto(h, a, b, 9.0)
    assert np.abs(turned(h, found) @ a - b).max() < TINY


@pytest.mark.parametrize("tilt", [1e-5, 1e-6, 1e-7])
def test_a_vector_close_to_the_axis_keeps_its_digits(tilt):
    h = (0.0, 0.6, 0.8)
    a = np.array(h) + tilt * np.array([1.0, 0.0, 0.0])
    b = turned(h, 1.234) @ a
    found = turn_onto(h, tuple(a.tolist()), tuple(b.tolist()), 9.0)
    assert np.abs(turned(h, found) @ a - b).max() < 1e-15


def test_a_vector_on_the_axis_leaves_the_angle_free():
    assert turn_onto((0.0, 0.0, 1.0), (0.0, 0.0, 2.0), (0.0, 0.0, 2.0), 0.7) == 0.7


@given(seeds, angles)
def test_heights_are_met_and_the_angle_that_made_them_is_found(seed, angle):
    rng = np.random.default_rng(seed)
    h, a, g = unit(rng), unit(rng), unit(rng)
    d = float(np.dot(g, turned(h, angle) @ a))
    count, t1, t2 = turn_to_height(h, a, g, d, 9.0)
    found = (t1, t2)[:count]
    assert count >= 1
    assert all(abs(np.dot(g, turned(h, t) @ a) - d) < 1e-8 for t in found)  # rounding beyond the range is its end
    assert min(np.abs(turned(h, t) @ a - turned(h, angle) @ a).max() for t in found) < 1e-6


def test_heights_beyond_the_range_have_no_angle_and_its_end_has_one():
    z, x = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    assert turn_to_height(z, x, x, 1.0 + 2.0 * BEYOND, 0.0)[0] == 0
    assert turn_to_height(z, x, x, 1.0 + 1e-12, 0.0) == (1, 0.0, 0.0)
    assert abs(turn_to_height(z, x, x, -1.0, 0.0)[1]) == math.pi
    assert turn_to_height(z, z, x, 0.0, 0.4)[:2] == (1, pytest.approx(0.4, abs=1e-15))


@given(seeds, angles)
def test_distances_are_met(seed, angle):
    rng = np.random.default_rng(seed)
    h, a, c = unit(rng), unit(rng), unit(rng)
    square = float(np.sum((turned(h, angle) @ a - c) ** 2))
    count, t1, t2 = turn_to_distance(h, a, c, square, 9.0)
    assert count >= 1
    assert all(abs(np.sum((turned(h, t) @ a - c) ** 2) - square) < 1e-8 for t in (t1, t2)[:count])


@given(seeds, angles, angles, angles, st.sampled_from(["square", "oblique"]))
def test_three_turns_are_found_again(seed, a, b, c, kind):
    rng = np.random.default_rng(seed)
    h1, h2, h3 = unit(rng), unit(rng), unit(rng)
    if kind == "square":
        Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        h1, h2, h3 = (tuple(v.tolist()) for v in (Q[0], Q[1], math.cos(b) * Q[0] + math.sin(b) * Q[2]))
    W = turned(h1, a) @ turned(h2, b) @ turned(h3, c)
    found = euler(h1, h2, h3, tuple(W.ravel().tolist()))
    assert found
    best = min(max(same_angle(t[0], a), same_angle(t[1], b), same_angle(t[2], c)) for t in found)
    residuals = [np.abs(turned(h1, x) @ turned(h2, y) @ turned(h3, z) - W).max() for x, y, z in found]
    assert min(residuals) < 1e-7
    assert best < 1e-5 or min(residuals) < TINY


@pytest.mark.parametrize("b", [0.0, 1e-16, 1e-14, 1e-12, 1e-9, 1e-8, math.pi, math.pi - 1e-9])
def test_the_rotation_stays_exact_at_the_wrist_singularity(b):
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    W = turned(x, 0.3) @ turned(y, b) @ turned(x, 0.5)
    found = euler(x, y, x, tuple(W.ravel().tolist()))
    assert len(found) == 2
    for u, v, w in found:
        # below a sine of 1e-12 the first angle counts as free, which costs twice that much
        assert np.abs(turned(x, u) @ turned(y, v) @ turned(x, w) - W).max() < 2e-12
