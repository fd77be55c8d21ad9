"""Pose errors keep their digits from the smallest angle up to pi."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from forearm.common.transforms import from_rpy, rotation_about
from forearm.core.arm.goal import goal_error
from forearm.core.arm.problem import Goal
from forearm.core.codes import POSE, TERMS
from forearm.core.maths.se3 import is_rigid, turn_between

RELATIVE = 1e-9

unit_axes = (
    st.tuples(*[st.floats(-1, 1)] * 3)
    .filter(lambda v: np.linalg.norm(v) > 1e-3)
    .map(lambda v: np.array(v) / np.linalg.norm(v))
)
exponents = st.floats(-12, math.log10(math.pi - 1e-9))
from_pi = st.floats(-9, 0).map(lambda x: math.pi - 10**x)
angles = st.one_of(exponents.map(lambda x: 10**x), from_pi)


def error_twist(T, goal):
    e = np.empty(6)
    goal_error(T, Goal(goal, POSE, np.zeros(TERMS)), e)
    return e


@given(unit_axes, angles)
def test_rotation_error_is_right_to_1e_9_relative(axis, angle):
    e = error_twist(np.eye(4), rotation_about(axis, angle))
    assert math.isclose(np.linalg.norm(e[3:]), angle, rel_tol=RELATIVE)
    np.testing.assert_allclose(e[3:], angle * axis, rtol=0, atol=1e-6 * angle)


@given(unit_axes, angles, st.tuples(*[st.floats(-3, 3)] * 3))
def test_rotation_error_does_not_depend_on_where_the_tip_is(axis, angle, rpy):
    T = from_rpy(*rpy)
    e = error_twist(T, rotation_about(axis, angle) @ T)
    # The product above is rounded to 1e-16, which bounds what any error can know.
    assert math.isclose(np.linalg.norm(e[3:]), angle, rel_tol=RELATIVE, abs_tol=2e-15)


@given(unit_axes, st.floats(-1, 1).map(lambda x: 1e-8 * x))
def test_rotation_error_is_continuous_through_pi(axis, off):
    e = error_twist(np.eye(4), rotation_about(axis, math.pi + off))
    assert math.isclose(np.linalg.norm(e[3:]), math.pi - abs(off), rel_tol=RELATIVE)


def test_position_error_is_the_difference():
    goal = np.eye(4)
    goal[:3, 3] = 1.0, 2.0, 3.0
    T = np.eye(4)
    T[:3, 3] = 0.5, 2.0, 4.0
    np.testing.assert_array_equal(error_twist(T, goal), [0.5, 0.0, -1.0, 0.0, 0.0, 0.0])


@given(unit_axes, unit_axes)
def test_turn_between_takes_one_vector_onto_the_other(a, b):
    turn = np.array(turn_between(*a, *b))
    angle = np.linalg.norm(turn)
    R = rotation_about(turn / angle, angle)[:3, :3] if angle > 0 else np.eye(3)
    np.testing.assert_allclose(R @ a, b, atol=1e-12)


@given(unit_axes)
def test_turn_between_opposite_vectors_is_half_a_turn(a):
    turn = np.array(turn_between(*a, *(-a)))
    assert math.isclose(np.linalg.norm(turn), math.pi, rel_tol=1e-12)
    assert abs(turn @ a) < 1e-12


def test_is_rigid_sees_every_kind_of_fault():
    T = from_rpy(0.1, 0.2, 0.3)
    assert is_rigid(T, 1e-5)
    scaled, mirrored, last_row, nan = T.copy(), T.copy(), T.copy(), T.copy()
    scaled[:3, :3] *= 1.001
    mirrored[:3, 0] *= -1.0
    last_row[3, 0] = 1.0
    nan[0, 3] = np.nan
    for bad in (scaled, mirrored, last_row, nan):
        assert not is_rigid(bad, 1e-5)
