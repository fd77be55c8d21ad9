"""From frame to frame: carried bends, no jumps but those that are named."""

import itertools
import math

import numpy as np
import pytest

import forearm as fa

SIX = [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5]]


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["past the base", "through the base", "across full reach"])
@pytest.mark.parametrize(("n", "dim"), [(3, 2), (5, 2), (12, 2), (5, 3), (20, 3)])
def test_a_dragged_chain_does_not_jump(bez, n, dim, name):
    chain = fa.Chain(bez.straight(n, dim))
    path = bez.paths(chain.reach, dim)[name]
    poses = bez.drag(chain, path)
    for one, two, target in zip(poses, poses[1:], path[1:], strict=False):
        assert not two.jump
        assert bez.turns(one.points, two.points).max() < 0.35
        assert two.success == (np.linalg.norm(target) <= chain.reach * (1 + 1e-12))


@pytest.mark.compiled
@pytest.mark.parametrize("n", [3, 5, 12])
def test_round_an_obstacle_every_jump_is_named(bez, n):
    chain = fa.Chain(bez.straight(n, 2))
    walls = [fa.Sphere([0.35 * n, 0.0], 0.12 * n)]
    path = [[0.6 * n * math.cos(a), 0.6 * n * math.sin(a)] for a in np.linspace(-2.0, 2.0, 1000)]
    poses = bez.drag(chain, path, obstacles=walls, clearance=0.01 * n)
    assert all(pose.success for pose in poses)
    jumps = [pose.jump for pose in poses if pose.jump]
    assert 1 <= len(jumps) <= 3  # the sides of the obstacle must be changed once
    assert all("no pose near the last one" in text for text in jumps)
    for one, two in itertools.pairwise(poses):
        turned = bez.turns(one.points, two.points).max()
        assert two.jump or turned < 0.45
        assert two.turned == pytest.approx(turned, abs=1e-6)


def test_the_bend_is_carried_along_and_survives_a_straight_pose(bez):
    chain = fa.Chain(bez.straight(5, 3))
    first = chain.solve([4.0, 0.0, 0.0], method="bezier", pole=[0.0, 0.6, 0.8])
    out = chain.solve([6.0, 0.0, 0.0], method="bezier", start=first)
    back = chain.solve([4.0, 0.0, 0.0], method="bezier", start=out)
    np.testing.assert_allclose(back.points, first.points, atol=1e-12)


def test_a_pole_with_a_start_is_followed_by_a_bounded_angle(bez):
    chain = fa.Chain(bez.straight(5, 3))
    first = chain.solve([3.0, 0.0, 0.0], method="bezier", pole=[0.0, 1.0, 0.0])
    then = chain.solve([3.0, 0.0, 0.0], method="bezier", pole=[0.0, 0.0, 1.0], start=first, max_swivel=0.2)
    elbow = then.points[2]
    assert math.atan2(elbow[2], elbow[1]) == pytest.approx(0.2, abs=1e-9)


def test_points_as_a_start_give_their_side(bez):
    chain = fa.Chain(bez.straight(4, 2))
    mirrored = chain.solve([2.0, 0.0], method="bezier", pole=[1.0, -1.0])
    then = chain.solve([2.1, 0.0], method="bezier", start=mirrored.points)
    assert (then.points[1:-1, 1] < 0.0).all()
