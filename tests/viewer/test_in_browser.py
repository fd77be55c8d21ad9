"""The viewer as a user meets it, in a real browser; results are judged by forward kinematics."""

import os
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.viewer.rotations import pose_of

pytest.importorskip("viser")
from forearm.viewer import view_robot

pytestmark = pytest.mark.compiled

UR5 = fa.load("ur5")
# Where to keep pictures of what was seen, for people to judge; nowhere by default.
PICTURES = os.environ.get("FOREARM_PICTURES")


@pytest.fixture(scope="module")
def viewer():
    with view_robot(UR5, port=0) as running:
        yield running


def keep_picture(tab, name):
    if PICTURES:
        tab.page.screenshot(path=Path(PICTURES) / f"{name}.png")


def target_of(tab):
    gizmo = tab.state.stage.gizmo
    return pose_of(gizmo.wxyz, gizmo.position)


def is_met(tab, robot=UR5):
    T, goal = robot.fk(tab.state.problem.q), target_of(tab)
    return np.linalg.norm(T[:3, 3] - goal[:3, 3]) < 2e-6 and np.abs(T[:3, :3] - goal[:3, :3]).max() < 2e-6


def test_a_dragged_target_is_followed_and_met(viewer, visit):
    tab = visit(viewer)
    assert is_met(tab)
    keep_picture(tab, "loaded")
    before, start = tab.state.problem.q.copy(), target_of(tab)
    tab.drag(tab.state.stage.gizmo, axis=1, way=0.12)
    tab.wait(lambda: np.linalg.norm(target_of(tab)[:3, 3] - start[:3, 3]) > 0.05)
    tab.wait(lambda: is_met(tab))
    assert np.abs(tab.state.problem.q - before).max() > 0.01
    tab.text("^Solved$").wait_for()
    shoulder = np.degrees(tab.state.problem.q[0])
    tab.text(f"^{shoulder:.1f}°$".replace(".", r"\.")).wait_for()
    keep_picture(tab, "dragged")


def test_an_unreachable_target_is_answered_in_words_with_the_nearest_pose(viewer, visit):
    tab = visit(viewer)
    tab.choose("Goal", "position only")
    tab.wait(lambda: tab.state.problem.goal == "position only")
    for _ in range(6):
        tab.drag(tab.state.stage.gizmo, axis=2, way=0.45)
        if not tab.state.answer.solution.success:
            break
    tab.text("Out of reach").wait_for()
    tab.text(r"The target is (at least )?[0-9.e-]+ m .*\.").wait_for()
    tab.text("Shown is the nearest pose found").wait_for()
    tip, goal = UR5.fk(tab.state.problem.q)[:3, 3], target_of(tab)[:3, 3]
    shown = tab.state.answer.solution.position_error
    assert np.linalg.norm(tip - goal) == pytest.approx(shown, abs=1e-9)
    assert shown > 1e-3
    keep_picture(tab, "unreachable")


def test_a_trace_is_stepped(viewer, visit):
    tab = visit(viewer)
    tab.choose("Goal", "position only")
    tab.open("Steps")
    tab.choose("Steps of", "fabrik-r")
    tab.press("Show the steps")
    tab.text("Stage 0 of .*: start").wait_for()
    for number, name in ((1, "forward"), (2, "backward"), (3, "forward")):
        tab.press("Next")
        tab.text(f"Stage {number} of .*: {name} reach").wait_for()
    trace = tab.state.steps_tab.player.trace
    left = 1e3 * np.linalg.norm(trace.points[3, 0] - trace.points[0, 0])
    tab.text(f"left behind by {left:.3g} mm").wait_for()
    keep_picture(tab, "steps")
    tab.press("Play")
    tab.wait(lambda: tab.state.steps_tab.player.at == tab.state.steps_tab.player.last)
    np.testing.assert_allclose(trace.points[-1, -1], target_of(tab)[:3, 3], atol=2e-6)
    tab.press("Hide the steps")


def test_a_path_is_recorded_and_played(viewer, visit):
    tab = visit(viewer)
    tab.open("Path")
    tab.press("Record")
    tab.text("Recording").wait_for()
    tab.drag(tab.state.stage.gizmo, axis=1, way=0.12)
    tab.wait(lambda: len(tab.state.path_tab.poses) > 3)
    tab.press("Stop recording")
    tab.press("Play")
    tab.text("Playing").wait_for()
    tab.text("Path recorded").wait_for()
    np.testing.assert_allclose(tab.state.problem.T, tab.state.path_tab.poses[-1])
    assert is_met(tab)
    keep_picture(tab, "path")


def test_two_browsers_do_not_disturb_each_other(viewer, visit):
    first, second = visit(viewer), visit(viewer)
    assert first.state is not second.state
    before = second.state.problem.q.copy()
    first.drag(first.state.stage.gizmo, axis=1, way=0.12)
    first.wait(lambda: np.abs(first.state.problem.q - before).max() > 0.01)
    np.testing.assert_array_equal(second.state.problem.q, before)
    np.testing.assert_allclose(target_of(second), UR5.fk(before), atol=2e-6)
