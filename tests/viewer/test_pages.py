"""Pages without a browser: what is wished of them, what they solve and what they say."""

import re
from itertools import pairwise

import numpy as np
import pytest

import forearm as fa
from forearm.results.solution import Clearance
from forearm.solve.methods.table import METHODS
from forearm.viewer import view_chain, view_robot, view_skeleton
from forearm.viewer.arm.figure import capsule_pieces
from forearm.viewer.arm.obstacles_tab import closest_words
from forearm.viewer.arm.page import ArmPage, size_of
from forearm.viewer.arm.track_words import track_card
from forearm.viewer.bones.cones import cone_angles, socket_axes
from forearm.viewer.bones.figures import make_chain, upper_body
from forearm.viewer.bones.page import BonesPage
from forearm.viewer.bones.problem import BonesProblem
from forearm.viewer.shared.words import TITLES, title_of

viser = pytest.importorskip("viser")

PLANAR = fa.load("planar-3")


@pytest.fixture(scope="module")
def server():
    running = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield running
    running.stop()


@pytest.fixture
def page(server):
    """An arm's page whose thread does nothing, so that a test acts in its place."""
    made = ArmPage(server, PLANAR, capsule_pieces(PLANAR.model))
    made.worker.close()
    yield made
    server.scene.reset()
    server.gui.reset()


@pytest.fixture
def chain_page(server):
    made = BonesPage(server, BonesProblem(make_chain(6), 0.02, lambda angle: make_chain(6, angle)), 1.0)
    made.worker.close()
    yield made
    server.scene.reset()
    server.gui.reset()


def act(page, wish, *values):
    wish(*values)
    page.tick()
    page.refresh()
    page.settle()


def error_of(page):
    tip, goal = PLANAR.fk(page.problem.q), page.problem.T
    return np.linalg.norm(tip[:3, 3] - goal[:3, 3])


def test_a_dragged_target_is_met(page):
    act(page, page.drag, PLANAR.fk([0.5, 0.4, -0.3]))
    assert page.answer.solution.success
    assert error_of(page) < 2e-6
    assert "Solved" in page.verdict.content
    np.testing.assert_array_equal(page.arm.shown, page.problem.q)


def test_numbers_follow_the_handle_and_move_it(page):
    T = PLANAR.fk([0.3, 0.3, 0.3])
    act(page, page.drag, T)
    x = page.solve_tab.numbers[0]
    assert abs(x.value - T[0, 3]) <= x.step
    act(page, page.solve_tab._set_number, 5, 999.0)  # typed past the end of the slider
    assert page.stage.gizmo.wxyz @ np.array([0, 0, 0, 1.0]) == pytest.approx(1.0)  # half a turn about z, not 999


def test_a_target_out_of_the_world_is_brought_back(page):
    T = np.eye(4)
    T[0, 3] = 1e6
    act(page, page.drag, T)
    assert np.linalg.norm(page.problem.T[:3, 3]) == pytest.approx(3.0 * size_of(PLANAR))
    np.testing.assert_allclose(page.stage.gizmo.position, page.problem.T[:3, 3])


def test_a_failure_is_said_in_words_once_it_is_known(page):
    T = np.eye(4)
    T[0, 3] = 0.5
    page.drag(T)
    page.refresh()
    assert "Looking for the reason" in page.verdict.content
    assert page.stage.gap.visible
    page.settle()
    assert "Out of reach" in page.verdict.content
    assert "nearest pose" in page.verdict.content
    assert np.linalg.norm(PLANAR.fk(page.problem.q)[:3, 3] - T[:3, 3]) == pytest.approx(0.2, abs=1e-3)


def test_only_methods_that_fit_the_goal_are_offered(page):
    act(page, page.solve_tab._set_goal, "orientation only")
    assert "fabrik-r" not in page.solve_tab.method.options
    assert page.stage.gizmo.disable_axes
    act(page, page.solve_tab._set_goal, "position only")
    assert "fabrik-r" in page.solve_tab.method.options
    assert page.stage.gizmo.disable_rotations
    act(page, page.solve_tab._set_method, "ccd")
    assert page.answer.solution.method == "ccd"
    act(page, page.solve_tab._set_method, "no such method")
    assert page.problem.method == "ccd"


