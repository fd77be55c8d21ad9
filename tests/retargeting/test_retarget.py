"""Clips on humanoids, judged by Pinocchio: standing feet, limits, speeds, contacts."""

import csv

import numpy as np
import pinocchio as pin
import pytest

import forearm as fa
from forearm.retargeting import job
from forearm.retargeting import retarget as module
from forearm.retargeting.map_file import read, text_of
from motions import MOTIONS, reach, squat, walk

URDF = "examples/humanoid.urdf"


@pytest.fixture(scope="module")
def tree():
    return fa.Tree.from_urdf(URDF, base="free")


@pytest.fixture(scope="module")
def judge():
    model = pin.buildModelFromUrdf(URDF, pin.JointModelFreeFlyer())
    return model, model.createData()


def points(judge, motion, link):
    """(F, 3) where Pinocchio has a link."""
    model, data = judge
    places = np.zeros((len(motion), 3))
    for i in range(len(motion)):
        q = pin.neutral(model)
        q[:7] = pin.SE3ToXYZQUAT(pin.SE3(motion.base[i]))
        for name, value in zip(motion.joint_names, motion.q[i], strict=True):
            q[model.joints[model.getJointId(name)].idx_q] = value
        pin.framesForwardKinematics(model, data, q)
        places[i] = data.oMf[model.getFrameId(link)].translation
    return places


@pytest.mark.compiled
@pytest.mark.parametrize("kind", MOTIONS)
def test_standing_feet_do_not_slide_and_limits_hold(tree, judge, kind):
    clip = MOTIONS[kind](2.0, 60.0)
    motion = fa.retarget(clip, tree)
    assert (motion.q >= tree.limits[0]).all()
    assert (motion.q <= tree.limits[1]).all()
    gaps = np.diff(motion.times)[:, None]
    assert (np.abs(np.diff(motion.q, axis=0)) <= tree.body.velocity * gaps).all()
    for k, name in enumerate(motion.goals):
        if name.endswith("foot"):
            stands, places = motion.stands[:, k], points(judge, motion, motion.map[name][1])
            assert stands.mean() > 0.3
            together = stands[1:] & stands[:-1]
            assert np.linalg.norm(np.diff(places, axis=0), axis=1)[together].max() < 1e-5
            assert np.abs(places[stands, 2]).max() < 1e-5  # on the floor
    assert motion.slide < 1e-5
    assert not motion.jumps
    assert motion.success


@pytest.mark.compiled
def test_a_walk_goes_as_far_as_its_legs_are_long(tree):
    clip = walk(3.0, 60.0)
    motion = fa.retarget(clip, tree)
    went = motion.base[-1, :3, 3] - motion.base[0, :3, 3]
    clip_went = clip.points[-1, 0] - clip.points[0, 0]  # y up, z ahead [cm]
    scale = 0.76 / 83.0  # thigh and shin of both
    np.testing.assert_allclose(went[0], scale * clip_went[2], atol=0.02)
    assert abs(went[1]) < 0.05


@pytest.mark.compiled
def test_hands_follow_the_clip_limb_by_limb(tree, judge):
    motion = fa.retarget(reach(2.0, 60.0), tree)
    assert motion.rms["left_hand"] < 0.02
    hand, shoulder = (points(judge, motion, f"left_{part}") for part in ("hand", "shoulder_pitch_link"))
    ahead = (hand - shoulder)[:, 0]
    assert ahead.max() > 0.35  # it reaches
    assert ahead[-1] < 0.25  # and comes back


@pytest.mark.compiled
def test_the_file_has_names_times_and_the_same_numbers(tree, tmp_path):
    motion = fa.retarget(squat(1.0, 30.0), tree)
    motion.write(tmp_path / "squat.csv")
    with (tmp_path / "squat.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0][0] == "time"
    assert rows[0][8:] == list(tree.joint_names)
    values = np.array(rows[1:], float)
    np.testing.assert_allclose(values[:, 8:], motion.q, atol=1e-8)
    np.testing.assert_allclose(values[:, 0], motion.times, rtol=1e-8)
    np.testing.assert_allclose(values[:, 1:4], motion.base[:, :3, 3], atol=1e-8)
    with pytest.raises(fa.ForearmError, match=r"\.csv"):
        motion.write(tmp_path / "squat.txt")
    assert "feet slide" in motion.reason
    assert motion.to_dict()["frames"] == 31


def test_a_few_frames_are_followed_uncompiled(tree, monkeypatch):
    monkeypatch.setattr(job, "WARM_UP", 4)
    monkeypatch.setattr(job, "STEPS", 4)
    motion = fa.retarget(squat(0.1, 20.0), tree, rest=0)
    assert len(motion) == 3
    assert motion.slide < 2e-3
    assert (motion.q >= tree.limits[0]).all()
    assert "frames" in repr(motion)


def test_a_map_goes_through_a_file(tree, tmp_path):
    proposed = module.propose_map(reach(0.2, 10.0), tree)
    path = tmp_path / "map.toml"
    path.write_text(text_of(proposed))
    assert read(path) == proposed


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"pelvis": ("Hips", "pelvis"), "left_foto": ("LeftFoot", "left_foot")}, "left_foot"),
        ({"pelvis": ("Hips", "pelvis"), "left_foot": "LeftFoot"}, "takes two names"),
        ({"left_foot": ("LeftFoot", "left_foot")}, "has no pelvis"),
        ({"pelvis": ("Hips", "pelviss")}, "pelvis"),
        ({"pelvis": ("Hop", "pelvis")}, "Hips"),
        ({}, "parts are"),
    ],
)
def test_maps_that_are_wrong_are_refused_with_what_is_allowed(tree, given, words):
    with pytest.raises(fa.ForearmError, match=words):
        fa.retarget(reach(0.2, 10.0), tree, given)


def test_wrong_arguments_are_refused(tree):
    clip = reach(0.2, 10.0)
    with pytest.raises(fa.ForearmError, match="a frame of the clip, 0 to 2"):
        fa.retarget(clip, tree, rest=3)
    with pytest.raises(fa.ForearmError, match="velocity"):
        fa.retarget(clip, tree, velocity=-1.0)


@pytest.mark.compiled
def test_arms_on_a_stand_follow_without_legs():
    tree = fa.Tree.from_urdf("examples/two_arms.urdf")
    motion = fa.retarget(reach(1.0, 30.0), tree)
    assert not motion.free
    assert "left_hand" in motion.goals
    assert "left_foot" not in motion.goals
    assert motion.rms["left_hand"] < 0.02


def test_a_map_that_leaves_nothing_to_follow_is_refused():
    tree = fa.Tree.from_urdf("examples/two_arms.urdf")
    given = {
        "pelvis": ("Hips", "base"),
        "left_hand": ("LeftHand", "left_hand"),
        "right_hand": ("RightHand", "right_hand"),
    }
    with pytest.raises(fa.ForearmError, match="nothing to follow"):
        fa.retarget(reach(0.2, 10.0), tree, given)
