"""Bones in the page: rods between points and balls at them, drawn by one message each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.palette import Rgb
from forearm.common.types import Floats
from forearm.viewer.shared.nodes import Group, add_copies
from forearm.viewer.shared.rotations import z_onto
from forearm.viewer.shared.shapes import ball, rod

BALL_PER_ROD = 1.55  # radius of a joint against its bone
SMALLEST = 1e-9  # a rod shorter than this has no direction [m]


class BonesScene(Group):
    """A tree of rods, moved by its points.

    Args:
        host: A viser client.
        root: Name of the node it hangs under.
        parents: Point at which the rod to point i + 1 begins, for each i.
        radius: Of a rod [m].
        colour: Of all rods.
        opacity: Less than 1 for a ghost.
        ball_radius: Of the balls at the points [m]; a little more than the rods' by default.
    """

    def __init__(
        self,
        host: Any,
        root: str,
        parents: Sequence[int],
        radius: float,
        colour: Rgb,
        *,
        opacity: float | None = None,
        ball_radius: float | None = None,
    ) -> None:
        super().__init__(host, root)
        self.parents = np.asarray(parents, int)
        self.radius = radius
        n = len(self.parents)
        balls = np.full(n + 1, BALL_PER_ROD * radius if ball_radius is None else ball_radius)
        look = {"opacity": opacity, "cast_shadow": opacity is None}
        self.rods = add_copies(host, f"{root}/rods", rod(12), np.full(n, radius), colour, **look)
        self.balls = add_copies(host, f"{root}/balls", ball(1.0, 12), balls, colour, **look)

    def show(self, points: Floats) -> None:
        """Moves it to (n+1, 3) points."""
        starts, ends = points[self.parents], points[1:]
        along = ends - starts
        lengths = np.linalg.norm(along, axis=1)
        unit = np.where(lengths[:, None] > SMALLEST, along / np.maximum(lengths, SMALLEST)[:, None], (0.0, 0.0, 1.0))
        scales = np.full((len(lengths), 3), self.radius)
        scales[:, 2] = lengths
        self.rods.batched_positions = starts.astype(np.float32)
        self.rods.batched_wxyzs = z_onto(unit).astype(np.float32)
        self.rods.batched_scales = scales.astype(np.float32)
        self.balls.batched_positions = points.astype(np.float32)

    def paint(self, colours: Floats | NDArray[np.uint8]) -> None:
        """Colours the points, one row of (n+1, 3) each, and the rods that lead to them."""
        self.balls.batched_colors = np.asarray(colours, np.uint8)
        self.rods.batched_colors = np.asarray(colours, np.uint8)[1:]
