"""Cylinders: outside against coal, inside against a search over directions, and the way away against differences."""

import numpy as np
import pytest

from forearm.core.collision.obstacle_rows import segment_gap
from forearm.scenes import Cylinder

coal = pytest.importorskip("coal")

WITHIN = 1e-9  # [m]


def drawn(rng):
    """A cylinder and a segment, often degenerate."""
    a, b = rng.uniform(-0.5, 0.5, (2, 3)) * rng.choice([0.1, 1.0])
    p, q = rng.uniform(-0.7, 0.7, (2, 3))
    case = rng.integers(6)
    if case == 0:
        q = p
    elif case == 1:
        q = p + (b - a) * rng.uniform(-1.0, 1.0)
    elif case == 2:
        p = 0.5 * (a + b) + 1e-9 * rng.normal(size=3)
    return Cylinder(a, b, rng.uniform(0.01, 0.4)), p, q


def gap(shape, p, q):
    size, s, n = segment_gap(shape.rows(), 0, tuple(p), tuple(q - p))
    return size, s, np.array(n)


def by_coal(shape, p, q):
    """The distance of the segment, as a thin capsule, by coal."""
    a, b = np.array(shape.a), np.array(shape.b)
    placed = []
    for start, end in ((p, q), (a, b)):
        z = (end - start) / np.linalg.norm(end - start)
        x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
        x /= np.linalg.norm(x)
        placed.append(coal.Transform3s(np.stack([x, np.cross(z, x), z], axis=1), 0.5 * (start + end)))
    request = coal.DistanceRequest()
    request.gjk_tolerance, request.gjk_max_iterations = 1e-12, 1000
    thin = coal.Capsule(1e-3, float(np.linalg.norm(q - p)))
    cylinder = coal.Cylinder(shape.radius, float(np.linalg.norm(b - a)))
    return coal.distance(thin, placed[0], cylinder, placed[1], request, coal.DistanceResult()) + 1e-3


def depths(shape, p, q, ways):
    """How far the segment must go along each of (k, 3) unit directions to be out of the cylinder."""
    a, b = np.array(shape.a), np.array(shape.b)
    u = (b - a) / np.linalg.norm(b - a)
    wide = np.linalg.norm(np.cross(ways, u), axis=1)
    support = 0.5 * np.linalg.norm(b - a) * np.abs(ways @ u) + shape.radius * wide
    return support - np.minimum(ways @ (p - 0.5 * (a + b)), ways @ (q - 0.5 * (a + b)))


def test_distances_outside_are_coals():
    rng, seen = np.random.default_rng(0), 0
    while seen < 300:
        shape, p, q = drawn(rng)
        size, _, _ = gap(shape, p, q)
        if size > 1e-3 and (p != q).any():
            seen += 1
            theirs = by_coal(shape, p, q)
            assert size == pytest.approx(theirs, abs=WITHIN) or theirs < -1.0  # coal gives up now and then


def test_the_way_out_is_a_way_out_and_none_is_shorter():
    rng, seen = np.random.default_rng(1), 0
    everywhere = rng.normal(size=(4000, 3))
    everywhere /= np.linalg.norm(everywhere, axis=1)[:, None]
    while seen < 150:
        shape, p, q = drawn(rng)
        size, _, n = gap(shape, p, q)
        if size >= 0.0:
            continue
        seen += 1
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
        assert depths(shape, p, q, n[None])[0] == pytest.approx(-size, abs=1e-11)
        nearby = n + rng.normal(size=(200, 3)) * 10.0 ** rng.uniform(-7, -1, (200, 1))
        ways = np.vstack([everywhere, nearby / np.linalg.norm(nearby, axis=1)[:, None]])
        assert depths(shape, p, q, ways).min() >= -size - WITHIN


def test_moving_along_the_way_away_is_moving_away():
    rng = np.random.default_rng(2)
    for _ in range(300):
        shape, p, q = drawn(rng)
        size, s, n = gap(shape, p, q)
        step = 1e-6
        assert gap(shape, p + step * n, q + step * n)[0] == pytest.approx(size + step, abs=1e-11)
        assert 0.0 <= s <= 1.0
        if size > 1e-3:  # the point of the segment that is nearest
            assert gap(shape, p + s * (q - p), p + s * (q - p))[0] == pytest.approx(size, abs=1e-12)


def test_a_cylinder_stands_where_it_was_put():
    post = Cylinder([0.5, 0.0, 0.0], [0.5, 0.0, 1.0], 0.1)
    for point, expected in (((0.0, 0.0, 0.5), 0.4), ((0.5, 0.0, 1.2), 0.2), ((0.5, 0.0, 0.95), -0.05)):
        assert gap(post, np.array(point), np.array(point))[0] == pytest.approx(expected, abs=1e-15)
