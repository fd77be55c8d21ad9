"""Meshes are the shapes that they are called."""

import numpy as np
import pytest

from forearm.viewer.shared.shapes import capsule, cone, disc


def test_a_capsule_is_all_points_at_its_radius_from_a_line():
    a, b = np.array([0.1, 0.2, 0.3]), np.array([-0.4, 0.1, 0.9])
    vertices, faces = capsule(a, b, 0.07)
    along = np.clip((vertices - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)[:, None]
    np.testing.assert_allclose(np.linalg.norm(vertices - a - along * (b - a), axis=1), 0.07, atol=1e-12)
    p, q, r = (vertices[faces[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->", p, np.cross(q, r)) / 6.0  # positive if all faces look outward
    exact = np.pi * 0.07**2 * (np.linalg.norm(b - a) + 4.0 / 3.0 * 0.07)
    assert volume == pytest.approx(exact, rel=0.05)


def test_discs_and_cones():
    assert np.abs(disc()[0][:, 2]).max() == 0.0
    corners = cone(0.4)[0]
    away = np.linalg.norm(corners, axis=1)
    angles = np.arccos(corners[away > 0.5, 2] / away[away > 0.5])
    assert angles.max() == pytest.approx(0.4)
