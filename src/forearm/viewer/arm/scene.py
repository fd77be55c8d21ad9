"""A robot in the page: one frame per joint inside the frame before, and the figure's pieces in them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from forearm.common.palette import Rgb, rgb
from forearm.common.types import Floats
from forearm.models.model import Model
from forearm.viewer.arm.figure import Piece, joint_frames
from forearm.viewer.shared.nodes import add_mesh
from forearm.viewer.shared.shapes import Mesh, joined
from forearm.viewer.shared.theme import BODY, GHOST, HUB, MISSED

GHOST_OPACITY = 0.35


class FigureScene:
    """Pieces in the frames of joints, each in the frame of its parent (-1 is the base).

    A ghost is seen through and has one colour.
    """

    def __init__(
        self, host: Any, root: str, parents: Sequence[int], pieces: Sequence[Piece], is_ghost: bool = False
    ) -> None:
        self.root = host.scene.add_frame(root, show_axes=False)
        self.missed: frozenset[int] = frozenset()  # the joints whose pieces look as if they missed
        look = {"opacity": GHOST_OPACITY if is_ghost else None}
        look |= {"cast_shadow": not is_ghost, "receive_shadow": not is_ghost}
        names = [root]
        self.nodes = []
        self.parts: list[tuple[Any, Rgb, bool]] = []  # what is drawn, in which colour, and whether it is a joint's body
        self.carriers: list[int] = []  # the joint that carries each of them
        for k, parent in enumerate(parents):
            names.append(f"{names[parent + 1]}/{k}")
            self.nodes.append(host.scene.add_frame(names[-1], show_axes=False))
        self._last_turns, self._last_positions = (
            np.full((len(self.nodes), 4), np.nan),
            np.full((len(self.nodes), 3), np.nan),
        )
        groups: dict[tuple[int, Rgb, bool], list[Mesh]] = {}  # what moves together and looks alike is one mesh
        for piece in pieces:
            colour = GHOST if is_ghost else rgb(piece.colour) if piece.colour else HUB if piece.is_hub else BODY
            groups.setdefault((piece.joint, colour, piece.is_hub), []).append(piece.mesh)
        for number, ((joint, colour, is_hub), meshes) in enumerate(groups.items()):
            mesh = add_mesh(host, f"{names[joint + 1]}/piece{number}", joined(meshes), colour, **look)
            self.parts.append((mesh, colour, is_hub))
            self.carriers.append(joint)

    def place(self, turns: Floats, positions: Floats) -> None:
        """Moves those frames that moved, each in that of its parent: to look whether it did costs viser most."""
        for k in np.flatnonzero((turns != self._last_turns).any(axis=1)):
            self.nodes[k].wxyz = turns[k]
        for k in np.flatnonzero((positions != self._last_positions).any(axis=1)):
            self.nodes[k].position = positions[k]
        self._last_turns, self._last_positions = turns, positions

    def paint(self, missed: frozenset[int]) -> None:
        """Shows what some joints carry half-way to another colour: it is not where it was sent."""
        if missed == self.missed:  # to say it again costs more than to solve
            return
        self.missed = missed
        for (mesh, colour, is_hub), joint in zip(self.parts, self.carriers, strict=True):
            mixed = tuple((a + b) // 2 for a, b in zip(colour, MISSED, strict=True))
            mesh.color = mixed if joint in missed and not is_hub else colour

    def tint(self, colour: Rgb, beyond: set[int]) -> None:
        """Gives all of it one colour, and hides what some joints carry."""
        for (mesh, _, _), joint in zip(self.parts, self.carriers, strict=True):
            mesh.color, mesh.visible = colour, joint not in beyond


class ArmScene(FigureScene):
    """The figure of an arm, moved by its joint values."""

    def __init__(self, host: Any, root: str, model: Model, pieces: Sequence[Piece], is_ghost: bool = False) -> None:
        super().__init__(host, root, range(-1, model.m - 1), pieces, is_ghost)
        self.model = model
        self.all = frozenset(range(-1, model.m))
        self.show(np.zeros(model.n))

    def show(self, q: Floats) -> None:
        """Moves the arm to joint values q."""
        self.place(*joint_frames(self.model, q))
        self.shown = q
