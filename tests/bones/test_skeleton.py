"""Skeletons: several tips, sub-bases, weights, loops; judged by the points that came back."""

import math
import pickle

import numpy as np
import pytest

import forearm as fa
from forearm.joints import Ball, Cone, Fixed, Hinge

Y = {"stem": (None, [0, 0, 1]), "left": ("stem", [-1, 0, 1]), "right": ("stem", [1, 0, 1])}


def humanoid():
    """Twenty bones and five tips: spine and head, two arms, two legs."""
    bones = {
        "spine": (None, [0, 0, 1.3]),
        "chest": ("spine", [0, 0, 1.5]),
        "neck": ("chest", [0, 0, 1.6]),
        "head": ("neck", [0, 0, 1.8]),
    }
    for side, x in (("l", 1), ("r", -1)):
        bones |= {
            f"clavicle_{side}": ("chest", [0.15 * x, 0, 1.5]),
            f"upper_arm_{side}": (f"clavicle_{side}", [0.45 * x, 0, 1.45]),
            f"forearm_{side}": (f"upper_arm_{side}", [0.7 * x, 0, 1.45]),
            f"hand_{side}": (f"forearm_{side}", [0.85 * x, 0, 1.45]),
            f"hip_{side}": (None, [0.1 * x, 0, 0.95]),
            f"thigh_{side}": (f"hip_{side}", [0.1 * x, 0.02, 0.5]),
            f"shin_{side}": (f"thigh_{side}", [0.1 * x, 0, 0.1]),
            f"foot_{side}": (f"shin_{side}", [0.1 * x, 0.15, 0.05]),
        }
    return bones


HUMAN_JOINTS = {
    **{f"forearm_{side}": Hinge((0, 0, 1), span) for side, span in (("l", (0.0, 2.5)), ("r", (-2.5, 0.0)))},
    **{f"upper_arm_{side}": Cone(1.5, twist=(-1.5, 1.5)) for side in "lr"},
    **{f"shin_{side}": Hinge((1, 0, 0), (-2.5, 0.0)) for side in "lr"},
    **{f"hip_{side}": Fixed() for side in "lr"},
    "spine": Cone(0.4, twist=(-0.5, 0.5)),
    "chest": Cone((0.4, 0.2), toward=(0, 1, 0), twist=(-0.3, 0.3)),
    "neck": Cone(0.5),
}
TIPS = ("head", "hand_l", "foot_l", "hand_r", "foot_r")


def drawn_targets(skeleton, rng, spread):
    """Tips of a pose near the built one, inside the limits: feasible by construction."""
    bones = skeleton.bones
    q = np.zeros((bones.n, 3))
    for i, joint in enumerate(bones.kinds):
        if isinstance(joint, Hinge):
            q[i, 0] = rng.uniform(*joint.range) * spread
        elif isinstance(joint, (Ball, Cone)):
            most = joint.half_angle if isinstance(joint, Cone) else (1.0, 1.0)
            q[i, :2] = rng.uniform(-0.7, 0.7, 2) * most[::-1] * spread
            q[i, 2] = rng.uniform(*(joint.twist or (-0.5, 0.5))) * spread
    points = bones.pose_of(q, bones.start[0])[1]
    return {name: points[bones.index(name) + 1] for name in TIPS}


def check_lengths(skeleton, pose):
    bones = skeleton.bones
    lengths = np.linalg.norm(pose.points[1:] - pose.points[bones.parent + 1], axis=1)
    assert lengths == pytest.approx(bones.length, rel=1e-12)
    assert pose.limit_excess <= 1e-9


@pytest.mark.compiled
@pytest.mark.parametrize("joints", [None, HUMAN_JOINTS])
def test_a_humanoid_reaches_five_targets_at_once(joints):
    skeleton = fa.Skeleton(humanoid(), [0, 0, 1.0], joints=joints)
    assert (skeleton.n, set(skeleton.tips)) == (20, set(TIPS))
    rng, missed = np.random.default_rng(3), 0
    for _ in range(200):
        targets = drawn_targets(skeleton, rng, 0.8)
        pose = skeleton.solve(targets, tolerance=1e-3, explain=False)
        check_lengths(skeleton, pose)
        met = all(np.linalg.norm(pose[name] - point) <= 1e-3 for name, point in targets.items())
        assert met == pose.success
        missed += not met
    assert missed == 0


