"""Robot: what it says about itself, and that it never changes."""

import pickle
import threading

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
