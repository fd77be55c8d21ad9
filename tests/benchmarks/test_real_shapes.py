"""The judges of `benchmarks/real_shapes.py` see an arm's own shapes where forearm's capsules hold them."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
URDF = """<robot name="arm"><link name="base"/>
<link name="one"><collision><origin xyz="0.1 0 0.2"/><geometry><box size="0.2 0.05 0.4"/></geometry></collision></link>
<link name="two"><collision><origin xyz="0 0 0.15"/><geometry><cylinder radius="0.05" length="0.3"/></geometry>
</collision></link>
<link name="tip"><collision><geometry><sphere radius="0.06"/></geometry></collision></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="one"/>
  <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="j2" type="revolute"><parent link="one"/><child link="two"/><origin xyz="0 0 0.4"/>
  <axis xyz="0 1 0"/><limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>
<joint name="j3" type="revolute"><parent link="two"/><child link="tip"/><origin xyz="0 0 0.4"/>
  <axis xyz="1 0 0"/><limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint></robot>"""


@pytest.fixture
def bench():
    for name in ("coal", "pinocchio"):
        pytest.importorskip(name)
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module("real_shapes")
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.mark.compiled
def test_no_shape_is_farther_than_the_judge_says_and_what_is_sure_is_no_nearer(bench, tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(URDF)
    robot = fa.Robot.from_urdf(file)
    judge = bench.UrdfJudge(file, robot)
    judge.own = []  # obstacles alone
    geometry = robot.geometry
    assert {geometry.names[k] for k in np.flatnonzero(geometry.bodies[:, 8])} == {"one", "two", "tip"}
    for seed in range(40):
        q, obstacles = bench.draw(robot, seed)
        for obstacle in obstacles[:3]:
            found = robot.clearance(q, [obstacle], self_collision=False).distance
            true = judge.distance(q, [bench.as_coal(obstacle)])
            assert found <= max(true, 0.0) + 1e-6
            assert true - found < max(geometry.excess.values()) + 0.1


def test_the_judge_knows_itself_which_links_share_a_joint(bench):
    """A plate is fixed to the first link; the third hangs behind a link without a shape."""
    parents = {"plate": ("f", "one"), "two": ("j2", "one"), "bare": ("j3", "two"), "three": ("g", "bare")}
    joined = importlib.import_module("shape_judges").share_a_joint
    solid = {"one", "plate", "two", "three"}
    told = {
        (a, b): joined(parents, {"j2", "j3"}, solid, a, b)
        for a, b in [("one", "plate"), ("one", "two"), ("two", "three"), ("plate", "two"), ("one", "three")]
    }
    assert list(told.values()) == [True, True, True, False, False], told


def touching_though_free(bench, name, count):
    """How many of so many random postures forearm calls free, and how many of these touch by the judge."""
    file, base, tip = bench.URDFS[name]
    if not file.is_file():
        pytest.skip("needs example-robot-data")
    robot = fa.Robot.from_urdf(file, base=base, tip=tip)
    judge = bench.UrdfJudge(file, robot)
    Q = robot.sample(count, rng_seed=18)
    free = Q[robot.clearance(Q).distance > 0.0]
    return len(free), sum(judge.distance(q, []) <= 0.0 for q in free)


@pytest.mark.compiled
def test_no_posture_of_a_ur10_that_is_told_free_touches_itself(bench):
    free, touching = touching_though_free(bench, "ur10", 100)
    assert free > 50
    assert touching == 0


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ur5", "panda", "talos-arm"])
def test_no_posture_that_is_told_free_touches_itself(bench, name):
    free, touching = touching_though_free(bench, name, 300)
    assert free > 100
    assert touching == 0
