"""Singular poses: exact, and a little beside; stretched targets; joints at the ends of the swivel."""

import math

import numpy as np
import pytest

import forearm as fa

OFFSETS = [0.0, 1e-14, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6]
ARMS = {name: fa.load(name) for name in ("ur5", "puma560", "irb120")}


def singular_values(name):
    """(joint, value) pairs at which an arm is singular: wrist straight or folded, elbow, shoulder."""
    if name == "ur5":
        return [(4, 0.0), (4, math.pi), (2, 0.0), (2, 1e-3)]
    if name == "puma560":
        return [(4, 0.0), (2, -math.pi / 2 + math.atan2(0.0203, 0.4318))]
    return [(4, 0.0), (2, -math.pi / 2)]


def grid():
    return [(name, joint, value) for name in ARMS for joint, value in singular_values(name)]


@pytest.mark.parametrize(("name", "joint", "value"), grid())
def test_poses_at_and_near_singularities_are_solved_in_closed_form(name, joint, value):
    arm = ARMS[name]
    for q, seed in zip(arm.sample(6, rng_seed=2), arm.sample(6, rng_seed=3), strict=True):
        for offset in OFFSETS:
            q[joint] = np.clip(value + offset, *arm.limits[:, joint])
            T = arm.fk(q)
            for q0 in (q, seed, None):
                s = arm.solve(T, q0=q0, method="closed-form")
                assert s.success, (q, offset, q0)
            assert np.abs(arm.solve(T, q0=q).q - q).max() < 0.01  # nothing jumps


@pytest.mark.compiled
def test_auto_meets_singular_poses_inside_limits_that_the_closed_form_alone_may_miss():
    arm, rng = ARMS["ur5"], np.random.default_rng(0)
    for _ in range(100):
        q = rng.uniform(-2.5, 2.5, 6)
        q[4] = 0.0
        narrow = arm.with_limits(q + rng.uniform(0.04, 0.2, (2, 6)) * [[-1.0], [1.0]])
        for q0 in (None, rng.uniform(*narrow.limits)):
            assert narrow.solve(arm.fk(q), q0, explain=False).success


@pytest.mark.parametrize("offset", OFFSETS)
def test_a_straight_elbow_with_a_straight_wrist_is_solved(offset):
    """The turn about the parallel axes is free there but for the reach of the triangle."""
    arm = ARMS["ur5"]
    for q, seed in zip(arm.sample(20, rng_seed=4), arm.sample(20, rng_seed=5), strict=True):
        q[2], q[4] = offset, offset
        assert arm.solve(arm.fk(q), q0=seed, method="closed-form").success


def test_free_angles_are_taken_from_q0():
    arm = ARMS["puma560"]
    q = np.array([0.2, 0.3, -0.9, 0.5, 0.0, 0.7])
    T = arm.fk(q)
    for fourth in (-1.0, 0.0, 0.4):
        q0 = q + np.array([0.0, 0.0, 0.0, fourth - 0.5, 0.0, 0.0])
        s = arm.solve(T, q0=q0)
        assert abs(s.q[3] + s.q[5] - 1.2) < 1e-9
        assert np.abs(s.q - q0).max() <= abs(fourth - 0.5) + 1e-9  # the sixth alone would do
    found = arm.solve_all(T, q0=q)
    assert np.abs(found[0].q - q).max() < 1e-9
    arms = {tuple(np.round(b.q[:3], 6)) for b in found}
    assert len(found) == len(arms) or any(abs(math.sin(b.q[4])) > 1e-6 for b in found)  # one wrist an arm posture


def test_a_wrist_on_the_first_axis_leaves_the_shoulder_free():
    """With no shoulder offset the wrist point can stand on axis 1, which then turns on the spot."""
    arm = ARMS["irb120"]
    q = np.array([0.0, 0.0, -1.2, 0.3, 0.8, -0.2])

    def across(second):
        q[1] = second
        return arm.fk_all(q)[4][0, 3]

    low, high = -1.5, 1.5
    assert across(low) < 0.0 < across(high)
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if across(middle) < 0.0 else (low, middle)
    q[1] = low
    T = arm.fk(q)
    for first in (-1.0, 0.0, 1.2):
        s = arm.solve(T, q0=[first, *q[1:]], method="closed-form")
        assert s.success
        assert abs(s.q[0] - first) < 1e-6  # it need not move


def over_shoulder(arm, q, off):
    """The second joint values that put the wrist point `off` metres beside axis 1, in the plane of the arm.

    The point rides on the tip, and its place in that plane is a sinusoid of the second joint.
    """
    H, P = arm.structure.H, arm.structure.P
    tip = np.linalg.solve(arm.fk(np.zeros(6)), [*P[5], 1.0])

    def beside(second):
        return np.cross(H[0], H[1]) @ ((arm.fk(np.array([0.0, second, *q[2:]])) @ tip)[:3] - P[0])

    middle = 0.5 * (beside(0.0) + beside(math.pi))
    a, b = beside(0.0) - middle, beside(math.pi / 2) - middle
    if math.hypot(a, b) <= abs(off - middle):
        return []
    turn = math.acos((off - middle) / math.hypot(a, b))
    seconds = [math.remainder(math.atan2(b, a) + side * turn, 2.0 * math.pi) for side in (1.0, -1.0)]
    return [value for value in seconds if arm.limits[0, 1] <= value <= arm.limits[1, 1]]


@pytest.mark.parametrize("straight", [None, "wrist", "elbow"])
@pytest.mark.parametrize("name", ["ur5", "puma560", "irb120"])
def test_a_wrist_point_over_the_shoulder_loses_no_branch(name, straight):
    """There the two answers of the first joint are one, exactly so and within 1e-9."""
    arm, seen = ARMS[name], 0
    joint, value = next(pair for pair in singular_values(name) if pair[0] == (4 if straight == "wrist" else 2))
    for i, q in enumerate(arm.sample(40, rng_seed=9)):
        off = [0.0, 1e-9, -6e-10][i % 3]
        if straight is not None:
            q[joint] = value + off
        seconds = over_shoulder(arm, q, off)
        if not seconds:
            continue
        q[1], seen = seconds[0], seen + 1
        T = arm.fk(q)
        found = arm.solve_all(T, q0=q).q
        assert np.abs(arm.fk(found) - T).max() < 1e-8
        # as near as 1e-9 tells where two singularities meet: the pose moves with the fourth power there
        apart = np.abs(np.remainder(found - q + math.pi, 2.0 * math.pi) - math.pi).max(axis=1)
        assert apart.min() < 1e-2, (q, off)
        assert arm.solve(T, q0=q, method="closed-form").success
        # without q0 a first joint that is free stands in the middle, where the wrist may be outside its limits
        assert arm.solve(T).success
    assert seen > 5


@pytest.mark.parametrize("push", [0.0, 1e-12, 1e-9, 1e-8, 1e-7, 5e-7])
def test_stretched_targets_are_solved_also_when_pushed_within_the_tolerance(push):
    arm = ARMS["ur5"]
    for q in arm.sample(15, rng_seed=8):
        q[2] = 0.0
        T = arm.fk(q)
        shoulder, wrist = arm.fk_all(q)[0][:3, 3], arm.fk_all(q)[3][:3, 3]
        T[:3, 3] += push * (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
        s = arm.solve(T)
        assert s.success
        if push <= 1e-12:
            assert s.method.startswith("closed-form")
