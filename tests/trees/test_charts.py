"""Whole robots whose links are held apart by charts, also across two branches; judged by Pinocchio and coal."""

import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.arm.charts.make import FINE
from forearm.common.kept import VARIABLE
from forearm.core.collision.bodies import OWN_MOST
from forearm.goals import Goal

sys.path.insert(0, str(Path(__file__).parent))  # for tree_robots.py, which is no test
from tree_robots import AXES, Judge

coal = pytest.importorskip("coal")
pytestmark = pytest.mark.compiled  # which links may touch is found out in 3,000 configurations, and charts are made

# Two plates that turn side by side on a torso, a hand that folds back onto one of them, and a nose of four short joints
# whose tip always is near the torso. Links without a size here are only joints.
BOXES = {
    "torso": (0.2, 0.4, 0.1, -0.1),
    "left": (0.3, 0.04, 0.3, 0.15),
    "left_hand": (0.05, 0.26, 0.2, 0.16),
    "right": (0.3, 0.04, 0.3, 0.15),
    "nose": (0.3, 0.3, 0.04, -0.05),
}
JOINTS = [
    ("torso", "left", "0 0.09 0", "z"), ("left", "left_bend", "0 0 0.36", "y"),
    ("left_bend", "left_hand", "0 0 0.03", "z"), ("torso", "right", "0 -0.09 0", "z"), ("torso", "n1", "0 0 0.0", "x"),
    ("n1", "n2", "0 0 0.01", "y"), ("n2", "n3", "0 0 0.01", "x"), ("n3", "nose", "0 0 0.01", "z"),
]  # fmt: skip
HELD = [("left", "right"), ("left", "left_hand")]


def robot():
    """The URDF."""
    text = ""
    for name in ["torso", *(child for _, child, _, _ in JOINTS)]:
        own = ""
        if name in BOXES:
            x, y, z, up = BOXES[name]
            own = f'<origin xyz="0 0 {up}"/><geometry><box size="{x} {y} {z}"/></geometry>'
            own = f"<collision>{own}</collision>"
        text += f'<link name="{name}">{own}</link>'
    for k, (parent, child, at, axis) in enumerate(JOINTS):
        text += (
            f'<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin xyz="{at}"/>'
            f'<axis xyz="{AXES[axis]}"/><limit lower="-2.9" upper="2.9" effort="1" velocity="2"/></joint>'
        )
    return f'<robot name="plates">{text}</robot>'


URDF = robot()


@pytest.fixture(scope="module", params=["fixed", "free"])
def tree(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "")
        made = fa.Tree.from_urdf(URDF, base=request.param)
        _ = made.body.charted
    return made


@pytest.fixture(scope="module")
def judge():
    return Judge(URDF)


def true_distances(tree, judge, Q):
    """(N, 2) how far the links of both pairs are apart by their boxes; negative where they touch."""
    found = np.empty((len(Q), len(HELD)))
    for i, q in enumerate(Q):
        named = dict(zip(tree.joint_names, q, strict=True))
        for k, pair in enumerate(HELD):
            placed = []
            for link in pair:
                T, (*size, up) = judge.pose(named, link), BOXES[link]
                placed += [coal.Box(*size), coal.Transform3s(T[:3, :3].copy(), T[:3, 3] + up * T[:3, 2])]
            found[i, k] = coal.distance(*placed, coal.DistanceRequest(), coal.DistanceResult())
    return found


def test_what_charts_tell_of_is_listed_as_held(tree):
    geometry = tree.body.charted
    assert set(geometry.charted) == set(HELD)
    assert set(HELD) <= set(geometry.checked)
    assert not set(HELD) & set(geometry.left_out)
    assert geometry.left_out["torso", "left"] == "neighbours"


def test_more_than_three_joints_are_named_as_the_reason(tree):
    left_out = tree.body.charted.left_out
    assert left_out["torso", "nose"] == "mostly touch, 4 joints between them"
    assert left_out["left", "nose"] == "mostly touch, 5 joints between them"


