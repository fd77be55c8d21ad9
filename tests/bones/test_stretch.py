import numpy as np
import pytest

import forearm as fa
from forearm.errors import OptionError
from forearm.joints import Cone

CHAIN = fa.Chain([[0, 0, 0], [1, 0, 0], [2, 0, 0]])


def test_what_is_in_reach_stretches_nothing():
    plain, soft = CHAIN.solve([1.0, 0.5, 0.2]), CHAIN.solve([1.0, 0.5, 0.2], stretch=0.5)
    assert soft.stretch is None
    np.testing.assert_array_equal(plain.points, soft.points)


def test_bones_get_as_long_as_it_takes():
    pose = CHAIN.solve([0, 0, 2.5], stretch=0.5)
    assert pose.success
    assert np.abs(pose.stretch - 1.25).max() < 1e-5
    assert np.abs(np.linalg.norm(np.diff(pose.points, axis=0), axis=1) - 1.25).max() < 1e-5
    assert pose.to_dict()["stretch"] == pose.stretch.tolist()


def test_no_longer_than_they_may():
    pose = CHAIN.solve([0, 0, 4.0], stretch=0.5)
    assert not pose.success
    assert np.abs(pose.stretch - 1.5).max() < 1e-12
    assert pose.position_error == pytest.approx(1.0, abs=1e-6)


def test_a_stretched_pose_can_be_gone_on_from():
    pose = CHAIN.solve([0, 0, 2.5], stretch=0.5)
    back = CHAIN.solve([0, 0.3, 1.9], start=pose, stretch=0.5)
    assert back.success
    assert back.stretch is None


def test_only_the_limb_of_a_tip_that_would_miss_is_stretched():
    bones = {"spine": (None, [0, 0, 1]), "upper": ("spine", [0.5, 0, 1]), "left": ("upper", [1, 0, 1])}
    bones |= {"other": ("spine", [-0.5, 0, 1]), "right": ("other", [-1, 0, 1])}
    body = fa.Skeleton(bones, joints={"spine": Cone(0.2)})
    pose = body.solve({"left": [2.5, 0, 1], "right": [-0.5, 0.1, 1]}, stretch=2.0)
    assert pose.success
    assert pose.stretch[body.bone_names.index("right")] == 1.0
    assert pose.stretch[body.bone_names.index("left")] > 1.1


def test_a_batch_has_the_bits_of_single_calls():
    points = np.linspace([0, 0, 1.5], [0, 0, 2.8], 6)
    batch = CHAIN.solve_batch(points, stretch=0.5)
    for point, pose in zip(points, batch, strict=True):
        np.testing.assert_array_equal(pose.points, CHAIN.solve(point, stretch=0.5).points)


@pytest.mark.parametrize("share", [-0.1, np.nan, 1e6, "a"])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(OptionError, match="stretch"):
        CHAIN.solve([0, 0, 2.5], stretch=share)
