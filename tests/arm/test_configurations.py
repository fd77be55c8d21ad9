"""Limits of turning joints stay where angles have digits."""

import numpy as np
import pytest

import forearm as fa
from forearm.arm.configurations import FARTHEST_TURN
from forearm.errors import ModelError, OptionError

ARM = fa.load("iiwa14")
TARGET = ARM.fk(ARM.sample(1)[0])


@pytest.mark.parametrize("lower", [1e17, -1.1e17, 2e17], ids=str)
def test_limits_where_whole_turns_lose_their_digits_are_refused_by_name(lower):
    with pytest.raises(OptionError, match=r"'joint_a1' has limits .* digits; turning joints take -10000 to 10000"):
        ARM.solve(TARGET, limits=np.array([[lower] * 7, [lower + 1e16] * 7]))


def test_limits_far_and_wide_are_narrowed_to_where_angles_have_digits():
    s = ARM.solve(TARGET, limits=np.array([[-1e17] * 7, [3e18] * 7]))
    assert s.success
    assert np.abs(ARM.fk(s.q) - TARGET).max() < 1e-6
    assert np.abs(s.q).max() <= FARTHEST_TURN


def test_a_model_with_such_limits_is_refused_or_narrowed_too():
    two = [(1.0, 0.0, 0.0), (0.5, 0.0, 0.0)]
    with pytest.raises(ModelError, match="lose their digits"):
        fa.Robot.from_dh(two, limits=np.array([[1e17] * 2, [2e17] * 2]))
    wide = fa.Robot.from_dh(two, limits=np.array([[-1e10] * 2, [1e10] * 2]))
    s = wide.solve(fa.Position([0.9, 0.6, 0.0]))
    assert s.success
    assert np.abs(s.q).max() <= FARTHEST_TURN


def test_slides_may_be_as_long_as_they_like():
    slide = fa.load("scara")
    name = next(n for n, kind in zip(slide.joint_names, slide.model.joint_kinds, strict=True) if kind == "prismatic")
    assert slide.with_limits({name: (-1e8, 1e8)}).limits[1, slide.joint_names.index(name)] == 1e8


def test_a_start_a_hair_outside_is_taken_by_every_call_and_degrees_are_guessed():
    arm = fa.load("panda")
    T, beyond = arm.fk(arm.neutral), arm.limits[1] + 1e-4
    assert arm.solve(T, beyond).success
    assert arm.solve_batch(T[None], beyond).success.all()
    assert (arm.servo(beyond, rate=100).q <= arm.limits[1]).all()
    with pytest.raises(fa.errors.OptionError, match=r"robot\.clip\(q0\) moves it inside; did you mean degrees\?"):
        arm.solve(T, np.degrees(arm.neutral))
    with pytest.raises(fa.errors.OptionError, match=r"cannot be locked at 45: .* did you mean degrees"):
        arm.solve(T, locked={"panda_joint1": 45})


def test_joint_values_far_outside_their_limits_are_asked_whether_they_are_degrees(caplog):
    degrees = np.degrees(ARM.home)
    for call in (
        lambda: ARM.fk(degrees.tolist()),
        lambda: ARM.fk(degrees.round().astype(int)),
        lambda: ARM.fk(dict(zip(ARM.joint_names, degrees, strict=True))),
        lambda: ARM.fk(np.array([ARM.home, degrees])),
        lambda: ARM.solve(TARGET, rest=degrees),
        lambda: ARM.servo(ARM.home, rate=100, rest=degrees),
    ):
        caplog.clear()
        call()
        assert "far outside its limits" in caplog.text
        assert "did you mean degrees? np.radians(...)" in caplog.text
    caplog.clear()
    ARM.fk(ARM.limits[1] + 0.5)
    ARM.fk(ARM.sample(20))
    fa.load("ur5").fk([6.5] * 6)
    assert caplog.text == ""


def test_limits_that_look_like_degrees_are_taken_with_a_question(caplog):
    assert ARM.with_limits({"joint_a1": (-170, 170)}).limits[1, 0] == 170.0
    assert "joint 'joint_a1' is given limits -170 to 170 rad; did you mean degrees?" in caplog.text
    caplog.clear()
    ARM.with_limits({"joint_a1": (-2.9, 2.9), "joint_a2": (-12.6, 12.6), "joint_a3": (-1e9, 1e9)})
    assert caplog.text == ""


def test_slides_far_beyond_their_limits_are_asked_whether_they_are_millimetres(caplog):
    scara = fa.load("scara")
    k = scara.model.joint_kinds.index("prismatic")
    q, name = np.array(scara.home), scara.joint_names[k]
    scara.with_limits({name: (0.0, 200.0)})
    assert "did you mean millimetres?" in caplog.text
    caplog.clear()
    q[k] = 80.0
    scara.fk(q.tolist())
    assert "did you mean millimetres?" in caplog.text
