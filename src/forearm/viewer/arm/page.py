"""The page of an arm: drag the target, see the arm follow, and read what came of it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from forearm.common.types import Floats
from forearm.robot import Robot
from forearm.scenes.shapes import Obstacle
from forearm.solve.trace import Trace
from forearm.viewer.arm.branches_tab import BranchesTab
from forearm.viewer.arm.figure import Piece, stations
from forearm.viewer.arm.obstacles_tab import ArmObstaclesTab
from forearm.viewer.arm.path_tab import PathTab
from forearm.viewer.arm.problem import ASIDE, ArmProblem, first_pose
from forearm.viewer.arm.scene import ArmScene
from forearm.viewer.arm.solve_tab import SolveTab
from forearm.viewer.shared.answer import Answer
from forearm.viewer.shared.controls import move, on_drag, within
from forearm.viewer.shared.page import Page
from forearm.viewer.shared.stage import WORLD_PER_REACH
from forearm.viewer.shared.words import verdict
from forearm.viewer.steps.tab import StepsTab

TRACED = ("fabrik-r", "combined")  # the methods of `Robot.trace` that the page can explain


def size_of(robot: Robot) -> float:
    """A length to scale a scene by: how far from the base the arm gets; slides without limits count 1 m."""
    lengths = np.linalg.norm(robot.model.links[:, :, 3], axis=1)
    far = robot.reach + float(lengths[0]) if np.isfinite(robot.reach) else float(lengths.sum()) + 1.0
    return max(far, 1e-3)


class ArmPage(Page):
    """One browser's view of an arm.

    Args:
        host: Its viser client.
        robot: The arm.
        pieces: The figure that is drawn.
    """

    problem: ArmProblem
    obstacles_tab: ArmObstaclesTab
    is_sequential, parents = True, None

    def __init__(self, host: Any, robot: Robot, pieces: Sequence[Piece]) -> None:
        problem = ArmProblem(robot)
        super().__init__(host, problem, size_of(robot), problem.T)
        self.start = first_pose(robot, ASIDE)
        self.arm = ArmScene(host, "/arm", robot.model, pieces)
        self.tip = host.scene.add_frame("/tip", axes_length=0.09 * self.size, axes_radius=0.004 * self.size)
        self._build_tabs(host.gui.add_tab_group())
        on_drag(self.stage.gizmo, self.worker, self.drag)
        self.open()

    def _build_tabs(self, tabs: Any) -> None:
        with tabs.add_tab("Solve"):
            self.solve_tab = SolveTab(self)
        with tabs.add_tab("Branches"):
            self.branches_tab = BranchesTab(self)
        with tabs.add_tab("Obstacles"):
            self.obstacles_tab = ArmObstaclesTab(self)
        with tabs.add_tab("Path"):
            self.path_tab = PathTab(self)
        self.steps_tab = None
        if self.traces():
            with tabs.add_tab("Steps"):
                self.steps_tab = StepsTab(self)

    # -- wishes, all on the worker's thread ----------------------------------------------------

    def drag(self, T: Floats) -> None:
        """The user dragged the target to a pose."""
        self.path_tab.stop_playing()
        self.set_target(T, is_dragged=True)

    def set_target(self, T: Floats, is_dragged: bool = False) -> None:
        """Asks for another pose; the handle follows unless it is what moved."""
        self.problem.T = inside = within(T, WORLD_PER_REACH * self.size)
        if not is_dragged or inside is not T:
            move(self.stage.gizmo, inside)
        self.solve_tab.show_target(inside)
        self.path_tab.note(inside)
        self.ask()

    def avoid(self, obstacles: dict[str, Obstacle], clearance: float) -> None:
        """Solves among these obstacles from now on."""
        self.problem.avoid(obstacles, clearance)
        self.ask_anew()

    def follow(self, q: Floats, words: str) -> None:
        """Puts the arm where a track has it, without a solve."""
        self.problem.q, self.problem.T = q, self.problem.arm.fk(q)
        with self.host.atomic():
            self._stand(q, missed=False)
            move(self.stage.gizmo, self.problem.T)
            self.solve_tab.show_target(self.problem.T)
            self.verdict.content = words

    def ask_anew(self) -> None:
        """Makes the next refresh solve under other conditions, under which an old track is worth nothing."""
        self.path_tab.forget_track()
        self.ask()

    def traces(self) -> dict[str, Callable[..., Trace]]:
        """For each method that can be stepped through: what makes its trace for the present target."""
        able = [name for name in TRACED if name in self.problem.methods("pose")]
        return {name: partial(self._trace, name) for name in able}

    def _trace(self, method: str, sweeps: int | None = None) -> Trace:
        return self.problem.arm.trace(self.problem.target(), self.start, method=method, sweeps=sweeps)

    def outline(self, trace: Trace) -> Floats | None:
        """(k, 3) the arm at the end of a trace of two links, as a line; None if the trace shows all of the arm."""
        whole = trace.points.shape[1] > self.problem.arm.n
        return None if whole else stations(self.problem.arm.model, trace.q)

    def take_start(self) -> None:
        """Lets traces start from the present pose."""
        self.start = self.problem.q

    def set_faded(self, faded: bool) -> None:
        """Hides the arm and its ghosts while the steps of a method are shown."""
        self.branches_tab.set_visible(not faded)
        self.arm.set_visible(not faded)
        self.obstacles_tab.set_faded(faded)
        self.tip.visible = not faded

    # -- what the worker does ------------------------------------------------------------------

    def tick(self) -> float | None:
        """Moves along a path or through the steps that are being played."""
        return min((wait for wait in (self.path_tab.tick(), super().tick()) if wait is not None), default=None)

    def settle(self) -> None:
        """Finds out why a target was missed, and all its branches, once nobody drags."""
        super().settle()
        self.branches_tab.settle()
        self.host.flush()

    def show(self, answer: Answer) -> None:
        """Draws the arm at an answer and says what came of it."""
        q, missed = answer.solution.q, not answer.solution.success
        gap = missed and self.problem.goal != "orientation only"
        self._stand(q, missed, self.problem.T if gap else None)
        self.verdict.content = verdict(answer)
        self.branches_tab.show()
        self.obstacles_tab.show_closest(answer.solution.closest)

    def _stand(self, q: Floats, missed: bool, wanted: Floats | None = None) -> None:
        """Draws the arm at joint values, with a line to a pose that it missed."""
        T = self.problem.arm.fk(q)
        self.arm.show(q)
        self.arm.paint(missed)
        move(self.tip, T)
        self.stage.show_gap(T[:3, 3], (T if wanted is None else wanted)[:3, 3], wanted is not None)
        self.solve_tab.show_joints(q)
