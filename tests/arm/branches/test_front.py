"""Answers without a start face their target: no arm reaches over its back where it need not."""

import numpy as np
import pytest

import forearm as fa
from facing import is_away, is_behind, tool_down
from forearm.arm.branches.front import facing, front

SIX = ("ur3", "ur5", "ur10e", "irb120", "irb140", "puma560", "jaco2")


@pytest.mark.parametrize("name", SIX)
def test_no_answer_reaches_over_the_back_where_a_branch_faces_the_target(name):
    arm = fa.load(name)
    solved = 0
    for pose in tool_down(arm, 60):
        s = arm.solve(pose, explain=False)
        if not s.success:
            continue
        solved += 1
        q = [branch.q for branch in arm.solve_all(pose)]
        if not all(is_away(arm, each, pose) for each in q):
            assert not is_away(arm, s.q, pose)
    assert solved >= 15


@pytest.mark.parametrize("name", ["irb140", "ur5"])
def test_elbow_and_wrist_stay_in_front_wherever_some_branch_keeps_them_there(name):
    arm = fa.load(name)
    for pose in tool_down(arm, 100, seed=1):
        s = arm.solve(pose, explain=False)
        if s.success and is_behind(arm, s.q, pose):
            assert all(is_behind(arm, branch.q, pose) for branch in arm.solve_all(pose))


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["panda", "xarm7", "gen3", "iiwa14"])
def test_arms_with_seven_joints_seldom_turn_away(name):
    arm = fa.load(name)
    found = [(arm.solve(pose, explain=False), pose) for pose in tool_down(arm, 100)]
    solved = [(s.q, pose) for s, pose in found if s.success]
    assert len(solved) >= 60
    assert sum(is_away(arm, q, pose) for q, pose in solved) <= 0.2 * len(solved)  # of a search blind to it: half


@pytest.mark.parametrize("name", ["ur5", "irb140", "panda", "iiwa14"])
def test_batches_and_tracks_begin_as_single_answers_do(name):
    arm = fa.load(name)
    poses = tool_down(arm, 40)
    batch = arm.solve_batch(poses, explain=False)
    for pose, q, good in zip(poses, batch.q, batch.success, strict=True):
        s = arm.solve(pose, explain=False)
        np.testing.assert_array_equal(s.q, q)
        if good and not is_away(arm, s.q, pose):
            track = arm.track(np.array([pose, pose]))
            assert not is_away(arm, track.q[0], pose)
            break


def test_an_upright_arm_without_a_home_has_no_front():
    rows = [{"d": 0.3, "alpha": -np.pi / 2}, {"alpha": np.pi / 2}, {"d": 0.4, "alpha": 0.0}, {"d": 0.1}]
    arm = fa.Robot.from_dh(rows)
    assert not front(arm.model).any()
    pose = arm.fk([0.3, 0.4, 0.5, 0.6])
    np.testing.assert_array_equal(facing(arm.model, arm.limits, pose), arm.neutral)


def test_the_neutral_posture_turned_to_a_target_points_at_it():
    arm = fa.load("irb140")
    for pose in tool_down(arm, 20):
        q = facing(arm.model, arm.limits, pose)
        inside = (q[0] > arm.limits[0, 0]) and (q[0] < arm.limits[1, 0])
        np.testing.assert_array_equal(q[1:], arm.neutral[1:])
        if inside:
            assert np.cross([*arm.fk(q)[:2, 3], 0.0], [*pose[:2, 3], 0.0])[2] == pytest.approx(0.0, abs=1e-9)
