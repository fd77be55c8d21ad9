"""What arms and chains work among: half-spaces, meshes and clouds beside the obstacles of `forearm.scenes.shapes`.

A `Scene` holds obstacles under names, packed once: a loop of solves does not pack them again.
"""

import importlib.util
import io
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import LARGEST, as_floats, as_number, as_rigid, as_unit, as_vector, brief
from forearm.common.files import as_path, read_file, words_of
from forearm.common.types import Floats
from forearm.core.collision.obstacle_rows import CAPSULE, HALF_SPACE, OBSTACLE_COLUMNS, TRIANGLE
from forearm.errors import UNNAMED, MissingExtraError, ModelError, OptionError, counted, quoted, told_in_words
from forearm.scenes.shapes import NO_OBSTACLES, ROW, Obstacle, as_radius, pack
from forearm.scenes.tree import FEW, Laid, lay_out


@told_in_words
@dataclass(frozen=True, slots=True)
class HalfSpace(Obstacle):
    """Everything behind a plane: a floor, a table, a wall.

    Args:
        point: (3,) a point of the plane [m].
        normal: (3,) the way out of it; need not have length 1.
    """

    point: Any
    normal: Any = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        """Refuses what is no half-space."""
        point = as_vector(self.point, "the point of the half-space", 3, OptionError)
        normal = as_unit(self.normal, "the normal of the half-space", OptionError)
        object.__setattr__(self, "point", tuple(point.tolist()))
        object.__setattr__(self, "normal", tuple(normal.tolist()))
        self._pack(HALF_SPACE, self.point, math.inf, 0.0, 0.0, 0.0, 0.0, *self.normal)


@told_in_words
@dataclass(frozen=True, slots=True, eq=False)
class Mesh(Obstacle):
    """A surface of triangles. It has no inside: an arm whose base is outside must cross it to get in.

    Args:
        vertices: (v, 3) corners [m].
        faces: (f, 3) whole numbers: the corners of each triangle.
    """

    vertices: Any
    faces: Any

    def __post_init__(self) -> None:
        """Refuses what is no mesh."""
        vertices = as_triples(self.vertices, "the array of the vertices of the mesh", "(v, 3)")
        faces = as_triples(self.faces, "the array of the faces of the mesh", "(f, 3) whole numbers")
        if not len(faces):
            raise OptionError("the mesh has no triangles, so nothing would be kept away from it; give it faces")
        if not (faces == np.round(faces)).all():
            odd = faces[faces != np.round(faces)][0]
            raise OptionError(f"the faces of the mesh name corner {odd:g}; they take whole numbers, counted from 0")
        if faces.size and not (faces.min() >= 0 and faces.max() < len(vertices)):
            seen = f"{faces.min():g} to {faces.max():g}"
            raise OptionError(f"the faces of the mesh name corners {seen}; there are {len(vertices)}, counted from 0")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces.astype(np.int64))
        corners = vertices[self.faces]  # (f, 3, 3)
        middle = corners.mean(axis=1)
        around = corners - middle[:, None]
        bound = np.linalg.norm(around, axis=2).max(axis=1, initial=0.0)
        self._pack_rows(pack(TRIANGLE, middle, bound, span=around.reshape(len(corners), 9)))

    @classmethod
    def from_file(cls, path: str | Path, scale: float = 1.0, pose: Any = None) -> "Mesh":
        """A mesh from an STL, OBJ, PLY or other file (extra `collision`).

        Args:
            path: Where it lies.
            scale: What its numbers are multiplied by to be metres.
            pose: (4, 4) where to put it; None leaves it.
        """
        return cls(*read_placed(path, scale, pose))


@told_in_words
@dataclass(frozen=True, slots=True, eq=False)
class PointCloud(Obstacle):
    """Points of a sensor, each as a sphere.

    Args:
        points: (N, 3) [m].
        radius: Of every sphere [m]; about half the distance between neighbours closes the gaps.
    """

    points: Any
    radius: float

    def __post_init__(self) -> None:
        """Refuses what is no cloud."""
        points = as_triples(self.points, "the array of the points of the cloud", "(N, 3)")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "radius", as_radius(self.radius, "the radius of the cloud's points"))
        self._pack_rows(pack(CAPSULE, points, self.radius, self.radius))


def as_triples(value: Any, name: str, takes: str) -> Floats:
    """Rows of three numbers."""
    rows = as_floats(value, name, OptionError)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise OptionError(f"{name} has shape {rows.shape}; it takes {takes}")
    return rows


