"""Swivel intervals of arms with spherical shoulder and wrist, against the angles themselves."""

import math

import numpy as np
import pytest
from random_arms import swivelling

import forearm as fa
from forearm.core.closed_form.listing import BRANCHES, row_at_swivel
from forearm.core.codes import POSE
from forearm.solve.problem import CLOSED

IIWA = fa.load("iiwa14")
EDGE = 1e-7  # swivel angles this near to an interval's end are not judged [rad]


def inside(intervals, psi):
    """Whether an angle lies in one of some intervals; None where it is too near to an end to say."""
    offsets = [(psi + turn - low, high - psi - turn) for low, high in intervals for turn in (-math.tau, 0.0, math.tau)]
    whole = any(high - low > math.tau - EDGE for low, high in intervals)
    if not whole and any(min(abs(a), abs(b)) < EDGE for a, b in offsets):
        return None
    return whole or any(a > 0.0 and b > 0.0 for a, b in offsets)


def angles_inside(arm, row):
    """Whether whole turns bring every joint of a row inside its limits."""
    lower, upper = arm.limits
    shifted = row + math.tau * np.ceil((lower - row) / math.tau)
    return bool((shifted <= upper).all())


def check_intervals(arm, targets, swivels, rng):
    """Each interval says inside exactly where the joint angles are."""
    for q in arm.sample(targets, rng_seed=6):
        T = arm.fk(q)
        _, form = arm._prepared.of(CLOSED, POSE)
        answers = {}
        for answer in arm.solve_all(T):
            for branch in range(BRANCHES):
                row = np.empty(7)
                row_at_swivel(form, T, arm.neutral, branch, arm.swivel(answer.q), row)
                if np.abs(np.remainder(row - answer.q + math.pi, math.tau) - math.pi).max() < 1e-6:
                    answers[branch] = answer.swivel
        for psi in rng.uniform(-math.pi, math.pi, swivels):
            for branch in range(BRANCHES):
                row = np.empty(7)
                assert row_at_swivel(form, T, arm.neutral, branch, psi, row)
                said = inside(answers.get(branch, ()), psi)
                assert said is None or said == angles_inside(arm, row), (q, psi, branch)


@pytest.mark.compiled
def test_intervals_say_inside_exactly_where_the_angles_are():
    check_intervals(IIWA, 12, 40, np.random.default_rng(0))


@pytest.mark.compiled
def test_intervals_of_random_arms_with_odd_limits():
    rng = np.random.default_rng(1)
    for _ in range(6):
        middle, half = rng.uniform(-2.0, 2.0, 7), rng.uniform(0.4, 3.3, 7)
        check_intervals(swivelling(rng, np.array([middle - half, middle + half])), 3, 30, rng)


def test_a_swivel_angle_is_kept_and_one_outside_is_refused_with_the_allowed_ones():
    q = np.array([0.3, 0.5, -0.2, 1.1, 0.4, 0.9, 0.1])
    T = IIWA.fk(q)
    psi = IIWA.swivel(q)
    assert np.abs(IIWA.solve(T, q0=q, swivel=psi).q - q).max() < 1e-9
    for offset in (-0.3, 0.2):
        s = IIWA.solve(T, q0=q, swivel=psi + offset)
        assert s.success
        assert math.isclose(IIWA.swivel(s.q), psi + offset, abs_tol=1e-9)
    refused = IIWA.solve(
        T, swivel=psi + 0.3, limits={name: (v - 0.01, v + 0.01) for name, v in zip(IIWA.joint_names, q, strict=True)}
    )
    assert refused.status is fa.Status.LIMITS
    assert "it takes one of" in refused.reason


def test_the_elbow_stands_where_the_swivel_angle_says():
    """0 is the side of the first axis: for an upright arm, elbow up."""
    for q in IIWA.sample(20, rng_seed=3):
        frames = IIWA.fk_all(q)
        shoulder, elbow, wrist = frames[1][:3, 3], frames[3][:3, 3], frames[5][:3, 3]
        line = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
        side = elbow - shoulder - line * (line @ (elbow - shoulder))
        up = np.array([0.0, 0.0, 1.0]) - line * line[2]
        angle = math.atan2(line @ np.cross(up, side), up @ side)
        assert abs(math.remainder(IIWA.swivel(q) - angle, math.tau)) < 1e-9


def test_joints_exactly_at_their_limits_are_found():
    rng = np.random.default_rng(2)
    for q in IIWA.sample(40, rng_seed=4):
        k = rng.integers(7)
        q[k] = IIWA.limits[rng.integers(2), k]
        assert IIWA.solve(IIWA.fk(q), method="closed-form").success
        assert IIWA.solve_all(IIWA.fk(q))


def test_near_starts_stay_near():
    for q in IIWA.sample(40, rng_seed=5):
        q0 = np.clip(q + 0.05 * np.sign(np.sin(37.0 * q)), *IIWA.limits)
        s = IIWA.solve(IIWA.fk(q), q0=q0)
        assert s.success
        assert np.abs(s.q - q0).max() < 0.3
