"""Bones in the page: rods between points and balls at them, drawn by one message each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.viewer.shared.rotations import z_onto
from forearm.viewer.shared.shapes import ball, rod
from forearm.viewer.shared.theme import Rgb

BALL_PER_ROD = 1.55  # radius of a joint against its bone
SMALLEST = 1e-9  # a rod shorter than this has no direction [m]


class BonesScene:
    """A tree of rods, moved by its points.

    Args:
        host: A viser client.
        root: Name of the node it hangs under.
        parents: Point at which the rod to point i + 1 begins, for each i.
        radius: Of a rod [m].
        colour: Of all rods.
        opacity: Less than 1 for a ghost.
    """

    def __init__(
        self,
        host: Any,
        root: str,
        parents: Sequence[int],
        radius: float,
        colour: Rgb,
        opacity: float | None = None,
        visible: bool = True,
    ) -> None:
        self.parents = np.asarray(parents, int)
        self.radius, self.opacity = radius, opacity
        self.root = host.scene.add_frame(root, show_axes=False, visible=visible)
        n = len(self.parents)
        self.rods = self._batch(host, f"{root}/rods", rod(12), n, colour)
        self.balls = self._batch(host, f"{root}/balls", ball(1.0, 12), n + 1, colour)
        self.balls.batched_scales = np.full((n + 1, 3), BALL_PER_ROD * radius, np.float32)

    def _batch(self, host: Any, name: str, mesh: Any, count: int, colour: Rgb) -> Any:
        vertices, faces = mesh
        still = np.zeros((count, 4), np.float32)
        still[:, 0] = 1.0
        return host.scene.add_batched_meshes_simple(
            name,
            vertices.astype(np.float32),
            faces.astype(np.uint32),
            batched_wxyzs=still,
            batched_positions=np.zeros((count, 3), np.float32),
            batched_scales=np.full((count, 3), self.radius, np.float32),
            batched_colors=np.tile(np.array(colour, np.uint8), (count, 1)),
            opacity=self.opacity,
            cast_shadow=self.opacity is None,
            lod="off",
        )

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

    def set_visible(self, visible: bool) -> None:
        """Shows or hides all of it."""
        if self.root.visible != visible:
            self.root.visible = visible

    def remove(self) -> None:
        """Takes it out of the page."""
        self.root.remove()
