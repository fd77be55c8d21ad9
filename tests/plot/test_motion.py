"""Pictures of motion: what they show is read back from the drawn lines; what cannot be drawn is refused."""

import numpy as np
import pytest

import forearm as fa
from forearm import plot
from forearm.errors import OptionError
from forearm.plot.answers import reach_counts
from forearm.plot.motion import errors_along

ARM = fa.load("planar-3")


Q = np.linspace([0.1, 0.2, 0.3], [0.9, -0.4, 0.6], 9)


FAR = np.zeros((4, 4))


FAR[0, 3] = 5.0  # beyond every reach [m]


def drawn(axes, label):
    """The line of an axes with this label."""
    return next(line for line in axes.get_lines() if line.get_label() == label)


def test_a_path_runs_through_the_tips():
    figure = plot.draw_path(ARM, Q, targets=ARM.fk(Q), title="a way")
    (axes,) = figure.axes
    xyz = np.array(drawn(axes, "way of the tip").get_data_3d()).T
    np.testing.assert_allclose(xyz, ARM.fk(Q)[:, :3, 3])
    assert axes.get_title() == "a way"


def test_a_motion_shows_joints_between_limits_and_errors_as_measured():
    moved = ARM.fk(Q)
    moved[:, 0, 3] += 1e-3
    upper, lower = plot.draw_motion(ARM, Q, targets=moved).axes
    first = drawn(upper, ARM.joint_names[0]).get_ydata()
    np.testing.assert_allclose(first, (Q[:, 0] + np.pi) / (2 * np.pi))
    np.testing.assert_allclose(drawn(lower, "position [m]").get_ydata(), 1e-3)
    assert len(plot.draw_motion(ARM, Q, across=np.arange(9.0)).axes) == 1


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plot.draw_motion(ARM, Q, targets=ARM.fk(Q)),
        lambda: plot.draw_track(ARM, ARM.track(ARM.fk(Q), Q[0])),
        lambda: plot.draw_convergence([ARM.trace(fa.Position(ARM.fk(Q[0])[:3, 3]), Q[4], method="ccd")]),
    ],
)
def test_legends_hide_no_curve_and_are_not_cut(draw):
    figure = draw()
    figure.canvas.draw()
    for axes in figure.axes:
        names = axes.get_legend().get_window_extent()
        assert names.x0 >= axes.get_window_extent().x1
        assert names.x1 <= figure.bbox.x1


def test_errors_are_the_angles_between_poses():
    A = ARM.fk(Q)
    position, rotation = errors_along(A, ARM.fk(Q + np.array([0.0, 0.0, 0.25])))
    np.testing.assert_allclose(rotation, 0.25, atol=1e-12)
    assert (position > 0.01).all()


def test_joints_without_limits_are_drawn_within_a_turn():
    free = ARM.with_limits({name: (-np.inf, np.inf) for name in ARM.joint_names})
    (axes,) = plot.draw_motion(free, Q + 20.0).axes
    for line in axes.get_lines():
        assert np.min(line.get_ydata()) >= 0.0
        assert np.max(line.get_ydata()) <= 1.0


def test_a_track_shows_its_own_errors_and_where_it_stops():
    way = np.linspace([0.3, 0.9, 0.4], [1.1, 1.4, 0.1], 12)
    track = ARM.track(ARM.fk(way), way[0], times=np.linspace(0.0, 3.0, 12))
    upper, lower = plot.draw_track(ARM, track).axes
    np.testing.assert_allclose(drawn(upper, ARM.joint_names[1]).get_ydata(), (track.q[:, 1] + np.pi) / (2 * np.pi))
    np.testing.assert_allclose(drawn(lower, "position [m]").get_ydata(), np.maximum(track.position_errors, 1e-12))
    np.testing.assert_allclose(drawn(lower, "position [m]").get_xdata(), track.times)
    assert len(drawn(lower, "way-points").get_xdata()) == 12
    assert lower.get_xlabel() == "time [s]"
    away = ARM.fk(way)
    away[7:, 0, 3] += 1.0  # out of reach
    broken = ARM.track(away, way[0])
    assert broken.stopped_at == 7
    upper, lower = plot.draw_track(ARM, broken).axes
    assert drawn(lower, "stops: out_of_reach").get_xdata()[0] == broken.places[-1]
    assert "7 of 12 way-points, out_of_reach" in upper.get_title()
    assert lower.get_xlabel() == "way-point"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: plot.draw_path(ARM, Q[0]), r"Q has shape \(3,\); it takes \(M, 3\)"),
        (lambda: plot.draw_motion(ARM, Q, targets=np.eye(4)), r"targets has shape \(4, 4\)"),
        (lambda: plot.draw_motion(ARM, Q, targets=ARM.fk(Q[:3])), "targets has 3 poses for 9"),
        (lambda: plot.draw_branches(ARM, []), "there are no branches"),
        (lambda: reach_counts(ARM, across="xx"), "across is 'xx'; it takes two of x, y and z"),
        (lambda: plot.draw_reach(np.ones((2, 2)), ([0, 1], [0, 1, 2])), r"cells has shape \(2, 2\)"),
        (lambda: plot.draw_track(ARM, ARM.track(ARM.fk(Q) + FAR)), "the track has no point to draw"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, words):
    with pytest.raises(OptionError, match=words):
        call()
