"""An arm in the page: one frame per joint inside the frame before, and the figure's pieces in them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from forearm.common.palette import Rgb
from forearm.common.types import Floats
from forearm.models.model import Model
from forearm.viewer.arm.figure import Piece, joint_frames
from forearm.viewer.shared.nodes import add_mesh
from forearm.viewer.shared.theme import BODY, HUB, MISSED


class ArmScene:
    """The figure of an arm, moved by its joint values; a ghost has one colour and an opacity less than 1."""

    def __init__(
        self,
        host: Any,
        root: str,
        model: Model,
        pieces: Sequence[Piece],
        colour: Rgb | None = None,
        opacity: float | None = None,
    ) -> None:
        self.root = host.scene.add_frame(root, show_axes=False)
        self.model, self.colour = model, colour or BODY
        names = [root]
        self.nodes, self.links = [], []
        for k in range(model.m):
            names.append(f"{names[-1]}/{k}")
            self.nodes.append(host.scene.add_frame(names[-1], show_axes=False))
        for number, piece in enumerate(pieces):
            own = HUB if piece.is_hub and colour is None else self.colour
            name = f"{names[piece.joint + 1]}/piece{number}"
            mesh = add_mesh(host, name, piece.mesh, own, opacity=opacity, cast_shadow=opacity is None)
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
