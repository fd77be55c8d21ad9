"""The trace of the published Bezier search: the same heights, links on the curve."""

import numpy as np
import pytest

import forearm as fa
from forearm.bezier_trace import GRID, HEIGHTS, STOP, trace_bezier
from forearm.core.bezier_paper import search_binary
from forearm.errors import TargetError

CHAIN = fa.Chain([[0.0, 0.0, 0.1 * k] for k in range(9)])


@pytest.mark.parametrize("target", [[0.3, 0.0, 0.4], [0.2, 0.3, 0.1], [-0.5, 0.1, 0.2]])
def test_it_ends_where_the_search_ends(target):
    trace = trace_bezier(CHAIN.bones, CHAIN.points, np.array(target))
    x, y = float(np.hypot(*target[:2])), target[2]
    xy = np.empty((9, 2))
    stop = STOP * 0.1
    gap, height, _, tried = search_binary(CHAIN.lengths, CHAIN.reach, 0.0, x, y, GRID, HEIGHTS, stop, xy)
    assert len(trace) == tried + 1
    assert trace.gaps[-1] == pytest.approx(gap)
    np.testing.assert_allclose(trace.control[-1], [0.0, 0.0, height], atol=1e-12)
    np.testing.assert_allclose(trace.points[-1, :, 2], xy[:, 1], atol=1e-12)


def test_joints_lie_on_the_curve_and_the_last_on_the_target():
    target = np.array([0.3, 0.1, 0.3])
    trace = trace_bezier(CHAIN.bones, CHAIN.points, target)
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
        trace_bezier(CHAIN.bones, CHAIN.points, np.array([0.9, 0.0, 0.0]))
