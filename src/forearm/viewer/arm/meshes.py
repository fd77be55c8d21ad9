"""What an arm looks like: the shapes to be seen of its file, in their colours, with what hangs off the chain at rest.

A link whose mesh cannot be read is drawn by its collision shapes (DAE files need the package pycollada), else in
the capsules of an arm without shapes, and the reason is told. Joint frames are driven by forearm's own kinematics.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from forearm.arm.bodies import find_mesh, scaled, shape_mesh
from forearm.arm.surfaces import ellipsoid_triangles
from forearm.common.folders import folders_of
from forearm.common.types import Floats
from forearm.errors import ForearmError, ModelError
from forearm.models.cut import placed_shapes
from forearm.models.mechanism import LinkShape, Mechanism, Place
from forearm.models.model import Model
from forearm.scenes.scene import read_coloured_mesh
from forearm.scenes.solids import hull_of
from forearm.viewer.arm.figure import Piece, capsule_pieces
from forearm.viewer.shared.shapes import Mesh, ball, block, capsule, cone_between


def figure_pieces(model: Model, more: Sequence[Path] = ()) -> tuple[list[Piece], str]:
    """The pieces of an arm's figure, and which of its shapes cannot be drawn and why.

    Meshes lie below the folders that its description may read (`common/folders.py`), and `more` that the user names.
    """
    if model.mechanism is None:
        return capsule_pieces(model), ""
    return shaped_pieces(model.mechanism, model.places, partial(capsule_pieces, model), more)


def shaped_pieces(
    mechanism: Mechanism,
    places: Mapping[str, Place],
    plain: Callable[[], list[Piece]],
    more: Sequence[Path] = (),
) -> tuple[list[Piece], str]:
    """The pieces of a robot whose links have places, or of its plain figure, and what cannot be drawn and why."""
    seen = placed_shapes(mechanism, places, seen=True)
    touched = placed_shapes(mechanism, places)
    pieces, faults = list[Piece](), dict[int, str]()  # by the joint that carries the link
    for link in dict.fromkeys(shape.link for shape in (*seen, *touched)):
        own = [[_with_folders(s, more) for s in shapes if s.link == link] for shapes in (seen, touched)]
        drawn, why = _link_pieces(own)
        pieces += drawn
        if why and not drawn:
            faults.setdefault(next(shape.frame for shapes in own for shape in shapes), why)
    if not pieces:
        return plain(), next(iter(faults.values()), "")
    whole = {piece.joint for piece in pieces}
    pieces += [piece for piece in plain() if piece.joint in faults and piece.joint not in whole]
    return pieces, "; ".join(faults.values())


def _link_pieces(choices: Sequence[Sequence[LinkShape]]) -> tuple[list[Piece], str]:
    """A link by the first of several sets of shapes that can be drawn; else why it cannot."""
    fault = ""
    for shapes in choices:
        try:
            pieces = [piece for shape in shapes for piece in shape_pieces(shape)]
        except ForearmError as problem:
            fault = fault or str(problem)
            continue
        if pieces:
            return pieces, ""
    return [], fault


def _with_folders(shape: LinkShape, more: Sequence[Path]) -> LinkShape:
    """The same shape, whose mesh may lie in more folders."""
    folders = shape.folders or folders_of(None)
    return replace(shape, folders=replace(folders, more=(*folders.more, *more))) if more else shape


def shape_pieces(shape: LinkShape) -> list[Piece]:
    """A shape as pieces in the frame of the joint that carries it: one, or as many as its mesh has materials."""
    if shape.kind in ("plane", "hfield"):
        return []  # a world's ground, not a robot's
    if shape.kind == "mesh" and shape.corners is None:
        parts = read_coloured_mesh(find_mesh(shape))
        meshes = [((scaled(shape, v), faces), shape.colour or colour) for v, faces, colour in parts]
    else:
        meshes = [(_solid(shape), shape.colour)]
    return [Piece(shape.frame, (_moved(shape.pose, v), faces), colour=colour) for (v, faces), colour in meshes]


def _solid(shape: LinkShape) -> Mesh:
    """The mesh of a shape about its own origin."""
    kind, size = shape.kind, shape.size
    half = np.array([0.0, 0.0, 0.5 * size[1] if len(size) > 1 else 0.0])
    makers: dict[str, Callable[[], Mesh]] = {
        "box": lambda: block(size),
        "sphere": lambda: ball(size[0], 32),
        "capsule": lambda: capsule(-half, half, size[0], 32),
        "cylinder": lambda: cone_between(-half, half, size[0], size[0]),
        "cone": lambda: cone_between(-half, half, size[0], size[2]),
        "ellipsoid": lambda: _loose(ellipsoid_triangles(size)),
    }
    if kind in makers:
        return makers[kind]()
    if kind not in ("mesh", "hull"):
        raise ModelError(shape.file)
    corners, faces = shape_mesh(shape)
    if not len(faces):  # a file gives its corners alone: what is seen is their hull
        return _loose(hull_of(corners)[1])
    return corners, faces


def _loose(triangles: Floats) -> Mesh:
    """(t, 3, 3) triangles as a mesh."""
    return triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)


def _moved(T: Floats, vertices: Floats) -> Floats:
    return np.asarray(vertices @ T[:3, :3].T + T[:3, 3])
