"""An arm in the page: one frame per joint inside the frame before, and the figure's pieces in them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from forearm.common.palette import Rgb
from forearm.common.types import Floats
from forearm.models.model import Model
from forearm.viewer.arm.figure import Frames, Piece
from forearm.viewer.shared.nodes import Group, add_mesh
from forearm.viewer.shared.theme import BODY, HUB, MISSED


class ArmScene(Group):
    """The figure of an arm, moved by its joint values.

    Args:
        host: A viser client: it has `scene`.
        root: Name of the node it hangs under.
        model: The chain.
        pieces: The figure.
        colour: Of the links; None for the usual.
        opacity: Less than 1 for a ghost.
    """

    def __init__(
        self,
        host: Any,
        root: str,
        model: Model,
        pieces: Sequence[Piece],
        colour: Rgb | None = None,
        opacity: float | None = None,
    ) -> None:
        super().__init__(host, root)
        self.frames = Frames(model)
        names = [root]
        self.nodes = []
        wxyz, position = self.frames.at(np.zeros(model.n))
        for k in range(model.m):
            names.append(f"{names[-1]}/{k}")
            self.nodes.append(host.scene.add_frame(names[-1], show_axes=False, wxyz=wxyz[k], position=position[k]))
        self.colour = colour or BODY
        self.links, self._missed = [], False
        for number, piece in enumerate(pieces):
            own = piece.colour or (HUB if piece.is_hub and colour is None else self.colour)
            name = f"{names[piece.joint + 1]}/piece{number}"
            mesh = add_mesh(host, name, piece.mesh, own, opacity=opacity, cast_shadow=opacity is None)
            if not piece.is_hub and piece.colour is None:
                self.links.append(mesh)
        self.shown = np.full(model.n, np.nan)

    def show(self, q: Floats) -> None:
        """Moves the arm to joint values q; only joints that moved are sent."""
        wxyz, position = self.frames.at(q)
        moved = ~(q == self.shown)[self.frames.variable]
        for k in np.flatnonzero(moved):
            if self.frames.slides[k]:
                self.nodes[k].position = position[k]
            else:
                self.nodes[k].wxyz = wxyz[k]
        self.shown = q.copy()

    def paint(self, missed: bool) -> None:
        """Shows whether the arm is where it was sent."""
        if missed != self._missed:
            self._missed = missed
            for mesh in self.links:
                mesh.color = _mixed(self.colour, MISSED) if missed else self.colour


def _mixed(first: Rgb, second: Rgb) -> Rgb:
    """The colour half-way between two."""
    r, g, b = ((a + b) // 2 for a, b in zip(first, second, strict=True))
    return r, g, b
