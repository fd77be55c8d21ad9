"""Rigid transforms: many rotations at once are those of single ones."""

import numpy as np

from forearm.common.transforms import from_quaternion, from_rpy, rotations_from_quaternions, rotations_from_rpy


def test_many_rotations_are_those_of_single_ones():
    rng = np.random.default_rng(0)
    Q, A = rng.normal(size=(20, 4)), rng.uniform(-4, 4, (20, 3))
    np.testing.assert_array_equal(rotations_from_quaternions(Q), [from_quaternion(*q)[:3, :3] for q in Q])
    np.testing.assert_allclose(rotations_from_rpy(A), [from_rpy(*a)[:3, :3] for a in A], atol=1e-15)
