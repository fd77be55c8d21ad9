"""The call of a control loop: how little Python it takes."""

import inspect
import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.core.codes import TRIES
from forearm.solve.fast import LEFT_OUT

SOURCE = Path(fa.__file__).parent


def calls_of(work):
    """The functions of forearm outside `core` that a call enters, by name."""
    entered = []

    def note(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(SOURCE) and not path.is_relative_to(SOURCE / "core"):
            entered.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return entered


@pytest.mark.parametrize("name", ["ur5", "iiwa14", "panda", "scara"])
@pytest.mark.parametrize("near", [False, True])
def test_a_call_in_a_loop_takes_two_python_functions(name, near):
    arm = fa.load(name)
    q = arm.clip(arm.neutral + 0.2)
    T, start = arm.fk(q), (q if near else None)
    arm.solve(T, start)
    assert calls_of(lambda: arm.solve(T, start)) == ["solve", "answer"]


def make_read_only(T):
    T.flags.writeable = False
    return T


def make_unaligned(T):
    return np.frombuffer(b"0" + T.tobytes(), offset=1).reshape(4, 4)


MADE = [np.asfortranarray, make_read_only, make_unaligned, lambda T: T.astype(">f8"), lambda T: T.astype(object), list]


@pytest.mark.parametrize("make", MADE)
def test_a_pose_of_any_make_has_the_bits_of_a_plain_one(make):
    arm = fa.load("ur5")
    for q in arm.sample(5, rng_seed=2):
        T = arm.fk(q)
        np.testing.assert_array_equal(arm.solve(make(T.copy())).q, arm.solve(T).q)
        np.testing.assert_array_equal(arm.solve(make(T.copy()), q).q, arm.solve(T, q).q)
    single = T.astype(np.float32)
    np.testing.assert_array_equal(arm.solve(single).q, arm.solve(single.astype(float)).q)


@pytest.mark.parametrize("wrong", [np.eye(3), np.eye(4)[None], np.full((4, 4), np.nan), np.eye(4, dtype=complex)])
def test_an_array_that_is_no_pose_is_refused_in_words(wrong):
    with pytest.raises(fa.errors.TargetError):
        fa.load("ur5").solve(wrong)


@pytest.mark.parametrize("wrong", [np.empty(0), np.zeros(5), np.zeros((1, 6))])
def test_a_start_of_another_length_is_refused_in_words(wrong):
    arm = fa.load("ur5")
    with pytest.raises(fa.errors.OptionError, match="q0 has shape"):
        arm.solve(arm.fk(arm.neutral), wrong)


def test_arguments_given_as_nothing_are_as_if_left_out():
    arm = fa.load("ur5")
    T = arm.fk(arm.clip(arm.neutral + 0.2))
    nothing = dict.fromkeys(LEFT_OUT)
    arm.solve(T)
    assert calls_of(lambda: arm.solve(T, **nothing)) == ["solve", "says_nothing", "answer"]
    parameters = inspect.signature(fa.Robot.solve).parameters
    assert nothing.keys() == {name for name, parameter in parameters.items() if parameter.default is None} - {"q0"}


@pytest.mark.parametrize("given", [{"clearance": None}, {"max_tries": None}, {"explain": None}, {"bogus": None}])
def test_nothing_where_a_value_is_needed_is_refused(given):
    arm = fa.load("ur5")
    with pytest.raises(fa.errors.OptionError, match=next(iter(given))):
        arm.solve(arm.fk(arm.neutral), **given)


def test_the_call_shows_every_argument_and_takes_two_by_place():
    arm = fa.load("ur5")
    assert {"tool", "limits", "obstacles", "prefer"} <= inspect.signature(arm.solve).parameters.keys()
    with pytest.raises(TypeError, match="positional"):
        arm.solve(arm.fk(arm.neutral), arm.neutral, "general")


TARGETS = {
    "position": lambda T: fa.Position(T[:3, 3]),
    "orientation": lambda T: fa.Orientation(T[:3, :3]),
    "axis": lambda T: fa.PointAxis(T[:3, 3], T[:3, 2]),
    "pose": fa.Pose,
    "loose pose": lambda T: fa.Pose(T, tol=(1e-3, 1e-2)),
    "banded pose": lambda T: fa.Pose(T, tol=[1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 0.2]),
}


@pytest.mark.parametrize("name", ["ur5", "iiwa14", "panda"])
@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("kind", TARGETS)
def test_a_target_of_any_kind_has_no_argument_read_and_the_bits_of_the_ordinary_road(kind, near, name):
    arm = fa.load(name)
    for q in arm.sample(4, rng_seed=5):
        T, start = arm.fk(q), (arm.clip(q + 0.1) if near else None)
        target = TARGETS[kind](T)
        read = arm.solve(target, start, limits=arm.limits)
        fast = arm.solve(target, start)
        for field in ("q", "limits"):
            np.testing.assert_array_equal(getattr(fast, field), getattr(read, field))
        np.testing.assert_array_equal(fast.report[: TRIES + 1], read.report[: TRIES + 1])
        assert (fast.status, fast.method, fast.reason) == (read.status, read.method, read.reason)
        assert fast.model is read.model
        entered = calls_of(lambda target=target, start=start: arm.solve(target, start))
        assert entered[:3] == ["solve", "answer", "answer"]
        assert "solved" in entered  # the one place that measures
        assert "signed" not in entered


def test_a_target_that_is_refused_or_a_start_off_by_a_hair_goes_the_ordinary_road():
    arm = fa.load("ur5")
    target = fa.Position(arm.fk(arm.neutral)[:3, 3])
    high = arm.limits[1] + 5e-5  # what an encoder leaves
    np.testing.assert_array_equal(arm.solve(target, high).q, arm.solve(target, arm.limits[1]).q)
    with pytest.raises(fa.errors.OptionError, match="outside the limits"):
        arm.solve(target, arm.limits[1] + 1.0)
    with pytest.raises(fa.errors.UnsupportedError, match="Position targets"):
        arm.solve(target, method="closed-form")
    target.goal[:3, :3] *= 2.0
    with pytest.raises(fa.errors.TargetError, match="rigid"):
        arm.solve(target)


def test_a_start_of_another_layout_goes_the_ordinary_road_to_the_same_bits():
    arm = fa.load("ur5")
    q = arm.clip(arm.neutral + 0.2)
    T = arm.fk(q)
    strided = np.repeat(q + 0.01, 2)[::2]
    assert calls_of(lambda: arm.solve(T, strided))[:2] == ["solve", "add_road"]
    np.testing.assert_array_equal(arm.solve(T, strided).q, arm.solve(T, q + 0.01).q)
