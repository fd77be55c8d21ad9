"""The first tab of an arm's page: goal, method, target by numbers, tool, joints."""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.common.types import Floats
from forearm.solve.methods.table import METHODS
from forearm.viewer.shared.controls import clamped, on_change, on_press
from forearm.viewer.shared.rotations import degrees_of, pose_from_degrees
from forearm.viewer.shared.theme import START
from forearm.viewer.shared.words import card, joint_bars

if TYPE_CHECKING:
    from forearm.viewer.arm.page import ArmPage


TOOL_PER_REACH = 0.3  # the longest tool that can be set, per metre of reach
STEP_PER_REACH = 0.005
LABELS = ("x [m]", "y [m]", "z [m]", "roll [°]", "pitch [°]", "yaw [°]")


class SolveTab:
    """Controls of a solve.

    Args:
        page: The arm's page; this is built inside an open tab of it.
    """

    def __init__(self, page: "ArmPage") -> None:
        self.page = page
        gui, problem = page.host.gui, page.problem
        self.goal = gui.add_dropdown("Goal", problem.goals(), initial_value=problem.goal)
        self.method = gui.add_dropdown("Method", problem.methods(), initial_value=problem.method)
        self.about = gui.add_html("")
        with gui.add_folder("Joints inside their limits"):
            self.bars = gui.add_html("")
        with gui.add_folder("Target by numbers", expand_by_default=False):
            self.numbers = self._target_sliders(gui)
        with gui.add_folder("Tool on the tip", expand_by_default=False):
            self.tool = self._tool_sliders(gui)
        home = gui.add_button("Back to the first pose", color="gray")
        on_change(self.goal, page.worker, self._set_goal)
        on_change(self.method, page.worker, self._set_method)
        on_press(home, page.worker, self._go_home)
        self._describe()

    def _target_sliders(self, gui: Any) -> list[Any]:
        far = round(1.3 * self.page.size, 2)
        step = round(STEP_PER_REACH * self.page.size, 4) or 1e-4
        ranges = [(far, step)] * 3 + [(180.0, 1.0)] * 3
        values = degrees_of(self.page.problem.T)
        sliders = [
            gui.add_slider(label, -most, most, step, round(clamped(value, -most, most), 4))
            for label, (most, step), value in zip(LABELS, ranges, values, strict=True)
        ]
        for k, slider in enumerate(sliders):
            on_change(slider, self.page.worker, partial(self._set_number, k))
        return sliders

    def _tool_sliders(self, gui: Any) -> list[Any]:
        most = round(TOOL_PER_REACH * self.page.size, 3)
        sliders = [gui.add_slider(f"tool {axis} [m]", -most, most, round(most / 60.0, 5), 0.0) for axis in "xyz"]
        for slider in sliders:
            on_change(slider, self.page.worker, lambda _: self._set_tool(most))
        return sliders

    # -- wishes --------------------------------------------------------------------------------

    def _set_goal(self, goal: str) -> None:
        problem = self.page.problem
        problem.set_goal(goal)
        self.method.options = problem.methods()
        self.method.value = problem.method
        self.page.stage.set_handles(moves=problem.goal != "orientation only", turns=problem.goal != "position only")
        self._describe()
        self.page.ask_anew()

    def _set_method(self, method: str) -> None:
        self.page.problem.set_method(method)
        self._describe()
        self.page.ask()

    def _set_number(self, k: int, value: Any) -> None:
        numbers = degrees_of(self.page.problem.T)
        most = 1.3 * self.page.size if k < 3 else 180.0
        numbers[k] = clamped(value, -most, most)
        self.page.set_target(pose_from_degrees(numbers))

    def _set_tool(self, most: float) -> None:
        self.page.problem.set_tool(np.array([clamped(slider.value, -most, most) for slider in self.tool]))
        self.page.ask_anew()

    def _go_home(self) -> None:
        problem = self.page.problem
        problem.q = problem.home
        self.page.set_target(problem.arm.fk(problem.home))

    # -- what is shown -------------------------------------------------------------------------

    def show_joints(self, q: Floats) -> None:
        """Draws (n,) joint values between their limits."""
        self.bars.content = joint_bars(self.page.problem.robot.model, q)

    def show_target(self, T: Floats) -> None:
        """Lets the numbers follow a target that was dragged."""
        for slider, value in zip(self.numbers, degrees_of(T), strict=True):
            rounded = round(clamped(value, slider.min, slider.max), 4)
            if abs(rounded - slider.value) > 0.5 * slider.step:
                slider.value = rounded

    def _describe(self) -> None:
        row = METHODS[self.page.problem.method]
        self.about.content = card(row.name, [row.summary, f"<i>{row.citation}</i>"], START)