@told_in_words
@dataclass(frozen=True, eq=False)
class Scene:
    """Obstacles in the base frame, packed once.

    Args:
        obstacles: A list of obstacles, or a mapping from name to obstacle; names appear in verdicts.
        dim: 3 in space, where arms move; 2 for a chain in a plane.
        farthest: How far away an obstacle may lie or reach [m]: distances mean nothing beyond.
    """

    obstacles: Any = ()
    dim: int = field(default=3, repr=False)
    farthest: float = field(default=LARGEST, repr=False)
    keys: tuple[str, ...] = field(init=False, repr=False)
    rows: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Packs the obstacles."""
        given, dim, farthest = self.obstacles, self.dim, self.farthest
        items = _items(given)
        own = self.__dict__  # frozen for others; a new scene costs little
        plain = isinstance(given, (list, tuple))
        own["keys"], own["obstacles"] = () if plain or not isinstance(given, Mapping) else tuple(given), items
        try:
            packed: list[Any] = [item.packed for item in items if item.dim == dim and item.farthest < farthest]
        except AttributeError:  # what is no obstacle has none of these
            self._refuse()
            raise
        if len(packed) < len(items):
            self._refuse()
        own["rows"] = np.frombuffer(bytearray().join(packed)).reshape(-1, OBSTACLE_COLUMNS) if packed else NO_OBSTACLES

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each obstacle is called."""
        return self.keys or tuple(f"{UNNAMED}{k} ({_word(item)})" for k, item in enumerate(self.obstacles))

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The obstacle that each row belongs to."""
        count = len(self.obstacles)
        if len(self.rows) == count:  # one each
            return np.arange(count)
        return np.repeat(np.arange(count), [memoryview(item.packed).nbytes // ROW.size for item in self.obstacles])

    @cached_property
    def laid(self) -> Laid:
        """The rows as arms take them: many of them as a tree."""
        return lay_out(self.rows, self.owners) if len(self.rows) > FEW else Laid(self.rows, self.owners)

    def _refuse(self) -> None:
        """Says what is wrong with one of the obstacles."""
        for name, item in zip(self.names, self.obstacles, strict=True):
            if not isinstance(item, Obstacle):
                raise OptionError(f"{quoted(name)} is {brief(item)}; obstacles are: {', '.join(KINDS)}")
            _refuse_dim(name, item.dim, self.dim)
            if not item.farthest < self.farthest:
                fault = f"{quoted(name)} lies or reaches {item.farthest:.3g} m away"
                raise OptionError(f"{fault}; obstacles stay below {self.farthest:g} m")

    def __len__(self) -> int:
        """How many obstacles there are."""
        return len(self.obstacles)

    def __repr__(self) -> str:
        """One line."""
        return f"Scene({counted(len(self), 'obstacle')}: {', '.join(self.names)})"


def _refuse_dim(name: str, seen: int, dim: int) -> None:
    """Refuses an obstacle that lies elsewhere than what moves among them."""
    if seen != dim:
        place = "a plane: give it 2" if dim == 2 else "space: give it 3"
        raise OptionError(f"{quoted(name)} has {seen} coordinates; what moves round it lies in {place}")


def _items(obstacles: Any) -> tuple[Any, ...]:
    """The obstacles of whatever holds them."""
    if isinstance(obstacles, (list, tuple)):
        return tuple(obstacles)
    if isinstance(obstacles, Obstacle):
        return (obstacles,)
    if not isinstance(obstacles, Mapping):
        raise OptionError(f"obstacles is {brief(obstacles)}; it takes a list, a mapping from names, or a Scene")
    for name in obstacles:
        if not (isinstance(name, str) and name):
            raise OptionError(f"an obstacle is named {name!r}; names are texts")
    return tuple(obstacles.values())


def _word(item: Any) -> str:
    """What kind of thing an obstacle is."""
    word = type(item).__name__
    in_plane = isinstance(item, Obstacle) and item.dim == 2
    return {"Sphere": "circle", "Box": "rectangle", "Capsule": "capsule"}.get(word, word) if in_plane else word


def as_scene(obstacles: Any, dim: int = 3, farthest: float = LARGEST) -> Scene:
    """A scene from whatever a user passes, an empty one from None; `dim` and `farthest` as for `Scene`."""
    if not isinstance(obstacles, Scene):
        return Scene(() if obstacles is None else obstacles, dim, farthest)
    if obstacles.dim != dim and len(obstacles):
        _refuse_dim(obstacles.names[0], obstacles.dim, dim)
    return obstacles


def read_placed(path: str | Path, scale: float = 1.0, pose: Any = None) -> tuple[Floats, NDArray[np.int64]]:
    """Corners [m] and faces of a mesh file, scaled, and put where a (4, 4) pose says."""
    vertices, faces = read_mesh(path, as_number(scale, "the scale of the mesh", OptionError))
    if pose is not None:
        T = as_rigid(pose, "the pose of the mesh", OptionError)
        vertices = vertices @ T[:3, :3].T + T[:3, 3]
    return vertices, faces


def read_mesh(path: str | Path, scale: Any = 1.0) -> tuple[Floats, NDArray[np.int64]]:
    """Corners [m] and faces of a mesh file; `scale` is one factor, or three, from its numbers to metres."""
    trimesh, file, data = _mesh_data(path)
    try:  # of its bytes alone: what else it names (materials, pictures) is not opened
        mesh = trimesh.load(io.BytesIO(data), file_type=file.suffix.lower()[1:], force="mesh", process=False)
        # asked before the package takes triangles out
        finite, count = np.isfinite(mesh.vertices).all(), len(mesh.faces)
        mesh.process()
        vertices, faces = np.array(mesh.vertices, np.float64), np.array(mesh.faces, np.int64)
    except Exception as problem:  # its readers raise whatever their formats' libraries do
        raise OptionError(f"cannot read the mesh '{path}': {words_of(problem)}") from None
    if count < (said := faces_said(data)):
        raise OptionError(f"the mesh '{path}' says it has {said:,} faces, and has {count:,}; write it again")
    if not (finite and len(vertices)):
        raise OptionError(f"the mesh '{path}' has no corners, or some that are not finite")
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large is told below
        vertices = vertices * as_floats(scale, "scale", OptionError)
    if not np.abs(vertices).max() < LARGEST:
        raise OptionError(f"the mesh '{path}' reaches {np.abs(vertices).max():g} m; meshes stay below {LARGEST:g} m")
    return vertices, faces


def read_coloured_mesh(path: str | Path) -> list[tuple[Floats, NDArray[np.int64], str | None]]:
    """Corners and faces of the parts of a mesh file as its materials part it, each with its colour "#rrggbb", if any.

    To be looked at: what cannot be seen (no faces, numbers that are not finite) is left out.
    """
    trimesh, file, data = _mesh_data(path)
    parts = []
    try:
        scene = trimesh.load(io.BytesIO(data), file_type=file.suffix.lower()[1:], force="scene")
        for mesh in scene.dump(concatenate=False):
            vertices, faces = np.array(mesh.vertices, np.float64), np.array(mesh.faces, np.int64)
            if len(faces) and np.isfinite(vertices).all():
                parts.append((vertices, faces, _colour_of(mesh)))
    except Exception as problem:  # as above
        raise OptionError(f"cannot read the mesh '{path}': {words_of(problem)}") from None
    if not parts:
        raise OptionError(f"the mesh '{path}' has no faces")
    return parts


def _colour_of(mesh: Any) -> str | None:
    """The colour of a mesh of the package trimesh, where its file gives one."""
    if not mesh.visual.defined:
        return None
    material = getattr(mesh.visual, "material", None)
    colour = mesh.visual.main_color if material is None else material.main_color
    return "#" + bytes(int(value) for value in colour[:3]).hex()


def _mesh_data(path: str | Path) -> tuple[Any, Path, bytes]:
    """The package that reads meshes, and the path and the bytes of a mesh file."""
    file = as_path(path, "mesh file", OptionError)
    try:
        import trimesh  # noqa: PLC0415 (an extra)
    except ImportError:
        only = "" if file.suffix.lower() == ".dae" else "trimesh"
        raise MissingExtraError(f"reading the mesh '{file.name}'", "collision", only) from None
    if not os.path.isfile(file):  # unlike Path's, it never raises
        raise OptionError(f"there is no mesh file '{path}'; check the path")
    if file.suffix.lower() not in MESHES:
        raise OptionError(f"the mesh '{path}' is not read; meshes end in one of: {', '.join(MESHES)}")
    if file.suffix.lower() == ".dae" and importlib.util.find_spec("collada") is None:
        raise MissingExtraError(f"reading the mesh '{file.name}'", "collision", "pycollada")
    try:
        data = read_file(file, "mesh", MESH_BYTES)
    except ModelError as problem:
        raise OptionError(problem.message) from None
    return trimesh, file, data


def faces_said(data: bytes) -> int:
    """How many faces the head of a PLY file says there are, each at least a triangle; 0 for other files."""
    head = data[: data.find(b"end_header")] if data[:3] == b"ply" else b""
    found = re.search(rb"^element\s+face\s+(\d{1,18})\s*$", head, re.MULTILINE)
    return int(found[1]) if found else 0


KINDS = (
    *("Sphere", "Capsule", "Box", "Cylinder", "HalfSpace"),
    *("Mesh", "ConvexHull", "PointCloud", "HeightField", "DistanceField"),
)
MESHES = (".stl", ".obj", ".ply", ".dae", ".off", ".glb")
MESH_BYTES = 128 * 1024 * 1024
