"""The first tab of an arm: goal, method, numbers, tool."""

import numpy as np
import pytest
from acting import PLANAR, act


def test_numbers_follow_the_handle_and_move_it(page):
    T = PLANAR.fk([0.3, 0.3, 0.3])
    act(page, page.drag, T)
    x = page.solve_tab.numbers[0]
    assert abs(x.value - T[0, 3]) <= x.step
    act(page, page.solve_tab._set_number, 5, 999.0)  # typed past the end of the slider
    assert page.stage.gizmo.wxyz @ np.array([0, 0, 0, 1.0]) == pytest.approx(1.0)  # half a turn about z, not 999


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
