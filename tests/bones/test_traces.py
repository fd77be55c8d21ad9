"""The trace of the published Bezier search: where it ends, links on the curve."""

import numpy as np
import pytest

import forearm as fa
from forearm.bones.traces import GRID, HEIGHTS
from forearm.errors import OptionError, TargetError

CHAIN = fa.Chain([[0.0, 0.0, 0.1 * k] for k in range(9)])
FLAT = fa.Chain([[0.0, 0.1 * k] for k in range(9)])


@pytest.mark.parametrize("target", [[0.3, 0.4], [0.35, 0.1], [0.51, 0.2], [0.0, 0.5]])
def test_it_ends_where_the_published_search_ends(target):
    trace = FLAT.trace(target, method="bezier")
    solved = FLAT.solve(target, method="bezier", mode="paper", grid=GRID, steps=HEIGHTS)
    assert len(trace) == solved.tries + 1
    assert trace.distance[-1] == pytest.approx(solved.residual, abs=1e-15)
    np.testing.assert_allclose(trace.control[-1], [0.0, solved.height], atol=1e-15)
    np.testing.assert_allclose(trace.points[-1, 1], solved.points[1], atol=1e-3)  # on the grid, and laid out exactly


@pytest.mark.parametrize("target", [[0.3, 0.0, 0.4], [0.2, 0.3, 0.1], [-0.5, 0.1, 0.2]])
def test_in_space_it_is_the_planar_search_in_the_plane_of_base_tip_and_target(target):
    space = CHAIN.trace(target, method="bezier")
    flat = FLAT.trace([np.hypot(*target[:2]), target[2]], method="bezier")
    np.testing.assert_allclose(space.gaps, flat.gaps, atol=1e-12)
    np.testing.assert_allclose(space.points[:, :, 2], flat.points[:, :, 1], atol=1e-12)
    np.testing.assert_allclose(np.hypot(*space.points[:, :, :2].T).T, np.abs(flat.points[:, :, 0]), atol=1e-12)


def test_joints_lie_on_the_curve_and_the_last_on_the_target():
    target = np.array([0.3, 0.1, 0.3])
    trace = CHAIN.trace(target, method="bezier")
    np.testing.assert_allclose(trace.points[1:, -1], np.tile(target, (len(trace) - 1, 1)), atol=1e-12)
    t = np.linspace(0.0, 1.0, 20001)[:, None]
    for P1, points in zip(trace.control[1:], trace.points[1:], strict=True):
        curve = 2 * t * (1 - t) * P1 + t * t * target
        for point in points:
            assert np.linalg.norm(curve - point, axis=1).min() < 1e-4
    lengths = np.linalg.norm(np.diff(trace.points[-1], axis=0), axis=1)
    np.testing.assert_allclose(lengths[:-1], 0.1, atol=1e-3)  # the grid's step
    assert abs(lengths[-1] - 0.1) == pytest.approx(trace.distance[-1], abs=1e-12)


def test_a_target_beyond_the_chain_is_refused():
    with pytest.raises(TargetError, match="bring it nearer"):
        CHAIN.trace([0.9, 0.0, 0.0], method="bezier")


def test_what_has_no_trace_is_refused():
    with pytest.raises(OptionError, match="these have: fabrik, bezier"):
        CHAIN.trace([0.3, 0.0, 0.3], method="ccd")
    with pytest.raises(TargetError, match="give a point"):
        CHAIN.trace(fa.Pose(np.eye(4)), method="bezier")