def test_a_tool_moves_the_tip(page):
    page.solve_tab.tool[0].value = 0.05
    act(page, page.solve_tab._set_tool, 0.09)
    tool = np.eye(4)
    tool[0, 3] = 0.05
    act(page, page.drag, PLANAR.fk([0.4, 0.9, -0.2]) @ tool)
    np.testing.assert_allclose(PLANAR.fk(page.problem.q) @ tool, page.problem.T, atol=2e-6)
    act(page, page.solve_tab._go_home)
    page.solve_tab.tool[0].value = 0.0
    act(page, page.solve_tab._set_tool, 0.09)
    assert page.problem.arm is PLANAR


def test_a_path_is_recorded_played_and_cleared(page):
    tab = page.path_tab
    act(page, tab._toggle_recording)
    for angle in (0.1, 0.2, 0.3):
        act(page, page.drag, PLANAR.fk([angle, 0.5, 0.5]))
    act(page, tab._toggle_recording)
    assert len(tab.poses) == 4
    assert not tab.play.disabled
    tab._toggle_playing()
    while page.tick() is not None:
        page.refresh()
    page.refresh()
    np.testing.assert_array_equal(page.problem.T, tab.poses[-1])
    assert error_of(page) < 2e-6
    act(page, tab._clear)
    assert tab.play.disabled


def record(page, poses):
    """Drags the target along poses while recording."""
    act(page, page.path_tab._toggle_recording)
    for T in poses:
        act(page, page.drag, T)
    act(page, page.path_tab._toggle_recording)


def play(page):
    """Plays to the end; gives all joint values the arm was shown at."""
    page.path_tab._toggle_playing()
    shown = []
    while page.tick() is not None:
        page.refresh()
        shown.append(page.arm.shown)
    page.refresh()
    return np.array([*shown, page.arm.shown])


def test_a_recorded_path_is_tracked_and_the_track_is_played(page):
    tab = page.path_tab
    way = np.linspace([0.3, 0.9, 0.4], [0.9, 1.2, 0.1], 8)
    act(page, page.drag, PLANAR.fk(way[0]))
    record(page, PLANAR.fk(way))
    act(page, tab._make_track)
    assert tab.track.complete
    assert "Tracked to the end" in tab.status.content
    assert tab.chart.content.count("<polyline") == 3
    assert not page.stage.stop.visible
    np.testing.assert_allclose(PLANAR.fk(tab.track.q_at_waypoints), tab.poses, atol=2e-6)
    shown = play(page)
    assert not tab.playing
    assert "Tracked to the end" in tab.status.content
    np.testing.assert_allclose(shown[-1], tab.track.q[-1])
    low, high = tab.track.q.min(axis=0) - 1e-12, tab.track.q.max(axis=0) + 1e-12
    assert ((shown >= low) & (shown <= high)).all()  # no other branch on the way
    assert "On the track" in page.verdict.content
    act(page, page.solve_tab._set_goal, "position only")  # other conditions
    assert tab.track is None
    act(page, tab._make_track)
    assert tab.track.complete


def test_a_track_that_stops_says_where_and_why(page):
    way = np.linspace([0.3, 0.9, 0.4], [0.9, 1.2, 0.1], 6)
    poses = PLANAR.fk(way)
    poses[4:, 0, 3] += 0.5
    act(page, page.drag, poses[0])
    record(page, poses)
    tab = page.path_tab
    play(page)
    assert "could not be met" in tab.status.content
    act(page, tab._make_track)
    assert tab.track.status is fa.Status.OUT_OF_REACH
    assert tab.track.stopped_at == 5  # the first pose is noted when recording begins
    assert "The track stops at way-point 5: out of reach" in tab.status.content
    assert tab.chart.content.count("<polyline") == 3
    assert "<line" in tab.chart.content  # where it stops
    assert page.stage.stop.visible
    np.testing.assert_allclose(page.stage.stop.position, tab.poses[tab.track.stopped_at][:3, 3])
    play(page)
    np.testing.assert_allclose(page.arm.shown, tab.track.q[-1])
    act(page, tab._clear)
    assert not page.stage.stop.visible
    assert tab.chart.content == ""


