"""Chains with joint limits, alone and among obstacles."""

import math

import numpy as np
import pytest

import forearm as fa
from forearm.joints import Ball, Cone, Hinge

SIX = [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5]]


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["even", "one-sided", "mixed"])
@pytest.mark.parametrize("n", [3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 30])
def test_feasible_targets_of_planar_chains_with_limits_are_all_met(bez, n, kind):
    rng = np.random.default_rng(n)
    chain = bez.limited(n, kind, rng)
    ranges = np.array([joint.range for joint in chain.joints]).T
    for _ in range(60):
        q = rng.uniform(*ranges)
        heading = math.pi / 2 + np.cumsum(q)
        target = (chain.lengths[:, None] * np.column_stack([np.cos(heading), np.sin(heading)])).sum(axis=0)
        solution = chain.solve(target, method="bezier")
        bez.check(chain, solution, target)
        angles = bez.angles_of(solution.points, chain.points)
        assert (angles >= ranges[0] - 1e-9).all()
        assert (angles <= ranges[1] + 1e-9).all()
        assert solution.limit_excess == 0.0


@pytest.mark.compiled
@pytest.mark.parametrize("joints", ["cones", "hinges", "ellipses"])
@pytest.mark.parametrize("count", [0, 4])
def test_chains_in_space_with_limits_are_posed_with_and_without_obstacles(bez, joints, count):
    rng = np.random.default_rng(5)
    n = 6
    kinds = {
        "cones": [Cone(0.7)] * n,
        "hinges": [Hinge(axis=[(1, 0, 0), (0, 1, 0)][i % 2], range=(-1.0, 1.0)) for i in range(n)],
        "ellipses": [Cone((0.9, 0.4), toward=(1, 0, 0), twist=(-0.3, 0.3))] * n,
    }
    chain = fa.Chain(bez.straight(n, 3), joints=kinds[joints])
    solved = 0
    for _ in range(25):
        q = np.zeros((n, 3))
        q[:, : 1 if joints == "hinges" else 2] = rng.uniform(-0.28, 0.28, (n, 1 if joints == "hinges" else 2))
        pose = chain.bones.pose_of(q, np.zeros(3))[1]
        obstacles = []
        while len(obstacles) < count:
            item = fa.Sphere(pose[rng.integers(n + 1)] + rng.normal(size=3), rng.uniform(0.2, 0.6))
            if bez.clearance_by_sampling(pose, [item]) > 0.1:
                obstacles.append(item)
        solution = chain.solve(pose[-1], method="bezier", obstacles=obstacles, clearance=0.05)
        rebuilt = chain.bones.pose_of(solution.joint_values, np.zeros(3))[1]
        np.testing.assert_allclose(rebuilt, solution.points, atol=1e-9)
        if solution.success:
            solved += 1
            assert solution.limit_excess <= 1e-9
            assert math.dist(rebuilt[-1], pose[-1]) <= 1e-6 * n
            assert not obstacles or bez.clearance_by_sampling(rebuilt, obstacles) >= 0.05 - 1e-9
    assert solved == 25


@pytest.mark.compiled
def test_planar_limits_and_obstacles_together(bez):
    rng = np.random.default_rng(3)
    chain = bez.limited(8, "even", rng)
    ranges = np.array([joint.range for joint in chain.joints]).T
    for _ in range(25):
        q = rng.uniform(*ranges)
        q[0] *= 0.3
        heading = math.pi / 2 + np.cumsum(q)
        pose = np.vstack([np.zeros(2), np.cumsum(np.column_stack([np.cos(heading), np.sin(heading)]), axis=0)])
        obstacles = []
        while len(obstacles) < 4:
            item = fa.Box(pose[rng.integers(9)] + 1.5 * rng.normal(size=2), rng.uniform(0.3, 1.0, 2), rng.uniform(0, 3))
            if bez.clearance_by_shapely(pose, [item]) > 0.1:
                obstacles.append(item)
        solution = chain.solve(pose[-1], method="bezier", obstacles=obstacles, clearance=0.05)
        assert solution.success
        assert bez.clearance_by_shapely(solution.points, obstacles) >= 0.05 - 1e-12
        angles = bez.angles_of(solution.points, chain.points)
        assert (angles >= ranges[0] - 1e-9).all()
        assert (angles <= ranges[1] + 1e-9).all()


def test_limits_that_block_are_named():
    chain = fa.Chain(SIX, joints=Hinge(range=(-0.3, 0.3)))
    solution = chain.solve([0, -2], method="bezier")
    assert solution.status is fa.Status.LIMITS
    assert "with these joints at their limits" in solution.reason
    assert solution.limit_excess == 0.0


def test_a_chain_with_limits_goes_on_from_its_start(bez):
    chain = fa.Chain(SIX, joints=Hinge(range=(-1.0, 1.0)))
    one = chain.solve([2.0, 3.0], method="bezier")
    two = chain.solve([2.02, 3.0], method="bezier", start=one)
    assert two.success
    assert bez.turns(one.points, two.points).max() < 0.1


def test_fixed_joints_keep_their_angle(bez):
    chain = fa.Chain([[0, 0], [0, 1], [1, 1], [1, 2], [1, 3]], joints=[Ball(), fa.joints.Fixed(), Ball(), Ball()])
    solution = chain.solve([1.5, 1.5], method="bezier")
    assert solution.success
    assert bez.angles_of(solution.points, chain.points)[1] == pytest.approx(0.0, abs=1e-9)
