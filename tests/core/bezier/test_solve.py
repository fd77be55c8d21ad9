"""Curves and arcs in their plane: links exact, ends exact, and the roots the paper's figures need."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forearm.core.bezier.arc import lay_arc
from forearm.core.bezier.close import close_chain
from forearm.core.bezier.frame import ARC, CURVE, FOLDED, STRAIGHT, pose_in_plane, reach_bounds
from forearm.core.bezier.paper import BINARY, LINEAR, exact_height, place_on_grid, search_binary, search_linear
from forearm.core.bezier.room import Draft, Links
from forearm.core.bezier.search import outward

FIVE = np.ones(5)
# target, shift of P1, height of P1 that hits it; recomputed from the paper's text
HEIGHTS = [
    ((4.0, 0.0), 0.0, 2.424201554),
    ((4.0, 1.5), 0.0, 2.390060824),
    ((4.0, 3.0), 0.0, 0.0),
    ((3.0, 0.0), 0.0, 3.614646376),
    ((3.0, 2.0), 0.0, 3.873270374),
    ((3.0, 4.0), 0.0, 0.0),
    ((2.0, 0.0), 0.0, 4.898453968),
    ((2.0, 2.0), 0.0, 5.122839693),
    ((2.0, 4.0), 0.0, 4.182912433),
    ((2.0, 2.0), -0.2, 4.970821384),
]
lengths = st.lists(st.floats(0.05, 3.0), min_size=2, max_size=12).map(np.array)


def pose(length, share):
    """The default pose for a target at a share of the way from nearest to farthest; how, distance, points."""
    total, nearest = reach_bounds(length)
    D = nearest + share * (total - nearest)
    n = len(length)
    xy = np.empty((n + 1, 2))
    how, _ = pose_in_plane(Links(length, total, nearest), D, Draft(np.empty(4), np.empty(n + 1), xy))
    return how, D, xy


def worst(length, xy, D):
    """The largest error of a link or of the tip, as a share of the chain."""
    links = np.abs(np.linalg.norm(np.diff(xy, axis=0), axis=1) - length).max()
    return max(links, math.dist(xy[-1], (D, 0.0)), math.dist(xy[0], (0.0, 0.0))) / length.sum()


@settings(max_examples=100, deadline=None)
@given(lengths, st.floats(0.0, 1.0))
def test_every_reachable_distance_has_a_pose_with_exact_links(length, share):
    how, D, xy = pose(length, share)
    assert how in (STRAIGHT, CURVE, ARC, FOLDED)
    assert worst(length, xy, D) <= 1e-12


@settings(max_examples=100, deadline=None)
@given(lengths, st.floats(0.0, 1.0))
def test_the_arc_alone_reaches_every_distance_and_lies_on_a_circle(length, share):
    total, nearest = reach_bounds(length)
    D = nearest + share * (total - nearest)
    xy = np.empty((len(length) + 1, 2))
    lay_arc(length, D, xy)
    assert worst(length, xy, D) <= 1e-12


def test_the_arc_of_equal_links_to_the_base_is_a_regular_polygon():
    xy = np.empty((7, 2))
    lay_arc(np.ones(6), 0.0, xy)
    radii = np.linalg.norm(xy[:-1] - xy[:-1].mean(axis=0), axis=1)
    np.testing.assert_allclose(radii, 1.0, atol=1e-14)


def test_full_reach_is_straight_and_full_fold_lies_on_the_line():
    how, _, xy = pose(np.array([1.0, 2.0, 0.5]), 1.0)
    assert how == STRAIGHT
    np.testing.assert_array_equal(xy[:, 0], [0.0, 1.0, 3.0, 3.5])
    how, D, xy = pose(np.array([1.0, 4.0, 0.5]), 0.0)
    assert (how, D) == (FOLDED, 2.5)
    np.testing.assert_array_equal(xy, [[0, 0], [-1, 0], [3, 0], [2.5, 0]])


def test_poses_bend_to_the_side_of_y_and_equal_links_mirror():
    _, _, xy = pose(np.ones(6), 0.5)
    assert (xy[1:-1, 1] > 0.0).all()
    np.testing.assert_allclose(xy[:, 1], xy[::-1, 1], atol=1e-12)


def test_tilts_go_outward():
    assert [outward(k) for k in range(5)] == [0.0, 1.0, -1.0, 2.0, -2.0]


@pytest.mark.compiled
@pytest.mark.parametrize("n", [3, 5, 10, 100])
@pytest.mark.parametrize("kind", ["equal", "uniform", "lognormal"])
def test_all_of_many_targets_have_a_pose(n, kind):
    rng = np.random.default_rng(n)
    draw = {"equal": lambda: np.ones(n), "uniform": lambda: rng.uniform(0.5, 1.5, n)}
    errors = []
    for _ in range(min(1000, 10_000 // n)):
        length = draw.get(kind, lambda: rng.lognormal(size=n))()
        _, D, xy = pose(length, rng.random())
        errors.append(worst(length, xy, D))
    assert max(errors) <= 1e-12


# -- the published search ------------------------------------------------------------------------


@pytest.mark.parametrize(("target", "shift", "height"), HEIGHTS)
def test_exact_heights_of_p1(target, shift, height):
    xy = np.empty((6, 2))
    found, y, _ = exact_height(FIVE, 5.0, 5.0, shift, *target, np.empty(6), xy)
    assert found
    assert y == pytest.approx(height, abs=1e-8)
    np.testing.assert_allclose(np.linalg.norm(np.diff(xy, axis=0), axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(xy[-1], target)


def test_the_critical_zone_starts_with_the_printed_residual():
    gap, height, _, tried = search_binary(FIVE, 5.0, 0.0, 2.0, 2.0, 5001, 900, 1e-3, np.empty(0), np.empty((6, 2)))
    assert (height, tried) == (5.0, 1)
    assert gap == pytest.approx(-0.0655, abs=5e-6)


def test_full_reach_on_the_grid_has_the_printed_residual_of_row_3():
    gap, _ = place_on_grid(FIVE, 0.0, 0.0, 4.0, 3.0, 5001, BINARY, np.empty((6, 2)))
    assert f"{gap:.4e}" == "2.4320e-04"


@pytest.mark.parametrize("target", [(4.0, 0.0), (4.0, 1.5)])
def test_linear_and_binary_search_end_near_the_same_height(target):
    xy = np.empty((6, 2))
    binary = search_binary(FIVE, 5.0, 0.0, *target, 1001, 200, 5e-3, np.empty(0), xy)
    linear = search_linear(FIVE, 5.0, 0.0, *target, 1001, 200, 5e-3, np.empty(0), xy)
    assert binary[1] == pytest.approx(linear[1], abs=0.05)
    assert abs(binary[0]) < 0.02
    assert abs(linear[0]) < 0.02
    assert linear[2] > 20 * binary[2]


def test_walking_and_halving_place_the_same_joints():
    one, two = np.empty((6, 2)), np.empty((6, 2))
    place_on_grid(FIVE, 0.0, 3.6, 3.0, 0.0, 2001, BINARY, one)
    place_on_grid(FIVE, 0.0, 3.6, 3.0, 0.0, 2001, LINEAR, two)
    np.testing.assert_array_equal(one, two)


# -- closing -------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(lengths, st.integers(0, 2**31), st.booleans())
def test_closing_keeps_lengths_base_and_plane(length, seed, planar):
    rng = np.random.default_rng(seed)
    n = len(length)
    P, Q = (np.vstack([np.zeros(3), np.cumsum(rng.normal(size=(n, 3)), axis=0)]) for _ in range(2))
    if planar:
        P[:, 2] = Q[:, 2] = 0.0
    target = P[0] + (length[:, None] * np.diff(Q, axis=0) / np.linalg.norm(np.diff(Q, axis=0), axis=1)[:, None]).sum(0)
    closed, _ = close_chain(length, length.sum(), target, P)
    links = np.linalg.norm(np.diff(P, axis=0), axis=1)
    np.testing.assert_allclose(links, length, atol=1e-12 * length.sum())
    np.testing.assert_array_equal(P[0], 0.0)
    if closed:
        np.testing.assert_array_equal(P[-1], target)
    if planar:
        assert (P[:, 2] == 0.0).all()
