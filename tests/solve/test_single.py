"""The road from a target to a verdict, on every registry row."""

import math
import re

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

import forearm as fa
from forearm.core.codes import ORIENTATION, POINT_AXIS, POSE, POSITION
from forearm.errors import NotSolvedError, OptionError, TargetError, UnsupportedError
from forearm.results.solution import Status
from forearm.solve.methods.table import METHODS

UR5 = fa.load("ur5")
PANDA = fa.load("panda")
FIVE = fa.load("fabrik-r-5dof")
TOLERANCE = 1e-6

GRIPPER = """<robot name="gripper"><link name="a"/><link name="b"/><link name="c"/>
  <joint name="j1" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <origin xyz="0.3 0 0"/><limit lower="-1.5" upper="1.5"/></joint>
  <joint name="j2" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
    <origin xyz="0.2 0 0"/><limit lower="-2" upper="2"/><mimic joint="j1" multiplier="-0.5"/></joint>
</robot>"""


def near_start(robot, q, off=0.05):
    """A start close to q, inside the limits."""
    return robot.clip(q + off * np.random.default_rng(5).choice([-1.0, 1.0], robot.n))


def independent_errors(robot, q, goal):
    """Position and rotation error by pinocchio's logarithm, from FK of q."""
    T = robot.fk(q)
    turn = pin.log3(goal[:3, :3] @ T[:3, :3].T)
    return np.linalg.norm(goal[:3, 3] - T[:3, 3]), np.linalg.norm(turn)


@pytest.fixture(params=[name for name in METHODS if name != "closed-form"])  # which has tests of its own
def method(request):
    return request.param


def few(method, steps):
    """So many steps at most; fabrik-r has a bound on them only where it does not refine."""
    return {} if method == "fabrik-r" else {"max_iterations": steps}


def suited(method, robot=PANDA):
    """The robot, or one with as many joints whose axes suit the method."""
    if not METHODS[method].fault(POSE, robot._prepared):
        return robot
    return fa.load("iiwa14") if robot.n == 7 else UR5


@pytest.mark.parametrize("robot", [UR5, PANDA], ids=lambda robot: robot.name)
def test_reported_errors_are_those_of_the_returned_joint_values(robot, method):
    robot = suited(method, robot)
    for q in robot.sample(10, rng_seed=1):
        goal = robot.fk(q)
        s = robot.solve(goal, q0=near_start(robot, q), method=method, **few(method, 20))
        position, rotation = independent_errors(robot, s.q, goal)
        assert math.isclose(s.position_error, position, abs_tol=1e-12)
        assert math.isclose(s.rotation_error, rotation, abs_tol=1e-9)
        inside = (robot.limits[0] <= s.q).all() and (s.q <= robot.limits[1]).all()
        assert s.success == (position <= TOLERANCE and rotation <= TOLERANCE and inside)


@pytest.mark.compiled
def test_answers_stay_inside_the_limits_even_when_they_fail(method):
    robot = suited(method)
    for q in robot.sample(10, rng_seed=2):
        T = robot.fk(q)
        T[:3, 3] *= 3.0
        target = fa.Position(T[:3, 3]) if POSITION in METHODS[method].targets else T
        s = robot.solve(target, method=method, **few(method, 50))
        assert not s.success
        assert s.limit_excess == 0.0
        assert (robot.limits[0] <= s.q).all()
        assert (s.q <= robot.limits[1]).all()


# How many of 40 targets each method solves from a start 0.05 rad away: so that accuracy is never
# asserted of the few that happened to work.
NEAR_SHARE = {"auto": 40, "general": 40, "fabrik-r": 40, "dls": 40, "jacobian-transpose": 20, "ccd": 10}


@pytest.mark.compiled
def test_most_targets_near_the_start_are_solved(method):
    robot = suited(method)
    solved = sum(
        robot.solve(robot.fk(q), q0=near_start(robot, q), method=method).success for q in robot.sample(40, rng_seed=3)
    )
    assert solved >= NEAR_SHARE.get(method, 40)


@pytest.mark.compiled
def test_dls_with_restarts_solves_cold_targets():
    assert sum(UR5.solve(UR5.fk(q), method="dls").success for q in UR5.sample(100, rng_seed=4)) >= 95


