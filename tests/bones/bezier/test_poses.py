"""Bezier poses of free chains, judged by the geometry of what comes back."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa

SIX = [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5]]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0.1, 2.0), min_size=1, max_size=8), st.sampled_from([2, 3]), st.integers(0, 2**31), st.booleans()
)
def test_reachable_targets_are_met_with_exact_links(bez, lengths, dim, seed, as_array):
    rng = np.random.default_rng(seed)
    base, directions = rng.normal(size=dim), rng.normal(size=(len(lengths), dim))
    chain = fa.Chain(base + bez.straight(len(lengths), dim, lengths))
    target = base + (np.array(lengths)[:, None] * directions / np.linalg.norm(directions, axis=1)[:, None]).sum(axis=0)
    solution = chain.solve(target if as_array else target.tolist(), method="bezier")
    bez.check(chain, solution, target)
    assert solution.method == "bezier"


def test_the_quick_road_gives_the_bits_of_the_ordinary_one(bez):
    for dim in (2, 3):
        chain = fa.Chain(bez.straight(7, dim))
        target = np.array([1.0, 2.0, -0.5][:dim])
        quick, ordinary = (chain.solve(t, method="bezier") for t in (target, target.tolist()))
        np.testing.assert_array_equal(quick.points3, ordinary.points3)
        assert (quick.how, quick.iterations) == (ordinary.how, ordinary.iterations)
        assert quick.how == "curve"
        np.testing.assert_array_equal(quick.frame, ordinary.frame)


def test_planar_poses_have_no_z_and_stay_in_the_plane_among_obstacles():
    chain = fa.Chain(SIX)
    walls = [fa.Sphere([1.0, 0.9], 0.7), fa.Box([-0.8, 1.4], [0.6, 0.4], 0.4), fa.Capsule([0.5, 3], [2.0, 3.4], 0.2)]
    for method in ("bezier", "fabrik"):
        solution = chain.solve([2.0, 2.0], method=method, obstacles=walls, clearance=0.02)
        assert solution.success
        assert (solution.points3[:, 2] == 0.0).all()


@pytest.mark.parametrize("target", [(4, 3), (3, 4)])
def test_targets_at_full_reach_are_reached(target):
    solution = fa.Chain(SIX).solve(target, method="bezier")
    assert solution.success
    assert solution.how == "straight"


def test_a_target_too_far_or_too_near_is_told_with_the_gap():
    chain = fa.Chain([[0, 0], [0, 3], [0, 4]])
    far, near = chain.solve([0, 6], method="bezier"), chain.solve([0.5, 0], method="bezier")
    assert (far.status, near.status) == (fa.Status.OUT_OF_REACH,) * 2
    assert "2 m too far" in far.reason
    assert "1.5 m too near" in near.reason
    np.testing.assert_allclose(far.points[-1], [0.0, 4.0], atol=1e-12)
    np.testing.assert_allclose(near.points[-1], [2.0, 0.0], atol=1e-12)
    assert near.how == "folded"


def test_one_link_meets_its_sphere_only():
    chain = fa.Chain([[0, 0, 0], [0, 0, 2]])
    assert chain.solve([0, 2, 0], method="bezier").success
    assert chain.solve([0, 1, 0], method="bezier").status is fa.Status.OUT_OF_REACH


def test_the_target_on_the_base_closes_the_chain(bez):
    solution = fa.Chain(SIX).solve([0, 0], method="bezier")
    bez.check(fa.Chain(SIX), solution, [0.0, 0.0])


@settings(max_examples=30, deadline=None)
@given(st.floats(-3.0, 3.0), st.floats(0.1, 3.0))
def test_the_bend_lies_on_the_poles_side(bez, angle, distance):
    pole = distance * np.array([0.0, math.cos(angle), math.sin(angle)])
    solution = fa.Chain(bez.straight(5, 3)).solve([3.0, 0.0, 0.0], method="bezier", pole=pole)
    elbow = solution.points[1:-1].sum(axis=0)
    assert elbow[1:] @ pole[1:] == pytest.approx(np.linalg.norm(elbow[1:]) * distance, rel=1e-9)


def test_in_a_plane_the_pole_chooses_the_side():
    chain = fa.Chain(SIX)
    for y in (2.0, -2.0):
        elbow = chain.solve([3.0, 0.0], method="bezier", pole=[1.0, y]).points[1:-1]
        assert (elbow[:, 1] * y > 0.0).all()
