"""Whole turns, limits and nearness of the closed forms, against brute force."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.core.closed_form.forms.nearest import bring_inside
from forearm.errors import OptionError, UnsupportedError

UR5, PUMA, IIWA = fa.load("ur5"), fa.load("puma560"), fa.load("iiwa14")
TURN = 2.0 * math.pi

angles = st.floats(-20.0, 20.0)


@given(angles, angles, st.floats(-12.0, 12.0), st.floats(0.0, 15.0))
def test_a_turn_is_brought_inside_as_brute_force_does(value, reference, lower, width):
    upper = lower + width
    inside, found = bring_inside(value, reference, lower, upper, 1e-9)
    turns = [value + TURN * k for k in range(-12, 13)]
    allowed = [v for v in turns if lower - 1e-9 <= v <= upper + 1e-9]
    assert inside == bool(allowed)
    if allowed:
        assert abs(found - reference) <= min(abs(v - reference) for v in allowed) + 1e-8
        assert lower <= found <= upper


@pytest.mark.parametrize("norm", [1, math.inf])
@pytest.mark.parametrize("arm", [UR5, PUMA], ids=lambda arm: arm.name)
def test_the_answer_is_the_nearest_of_all_branches_and_windings(arm, norm):
    for q, q0 in zip(arm.sample(8, rng_seed=3), arm.sample(8, rng_seed=4), strict=True):
        T = arm.fk(q)
        s = arm.solve(T, q0=q0, norm=norm)
        everything = arm.solve_all(T, q0=q0, windings=True).q
        distance = np.linalg.norm(everything - q0, ord=norm, axis=1).min()
        assert np.linalg.norm(s.q - q0, ord=norm) <= distance + 1e-9


def test_windings_are_those_of_brute_force():
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    found = UR5.solve_all(UR5.fk(q), windings=True)
    plain = UR5.solve_all(UR5.fk(q))
    count = 0
    for branch in plain:
        values = [[v + TURN * k for k in (-2, -1, 0, 1, 2) if abs(v + TURN * k) <= TURN] for v in branch.q]
        count += len(list(itertools.product(*values)))
    assert len(found) == count
    assert len({tuple(np.round(b.q, 6)) for b in found}) == count
    assert np.abs(UR5.fk(found.q) - UR5.fk(q)).max() < 1e-9


@pytest.mark.parametrize("arm", [UR5, PUMA, fa.load("irb120")], ids=lambda arm: arm.name)
def test_joints_at_their_limits_are_reached(arm):
    for q in arm.sample(30, rng_seed=5):
        q[::2] = arm.limits[np.random.default_rng(1).integers(2, size=3), [0, 2, 4]]
        s = arm.solve(arm.fk(q), q0=q)
        assert s.success
        assert s.limit_excess == 0.0
        assert np.abs(s.q - q).max() < 1e-6


def test_limits_and_steps_of_one_call_are_kept():
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    T = UR5.fk(q)
    for branch in UR5.solve_all(T):
        name = UR5.joint_names[2]
        s = UR5.solve(T, q0=branch.q, limits={name: (branch.q[2] - 0.01, branch.q[2] + 0.01)})
        assert np.abs(s.q - branch.q).max() < 1e-9
        near = UR5.solve(T, q0=np.clip(branch.q + 0.02, *UR5.limits), max_joint_step=0.05)
        assert near.method.startswith("closed-form")
        assert np.abs(near.q - branch.q).max() < 1e-9
    beyond = UR5.solve(T, q0=q + 0.3, max_joint_step=0.1)
    assert beyond.status is fa.Status.STEP


def test_a_tool_and_a_locked_joint_go_with_it():
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    tool = np.eye(4)
    tool[:3, 3] = 0.1, 0.0, 0.2
    s = UR5.solve(UR5.fk(q) @ tool, q0=q, tool=tool)
    assert s.method.startswith("closed-form")
    assert np.abs(s.q - q).max() < 1e-9
    assert len(UR5.solve_all(UR5.fk(q) @ tool, tool=tool)) == len(UR5.solve_all(UR5.fk(q)))
    held = UR5.solve(UR5.fk(q), locked={UR5.joint_names[0]: 0.3})
    assert held.q[0] == 0.3
    assert held.success


@settings(max_examples=60)
@given(st.integers(0, 2**31))
def test_the_quick_and_the_ordinary_road_give_the_same_bits(seed):
    q = UR5.sample(1, rng_seed=seed)[0]
    T = UR5.fk(q)
    quick, ordinary = UR5.solve(T), UR5.solve(T.tolist())
    assert (quick.q == ordinary.q).all()
    assert quick.method == ordinary.method == "closed-form (three parallel axes)"
    assert quick.success


def test_wide_tolerances_are_left_to_the_general_solver():
    T = UR5.fk([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    assert UR5.solve(fa.Pose(T, tol=[1e-6] * 5 + [math.inf])).method == "general"
    assert UR5.solve(fa.Position(T[:3, 3])).method == "general"
    assert UR5.solve(fa.Pose(T, tol=1e-8)).method.startswith("closed-form")


def test_a_time_limit_and_a_rest_posture_go_with_it():
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    assert UR5.solve(UR5.fk(q), timeout=1.0).method.startswith("closed-form")
    q = IIWA.sample(1, rng_seed=3)[0]
    s = IIWA.solve(IIWA.fk(q), rest=IIWA.neutral)
    assert s.success
    assert np.linalg.norm(s.q - IIWA.neutral) <= np.linalg.norm(IIWA.solve(IIWA.fk(q)).q - IIWA.neutral) + 1e-9


WRONG = [
    (lambda: UR5.solve(np.eye(4), norm=2), OptionError, "option norm is 2; it takes 1 or inf"),
    (lambda: UR5.solve(np.eye(4), swivel=0.1), UnsupportedError, "ur5 has no swivel angle"),
    (lambda: UR5.swivel(np.zeros(6)), UnsupportedError, "it is three parallel axes"),
    (lambda: IIWA.solve(np.eye(4), swivel="up"), OptionError, "swivel is 'up', not a number"),
    (lambda: UR5.solve_all(np.eye(4), samples=0), OptionError, "samples is 0; it takes a whole number from 1"),
    (lambda: UR5.solve_all(np.eye(4), q0=[1.0]), OptionError, "q0 has shape (1,); ur5 takes 6"),
]


@pytest.mark.parametrize(("call", "error", "words"), WRONG, ids=[words[:30] for *_, words in WRONG])
def test_wrong_arguments_are_refused_with_words(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_what_no_branch_reaches_says_why():
    far = np.eye(4)
    far[0, 3] = 5.0
    assert "not even without limits" in UR5.solve_all(far).reason
    assert "not even without limits" in IIWA.solve_all(far).reason
    assert UR5.solve(far).status is fa.Status.OUT_OF_REACH
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    none = UR5.solve_all(UR5.fk(q), limits={UR5.joint_names[0]: (2.0, 2.1)})
    assert len(none) == 0
    assert none.reason == "the pose is reachable, but no branch is inside the limits"
