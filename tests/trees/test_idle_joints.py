"""Joints that no goal uses: what stands still, what a posture asks of them, and what `joints=` leaves out."""

import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.errors import OptionError
from forearm.goals import Cost, Goal, Posture, Still

sys.path.insert(0, str(Path(__file__).parent))  # for tree_robots.py, which is no test
from tree_robots import Judge, off, two_arms

URDF = two_arms()
LEFT = ["turn", *(f"left_j{k}" for k in range(6))]
OTHERS = {"pan": 0.3, "tilt": -0.4, "right_j2": 1.1}


@pytest.fixture(scope="module")
def tree():
    return fa.Tree.from_urdf(URDF)


@pytest.fixture(scope="module")
def q(tree):
    return 0.4 * tree.sample(1, rng_seed=3)[0]


def wanted(tree, q, named):
    """Joint values with some by name."""
    new = q.copy()
    for joint, value in named.items():
        new[tree.joint_names.index(joint)] = value
    return new


ASKED = [Still(OTHERS), Posture(OTHERS), Posture(OTHERS | {"left_j0": 0.2}, weight=1e-4)]


# -- what no goal uses -------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("started", [True, False])
def test_joints_of_no_goal_are_where_they_are_asked_to_be(tree, q, asked, started):
    start = q if started else None
    stack = tree.stack([Goal("left_hand", tree.fk(q, "left_hand")), asked])
    idle = [k for k, name in enumerate(tree.joint_names) if name not in ("lift", *LEFT)]
    right = wanted(tree, q if started else tree.body.rest, OTHERS)[idle]
    targets = {"left_hand": tree.fk(q, "left_hand")[None]}
    answers = [stack.solve(start).q, stack.solve(start, explain=False).q, stack.solve(list(q) if started else None).q]
    answers.append(stack.solve_batch(targets, start).q[0])
    if not started:
        answers.append(stack.track(targets).q[0])
    for answer in answers:
        assert np.array_equal(answer[idle], right)


