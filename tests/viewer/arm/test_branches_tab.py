"""All branches of a target, and the swivel."""

import numpy as np
import pytest
from acting import PLANAR, act, error_of

import forearm as fa
from forearm.viewer.arm.figure import capsule_pieces
from forearm.viewer.arm.page import ArmPage


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
