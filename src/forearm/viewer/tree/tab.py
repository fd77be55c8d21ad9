"""The panel of a robot with several tips: a folder for each goal, a slider for each joint."""

import json
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.common.types import Floats
from forearm.viewer.arm.problem import GOALS
from forearm.viewer.shared.controls import Tabs, clamped, on_change, on_press
from forearm.viewer.shared.save import save_picture, save_text
from forearm.viewer.tree.problem import LEVELS, WEIGHTS

if TYPE_CHECKING:
    from forearm.viewer.tree.page import TreePage

OPEN_GOALS = 3  # more folders than this are closed at first
SLIDERS_EVERY = 0.2  # seconds between two times that the sliders follow a robot that moves
LEVEL_HINT = "Level 1 is met first; level 2 uses only what is left free, and so on."
WEIGHT_HINT = "How much its error counts against others of its level, where not all can be had."


class TreeTab:
    """Controls of the goals and joints of a page."""

    def __init__(self, page: "TreePage", tabs: Tabs) -> None:
        self.page = page
        self.rows: dict[str, dict[str, Any]] = {}  # the controls of each goal
        self._shown_at, self._is_behind = 0.0, False
        gui, worker = page.host.gui, page.worker
        with tabs.part("Goals"):
            for name in page.problem.wishes:
                with gui.add_folder(name, expand_by_default=len(page.problem.wishes) <= OPEN_GOALS):
                    self.rows[name] = self._goal_row(gui, name)
            home = gui.add_button("Back to the first pose", color="gray")
            on_press(home, worker, page.go_home)
            on_press(gui.add_button("Fit into the view (F)", color="gray"), worker, page.fit)
            on_press(gui.add_button("Light or dark (L)", color="gray"), worker, page.change_look)
        with tabs.part("Joints"):
            self.joints = self._joint_sliders(gui)
            on_press(gui.add_button("Save q (JSON)", color="gray"), worker, self._save_q)
            on_press(gui.add_button("Save a picture (PNG)", color="gray"), worker, self._save_picture)

    def _goal_row(self, gui: Any, name: str) -> dict[str, Any]:
        problem, worker = self.page.problem, self.page.worker
        wish, kind = problem.wishes[name], problem.kind_of(name)
        row = {"asked": gui.add_checkbox(f"ask for {name}", name not in problem.idle)}
        if kind:
            row["kind"] = gui.add_dropdown("goal", list(GOALS), initial_value=kind)
        row["level"] = gui.add_slider("level", 1, LEVELS, 1, min(wish.level, LEVELS), hint=LEVEL_HINT)
        low, high = WEIGHTS
        row["weight"] = gui.add_slider("weight", low, high, 0.1, clamped(wish.weight, low, high), hint=WEIGHT_HINT)
        on_change(row["asked"], worker, partial(self._ask_for, name))
        for key, control in row.items():
            if key != "asked":
                on_change(control, worker, lambda _: self._set_about(name))
        return row

    def _joint_sliders(self, gui: Any) -> list[Any]:
        body, sliders = self.page.problem.body, []
        for k, (name, kind) in enumerate(zip(body.joint_names, body.joint_kinds, strict=True)):
            factor, unit = self._factor(k), "mm" if kind == "prismatic" else "°"
            free = 1.0 if kind == "prismatic" else np.pi
            lower, upper = np.round(factor * np.nan_to_num(body.limits[:, k], posinf=free, neginf=-free), 1).tolist()
            value = round(clamped(factor * self.page.problem.q[k], lower, upper), 1)
            sliders.append(gui.add_slider(f"{name} [{unit}]", lower, upper, 0.1, value))
            on_change(sliders[k], self.page.worker, partial(self._set_joint, k))
        return sliders

    def _factor(self, k: int) -> float:
        """What a slider shows of a radian or a metre."""
        return 1e3 if self.page.problem.body.joint_kinds[k] == "prismatic" else float(180.0 / np.pi)

    # -- wishes --------------------------------------------------------------------------------

    def _ask_for(self, name: str, wanted: Any) -> None:
        problem = self.page.problem
        problem.ask_for(name, bool(wanted))
        self.rows[name]["asked"].value = name not in problem.idle
        self.page.dress(name)
        self.page.ask()

    def _set_about(self, name: str) -> None:
        row, problem = self.rows[name], self.page.problem
        level = int(clamped(row["level"].value, 1, LEVELS))
        weight = clamped(row["weight"].value, *WEIGHTS)
        problem.set_about(name, weight, level, row["kind"].value if "kind" in row else "")
        self.page.dress(name)
        self.page.ask()

    def _set_joint(self, k: int, value: Any) -> None:
        slider, limits = self.joints[k], self.page.problem.body.limits[:, k]  # which may be infinite
        self.page.set_joint(k, clamped(clamped(value, slider.min, slider.max) / self._factor(k), *limits))

    def _save_q(self) -> None:
        problem = self.page.problem
        values: dict[str, Any] = dict(zip(problem.body.joint_names, problem.q.tolist(), strict=True))
        data = {"q": values, "base": problem.base.tolist()}
        save_text(self.page.host, f"{problem.tree.name}-q.json", json.dumps(data, indent=2) + "\n")

    def _save_picture(self) -> None:
        save_picture(self.page.host, f"{self.page.problem.tree.name}.png")

    # -- what is shown -------------------------------------------------------------------------

    def show(self) -> None:
        """Lets the sliders follow: a few times a second, as to tell a page of them takes longer than a solve."""
        self._is_behind = True
        if time.monotonic() - self._shown_at > SLIDERS_EVERY:
            self.settle()

    def settle(self) -> None:
        """Shows what the sliders are behind with."""
        if self._is_behind:
            self._is_behind, self._shown_at = False, time.monotonic()
            self._follow(self.page.problem.q)

    def _follow(self, q: Floats) -> None:
        for k, (slider, value) in enumerate(zip(self.joints, q.tolist(), strict=True)):
            shown = round(clamped(self._factor(k) * value, slider.min, slider.max), 1)
            self.page.worker.show(slider, shown)