def test_a_track_keeps_clear_of_obstacles_too(arm_page):
    page = arm_page("ur5")
    tab, T = page.path_tab, page.problem.T
    poses = np.tile(T, (5, 1, 1))
    poses[:, 1, 3] += np.linspace(0.0, 0.1, 5)
    act(page, page.obstacles_tab.add, "sphere")
    record(page, poses)
    act(page, page.obstacles_tab._drag, page.obstacles_tab.things[0], poses[3])  # round a way-point
    act(page, tab._make_track)
    assert tab.track.status is fa.Status.COLLISION
    assert "sphere 1" in tab.status.content


def test_a_track_says_which_joint_is_too_fast():
    arm = fa.load("ur5")
    way = np.linspace([0.3, -1.2, 1.5, -0.4, 1.0, 0.2], [0.9, -1.0, 1.2, -0.4, 1.0, 0.2], 6)
    slow, fast = (arm.track(arm.fk(way), way[0], times=np.linspace(0.0, end, 6)) for end in (10.0, 0.1))
    assert "No joint is too fast" in track_card(slow)
    assert re.search("shoulder_pan_joint is [0-9.]+ times too fast .* [0-9.]+ s would do", track_card(fast))
    untimed = arm.track(arm.fk(way), way[0])
    assert "too fast" not in track_card(untimed)


def test_branches_are_drawn_and_visited(page):
    act(page, page.drag, PLANAR.fk([0.4, 0.9, -0.2]))
    page.branches_tab.shown.value = True
    page.settle()
    found = page.branches_tab.found
    assert len(found) == 2
    before = page.problem.q.copy()
    act(page, page.branches_tab._go_on)
    assert np.abs(page.problem.q - before).max() > 0.1
    assert error_of(page) < 2e-6
    page.branches_tab.shown.value = False
    page.settle()
    assert page.branches_tab.status.content == ""


def test_steps_are_walked_and_follow_the_target(page):
    tab = page.steps_tab
    act(page, page.solve_tab._set_goal, "position only")
    act(page, tab._toggle)
    assert not page.arm.root.visible
    act(page, tab._step, "Next")
    assert "Stage 1 of" in tab.said.content
    act(page, tab._set_by_joint, True)
    act(page, tab._step, "Next")
    assert "Placed so far: 1 of 4, point 0 last" in tab.said.content
    act(page, tab._step, "Last")
    first = tab.player.trace
    act(page, page.drag, PLANAR.fk([0.2, 0.2, 0.2]))
    assert tab.player.trace is not first
    np.testing.assert_allclose(tab.player.trace.points[-1, -1], page.problem.T[:3, 3], atol=2e-6)
    act(page, tab._go_to, 0)
    act(page, tab._toggle_playing)
    assert tab.tick() is not None
    act(page, tab._take_start)
    act(page, tab._toggle)
    assert page.arm.root.visible


@pytest.fixture
def arm_page(server):
    """Makes pages of arms by name, all taken down at the end."""

    def make(name):
        arm = fa.load(name)
        made = ArmPage(server, arm, capsule_pieces(arm.model))
        made.worker.close()
        return made

    yield make
    server.scene.reset()
    server.gui.reset()


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_is_offered_and_gives_a_verdict(arm_page, method):
    page = arm_page("ur5")
    assert method in page.solve_tab.method.options
    act(page, page.solve_tab._set_method, method)
    T = page.problem.T.copy()
    T[:3, 3] += 0.03, 0.02, -0.04
    act(page, page.drag, T)
    solution = page.answer.solution
    title = re.search('font-size:15px">([^<]+)<', page.verdict.content)[1]
    assert title == TITLES[solution.status]
    assert method == "auto" or solution.method.startswith(method)
    away = np.linalg.norm(page.problem.arm.fk(page.problem.q)[:3, 3] - T[:3, 3])
    assert away == pytest.approx(solution.position_error, abs=1e-12)
    assert (away < 2e-6) == (title == "Solved")
    assert solution.success or method == "jacobian-transpose"  # which is slow to arrive


