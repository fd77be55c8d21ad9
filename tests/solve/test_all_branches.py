"""`solve_all` by elimination: limits, whole turns, locked joints, arms of fewer joints, and its words."""

import numpy as np
import pytest

import forearm as fa
from branch_cases import TABLES, apart, free_arm

XARM6 = free_arm(TABLES["xarm6"], "xarm6")
Q = np.array([0.5, -0.6, -0.9, 0.8, 1.1, -0.4])


def test_every_branch_of_an_offset_wrist_is_complete_and_nearest_first():
    found = XARM6.solve_all(XARM6.fk(Q), Q)
    assert found.complete
    assert found.method == "elimination"
    assert "every branch inside the limits" in found.reason
    assert len(found) >= 2
    np.testing.assert_allclose(found[0].q, Q, atol=1e-8)
    far = [np.abs(branch.q - Q).max() for branch in found]
    assert far == sorted(far)
    for branch in found:
        np.testing.assert_allclose(XARM6.fk(branch.q), XARM6.fk(Q), atol=1e-9)


def test_limits_leave_out_what_is_outside_and_say_when_that_is_everything():
    everything, name = XARM6.solve_all(XARM6.fk(Q), Q), XARM6.joint_names[0]
    narrow = XARM6.solve_all(XARM6.fk(Q), Q, limits={name: (0.4, 0.6)})
    inside = [branch.q for branch in everything if 0.4 <= branch.q[0] <= 0.6]
    assert len(narrow) == len(inside) > 0
    none = XARM6.solve_all(XARM6.fk(Q), limits={name: (-3.0, -2.99)})
    assert none.complete
    assert len(none) == 0
    assert none.reason.startswith("the pose is reachable, but no branch is inside the limits")


def test_whole_turns_are_listed_when_asked_for():
    name = XARM6.joint_names[5]
    wide = {name: (-3.0 * np.pi, 3.0 * np.pi)}
    plain, wound = (XARM6.solve_all(XARM6.fk(Q), Q, limits=wide, windings=turns) for turns in (False, True))
    assert len(wound) == 3 * len(plain)


def test_a_pose_out_of_reach_says_so():
    T = XARM6.fk(Q)
    T[:3, 3] = 3.0
    found = XARM6.solve_all(T)
    assert found.complete
    assert found.reason == "no joint values make this pose, not even without limits"


@pytest.mark.parametrize("name", ["panda", pytest.param("gen3", marks=pytest.mark.compiled), "iiwa14"])
@pytest.mark.parametrize("held", [0, 2, 4])
def test_six_joints_of_seven_with_one_locked(name, held):
    arm = fa.load(name)
    q = arm.sample(1, rng_seed=4)[0]
    found = arm.solve_all(arm.fk(q), q, locked={arm.joint_names[held]: q[held]})
    assert found.complete
    assert apart(found.q, q) < 1e-6
    for branch in found:
        assert branch.q[held] == q[held]
        np.testing.assert_allclose(arm.fk(branch.q), arm.fk(q), atol=1e-9)


def test_five_and_four_joints_find_the_poses_of_their_own_kind():
    rng = np.random.default_rng(2)
    for arm in (fa.load("so101"), free_arm(TABLES["xarm6"][:5], "five"), free_arm(TABLES["xarm6"][:4], "four")):
        for q in rng.uniform(0.8 * arm.limits[0], 0.8 * arm.limits[1], (5, arm.n)):
            found = arm.solve_all(arm.fk(q), q)
            assert found.complete
            assert apart(found.q, q) < 1e-6
            T = arm.fk(q)
            T[:3, :3] = T[:3, :3] @ np.array([[0.0, 0.8, -0.6], [1.0, 0.0, 0.0], [0.0, -0.6, -0.8]])
            assert len(arm.solve_all(T)) == 0


def test_targets_that_leave_joints_free_are_searched():
    found = XARM6.solve_all(fa.Position(XARM6.fk(Q)[:3, 3]), Q, samples=3)
    assert not found.complete
    assert "search" in found.reason


def balls_at_elbows(arm, T, radius):
    """A sphere where each branch of a pose has its fourth joint."""
    return [fa.Sphere(arm.fk_all(branch.q)[3, :3, 3], radius) for branch in arm.solve_all(T)]


@pytest.mark.compiled
def test_every_branch_in_collision_is_a_proof_without_a_closed_form():
    arm, proven = XARM6.with_geometry(radius=0.03), 0
    for q in np.random.default_rng(1).uniform(-2.0, 2.0, (6, 6)):
        T = arm.fk(q)
        s = arm.solve(T, q, obstacles=balls_at_elbows(arm, T, 0.05), self_collision=False)
        assert s.status == fa.Status.COLLISION
        proven += s.reason.startswith("none of the") and "(proven)" in s.reason
    assert proven == 3  # in the others it is certain beforehand, as spheres reach into the base


@pytest.mark.compiled
def test_one_branch_left_free_among_obstacles_is_found():
    arm = XARM6.with_geometry(radius=0.03)
    for q in np.random.default_rng(2).uniform(-2.0, 2.0, (4, 6)):
        T = arm.fk(q)
        balls = balls_at_elbows(arm, T, 0.02)[1:]
        free = [b for b in arm.solve_all(T) if arm.clearance(b.q, balls, self_collision=False).distance > 0.01]
        if free:
            assert arm.solve(T, obstacles=balls, self_collision=False, clearance=0.005).success
