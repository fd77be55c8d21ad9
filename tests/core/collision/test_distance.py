"""Distances of segments, judged by dense sampling with local descent, by coal, and by moving along the normals."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forearm.core.collision.distance import FLAT, segment_box, segment_point, segment_segment

coordinate = st.floats(-3.0, 3.0, allow_nan=False).map(lambda x: round(x, 6))
vector = st.tuples(coordinate, coordinate, coordinate)
flat = st.tuples(coordinate, coordinate, st.just(0.0))
half = st.floats(0.05, 2.0)
ZERO = (0.0, 0.0, 0.0)


def least(function):
    """The least value of a convex function on [0, 1], by golden sections."""
    low, high, g = 0.0, 1.0, (math.sqrt(5.0) - 1.0) / 2.0
    for _ in range(90):
        a, b = high - g * (high - low), low + g * (high - low)
        low, high = (low, b) if function(a) < function(b) else (a, high)
    return min(function(0.0), function(1.0), function(0.5 * (low + high)))


def brute_segments(p, d, q, e):
    p, d, q, e = map(np.array, (p, d, q, e))

    def from_point(s):
        return least(lambda t: float(np.linalg.norm(p + s * d - q - t * e)))

    return least(from_point)


def brute_box(p, d, h):
    p, d, h = map(np.array, (p, d, h))

    def outside(s):
        x = p + s * d
        return float(np.linalg.norm(x - np.clip(x, -h, h)))

    return least(outside)


def random_segments(count, seed, spread=1.0):
    rng = np.random.default_rng(seed)
    return [tuple(tuple(row) for row in spread * rng.normal(size=(4, 3))) for _ in range(count)]


@pytest.mark.parametrize(("p", "d", "q", "e"), random_segments(40, 0))
def test_segments_agree_with_a_search(p, d, q, e):
    size, s, normal = segment_segment(p, d, q, e)
    assert size == pytest.approx(brute_segments(p, d, q, e), abs=2e-8)
    assert 0.0 <= s <= 1.0
    assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("shift", [-2.0, -0.3, 0.0, 0.4, 1.7])
def test_nearly_parallel_segments_keep_all_digits(angle, shift):
    d, e = (1.0, 0.0, 0.0), (math.cos(angle), math.sin(angle), 0.0)
    size = segment_segment((shift, 0.0, 0.5), d, ZERO, e)[0]
    assert size == pytest.approx(brute_segments((shift, 0.0, 0.5), d, (0.0, 0.0, 0.0), e), abs=1e-8)


@settings(max_examples=60, deadline=None)
@given(vector, vector, vector)
def test_a_point_is_a_segment_of_no_length(p, d, c):
    by_point = segment_point(p, d, c)
    by_segment = segment_segment(p, d, c, ZERO)
    np.testing.assert_allclose(by_point[0], by_segment[0], atol=1e-12)
    assert by_point[0] == pytest.approx(least(lambda s: math.dist(np.add(p, np.multiply(s, d)), c)), abs=1e-7)


@settings(max_examples=80, deadline=None)
@given(vector, vector, half, half, half)
def test_boxes_agree_with_a_search_outside_and_with_the_way_out_inside(p, d, hx, hy, hz):
    size, s, normal = segment_box(p, d, (hx, hy, hz))
    brute = brute_box(p, d, (hx, hy, hz))
    assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-9)
    if size > 0.0:
        assert size == pytest.approx(brute, abs=1e-7)
        assert 0.0 <= s <= 1.0
    else:
        assert brute == pytest.approx(0.0, abs=1e-7)
        out = np.array(p) - (size - 1e-9) * np.array(normal)
        assert segment_box(tuple(out), d, (hx, hy, hz))[0] >= 0.0


@settings(max_examples=60, deadline=None)
@given(flat, flat, flat, flat, half, half)
def test_planar_input_gives_planar_output_to_the_bit(p, d, q, e, hx, hy):
    for answer in (
        segment_point(p, d, q),
        segment_segment(p, d, q, e),
        segment_box(p, d, (hx, hy, FLAT)),
    ):
        assert answer[2][2] == 0.0


def test_segments_that_cross_have_a_normal_in_their_plane():
    size, s, (x, y, z) = segment_segment((-1.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 2.0, 0.0))
    assert (size, s, z) == (0.0, 0.5, 0.0)
    assert math.hypot(x, y) == 1.0


def test_a_point_in_a_point_has_a_normal_all_the_same():
    assert segment_point(ZERO, ZERO, ZERO)[2] == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("seed", range(20))
def test_moving_along_the_normal_gains_that_distance(seed):
    rng = np.random.default_rng(seed)
    p, d, q, e = map(tuple, rng.normal(size=(4, 3)) * 2.0)
    for function in (
        lambda x: segment_segment(tuple(x), d, q, e),
        lambda x: segment_box(tuple(x), d, (0.4, 0.3, 0.5)),
        lambda x: segment_point(tuple(x), d, q),
    ):
        size, _, normal = function(p)
        step = 1e-6
        gained = function(p + step * np.array(normal))[0] - size
        assert gained == pytest.approx(step, rel=1e-3)


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(60))
def test_boxes_and_capsules_agree_with_coal(seed):
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng(seed)
    p, d, q, e = rng.normal(size=(4, 3)) * 1.5
    h = rng.uniform(0.1, 1.0, 3)

    def line(a, v):
        T = np.eye(4)
        z = v / np.linalg.norm(v)
        x = np.cross(z, [1.0, 0.0, 0.0] if abs(z[0]) < 0.9 else [0.0, 1.0, 0.0])
        x /= np.linalg.norm(x)
        T[:3, :3] = np.column_stack([x, np.cross(z, x), z])
        return coal.Capsule(RADIUS, float(np.linalg.norm(v))), coal.Transform3s(T[:3, :3], a + 0.5 * v)

    def distance(first, second):
        return coal.distance(*first, *second, coal.DistanceRequest(), coal.DistanceResult())

    box = coal.Box(*(2.0 * h)), coal.Transform3s.Identity()
    ours = segment_segment(*map(tuple, (p, d, q, e)))[0] - 2.0 * RADIUS
    assert ours == pytest.approx(distance(line(p, d), line(q, e)), abs=1e-5)
    ours = segment_box(*map(tuple, (p, d, h)))[0]
    if ours > RADIUS:
        assert ours - RADIUS == pytest.approx(distance(line(p, d), box), abs=1e-5)


RADIUS = 0.02


def test_a_segment_with_a_point_inside_a_box_always_has_a_way_out_of_it():
    """Where it enters, rounding may put its first point a hair outside."""
    rng = np.random.default_rng(9)
    for _ in range(20000):
        h = rng.uniform(0.02, 0.5, 3)
        inside, way = rng.uniform(-0.9, 0.9, 3) * h, rng.normal(size=3)
        a, b = inside - rng.uniform() * way, inside + rng.uniform() * way
        assert segment_box(tuple(a), tuple(b - a), tuple(h))[0] < -0.05 * h.min()
