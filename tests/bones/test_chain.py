"""Chains: lengths and limits kept, targets met, verdicts right; judged by geometry of what came back."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.joints import Ball, Cone, Fixed, Hinge


def check_any_chain(bones, seed, n, dim, refine):
    rng = np.random.default_rng(seed)
    chain = bones.random_chain(rng, n, dim)
    target = bones.feasible_point(chain, rng) if rng.random() < 0.7 else rng.normal(size=dim) * chain.reach
    pose = chain.solve(target, refine=refine, max_sweeps=None if refine else 20, max_tries=3, explain=False)
    bones.judge(chain, pose)
    assert pose.position_error == pytest.approx(np.linalg.norm(pose.points[-1] - target), rel=1e-9, abs=1e-12)
    if dim == 2:
        assert (pose.points3[:, 2] == 0.0).all()
    again = chain.solve(target, refine=refine, max_sweeps=None if refine else 20, max_tries=3, explain=False)
    assert (again.points == pose.points).all()


@pytest.mark.compiled
@settings(max_examples=150)
@given(st.integers(0, 10**6), st.integers(1, 100), st.sampled_from([2, 3]), st.booleans())
def test_lengths_and_limits_hold_after_every_solve(bones, seed, n, dim, refine):
    check_any_chain(bones, seed, n, dim, refine)


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([2, 3]), st.booleans())
def test_lengths_and_limits_hold_on_short_chains(bones, seed, n, dim, refine):
    check_any_chain(bones, seed, n, dim, refine)


# -- targets that can be met ----------------------------------------------------------------------


@pytest.mark.compiled
def test_ten_thousand_reachable_targets_without_limits_are_all_met(bones):
    rng = np.random.default_rng(7)
    missed = 0
    for k in range(200):
        chain = bones.random_chain(rng, int(rng.integers(2, 101)), 3 if k % 4 else 2, free=True)
        near, far = chain.bones.reaches[-1]
        for _ in range(50):
            d = rng.normal(size=chain.dim)
            target = chain.points[0] + d / np.linalg.norm(d) * (near + (far - near) * rng.random())
            pose = chain.solve(target)
            missed += not (pose.success and np.linalg.norm(pose.points[-1] - target) <= 1e-6 * chain.reach)
    assert missed == 0


@pytest.mark.compiled
@pytest.mark.parametrize("dim", [2, 3])
def test_the_edges_of_the_reach_belong_to_it(bones, dim):
    rng = np.random.default_rng(5)
    for k in range(300):
        chain = bones.random_chain(rng, (1, 2, 3, 7)[k % 4], dim, free=True)
        near, far = chain.bones.reaches[-1]
        d = rng.normal(size=dim)
        d /= np.linalg.norm(d)
        for inside in (0.0, 1e-12, 1e-9, 1e-7):
            for distance in (far * (1.0 - inside), near * (1.0 + inside)):
                target = chain.points[0] + min(distance, far) * d
                pose = chain.solve(target)
                assert pose.success
                assert np.linalg.norm(pose.points[-1] - target) <= 1e-6 * chain.reach


@pytest.mark.compiled
def test_ten_thousand_targets_from_inside_the_limits(bones):
    rng = np.random.default_rng(11)
    missed = 0
    for _ in range(200):
        chain = bones.random_chain(rng, int(rng.integers(2, 21)), 3)
        for k in range(50):
            target = bones.feasible_point(chain, rng)
            pose = chain.solve(target, explain=False)
            missed += not (pose.success and np.linalg.norm(pose.points[-1] - target) <= 1e-6 * chain.reach)
            if k % 10 == 0:
                bones.judge(chain, pose)
            assert pose.limit_excess <= bones.LIMIT
    assert missed <= 10


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("distance", [0.0, 0.4, 0.999999, 1.0])
def test_a_target_on_the_line_of_a_straight_chain_is_met_by_bending(bones, dim, distance):
    chain = fa.Chain(bones.straight(4, dim))
    for side in (1.0, -1.0):
        target = np.zeros(dim)
        target[0] = side * distance
        pose = chain.solve(target)
        assert pose.success, pose
        bones.judge(chain, pose)
        assert (chain.solve(target).points == pose.points).all()


def test_a_limited_chain_bends_out_of_the_line_too(bones):
    chain = fa.Chain(bones.straight(5), Cone(0.9))
    pose = chain.solve([0.6, 0.0, 0.0])
    assert pose.success
    bones.judge(chain, pose)


def test_tip_orientation_is_a_goal(bones):
    chain = fa.Chain(bones.straight(6), [Ball()] + [Cone(1.2)] * 5)
    T = fa.Pose([0.3, 0.4, 0.2], rpy=(0.3, -0.5, 1.2))
    pose = chain.solve(T)
    assert pose.success
    assert np.abs(pose.frames[-1] - T.goal[:3, :3]).max() < 2e-6
    bones.judge(chain, pose)
    pointed = chain.solve(fa.PointAxis([0.3, 0.4, 0.2], [0, 0, 2], tool_axis=[1, 0, 0]))
    assert pointed.success
    assert np.abs(pointed.frames[-1][:, 0] - [0, 0, 1]).max() < 2e-6
    turned = chain.solve(fa.Orientation(rpy=(0.1, 0.2, 0.3)))
    assert turned.success
    assert turned.position_error == 0.0


def test_planar_angle_ranges_count_from_straight_with_a_straight_rest(bones):
    """Eqs. (1)-(4): the angle between neighbouring links stays in [0, 1.5]."""
    bent = np.array([[0, 0], [1, 0], [1.5, math.sqrt(0.75)], [1.5, math.sqrt(0.75) + 1.0]])
    chain = fa.Chain(bent, [Ball(), Hinge(range=(0.0, 1.5)), Hinge(range=(0.0, 1.5))], rest=bones.straight(3, 2, 3.0))
    pose = chain.solve([0.5, 1.4])
    assert pose.success
    u = np.diff(pose.points, axis=0)
    turns = [math.atan2(a[0] * b[1] - a[1] * b[0], a @ b) for a, b in itertools.pairwise(u)]
    assert all(-bones.LIMIT <= turn <= 1.5 + bones.LIMIT for turn in turns)


def test_plain_fabrik_is_sweeps_alone(bones):
    chain = fa.Chain(bones.straight(4))
    pose = chain.solve([0.4, 0.3, 0.2], refine=False, max_sweeps=7)
    assert pose.sweeps == pose.iterations <= 7
    trace = chain.trace([0.4, 0.3, 0.2], sweeps=7)
    assert trace.points[-1] == pytest.approx(pose.points, abs=1e-15)


def test_a_free_base_moves_with_the_tip(bones):
    chain = fa.Chain(bones.straight(4), [Ball()] + [Cone(0.3)] * 3, free_base=True)
    pose = chain.solve([5.0, 3.0, 1.0])
    assert pose.success
    assert np.linalg.norm(pose.points[0]) > 1.0
    bones.judge(chain, pose)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_scale_does_not_matter(bones, scale):
    for joints in (None, Cone(0.8)):
        one = fa.Chain(bones.straight(6), joints).solve([0.3, 0.5, 0.1])
        other = fa.Chain(bones.straight(6, size=scale), joints).solve(np.array([0.3, 0.5, 0.1]) * scale)
        assert one.success
        assert other.success
        assert other.points / scale == pytest.approx(one.points, abs=1e-9)


# -- verdicts -------------------------------------------------------------------------------------


def test_out_of_reach_is_straight_toward_it_with_the_gap(bones):
    chain = fa.Chain(bones.straight(4))
    pose = chain.solve([0.0, 3.0, 0.0])
    assert pose.status is fa.Status.OUT_OF_REACH
    assert pose.points == pytest.approx(np.c_[np.zeros(5), np.linspace(0, 1, 5), np.zeros(5)])
    assert pose.position_error == pytest.approx(2.0)
    assert "2 m too far" in pose.reason
    assert pose.sweeps == 1
    with pytest.raises(fa.errors.NotSolvedError, match="too far"):
        pose.raise_if_failed()


def test_the_hole_of_a_long_link_is_named_with_the_gap(bones):
    chain = fa.Chain([[0, 0], [3, 0], [3.5, 0], [4, 0]])
    pose = chain.solve([0.0, 1.5])
    assert pose.status is fa.Status.OUT_OF_REACH
    assert pose.position_error == pytest.approx(0.5)
    assert "0.5 m too near" in pose.reason
    assert chain.solve([0.0, 2.0]).success
    assert not fa.Chain(bones.straight(1)).solve([0.0, 0.0, 0.0]).success


def test_limits_in_the_way_are_named(bones):
    pose = fa.Chain(bones.straight(4), Cone(0.2)).solve([-0.5, 0.1, 0.0])
    assert pose.status is fa.Status.LIMITS
    assert "'0'" in pose.reason
    assert pose.limit_excess <= bones.LIMIT
    fixed = fa.Chain(bones.straight(3), [Cone(0.5), Fixed(), Fixed()])
    assert fixed.solve([0.0, 1.0, 0.0]).status is fa.Status.LIMITS
    assert fixed.solve([0.0, 0.4, 0.0]).status is fa.Status.OUT_OF_REACH  # rigid: only the sphere of its length


def test_an_orientation_that_cannot_be_had_is_told_from_the_point(bones):
    T = np.eye(4)
    T[:3, :3] = bones.about((0, 0, 1), math.pi)
    T[0, 3] = 0.99
    assert fa.Chain(bones.straight(4)).solve(T).status is fa.Status.ORIENTATION


def test_hinges_that_leave_no_way_are_limits_too(bones):
    pose = fa.Chain(bones.straight(3), Hinge((1, 0, 0.2), (-3.0, 3.0))).solve([0.9, 0.1, 0.1])
    assert pose.status is fa.Status.LIMITS
    assert "no joint is at a limit" in pose.reason


def test_plain_fabrik_that_stalls_is_told_from_limits(bones):
    chain = fa.Chain(bones.straight(4), Cone(0.9))
    pose = chain.solve([0.7, 0.0, 0.0], refine=False, max_sweeps=3)
    assert pose.status is fa.Status.NOT_CONVERGED
    assert "refine=True meets it" in pose.reason
    assert chain.solve([0.7, 0.0, 0.0]).success


def test_unexplained_misses_say_so(bones):
    pose = fa.Chain(bones.straight(4), Cone(0.2)).solve([-0.5, 0.1, 0.0], explain=False)
    assert pose.status is fa.Status.NOT_CONVERGED
    assert "explain=False" in pose.reason
    far = fa.Chain(bones.straight(4)).solve([0.0, 2.0, 0.0], explain=False)
    assert far.status is fa.Status.OUT_OF_REACH


def test_a_direction_that_is_missed_is_not_called_an_orientation():
    chain = fa.Chain([[0, 0, 0], [0.3, 0, 0], [0.6, 0, 0], [0.8, 0, 0]], Cone(0.3))
    P = [0.78, 0.1, 0.0]
    assert "not with the axis along the direction" in chain.solve(fa.PointAxis(P, [-1, 0, 0])).reason
    assert "not with the orientation" in chain.solve(fa.Pose(P, rpy=[0, math.pi, 0])).reason