@pytest.mark.parametrize("name", ["ur5", "puma560", "iiwa14"])
def test_the_sweeps_and_sqp_steps_of_combined_are_walked(arm_page, name):
    page = arm_page(name)
    tab = page.steps_tab
    assert "combined" in tab.method.options
    tab.method.value = "combined"
    act(page, tab._set_method, "combined")
    assert tab.sweeps.visible
    tab.sweeps.value = 1
    act(page, tab._toggle)
    trace = tab.player.trace
    assert trace.stages[:3] == ("start", "forward", "backward")
    assert set(trace.stages[3:]) == {"sqp"}
    assert trace.distance[-1] < 1e-6
    np.testing.assert_allclose(page.problem.arm.fk(trace.q), page.problem.T, atol=2e-6)
    for step, words in ((1, "P3 is put on P_t"), (2, "P1 is put back on the shoulder"), (3, "quadratic programming")):
        act(page, tab._step, "Next")
        assert f"Stage {step} of" in tab.said.content
        assert words in tab.said.content
        np.testing.assert_allclose(tab._scene.goal.position, trace.goals[step], atol=1e-12)
    lengths = np.linalg.norm(np.diff(trace.points[3], axis=0), axis=1)
    np.testing.assert_allclose(lengths, np.linalg.norm(np.diff(trace.points[0], axis=0), axis=1), atol=1e-9)
    act(page, tab._step, "Last")
    assert "It arrives after 1 sweep and" in tab.curve.content
    tip = tab._scene._outline.balls.batched_positions[-1]  # the pale arm stands at the target
    np.testing.assert_allclose(tip, page.problem.T[:3, 3], atol=2e-6)
    tab.method.value = "fabrik-r"
    act(page, tab._set_method, "fabrik-r")
    assert tab._scene._outline is None


def test_a_goal_that_a_method_cannot_do_has_no_steps_and_says_why(arm_page):
    page = arm_page("ur5")
    page.steps_tab.method.value = "combined"
    act(page, page.solve_tab._set_goal, "position only")
    act(page, page.steps_tab._toggle)
    assert "No steps to show" in page.steps_tab.idea.content
    assert "does not support Position targets" in page.steps_tab.idea.content


def gap_to_sphere(robot, q, sphere):
    """From the capsules of the skeleton to a sphere, by points along them [m]; the first link is mounted."""
    radius = 0.04 * robot.reach
    points = robot.fk_all(q)[:, :3, 3]
    along = np.linspace(0.0, 1.0, 401)[:, None]
    line = np.concatenate([a + along * (b - a) for a, b in pairwise(points)])
    return np.linalg.norm(line - sphere.center, axis=1).min() - sphere.radius - radius


def test_an_arm_keeps_clear_of_what_is_dragged_against_it(arm_page):
    page = arm_page("iiwa14")
    tab = page.obstacles_tab
    assert "No obstacles" in tab.status.content
    arm, T = page.problem.arm, page.problem.T.copy()
    act(page, tab.add, "sphere")
    elbow = np.eye(4)
    elbow[:3, 3] = arm.fk_all(page.problem.q)[2, :3, 3]
    before = page.problem.q.copy()
    act(page, tab._drag, tab.things[0], elbow)
    assert page.answer.solution.success
    assert "Solved" in page.verdict.content
    assert np.abs(page.problem.q - before).max() > 0.05
    np.testing.assert_allclose(arm.fk(page.problem.q), T, atol=2e-6)
    gap = gap_to_sphere(arm, page.problem.q, tab.things[0].solid())
    assert gap >= page.problem.clearance - 1e-3  # by points 1 mm apart
    assert "Clear" in tab.status.content
    assert "sphere 1" in tab.status.content
    act(page, tab._set_hull, True)
    np.testing.assert_array_equal(tab.hull.shown, page.problem.q)
    act(page, page.solve_tab._set_method, "ccd")
    assert "solved by auto, not by ccd" in tab.status.content
    act(page, tab._set_itself, False)
    assert page.answer.solution.success
    act(page, tab._remove)
    assert page.problem.scene is None
    assert page.answer.solution.method == "ccd"


