"""Pictures of poses: what may be drawn, and what is said of the rest."""

import numpy as np
import pytest

import forearm as fa
from forearm import plot
from forearm.plot import draw_pose

ARM = fa.load("ur5")
Q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
POSE = ARM.fk(Q)


def tip_of(figure):
    """Where the drawn arm ends."""
    line = next(line for line in figure.axes[0].get_lines() if line.get_label() == "arm")
    return np.array(line.get_data_3d())[:, -1]


def test_a_solution_is_drawn_as_its_joint_values_are():
    solution = ARM.solve(ARM.fk(Q), Q)
    np.testing.assert_array_equal(tip_of(draw_pose(ARM, solution)), tip_of(draw_pose(ARM, solution.q)))


def test_what_is_no_robot_is_told_so():
    chain = fa.Chain([[0, 0], [1, 0], [2, 0]])
    words = "robot is a Chain; this picture takes a Robot; bones are drawn by draw_chains"
    for call in (draw_pose, plot.draw_path, plot.draw_motion, plot.draw_branches):
        with pytest.raises(fa.errors.OptionError, match=words):
            call(chain, [Q, Q])
    with pytest.raises(fa.errors.OptionError, match=words):
        plot.save_gif(chain, [Q, Q], "a.gif")
    with pytest.raises(fa.errors.OptionError, match="robot is a str; this picture takes a Robot"):
        draw_pose("ur5", Q)


def dots_of(figure):
    """(k, 3) the dots that stand for the target."""
    found = [each for each in figure.axes[0].collections if each.get_label() == "target"]
    return np.array([np.array(each._offsets3d).ravel() for each in found])


@pytest.mark.parametrize("target", [POSE, POSE.tolist(), fa.Pose(POSE)], ids=["array", "list", "Pose"])
def test_a_target_that_solve_takes_is_drawn_as_a_frame(target):
    axes = draw_pose(ARM, Q, target=target).axes[0]
    line = next(line for line in axes.get_lines() if line.get_label() == "target x")
    np.testing.assert_array_equal(np.array(line.get_data_3d())[:, 0], POSE[:3, 3])


@pytest.mark.parametrize("target", [fa.Position(POSE[:3, 3]), fa.PointAxis(POSE[:3, 3], [0, 0, -1])])
def test_a_target_without_a_whole_rotation_is_drawn_as_a_dot(target):
    figure = draw_pose(ARM, Q, target=target)
    np.testing.assert_array_equal(dots_of(figure), [POSE[:3, 3]])
    assert not any(line.get_label().startswith("target") for line in figure.axes[0].get_lines())
    plot.draw_branches(ARM, ARM.solve_all(POSE), target=target)


def test_what_is_no_target_to_draw_is_told_so():
    with pytest.raises(fa.errors.TargetError, match=r"wrap it: fa\.Position\(p\)"):
        draw_pose(ARM, Q, target=POSE[:3, 3])
    with pytest.raises(fa.errors.TargetError, match=r"is a Solution; where it brings the tip is arm\.fk\(s\.q\)"):
        draw_pose(ARM, Q, target=ARM.solve(POSE))
    with pytest.raises(fa.errors.OptionError, match="an Orientation has no place"):
        draw_pose(ARM, Q, target=fa.Orientation(POSE[:3, :3]))


def test_joint_values_are_taken_in_every_shape_they_come_in(tmp_path):
    track, many = ARM.track(np.stack([POSE, POSE]), Q), ARM.solve_batch(np.stack([POSE, POSE]))
    for motion in (track, many, track.q, [ARM.solve(POSE, Q), ARM.solve(POSE, Q)]):
        plot.draw_path(ARM, motion)
        plot.draw_motion(ARM, motion)
    plot.draw_branches(ARM, [branch.q for branch in ARM.solve_all(POSE)])
    assert plot.save_pose(ARM, Q, tmp_path / "q.png").exists()
    with pytest.raises(fa.errors.OptionError, match=r"track is a ndarray; .*draw_motion"):
        plot.draw_track(ARM, track.q)
    with pytest.raises(fa.errors.OptionError, match=r"there is no directory"):
        plot.save_pose(ARM, Q, tmp_path / "no" / "q.png")


def test_one_trace_needs_no_name_and_a_pose_of_bones_no_points():
    trace = ARM.trace(POSE, 0.9 * Q, method="dls")
    assert [text.get_text() for text in plot.draw_convergence(trace).axes[0].get_legend().get_texts()] == ["dls"]
    chain = fa.Chain([[0, 0], [1, 0], [2, 0]])
    plot.draw_convergence(chain.trace([1.0, 1.0]))
    pose = chain.solve([1.0, 1.0])
    (line,) = plot.draw_chains({"a": {"bones": pose}}).axes[0].get_lines()
    np.testing.assert_array_equal(np.array(line.get_data()).T, pose.points)


def test_a_picture_whose_name_says_no_format_is_refused(tmp_path):
    for name in ("q", "q.foo"):
        with pytest.raises(
            fa.errors.OptionError, match="its name must end in one of: .pdf, .png, .svg".replace(".", r"\.")
        ):
            plot.save_pose(ARM, Q, tmp_path / name)
    with pytest.raises(fa.errors.OptionError, match="path is a ndarray; it takes the name of the file to write"):
        plot.save_pose(ARM, Q, Q)


def test_a_notebook_shows_a_picture():
    data = draw_pose(ARM, Q)._repr_png_()
    assert data.startswith(b"\x89PNG")
    assert len(data) > 10_000


def test_an_arm_in_a_plane_is_seen_from_above():
    flat = fa.load("planar-3")
    q = [0.4, 0.9, -0.2]
    for figure in (draw_pose(flat, q), plot.draw_branches(flat, flat.solve_all(flat.fk(q)))):
        assert figure.axes[0].elev == 90.0
    assert draw_pose(ARM, Q).axes[0].elev != 90.0