def test_what_touches_is_told_with_its_name(tree, judge):
    """Never as free, and hardly ever what is free as touching."""
    Q = tree.sample(300, 3)
    true = true_distances(tree, judge, Q)
    told = [tree.clearance(q) for q in Q]
    touching = (true <= 0.0).any(axis=1)
    assert 0.1 < touching.mean() < 0.9
    assert all(each.distance <= 0.0 for each, touches in zip(told, touching, strict=True) if touches)
    charted = np.array([each.charted and each.distance < 0.0 for each in told])
    assert (charted & (true.min(axis=1) > 0.02)).mean() < 0.01
    one = told[int(np.argmin(true[:, 0]))]
    assert str(one).startswith("link '")
    assert " touches link '" in str(one)


def test_the_distance_that_is_told_of_links_is_that_of_their_shapes(tree, judge):
    Q, seen = tree.sample(400, 9), 0
    for q, true in zip(Q, true_distances(tree, judge, Q), strict=True):
        told = tree.clearance(q)
        if told.charted and told.distance > 0.0:
            pair = next(k for k, links in enumerate(HELD) if set(links) == {told.link, told.other})
            assert told.distance == pytest.approx(true[pair], abs=1e-6)
            seen += 1
    assert seen > 20


def test_the_pair_is_moved_only_by_the_joints_between_it(tree, judge):
    """With all other joints anywhere the same is told of it."""
    Q = tree.sample(40, 4)
    Q[:, [k for k, name in enumerate(tree.joint_names) if name not in ("j0", "j3")]] = 0.0
    touches = true_distances(tree, judge, Q)[:, 0] <= 0.0
    assert touches.any()
    assert all(tree.clearance(q).distance <= 0.0 for q in Q[touches])
    assert all(tree.clearance(q, self_collision=False).distance == np.inf for q in Q)


def test_answers_do_not_touch_and_keep_what_is_asked(tree, judge):
    """The hand is asked for where free postures have it."""
    Q = tree.sample(60, 6) * [1, 1, 1, 0, 0, 0, 0, 0]
    room = true_distances(tree, judge, Q).min(axis=1)
    least = OWN_MOST + FINE[1]  # what charts of two joints can tell
    Q = [q for q, true in zip(Q, room, strict=True) if min(true, tree.clearance(q).distance) > least]
    asked = [{"left_hand": fa.Pose(tree.fk(q, "left_hand"))} for q in Q]
    answers = [tree.solve(goals, self_collision=True, clearance=OWN_MOST) for goals in asked]
    free = np.array([answer.q for answer in answers if answer.success])
    assert len(free) == len(Q) > 10
    assert (true_distances(tree, judge, free) >= OWN_MOST - 1e-6).all()
    stack = tree.stack([Goal("left_hand", asked[0]["left_hand"])])
    points = {"left_hand": [goals["left_hand"] for goals in asked]}
    batch = stack.solve_batch(points, self_collision=True, threads=1)
    assert (true_distances(tree, judge, batch.q[batch.success]) > 0.0).all()
    again = tree.solve(asked[0], self_collision=True)
    assert (again.q == batch.q[0]).all()
    assert again.success == batch.success[0]


def test_a_touch_that_cannot_be_avoided_is_named(tree):
    Q = tree.sample(300, 7)
    q = next(q for q in Q if (told := tree.clearance(q)).charted and told.distance < 0.0)
    held = dict(zip(tree.joint_names, q, strict=True))
    goals = [Goal("left_hand", tree.fk(q, "left_hand")), Goal("right", tree.fk(q, "right"))]
    found = tree.solve([*goals, fa.goals.Still(held)], q, self_collision=True, clearance=0.0)
    assert found.status is fa.Status.COLLISION
    assert " touches link '" in found.reason
