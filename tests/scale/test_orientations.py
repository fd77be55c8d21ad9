"""Orientations are rotations, all different, and spread evenly."""

import numpy as np
import pytest

from forearm.scale.orientations import PSI, even_directions, even_rotations


@pytest.mark.parametrize("count", [1, 2, 50, 1000])
def test_rotations_are_rotations(count):
    R = even_rotations(count)
    np.testing.assert_allclose(R @ R.transpose(0, 2, 1), np.broadcast_to(np.eye(3), R.shape), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=1e-14)


def test_the_second_turn_is_the_root_the_paper_names():
    assert pytest.approx(PSI + 4.0, rel=1e-15) == PSI**4


def test_rotations_leave_no_hole_and_do_not_crowd():
    """Any rotation has one of 500 near it, nearer than of 500 random ones; and none is twice there."""
    angles = lambda A, B: np.arccos(np.clip((np.einsum("aij,bij->ab", A, B) - 1.0) / 2.0, -1.0, 1.0))  # noqa: E731
    probes = even_rotations(4001)
    even = even_rotations(500)
    quaternions = np.random.default_rng(0).normal(size=(500, 4))
    w, x, y, z = (quaternions / np.linalg.norm(quaternions, axis=1)[:, None]).T
    random = np.moveaxis(
        np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        ),
        -1,
        0,
    )
    assert angles(probes, even).min(axis=1).max() < 0.75 * angles(probes, random).min(axis=1).max()
    apart = angles(even, even) + 10.0 * np.eye(500)
    assert apart.min() > 0.2


def test_roll_is_as_even_as_direction():
    """About each tool direction rolls are spread: the mean of every column of the matrices vanishes."""
    assert np.abs(even_rotations(2000).mean(axis=0)).max() < 0.01


def test_directions_are_unit_vectors_all_round():
    D = even_directions(400)
    np.testing.assert_allclose(np.linalg.norm(D, axis=1), 1.0, atol=1e-14)
    assert np.abs(D.mean(axis=0)).max() < 0.01
    gaps = np.linalg.norm(D[:, None] - D, axis=2) + 10.0 * np.eye(400)
    assert gaps.min() > 0.1
