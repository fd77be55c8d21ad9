"""The benchmark of retargeting, scaled down: what it demands of a humanoid with real meshes."""

import numpy as np
import pytest

import forearm as fa
import motions
import retarget


@pytest.mark.compiled
def test_a_step_on_g1_keeps_what_the_benchmark_demands():
    urdf, _ = retarget.ROBOTS["g1"]
    tree = fa.Tree.from_urdf(retarget.DATA / urdf, base="free")
    row = retarget.measure(tree, retarget.Judge(retarget.DATA / urdf, None), motions.walk(1.2, 30.0))
    assert row["frames"] == 37
    assert row["slide"] < 2e-3
    assert row["outside"] == 0
    assert row["speed"] <= 1.0 + 1e-6
    assert row["acceleration"] <= 1.0 + 1e-6
    assert row["jumps"] == 0
    assert row["touching"] == []


def test_a_foot_that_creeps_is_seen():
    points = np.array([[0.0, 0.0, 0.0], [0.001, 0.0, 0.0], [0.003, 0.0, 0.0], [1.0, 0.0, 0.0]])
    assert retarget.slides(points, [True, True, True, False]) == pytest.approx(0.003)
    assert retarget.slides(points, [True, False, False, True]) == 0.0
