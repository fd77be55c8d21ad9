"""The page of a robot with several tips: a handle for each goal, and for a base that moves."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from forearm.common.types import Floats
from forearm.core import codes
from forearm.goals.goal import CenterOfMass, Goal, Relative, Wish
from forearm.retargeting.result import Retargeted
from forearm.scenes.shapes import Obstacle
from forearm.viewer.arm.figure import Piece
from forearm.viewer.shared.answer import Answer
from forearm.viewer.shared.controls import move, on_drag, within
from forearm.viewer.shared.nodes import FACING, add_ball, add_handle, add_lines, draw_way
from forearm.viewer.shared.page import Page
from forearm.viewer.shared.stage import BALL_SHARE
from forearm.viewer.shared.theme import PATH, SMALL_GIZMO_SHARE, SOLVED
from forearm.viewer.tree.figure import TreeScene, branch_rows, extent_of
from forearm.viewer.tree.problem import BASE, TreeProblem
from forearm.viewer.tree.replay import REPLAY, ReplayTab
from forearm.viewer.tree.tab import TreeTab
from forearm.viewer.tree.words import colour_of, goals_card, in_conflict

# Which arrows a base is dragged by; arcs are there for two that are.
BASE_AXES = {"planar": (True, True, False), "rail": (True, False, False)}


class TreePage(Page):
    """One browser's view of a robot with several tips, drawn in pieces."""

    problem: TreeProblem
    obstacles_tab = steps_tab = parents = None
    replay: ReplayTab | None

    def __init__(
        self, host: Any, problem: TreeProblem, pieces: Sequence[Piece], motion: Retargeted | None = None
    ) -> None:
        corners = extent_of(problem.body, pieces, problem.q, problem.base)
        size = float(np.linalg.norm(np.ptp(corners, axis=0)))
        first, *others = problem.poses
        super().__init__(host, problem, size, problem.poses[first])
        if problem.body.base != "free":
            self.stage.lower_floor(corners)
        self.pieces = pieces
        self.figure = TreeScene(host, problem.body, pieces)
        self.handles, self.balls = {first: self.stage.gizmo}, {first: self.stage.ball}
        self.stage.gizmo.scale = SMALL_GIZMO_SHARE * size
        for number, name in enumerate(others):
            at = f"/target {number}"
            self.handles[name] = add_handle(host, at, SMALL_GIZMO_SHARE * size, problem.poses[name][:3, 3])
            self.balls[name] = add_ball(host, f"{at}/ball", BALL_SHARE * size, SOLVED, cast_shadow=False)
        self.dragged = ""  # the goal whose handle moved last
        for name, gizmo in self.handles.items():
            self.dress(name)
            move(gizmo, self.turned(name))
            on_drag(gizmo, self.worker, partial(self.drag, name))
        self._draw_supports()
        tabs = self.make_tabs(["Goals", "Joints", *([REPLAY] if motion is not None else [])])
        self.tree_tab, self.replay = TreeTab(self, tabs), None
        self.open()
        if motion is not None:
            for gizmo in self.handles.values():
                gizmo.visible = False
            self.replay = ReplayTab(self, motion, tabs)
            self.fit()

    def tick(self) -> float | None:
        """Goes on with a motion that is played."""
        return None if self.replay is None else self.replay.tick()

    def _draw_supports(self) -> None:
        """The edges of what a centre of mass stays over."""
        for name, wish in self.problem.wishes.items():
            if isinstance(wish, CenterOfMass) and wish.support is not None:
                corners = np.column_stack([wish.support, np.zeros(len(wish.support))])
                draw_way(add_lines(self.host, f"/support {name}", PATH), np.vstack([corners, corners[:1]]))

    def dress(self, name: str) -> None:
        """Gives a handle the arrows and arcs that mean something for its goal."""
        wish, gizmo = self.problem.wishes[name], self.handles[name]
        kind = wish.target.kind if isinstance(wish, Goal) else codes.POSE if isinstance(wish, Relative) else None
        gizmo.disable_rotations = kind in (None, codes.POSITION)
        gizmo.disable_axes = kind == codes.ORIENTATION
        gizmo.disable_sliders = kind is not None  # frames of links mostly stand as the world does, see `FACING`
        if isinstance(wish, CenterOfMass) and wish.axes == "xy":
            gizmo.active_axes = (True, True, False)
        if name == BASE:
            gizmo.active_axes = BASE_AXES.get(self.problem.body.base, (True, True, True))
        gizmo.visible = name not in self.problem.idle and not is_over(wish)

    def turned(self, name: str) -> Floats:
        """(4, 4) where a goal's handle stands: points have no direction of their own."""
        T, wish = self.problem.poses[name], self.problem.wishes[name]
        return T if isinstance(wish, (Goal, Relative)) else np.asarray(T @ FACING)

    # -- wishes, all on the worker's thread ----------------------------------------------------

    def drag(self, name: str, T: Floats) -> None:
        """The user dragged a goal."""
        inside = within(T, self.size)
        self.dragged = name
        self.problem.drag(name, inside)
        if inside is not T:
            move(self.handles[name], inside)
        self.ask()

    def set_joint(self, k: int, value: float) -> None:
        """Turns a joint by hand; the goals of links go with them."""
        self.problem.set_joint(k, value)
        self.follow()

    def go_home(self) -> None:
        """Puts the robot back where it stood first."""
        self.problem.go_home()
        self.follow()

    def follow(self) -> None:
        """Puts all handles where the goals are now."""
        for name, gizmo in self.handles.items():
            move(gizmo, self.turned(name))
        self.ask()

    def avoid(self, obstacles: dict[str, Obstacle], clearance: float) -> None:
        """Never called: a page of goals has no obstacles."""

    def traces(self) -> Mapping[str, Callable[..., Any]]:
        """None: whole robots are not solved step by step."""
        return {}

    def take_start(self) -> None:
        """Never called: there are no traces."""

    def set_faded(self, faded: bool) -> None:
        """Hides the robot."""
        self.figure.root.visible = not faded

    def extent(self) -> Floats:
        """(k, 3) corners round the robot and its handles, or round all the way of a motion."""
        if self.replay is not None:
            return self.replay.extent()
        handles = [T[:3, 3] for name, T in self.problem.poses.items() if name not in self.problem.idle]
        return np.vstack([extent_of(self.problem.body, self.pieces, self.problem.q, self.problem.base), *handles])

    def words_of(self, answer: Answer) -> str:
        """What came of a solve."""
        return goals_card(answer)

    # -- what the worker does ------------------------------------------------------------------

    def settle(self) -> None:
        """Finds out why goals were missed, and lets sliders and handles follow, once nobody drags."""
        super().settle()
        self.dragged = ""
        self._follow_relatives()
        self.tree_tab.settle()
        self.host.flush()

    def show(self, answer: Answer) -> None:
        """Draws the robot at an answer, with lines to the targets that are missed."""
        solution, problem = answer.solution, self.problem
        self.figure.show(problem.q, problem.base)
        self._follow_relatives()
        errors, rivals = solution.errors, in_conflict(solution)
        missed = [name for name, error in errors.items() if not error.met and not is_over(problem.wishes[name])]
        self.figure.paint(frozenset(row for name in missed for row in self._branch(problem.wishes[name])))
        ends = np.array([(problem.place_of(name), problem.poses[name][:3, 3]) for name in missed]).reshape(-1, 2, 3)
        self.stage.show_gap(ends[:, 0], ends[:, 1], bool(missed))
        for name in errors:
            colour = colour_of(name, solution, rivals)
            if self.balls[name].color != colour:
                self.balls[name].color = colour
        self.tree_tab.show()

    def _branch(self, wish: Wish) -> list[int]:
        """The rows of the arm or leg that a goal is of."""
        link, body = getattr(wish, "link", None), self.problem.body
        return [] if link is None else branch_rows(body, body.place(link)[0])

    def _follow_relatives(self) -> None:
        """Lets handles that stand in other links go with these."""
        for name, wish in self.problem.asked().items():
            if isinstance(wish, Relative) and name != self.dragged:
                self.problem.follow_other(name)
                move(self.handles[name], self.problem.poses[name])


def is_over(wish: Wish) -> bool:
    """Whether a goal is a centre of mass over a support, which has no point to drag."""
    return isinstance(wish, CenterOfMass) and wish.support is not None
