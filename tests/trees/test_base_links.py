"""Goals of links that nothing moves: they are measured, and leave the joints of other goals alone."""

import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.goals import CenterOfMass, Goal

sys.path.insert(0, str(Path(__file__).parent))  # for tree_robots.py, which is no test
from tree_robots import Judge, off, two_arms

URDF = two_arms()
TOL = 1e-6


@pytest.fixture(scope="module")
def tree():
    return fa.Tree.from_urdf(URDF)


@pytest.mark.parametrize("base_first", [True, False])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_goal_of_the_base_leaves_the_joints_of_others_alone(tree, base_first, seed):
    judge, q = Judge(URDF), tree.sample(1, rng_seed=seed)[0]
    goals = {"left_hand": tree.fk(q, "left_hand"), "right_hand": tree.fk(q, "right_hand")}
    both = {"base": np.eye(4)} | goals if base_first else goals | {"base": np.eye(4)}
    stack = tree.stack(both)
    many = stack.solve_batch({"left_hand": goals["left_hand"][None]}, threads=1)
    found = stack.solve()
    assert found.success
    assert many.success.all()
    for values in (found.q, many.q[0]):
        for link, T in goals.items():
            assert max(off(judge.pose(dict(zip(tree.joint_names, values, strict=True)), link), T)) <= TOL


def test_a_goal_of_the_base_leaves_the_centre_of_mass_alone(tree):
    judge, q = Judge(URDF), tree.sample(1, rng_seed=4)[0]
    centre = tree.centre_of_mass(q)
    found = tree.solve([CenterOfMass(centre), Goal("base", np.eye(4))])
    assert found.success
    assert np.linalg.norm(judge.centre(found.as_dict()) - centre) <= TOL


def test_a_goal_of_the_base_keeps_the_others_apart(tree):
    goals = {link: tree.fk(np.clip(np.zeros(tree.n), *tree.limits), link) for link in ("left_hand", "right_hand")}
    own = fa.Tree.from_urdf(URDF, joints=[j for j in tree.joint_names if j not in ("lift", "turn")])
    assert len(own.stack(goals).parts) == 2
    assert len(own.stack(goals | {"base": np.eye(4), "torso": own.fk(np.zeros(own.n), "torso")}).parts) == 2


@pytest.mark.parametrize("x", [0.0, 1.0])
def test_a_goal_of_the_base_alone_moves_no_joint(tree, x):
    T = np.eye(4)
    T[0, 3] = x
    stack, q = tree.stack({"base": T}), tree.sample(1, rng_seed=5)[0]
    rest = np.clip(np.zeros(tree.n), *tree.limits)
    assert stack.solve().success == (x == 0.0)
    assert np.array_equal(stack.solve().q, rest)
    assert np.array_equal(stack.solve(q).q, q)
    assert np.array_equal(stack.solve_batch({"base": T[None]}).q[0], rest)
    assert np.array_equal(stack.solve_batch({"base": T[None]}, q).q[0], q)
