"""The first tab of an arm's page: goal, method, joints, target by numbers, tool, copies and files."""

import json
import time
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.common.markup import tag
from forearm.common.palette import css
from forearm.common.types import Floats
from forearm.solve.methods.table import METHODS
from forearm.viewer.arm.drive import AT_ONCE, SERVO
from forearm.viewer.shared.controls import clamped, on_change, on_press
from forearm.viewer.shared.rotations import degrees_of, pose_from_degrees
from forearm.viewer.shared.save import copy_button, save_picture, save_text
from forearm.viewer.shared.theme import MISSED, START
from forearm.viewer.shared.words import card

if TYPE_CHECKING:
    from forearm.viewer.arm.page import ArmPage


TOOL_PER_REACH = 0.3  # the longest tool that can be set, per metre of reach
STEP_PER_REACH = 0.005
SLIDERS_EVERY = 0.2  # seconds between two times that the sliders follow an arm that moves
JOINT_STEP = 0.1  # of the joints' sliders [deg or mm]
NEAR_LIMIT = 0.03  # a joint within this share of its range from a limit is said to be near it
MOTION_HINT = "At once: the arm jumps to each answer. Servo: it moves as fast as its bounds allow, as on a real arm."
LABELS = ("x [m]", "y [m]", "z [m]", "roll [°]", "pitch [°]", "yaw [°]")


