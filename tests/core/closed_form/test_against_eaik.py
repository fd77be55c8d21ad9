"""Branch sets against those of EAIK, an independent library (values kept in eaik_branches.json)."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import forearm as fa

GOLDEN = json.loads((Path(__file__).parent / "eaik_branches.json").read_text())


@pytest.mark.parametrize("name", ["ur5", "ur10e", "puma560", "irb140"])
def test_the_branches_are_those_of_eaik(name):
    arm = fa.load(name)
    free = arm.with_limits(np.array([[-math.pi] * 6, [math.pi] * 6]))
    for row in GOLDEN[name]:
        ours, theirs = free.solve_all(free.fk(row["q"])).q, np.array(row["branches"])
        assert len(ours) == len(theirs)
        apart = np.abs(np.remainder(ours[:, None] - theirs + math.pi, math.tau) - math.pi).max(axis=2)
        assert apart.min(axis=0).max() < 1e-6  # each of theirs is one of ours
        assert apart.min(axis=1).max() < 1e-6  # and each of ours one of theirs


def test_the_ur5e_has_the_branches_of_ur_analytic_ik():
    peer = pytest.importorskip("ur_analytic_ik", reason="pip install ur-analytic-ik").ur5e
    arm = fa.load("ur5e").with_limits(np.array([[-math.pi] * 6, [math.pi] * 6]))
    for q in arm.sample(40, rng_seed=12):
        pose = np.array(peer.forward_kinematics(*q))
        if np.abs(pose - arm.fk(q)).max() > 1e-6:
            pytest.skip("this version counts its frames another way")
        theirs = np.array(peer.inverse_kinematics(pose)).reshape(-1, 6)
        ours = arm.solve_all(arm.fk(q)).q
        apart = np.abs(np.remainder(ours[:, None] - theirs + math.pi, math.tau) - math.pi).max(axis=2)
        assert len(ours) == len(theirs)
        assert apart.min(axis=0).max() < 1e-5
