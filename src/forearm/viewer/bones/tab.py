"""The first tab of a page of bones: method, cones, pole, which tips have targets."""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.bones.solution import ChainSolution
from forearm.common.types import Floats
from forearm.viewer.bones.cones import ConesScene
from forearm.viewer.shared.controls import clamped, on_change, on_drag, on_press
from forearm.viewer.shared.nodes import add_ball, add_handle
from forearm.viewer.shared.theme import REFINED, SMALL_GIZMO_SHARE, START
from forearm.viewer.shared.words import card

if TYPE_CHECKING:
    from forearm.viewer.bones.page import BonesPage


FREE = 180  # half-angle of a cone that is none [deg]
SMALLEST = 2

ABOUT = {
    "fabrik": "Forward and backward reaches without angles, finished by Gauss-Newton. Aristidou and Lasenby 2011.",
    "bezier": "The chain is laid on a quadratic Bezier curve whose control point is moved until the tip arrives.",
}


class BonesTab:
    """Controls of a solve, built inside an open tab of the page of bones."""

    def __init__(self, page: "BonesPage") -> None:
        self.page = page
        self.pole: Any = None
        self.cones: ConesScene | None = None
        self._faded = False
        gui, worker, problem = page.host.gui, page.worker, page.problem
        if len(problem.methods) > 1:
            self.method = gui.add_dropdown("Method", list(problem.methods), initial_value=problem.method)
            on_change(self.method, worker, self._set_method)
        self.about = gui.add_html("")
        if problem.rebuild is not None:
            self.angle = gui.add_slider("joint cone [°]", SMALLEST, FREE, 1, FREE, marks=((FREE, "free"),))
            on_change(self.angle, worker, self._set_angle)
        self.with_cones = gui.add_checkbox("show the cones of the joints", True, visible=False)
        on_change(self.with_cones, worker, self._set_cones)
        self.tips: dict[str, Any] = {}
        if len(problem.targets) > 1:
            with gui.add_folder("Tips that have a target"):
                for name in problem.targets:
                    self.tips[name] = gui.add_checkbox(name, True)
                    on_change(self.tips[name], worker, partial(self._set_tip, name))
        hint = "Drag the purple ball: the elbow turns to its side."
        self.with_pole = gui.add_checkbox("bend toward a pole", False, hint=hint, visible=len(problem.targets) == 1)
        on_change(self.with_pole, worker, self._set_pole)
        home = gui.add_button("Back to the first pose", color="gray")
        on_press(home, worker, self._go_home)
        on_press(gui.add_button("Fit into the view (F)", color="gray"), worker, page.fit)
        on_press(gui.add_button("Light or dark (L)", color="gray"), worker, page.change_look)
        self._describe()

    def _describe(self) -> None:
        method = self.page.problem.method
        self.about.content = card(method, [ABOUT[method]], START)

    # -- wishes --------------------------------------------------------------------------------

    def _set_method(self, method: str) -> None:
        self.page.problem.set_method(method)
        self._describe()
        self.page.ask()

    def _set_angle(self, degrees: Any) -> None:
        angle = clamped(degrees, SMALLEST, FREE)
        self.page.problem.set_half_angle(None if angle >= FREE else float(np.radians(angle)))
        self.page.ask()

    def _set_tip(self, name: str, wanted: Any) -> None:
        """Gives a tip its target, or frees it; one at least keeps its own, and a pole goes with one only."""
        problem = self.page.problem
        problem.free_tip(name, not wanted)
        for tip, box in self.tips.items():
            box.value = tip in problem.wanted
            self.page.handles[tip].visible = tip in problem.wanted
        alone = len(problem.wanted) == 1
        self.with_pole.visible = alone
        if not alone and self.with_pole.value:
            self.with_pole.value = False
            self._set_pole(False)
        self.page.ask()

    def _set_pole(self, wanted: Any) -> None:
        problem, size = self.page.problem, self.page.size
        if wanted and self.pole is None:
            place = np.array([0.3, -0.5, 0.5]) * size
            self.pole = add_handle(self.page.host, "/pole", SMALL_GIZMO_SHARE * size, place)
            add_ball(self.page.host, "/pole/ball", 0.02 * size, REFINED, cast_shadow=False)
            on_drag(self.pole, self.page.worker, self._drag_pole)
        if self.pole is not None:
            self.pole.visible = bool(wanted)
        problem.pole = np.asarray(self.pole.position, float) if wanted else None
        self.page.ask()

    def _drag_pole(self, T: Floats) -> None:
        self.page.problem.pole = T[:3, 3].copy()
        self.page.ask()

    def _go_home(self) -> None:
        problem = self.page.problem
        for name, gizmo in self.page.handles.items():
            gizmo.position = problem.home[problem.row_of(name)]
            problem.targets[name] = problem.home[problem.row_of(name)].copy()
        problem.last = None
        self.page.ask()

    def extent(self) -> Floats:
        """(k, 3) points of the cones that are shown."""
        seen = self.cones is not None and self.with_cones.value
        return self.cones.extent() if seen and self.cones is not None else np.empty((0, 3))

    # -- what is shown -------------------------------------------------------------------------

    def show(self, solution: ChainSolution) -> None:
        """Draws the cones where the bones are."""
        bones = solution.bones
        if self.cones is None or self.cones.bones is not bones:
            if self.cones is not None:
                self.cones.root.remove()
            self.cones = ConesScene(self.page.host, bones, self.page.problem.thickness)
            self.set_faded(self._faded)
        if self.cones.groups and self.with_cones.value:
            self.cones.show(solution.points3, solution.frames)
        self.with_cones.visible = bool(self.cones.groups)

    def _set_cones(self, _: Any) -> None:
        self.set_faded(self._faded)
        if self.page.answer is not None:
            self.show(self.page.answer.solution)

    def set_faded(self, faded: bool) -> None:
        """Hides the cones while steps are shown."""
        self._faded = faded
        if self.cones is not None:
            self.cones.root.visible = bool(self.with_cones.value) and not faded
