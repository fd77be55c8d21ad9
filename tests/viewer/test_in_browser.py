"""The viewer as a user meets it, in a real browser; results are judged by forward kinematics."""

import json
import threading
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.common.transforms import from_quaternion
from forearm.viewer import view_chain, view_robot, view_skeleton, view_tree
from forearm.viewer.shared.controls import move
from forearm.viewer.shared.rotations import pose_of

pytest.importorskip("viser")
from browser import (
    PICTURES,
    SHARPNESS,
    SIZE,
    Tab,
)  # behind the skip: it needs nothing, but means nothing without a viewer

pytestmark = pytest.mark.compiled

UR5, IIWA = fa.load("ur5"), fa.load("iiwa14")


def keep_picture(tab, name):
    if PICTURES:
        tab.page.screenshot(path=Path(PICTURES) / f"{name}.png")


def target_of(tab):
    gizmo = tab.state.stage.gizmo
    return pose_of(gizmo.wxyz, gizmo.position)


def is_met(tab, robot=UR5):
    T, goal = robot.fk(tab.state.problem.q), target_of(tab)
    return np.linalg.norm(T[:3, 3] - goal[:3, 3]) < 2e-6 and np.abs(T[:3, :3] - goal[:3, :3]).max() < 2e-6


def fills_the_view(tab):
    """Whether all that is shown is in the picture, and fills it."""
    canvas = tab.page.locator("canvas").first.bounding_box()
    corners = tab.on_screen(tab.state.extent())
    shares = (corners - (canvas["x"], canvas["y"])) / (canvas["width"], canvas["height"])
    low, high = shares.min(axis=0), shares.max(axis=0)
    return bool((low > 0.0).all() and (high < 1.0).all() and (high - low).max() > 0.8)


def gap_of(tab):
    """How far the chain's links stay from the sphere, from its points alone [m]."""
    problem = tab.state.problem
    return gap_along(problem.points, problem.obstacles[0]) - problem.thickness


def gap_along(points, sphere):
    """From the lines between points to a sphere [m]."""
    along = np.linspace(0.0, 1.0, 101)[:, None]
    line = np.concatenate([a + along * (b - a) for a, b in pairwise(points)])
    return np.linalg.norm(line - sphere.center, axis=1).min() - sphere.radius


def arm_gap(robot, q, sphere):
    """From the lines between the joints to a sphere, less the radius that arms without shapes have [m]."""
    return gap_along(robot.fk_all(q)[:, :3, 3], sphere) - 0.04 * robot.reach


def drag_toward(tab, thing, point, axis):
    """Drags an obstacle by one of its arrows until it is as near to a point as that brings it."""
    along, start = from_quaternion(*thing.gizmo.wxyz)[:3, axis], thing.T[:3, 3].copy()
    tab.drag(thing.gizmo, axis=axis, way=float((point - start) @ along))
    tab.wait(lambda: abs((point - thing.T[:3, 3]) @ along) < 0.02)
    np.testing.assert_allclose(np.cross(thing.T[:3, 3] - start, along), 0.0, atol=1e-6)  # along that arrow alone


# These come first: an open tab draws all the time, and the one that is shared below stays open.


