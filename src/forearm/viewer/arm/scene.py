"""An arm in the page: one frame per joint inside the frame before, and the figure's pieces in them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from forearm.common.types import Floats
from forearm.models.model import Model
from forearm.viewer.arm.figure import Piece, joint_frames
from forearm.viewer.shared.nodes import add_mesh
from forearm.viewer.shared.theme import BODY, GHOST, HUB, MISSED

GHOST_OPACITY = 0.35


class ArmScene:
    """The figure of an arm, moved by its joint values; a ghost is seen through and has one colour."""

    def __init__(self, host: Any, root: str, model: Model, pieces: Sequence[Piece], is_ghost: bool = False) -> None:
        self.root = host.scene.add_frame(root, show_axes=False)
        self.model, self.colour = model, GHOST if is_ghost else BODY
        look = {"opacity": GHOST_OPACITY if is_ghost else None, "cast_shadow": not is_ghost}
        names = [root]
        self.nodes, self.links = [], []
        for k in range(model.m):
            names.append(f"{names[-1]}/{k}")
            self.nodes.append(host.scene.add_frame(names[-1], show_axes=False))
        for number, piece in enumerate(pieces):
            own = HUB if piece.is_hub and not is_ghost else self.colour
            mesh = add_mesh(host, f"{names[piece.joint + 1]}/piece{number}", piece.mesh, own, **look)
            if not piece.is_hub:
                self.links.append(mesh)
        self.show(np.zeros(model.n))

    def show(self, q: Floats) -> None:
        """Moves the arm to joint values q; viser sends only what moved."""
        for node, *frame in zip(self.nodes, *joint_frames(self.model, q), strict=True):
            node.wxyz, node.position = frame
        self.shown = q

    def paint(self, missed: bool) -> None:
        """Shows whether the arm is where it was sent: half-way to another colour if not."""
        mixed = tuple((a + b) // 2 for a, b in zip(self.colour, MISSED, strict=True))
        for mesh in self.links:
            mesh.color = mixed if missed else self.colour
