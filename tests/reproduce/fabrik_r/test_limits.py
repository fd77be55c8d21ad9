"""The older rules for hinges and pivots, by plain geometry."""

import numpy as np

from forearm.reproduce.fabrik_r import limits as fabrik_r_limits


def test_the_older_hinge_rule_ends_in_one_plane_with_its_lengths():
    old, normal, foot, new = fabrik_r_limits.hinge_rule()
    n = normal / np.linalg.norm(normal)
    assert abs((foot - old[0]) @ n) < 1e-12
    assert np.abs((new - old[0]) @ n).max() < 1e-12
    lengths = [np.linalg.norm(np.diff(points, axis=0), axis=1) for points in (old, new)]
    np.testing.assert_allclose(*lengths, atol=1e-12)
