"""What stands around a figure: the ground, the target, the gap to it, a path."""

from typing import Any

import numpy as np

from forearm.common.types import Floats
from forearm.viewer.shared.controls import move
from forearm.viewer.shared.nodes import add_ball, add_handle, add_lines, draw_way
from forearm.viewer.shared.theme import GIZMO_SHARE, GROUND, GROUND_SECTION, MISSED, PATH, SOLVED

WORLD_PER_REACH = 3.0  # how far from the base things may be dragged, per metre of reach
BALL_SHARE = 0.018  # radius of the target's ball, per metre of reach


def round_length(size: float) -> float:
    """A power of ten, or 2 or 5 times one, of about a fifth of a size: for the cells of a grid [m]."""
    power = 10.0 ** np.floor(np.log10(size / 5.0))
    return float(power * max(k for k in (1.0, 2.0, 5.0) if k * power <= size / 5.0 * (1.0 + 1e-9)))


def camera_for(size: float) -> tuple[Floats, Floats]:
    """Where a camera stands and looks to see a figure of this size that stands at the origin."""
    return size * np.array([1.3, -1.6, 0.95]), size * np.array([0.05, 0.0, 0.26])


class Stage:
    """Ground, target and gap.

    Args:
        host: A viser client.
        size: Reach of the figure [m].
        T: (4, 4) the target's first pose.
        turns: Whether the target can be turned.
    """

    def __init__(self, host: Any, size: float, T: Floats, turns: bool = True) -> None:
        cell = round_length(size)
        host.scene.add_grid(
            "/ground",
            width=2.6 * size,
            height=2.6 * size,
            cell_size=cell,
            section_size=5.0 * cell,
            cell_color=GROUND,
            section_color=GROUND_SECTION,
            shadow_opacity=0.10,
        )
        host.scene.add_frame("/base", axes_length=0.12 * size, axes_radius=0.004 * size, origin_radius=0.0)
        self.gizmo = add_handle(host, "/target", GIZMO_SHARE * size, T[:3, 3], turns)
        move(self.gizmo, T)
        self.ball = add_ball(host, "/target/ball", BALL_SHARE * size, SOLVED, cast_shadow=False)
        self.gap = add_lines(host, "/gap", MISSED, visible=False)
        self.path = add_lines(host, "/path", PATH, visible=False)
        self.stop = add_ball(host, "/stop", 0.9 * BALL_SHARE * size, MISSED, visible=False)
        self._missed = False

    def set_handles(self, moves: bool, turns: bool) -> None:
        """Offers the handles that mean something: arrows to move the target, arcs to turn it."""
        self.gizmo.disable_axes = self.gizmo.disable_sliders = not moves
        self.gizmo.disable_rotations = not turns

    def show_gap(self, tips: Floats, targets: Floats, missed: bool) -> None:
        """Draws lines from (3,) or (k, 3) tips to targets that they missed, and colours the target."""
        if missed:
            self.gap.points = np.stack([np.atleast_2d(tips), np.atleast_2d(targets)], axis=1).astype(np.float32)
        if missed != self._missed:
            self._missed = missed
            self.ball.color = MISSED if missed else SOLVED
            self.gap.visible = missed

    def show_stop(self, point: Floats | None) -> None:
        """Marks where a track could not go on; None marks nothing."""
        if point is not None:
            self.stop.position = point
        self.stop.visible = point is not None

    def show_path(self, points: Floats) -> None:
        """Draws a path of (k, 3) points, or nothing if there are fewer than two."""
        self.path.visible = len(points) > 1
        if len(points) > 1:
            draw_way(self.path, points)
