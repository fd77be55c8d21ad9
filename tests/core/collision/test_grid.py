"""Grids of distances: the least one along a segment against a dense look with numpy's own interpolation."""

import numpy as np
import pytest

from forearm.core.collision.obstacle_rows import segment_gap
from forearm.scenes import DistanceField


def interpolated(field, points):
    """The field at (k, 3) points, and how far from the grid they are; own code."""
    local = (points - field.origin) @ np.array(field.rotation)
    top = np.subtract(field.distances.shape, 1)
    x = local / np.array(field.spacing)
    inside = np.clip(x, 0.0, top)
    off = np.linalg.norm((x - inside) * field.spacing, axis=1)
    i = np.minimum(inside.astype(int), top - 1)
    u = inside - i
    total = np.zeros(len(points))
    for corner in np.ndindex(2, 2, 2):
        share = np.prod(np.where(corner, u, 1.0 - u), axis=1)
        total += share * field.distances[tuple((i + corner).T)]
    return total, off


def rough(rng, turned=True):
    """A field of random numbers: no distances at all, so nothing can be taken for granted."""
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R = R * np.linalg.det(R) if turned else None
    shape = rng.integers(2, 7, 3)
    return DistanceField(rng.uniform(-0.2, 0.5, shape), rng.uniform(0.05, 0.2, 3), rng.uniform(-0.3, 0.3, 3), R)


def test_the_least_distance_of_a_segment_inside_is_found():
    rng, seen = np.random.default_rng(0), 0
    while seen < 40:
        field = rough(rng)
        size = np.multiply(np.subtract(field.distances.shape, 1), field.spacing)
        ends = field.origin + (rng.uniform(0.0, 1.0, (2, 3)) * size) @ np.array(field.rotation).T
        p, d = ends[0], ends[1] - ends[0]
        seen += 1
        values, off = interpolated(field, p + np.linspace(0.0, 1.0, 20001)[:, None] * d)
        assert off.max() < 1e-12
        least, s, n = segment_gap(field.rows(), 0, tuple(p), tuple(d))
        assert least <= values.min() + 1e-12
        assert least == pytest.approx(values.min(), abs=1e-4)  # of the places looked at; it is attained:
        assert interpolated(field, (p + s * d)[None])[0][0] == pytest.approx(least, abs=1e-12)
        assert np.linalg.norm(n) == pytest.approx(1.0)


def test_outside_it_is_never_more_than_the_larger_of_both_bounds_and_never_much_less():
    rng = np.random.default_rng(1)
    for _ in range(60):
        field = rough(rng)
        p, q = rng.uniform(-1.5, 1.5, (2, 3))
        places = p + np.linspace(0.0, 1.0, 4001)[:, None] * (q - p)
        values, off = interpolated(field, places)
        pointwise = np.where(off > 1e-12, np.maximum(values, off), values).min()
        least = segment_gap(field.rows(), 0, tuple(p), tuple(q - p))[0]
        assert least <= pointwise + 1e-9
        assert least >= min(values.min(), pointwise) - 1e-3


def test_directions_are_those_of_growth():
    rng = np.random.default_rng(2)
    for _ in range(60):
        field = rough(rng)
        p, step = rng.uniform(-0.4, 0.8, 3), 1e-7
        size, _, n = segment_gap(field.rows(), 0, tuple(p), (0.0, 0.0, 0.0))
        moved = [segment_gap(field.rows(), 0, tuple(p + step * way), (0.0, 0.0, 0.0))[0] - size for way in np.eye(3)]
        if np.linalg.norm(moved) > 1e-2 * step:
            assert np.dot(moved, n) / np.linalg.norm(moved) > 1.0 - 1e-4


def test_a_ball_as_a_field_is_a_ball():
    x = np.linspace(-0.5, 0.5, 41)
    distances = np.linalg.norm(np.stack(np.meshgrid(x, x, x, indexing="ij")), axis=0) - 0.2
    field = DistanceField(distances, x[1] - x[0], [-0.5, -0.5, -0.5])
    for p, d, expected in (((0.4, 0.0, 0.0), (0.0, 0.1, 0.0), 0.2), ((1.5, 0.0, 0.0), (0.0, 0.3, 0.2), 1.0)):
        assert segment_gap(field.rows(), 0, p, d)[0] == pytest.approx(expected, abs=1e-3)
