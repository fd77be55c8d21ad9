"""A method is walked step by step."""

import numpy as np
import pytest
from acting import PLANAR, act


def test_steps_are_walked_and_follow_the_target(page):
    tab = page.steps_tab
    act(page, page.solve_tab._set_goal, "position only")
    act(page, page.tabs.open, "Steps")
    assert not page.arm.root.visible
    assert "arrives" in page.verdict.content
    act(page, tab._set_method, "fabrik-r")
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
    act(page, page.tabs.open, "Branches")  # steps end with their tab
    assert page.arm.root.visible
    assert page.branches_tab._ghosts[0][0].root.visible
    assert "Solved" in page.verdict.content


def test_the_first_replay_arrives_and_the_verdict_is_its_own(arm_page):
    page = arm_page("ur5")
    act(page, page.tabs.open, "Steps")
    method = page.steps_tab.method.value
    assert page.steps_tab.player.trace.distance[-1] < 1e-6
    assert f"{method} arrives" in page.verdict.content
    act(page, page.steps_tab._set_method, "jacobian-transpose")
    page.steps_tab.method.value = "jacobian-transpose"
    act(page, page.steps_tab._set_method, "jacobian-transpose")
    assert "jacobian-transpose" in page.verdict.content
    assert "closed-form" not in page.verdict.content


@pytest.mark.parametrize("name", ["ur5", "puma560", "iiwa14"])
def test_the_sweeps_and_sqp_steps_of_combined_are_walked(arm_page, name):
    page = arm_page(name)
    tab = page.steps_tab
    assert "combined" in tab.method.options
    tab.method.value = "combined"
    act(page, tab._set_method, "combined")
    assert tab.sweeps.visible
    tab.sweeps.value = 1
    act(page, page.tabs.open, "Steps")
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
    assert "After 1 sweep and" in page.verdict.content
    tip = tab._scene._outline.balls.batched_positions[-1]  # the pale arm stands at the target
    np.testing.assert_allclose(tip, page.problem.T[:3, 3], atol=2e-6)
    tab.method.value = "fabrik-r"
    act(page, tab._set_method, "fabrik-r")
    assert tab._scene._outline is None


def test_a_goal_that_a_method_cannot_do_has_no_steps_and_says_why(arm_page):
    page = arm_page("ur5")
    act(page, page.steps_tab._set_method, "combined")
    page.steps_tab.method.value = "combined"
    act(page, page.solve_tab._set_goal, "position only")
    act(page, page.tabs.open, "Steps")
    assert "No steps to show" in page.steps_tab.idea.content
    assert "does not support Position targets" in page.steps_tab.idea.content


def test_chain_steps(chain_page):
    act(chain_page, chain_page.tabs.open, "Steps")
    act(chain_page, chain_page.steps_tab._step, "Next")
    player = chain_page.steps_tab.player
    assert player.name == "forward"
    np.testing.assert_allclose(player.points[-1], chain_page.problem.targets["tip"], atol=1e-12)
    act(chain_page, chain_page.steps_tab._take_start)
    act(chain_page, chain_page.tabs.open, "Solve")
    assert chain_page.bones.root.visible


def test_curves_of_the_bezier_search_are_stepped(chain_page):
    page, tab = chain_page, chain_page.steps_tab
    tab.method.value = "bezier"
    act(page, tab._set_method, "bezier")
    act(page, page.tabs.open, "Steps")
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


def test_the_points_of_the_steps_are_in_view(page):
    act(page, page.tabs.open, "Steps")
    points, seen = page.steps_tab.player.trace.points.reshape(-1, 3), page._seen()
    assert (seen.min(axis=0) <= points.min(axis=0)).all()
    assert (seen.max(axis=0) >= points.max(axis=0)).all()
    act(page, page.tabs.open, "Solve")
    assert len(page._seen()) == len(page.extent())


def test_sweeps_that_end_before_the_target_say_what_a_solve_does_then(arm_page):
    page = arm_page("ur5")
    act(page, page.tabs.open, "Steps")
    page.steps_tab.method.value = "fabrik-r"
    act(page, page.steps_tab._set_method, "fabrik-r")
    assert page.steps_tab.player.trace.distance[-1] > 1e-6
    assert "a solve goes on from them by Levenberg-Marquardt" in page.verdict.content


def test_steps_toward_a_target_out_of_reach_promise_nothing_and_leave_no_line_in_the_air(page):
    T = np.eye(4)
    T[0, 3] = 0.5
    act(page, page.drag, T)
    assert page.stage.gap.visible
    act(page, page.tabs.open, "Steps")
    assert not page.stage.gap.visible
    act(page, page.steps_tab._set_method, "fabrik-r")
    T[0, 3] = 0.6
    act(page, page.drag, T)
    assert not page.stage.gap.visible
    assert "does not arrive" in page.verdict.content
    assert "a solve goes on" not in page.verdict.content
    act(page, page.tabs.open, "Solve")
    assert page.stage.gap.visible
