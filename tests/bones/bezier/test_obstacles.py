"""Chains among obstacles: free poses, clearances and verdicts, by independent distances."""

import math

import numpy as np
import pytest
import shapely

import forearm as fa

SIX = [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5]]


@pytest.mark.compiled
@pytest.mark.parametrize(("dim", "n", "count"), [(2, 6, 2), (2, 6, 4), (2, 6, 8), (2, 12, 8), (3, 6, 8), (3, 6, 32)])
def test_random_scenes_are_solved_as_often_as_by_any_method(bez, dim, n, count):
    rng = np.random.default_rng(100 * dim + count)
    chain = fa.Chain(bez.straight(n, dim, np.full(n, 6.0 / n)))
    ours, any_method = 0, 0
    for _ in range(60):
        target, obstacles = bez.scene(rng, dim, count)
        bezier = chain.solve(target, method="bezier", obstacles=obstacles, clearance=0.05)
        other = chain.solve(target, method="fabrik", obstacles=obstacles, clearance=0.05)
        for solution in (bezier, other):
            points = solution.points
            np.testing.assert_allclose(np.linalg.norm(np.diff(points, axis=0), axis=1), chain.lengths, atol=6e-12)
            measured = (
                bez.clearance_by_shapely(points, obstacles)
                if dim == 2
                else bez.clearance_by_sampling(points, obstacles)
            )
            if solution.success:
                assert measured >= 0.05 - 1e-9
                assert math.dist(points[-1], target) <= 6e-6
            assert solution.clearance <= measured + 1e-9
        ours += bezier.success
        any_method += bezier.success or other.success
    assert any_method >= 40
    assert ours >= 0.99 * any_method


@pytest.mark.parametrize("method", ["bezier", "fabrik"])
def test_the_clearance_is_that_of_the_returned_pose(bez, method):
    walls = [fa.Box([1.0, 1.0], [0.7, 0.7], 0.4), fa.Sphere([-1.5, 1.0], 0.3)]
    solution = fa.Chain(SIX).solve([2.0, 2.5], method=method, obstacles=walls, clearance=0.1, thickness=0.05)
    assert solution.success
    measured = bez.clearance_by_shapely(solution.points, walls, 0.05)
    assert solution.clearance == pytest.approx(measured, abs=1e-12)
    assert measured >= 0.1
    link = shapely.LineString(solution.points[solution.link : solution.link + 2])
    shape, radius = bez.as_shape(walls[solution.obstacle])
    assert link.distance(shape) - radius - 0.05 == pytest.approx(measured, abs=1e-12)


@pytest.mark.parametrize("method", ["bezier", "fabrik"])
def test_base_and_target_in_an_obstacle_are_told_apart(method):
    chain = fa.Chain(SIX)
    base = chain.solve([2, 2], method=method, obstacles=[fa.Sphere([0, 0.1], 0.5)])
    target = chain.solve([2, 2], method=method, obstacles=[fa.Sphere([5, 5], 0.5), fa.Box([2, 2], [1, 1])])
    close = chain.solve([2, 2], method=method, obstacles=[fa.Sphere([2, 3], 0.9)], clearance=0.2)
    assert {base.status, target.status, close.status} == {fa.Status.COLLISION}
    assert "the base is inside obstacle 0 (circle)" in base.reason
    assert "the target is inside obstacle 1 (rectangle)" in target.reason
    assert "the target is 0.1 m from obstacle 0 (circle)" in close.reason
    assert (target.obstacle, target.link) == (1, 4)


def test_walls_all_round_are_a_collision_with_the_best_pose(bez):
    walls = [fa.Capsule([-9, y], [9, y], 0.2) for y in (1.0, 3.0)]
    solution = fa.Chain(SIX).solve([2, 2], method="bezier", obstacles=walls, clearance=0.1)
    assert solution.status is fa.Status.COLLISION
    assert "not a proof" in solution.reason
    assert solution.clearance == pytest.approx(bez.clearance_by_shapely(solution.points, walls), abs=0.21)
    assert math.dist(solution.points[-1], (2.0, 2.0)) < 1e-12
    assert solution.to_dict()["obstacle"] in (0, 1)


def test_a_straight_pose_that_touches_has_no_second_one():
    solution = fa.Chain(SIX).solve([5, 0], method="bezier", obstacles=[fa.Sphere([2.5, 0.0], 0.4)])
    assert solution.status is fa.Status.COLLISION


def test_one_obstacle_needs_no_list_and_none_leaves_no_clearance():
    chain = fa.Chain(SIX)
    assert chain.solve([2, 2], method="bezier", obstacles=fa.Sphere([9, 9], 1.0)).clearance > 1.0
    plain = chain.solve([2, 2], method="bezier", obstacles=[])
    assert (plain.clearance, plain.obstacle, plain.link) == (None, None, None)


def test_the_same_call_gives_the_same_bits():
    walls = [fa.Sphere([1.0, 0.9], 0.7), fa.Sphere([0.3, 2.5], 0.4)]
    for method in ("bezier", "fabrik"):
        one, two = (fa.Chain(SIX).solve([2, 2], method=method, obstacles=walls).points for _ in range(2))
        np.testing.assert_array_equal(one, two)


def test_an_empty_list_of_obstacles_leaves_fabrik_as_it_is():
    chain = fa.Chain([[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 3]])
    target = fa.PointAxis([1.0, 0.5, 1.0], [1.0, 0.0, 0.0], tool_axis=(1, 0, 0))
    np.testing.assert_array_equal(chain.solve(target, obstacles=[]).points, chain.solve(target).points)
    with pytest.raises(fa.errors.UnsupportedError, match="takes a point"):
        chain.solve(target, method="bezier", obstacles=[fa.Sphere([5, 5, 5], 1.0)])
