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
