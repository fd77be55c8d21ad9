"""Skeletons with poles, looks and obstacles; judged by plain vectors on the points that come back."""

import numpy as np
import pytest

import forearm as fa
from forearm.errors import OptionError
from forearm.joints import Cone, Hinge

BONES = {
    "spine": (None, [0, 0, 1.5]),
    "head": ("spine", [0, 0, 1.8]),
    "upper_l": ("spine", [0.35, 0, 1.5]),
    "fore_l": ("upper_l", [0.6, 0, 1.5]),
    "hand_l": ("fore_l", [0.7, 0, 1.5]),
    "upper_r": ("spine", [-0.35, 0, 1.5]),
    "fore_r": ("upper_r", [-0.6, 0, 1.5]),
    "hand_r": ("fore_r", [-0.7, 0, 1.5]),
}
LIMITS = {
    "spine": Cone(0.4, twist=(-0.3, 0.3)),
    "upper_l": Cone(1.6),
    "upper_r": Cone(1.6),
    "head": Cone(0.8, twist=(-0.8, 0.8)),
}
BODY = fa.Skeleton(BONES, base=[0, 0, 1], joints=LIMITS)
HANDS = {"hand_l": [0.35, 0.3, 1.4], "hand_r": [-0.35, 0.3, 1.5]}


def side_of(points, body, tip, first, pole):
    """The angle between elbow and pole about the line of a limb, from points alone."""
    names = body.bone_names
    origin = points[body.bones.parent[names.index(first)] + 1]
    line = points[names.index(tip) + 1] - origin
    line /= np.linalg.norm(line)
    inner = [name for name in names if name[-1] == tip[-1] and name != tip]
    elbow = sum(points[names.index(name) + 1] - origin for name in inner)
    a, b = (v - line * (line @ v) for v in (elbow, np.asarray(pole) - origin))
    return np.arccos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1, 1))


def gap(points, body, centre, radius):
    A = points[body.bones.parent + 1]
    D = points[1:] - A
    s = np.clip(((centre - A) * D).sum(axis=1) / (D * D).sum(axis=1), 0, 1)
    return (np.linalg.norm(A + s[:, None] * D - centre, axis=1) - radius).min()


def test_every_limb_has_a_pole_of_its_own():
    free = fa.Skeleton(BONES, base=[0, 0, 1])
    poles = {"hand_l": [0.5, 0, 3.0], "hand_r": [-0.5, 0.2, -3.0]}
    pose = free.solve(HANDS, pole=poles)
    assert pose.success
    for hand, first in (("hand_l", "upper_l"), ("hand_r", "upper_r")):
        assert np.abs(pose[hand] - HANDS[hand]).max() < 1e-5
        assert side_of(pose.points, free, hand, first, poles[hand]) < 1e-3
    assert pose.pole_angle < 1e-3


def test_limits_stand_before_poles():
    pose = BODY.solve(HANDS, pole={"hand_l": [0.5, 0, 3.0], "hand_r": [-0.5, 0, 3.0]})
    assert pose.success
    assert pose.limit_excess < 1e-9


def test_going_on_from_a_pose_an_elbow_walks_to_its_pole():
    free = fa.Skeleton(BONES, base=[0, 0, 1])
    pose = free.solve(HANDS, pole={"hand_l": [0.5, 0, 3.0]})
    turns = []
    for _ in range(80):
        before = pose.points
        pose = free.solve(HANDS, pole={"hand_l": [0.5, 0, -3.0]}, start=pose, max_swivel=0.1)
        assert pose.success
        turns.append(np.linalg.norm(pose.points - before, axis=1).max())
    assert max(turns) < 0.1 * 0.6
    assert pose.pole_angle < 1e-3


def test_bones_look_at_points():
    point = np.array([0.5, 2.0, 1.6])
    pose = BODY.solve(HANDS, look_at={"head": (point, [0, 1, 0])})
    assert pose.success
    head = BODY.bone_names.index("head")
    ahead = pose.rotations("global")[head] @ [0, 1, 0]
    way = point - pose["head"]
    assert np.arccos(ahead @ way / np.linalg.norm(way)) < 1e-4
    alone = BODY.solve({}, look_at={"hand_l": [0.9, 0.5, 1.5]})
    bone, way = alone["hand_l"] - alone["fore_l"], np.array([0.9, 0.5, 1.5]) - alone["hand_l"]
    assert np.linalg.norm(np.cross(bone, way)) < 1e-4 * np.linalg.norm(bone) * np.linalg.norm(way)


def test_what_a_bone_cannot_look_at_is_said():
    pose = BODY.solve({}, look_at={"head": ([0, -3, 1.5], [0, 1, 0])})
    assert str(pose.status) == "orientation"
    assert "'head'" in pose.reason