@pytest.mark.compiled
@pytest.mark.parametrize("joints", [None, HUMAN_JOINTS])
def test_a_moving_humanoid_has_no_jumps(joints):
    skeleton = fa.Skeleton(humanoid(), [0, 0, 1.0], joints=joints)
    pose, points = None, []
    for a in np.linspace(0.0, 2.0 * math.pi, 600, endpoint=False):
        c, s = math.cos(a), math.sin(a)
        targets = {
            "hand_l": [0.5 + 0.15 * c, 0.35 + 0.1 * s, 1.4],
            "hand_r": [-0.5 + 0.1 * c, 0.35 + 0.1 * s, 1.4],
            "head": [0.05 * s, 0.05 * c, 1.76],
            "foot_l": [0.12, 0.2 + 0.1 * s, 0.15],
            "foot_r": [-0.12, 0.15 - 0.05 * s, 0.1],
        }
        pose = skeleton.solve(targets, tolerance=1e-5, start=pose, explain=False)
        assert pose.success
        points.append(pose.points.copy())
    steps = np.linalg.norm(np.diff(points[5:], axis=0), axis=2)
    moving = np.median(steps, axis=0) > 1e-6  # fixed hips do not move at all
    assert (steps.max(axis=0)[moving] <= 5.0 * np.median(steps, axis=0)[moving]).all()


def test_two_tips_are_met():
    skeleton = fa.Skeleton(Y)
    pose = skeleton.solve({"left": [-0.7, 0.2, 1.5], "right": [0.9, 0.3, 1.1]})
    assert pose.success
    assert pose["left"] == pytest.approx([-0.7, 0.2, 1.5], abs=3e-6)
    check_lengths(skeleton, pose)
    assert skeleton.solve({"left": [-0.7, 0.2, 1.5], "right": [0.9, 0.3, 1.1]}, start=pose).iterations == 0


def test_the_heavier_tip_comes_nearer_when_tips_disagree():
    skeleton = fa.Skeleton(Y)
    targets = {"left": np.array([-1.4, 0.0, 1.2]), "right": np.array([1.4, 0.0, 1.2])}
    even = skeleton.solve(targets)
    assert not even.success
    assert even.status is fa.Status.NOT_CONVERGED
    assert "perhaps not all targets can be met at once" in even.reason
    misses = {name: np.linalg.norm(even[name] - point) for name, point in targets.items()}
    assert misses["left"] == pytest.approx(misses["right"], rel=1e-3)
    heavy = skeleton.solve(targets, weights={"left": 50.0})
    assert np.linalg.norm(heavy["left"] - targets["left"]) < 0.2 * misses["left"]
    assert np.linalg.norm(heavy["right"] - targets["right"]) > misses["right"]


def test_the_sub_base_goes_to_the_weighted_mean_of_what_its_branches_propose():
    """The centroid rule, checked on the points after one forward reach."""
    skeleton = fa.Skeleton(Y)
    targets = {"left": np.array([-1.5, 0.0, 1.5]), "right": np.array([1.5, 0.5, 1.0])}
    for weights in ({}, {"left": 3.0}):
        forward = skeleton.trace(targets, weights=weights, sweeps=1).points[1]
        sub_base = np.array([0.0, 0.0, 1.0])
        proposals = {}
        for name, point in targets.items():
            back = sub_base - point
            proposals[name] = point + back / np.linalg.norm(back)
        w = weights.get("left", 1.0)
        mean = (w * proposals["left"] + proposals["right"]) / (w + 1.0)
        assert forward[skeleton.bones.index("stem") + 1] == pytest.approx(mean, abs=1e-12)


def test_branches_without_a_target_keep_their_joint_values():
    skeleton = fa.Skeleton(humanoid(), [0, 0, 1.0])
    pose = skeleton.solve({"hand_l": [0.4, 0.5, 1.4]})
    assert pose.success
    for name in ("foot_l", "shin_r", "head", "hand_r"):
        i = skeleton.bones.index(name)
        assert (pose.joint_values[i] == skeleton.bones.q[i]).all()
    assert pose["foot_l"] == pytest.approx([0.1, 0.15, 0.05], abs=1e-12)


def test_inner_bones_may_have_targets_too():
    skeleton = fa.Skeleton(humanoid(), [0, 0, 1.0])
    pose = skeleton.solve({"forearm_l": [0.5, 0.35, 1.5], "hand_l": [0.6, 0.45, 1.55]})
    assert pose.success
    assert pose["forearm_l"] == pytest.approx([0.5, 0.35, 1.5], abs=2e-6)


def test_a_free_base_follows():
    skeleton = fa.Skeleton(humanoid(), [0, 0, 1.0], free_base=True)
    shift = np.array([2.0, 0.0, 0.0])
    targets = {name: skeleton.points[skeleton.bones.index(name) + 1] + shift for name in TIPS}
    pose = skeleton.solve(targets, tolerance=1e-3)
    assert pose.success
    assert pose.points[0] == pytest.approx([2.0, 0.0, 1.0], abs=0.3)


