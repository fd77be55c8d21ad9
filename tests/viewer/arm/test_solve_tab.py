"""The first tab of an arm: goal, method, joints, numbers, tool, copies."""

import json
import re
from html import unescape

import numpy as np
import pytest
from acting import PLANAR, act

from forearm.viewer.arm.drive import SERVO


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


def test_joints_are_sliders_that_move_the_arm_and_follow_it(arm_page):
    page = arm_page("scara")
    sliders = page.solve_tab.joints
    assert [slider.max for slider in sliders] == [105.0, 150.0, 210.0, 360.0]  # degrees, and millimetres of the slide
    act(page, page.solve_tab._set_joint, 2, 120.0)
    act(page, page.solve_tab._set_joint, 0, 999.0)  # typed past the end
    assert page.problem.q[2] == pytest.approx(0.12)
    assert page.problem.q[0] == pytest.approx(np.radians(105.0))
    assert sliders[0].value == 105.0
    assert "joint1" in page.solve_tab.near.content
    np.testing.assert_allclose(page.problem.T, page.problem.arm.fk(page.problem.q))
    np.testing.assert_allclose(page.stage.gizmo.position, page.problem.T[:3, 3])
    assert "Joints set by hand" in page.verdict.content


def test_q_is_copied_and_saved_as_json_that_fk_takes(arm_page, monkeypatch):
    page, saved = arm_page("ur5"), {}
    monkeypatch.setattr(type(page.host), "send_file_download", lambda _, name, data, **__: saved.update({name: data}))
    copied = re.search('data-text="({[^"]*})"', page.solve_tab.copies.content)[1]
    assert page.problem.arm.fk(json.loads(unescape(copied))) == pytest.approx(page.problem.T)
    page.solve_tab._save_q()
    assert json.loads(saved["ur5-q.json"]) == dict(zip(page.problem.robot.joint_names, page.problem.q, strict=True))


def test_a_servo_moves_the_arm_inside_its_bounds(arm_page):
    page = arm_page("ur5")
    before, T = page.problem.q.copy(), page.problem.T.copy()
    page.solve_tab.motion.value = SERVO
    page.set_driven(True)
    T[:3, 3] += 0.0, 0.1, -0.1
    page.drag(T)
    page.drive._before -= 0.05  # a twentieth of a second later
    assert page.tick() is not None
    moved = np.abs(page.problem.q - before)
    assert 0.0 < moved.max() <= 0.05 * page.problem.arm.velocity_limits.max()
    assert "Servo: limited" in page.verdict.content
    for _ in range(200):
        page.drive._before -= 0.1
        if page.tick() is None:
            break
    np.testing.assert_allclose(page.problem.arm.fk(page.problem.q), T, atol=1e-5)
    assert "Servo: following" in page.verdict.content
    page.set_driven(False)
    act(page, page.drag, T)
    assert "Solved" in page.verdict.content
