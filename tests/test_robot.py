"""Robot: what it says about itself, and that it never changes."""

import pickle
import threading
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import forearm as fa
from forearm.errors import ModelError, OptionError

UR5 = fa.load("ur5")
Q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])


def test_fk_takes_one_configuration_or_many():
    poses = UR5.fk([Q, Q + 0.1])
    assert poses.shape == (2, 4, 4)
    np.testing.assert_array_equal(poses[0], UR5.fk(Q))
    np.testing.assert_array_equal(UR5.fk(list(Q)), UR5.fk(Q))


def test_fk_all_gives_the_frames_of_the_urdf_links():
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
      <joint name="j1" type="continuous"><parent link="a"/><child link="b"/>
        <origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><axis xyz="1 2 3"/></joint>
      <joint name="f" type="fixed"><parent link="b"/><child link="c"/><origin xyz="0.2 0 0" rpy="1 0 0"/></joint>
      <joint name="j2" type="prismatic"><parent link="c"/><child link="d"/>
        <origin xyz="0.1 0 0" rpy="0 0.4 0"/><axis xyz="-1 0 0"/>
        <limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>"""
    robot = fa.Robot.from_urdf(text)
    model = pin.buildModelFromXML(text)
    data = model.createData()
    pin.framesForwardKinematics(model, data, np.array([np.cos(0.7), np.sin(0.7), 0.4]))
    frames = robot.fk_all([0.7, 0.4])
    for k, link in enumerate(["b", "d"]):
        expected = data.oMf[model.getFrameId(link, pin.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(frames[k], expected, atol=1e-14)
    np.testing.assert_array_equal(frames[-1], robot.fk([0.7, 0.4]))


def test_manipulability_falls_to_zero_at_a_singularity():
    assert UR5.manipulability(Q) > 1e-3
    assert UR5.manipulability([0.3, -1.2, 0.0, -0.4, 1.0, 0.2]) < 1e-12
    assert UR5.manipulability(Q, rows="position") > UR5.manipulability(Q)
    with pytest.raises(OptionError, match="there are: pose, position, orientation"):
        UR5.manipulability(Q, rows="all")


def test_samples_are_inside_the_limits_and_repeatable():
    for name in ("panda", "gen3", "scara"):
        robot = fa.load(name)
        drawn = robot.sample(200, rng_seed=3)
        assert drawn.shape == (200, robot.n)
        assert (robot.limits[0] <= drawn).all()
        assert (drawn <= robot.limits[1]).all()
        assert np.isfinite(drawn).all()
        np.testing.assert_array_equal(drawn, robot.sample(200, rng_seed=3))
        assert not np.array_equal(drawn, robot.sample(200, rng_seed=4))


def test_an_endless_slide_cannot_be_sampled_but_has_kinematics():
    robot = fa.Robot.from_dh([{"kind": "prismatic", "limits": (-np.inf, np.inf)}])
    assert robot.fk([3.0])[2, 3] == 3.0
    assert robot.reach == np.inf
    with pytest.raises(ModelError, match="'joint0' slides without limits"):
        robot.sample(1)
    assert robot.solve(fa.Position([0, 0, 7.0])).success


def test_neutral_lies_in_the_middle_of_the_limits():
    robot = fa.load("panda")
    np.testing.assert_allclose(robot.neutral, robot.limits.mean(axis=0))
    assert np.isfinite(fa.load("gen3").neutral).all()


def test_a_robot_cannot_be_changed():
    with pytest.raises(AttributeError, match="cannot be changed"):
        UR5.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        UR5.limits[0, 0] = 0.0


def test_with_tool_and_with_limits_leave_the_first_robot_alone():
    before = UR5.fk(Q)
    tool = np.eye(4)
    tool[2, 3] = 0.25
    np.testing.assert_allclose(UR5.with_tool(tool).fk(Q), before @ tool, atol=1e-15)
    name = UR5.joint_names[1]
    assert UR5.with_limits({name: (-1, 1)}).limits[:, 1].tolist() == [-1, 1]
    assert UR5.with_limits(locked={name: 0.5}).limits[:, 1].tolist() == [0.5, 0.5]
    np.testing.assert_array_equal(UR5.fk(Q), before)


def test_a_robot_survives_pickling():
    copy = pickle.loads(pickle.dumps(UR5))
    np.testing.assert_array_equal(copy.fk(Q), UR5.fk(Q))
    np.testing.assert_array_equal(copy.solve(UR5.fk(Q)).q, UR5.solve(UR5.fk(Q)).q)


def test_threads_on_one_robot_get_the_same_bits():
    targets = UR5.fk(UR5.sample(8, rng_seed=1))
    alone = [UR5.solve(T).q for T in targets]
    answers = {}

    def work(k):
        answers[k] = [UR5.solve(T).q for T in targets]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(8):
        np.testing.assert_array_equal(answers[k], alone)


def test_repr_is_one_readable_line():
    assert repr(UR5).startswith("Robot('ur5', 6 joints, ")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: UR5.fk([1, 2]), "q has shape (2,); ur5 takes 6 joint values"),
        (lambda: UR5.fk([1, 2, 3, 4, 5, np.nan]), "q has nan at [5]"),
        (lambda: UR5.fk(np.array([1, 2, 3, 4, 5, np.inf])), "q has inf at [5]"),
        (lambda: UR5.jacobian([Q, Q]), "q has shape (2, 6); this call takes one configuration"),
    ],
)
def test_wrong_configurations_are_refused_with_words(call, words):
    with pytest.raises(OptionError) as caught:
        call()
    assert words in str(caught.value)


# -- what people write ---------------------------------------------------------------------------

PAN_TILT = """<robot name="r">
<link name="base"/><link name="pan"/><link name="tool"/><link name="finger"/><link name="eye"/>
<joint name="p" type="revolute"><parent link="base"/><child link="pan"/><origin xyz="0 0 1"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" velocity="3"/></joint>
<joint name="t" type="revolute"><parent link="pan"/><child link="tool"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1"/></joint>
<joint name="e" type="fixed"><parent link="pan"/><child link="eye"/><origin xyz="0.1 0 0"/></joint>
<joint name="f" type="prismatic"><parent link="tool"/><child link="finger"/><origin xyz="0 0 0.2"/>
<axis xyz="1 0 0"/><limit lower="0.01" upper="0.05"/></joint></robot>"""


def test_joint_values_go_in_and_come_out_by_name():
    arm = fa.load("ur5")
    q = arm.sample(1, 4)[0]
    named = dict(zip(reversed(arm.joint_names), reversed(q.tolist()), strict=True))
    np.testing.assert_array_equal(arm.fk(named), arm.fk(q))
    near = arm.solve(arm.fk(q), named)
    assert near.joint_names == arm.joint_names
    assert near.as_dict() == dict(zip(arm.joint_names, near.q.tolist(), strict=True))
    np.testing.assert_array_equal(near.q, arm.solve(arm.fk(q), q).q)
    batch = arm.solve_batch(arm.fk(q)[None], named)
    assert batch[0].as_dict() == near.as_dict()
    assert arm.solve_all(arm.fk(q), named)[0].as_dict().keys() == named.keys()
    with pytest.raises(OptionError, match="q has no value for elbow_joint; it takes all of"):
        arm.fk({name: value for name, value in named.items() if name != "elbow_joint"})
    with pytest.raises(OptionError, match="joint 'elbow' is not in ur5; did you mean elbow_joint"):
        arm.solve(arm.fk(q), named | {"elbow": 0.0})


def turn(angle, c=0, s=1):
    T = np.eye(4)
    T[c, c], T[c, s], T[s, c], T[s, s] = np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)
    return T


def test_every_link_has_a_pose():
    arm = fa.Robot.from_urdf(PAN_TILT, tip="tool")
    q = [0.7, -0.4]
    T_pan, T_tool = turn(0.7), turn(-0.4, 2, 0)
    T_pan[2, 3], T_tool[2, 3] = 1.0, 0.5
    eye, finger = np.eye(4), np.eye(4)
    eye[0, 3], finger[:3, 3] = 0.1, [0.01, 0, 0.2]  # at rest, at the limit nearest to 0
    expected = dict(base=np.eye(4), pan=T_pan, tool=T_pan @ T_tool, eye=T_pan @ eye, finger=T_pan @ T_tool @ finger)
    for link, pose in expected.items():
        np.testing.assert_allclose(arm.fk(q, link=link), pose, atol=1e-15)
        np.testing.assert_allclose(arm.fk([q, q], link)[1], pose, atol=1e-15)
    with pytest.raises(OptionError, match="r has no link 'fnger'; did you mean finger"):
        arm.fk(q, "fnger")
    np.testing.assert_array_equal(arm.velocity_limits, [3.0, np.inf])


def test_a_robot_stands_elsewhere():
    arm = fa.Robot.from_urdf(PAN_TILT, tip="tool")
    T = turn(0.5)
    T[:3, 3] = 1.0, 2.0, 3.0
    moved = arm.with_base(T)
    q = [0.3, -0.2]
    for link in (None, "base", "eye", "finger"):
        np.testing.assert_allclose(moved.fk(q, link), T @ arm.fk(q, link), atol=1e-15)
    assert moved.solve(fa.Position(T[:3] @ [*arm.fk(q)[:3, 3], 1.0])).success
    with pytest.raises(ModelError, match="base is not a rigid transform"):
        arm.with_base(2.0 * np.eye(4))


def test_a_measured_start_may_lie_outside_its_limits_by_a_hair():
    arm = fa.load("ur5")
    T, q0 = arm.fk(np.full(6, 0.3)), np.full(6, 0.3)
    q0[2] = arm.limits[1, 2] + 0.9e-4
    expected = arm.solve(T, arm.clip(q0)).q
    np.testing.assert_array_equal(arm.solve(T, q0).q, expected)
    np.testing.assert_array_equal(arm.solve(T, list(q0)).q, expected)
    np.testing.assert_array_equal(arm.solve_batch(T[None], q0).q[0], expected)
    assert arm.solve(T, q0, max_joint_step=7.0).success
    q0[2] += 0.2e-4
    for call in (lambda: arm.solve(T, q0), lambda: arm.solve_batch(T[None], q0)):
        with pytest.raises(OptionError, match="q0 is outside the limits: 'elbow_joint'"):
            call()


@pytest.mark.parametrize("given", ["arm.urdf", None, 3])
def test_a_robot_made_of_anything_but_a_model_names_the_loaders(given):
    with pytest.raises(fa.errors.ModelError, match=r"Robot takes a model, not .*Robot\.from_urdf\(path\)"):
        fa.Robot(given)


def test_limits_of_many_turns_are_asked_whether_they_are_degrees(caplog):
    arm = fa.load("ur5")
    arm.with_limits({"elbow_joint": (-160, 160)})
    (told,) = caplog.messages
    assert told == "joint 'elbow_joint' is given limits -160 to 160 rad; did you mean degrees?"
    fa.Robot.from_dh([(0, 1.57, 0.4), (0.3, 0, 0)], limits=[[-90, -1], [90, 1]])
    assert [message for message in caplog.messages if "90 rad" in message]
    caplog.clear()
    arm.with_limits({"elbow_joint": (-4 * np.pi, 4 * np.pi)})
    arm.with_limits({"elbow_joint": (-np.inf, np.inf)})
    fa.Robot.from_dh([{"a": 0.1, "alpha": 0, "d": 0, "kind": "prismatic", "limits": (0, 50)}])
    assert not caplog.messages


def test_load_takes_a_file_of_any_format_with_what_goes_with_it(tmp_path):
    path = Path(__file__).parents[1] / "examples/two_arms.urdf"
    arm = fa.load(path, tip="left_hand", limits={"lift": (0.0, 0.1)})
    assert (arm.model.tip, arm.limits[1, 0]) == ("left_hand", 0.1)
    np.testing.assert_array_equal(arm.model.links, fa.Robot.from_urdf(path, tip="left_hand").model.links)
    with pytest.raises(fa.ForearmError, match=r"no file '.*two_arm\.urdf'; did you mean .*two_arms\.urdf\?"):
        fa.load(path.with_name("two_arm.urdf"))
    with pytest.raises(fa.ForearmError, match="tip works only with a URDF, xacro or MJCF file; 'ur5' is not one"):
        fa.load("ur5", tip="tool0")
    assert fa.load("ur5", limits={"elbow_joint": (-1.0, 1.0)}).limits[1, 2] == 1.0


def test_a_folder_with_a_robots_name_does_not_hide_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ur5").mkdir()
    assert fa.load("ur5").n == 6