class SolveTab:
    """Controls of a solve, built inside an open tab of the arm's page."""

    def __init__(self, page: "ArmPage") -> None:
        self.page = page
        self._behind: Floats | None = None  # joint values that the sliders do not show yet
        self._shown_at = 0.0
        gui, problem = page.host.gui, page.problem
        self.goal = gui.add_dropdown("Goal", problem.goals(), initial_value=problem.goal)
        self.method = gui.add_dropdown("Method", problem.methods(), initial_value=problem.method)
        self.motion = gui.add_dropdown("Motion", [AT_ONCE, SERVO], initial_value=AT_ONCE, hint=MOTION_HINT)
        with gui.add_folder("Joints"):
            self.joints = self._joint_sliders(gui)
            self.near = gui.add_html("")
        with gui.add_folder("Target by numbers", expand_by_default=False):
            self.numbers = self._target_sliders(gui)
        with gui.add_folder("Tool on the tip", expand_by_default=False):
            self.tool = self._tool_sliders(gui)
        with gui.add_folder("Copy and save", expand_by_default=False):
            self.copies = gui.add_html("")
            saves = {"Save q (JSON)": self._save_q, "Save a picture (PNG)": self._save_picture}
            for label, action in saves.items():
                on_press(gui.add_button(label, color="gray"), page.worker, action)
        with gui.add_folder("About the method", expand_by_default=False):
            self.about = gui.add_html("")
        home = gui.add_button("Back to the first pose", color="gray")
        fit = gui.add_button("Fit into the view (F)", color="gray")
        look = gui.add_button("Light or dark (L)", color="gray")
        on_press(fit, page.worker, page.fit)
        on_press(look, page.worker, page.change_look)
        on_change(self.motion, page.worker, lambda chosen: page.set_driven(chosen == SERVO))
        on_change(self.goal, page.worker, self._set_goal)
        on_change(self.method, page.worker, self._set_method)
        on_press(home, page.worker, self._go_home)
        self._describe()

    def _joint_sliders(self, gui: Any) -> list[Any]:
        model, sliders = self.page.problem.robot.model, []
        for k, (name, lower, upper) in enumerate(zip(model.joint_names, *self._ranges(), strict=True)):
            unit = "mm" if model.joint_kinds[k] == "prismatic" else "°"
            value = round(clamped(self._shown(k, self.page.problem.q[k]), lower, upper), 1)
            ends = ((lower, f"{lower:.0f}{unit}"), (upper, f"{upper:.0f}{unit}"))
            sliders.append(gui.add_slider(name, lower, upper, JOINT_STEP, value, marks=ends))
            on_change(sliders[k], self.page.worker, partial(self._set_joint, k))
        return sliders

    def _ranges(self) -> Floats:
        """(2, n) from where to where the joints' sliders go [deg or mm]; what has no limits, a turn or two metres."""
        model = self.page.problem.robot.model
        slides = np.array([kind == "prismatic" for kind in model.joint_kinds])
        free = np.where(slides, 1.0, np.pi)
        limits = np.where(np.isfinite(model.limits), model.limits, [-free, free])
        return np.asarray(np.round(limits * self._factors(), 1))

    def _factors(self) -> Floats:
        """(n,) what a slider shows of a radian or a metre."""
        slides = np.array([kind == "prismatic" for kind in self.page.problem.robot.model.joint_kinds])
        return np.where(slides, 1e3, 180.0 / np.pi)

    def _shown(self, k: int, value: float) -> float:
        """A joint value as its slider shows it; that of a joint without limits in its first turn."""
        model = self.page.problem.robot.model
        if model.joint_kinds[k] != "prismatic" and not np.isfinite(model.limits[:, k]).all():
            value = (value + np.pi) % (2.0 * np.pi) - np.pi
        return float(value * self._factors()[k])

    def _target_sliders(self, gui: Any) -> list[Any]:
        far = round(1.3 * self.page.size, 2)
        step = round(STEP_PER_REACH * self.page.size, 4) or 1e-4
        ranges = [(far, step)] * 3 + [(180.0, 1.0)] * 3
        sliders = []
        for k, value in enumerate(degrees_of(self.page.problem.T)):
            most, step = ranges[k]
            sliders.append(gui.add_slider(LABELS[k], -most, most, step, round(clamped(value, -most, most), 4)))
            on_change(sliders[k], self.page.worker, partial(self._set_number, k))
        return sliders

    def _tool_sliders(self, gui: Any) -> list[Any]:
        most = round(TOOL_PER_REACH * self.page.size, 3)
        sliders = [gui.add_slider(f"tool {axis} [m]", -most, most, round(most / 60.0, 5), 0.0) for axis in "xyz"]
        for slider in sliders:
            on_change(slider, self.page.worker, lambda _: self._set_tool(most))
        return sliders

    # -- wishes --------------------------------------------------------------------------------

    def choose_goal(self, goal: str) -> None:
        """Chooses a kind of target in place of the user, if it is one that this arm can meet."""
        if goal in self.goal.options:
            self.goal.value = goal
            self._set_goal(goal)

    def _set_goal(self, goal: str) -> None:
        problem = self.page.problem
        problem.set_goal(goal)
        self.method.options = problem.methods()
        self.method.value = problem.method
        gizmo = self.page.stage.gizmo  # arrows move the target and arcs turn it, where that means something
        gizmo.disable_axes = gizmo.disable_sliders = problem.goal == "orientation only"
        gizmo.disable_rotations = problem.goal == "position only"
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

    def _set_joint(self, k: int, value: Any) -> None:
        slider, limits = self.joints[k], self.page.problem.robot.limits[:, k]  # which may be infinite
        self.page.set_joint(k, clamped(clamped(value, slider.min, slider.max) / self._factors()[k], *limits))

    def _save_q(self) -> None:
        save_text(self.page.host, f"{self.page.problem.robot.name}-q.json", self._data(indent=2) + "\n")

    def _save_picture(self) -> None:
        save_picture(self.page.host, f"{self.page.problem.robot.name}.png")

    def _data(self, indent: int | None = None) -> str:
        """The joint values by name, as `q0` and `fk` take them, as JSON."""
        problem = self.page.problem
        return json.dumps(dict(zip(problem.robot.joint_names, problem.q.tolist(), strict=True)), indent=indent)

    def _go_home(self) -> None:
        problem = self.page.problem
        problem.q = problem.home
        self.page.set_target(problem.arm.fk(problem.home))

    # -- what is shown -------------------------------------------------------------------------

    def show(self, q: Floats, at_once: bool = False) -> None:
        """Lets the sliders follow the arm and its target: a few times a second while they move, and at last.

        What a page is told of sliders takes longer than a solve.
        """
        self._behind = q
        if at_once or time.monotonic() - self._shown_at > SLIDERS_EVERY:
            self.settle()

    def settle(self) -> None:
        """Shows what the sliders are behind with."""
        if self._behind is not None:
            q, self._behind, self._shown_at = self._behind, None, time.monotonic()
            self._show_joints(q)
            self._show_target(self.page.problem.T)

    def _show_target(self, T: Floats) -> None:
        for slider, value in zip(self.numbers, degrees_of(T), strict=True):
            rounded = round(clamped(value, slider.min, slider.max), 4)
            self.page.worker.show(slider, rounded)

    def _show_joints(self, q: Floats) -> None:
        """Lets the joints' sliders follow the arm, and says which are near a limit."""
        near = []
        spans = self._ranges()
        for k, (slider, value) in enumerate(zip(self.joints, q, strict=True)):
            shown = round(clamped(self._shown(k, value), slider.min, slider.max), 1)
            self.page.worker.show(slider, shown)
            lower, upper = self.page.problem.robot.limits[:, k]
            room = min(value - lower, upper - value) * self._factors()[k]
            if room < NEAR_LIMIT * (spans[1, k] - spans[0, k]):
                near.append(slider.label)
        words = f"Near a limit: <b>{escape(', '.join(near))}</b>" if near else ""
        self.near.content = tag("div", words, style=f"font-size:12px;padding:0 9px 4px;color:{css(MISSED)}")
        arrays = {"Copy q (JSON)": self._data(), "Copy q (Python)": f"q = {np.round(q, 9).tolist()}"}
        arrays["Copy the tip's pose"] = json.dumps(np.round(self.page.problem.arm.fk(q), 9).tolist())
        copies = "".join(copy_button(label, text) for label, text in arrays.items())
        self.copies.content = tag("div", copies, style="padding:2px 9px")

    def _describe(self) -> None:
        row = METHODS[self.page.problem.method]
        self.about.content = card(row.name, [row.summary, f"<i>{row.citation}</i>"], START)
