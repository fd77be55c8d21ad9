"""The page of a chain or a skeleton: drag its tips, give it a pole, cones and obstacles."""

from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

import numpy as np

from forearm.chain import Chain
from forearm.common.types import Floats
from forearm.errors import ForearmError
from forearm.scenes.shapes import Obstacle
from forearm.viewer.arm.problem import Answer
from forearm.viewer.bones.problem import BonesProblem
from forearm.viewer.bones.tab import BonesTab
from forearm.viewer.shared.controls import on_drag, within
from forearm.viewer.shared.obstacles_tab import ObstaclesTab, takes_obstacles
from forearm.viewer.shared.rods import BonesScene
from forearm.viewer.shared.stage import WORLD_PER_REACH, Stage, add_handle
from forearm.viewer.shared.theme import BODY, HUB, MISSED
from forearm.viewer.shared.words import card, verdict, working
from forearm.viewer.shared.worker import Worker
from forearm.viewer.steps.tab import StepsTab


class BonesPage:
    """One browser's view of bones.

    Args:
        host: Its viser client.
        problem: The bones and their targets, for this page alone.
        size: Reach of the figure [m].
    """

    def __init__(self, host: Any, problem: BonesProblem, size: float) -> None:
        self.host, self.problem, self.size = host, problem, size
        bones = problem.figure.bones
        self.parents = [int(parent) + 1 for parent in bones.parent]
        self.worker = Worker(self)
        self.answer: Answer | None = None
        self._met: set[tuple[object, ...]] = set()
        self._asked: Answer | None = None
        first, *others = problem.targets
        self.stage = Stage(host, size, _at(problem.targets[first]), turns=False)
        self.handles = {first: self.stage.gizmo}
        for name in others:
            self.handles[name] = add_handle(host, f"/target {name}", size, problem.targets[name])
        self.bones = BonesScene(host, "/bones", self.parents, problem.thickness, BODY)
        self.is_sequential = isinstance(problem.figure, Chain)
        self.verdict = host.gui.add_html("")
        self._build_tabs(host.gui.add_tab_group())
        for name, gizmo in self.handles.items():
            on_drag(gizmo, self.worker, partial(self.drag, name))
        self.refresh()
        self.worker.start()

    def _build_tabs(self, tabs: Any) -> None:
        with tabs.add_tab("Solve"):
            self.bones_tab = BonesTab(self)
        self.obstacles_tab: ObstaclesTab | None = None
        if takes_obstacles(self.problem.figure.solve):
            with tabs.add_tab("Obstacles"):
                self.obstacles_tab = ObstaclesTab(self)
        with tabs.add_tab("Steps"):
            self.steps_tab = StepsTab(self)

    # -- wishes, all on the worker's thread ----------------------------------------------------

    def drag(self, name: str, T: Floats) -> None:
        """The user dragged a tip's target."""
        inside = within(T, WORLD_PER_REACH * self.size)
        self.problem.targets[name] = inside[:3, 3].copy()
        if inside is not T:
            self.handles[name].position = inside[:3, 3]
        self.ask()

    def avoid(self, obstacles: dict[str, Obstacle], clearance: float) -> None:
        """Solves among these obstacles from now on."""
        self.problem.obstacles, self.problem.clearance = tuple(obstacles.values()), clearance
        self.ask()

    def redraw(self) -> None:
        """Draws the present answer again."""
        if self.answer is not None:
            self._show(self.answer)

    def ask(self) -> None:
        """Makes the next refresh solve."""
        self._asked = None

    def traces(self) -> dict[str, Callable[[], Any]]:
        """For each method that can be stepped through: what makes its trace for the present target."""
        curves = {"bezier": self.problem.trace_curves} if "bezier" in self.problem.methods else {}
        return {"fabrik": self.problem.trace, **curves}

    def outline(self, trace: Any) -> None:
        """Nothing: these traces show all bones."""

    def take_start(self) -> None:
        """Lets traces start from the present pose."""
        self.problem.start = self.problem.points.copy()

    def set_faded(self, faded: bool) -> None:
        """Hides the bones while the steps of a method are shown."""
        self.bones.set_visible(not faded)
        self.bones_tab.set_faded(faded)

    # -- what the worker does ------------------------------------------------------------------

    def tick(self) -> float | None:
        """Moves through the steps that are being played."""
        return self.steps_tab.tick()

    def refresh(self) -> None:
        """Solves for the newest targets and draws."""
        if self._asked is None:
            self._compile()
            self._asked = self.problem.solve()
            self._show(self._asked)
            self.steps_tab.renew()
        self.steps_tab.draw()
        self.host.flush()

    def settle(self) -> None:
        """Finds out why a target was missed, once nobody drags."""
        if self.answer is not None and not self.answer.explained:
            self._show(self.problem.solve(explain=True))
            self.host.flush()

    def complain(self, problem: Exception) -> None:
        """Shows what went wrong in the page."""
        title = "This cannot be done" if isinstance(problem, ForearmError) else "An error in the viewer"
        self.verdict.content = card(title, [escape(f"{problem}" or type(problem).__name__)], MISSED)
        self.host.flush()

    def close(self) -> None:
        """Ends the page's thread."""
        self.worker.close()

    def _compile(self) -> None:
        """Makes the first solve of a kind, which may take long, and says so before."""
        problem = self.problem
        kind = (problem.method, problem.half_angle is None, problem.pole is None, bool(problem.obstacles))
        if kind not in self._met:
            self._met.add(kind)
            self.verdict.content = working()
            self.host.flush()
            self.problem.solve()  # so that the time shown afterwards is not the compiler's

    def _show(self, answer: Answer) -> None:
        self.answer = answer
        solution, missed = answer.solution, not answer.solution.success
        points = self.problem.points
        with self.host.atomic():
            self.bones.show(points)
            self.bones.paint(_colours(len(points), missed))
            self.stage.show_gap(*self.problem.ends(), missed)
            self.verdict.content = verdict(answer)
            self.bones_tab.show(solution)
            if self.obstacles_tab is not None:
                self.obstacles_tab.show(solution.clearance, self.problem.clearance, solution.obstacle)


def _at(point: Floats) -> Floats:
    """(4, 4) a pose at a point."""
    T = np.eye(4)
    T[:3, 3] = point
    return T


def _colours(count: int, missed: bool) -> Floats:
    """(count, 3) every other bone darker, so that bones can be counted; orange if the target is missed."""
    bright, dark = np.array(BODY, float), np.array(HUB, float)
    rows = np.where(np.arange(count)[:, None] % 2 == 0, bright, 0.45 * dark + 0.55 * bright)
    return 0.5 * (rows + MISSED) if missed else rows
