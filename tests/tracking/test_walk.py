"""Walks along a path, in chunks that leave no interrupt unheard."""

import numpy as np
import pytest

import forearm as fa
from forearm.tracking import walk


def arc(count):
    """Poses above a table, the tool down, along an arc."""
    turn = np.linspace(0.0, 0.2, count)
    poses = np.tile(np.diag([1.0, -1.0, -1.0, 1.0]), (count, 1, 1))
    poses[:, :3, 3] = np.stack([0.45 * np.cos(turn), 0.45 * np.sin(turn), 0.45 + 0.0 * turn], axis=1)
    return poses


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["panda", "ur5"])
@pytest.mark.parametrize(
    "how", [{}, {"max_joint_step": 0.02}, {"obstacles": [fa.Box([0.0, 0.6, 0.3], [0.2, 0.2, 0.2])]}]
)
def test_where_a_path_is_cut_changes_no_bit(name, how, monkeypatch):
    arm, path = fa.load(name), arc(12)
    whole = arm.track(path, **how)
    for size in (1, 5):
        monkeypatch.setattr(walk, "FIRST_CHUNK", size)
        monkeypatch.setattr(walk, "CHUNK", size)
        part = arm.track(path, **how)
        np.testing.assert_array_equal(part.q, whole.q)
        np.testing.assert_array_equal(part.places, whole.places)
        assert part.reason == whole.reason
