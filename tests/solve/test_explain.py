"""Why a target was missed: each status by hand and by sampling, and what its sentence promises."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.results.solution import Status
from forearm.solve.explain import reach_bounds

UR5 = fa.load("ur5")
PANDA = fa.load("panda")
SO101 = fa.load("so101")
JACO2 = fa.load("jaco2")
SCARA = fa.load("scara")
TOLERANCE = 1e-6

pytestmark = pytest.mark.compiled


def arm(*lengths, limits=None):
    """A planar arm of given link lengths, for cases worked out by hand."""
    return fa.Robot.from_dh([(length, 0.0, 0.0) for length in lengths], limits=limits)


def reaches(robot, q, T):
    """Whether q brings the tip to a pose inside the limits, by FK alone."""
    reached = robot.fk(q)
    turn = reached[:3, :3].T @ T[:3, :3]
    inside = (robot.limits[0] - 1e-9 <= q).all() and (q <= robot.limits[1] + 1e-9).all()
    return inside and np.abs(reached[:3, 3] - T[:3, 3]).max() <= TOLERANCE and np.abs(turn - np.eye(3)).max() <= 1e-5


def named_joints(s):
    """The joints a sentence about limits names."""
    return re.search(r"the limits of joints? (.*) are in the way: without them", s.reason).group(1).split(", ")


def without_limits(robot, names):
    return robot.with_limits({name: (-math.inf, math.inf) for name in names})


# -- out of reach --------------------------------------------------------------------------------


def test_a_hole_in_the_middle_is_proven_by_a_bound():
    two = arm(1.0, 0.3)
    s = two.solve(fa.Position([0.2, 0.1, 0.0]))
    assert s.status is Status.OUT_OF_REACH
    assert "no pose comes within 0.7 m of the first joint" in s.reason
    assert s.position_error == pytest.approx(0.7 - math.hypot(0.2, 0.1), rel=1e-3)


def test_bounds_of_a_planar_arm_are_exact():
    assert reach_bounds(arm(1.0, 0.3).model, arm(1.0, 0.3).limits) == pytest.approx((0.7, 1.3))
    assert reach_bounds(arm(1.0, 0.9, 0.8).model, arm(1.0, 0.9, 0.8).limits) == pytest.approx((0.0, 2.7))


def test_a_point_off_the_plane_is_out_of_reach_by_its_height():
    s = arm(1.0, 0.5).solve(fa.Position([0.9, 0.3, 0.25]))
    assert s.status is Status.OUT_OF_REACH
    assert "no pose was found nearer to the position than 0.25 m, not even without limits" in s.reason
    assert s.position_error == pytest.approx(0.25, rel=1e-6)
    pose = arm(1.0, 0.5).solve(fa.Pose([0.9, 0.3, 0.25], rpy=[0, 0, 0]))
    assert "than 0.25 m, not even with any orientation and without limits" in pose.reason


@pytest.mark.parametrize("robot", [UR5, PANDA, JACO2, SO101], ids=lambda robot: robot.name)
def test_points_beyond_the_sum_of_lengths_are_out_of_reach(robot):
    rng = np.random.default_rng(1)
    for _ in range(20):
        direction = rng.normal(size=3)
        away = robot.reach * rng.uniform(1.001, 2.0)
        s = robot.solve(fa.Position(robot.model.links[0, :, 3] + away * direction / np.linalg.norm(direction)))
        assert s.status is Status.OUT_OF_REACH
        assert s.position_error >= away - robot.reach - TOLERANCE
        assert "the nearest pose found is off by" in s.reason


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.sampled_from([UR5, PANDA, JACO2, SCARA]))
def test_a_reachable_target_is_solved_and_never_out_of_reach(seed, robot):
    T = robot.fk(robot.sample(1, rng_seed=seed)[0])
    s = robot.solve(T)
    assert s.status is Status.SOLVED
    assert reaches(robot, s.q, T)
    assert robot.solve(T, max_tries=1).status is Status.SOLVED  # a second look finds what one try did not


@pytest.mark.parametrize("method", ["dls", "ccd", "jacobian-transpose"])
def test_what_another_method_misses_is_said_to_be_solvable(method):
    T = PANDA.fk(PANDA.sample(1, rng_seed=3)[0])
    s = PANDA.solve(T, method=method, max_iterations=1, **({"restarts": 0} if method == "dls" else {}))
    assert s.status is Status.NOT_CONVERGED
    assert (
        f"{method} did not come within the tolerance, but the target is reachable: method='general' solves it"
        in s.reason
    )
    assert PANDA.solve(T).success


def test_an_arm_at_full_stretch_is_not_out_of_reach():
    two = arm(1.0, 0.3)
    assert two.solve(fa.Position([1.3, 0.0, 0.0])).success
    assert two.solve(fa.Position([0.0, 0.7, 0.0])).success


# -- limits --------------------------------------------------------------------------------------


def test_the_one_joint_in_the_way_is_named():
    two = arm(1.0, 1.0, limits=[[-0.5, -math.pi], [0.5, math.pi]])
    s = two.solve(fa.Position([0.0, 2.0 - 1e-9, 0.0]))  # stretched out sideways: the first joint at 90 degrees
    assert s.status is Status.LIMITS
    assert named_joints(s) == [two.joint_names[0]]
    assert s.limit_excess == 0.0


@pytest.mark.parametrize("robot", [PANDA, JACO2, SO101], ids=lambda robot: robot.name)
def test_joints_named_as_blocking_really_block(robot):
    rng = np.random.default_rng(2)
    blocked = 0
    for _ in range(80):  # a quarter of them is blocked
        T = robot.fk(rng.uniform(-math.pi, math.pi, robot.n))
        s = robot.solve(T)
        assert s.status in (Status.SOLVED, Status.LIMITS)
        if s.status is Status.SOLVED:
            assert reaches(robot, s.q, T)
            continue
        blocked += 1
        freed = without_limits(robot, named_joints(s))
        assert reaches(freed, freed.solve(T).q, T)
        for name in named_joints(s)[1:]:  # none is named for nothing
            others = [other for other in named_joints(s) if other != name]
            assert not without_limits(robot, others).solve(T, explain=False).success
    assert blocked >= 15


def test_a_locked_joint_that_is_in_the_way_is_named():
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    elbow = UR5.joint_names[2]
    s = UR5.solve(UR5.fk(q), locked={elbow: 0.1})
    assert s.status is Status.LIMITS
    assert named_joints(s) == [elbow]
    assert s.q[2] == 0.1


def test_a_slide_at_the_end_of_its_stroke_is_named():
    T = SCARA.fk([0.2, 0.3, 0.1, 0.4])
    T[2, 3] += 0.3
    s = SCARA.solve(T)
    assert s.status is Status.LIMITS
    assert named_joints(s) == ["joint3"]
    assert reaches(without_limits(SCARA, ["joint3"]), without_limits(SCARA, ["joint3"]).solve(T).q, T)


def test_whole_turns_are_no_reason_to_name_a_joint():
    two = arm(1.0, 1.0, limits=[[5.0, -math.pi], [6.0, -0.1]])  # 5 to 6 rad is -1.28 to -0.28 rad
    T = two.fk([5.5, -0.5])
    assert two.solve(T).success
    s = two.solve(two.fk([5.5, 0.5]))
    assert s.status is Status.LIMITS
    assert named_joints(s) == [two.joint_names[1]]


def test_a_mimic_joint_does_not_come_round_with_its_variable():
    gripper = fa.Robot.from_urdf(
        """<robot name="g"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
        <joint name="j1" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
          <limit lower="-1" upper="1"/></joint>
        <joint name="j2" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
          <origin xyz="0.2 0 0"/><limit lower="-9" upper="9"/><mimic joint="j1" multiplier="-0.5"/></joint>
        <joint name="tip" type="fixed"><parent link="c"/><child link="d"/><origin xyz="0.2 0 0"/></joint></robot>"""
    )
    s = gripper.solve(fa.Position(gripper.with_limits({"j1": (-9.0, 9.0)}).fk([2.0 * math.pi])[:3, 3]))
    assert s.status is Status.LIMITS
    assert named_joints(s) == ["j1"]


def test_too_small_a_step_says_how_large_it_must_be():
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    goal = q + np.array([0.4, 0.0, 0.0, 0.0, 0.0, 0.0])
    s = UR5.solve(UR5.fk(goal), q0=q, max_joint_step=0.1)
    assert s.status is Status.STEP
    first = UR5.joint_names[0]
    assert f"no answer lies within max_joint_step of q0; the nearest one found moves {first} by 0.4" in s.reason
    assert np.abs(s.q - q).max() <= 0.1 + 1e-12
    assert UR5.solve(UR5.fk(goal), q0=q, max_joint_step=0.41).success


def test_a_loop_held_back_by_its_step_is_told_so_without_an_explanation_and_arrives():
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    goal, steps = q + 0.3, np.array([0.1, 0.1, 0.2, 0.2, 0.2, 0.2])
    T, words = UR5.fk(goal), []
    batch = UR5.solve_batch(np.stack([T, UR5.fk(q + 0.05)]), q0=q, max_joint_step=steps)
    assert batch.status_names.tolist() == ["step", "solved"]
    for _ in range(12):
        s = UR5.solve(T, q0=q, max_joint_step=steps, explain=False)
        assert (np.abs(s.q - q) <= steps + 1e-12).all()
        q = s.q
        words.append(str(s.status))
    assert words[0] == "step"
    assert words[-1] == "solved"
    assert set(words) == {"step", "solved"}
    beyond = T.copy()
    beyond[:3, 3] *= 5.0
    for explain in (True, False):
        assert UR5.solve(beyond, q0=q, max_joint_step=0.1, explain=explain).status is Status.OUT_OF_REACH


@pytest.mark.parametrize("explain", [True, False])
def test_a_target_that_creeps_out_of_reach_moves_joints_by_little(explain):
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    T = UR5.fk(q)
    out = T[:3, 3] / np.linalg.norm(T[:3, 3])
    q = UR5.solve(fa.Position(UR5.reach * out), q0=q).q
    for away in UR5.reach + 0.003 * np.arange(1, 9):
        s = UR5.solve(fa.Position(away * out), q0=q, explain=explain)
        assert not s.success
        assert np.abs(s.q - q).max() < 0.3
        q = s.q


def test_limits_are_blamed_rather_than_the_step_where_no_step_would_help():
    two = arm(1.0, 1.0, limits=[[-0.5, -math.pi], [0.5, math.pi]])
    s = two.solve(fa.Position([0.0, 2.0 - 1e-9, 0.0]), q0=[0.0, 0.1], max_joint_step=0.05)
    assert s.status is Status.LIMITS
    assert named_joints(s) == [two.joint_names[0]]  # the second joint needs more than the step, but no limit


# -- orientation ---------------------------------------------------------------------------------


def test_a_tilted_pose_is_impossible_for_a_scara():
    T = SCARA.fk(SCARA.sample(1, rng_seed=1)[0])
    T[:3, :3] = T[:3, :3] @ np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    s = SCARA.solve(T)
    assert s.status is Status.ORIENTATION
    assert "the position is reachable, but not with this orientation, not even without joint limits" in s.reason


def test_impossible_orientations_of_a_five_joint_arm_are_called_so():
    rng = np.random.default_rng(3)
    for q in SO101.sample(20, rng_seed=4):
        T = SO101.fk(q)
        turn, R = np.linalg.qr(rng.normal(size=(3, 3)))
        turn *= np.sign(np.diag(R)) * np.sign(np.linalg.det(turn * np.sign(np.diag(R))))
        T[:3, :3] = turn
        s = SO101.solve(T)
        assert s.status is Status.ORIENTATION
        assert SO101.solve(fa.Position(T[:3, 3])).success


def test_position_beyond_limits_and_orientation_impossible_is_not_converged():
    two = arm(1.0, 1.0, limits=[[-0.5, -math.pi], [0.5, math.pi]])
    T = np.eye(4)
    T[:3, 3] = 0.0, 2.0 - 1e-9, 0.0
    T[:3, :3] = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    s = two.solve(T)
    assert s.status is Status.NOT_CONVERGED
    assert f"the position needs {two.joint_names[0]} beyond the limits" in s.reason


# -- other roads ---------------------------------------------------------------------------------


def test_an_impossible_orientation_alone_is_not_converged():
    s = arm(1.0, 1.0).solve(fa.Orientation(rpy=[1.0, 0.0, 0.0]))
    assert s.status is Status.NOT_CONVERGED
    assert "no pose was found in 2000 tries, nor without limits" in s.reason
    assert s.rotation_error == pytest.approx(1.0, rel=1e-3)


def test_explain_false_gives_a_pose_and_no_reason():
    T = SCARA.fk(SCARA.sample(1, rng_seed=1)[0])
    T[:3, :3] = T[:3, :3] @ np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    s = SCARA.solve(T, explain=False)
    assert s.status is Status.NOT_CONVERGED
    assert s.reason == "not explained (explain=False)"
    assert s.limit_excess == 0.0


def test_a_search_that_its_time_limit_ends_says_so():
    T = SCARA.fk(SCARA.sample(1, rng_seed=1)[0])
    T[:3, :3] = T[:3, :3] @ np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    s = SCARA.solve(T, timeout=1e-6, max_tries=1000)
    assert s.status is Status.NOT_CONVERGED
    assert re.search(r"the search ended after \d+ tries, within its time limit of 1e-06 s", s.reason)


def test_what_a_bound_proves_is_said_even_under_a_time_limit():
    s = UR5.solve(fa.Position([5.0, 0.0, 0.0]), timeout=1.0)
    assert s.status is Status.OUT_OF_REACH
    assert "beyond the arm's reach" in s.reason


def test_an_explanation_never_returns_a_worse_pose_than_none():
    rng = np.random.default_rng(5)
    for _ in range(20):
        T = PANDA.fk(rng.uniform(-math.pi, math.pi, 7))
        T[:3, 3] *= rng.uniform(1.0, 1.5)
        plain, explained = PANDA.solve(T, explain=False), PANDA.solve(T)
        if not explained.success:
            sizes = [math.hypot(s.position_error, PANDA.rotation_weight * s.rotation_error) for s in (plain, explained)]
            assert sizes[1] <= sizes[0]
            assert explained.limit_excess == 0.0


# -- never a false success -----------------------------------------------------------------------


def test_a_joint_a_hair_beyond_its_limit_is_never_called_solved():
    statuses = set()
    for i, q in enumerate(SCARA.sample(60, rng_seed=3)):
        k = i % SCARA.n
        q[k] = SCARA.limits[1, k] + 9e-10
        T = SCARA.fk(q)
        s = SCARA.solve(fa.Pose(T, tol=1e-11))
        statuses.add(s.status)
        reached = SCARA.fk(s.q)
        off = np.linalg.norm(reached[:3, 3] - T[:3, 3])
        assert s.success == (off <= 1e-11 and s.rotation_error <= 1e-11)
    assert Status.LIMITS in statuses


@pytest.mark.parametrize("size", [1e4, 9e5])
def test_arms_of_any_size_are_never_called_solved_when_they_are_not(size):
    huge = arm(size, 0.7 * size, 0.4 * size, limits=np.array([[-2.0] * 3, [2.0] * 3]))
    for q in huge.sample(40, rng_seed=1):
        T = huge.fk(q)
        s = huge.solve(T)
        assert not s.success or np.linalg.norm(huge.fk(s.q)[:3, 3] - T[:3, 3]) <= TOLERANCE


# -- misses by a hair, and what no number can hold -----------------------------------------------


@pytest.mark.parametrize("tol", [1e-300, 1e-20, (1e-30, 1.0)])
def test_a_tolerance_narrower_than_rounding_is_no_reason_to_call_a_pose_out_of_reach(tol):
    for robot in (UR5, PANDA, JACO2):
        q = robot.neutral + 0.3
        s = robot.solve(fa.Pose(robot.fk(q), tol=tol))
        assert s.status in (Status.SOLVED, Status.NOT_CONVERGED)
        assert "nearer to the position" not in s.reason


@pytest.mark.parametrize("far", [[1e300, 0.0, 0.0], [1e160, 1e160, 0.0], [0.0, -1e200, 3.0]])
def test_a_target_beyond_all_numbers_is_out_of_reach_in_plain_words(far):
    for robot in (UR5, PANDA, SCARA, arm(1.0, 0.5)):
        for q0 in (None, robot.neutral):
            s = robot.solve(fa.Position(far), q0)
            assert s.status is Status.OUT_OF_REACH
            assert "beyond the arm's reach" in s.reason
            assert "nan" not in s.reason
            assert np.isfinite(s.q).all()
            assert np.isfinite(robot.solve(fa.Position(far), q0, explain=False).q).all()


def test_a_tolerance_beyond_all_numbers_is_no_proof_of_anything():
    for target in (fa.Position([1e200, 0.0, 0.0], tol=2e200), fa.PointAxis([0.0, 1e300, 0.0], [1, 0, 0], tol=1e308)):
        s = PANDA.solve(target)
        assert s.status is Status.NOT_CONVERGED
        assert "farther away than can be measured" in s.reason
        assert "inf" not in s.reason


def test_a_miss_by_a_hair_is_not_called_a_matter_of_orientation():
    T = UR5.fk([0.1, -1.2, 1.4, 0.3, 1.0, 0.2])
    s = UR5.solve(fa.Pose(T, tol=1e-17))
    assert s.status in (Status.SOLVED, Status.NOT_CONVERGED)


@pytest.mark.compiled
@pytest.mark.parametrize("tol", [1e-17, 1e-30])
@pytest.mark.parametrize("kind", ["position", "pose", "orientation"])
def test_a_tolerance_that_no_double_measures_is_told_as_such(tol, kind):
    robot = fa.load("ur5")
    T = robot.fk([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    targets = {"position": fa.Position(T[:3, 3], tol=tol), "pose": fa.Pose(T, tol=tol)}
    s = robot.solve((targets | {"orientation": fa.Orientation(T[:3, :3], tol=tol)})[kind])
    assert s.success or "is below what double precision measures on this arm" in s.reason
    assert "off by 0 " not in s.reason
    assert s.success == (max(s.position_error, s.rotation_error) <= tol)


def test_a_point_a_hundred_times_beyond_reach_is_asked_about():
    arm = fa.load("ur5")
    assert "reach of 1.01 m (did you mean millimetres?);" in arm.solve(fa.Position([400, 0, 300])).reason
    assert "millimetres" not in arm.solve(fa.Position([4, 0, 3])).reason


def test_a_pose_asked_of_five_joints_is_told_of_what_they_can_do():
    arm, T = fa.load("so101"), np.eye(4)
    T[:3] = [[0, 1, 0, 0.2], [0, 0, 1, 0.05], [1, 0, 0, 0.1]]
    missed = arm.solve(T)
    assert missed.status is Status.ORIENTATION
    assert "an arm of 5 joints meets few poses; ask for fa.PointAxis(...) or fa.Position(...)" in missed.reason


def test_a_direction_that_is_missed_is_not_called_an_orientation():
    arm = fa.Robot.from_dh([(0.5, 0, 0), (0.5, 0, 0)])
    p = [0.6, 0.3, 0.0]
    assert "not with this direction of the axis" in arm.solve(fa.PointAxis(p, [1, 0, 0])).reason
    assert "not with this orientation" in arm.solve(fa.Pose(p, rpy=[1, 0, 0])).reason
