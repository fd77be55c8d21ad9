"""The page of an arm, acted on in place of its thread."""

import re

import numpy as np
import pytest
from acting import PLANAR, act, error_of

import forearm as fa
from forearm.results.html import VERDICTS
from forearm.solve.methods.table import METHODS
from forearm.viewer.arm.figure import Piece, capsule_pieces
from forearm.viewer.arm.page import ArmPage, size_of
from forearm.viewer.shared.shapes import capsule


def test_a_dragged_target_is_met(page):
    act(page, page.drag, PLANAR.fk([0.5, 0.4, -0.3]))
    assert page.answer.solution.success
    assert error_of(page) < 2e-6
    assert "Solved" in page.verdict.content
    np.testing.assert_array_equal(page.arm.shown, page.problem.q)


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
    assert title == VERDICTS[str(solution.status)]
    assert method == "auto" or solution.method.startswith(method)
    away = np.linalg.norm(page.problem.arm.fk(page.problem.q)[:3, 3] - T[:3, 3])
    assert away == pytest.approx(solution.position_error, abs=1e-12)
    assert (away < 2e-6) == (title == "Solved")
    assert solution.success or method == "jacobian-transpose"  # which is slow to arrive


def test_problems_are_shown_in_the_page(page):
    page.complain(fa.errors.OptionError("a <b> that is wrong"))
    assert "This cannot be done" in page.verdict.content
    assert "a &lt;b&gt; that is wrong" in page.verdict.content
    page.complain(RuntimeError("broken"))
    assert "An error in the viewer" in page.verdict.content


def test_the_floor_is_under_what_stands_below_the_base(server):
    legs = Piece(-1, capsule([0, 0, -0.8], [0, 0, 0], 0.1))
    made = ArmPage(server, PLANAR, [legs, *capsule_pieces(PLANAR.model)])
    made.worker.close()
    np.testing.assert_allclose(made.stage.floor.position, [0.0, 0.0, -0.9])
    server.scene.reset()
    server.gui.reset()


def test_while_a_target_is_dragged_the_verdict_follows_less_often_than_the_arm(page):
    act(page, page.drag, PLANAR.fk([0.5, 0.4, -0.3]))
    told = set()
    for turn in np.linspace(0.0, 0.1, 20):
        page.drag(PLANAR.fk([0.5 + turn, 0.4, -0.3]))
        page.refresh()
        assert error_of(page) < 2e-6
        told.add(page.verdict.content)
    assert len(told) < 10  # in as good as no time
    page.settle()
    assert page.verdict.content == page.words_of(page.answer)
    T = np.eye(4)
    T[0, 3] = 0.5
    page.drag(T)
    page.refresh()
    assert "Out of reach" in page.verdict.content  # what is new is told at once