KINDS = {"position": POSITION, "orientation": ORIENTATION, "point-axis": POINT_AXIS}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_target_is_solved_on_a_five_joint_arm(kind, method):
    if KINDS[kind] not in METHODS[method].targets:
        with pytest.raises(UnsupportedError, match=r"does not support .* targets; these do: auto, general"):
            FIVE.solve(
                fa.Orientation(np.eye(3)) if kind == "orientation" else fa.PointAxis([0, 0, 0], [0, 0, 1]),
                method=method,
            )
        return
    solved = 0
    for q in FIVE.sample(10, rng_seed=5):
        T = FIVE.fk(q)
        target = {
            "position": fa.Position(T[:3, 3]),
            "orientation": fa.Orientation(T[:3, :3]),
            "point-axis": fa.PointAxis(T[:3, 3], T[:3, 2]),
        }[kind]
        s = FIVE.solve(target, q0=near_start(FIVE, q), method=method)
        reached = FIVE.fk(s.q)
        if s.success and kind != "orientation":
            assert np.linalg.norm(reached[:3, 3] - T[:3, 3]) <= TOLERANCE
        if s.success and kind == "point-axis":
            assert np.linalg.norm(np.cross(reached[:3, 2], T[:3, 2])) <= TOLERANCE
        solved += s.success
    assert solved >= {"auto": 10, "general": 10, "fabrik-r": 10, "dls": 8}.get(method, 3)


def test_a_hobby_arm_takes_points_and_directions():
    arm = fa.load("so101")
    targets = [fa.PointAxis(T[:3, 3], T[:3, 2]) for T in arm.fk(arm.sample(10, rng_seed=6))]
    assert sum(arm.solve(target).success for target in targets) >= 8


