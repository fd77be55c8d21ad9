"""All branches of a target, and the swivel."""

import numpy as np
import pytest
from acting import PLANAR, act, error_of

import forearm as fa
from forearm.viewer.arm.figure import capsule_pieces
from forearm.viewer.arm.page import ArmPage
from forearm.viewer.shared.stage import view_axes


def test_branches_are_drawn_and_visited(page):
    act(page, page.drag, PLANAR.fk([0.4, 0.9, -0.2]))
    act(page, page.tabs.open, "Branches")
    found = page.branches_tab.found
    assert len(found) == 2
    before = page.problem.q.copy()
    act(page, page.branches_tab._go_on)
    assert np.abs(page.problem.q - before).max() > 0.1
    assert error_of(page) < 2e-6
    ghost, name = page.branches_tab._ghosts[0]
    assert ghost.root.visible
    np.testing.assert_allclose(ghost.shown, before, atol=1e-6)
    act(page, page.tabs.open, "Solve")  # the ghosts go with their tab
    assert not ghost.root.visible
    assert not name.visible


def test_branches_have_names_and_are_gone_to_by_them(arm_page):
    page = arm_page("ur5")
    act(page, page.tabs.open, "Branches")
    names = page.branches_tab.choice.options
    assert len(names) == len(page.branches_tab.found) == 8
    seen = np.array([name.position for ghost, name in page.branches_tab._ghosts if name.visible]) @ view_axes()[:2].T
    apart = np.abs(seen[:, None] - seen) / page.size
    assert len(seen) == 7
    assert ((apart[..., 0] > 0.3) | (apart[..., 1] > 0.03) | np.eye(len(seen), dtype=bool)).all()  # none covers another
    down = next(name for name in names if "elbow down" in name)
    act(page, page.branches_tab._go_to, down)
    assert "elbow down" in page.branches_tab.found[0].posture
    np.testing.assert_allclose(page.problem.arm.fk(page.problem.q), page.problem.T, atol=2e-6)


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


def test_names_have_room_on_a_phone_and_what_has_no_name_gets_none(arm_page):
    page = arm_page("ur5")
    page.stage.has_sheet = True
    act(page, page.tabs.open, "Branches")
    assert sorted(name.text for _, name in page.branches_tab._ghosts) == list("2345678")
    snake = arm_page("iiwa14")
    act(snake, snake.branches_tab.with_ribbon.__setattr__, "value", False)
    act(snake, snake.solve_tab._set_goal, "position only")
    act(snake, snake.tabs.open, "Branches")
    assert len(snake.branches_tab.found) > 2
    assert any(branch.posture == "" for branch in snake.branches_tab.found)
    assert not any(name.visible and not name.text.count(":") for _, name in snake.branches_tab._ghosts)
