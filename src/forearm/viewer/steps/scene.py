"""A stage of a trace in the page: its points and links, the stage before, and the planes it works in."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from forearm.common.types import Floats
from forearm.viewer.shared.nodes import add_ball, add_copies, add_lines, draw_way
from forearm.viewer.shared.rods import BALL_PER_ROD, BonesScene
from forearm.viewer.shared.rotations import z_onto
from forearm.viewer.shared.shapes import disc
from forearm.viewer.shared.theme import GHOST, MISSED, START
from forearm.viewer.steps.player import Player
from forearm.viewer.steps.words import STAGE_COLOURS

ROD_PER_REACH = 0.009
THIN = 0.45  # radius of rods against the usual where they lie on a curve, which should be seen
DISC_PER_REACH = 0.07
BALL_PER_REACH = 0.02


class TraceScene:
    """The drawing of a trace for a figure of a size [m]; other traces of the same layout may follow.

    By default the points hang one after the other, else `parents` has the point before each but the first.
    """

    def __init__(self, host: Any, trace: Any, size: float, parents: Sequence[int] | None = None) -> None:
        self.host, self._size = host, size
        self.root = host.scene.add_frame("/steps", show_axes=False)
        self.layout = layout_of(trace)
        count, has_planes, has_curve, has_goal = self.layout
        parents = range(count - 1) if parents is None else parents
        radius, rod = ROD_PER_REACH * size, (THIN if has_curve else 1.0) * ROD_PER_REACH * size
        self.now = BonesScene(host, "/steps/now", parents, rod, START, ball_radius=BALL_PER_ROD * radius)
        self.before = BonesScene(host, "/steps/before", parents, 0.55 * radius, START, opacity=0.35)
        self.bezier = self._add_curve() if has_curve else None
        self.planes = self._add_planes(count) if has_planes else None
        self.goal = self._add_ball("goal") if has_goal else None
        self._outline: BonesScene | None = None

    def _add_curve(self) -> tuple[Any, Any, Any]:
        """The curve, the lines from its ends to the control point, and the control point."""
        curve = add_lines(self.host, "/steps/curve", MISSED, 6.0)
        return curve, add_lines(self.host, "/steps/hull", START, 1.5), self._add_ball("P1")

    def _add_ball(self, name: str) -> Any:
        return add_ball(self.host, f"/steps/{name}", BALL_PER_REACH * self._size, MISSED, cast_shadow=False)

    def _add_planes(self, count: int) -> Any:
        look = {"opacity": 0.3, "side": "double", "cast_shadow": False, "receive_shadow": False}
        sizes = np.full(count, DISC_PER_REACH * self._size)
        return add_copies(self.host, "/steps/planes", disc(), sizes, GHOST, flat_shading=True, **look)

    def show(self, player: Player) -> None:
        """Draws the step a player is at."""
        points = player.points
        self.now.show(points)
        self.now.paint(np.where(player.placed[:, None], STAGE_COLOURS[player.name], START))
        self.before.show(player.trace.points[max(player.stage - 1, 0)])
        if self.bezier is not None:
            curve, hull, P1 = self.bezier
            way, control = player.trace.curve[player.stage], player.trace.control[player.stage]
            draw_way(curve, way)
            hull.points = np.array([[way[0], control], [control, way[-1]]], np.float32)
            P1.position = control
        if self.goal is not None:
            self.goal.position = player.trace.goals[player.stage]
        if self.planes is not None:
            now, before = (player.trace.normals[max(player.stage - back, 0)] for back in (0, 1))
            normals = np.where(player.placed[:, None], now, before)
            flat = np.linalg.norm(normals, axis=1, keepdims=True) == 0.0
            self.planes.batched_positions = points.astype(np.float32)
            self.planes.batched_wxyzs = z_onto(np.where(flat, (0.0, 0.0, 1.0), normals)).astype(np.float32)

    def show_outline(self, points: Floats | None) -> None:
        """Draws a pale line of rods through (k, 3) points, and marks the goal of what iterates; None: neither."""
        if self.goal is not None:
            self.goal.visible = points is not None
        if points is None:
            return
        if self._outline is None:
            radius = 0.9 * ROD_PER_REACH * self._size  # inside the rods that iterate, where both are
            parents = range(len(points) - 1)
            self._outline = BonesScene(self.host, "/steps/outline", parents, radius, GHOST, opacity=0.5)
        self._outline.show(points)


def layout_of(trace: Any) -> tuple[int, bool, bool, bool]:
    """How many points a trace has, and whether it has planes, a curve, and goals that move."""
    planes, curve, goals = (getattr(trace, name, None) is not None for name in ("normals", "curve", "goals"))
    return trace.points.shape[1], planes, curve, goals