def test_a_free_tool_axis_is_really_free():
    T = UR5.fk([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    turned = T.copy()
    turned[:3, :3] = T[:3, :3] @ np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    s = UR5.solve(fa.Pose(turned, tol=[1e-6] * 5 + [math.inf]), q0=[0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    assert s.success
    assert s.iterations == 0


def test_wide_bands_are_used_and_kept():
    T = UR5.fk([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    band = [0.05, 1e-6, 1e-6, 0.2, 1e-6, 1e-6]
    q0 = np.array([0.5, -1.0, 1.3, -0.4, 1.1, 0.3])
    s = UR5.solve(fa.Pose(T, tol=band), q0=q0)
    assert s.success
    reached = UR5.fk(s.q)
    slip = T[:3, :3].T @ (T[:3, 3] - reached[:3, 3])
    turn = T[:3, :3].T @ pin.log3(T[:3, :3] @ reached[:3, :3].T)
    assert (np.abs([*slip, *turn]) <= np.array(band) + 1e-12).all()
    assert abs(slip[0]) > 1e-3  # an exact answer was not forced


def test_locked_joints_do_not_move():
    q = np.array([0.3, -0.4, 0.5, -1.8, 0.2, 1.5, 0.7])
    s = PANDA.solve(PANDA.fk(q), q0=near_start(PANDA, q), locked={PANDA.joint_names[2]: 0.5})
    assert s.success
    assert s.q[2] == 0.5


def test_limits_of_one_call_are_kept_and_forgotten():
    q = np.array([0.3, -0.4, 0.5, -1.8, 0.2, 1.5, 0.7])
    name = PANDA.joint_names[0]
    s = PANDA.solve(PANDA.fk(q), limits={name: (0.5, 0.6)})
    assert 0.5 <= s.q[0] <= 0.6
    assert PANDA.limits[0, 0] < -2


def test_tool_of_one_call_moves_the_tip():
    tool = np.eye(4)
    tool[:3, 3] = 0.1, 0.0, 0.2
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    goal = UR5.fk(q) @ tool
    s = UR5.solve(goal, q0=q, tool=tool)
    assert s.success
    assert s.iterations == 0
    np.testing.assert_allclose(UR5.with_tool(tool).fk(s.q), goal, atol=1e-12)


@pytest.mark.parametrize("gap", [1e-3, 0.5, 100.0])
def test_a_target_beyond_reach_is_called_so_with_the_gap(gap):
    shoulder = UR5.model.links[0, :, 3]
    point = shoulder + np.array([1.0, 0.0, 0.0]) * (UR5.reach + gap)
    s = UR5.solve(fa.Position(point))
    assert s.status is Status.OUT_OF_REACH
    named = float(re.search(r"at least (\S+) m beyond the arm's reach", s.reason).group(1))
    assert named == pytest.approx(gap, rel=0.01)  # three digits, less the tolerance


@given(st.integers(0, 10_000))
def test_a_reachable_target_is_never_called_out_of_reach(seed):
    q = PANDA.sample(1, rng_seed=seed)[0]
    s = PANDA.solve(PANDA.fk(q), method="dls", restarts=0, max_iterations=2)
    assert s.status in (Status.SOLVED, Status.NOT_CONVERGED)


def test_not_converged_says_what_was_tried_and_what_is_left():
    s = UR5.solve(UR5.fk([0.3, -1.2, 1.5, -0.4, 1.0, 0.2]), method="dls", max_iterations=1, restarts=2)
    assert s.status is Status.NOT_CONVERGED
    assert not s
    assert "dls did not come within the tolerance, but the target is reachable: method='general' solves it" in s.reason
    with pytest.raises(NotSolvedError, match="not_converged: dls did not come within") as caught:
        s.raise_if_failed()
    assert caught.value.solution is s


def test_explain_false_leaves_the_words_out():
    s = UR5.solve(fa.Position([5, 5, 5]), explain=False)
    assert s.status is Status.OUT_OF_REACH
    assert s.reason == "not explained (explain=False)"


def test_the_same_call_gives_the_same_bits(method):
    robot = suited(method)
    T = robot.fk(robot.sample(1, rng_seed=9)[0])
    first, second = (robot.solve(T, method=method) for _ in range(2))
    np.testing.assert_array_equal(first.q, second.q)
    np.testing.assert_array_equal(first.report[:5], second.report[:5])


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_the_quick_road_gives_the_bits_of_the_ordinary_one(name):
    """A bare array goes the quick road, a `Pose` the ordinary one."""
    robot = fa.load(name)
    for T, q0 in zip(robot.fk(robot.sample(20, rng_seed=3)), [None, *robot.sample(19, rng_seed=4)], strict=True):
        quick, ordinary = robot.solve(T, q0), robot.solve(fa.Pose(T), q0)
        assert quick.q.tobytes() == ordinary.q.tobytes()
        assert (quick.status, quick.iterations, quick.tries) == (ordinary.status, ordinary.iterations, ordinary.tries)
    far = np.eye(4)
    far[0, 3] = 2.0 * robot.reach
    assert str(robot.solve(far)) == str(robot.solve(fa.Pose(far)))
    assert robot.solve(far, explain=False).reason == robot.solve(fa.Pose(far), explain=False).reason


def test_input_arrays_of_any_layout_are_taken_and_left_alone():
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    T = UR5.fk(q)
    frozen = T.copy()
    frozen.flags.writeable = False
    answers = [
        UR5.solve(T, q0=q + 0.01).q,
        UR5.solve(np.asfortranarray(T), q0=list(q + 0.01)).q,
        UR5.solve(frozen, q0=np.repeat(q + 0.01, 2)[::2]).q,
    ]
    for answer in answers[1:]:
        np.testing.assert_array_equal(answer, answers[0])


def test_ccd_refuses_mimic_joints_and_names_what_can():
    gripper = fa.Robot.from_urdf(GRIPPER)
    with pytest.raises(UnsupportedError, match=r"'ccd' does not support mimic joints \(here j2\); these do: .*dls"):
        gripper.solve(fa.Position([0.4, 0.1, 0.0]), method="ccd")


def test_mimic_joints_are_solved_with():
    gripper = fa.Robot.from_urdf(GRIPPER, tool=[[1, 0, 0, 0.2], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    point = gripper.fk([0.8])[:3, 3]
    s = gripper.solve(fa.Position(point))
    assert s.success
    assert math.isclose(s.q[0], 0.8, abs_tol=1e-5)


def nan_pose():
    T = np.eye(4)
    T[2, 3] = math.nan
    return T


def stretched_pose():
    T = np.eye(4)
    T[0, 0] = 1.1
    return T


BAD = [
    (dict(target=nan_pose()), TargetError, "pose has nan at [2, 3]"),
    (dict(target=np.full((4, 4), math.inf)), TargetError, "pose has inf at [0, 0]"),
    (dict(target=stretched_pose()), TargetError, "R^T R differs from the identity by 0.21"),
    (dict(target=np.eye(3)), TargetError, "pose has shape (3, 3)"),
    (dict(q0=[0, 0, 0]), OptionError, "q0 has shape (3,); ur5 takes 6 joint values: "),
    (dict(q0=[0, 0, 0, 0, 0, math.nan]), OptionError, "q0 has nan at [5]"),
    (dict(q0=[0, 0, 0, 0, 0, 7]), OptionError, "= 7 (limits -6.28319 to 6.28319); robot.clip(q0) moves it inside"),
    (dict(q0="home"), OptionError, "q0 is not an array of numbers"),
    (dict(method="dsl"), OptionError, "method 'dsl' is unknown; did you mean dls?"),
    (dict(method=["dls"]), OptionError, "method '['dls']' is unknown"),
    (dict(method=None), OptionError, "method 'None' is unknown"),
    (dict(max_iteration=3), OptionError, "has no option 'max_iteration'; did you mean max_iterations"),
    (dict(max_iterations=0), OptionError, "option max_iterations is 0; it takes a whole number from 1 to 1e+06"),
    (dict(max_iterations=2.5), OptionError, "option max_iterations is 2.5; it takes a whole number"),
    (dict(method="dls", damping="strong"), OptionError, "option damping is 'strong'; it takes a number from"),
    (dict(method="dls", damping=math.nan), OptionError, "option damping is nan"),
    (dict(locked={"elbow": 0.0}), OptionError, "joint 'elbow' is not in ur5"),
    (dict(limits=[[0, 0], [1, 1]]), OptionError, "limits have shape (2, 2); ur5 takes (2, 6)"),
    (dict(tool=np.ones((4, 4))), fa.ForearmError, "tool is not a rigid transform"),
]


@pytest.mark.parametrize(("arguments", "error", "words"), BAD, ids=[words[:40] for *_, words in BAD])
def test_wrong_arguments_are_refused_with_words(arguments, error, words):
    with pytest.raises(error) as caught:
        UR5.solve(**{"target": np.eye(4)} | arguments)
    assert words in str(caught.value)


def test_locked_outside_its_limits_and_reversed_limits_are_refused():
    name = UR5.joint_names[0]
    with pytest.raises(OptionError, match=r"cannot be locked at 9: its limits are -6\.28319 to 6\.28319"):
        UR5.solve(np.eye(4), locked={name: 9.0})
    with pytest.raises(OptionError, match="has lower limit 1 and upper limit 0"):
        UR5.solve(np.eye(4), limits={name: (1.0, 0.0)})


def test_every_row_can_solve_a_pose_and_cites_its_source(method):
    row = METHODS[method]
    assert POSE in row.targets
    assert row.summary
    assert any(character.isdigit() for character in row.citation)


def test_a_start_outside_its_limits_is_told_with_them_and_not_with_the_box_of_a_step():
    robot = fa.load("ur5")
    q0 = np.append(robot.limits[1][0] + 0.1, np.zeros(5))
    with pytest.raises(OptionError, match=r"q0 is outside the limits: .*\(limits -6\.28319 to 6\.28319\)"):
        robot.solve(robot.fk(np.zeros(6)), q0, max_joint_step=1.0)


def targets_of(robot, q):
    """One target of each kind at q; the tool axis of the last points out of a planar arm's plane, where z stays z."""
    T = robot.fk(q)
    free = [1e-6] * 3 + [1e-6, math.inf, math.inf]
    kinds = {"pose": fa.Pose(T), "position": fa.Position(T[:3, 3]), "axis": fa.PointAxis(T[:3, 3], T[:3, 2])}
    return kinds | {"line": fa.Position(T[:3, 3], tol=[1e-6, math.inf, 1e-6]), "free": fa.Pose(T, tol=free)}


@pytest.mark.parametrize(
    ("name", "kind"),
    [(f"planar-{n}", kind) for n in (4, 5, 6) for kind in ("pose", "position", "axis")]
    + [("planar-3", "position"), ("planar-3", "axis"), ("planar-2", "line"), ("ur5", "free")],
)
def test_rest_draws_every_arm_that_has_joints_to_spare(name, kind):
    robot = fa.load(name)
    nearer = 0
    for seed in range(5):
        q, rest = robot.sample(2, rng_seed=seed)
        target, rest = targets_of(robot, q)[kind], np.clip(rest, q - 1.0, q + 1.0)
        plain, drawn = robot.solve(target, q), robot.solve(target, q, rest=rest)
        assert plain.success
        assert drawn.success
        batch = robot.solve_batch([target], q, rest=rest)
        np.testing.assert_array_equal(batch.q[0], drawn.q)
        assert np.linalg.norm(drawn.q - rest) <= np.linalg.norm(plain.q - rest) + 1e-9
        nearer += np.linalg.norm(drawn.q - rest) < 0.99 * np.linalg.norm(plain.q - rest)
        T, goal = robot.fk(drawn.q), robot.fk(q)  # asked of the position whatever the kind
        off = np.abs(T[:3, 3] - goal[:3, 3])
        assert off[[0, 2] if kind == "line" else [0, 1, 2]].max() <= 1e-6
        if kind == "pose":
            assert pin.log3(goal[:3, :3].T @ T[:3, :3]) == pytest.approx(0.0, abs=1e-6)
    assert nearer >= 4


def test_an_arm_without_joints_to_spare_keeps_its_answer_whatever_its_rest():
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    T = UR5.fk(q)
    np.testing.assert_array_equal(UR5.solve(T, q).q, UR5.solve(T, q, rest=np.zeros(6)).q)
    assert "redundant" in fa.load("planar-5").solve_all(fa.load("planar-5").fk(np.full(5, 0.2)), samples=5).reason