def test_an_obstacle_is_added_and_dragged_and_the_chain_goes_round_it(visit):
    with view_chain(20, port=0) as viewer:
        tab = visit(viewer)
        tab.open("Obstacles")
        tab.press("Add a sphere")
        tab.text("to the nearest obstacle").wait_for()
        assert len(tab.state.problem.obstacles) == 1
        before, thing = tab.state.problem.points.copy(), tab.state.obstacles_tab.things[0]
        middle = before[len(before) // 2]
        for axis in (0, 1):
            drag_toward(tab, thing, middle, axis)
        tab.wait(lambda: np.abs(tab.state.problem.points - before).max() > 0.03)
        tab.wait(lambda: gap_of(tab) >= -1e-6)
        np.testing.assert_allclose(tab.state.problem.points[-1], tab.state.problem.targets["tip"], atol=2e-6)
        keep_picture(tab, "obstacle")
        tab.press("Remove the last one")
        tab.open("Solve")
        tab.page.get_by_role("textbox").first.fill("30")  # of the cone's slider
        tab.wait(lambda: tab.state.problem.half_angle is not None)
        tab.check("bend toward a pole")
        tab.wait(lambda: tab.state.problem.pole is not None)
        pole = tab.state.problem.pole.copy()
        tab.drag(tab.state.bones_tab.pole, axis=2, way=0.1)
        tab.wait(lambda: np.linalg.norm(tab.state.problem.pole - pole) > 0.03)
        tab.text("^Solved$").wait_for()
        keep_picture(tab, "cones")
        tab.leave()


def test_both_hands_of_a_skeleton_are_dragged(visit):
    with view_skeleton(port=0) as viewer:
        tab = visit(viewer)
        before, hand = tab.state.problem.points.copy(), tab.state.handles["left forearm"]
        tab.drag(hand, axis=2, way=0.1)
        tab.wait(lambda: np.abs(tab.state.problem.points - before).max() > 0.03)
        tab.text("^Solved$").wait_for()
        tips, targets = tab.state.problem.ends()
        np.testing.assert_allclose(tips, targets, atol=1e-5)
        keep_picture(tab, "skeleton")
        tab.leave()


def test_an_arm_keeps_clear_of_an_obstacle_that_is_dragged_against_it(visit):
    with view_robot(IIWA, port=0) as viewer:
        tab = visit(viewer)
        tab.open("Obstacles")
        tab.press("Add a sphere")
        tab.text("sphere 1").wait_for()
        thing, before = tab.state.obstacles_tab.things[0], tab.state.problem.q.copy()
        elbow = IIWA.fk_all(before)[3, :3, 3]
        for axis in (0, 1, 2):
            drag_toward(tab, thing, elbow, axis)
        tab.wait(lambda: np.abs(tab.state.problem.q - before).max() > 0.1)
        tab.wait(lambda: is_met(tab, IIWA))
        tab.text("^Clear$").wait_for()
        solid = thing.solid()
        assert arm_gap(IIWA, tab.state.problem.q, solid) >= 0.009
        keep_picture(tab, "arm-obstacle")
        page = tab.state
        move(thing.gizmo, page.problem.T)  # onto the target
        page.worker.post("obstacle", lambda: page.obstacles_tab._drag(thing, page.problem.T))
        tab.text("An obstacle is in the way").wait_for()
        tab.text("Shown is the pose with the largest clearance").wait_for()
        keep_picture(tab, "arm-collision")
        tab.leave()


def test_the_goals_of_a_robot_with_two_arms_are_dragged_and_their_conflict_is_told(visit):
    tree = fa.Tree.from_urdf(Path(__file__).parents[2] / "examples/two_arms.urdf", base="planar")
    with view_tree(tree, port=0) as viewer:
        tab = visit(viewer)
        problem, hands = tab.state.problem, ("left_hand", "right_hand")

        def off(name):
            """From a hand or the base to its handle, by forward kinematics [m]."""
            link = {"base": "base"}.get(name, name)
            return np.linalg.norm(tree.fk(problem.q, link)[:3, 3] - np.array(tab.state.handles[name].position))

        tab.wait(lambda: all(off(hand) < 2e-6 for hand in hands))
        tab.drag(tab.state.handles["base"], axis=0, way=0.1)  # it drives, and both hands stay
        tab.wait(lambda: abs(problem.q[0] - 0.1) < 0.02)
        tab.wait(lambda: all(off(hand) < 2e-6 for hand in hands))
        keep_picture(tab, "tree")
        tab.state.host.camera.position = 2.5 * np.array(tab.state.host.camera.position)  # to see all of a long way
        tab.page.wait_for_timeout(500)
        tab.drag(tab.state.handles["left_hand"], axis=0, way=2.0)
        tab.text("meets it and 'left_hand'|meets it and 'right_hand'|in conflict with '").wait_for()
        assert max(map(off, hands)) > 1e-3
        keep_picture(tab, "tree-conflict")
        tab.field(tab.state.tree_tab.rows["left_hand"]["level"]).fill("2")
        tab.wait(lambda: problem.wishes["left_hand"].level == 2)
        tab.wait(lambda: off("right_hand") < 2e-6)  # now it comes first, and is met
        assert off("left_hand") > 1e-3
        tab.leave()


BALL = fa.Sphere([0.3, -0.4, 0.5], 0.08)
CHAIN = fa.Chain([[0.0, 0.0, 0.0], [0.0, 0.0, 0.4], [0.3, 0.0, 0.7]])
PLACES = [UR5.fk(UR5.home) + np.array([[0, 0, 0, 0], [0, 0, 0, y], [0, 0, 0, 0], [0] * 4]) for y in (0.0, 0.02, 0.04)]
SHOWN = {  # what a program has, what the panel then says, and what must be so in the page
    "robot": (lambda: (UR5,), "^Solved$", lambda page: np.allclose(page.problem.q, UR5.home, atol=1e-6)),
    "solution": (
        lambda: (UR5.solve(PLACES[2], UR5.home),),
        "^Solved$",
        lambda page: np.allclose(UR5.fk(page.problem.q), PLACES[2], atol=2e-6),
    ),
    "branches": (
        lambda: (UR5.solve_all(PLACES[0]),),
        "^[0-9]+ branches",
        lambda page: page.branches_tab._ghosts[0][0].root.visible,
    ),
    "track": (lambda: (UR5, UR5.track(PLACES, UR5.home)), "Play the track", lambda page: page.path_tab.track.success),
    "scene": (
        lambda: (UR5, fa.scenes.Scene({"ball": BALL})),
        "ball",
        lambda page: page.obstacles_tab.given["ball"][0] is BALL and page.answer.solution.success,
    ),
    "chain": (lambda: (CHAIN,), "^Solved$", lambda page: np.allclose(page.problem.points, CHAIN.points)),
    "tree": (
        lambda: (fa.Tree.from_urdf(Path(__file__).parents[2] / "examples/two_arms.urdf"),),
        "^Solved: all 2 goals are met$",
        lambda page: {"left_hand", "right_hand"} <= set(page.handles),
    ),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_show_opens_the_page_with_what_a_program_has(visit, kind):
    things, words, holds = SHOWN[kind]
    with fa.show(*things(), port=0, browser=False, block=False) as viewer:
        tab = visit(viewer)
        tab.text(words).wait_for()
        tab.wait(lambda: holds(tab.state))
        tab.wait(lambda: fills_the_view(tab))
        for part in (*tab.state.tabs.names, *tab.state.tabs.names[-2::-1]):  # there and back
            tab.open(part)
        tab.wait(lambda: fills_the_view(tab))
        keep_picture(tab, f"show-{kind}")
        tab.leave()


@pytest.fixture(scope="module")
def viewer():
    with view_robot(UR5, port=0) as running:
        yield running


@pytest.fixture(scope="module")
def shared(viewer, browser):
    """One tab for all tests of one arm: opening one takes seconds without a graphics card."""
    tab = Tab(browser, viewer)
    yield tab
    tab.leave()


@pytest.fixture
def tab(shared):
    """The shared tab with the arm back in its first pose."""
    shared.open("Solve")
    shared.choose("Goal", "pose")
    shared.press("Back to the first pose")
    shared.wait(lambda: np.allclose(shared.state.problem.q, shared.state.problem.home, atol=1e-6))
    shared.text("^Solved$").wait_for()
    shown = np.degrees(shared.state.problem.home).round(1)
    shared.wait(lambda: [float(shared.joint(k).input_value()) for k in range(6)] == shown.tolist())
    return shared


def test_a_dragged_target_is_followed_and_met(tab):
    tab.wait(lambda: is_met(tab))
    keep_picture(tab, "loaded")
    before, start = tab.state.problem.q.copy(), target_of(tab)
    tab.drag(tab.state.stage.gizmo, axis=1, way=0.12)
    tab.wait(lambda: np.linalg.norm(target_of(tab)[:3, 3] - start[:3, 3]) > 0.05)
    tab.wait(lambda: is_met(tab))
    assert np.abs(tab.state.problem.q - before).max() > 0.01
    tab.text("^Solved$").wait_for()
    shoulder = round(np.degrees(tab.state.problem.q[0]), 1)
    assert float(tab.joint(0).input_value()) == pytest.approx(shoulder, abs=0.11)
    keep_picture(tab, "dragged")


def test_an_unreachable_target_is_answered_in_words_with_the_nearest_pose(tab):
    tab.choose("Goal", "position only")
    tab.wait(lambda: tab.state.problem.goal == "position only")
    page = tab.state
    page.host.camera.position = 2.5 * np.array(page.host.camera.position)  # far enough to see the whole way
    tab.page.wait_for_timeout(500)
    tab.drag(page.stage.gizmo, axis=2, way=-0.9)  # up, as the tool points down
    tab.text("Out of reach").wait_for()
    tab.text(r"The target is (at least )?[0-9.e-]+ m .*\.").wait_for()
    tab.text("Shown is the nearest pose found").wait_for()
    tip, goal = UR5.fk(tab.state.problem.q)[:3, 3], target_of(tab)[:3, 3]
    shown = tab.state.answer.solution.position_error
    assert np.linalg.norm(tip - goal) == pytest.approx(shown, abs=1e-9)
    assert shown > 1e-3
    keep_picture(tab, "unreachable")


def test_a_trace_is_stepped(tab):
    tab.choose("Goal", "position only")
    tab.open("Steps")
    choose_steps(tab, "fabrik-r")
    for number, name in ((1, "forward"), (2, "backward"), (3, "forward")):
        tab.press("Next")
        tab.text(f"Stage {number} of .*: {name} reach").wait_for()
    trace = tab.state.steps_tab.player.trace
    tab.text("At the base the chain is torn off by .* mm").wait_for()
    keep_picture(tab, "steps")
    tab.press("Play")
    tab.wait(lambda: tab.state.steps_tab.player.at >= 5)
    tab.press("Pause")
    tab.press("Last")
    tab.wait(lambda: tab.state.steps_tab.player.at == tab.state.steps_tab.player.last)
    np.testing.assert_allclose(trace.points[-1, -1], target_of(tab)[:3, 3], atol=2e-6)
    tab.open("Branches")  # steps end with their tab, and the arm and its branches are there
    tab.text("^[0-9]+ branches|^One branch").wait_for()
    assert tab.state.arm.root.visible
    assert tab.state.branches_tab._ghosts[0][0].root.visible


def choose_steps(tab, method):
    """Has the steps of a method shown; those of the one before begin with the same words."""
    tab.choose("Steps of", method)
    tab.wait(lambda: tab.state.steps_tab.player is not None and tab.state.steps_tab.player.trace.method == method)
    tab.text("Stage 0 of .*: start").wait_for()


def test_the_sweeps_and_sqp_steps_of_combined_are_stepped(tab):
    tab.open("Steps")
    choose_steps(tab, "combined")
    names = {"forward": "forward reach", "backward": "backward reach", "sqp": "SQP step"}
    trace = tab.state.steps_tab.player.trace
    assert "sqp" in trace.stages
    for number, name in list(enumerate(trace.stages))[1:6]:
        tab.press("Next")
        tab.text(f"Stage {number} of .*: {names[name]}").wait_for()
        if name == "backward":
            tab.text(f"P3 is {1e3 * trace.distance[number]:.1f} mm from P_t").wait_for()
    keep_picture(tab, "combined")
    tab.press("Last")
    tab.text("combined arrives").wait_for()
    tab.text("After 2 sweeps and").wait_for()
    np.testing.assert_allclose(UR5.fk(trace.q), target_of(tab), atol=2e-6)


def test_a_path_is_recorded_and_played(tab):
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
    tab.wait(lambda: is_met(tab))  # the last pose may still be at work when the words change
    tab.press("Track it")
    tab.text("Tracked to the end").wait_for()
    track = tab.state.path_tab.track
    np.testing.assert_allclose(UR5.fk(track.q_at_waypoints), tab.state.path_tab.poses, atol=2e-6)
    tab.press("Play the track")
    tab.text("On the track").wait_for()
    tab.wait(lambda: not tab.state.path_tab.playing)
    np.testing.assert_allclose(tab.state.problem.q, track.q[-1])
    keep_picture(tab, "path")


def test_two_browsers_do_not_disturb_each_other(viewer, visit, tab):
    first, second = tab, visit(viewer)
    assert first.state is not second.state
    np.testing.assert_allclose(first.state.problem.q, second.state.problem.q, atol=1e-6)
    before = second.state.problem.q.copy()
    first.drag(first.state.stage.gizmo, axis=1, way=0.12)
    first.wait(lambda: np.abs(first.state.problem.q - before).max() > 0.01)
    np.testing.assert_array_equal(second.state.problem.q, before)
    np.testing.assert_allclose(target_of(second), UR5.fk(before), atol=2e-6)


def test_a_joint_is_turned_by_its_slider(tab):
    before = tab.state.problem.q.copy()
    tab.joint(2).fill("80")
    tab.wait(lambda: abs(tab.state.problem.q[2] - np.radians(80.0)) < 1e-9)
    tab.text("Joints set by hand").wait_for()
    np.testing.assert_allclose(np.delete(tab.state.problem.q, 2), np.delete(before, 2), atol=1e-12)
    np.testing.assert_allclose(UR5.fk(tab.state.problem.q), target_of(tab), atol=1e-9)


def test_what_a_user_types_is_not_written_over_by_what_the_page_knew_before(tab):
    page, before, typed = tab.state, tab.state.problem.q.copy(), threading.Event()
    field, slider = tab.joint(2), page.solve_tab.joints[2]

    def slow():  # a solve that was begun before the user typed, and ends in between
        while slider.value != 8.0:
            time.sleep(0.01)
        page.solve_tab.show(before, at_once=True)
        page.host.flush()
        assert typed.wait(60.0)

    field.click()
    tab.page.keyboard.press("Control+a")
    page.worker.add(slow)
    tab.page.keyboard.press("8")
    tab.page.wait_for_timeout(1000)
    tab.page.keyboard.press("0")
    typed.set()
    tab.wait(lambda: abs(page.problem.q[2] - np.radians(80.0)) < 1e-9)
    assert field.input_value() == "80"
    field.fill("999")  # more than the joint can turn: told once the user is done
    tab.wait(lambda: field.input_value() == "360")
    assert page.problem.q[2] == pytest.approx(2.0 * np.pi)


def test_the_arm_fills_the_view_on_load_and_on_a_key(tab):
    tab.state.host.camera.position = np.array([4.0, 0.0, 1.0])
    tab.wait(lambda: not fills_the_view(tab))
    tab.page.mouse.click(5, 200)
    tab.page.keyboard.press("f")
    tab.wait(lambda: fills_the_view(tab))


def test_a_servo_follows_a_drag_and_says_how(tab):
    tab.choose("Motion", "servo: bounded motion")
    tab.text("^Servo: ").wait_for()
    start = target_of(tab)
    tab.drag(tab.state.stage.gizmo, axis=1, way=0.12)
    tab.wait(lambda: np.linalg.norm(target_of(tab)[:3, 3] - start[:3, 3]) > 0.05)
    tab.text("^Servo: following").wait_for()
    tab.wait(lambda: np.abs(UR5.fk(tab.state.problem.q) - target_of(tab)).max() < 1e-4)
    keep_picture(tab, "servo")
    tab.choose("Motion", "solve: at once")
    tab.text("^Solved$").wait_for()


def test_files_are_saved_and_q_is_copied(tab):
    tab.page.get_by_text("Copy and save").click()
    with tab.page.expect_download() as saved:
        tab.press("Save q (JSON)")
    values = json.loads(Path(saved.value.path()).read_text())
    assert list(values.values()) == tab.state.problem.q.tolist()
    with tab.page.expect_download() as saved:
        tab.press("Save a picture (PNG)")
    assert Path(saved.value.path()).read_bytes()[:4] == b"\x89PNG"
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.press("Copy q (JSON)")
    tab.text("^Copied$").wait_for()
    assert UR5.fk(json.loads(tab.page.evaluate("navigator.clipboard.readText()"))) == pytest.approx(target_of(tab))
    tab.page.get_by_text("Copy and save").click()


def test_the_look_is_dark_on_a_key_and_is_remembered(tab):
    scheme = "document.documentElement.getAttribute('data-mantine-color-scheme')"
    tab.page.mouse.click(5, 200)
    camera = tab.state.host.camera
    stood = camera.position.copy()
    tab.page.keyboard.press("l", delay=300)  # as long as a slow finger: no key that moves the camera
    tab.page.wait_for_function(f"{scheme} == 'dark'")
    assert camera.position == pytest.approx(stood)
    assert tab.state.stage.is_dark
    keep_picture(tab, "dark")
    assert tab.page.evaluate("localStorage.getItem('viser-user:forearm.scheme')") == "dark"
    tab.page.keyboard.press("l")
    tab.page.wait_for_function(f"{scheme} == 'light'")


def test_a_narrow_window_shows_the_arm_above_the_panel(tab):
    tab.state.worker.add(tab.state.fit)
    tab.page.set_viewport_size({"width": 420, "height": 800})
    tab.wait(lambda: tab.state.host.camera.image_width <= 421 * SHARPNESS)
    tab.wait(lambda: all(0 < x < 420 and 0 < y < 330 for x, y in tab.on_screen(tab.state.extent())))
    sheet = tab.page.locator(".mantine-Paper-root:has(.forearm-tabs)").last.bounding_box()
    assert sheet["width"] == pytest.approx(420.0, abs=1.0)
    keep_picture(tab, "narrow")
    tab.page.set_viewport_size(SIZE)
    tab.wait(lambda: tab.state.host.camera.image_width > 500 * SHARPNESS)
    tab.state.worker.add(tab.state.fit)
