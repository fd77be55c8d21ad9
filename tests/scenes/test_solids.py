"""Convex hulls close round their points, also where these lie in planes and on circles but for rounding."""

from itertools import product

import numpy as np
import pytest

from forearm.scenes import ConvexHull
from forearm.scenes.solids import OUTWARD, hull_of


def can(corners, seed):
    """(N, 3) points of a cylinder as a file of meshes has them: in single precision, turned, with rings in its ends."""
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    angle = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(corners)])
    heights = np.linspace(0.0, 1.0, 6)
    rings = [r * ring + [0, 0, h] for h in heights for r in ((0.2, 0.4, 0.6) if h in (0.0, 1.0) else (0.6,))]
    return (0.1 * np.concatenate(rings) @ turn.T).astype(np.float32).astype(float)


def outside(points, corners):
    """How far the farthest point is before any of the faces (f, 3, 3) [m]."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = across / np.linalg.norm(across, axis=1)[:, None]
    return float((points @ normals.T - (normals * corners[:, 0]).sum(axis=1)).max())


# of 160 corners, with seed 3, faces once folded over each other without end
@pytest.mark.parametrize(("corners", "seed"), [*product((16, 24), range(6)), (160, 3), (160, 4)])
def test_a_hull_of_points_in_planes_but_for_rounding_is_closed_and_holds_them(corners, seed):
    points = can(corners, seed)
    faces, found = hull_of(points)
    edges = {(a, b) for x, y, z in faces.tolist() for a, b in ((x, y), (y, z), (z, x))}
    assert len(edges) == 3 * len(faces)
    assert all((b, a) in edges for a, b in edges)
    assert outside(points, found) < 1e-6 * np.ptp(points)
    volume = np.einsum("fi,fi->f", found[:, 0], np.cross(found[:, 1], found[:, 2])).sum() / 6.0
    exact = 0.5 * corners * np.sin(2.0 * np.pi / corners) * 0.06**2 * 0.1
    assert volume == pytest.approx(exact, rel=1e-4)
    assert ConvexHull(points).rows().shape[0] == len(faces) + 1


def test_points_that_no_tolerance_closes_are_moved_outward_and_held(monkeypatch):
    points = can(24, 2)
    monkeypatch.setattr("forearm.scenes.solids.ON_FACE", ())
    _, found = hull_of(points)
    assert outside(points, found) < 1e-12
    assert np.abs(found).max() < (1.0 + 2.0 * OUTWARD[-1][1]) * np.abs(points).max()