def test_a_collision_is_said_in_words_with_the_obstacle(arm_page):
    page = arm_page("ur5")
    tab = page.obstacles_tab
    act(page, tab.add, "box")
    act(page, tab._drag, tab.things[0], page.problem.T)  # round the target itself
    assert page.answer.solution.status is fa.Status.COLLISION
    assert "An obstacle is in the way" in page.verdict.content
    assert "with the most room" in page.verdict.content
    assert "box 1" in page.verdict.content
    assert "Touching" in tab.status.content
    assert tab.things[0].touched
    np.testing.assert_allclose(page.problem.arm.fk(page.problem.q), page.problem.T, atol=2e-6)
    page.branches_tab.shown.value = True
    page.settle()
    found = page.branches_tab.found
    assert f"{len(found)} of them would touch something" in page.branches_tab.status.content
    for _ in range(3):  # there is no more than one to take away
        act(page, tab._remove)
    assert "Solved" in page.verdict.content
    assert "would touch" not in page.branches_tab.status.content


@pytest.mark.parametrize("goal", ["pose", "position only", "point and tool axis", "orientation only"])
def test_every_kind_of_target_goes_with_obstacles(arm_page, goal):
    page = arm_page("iiwa14")
    act(page, page.solve_tab._set_goal, goal)
    act(page, page.branches_tab._turn, 10.0)
    act(page, page.obstacles_tab.add, "capsule")
    elbow = np.eye(4)
    elbow[:3, 3] = page.problem.arm.fk_all(page.problem.q)[2, :3, 3] + [0.0, 0.1, 0.0]
    act(page, page.obstacles_tab.put, page.obstacles_tab.things[0], elbow)
    solution = page.answer.solution
    assert solution.success
    measured = page.problem.arm.clearance(page.problem.q, page.problem.scene)
    assert measured.distance == pytest.approx(solution.clearance, abs=1e-9)
    assert solution.clearance >= page.problem.clearance - 1e-9
    assert "The swivel angle is not held" in page.obstacles_tab.status.content


def test_an_arm_that_would_touch_itself_is_told_so():
    class Touching:
        status = fa.Status.COLLISION
        closest = Clearance(-0.01, "after elbow", "link 'base'", None)

    assert title_of(Touching()) == "The arm would touch itself"
    assert closest_words(Touching.closest) == "Link after elbow is <b>10.0 mm inside</b> link &#x27;base&#x27;."
    assert closest_words(Clearance(np.inf, "", "", None)) == "Nothing is near."


def test_problems_are_shown_in_the_page(page):
    page.complain(fa.errors.OptionError("a <b> that is wrong"))
    assert "This cannot be done" in page.verdict.content
    assert "a &lt;b&gt; that is wrong" in page.verdict.content
    page.complain(RuntimeError("broken"))
    assert "An error in the viewer" in page.verdict.content


def test_a_swivel_is_held(server):
    arm = fa.load("iiwa14")
    page = ArmPage(server, arm, capsule_pieces(arm.model))
    page.worker.close()
    T = page.problem.T.copy()
    act(page, page.branches_tab._turn, 20.0)
    assert page.answer.solution.success
    assert np.degrees(arm.swivel(page.problem.q)) == pytest.approx(20.0, abs=1e-6)
    np.testing.assert_allclose(arm.fk(page.problem.q), T, atol=2e-6)
    act(page, page.branches_tab._hold, False)
    assert page.problem.swivel is None
    server.scene.reset()
    server.gui.reset()


