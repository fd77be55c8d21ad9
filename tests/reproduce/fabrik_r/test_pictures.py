"""FABRIK-R's figures: the sweeps they show, and the roots of Eq. (6)."""

import numpy as np
import pytest

from forearm.reproduce.fabrik_r import pictures as fabrik_r_pictures


@pytest.fixture(scope="module")
def trace():
    return fabrik_r_pictures.five_dof_trace()


def test_the_roots_of_eq_6_hold_the_next_point_and_the_library_takes_the_nearer(trace):
    p5, v5, roots, taken = fabrik_r_pictures.placed_fourth(trace)
    p1, p3 = trace.points[0, 0], trace.points[0, 2]
    for root in roots:
        assert np.linalg.norm(root - p5) == pytest.approx(fabrik_r_pictures.LINK, abs=1e-12)
        assert abs((root - p5) @ v5) < 1e-12  # across the axis of p5
        assert abs(np.cross(root - p5, v5) @ (p1 - p5)) < 1e-12  # its own axis is across the line to p1
    away = np.linalg.norm(roots - p3, axis=1)
    np.testing.assert_allclose(taken, roots[np.argmin(away)], atol=1e-12)


def test_the_5_dof_arm_arrives_after_three_iterations_as_in_fig_14(trace):
    assert trace.stages[-1] == "backward"
    assert (len(trace) - 1) // 2 == 3
    assert trace.distance[-1] < fabrik_r_pictures.ARRIVED < trace.distance[4]
