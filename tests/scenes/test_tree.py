"""Trees of obstacles: the same answers as one by one, and all that is in a node is in its ball."""

import numpy as np
import pytest

import forearm as fa
from forearm.core.collision.obstacle_rows import BOUND, CAPSULE, EXTENT, FIRST, KIND, NODE, SPAN
from forearm.scenes import ConvexHull, Cylinder, HalfSpace, PointCloud, Scene
from forearm.scenes.tree import FEW, Laid


def mixed(rng, count):
    """Obstacles of all kinds, some of several rows."""
    found = [HalfSpace([0, 0, -0.3])]
    for i, p in enumerate(rng.uniform(-0.8, 0.8, (count, 3))):
        kinds = (
            lambda p: fa.Sphere(p, 0.02),
            lambda p: fa.Capsule(p, p + 0.05, 0.01),
            lambda p: fa.Box(p, [0.03, 0.02, 0.04]),
            lambda p: Cylinder(p, p + np.array([0.0, 0.0, 0.05]), 0.01),
            lambda p: ConvexHull(p + 0.02 * rng.normal(size=(6, 3))),
            lambda p: PointCloud(p + 0.1 * rng.normal(size=(4, 3)), 0.01),
        )
        found.append(kinds[i % len(kinds)](p))
    return found


def one_by_one(obstacles):
    """The scene without a tree."""
    scene = Scene(obstacles)
    scene.__dict__["laid"] = Laid(scene.rows, scene.owners)
    return scene


def test_few_obstacles_have_no_tree():
    scene = Scene([fa.Sphere([0, 0, 1], 0.1)] * FEW)
    assert scene.laid.rows is scene.rows


def test_every_row_of_a_node_is_in_its_ball():
    laid = Scene(mixed(np.random.default_rng(0), 200)).laid.rows
    nodes, k = [], 0
    while k < len(laid):
        extent = int(laid[k, EXTENT]) if laid[k, KIND] >= 6 else 1
        nodes = [node for node in nodes if k < node + laid[node, EXTENT]]
        middle = laid[k, FIRST : FIRST + 3] + (0.5 if laid[k, KIND] == CAPSULE else 0.0) * laid[k, SPAN : SPAN + 3]
        for node in nodes:
            reach = np.linalg.norm(middle - laid[node, FIRST : FIRST + 3]) + laid[k, BOUND]
            assert reach <= laid[node, BOUND] * (1 + 1e-9) or laid[k, KIND] == NODE
        if laid[k, KIND] == NODE:
            nodes.append(k)
            extent = 1
        k += extent
    assert len(laid) - len(Scene(mixed(np.random.default_rng(0), 200)).rows) > 30


@pytest.mark.compiled
@pytest.mark.parametrize("count", [40, 150])
def test_answers_and_names_are_those_without_a_tree(count):
    arm, obstacles = fa.load("ur5").with_geometry(radius=0.04), mixed(np.random.default_rng(1), 3 * count)
    tree, flat = Scene(obstacles), one_by_one(obstacles)
    Q = arm.sample(6, rng_seed=0)
    seen, known = arm.clearance(Q, tree), arm.clearance(Q, flat)
    assert np.array_equal(seen.distance, known.distance)
    assert [seen[i] for i in range(len(Q))] == [known[i] for i in range(len(Q))]
    for q in Q[:2]:
        one = arm.solve(arm.fk(q), obstacles=tree, clearance=0.0, explain=False, max_tries=4)
        other = arm.solve(arm.fk(q), obstacles=flat, clearance=0.0, explain=False, max_tries=4)
        assert one.status is other.status
    assert arm.is_free_between(Q[0], Q[1], tree) is arm.is_free_between(Q[0], Q[1], flat)