def test_a_chain_follows_with_cones_pole_and_obstacles(chain_page):
    page, tab = chain_page, chain_page.bones_tab
    T = np.eye(4)
    T[:3, 3] = 0.3, 0.3, 0.6
    act(page, page.drag, "tip", T)
    np.testing.assert_allclose(page.problem.points[-1], T[:3, 3], atol=2e-6)
    act(page, tab._set_pole, True)
    assert page.answer.solution.success
    act(page, tab._set_angle, 50.0)
    bones = np.diff(page.problem.points, axis=0)
    cosines = np.sum(bones[1:] * bones[:-1], axis=1) / (np.linalg.norm(bones, axis=1)[1:] ** 2)
    assert np.degrees(np.arccos(cosines.clip(-1, 1))).max() <= 50.0 + 1e-6
    assert tab.with_cones.visible
    frames = page.answer.solution.frames
    axes = socket_axes(page.problem.figure.bones, frames)
    swings = np.arccos(np.sum(axes * frames[:, :, 0], axis=1).clip(-1, 1))
    assert np.degrees(swings).max() <= 50.0 + 1e-6  # every bone is inside the cone that is drawn
    np.testing.assert_allclose(axes[1:], frames[:-1, :, 0], atol=1e-9)  # of an upright rest pose
    drawn = tab.cones.groups[0][1]
    np.testing.assert_allclose(drawn.batched_positions, page.problem.points[:-1], atol=1e-6)
    act(page, tab._set_angle, 180.0)
    act(page, tab._set_pole, False)
    act(page, tab._go_home)
    np.testing.assert_allclose(page.problem.points[-1], page.problem.home[-1], atol=2e-6)


def test_a_chain_goes_round_an_obstacle(chain_page):
    page = chain_page
    act(page, page.obstacles_tab.add, "sphere")
    middle = np.eye(4)
    middle[:3, 3] = page.problem.points[3]
    act(page, page.obstacles_tab._drag, page.obstacles_tab.things[0], middle)
    assert page.answer.solution.success
    sphere = page.problem.obstacles[0]
    points = page.problem.points
    along = np.linspace(0.0, 1.0, 101)[:, None]
    line = np.concatenate([a + along * (b - a) for a, b in pairwise(points)])
    gap = np.linalg.norm(line - sphere.center, axis=1).min() - sphere.radius - page.problem.thickness
    assert gap >= -1e-6
    assert gap == pytest.approx(page.answer.solution.clearance, abs=1e-3)
    for kind in ("capsule", "box"):
        act(page, page.obstacles_tab.add, kind)
    assert len(page.problem.obstacles) == 3
    for _ in range(4):
        act(page, page.obstacles_tab._remove)
    assert not page.problem.obstacles


@pytest.mark.parametrize("method", ["fabrik", "bezier"])
def test_chains_are_solved_by_either_method(chain_page, method):
    act(chain_page, chain_page.bones_tab._set_method, method)
    T = np.eye(4)
    T[:3, 3] = 0.2, 0.4, 0.5
    act(chain_page, chain_page.drag, "tip", T)
    assert chain_page.answer.solution.method.startswith(method)
    np.testing.assert_allclose(chain_page.problem.points[-1], T[:3, 3], atol=2e-6)
    lengths = np.linalg.norm(np.diff(chain_page.problem.points, axis=0), axis=1)
    np.testing.assert_allclose(lengths, 1.0 / 6.0, atol=1e-9)


def test_chain_steps(chain_page):
    act(chain_page, chain_page.steps_tab._toggle)
    act(chain_page, chain_page.steps_tab._step, "Next")
    player = chain_page.steps_tab.player
    assert player.name == "forward"
    np.testing.assert_allclose(player.points[-1], chain_page.problem.targets["tip"], atol=1e-12)
    act(chain_page, chain_page.steps_tab._take_start)
    act(chain_page, chain_page.steps_tab._toggle)


