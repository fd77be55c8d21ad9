"""The page of an arm: drag the target, see the arm follow, and read what came of it."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from forearm.common.types import Floats
from forearm.robot import Robot
from forearm.scenes.shapes import Obstacle
from forearm.solve.trace import Trace
from forearm.viewer.arm.branches_tab import MOST_GHOSTS, BranchesTab
from forearm.viewer.arm.drive import FRAME, Drive
from forearm.viewer.arm.figure import Piece, corners_of, stations
from forearm.viewer.arm.obstacles_tab import ArmObstaclesTab
from forearm.viewer.arm.path_tab import PathTab
from forearm.viewer.arm.problem import ASIDE, ArmProblem, first_pose
from forearm.viewer.arm.scene import ArmScene
from forearm.viewer.arm.solve_tab import SolveTab
from forearm.viewer.shared.answer import Answer
from forearm.viewer.shared.controls import move, on_drag, within
from forearm.viewer.shared.page import STEPS, Page
from forearm.viewer.shared.theme import BACKWARD, GIZMO_SHARE
from forearm.viewer.shared.words import card, verdict
from forearm.viewer.steps.tab import StepsTab

TRACED = ("fabrik-r", "combined", "ccd", "dls", "jacobian-transpose")  # the methods that can be stepped through
BRANCHES = "Branches"  # the part of the panel with all answers to a target


def size_of(robot: Robot) -> float:
    """A length to scale a scene by: how far from the base the arm gets; slides without limits count 1 m."""
    lengths = np.linalg.norm(robot.model.links[:, :, 3], axis=1)
    far = robot.reach + float(lengths[0]) if np.isfinite(robot.reach) else float(lengths.sum()) + 1.0
    return max(far, 1e-3)


class ArmPage(Page):
    """One browser's view of an arm, drawn in pieces."""

    problem: ArmProblem
    obstacles_tab: ArmObstaclesTab
    parents = None

    def __init__(self, host: Any, robot: Robot, pieces: Sequence[Piece], q: Floats | None = None) -> None:
        problem = ArmProblem(robot, q)
        super().__init__(host, problem, size_of(robot), problem.T)
        self.start = first_pose(robot, ASIDE)
        self.pieces = pieces
        self.stage.lower_floor(corners_of([piece for piece in pieces if piece.joint < 0], robot.model, problem.q))
        self.drive: Drive | None = None  # the servo, while it moves the arm
        self._moves = False  # whether it still moves it
        self.arm = ArmScene(host, "/arm", robot.model, pieces)
        self.tip = host.scene.add_frame("/tip", axes_length=0.07 * self.size, axes_radius=0.003 * self.size)
        self._build_tabs()
        on_drag(self.stage.gizmo, self.worker, self.drag)
        self.open()

    def _build_tabs(self) -> None:
        names = ["Solve", BRANCHES, "Obstacles", "Path", *([STEPS] if self.traces() else [])]
        tabs = self.make_tabs(names)
        with tabs.part("Solve"):
            self.solve_tab = SolveTab(self)
        with tabs.part(BRANCHES):
            self.branches_tab = BranchesTab(self)
        with tabs.part("Obstacles"):
            self.obstacles_tab = ArmObstaclesTab(self)
        with tabs.part("Path"):
            self.path_tab = PathTab(self)
        self.steps_tab = None
        if STEPS in names:
            with tabs.part(STEPS):
                self.steps_tab = StepsTab(self)

    # -- wishes, all on the worker's thread ----------------------------------------------------

    def drag(self, T: Floats) -> None:
        """The user dragged the target to a pose."""
        self.path_tab.stop_playing()
        self.set_target(T, is_dragged=True)

    def set_joint(self, k: int, value: float) -> None:
        """Turns a joint by hand; the target goes with the tip."""
        self.path_tab.stop_playing()
        q = self.problem.q.copy()
        q[k] = value
        self.follow(q, card("Joints set by hand", ["The target stays on the tip."], BACKWARD))
        self.path_tab.note(self.problem.T)
        self.answer = None

    def set_driven(self, wanted: bool) -> None:
        """Lets a servo move the arm from now on, or solves at once again."""
        self.drive, self._moves = Drive(self.problem) if wanted else None, False
        self.ask()

    def set_target(self, T: Floats, is_dragged: bool = False) -> None:
        """Asks for another pose; the handle follows unless it is what moved."""
        self.problem.T = inside = within(T, self.size)
        if not is_dragged or inside is not T:
            move(self.stage.gizmo, inside)
        self.path_tab.note(inside)
        self.ask()

    def take_goal(self, name: str, T: Floats) -> None:
        """Asks for a target of a kind that a program gave, and brings it into view."""
        self.solve_tab.choose_goal(name)
        self.set_target(T)
        self.refresh()
        self.fit()

    def avoid(self, obstacles: dict[str, Obstacle], clearance: float) -> None:
        """Solves among these obstacles from now on."""
        self.problem.avoid(obstacles, clearance)
        self.ask_anew()

    def follow(self, q: Floats, words: str) -> None:
        """Puts the arm where a track has it, or where its joints are set by hand, without a solve."""
        self.problem.q, self.problem.T = q, self.problem.arm.fk(q)
        if self.drive is not None:
            self.drive.servo.reset(q)
        with self.host.atomic():
            self._stand(q, missed=False)
            move(self.stage.gizmo, self.problem.T)
            self.tell("followed", lambda: words)

    def walk(self, q: Floats, words: str) -> None:
        """Moves the joints along a curve that holds the tip: the target stays what it is."""
        self.problem.q = q
        if self.drive is not None:
            self.drive.servo.reset(q)
        with self.host.atomic():
            self._stand(q, missed=False)
            self.branches_tab.show()
            self.tell("walked", lambda: words)

    def ask_anew(self) -> None:
        """Makes the next refresh solve under other conditions, under which an old track is worth nothing."""
        self.path_tab.forget_track()
        self.ask()

    def traces(self) -> dict[str, Callable[..., Trace]]:
        """For each method that can be stepped through: what makes its trace for the present target."""
        able = [name for name in TRACED if name in self.problem.methods("pose")]
        trace = partial(self.problem.arm.trace, self.problem.target(), self.start)
        return {name: partial(trace, method=name) for name in able}

    def outline(self, trace: Trace) -> Floats | None:
        """(k, 3) the arm at the end of a trace of two links, as a line; None if the trace shows all of the arm."""
        whole = trace.points.shape[1] > self.problem.arm.n
        return None if whole else stations(self.problem.arm.model, trace.q)

    def take_start(self) -> None:
        """Lets traces start from the present pose."""
        self.start = self.problem.q

    def set_faded(self, faded: bool) -> None:
        """Hides the arm and its ghosts while the steps of a method are shown."""
        self.arm.root.visible = self.tip.visible = not faded
        self.obstacles_tab.set_faded(faded)

    def extent(self) -> Floats:
        """(k, 3) corners round the pieces of the arm and obstacles, and the ends of the target's handle."""
        handle = self.problem.T[:3, 3] + GIZMO_SHARE * self.size * np.vstack([self.problem.T[:3, :3].T, np.zeros(3)])
        found = self.branches_tab.found if self.tabs.at == BRANCHES else None
        shown = [self.problem.q, *(branch.q for branch in (found or ())[:MOST_GHOSTS])]
        figures = [corners_of(self.pieces, self.problem.arm.model, q) for q in shown]
        return np.vstack([handle, self.obstacles_tab.extent(), *figures])

    def words_of(self, answer: Answer) -> str:
        """What came of a solve."""
        return verdict(answer)

    def _turn_to(self, left: str, opened: str) -> None:
        if left == BRANCHES:
            self.branches_tab.hide()
        super()._turn_to(left, opened)

    # -- what the worker does ------------------------------------------------------------------

    def tick(self) -> float | None:
        """Moves along a path, through the steps that are being played, or as the servo does."""
        if self.drive is not None and not self.path_tab.playing and self._drive(self.drive):
            return FRAME
        return min((wait for wait in (self.path_tab.tick(), super().tick()) if wait is not None), default=None)

    def _drive(self, drive: Drive) -> bool:
        """Moves the arm as far as time has passed; whether it goes on moving."""
        if drive.made_for != Drive.key(self.problem):
            drive = self.drive = Drive(self.problem)
        if self._is_asked:
            drive.begin()
        self._moves = drive.step(time.monotonic())
        self._is_asked, self.answer = False, None
        with self.host.atomic():
            self._stand(self.problem.q, not drive.is_met, None if drive.is_met else self.problem.T)
            self.tell(("driven", drive.is_met), drive.words)
        return self._moves

    def settle(self) -> None:
        """Finds out why a target was missed, and all its branches, once nobody drags."""
        super().settle()
        if not self._moves:
            self.solve_tab.settle()
        if self.tabs.at == BRANCHES:
            self.branches_tab.settle()
        self.host.flush()

    def show(self, answer: Answer) -> None:
        """Draws the arm at an answer."""
        q, missed = answer.solution.q, not answer.solution.success
        gap = missed and self.problem.goal != "orientation only"
        self._stand(q, missed, self.problem.T if gap else None)
        self.branches_tab.show()
        self.obstacles_tab.show_closest(answer.solution.closest)

    def _stand(self, q: Floats, missed: bool, wanted: Floats | None = None) -> None:
        """Draws the arm at joint values, with a line to a pose that it missed."""
        T = self.problem.arm.fk(q)
        self.arm.show(q)
        self.arm.paint(self.arm.all if missed else frozenset())
        move(self.tip, T)
        self.stage.show_gap(T[:3, 3], (T if wanted is None else wanted)[:3, 3], wanted is not None)
        self.solve_tab.show(q)