def test_a_tip_out_of_reach_is_named():
    pose = fa.Skeleton(Y).solve({"left": [-5, 0, 0], "right": [1, 0, 1]})
    assert pose.status is fa.Status.OUT_OF_REACH
    assert "'left' is 3 m too far" in pose.reason
    assert "right" not in pose.reason.split(";")[0]


def test_limits_in_the_way_of_tips_are_named():
    pose = fa.Skeleton(Y, joints={"stem": Cone(0.1), "left": Cone(0.1)}).solve({"left": [-0.2, 0.9, 1.2]})
    assert pose.status is fa.Status.LIMITS
    assert "'left'" in pose.reason


def test_skeletons_in_a_plane_stay_in_it():
    skeleton = fa.Skeleton({"a": (None, [0, 1]), "b": ("a", [1, 1]), "c": ("a", [-1, 1.5])})
    joint = np.array([math.sin(0.3), math.cos(0.3)])
    targets = {
        "b": joint + np.array([math.cos(0.5), math.sin(0.5)]),
        "c": joint + math.sqrt(1.25) * np.array([-0.6, 0.8]),
    }
    pose = skeleton.solve(targets)
    assert pose.success
    assert pose.points.shape == (4, 2)
    assert (pose.points3[:, 2] == 0.0).all()


def test_a_pole_works_for_one_limb():
    skeleton = fa.Skeleton(humanoid(), [0, 0, 1.0])
    pose = skeleton.solve({"hand_l": [0.4, 0.3, 1.4]}, pole=[0.3, 0.0, 3.0])
    assert pose.success
    with pytest.raises(fa.errors.OptionError, match="one tip"):
        skeleton.solve({"hand_l": [0.4, 0.3, 1.4], "hand_r": [-0.4, 0.3, 1.4]}, pole=[0, 0, 1])


@pytest.mark.parametrize(
    ("bones", "words"),
    [
        ({"a": ("c", [0, 0, 1]), "b": ("a", [1, 0, 1]), "c": ("b", [2, 0, 1])}, "loop: a -> c -> b -> a"),
        ({"a": ("a", [0, 0, 1])}, "loop: a -> a"),
        ({"a": ("b", [0, 0, 1])}, "'b', which is no bone"),
        ({"a": (None, [0, 0, 1]), "b": ("a", [0, 0, 1])}, "bone 'b' has length 0"),
        ({"a": (None, [0, 0, 1]), "b": ("a", [0, 1])}, "shape"),
        ({"a": (None, [0, 0, math.nan])}, "nan"),
        ({"a": [0, 0, 1]}, "parent's name"),
        ({}, "empty"),
        (3, "mapping"),
    ],
)
def test_trees_that_make_no_sense_are_refused(bones, words):
    with pytest.raises(fa.errors.ModelError, match=words):
        fa.Skeleton(bones)


@pytest.mark.parametrize(
    ("targets", "options", "words"),
    [
        ({"lefd": [0, 0, 1]}, {}, "did you mean left"),
        ({}, {}, "the tips are: left, right"),
        ({"left": [0, 0, 1]}, {"weights": {"right": 2.0}}, "has no target"),
        ({"left": [0, 0, 1]}, {"weights": {"left": 0.0}}, "positive"),
        ({"left": [0, 0, 1]}, {"method": "x"}, "unknown for chains"),
    ],
)
def test_wrong_names_and_weights_are_refused(targets, options, words):
    with pytest.raises(fa.errors.OptionError, match=words):
        fa.Skeleton(Y).solve(targets, **options)


def test_more_wrong_input():
    with pytest.raises(fa.errors.ModelError, match="no bone"):
        fa.Skeleton(Y, joints={"middle": Cone(0.5)})
    with pytest.raises(fa.errors.ModelError, match=r"fa\.joints"):
        fa.Skeleton(Y, joints={"left": 0.5})
    with pytest.raises(fa.errors.TargetError, match="3 numbers"):
        fa.Skeleton(Y).solve({"left": [1, 2]})
    with pytest.raises(AttributeError, match="cannot be changed"):
        fa.Skeleton(Y).bones = None


def test_a_skeleton_survives_pickling_and_shows_itself():
    skeleton = fa.Skeleton(Y, joints={"left": Cone(1.5)})
    twin = pickle.loads(pickle.dumps(skeleton))
    targets = {"left": [-0.7, 0.2, 1.5]}
    assert (twin.solve(targets).points == skeleton.solve(targets).points).all()
    assert repr(skeleton) == "Skeleton(3 bones, tips: left, right)"
    assert skeleton.bone_names == ("stem", "left", "right")