def test_curves_of_the_bezier_search_are_stepped(chain_page):
    page, tab = chain_page, chain_page.steps_tab
    tab.method.value = "bezier"
    act(page, tab._set_method, "bezier")
    act(page, tab._toggle)
    act(page, tab._step, "Next")
    assert "Stage 1 of" in tab.said.content
    assert "P1" in tab.said.content
    curve, _, P1 = tab._scene.bezier
    np.testing.assert_allclose(P1.position, tab.player.trace.control[1])
    np.testing.assert_allclose(curve.points[-1, 1], page.problem.targets["tip"], atol=1e-6)
    T = np.eye(4)
    T[:3, 3] = 3.0, 0.0, 0.0
    act(page, page.drag, "tip", T)  # no curve reaches there, and the page says so
    assert "No steps to show" in tab.idea.content
    assert tab.player is None


def test_a_skeleton_brings_both_hands_to_their_targets(server):
    body = upper_body()
    page = BonesPage(server, BonesProblem(body, 0.02), 1.0)
    page.worker.close()
    assert page.obstacles_tab is None  # nothing is offered that would do nothing
    for name in ("left forearm", "right forearm"):
        T = np.eye(4)
        T[:3, 3] = page.problem.targets[name] + [0.05, 0.0, 0.1]
        act(page, page.drag, name, T)
    assert page.answer.solution.success
    for name in ("left forearm", "right forearm", "head"):
        end = page.problem.points[body.bone_names.index(name) + 1]
        np.testing.assert_allclose(end, page.problem.targets[name], atol=1e-5)
    solution, tab = page.answer.solution, page.bones_tab
    angles, axes = cone_angles(body.bones), socket_axes(body.bones, solution.frames)
    swings = np.arccos(np.sum(axes * solution.frames[:, :, 0], axis=1).clip(-1, 1))
    assert np.isfinite(angles).sum() == 9
    assert (swings[np.isfinite(angles)] <= angles[np.isfinite(angles)] + 1e-6).all()
    assert len(tab.cones.groups) == 4  # as many different angles

    assert not tab.with_pole.visible  # a pole goes with one tip
    act(page, tab._set_tip, "head", False)
    act(page, tab._set_tip, "left forearm", False)
    act(page, tab._set_tip, "right forearm", False)  # the last one stays
    assert page.problem.wanted == ("right forearm",)
    assert tab.tips["right forearm"].value
    assert not page.handles["head"].visible
    assert tab.with_pole.visible
    before = page.problem.points.copy()
    tab.with_pole.value = True
    act(page, tab._set_pole, True)
    T = np.eye(4)
    T[:3, 3] = page.problem.points[body.bone_names.index("right upper arm") + 1] + [0.0, -0.5, 0.3]
    act(page, tab._drag_pole, T)
    assert np.abs(page.problem.points - before).max() > 1e-3
    tip, target = page.problem.ends()
    np.testing.assert_allclose(tip, target, atol=1e-5)
    act(page, page.steps_tab._toggle)
    assert page.steps_tab.player is not None
    act(page, page.steps_tab._toggle)
    act(page, tab._set_tip, "head", True)
    assert page.problem.pole is None
    assert not tab.with_pole.value
    server.scene.reset()
    server.gui.reset()


@pytest.mark.parametrize(
    "start", [lambda **at: view_robot(PLANAR, **at), lambda **at: view_chain(4, **at), view_skeleton]
)
def test_viewers_start_and_close(start):
    with start(port=0) as viewer:
        assert viewer.url.startswith("http://127.0.0.1:")
        assert viewer.server.request_share_url() is None
        with start(port=viewer.port) as second:  # a port in use
            assert second.port != viewer.port
            assert second.wanted_port == viewer.port


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ({"host": "192.0.2.1"}, "host is '192.0.2.1', where nothing can listen"),
        ({"host": "no such host.invalid"}, "where nothing can listen"),
        ({"port": 70000}, "port is 70000; it takes 0"),
    ],
)
def test_addresses_that_cannot_be_are_refused(at, words):
    with pytest.raises(fa.errors.OptionError, match=re.escape(words)):
        view_robot(PLANAR, **at)


def test_a_chain_of_no_bones_is_refused():
    with pytest.raises(fa.errors.OptionError, match="1 to 200"):
        view_chain(0)
