"""Capsules that hold points, and how far they stand out: against formulas written here in numpy."""

import numpy as np
import pytest

from forearm.arm.surfaces import box_triangles, look_at, off_from, spread_ways
from forearm.core.maths.capsules import FATTER, refine, slim_capsules, spread_round, stand_out

RNG_SEED = 24


def off_axis(points, capsule):
    """(N,) how far points are from the axis of a capsule."""
    way = capsule[3:6] - capsule[:3]
    share = np.clip((points - capsule[:3]) @ way / max(way @ way, 1e-300), 0.0, 1.0)
    return np.linalg.norm(points - capsule[:3] - share[:, None] * way, axis=1)


@pytest.fixture(scope="module")
def solid():
    return look_at(box_triangles((0.2, 0.1, 0.06)), np.zeros(3))


def slim(points, axes):
    capsules = np.empty((len(FATTER) * len(axes), 7))
    slim_capsules(points, axes, np.empty(2 * len(points)), capsules)
    return capsules


def over(solid, capsules, count=40):
    found = np.empty(len(capsules))
    stand_out(solid.away, solid.place, spread_ways(count), capsules, found)
    return found


def test_capsules_along_axes_hold_all_points_and_touch_one():
    points = np.random.default_rng(RNG_SEED).normal(size=(50, 3)) * [0.3, 0.1, 0.05]
    for capsule in slim(points, np.eye(3)):
        assert np.isclose(off_axis(points, capsule).max(), capsule[6], rtol=1e-12)


def test_a_fatter_capsule_is_no_longer_than_a_slimmer_one_and_points_on_a_ball_make_a_ball():
    points = np.random.default_rng(RNG_SEED).normal(size=(50, 3)) * [0.3, 0.1, 0.05]
    slimmest, fatter, fattest = (np.linalg.norm(each[3:6] - each[:3]) for each in slim(points, np.eye(3)[:1]))
    assert slimmest >= fatter >= fattest
    ball = slim(np.concatenate([np.eye(3), -np.eye(3)]), np.eye(3)[2:])
    assert np.linalg.norm(ball[-1, 3:6] - ball[-1, :3]) < 1e-12


def test_places_all_about_a_capsule_lie_on_its_surface():
    ways = spread_ways(100)
    dots = np.empty((2 * len(ways), 3))
    for capsule in np.array([[0.1, 0.2, 0.3, 0.4, 0.1, 0.5, 0.07], [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.07]]):
        spread_round(capsule, ways, dots)
        np.testing.assert_allclose(off_axis(dots, capsule), capsule[6], rtol=1e-12)


def between_places(solid, point):
    """How far a point is by the eight places about it, each by the share of the room opposite to it."""
    at = (point - solid.corner) / solid.step
    low = np.floor(at).astype(int)
    share = at - low
    return sum(
        solid.away[tuple(low + place)] * np.prod(np.where(place, share, 1.0 - share)) for place in np.ndindex(2, 2, 2)
    )


def test_how_far_a_point_is_lies_between_the_places_of_the_grid_about_it(solid):
    rng = np.random.default_rng(RNG_SEED)
    points = solid.corner + solid.step * rng.uniform(0.0, np.array(solid.away.shape) - 1.01, (300, 3))
    np.testing.assert_allclose(off_from(solid, points), [between_places(solid, p) for p in points], atol=1e-12)


def test_a_capsule_stands_out_as_far_as_the_farthest_place_on_it(solid):
    capsule, ways = np.array([-0.08, 0.01, 0.0, 0.09, 0.0, 0.01, 0.06]), spread_ways(40)
    dots = np.empty((2 * len(ways), 3))
    spread_round(capsule, ways, dots)
    assert over(solid, capsule[None])[0] == off_from(solid, dots).max()


def test_beyond_the_grid_what_a_point_is_beyond_it_is_added(solid):
    corner = solid.corner + solid.step * (np.array(solid.away.shape) - 1.0)
    inside, outside = off_from(solid, np.stack([corner, corner + np.array([0.3, 0.0, 0.4])]))
    assert np.isclose(outside, inside + 0.5, atol=1e-6)


def test_standing_out_on_the_side_that_counts_more_counts_twice():
    down = np.array([0.0, 0.0, -1.0])
    plain, sided = (look_at(box_triangles((0.2, 0.1, 0.06)), way) for way in (np.zeros(3), down))
    ball = np.array([[0.0, 0.0, -0.05, 0.0, 0.0, -0.05, 0.04]])  # 0.06 below the box
    assert np.isclose(over(sided, ball)[0] - over(plain, ball)[0], 0.06, atol=1e-9)


def test_a_search_for_a_better_capsule_only_betters_it_and_it_still_holds_all(solid):
    points = solid.points[::7].copy()
    capsule = slim(points, np.eye(3)[:1])[0]
    before = over(solid, capsule[None])[0]
    moves = np.random.default_rng(RNG_SEED).normal(size=(6, 8, 6))
    after = refine(solid.away, solid.place, spread_ways(40), points, moves, capsule, before, np.empty(14))
    assert after <= before
    assert np.isclose(after, over(solid, capsule[None])[0], atol=0.0)
    assert off_axis(points, capsule).max() <= capsule[6] * (1.0 + 1e-12)