@pytest.mark.parametrize("asked", ASKED)
def test_a_path_takes_them_there_no_farther_than_a_joint_may_go(tree, q, asked):
    stack = tree.stack([Goal("left_hand", tree.fk(q, "left_hand")), asked])
    track = stack.track({"left_hand": np.repeat(tree.fk(q, "left_hand")[None], 12, axis=0)}, q, max_joint_step=0.2)
    assert track.success, track.reason
    assert np.abs(np.diff(np.vstack([q, track.q]), axis=0)).max() <= 0.2 + 1e-12
    for joint, value in OTHERS.items():
        assert track.q[-1, tree.joint_names.index(joint)] == pytest.approx(value, abs=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("asked", ASKED)
def test_a_servo_takes_them_there(tree, q, asked):
    servo = tree.stack([Goal("left_hand", tree.fk(q, "left_hand")), asked]).servo(q, rate=100)
    for _ in range(400):
        now = servo()
    for joint, value in OTHERS.items():
        assert now[tree.joint_names.index(joint)] == pytest.approx(value, abs=1e-6)


@pytest.mark.compiled
@pytest.mark.parametrize("asked", ASKED)
def test_they_are_there_among_obstacles_too(tree, q, asked):
    stack = tree.stack([Goal("left_hand", tree.fk(q, "left_hand")), asked])
    found = stack.solve(q, obstacles=[fa.Sphere([5.0, 5.0, 5.0], 0.1)], self_collision=False)
    assert found.success, found.reason
    for joint, value in OTHERS.items():
        assert found.q[tree.joint_names.index(joint)] == value


def test_a_posture_beyond_a_limit_ends_at_it(tree, q):
    found = tree.solve([Goal("left_hand", tree.fk(q, "left_hand")), Posture({"pan": 9.0})])
    assert found.q[tree.joint_names.index("pan")] == 2.5


def test_two_postures_of_one_joint_pull_together(tree, q):
    pan = tree.joint_names.index("pan")
    pulls = [Posture({"pan": 1.0}, weight=2e-3), Posture({"pan": -1.0}, weight=1e-3, name="other")]
    found = tree.solve([Goal("left_hand", tree.fk(q, "left_hand")), *pulls])
    assert found.q[pan] == pytest.approx((4.0 - 1.0) / 5.0)


def test_a_joint_cannot_stand_where_it_is_and_elsewhere(tree, q):
    goal = Goal("left_hand", tree.fk(q, "left_hand"))
    for pair in ([Still("turn"), Still({"turn": 0.2})], [Still({"pan": 0.2}), Still(["pan"])]):
        with pytest.raises(OptionError, match=r"'(turn|pan)' should stand still .*where q0 has it"):
            tree.stack([goal, *pair])


@pytest.mark.compiled
def test_a_cost_moves_no_joint_that_stands_still(tree, q):
    elbow, turn, pan = (tree.joint_names.index(name) for name in ("left_j2", "turn", "pan"))
    point = fa.Position(tree.fk(q, "left_hand")[:3, 3])
    cost = Cost(lambda q: (q[elbow] - 1.5) ** 2 + (q[turn] - 2.0) ** 2 + q[pan] ** 2, steps=4)
    found = tree.solve([Goal("left_hand", point), Still(["turn", "pan"]), cost], q0=q)
    assert found.success
    assert found.q[turn] == q[turn]
    assert found.q[pan] == q[pan]


# -- what joints= leaves out -------------------------------------------------------------------------


@pytest.mark.compiled
def test_an_arm_of_a_tree_moves_no_joint_that_the_tree_does_not():
    part = fa.Tree.from_urdf(URDF, joints=LEFT, limits={"lift": (0.1, 0.2)})
    arm, judge = part.arm("left_hand"), Judge(URDF)
    assert arm.joint_names == part.joint_names == tuple(LEFT)
    for q in part.sample(5, rng_seed=1):
        named = dict(zip(LEFT, q.tolist(), strict=True)) | {"lift": 0.1}  # the limit nearest to 0
        assert np.allclose(arm.fk(q), judge.pose(named, "left_hand"), atol=1e-12)
        assert np.allclose(arm.fk(q), part.fk(q, "left_hand"), atol=1e-12)
        found = part.solve({"left_hand": part.fk(q, "left_hand")})
        named = found.as_dict() | {"lift": 0.1}
        assert found.success
        assert max(off(judge.pose(named, "left_hand"), part.fk(q, "left_hand"))) <= 1e-6


def test_an_arm_without_a_joint_that_moves_is_refused(tree):
    part = fa.Tree.from_urdf(URDF, joints=LEFT[1:])
    with pytest.raises(fa.ForearmError, match="no joint moves"):
        part.arm("right_hand")
    with pytest.raises(fa.ForearmError, match="left_hand"):
        part.arm("left_hnad")


def test_a_follower_that_nothing_moves_is_refused_by_name():
    text = two_arms(follower=True)
    both = fa.Tree.from_urdf(text, joints=["left_j4", "right_j4"])
    assert both.joint_names == ("left_j4",)
    assert fa.Tree.from_urdf(text, joints=["left_j4"]).arm("right_hand").joint_names == ("left_j4",)
    with pytest.raises(OptionError, match="'right_j4' follows 'left_j4'"):
        fa.Tree.from_urdf(text, joints=["right_j4", "turn"])


def test_a_joint_that_cannot_move_is_refused_by_name():
    text = URDF.replace('name="pan" type="revolute"', 'name="pan" type="fixed"')
    with pytest.raises(OptionError, match=r"'pan' .* is fixed"):
        fa.Tree.from_urdf(text, joints=["pan", "tilt"])
    with pytest.raises(OptionError, match="5 is not in"):
        fa.Tree.from_urdf(text, joints=[5])
