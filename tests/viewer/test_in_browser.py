"""The viewer as a user meets it, in a real browser; results are judged by forward kinematics."""

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.viewer import view_chain, view_robot
from forearm.viewer.rotations import pose_of

pytest.importorskip("viser")
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
    tab.text("At the base the chain is torn off by .* mm").wait_for()
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


def test_an_obstacle_is_added_and_dragged_and_the_chain_goes_round_it(visit):
    with view_chain(20, port=0) as viewer:
        tab = visit(viewer)
        tab.open("Obstacles")
        tab.press("Add a sphere")
        tab.text("to the nearest obstacle").wait_for()
        assert len(tab.state.problem.obstacles) == 1
        before, thing = tab.state.problem.points.copy(), tab.state.obstacles_tab.things[0]
        for _ in range(4):
            tab.drag(thing.gizmo, axis=0, way=-0.12)
            if np.abs(tab.state.problem.points - before).max() > 0.03:
                break
        tab.wait(lambda: np.abs(tab.state.problem.points - before).max() > 0.03)
        tab.wait(lambda: gap_of(tab) >= -1e-6)
        np.testing.assert_allclose(tab.state.problem.points[-1], tab.state.problem.targets["tip"], atol=2e-6)
        keep_picture(tab, "obstacle")
        tab.leave()


def gap_of(tab):
    """How far the chain's links stay from the sphere, from its points alone [m]."""
    points, sphere = tab.state.problem.points, tab.state.problem.obstacles[0]
    along = np.linspace(0.0, 1.0, 101)[:, None]
    line = np.concatenate([a + along * (b - a) for a, b in pairwise(points)])
    return np.linalg.norm(line - sphere.center, axis=1).min() - sphere.radius - tab.state.problem.thickness
