"""An arm in the page: one frame per joint inside the frame before, and the figure's pieces in them."""

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


class ArmScene:
    """The figure of an arm, moved by its joint values; a ghost is seen through and has one colour."""

    def __init__(self, host: Any, root: str, model: Model, pieces: Sequence[Piece], is_ghost: bool = False) -> None:
        self.root = host.scene.add_frame(root, show_axes=False)
        self.model = model
        self.is_missed = False
        look = {"opacity": GHOST_OPACITY if is_ghost else None}
        look |= {"cast_shadow": not is_ghost, "receive_shadow": not is_ghost}
        names = [root]
        self.nodes = []
        self.parts: list[tuple[Any, Rgb, bool]] = []  # what is drawn, in which colour, and whether it is a joint's body
        self.carriers: list[int] = []  # the joint that carries each of them
        for k in range(model.m):
            names.append(f"{names[-1]}/{k}")
            self.nodes.append(host.scene.add_frame(names[-1], show_axes=False))
        groups: dict[tuple[int, Rgb, bool], list[Mesh]] = {}  # what moves together and looks alike is one mesh
        for piece in pieces:
            colour = GHOST if is_ghost else rgb(piece.colour) if piece.colour else HUB if piece.is_hub else BODY
            groups.setdefault((piece.joint, colour, piece.is_hub), []).append(piece.mesh)
        for number, ((joint, colour, is_hub), meshes) in enumerate(groups.items()):
            mesh = add_mesh(host, f"{names[joint + 1]}/piece{number}", joined(meshes), colour, **look)
            self.parts.append((mesh, colour, is_hub))
            self.carriers.append(joint)
        self.show(np.zeros(model.n))

    def show(self, q: Floats) -> None:
        """Moves the arm to joint values q; viser sends only what moved."""
        for node, *frame in zip(self.nodes, *joint_frames(self.model, q), strict=True):
            node.wxyz, node.position = frame
        self.shown = q

    def paint(self, missed: bool) -> None:
        """Shows whether the arm is where it was sent: half-way to another colour if not."""
        if missed == self.is_missed:  # to say it again costs more than to solve
            return
        self.is_missed = missed
        for mesh, colour, is_hub in self.parts:
            mixed = tuple((a + b) // 2 for a, b in zip(colour, MISSED, strict=True))
            mesh.color = mixed if missed and not is_hub else colour

    def tint(self, colour: Rgb, beyond: set[int]) -> None:
        """Gives all of it one colour, and hides what some joints carry."""
        for (mesh, _, _), joint in zip(self.parts, self.carriers, strict=True):
            mesh.color, mesh.visible = colour, joint not in beyond
