"""A figure from the meshes a URDF names, where they are found; with the reason where they are not.

The visual mesh of each link on the chain is taken, or its collision mesh where the visual one cannot
be read (DAE files need the package pycollada). Joint frames are driven by forearm's own kinematics.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from forearm.common.folders import Folders, folders_of
from forearm.common.types import Floats
from forearm.errors import ForearmError, ModelError
from forearm.models.model import Model
from forearm.models.xml import numbers, parse_xml, read_origin, read_text
from forearm.scenes.scene import read_mesh
from forearm.viewer.arm.figure import Piece, capsule_pieces
from forearm.viewer.shared.shapes import Mesh


def mesh_pieces(source: Path, model: Model, more: Sequence[Path] = ()) -> tuple[list[Piece], str]:
    """The pieces of a chain's figure from the meshes of the URDF it was read from, and which are not there and why.

    A link whose mesh cannot be read is drawn in capsules; where none can, there are no pieces. Meshes lie below the
    folders that a description may read (`common/folders.py`), and `more` that the user names.
    """
    pieces, faults = list[Piece](), dict[int, str]()  # by the joint that carries the link
    try:
        folders = folders_of(source, more)
        root = parse_xml(*read_text(source, "URDF"), "robot")
        elements = {str(link.get("name")): link for link in root.findall("link")}
        for name, joint, T_joint_link in _carried_links(model):
            try:
                pieces += _link_pieces(elements[name], joint, T_joint_link, source.name, folders)
            except ForearmError as problem:
                faults.setdefault(joint, str(problem))
    except ForearmError as problem:
        return [], str(problem)
    if not pieces:
        return [], next(iter(faults.values()), f"{source.name} names no meshes on the chain")
    whole = {piece.joint for piece in pieces}
    pieces += [piece for piece in capsule_pieces(model) if piece.joint in faults and piece.joint not in whole]
    return pieces, "; ".join(faults.values())


def _carried_links(model: Model) -> Iterator[tuple[str, int, Floats]]:
    """Each link of the chain, the moving joint that carries it (-1: the base), its pose in that joint's frame."""
    for link, frame in model.file_links:
        yield link, frame, model.places[link][1]


def _link_pieces(link: Element, joint: int, T_joint_link: Floats, source: str, folders: Folders) -> list[Piece]:
    """The meshes of a link; of its collision shape if those to be seen cannot be read."""
    problem: ForearmError | None = None
    for tag in ("visual", "collision"):
        try:
            shapes = [shape for shape in link.findall(tag) if shape.find("geometry/mesh") is not None]
            pieces = [Piece(joint, _placed_mesh(shape, T_joint_link, source, folders)) for shape in shapes]
        except ForearmError as failure:
            problem = problem or failure
            continue
        if pieces or problem is None:
            return pieces
    raise problem or ModelError("no mesh")


def _placed_mesh(shape: Element, T_joint_link: Floats, source: str, folders: Folders) -> Mesh:
    """Vertices and faces of a shape in its joint's frame."""
    mesh = shape.find("geometry/mesh")
    assert mesh is not None
    T = T_joint_link @ read_origin(shape.find("origin"), f"a mesh of {source}")
    name = mesh.get("filename", "")
    file = folders.find(name, "mesh")
    if file is None:
        raise ModelError(f"the mesh '{name[:80]}' is not found beside {source} nor in a package")
    vertices, faces = read_mesh(file, numbers(mesh, "scale", (1.0, 1.0, 1.0), f"a mesh of {source}"))
    if not len(faces):
        raise ModelError(f"the mesh {file.name} cannot be read (it has no faces)")
    return vertices @ T[:3, :3].T + T[:3, 3], faces
