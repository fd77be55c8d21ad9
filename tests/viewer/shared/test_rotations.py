"""Rotations come back from every form."""

import numpy as np
import pytest

from forearm.common.transforms import from_quaternion, from_rpy, to_quaternion
from forearm.viewer.shared.rotations import degrees_of, pose_from_degrees, z_onto


@pytest.mark.parametrize("seed", range(20))
def test_rotations_come_back(seed):
    rng = np.random.default_rng(seed)
    R = from_rpy(*rng.uniform(-np.pi, np.pi, 3))
    np.testing.assert_allclose(from_quaternion(*to_quaternion(R[:3, :3])), R, atol=1e-12)
    R[:3, 3] = rng.uniform(-1, 1, 3)
    np.testing.assert_allclose(pose_from_degrees(degrees_of(R)), R, atol=1e-12)
    unit = R[:3, :1].T
    np.testing.assert_allclose(from_quaternion(*z_onto(unit)[0])[:3, 2], unit[0], atol=1e-12)


@pytest.mark.parametrize("pitch", [90.0, -90.0])
def test_straight_up_and_down_come_back_too(pitch):
    T = pose_from_degrees([0.0, 0.0, 0.0, 20.0, pitch, 50.0])
    np.testing.assert_allclose(pose_from_degrees(degrees_of(T)), T, atol=1e-7)


def test_half_turns_have_quaternions():
    np.testing.assert_allclose(z_onto(np.array([[0.0, 0.0, -1.0]]))[0], [0.0, 1.0, 0.0, 0.0])
    for R in (np.diag([1.0, -1.0, -1.0]), np.diag([-1.0, 1.0, -1.0]), np.diag([-1.0, -1.0, 1.0])):
        np.testing.assert_allclose(from_quaternion(*to_quaternion(R))[:3, :3], R, atol=1e-15)
