"""A stage of a trace in the page: its points and links, the stage before, and the planes it works in."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from forearm.common.types import Floats
from forearm.viewer.shared.rods import BALL_PER_ROD, BonesScene
from forearm.viewer.shared.rotations import z_onto
from forearm.viewer.shared.shapes import ball, disc
from forearm.viewer.shared.theme import GHOST, MISSED, START, Rgb
from forearm.viewer.steps.player import Player
from forearm.viewer.steps.words import STAGE_COLOURS

ROD_PER_REACH = 0.009
THIN = 0.45  # radius of rods against the usual where they lie on a curve, which shall be seen
DISC_PER_REACH = 0.07
BALL_PER_REACH = 0.02


class TraceScene:
    """The drawing of a trace.

    Args:
        host: A viser client.
        trace: Whose stages are drawn; others with as many points may follow.
        size: Reach of the figure [m].
        parents: The point before each but the first; one after the other by default.
    """

    def __init__(self, host: Any, trace: Any, size: float, parents: Sequence[int] | None = None) -> None:
        count = trace.points.shape[1]
        parents = range(count - 1) if parents is None else parents
        self.count = count
        self.root = host.scene.add_frame("/steps", show_axes=False)
        thin = THIN if getattr(trace, "curve", None) is not None else 1.0
        self.now = BonesScene(host, "/steps/now", parents, thin * ROD_PER_REACH * size, START)
        self.now.balls.batched_scales = np.full((count, 3), BALL_PER_ROD * ROD_PER_REACH * size, np.float32)
        self.before = BonesScene(host, "/steps/before", parents, 0.55 * ROD_PER_REACH * size, START, opacity=0.35)
        self.bezier = None if getattr(trace, "curve", None) is None else self._add_curve(host, size)
        self.planes = None if getattr(trace, "normals", None) is None else self._add_planes(host, size)
        self.goal = None if getattr(trace, "goals", None) is None else self._add_ball(host, "goal", size, MISSED)
        self._host, self._size = host, size
        self._outline: BonesScene | None = None

    def suits(self, trace: Any) -> bool:
        """Whether a trace has what this drawing shows."""
        has_planes = getattr(trace, "normals", None) is not None
        has_curve = getattr(trace, "curve", None) is not None
        same = has_planes == (self.planes is not None) and has_curve == (self.bezier is not None)
        return bool(trace.points.shape[1] == self.count and same)

    def _add_curve(self, host: Any, size: float) -> tuple[Any, Any, Any]:
        """The curve, the lines from its ends to the control point, and the control point."""
        none = np.zeros((1, 2, 3), np.float32)
        curve = host.scene.add_line_segments("/steps/curve", none, MISSED, thickness=6.0, thickness_units="screen")
        hull = host.scene.add_line_segments("/steps/hull", none, START, thickness=1.5, thickness_units="screen")
        return curve, hull, self._add_ball(host, "P1", size, MISSED)

    def _add_ball(self, host: Any, name: str, size: float, colour: Rgb) -> Any:
        vertices, faces = ball(BALL_PER_REACH * size)
        return host.scene.add_mesh_simple(
            f"/steps/{name}", vertices.astype(np.float32), faces.astype(np.uint32), color=colour, cast_shadow=False
        )

    def _add_planes(self, host: Any, size: float) -> Any:
        vertices, faces = disc()
        still = np.zeros((self.count, 4), np.float32)
        still[:, 0] = 1.0
        return host.scene.add_batched_meshes_simple(
            "/steps/planes",
            vertices.astype(np.float32),
            faces.astype(np.uint32),
            batched_wxyzs=still,
            batched_positions=np.zeros((self.count, 3), np.float32),
            batched_scales=np.full((self.count, 3), DISC_PER_REACH * size, np.float32),
            batched_colors=np.tile(np.array(GHOST, np.uint8), (self.count, 1)),
            opacity=0.3,
            side="double",
            flat_shading=True,
            cast_shadow=False,
            receive_shadow=False,
            lod="off",
        )

    def show(self, player: Player) -> None:
        """Draws the step a player is at."""
        points = player.points
        self.now.show(points)
        colours = np.where(player.placed[:, None], STAGE_COLOURS[player.name], START)
        self.now.paint(colours)
        self.before.show(player.trace.points[max(player.stage - 1, 0)])
        if self.bezier is not None:
            curve, hull, P1 = self.bezier
            way, control = player.trace.curve[player.stage], player.trace.control[player.stage]
            curve.points = np.stack([way[:-1], way[1:]], axis=1).astype(np.float32)
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
            if self._outline is not None:
                self._outline.set_visible(False)
            return
        if self._outline is None:
            radius = 0.9 * ROD_PER_REACH * self._size  # inside the rods that iterate, where both are
            parents = range(len(points) - 1)
            self._outline = BonesScene(self._host, "/steps/outline", parents, radius, GHOST, opacity=0.5)
        self._outline.show(points)

    def remove(self) -> None:
        """Takes it out of the page."""
        self.root.remove()
