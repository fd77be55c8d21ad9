"""Triangles are cut where they are told to be, points lie all over them, and distances from them are exact."""

import numpy as np
import pytest

from forearm.arm.surfaces import all_over, box_triangles, clipped, cylinder_triangles, from_triangles, winding


def area(triangles):
    return 0.5 * np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)


def test_triangles_cut_by_a_plane_are_all_of_the_surface_below_it():
    triangles, rng = cylinder_triangles(0.1, 0.3), np.random.default_rng(0)
    for _ in range(20):
        normal, offset = rng.normal(size=3), rng.normal() * 0.05
        below, above = clipped(triangles, normal, offset), clipped(triangles, -normal, -offset)
        assert (below @ normal <= offset + 1e-12).all()
        assert area(below).sum() + area(above).sum() == pytest.approx(area(triangles).sum(), rel=1e-9)


def test_points_all_over_a_surface_leave_no_gap():
    """A wall with gaps would let what is inside of a solid pass for outside."""
    rng, step = np.random.default_rng(1), 0.01
    for triangles in (box_triangles((0.3, 0.1, 0.02)), cylinder_triangles(0.05, 0.3)):
        points, owners = all_over(triangles, step)
        assert set(owners.tolist()) == set(range(len(triangles)))
        share = rng.dirichlet(np.ones(3), (len(triangles), 200))
        some = np.einsum("tnk,tki->tni", share, triangles).reshape(-1, 3)[::97]
        off = np.linalg.norm(some[:, None] - points, axis=2).min(axis=1)
        assert off.max() <= step
        assert from_triangles(points[:300], triangles).max() < 1e-12


def test_points_in_a_box_are_wound_about_and_their_distance_is_known():
    size, rng = np.array([0.3, 0.2, 0.1]), np.random.default_rng(2)
    points = rng.uniform(-0.3, 0.3, (200, 3))
    beyond = np.abs(points) - 0.5 * size
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
    off = np.where(outside > 0.0, outside, -beyond.max(axis=1))
    triangles = box_triangles(tuple(size))
    assert np.abs(from_triangles(points, triangles) - off).max() < 1e-12
    assert ((winding(points, triangles) > 0.5) == (outside == 0.0)).all()
