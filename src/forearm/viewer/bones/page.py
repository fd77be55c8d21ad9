"""The page of a chain or a skeleton: drag its tips, give it a pole, cones and obstacles."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from forearm.chain import Chain
from forearm.common.transforms import translation
from forearm.common.types import Floats
from forearm.scenes.shapes import Obstacle
from forearm.viewer.bones.problem import BonesProblem
from forearm.viewer.bones.tab import BonesTab
from forearm.viewer.shared.answer import Answer
from forearm.viewer.shared.controls import on_drag, within
from forearm.viewer.shared.nodes import FACING, add_handle
from forearm.viewer.shared.obstacles_tab import ObstaclesTab
from forearm.viewer.shared.page import STEPS, Page
from forearm.viewer.shared.rods import BonesScene
from forearm.viewer.shared.theme import BODY, HUB, MISSED, SMALL_GIZMO_SHARE
from forearm.viewer.shared.words import verdict
from forearm.viewer.steps.tab import StepsTab

THICK = 0.08  # how far from its points bones are brought into view, per metre of their reach


class BonesPage(Page):
    """One browser's view of bones."""

    problem: BonesProblem

    def __init__(self, host: Any, problem: BonesProblem, size: float) -> None:
        first, *others = problem.targets
        super().__init__(host, problem, size, translation(*problem.targets[first]), turns=False)
        parents = [int(parent) + 1 for parent in problem.figure.bones.parent]
        self.parents = None if isinstance(problem.figure, Chain) else parents
        self.handles = {first: self.stage.gizmo}
        for name in others:
            self.handles[name] = add_handle(host, f"/target {name}", SMALL_GIZMO_SHARE * size, problem.targets[name])
        self.bones = BonesScene(host, "/bones", parents, problem.thickness, BODY)
        self._build_tabs()
        for name, gizmo in self.handles.items():
            on_drag(gizmo, self.worker, partial(self.drag, name))
        self.open()

    def _build_tabs(self) -> None:
        goes_round = isinstance(self.problem.figure, Chain)
        tabs = self.make_tabs(["Solve", *(["Obstacles"] if goes_round else []), STEPS])
        with tabs.part("Solve"):
            self.bones_tab = BonesTab(self)
        self.obstacles_tab = None
        if goes_round:
            with tabs.part("Obstacles"):
                self.obstacles_tab = ObstaclesTab(self)
        with tabs.part(STEPS):
            self.steps_tab = StepsTab(self)

    # -- wishes, all on the worker's thread ----------------------------------------------------

    def drag(self, name: str, T: Floats) -> None:
        """The user dragged a tip's target."""
        inside = within(T, self.size)
        self.problem.targets[name] = inside[:3, 3].copy()
        if inside is not T:
            self.handles[name].position = inside[:3, 3]
        self.ask()

    def avoid(self, obstacles: dict[str, Obstacle], clearance: float) -> None:
        """Solves among these obstacles from now on."""
        self.problem.obstacles, self.problem.clearance = tuple(obstacles.values()), clearance
        self.ask()

    def traces(self) -> dict[str, Callable[[], Any]]:
        """For each method that can be stepped through: what makes its trace for the present target."""
        curves = {"bezier": self.problem.trace_curves} if "bezier" in self.problem.methods else {}
        return {"fabrik": self.problem.trace, **curves}

    def take_start(self) -> None:
        """Lets traces start from the present pose."""
        self.problem.start = self.problem.points.copy()

    def set_faded(self, faded: bool) -> None:
        """Hides the bones while the steps of a method are shown."""
        self.bones.root.visible = not faded
        self.bones_tab.set_faded(faded)

    def extent(self) -> Floats:
        """(k, 3) corners round the bones and obstacles, and the ends of the targets' handles."""
        thick = THICK * self.size * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        handles = [gizmo.position + gizmo.scale * FACING[:3, :3].T for gizmo in self.handles.values() if gizmo.visible]
        things = [] if self.obstacles_tab is None else [self.obstacles_tab.extent()]
        bones = (self.problem.points[:, None] + thick).reshape(-1, 3)
        return np.vstack([bones, self.bones_tab.extent(), *handles, *things])

    def words_of(self, answer: Answer) -> str:
        """What came of a solve."""
        return verdict(answer)

    # -- what the worker does ------------------------------------------------------------------

    def show(self, answer: Answer) -> None:
        """Draws the bones at an answer."""
        solution, missed, points = answer.solution, not answer.solution.success, self.problem.points
        self.bones.show(points)
        self.bones.paint(_colours(len(points), missed))
        self.stage.show_gap(*self.problem.ends(), missed)
        self.bones_tab.show(solution)
        if self.obstacles_tab is not None:
            self.obstacles_tab.show(solution.clearance, self.problem.clearance, solution.obstacle)


def _colours(count: int, missed: bool) -> Floats:
    """(count, 3) every other bone darker, so that bones can be counted; orange if the target is missed."""
    bright, dark = np.array(BODY, float), np.array(HUB, float)
    rows = np.where(np.arange(count)[:, None] % 2 == 0, bright, 0.45 * dark + 0.55 * bright)
    return 0.5 * (rows + MISSED) if missed else rows