def test_all_bones_keep_clear_of_obstacles():
    ball = fa.Sphere([0.3, 0.12, 1.46], 0.08)
    alone = BODY.solve(HANDS)
    pose = BODY.solve(HANDS, obstacles={"lamp": ball}, clearance=0.02, thickness=0.03)
    assert gap(alone.points, BODY, ball.center, 0.08) < 0.05
    assert pose.success
    assert gap(pose.points, BODY, ball.center, 0.08) > 0.05 - 1e-9
    assert pose.clearance == pytest.approx(gap(pose.points, BODY, ball.center, 0.08) - 0.03)


def test_a_target_inside_an_obstacle_is_a_collision_named():
    pose = BODY.solve(HANDS, obstacles={"lamp": fa.Sphere(HANDS["hand_l"], 0.05)}, max_tries=2)
    assert not pose.success
    assert "lamp" in pose.reason


def test_a_free_base_moves_off_an_obstacle():
    body = fa.Skeleton(BONES, base=[0, 0, 1], free_base=True)
    ball = fa.Sphere([0, 0.02, 1.2], 0.1)
    pose = body.solve(HANDS, obstacles=[ball], look_at={"head": ([0, 4, 1.5], [0, 1, 0])})
    assert pose.success
    assert gap(pose.points, body, ball.center, 0.1) > 0


def test_a_chain_keeps_clear_with_an_orientation():
    chain = fa.Chain([[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 3], [0, 0, 3.5]])
    target = fa.PointAxis([1.5, 0.5, 1.0], [1.0, 0.0, 0.0], tool_axis=(1, 0, 0), tol=(1e-5, 1e-5))
    ball = fa.Sphere(chain.solve(target).points[1], 0.2)
    pose = chain.solve(target, obstacles=[ball], pole=[0, 3, 0])
    assert pose.success
    assert gap(pose.points, chain, ball.center, 0.2) > 0


def test_a_batch_has_the_bits_of_single_calls():
    many = {tip: np.asarray(point) + np.linspace(0, 0.1, 5)[:, None] for tip, point in HANDS.items()}
    look = np.linspace([0, 2, 1], [0, 2, 2], 5)
    how = {"obstacles": [fa.Sphere([0.3, 0.12, 1.46], 0.08)], "pole": {"hand_l": [0.5, 0, 3.0]}}
    batch = BODY.solve_batch(many, look_at={"head": (look, [0, 1, 0])}, **how)
    for i, pose in enumerate(batch):
        one = BODY.solve({t: p[i] for t, p in many.items()}, look_at={"head": (look[i], [0, 1, 0])}, **how)
        np.testing.assert_array_equal(pose.points, one.points)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"pole": {"head": [0, 0, 1]}}, "pole names 'head', which has no target"),
        ({"pole": {"hand_l": [0, 1]}}, "the pole of 'hand_l'"),
        ({"pole": [0, 0, 1]}, "pole is one point, which is for one tip"),
        ({"look_at": {"heads": [0, 0, 1]}}, "bone 'heads' is unknown"),
        ({"look_at": {"head": ([0, 0, 1], [0, 0, 0])}}, "takes a direction"),
        ({"look_at": [0, 0, 1]}, "look_at is"),
        ({"obstacles": [3]}, "3"),
    ],
)
def test_what_cannot_be_is_refused_by_name(how, words):
    with pytest.raises(OptionError, match=words):
        BODY.solve(HANDS, **how)


def test_random_feasible_poses_with_limits_poles_and_obstacles_are_met():
    rng = np.random.default_rng(3)
    joints = LIMITS | {"fore_l": Hinge((0, 0, 1), (0.0, 2.4)), "fore_r": Hinge((0, 0, -1), (0.0, 2.4))}
    body = fa.Skeleton(BONES, base=[0, 0, 1], joints=joints)
    for _ in range(20):
        q = np.zeros((body.n, 3))
        q[:, :2] = rng.uniform(-0.25, 0.25, (body.n, 2))
        hinges = [body.bone_names.index(name) for name in ("fore_l", "fore_r")]
        q[hinges] = 0.0
        q[hinges, 0] = rng.uniform(0.1, 2.0, 2)
        P = body.bones.pose_of(q, body.points[0])[1]
        targets = {tip: P[body.bone_names.index(tip) + 1] for tip in body.tips}
        centre = rng.uniform([-0.6, -0.5, 1.1], [0.6, 0.5, 1.7])
        radius = min(0.15, gap(P, body, centre, 0.0) - 0.02)
        balls = [fa.Sphere(centre, radius)] if radius > 0.01 else None
        pose = body.solve(targets, obstacles=balls, pole={"hand_l": [0.5, -2, 1], "hand_r": [-0.5, -2, 1]})
        assert pose.success, pose.reason
