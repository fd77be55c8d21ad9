"""World files as scenes: a TOML of forearm's own, a URDF, an MJCF, or an SDF (Gazebo's).

Everything that such a file would collide with is an obstacle, where it stands with all joints at 0, or as near to 0 as
their limits allow; it is named after its link or body. What is seen only plays no part. Meshes of a URDF or SDF are
surfaces of triangles, those of an MJCF the convex hulls that MuJoCo takes them for.
"""

import importlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from forearm.arm.bodies import shape_mesh
from forearm.common.files import as_path, read_file
from forearm.common.folders import Folders, folders_of
from forearm.common.transforms import from_rpy, translation
from forearm.common.types import Floats
from forearm.errors import ModelError, OptionError
from forearm.models.cut import Dirs
from forearm.models.mechanism import Joint, LinkShape, Mechanism
from forearm.models.mjcf import read_mjcf
from forearm.models.mujoco.compile import apart
from forearm.models.urdf import read_urdf
from forearm.models.xml import attribute, parse_part
from forearm.scenes.file import read_scene
from forearm.scenes.scene import MESH_BYTES, HalfSpace, Mesh, Scene
from forearm.scenes.shapes import Box, Capsule, Cylinder, Obstacle, Sphere
from forearm.scenes.solids import ConvexHull, HeightField

Found = Iterator[tuple[str, Obstacle]]
ENDINGS = (".urdf", ".xml", ".mjcf", ".sdf", ".world")  # others are TOML
ROUND = 2  # times that the triangles of an ellipsoid are split


def read_world(path: str | Path, folders: Dirs = ()) -> Scene:
    """The scene of a world file.

    Args:
        path: Where it lies; what it names is sought beside it and in the packages around.
        folders: Further folders that meshes and models may be read from.
    """
    file = as_path(path, "world", OptionError)
    if file.suffix.lower() not in ENDINGS:
        return read_scene(file)
    data, near = read_file(file, "world"), folders_of(file.absolute(), folders)
    root = parse_part(data, file.name)
    if root.tag == "robot":
        found = _of_mechanism(read_urdf(data, file.name, near, ""))
    elif root.tag == "mujoco":
        found = _of_mechanism(read_mjcf(file, folders))
    elif root.tag == "sdf":
        found = _of_sdf(root, file.name, near, np.eye(4), [])
    else:
        raise ModelError(f"{file.name} has the root <{root.tag[:60]}>; worlds have <robot>, <mujoco> or <sdf>")
    named: dict[str, Obstacle] = {}
    for name, obstacle in found:
        count = sum(1 for known in named if known == name or known.startswith(f"{name} #"))
        named[f"{name} #{count + 1}" if count else name] = obstacle
    if not named:
        raise ModelError(f"{file.name} has nothing to collide with; give its links collision shapes")
    return Scene(named)


def _solid(kind: str, size: Any, T: Floats) -> Obstacle:
    """A primitive of a file as an obstacle; `size` is as a URDF's shapes have it (`models/mechanism.py`)."""
    middle, z = T[:3, 3], T[:3, 2]
    if kind == "box":
        return Box(middle, size, np.array(T[:3, :3]))
    if kind == "sphere":
        return Sphere(middle, float(size[0]))
    if kind == "plane":
        return HalfSpace(middle, z)
    if kind == "ellipsoid":
        return ConvexHull((_ball_points() * size) @ T[:3, :3].T + middle)
    way = 0.5 * size[1] * z
    return (Capsule if kind == "capsule" else Cylinder)(middle - way, middle + way, float(size[0]))


def _ball_points() -> Floats:
    """Corners of a body of many triangles round the unit ball: none of them cuts into it."""
    points = [np.array(p, float) for p in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))]
    faces = [(a, b, c) for a in (0, 1) for b in (2, 3) for c in (4, 5)]
    triangles = np.array([[points[i] for i in face] for face in faces])
    for _ in range(ROUND):
        a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
        halves = [(x + y) / np.linalg.norm(x + y, axis=1)[:, None] for x, y in ((a, b), (b, c), (c, a))]
        ab, bc, ca = halves
        triangles = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    heights = np.abs(np.einsum("fi,fi->f", across, triangles[:, 0])) / np.linalg.norm(across, axis=1)
    return np.unique((triangles / heights.min()).reshape(-1, 3).round(12), axis=0) * (1.0 + 1e-11)


def _obstacle(shape: LinkShape, T: Floats) -> Obstacle:
    """A shape of a link that stands at T."""
    place = T @ shape.pose
    if shape.kind in ("mesh", "hull"):
        corners, faces = shape_mesh(shape)
        corners = corners @ place[:3, :3].T + place[:3, 3]
        return Mesh(corners, faces) if shape.kind == "mesh" else ConvexHull(corners)
    if shape.kind == "unreadable":
        raise ModelError(shape.file)
    return _height_field(shape, place) if shape.kind == "hfield" else _solid(shape.kind, shape.size, place)


def _height_field(shape: LinkShape, T: Floats) -> Obstacle:
    """MuJoCo's height field: rows along y, heights as shares of the third of its sizes, its base below."""
    mujoco, folders = importlib.import_module("mujoco"), shape.folders or folders_of(None)
    spec = mujoco.MjSpec()
    field = spec.add_hfield(name="field", size=shape.size)
    if shape.corners is None:
        field.file = f"field{Path(shape.file).suffix}"
        spec.assets = {field.file: folders.read(Path(shape.file), "height field", MESH_BYTES)}
    else:
        field.nrow, field.ncol = shape.corners.shape
        field.userdata = shape.corners.ravel().tolist()
    try:
        made = apart(mujoco, spec.compile)
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as problem:
        said = " ".join(str(problem).split())
        raise ModelError(f"MuJoCo cannot read the height field of '{shape.link}': {said}") from None
    (x, y, high, base), rows, columns = shape.size, int(made.hfield_nrow[0]), int(made.hfield_ncol[0])
    heights = high * made.hfield_data.reshape(rows, columns).T.astype(float)
    origin = T[:3, 3] + T[:3, :3] @ np.array([-x, -y, 0.0])
    spacing = (2.0 * x / (columns - 1), 2.0 * y / (rows - 1))
    return HeightField(heights, spacing, origin, np.array(T[:3, :3]), floor=-base)


# -- URDF and MJCF ---------------------------------------------------------------------------------


def _of_mechanism(mechanism: Mechanism) -> Found:
    """The collision shapes of all links."""
    parents = {joint.child: joint for joint in mechanism.joints}
    for link in mechanism.links:
        T, at = np.eye(4), link.name
        for _ in mechanism.joints:
            if at not in parents:
                break
            joint = parents[at]
            T, at = joint.origin @ _moved(joint) @ joint.behind @ T, joint.parent
        for shape in link.shapes:
            yield shape.link, _obstacle(shape, T)


def _moved(joint: Joint) -> Floats:
    """(4, 4) what a joint does at 0, or as near to it as its limits allow."""
    low, high = joint.limits or (-math.inf, math.inf)
    value, axis, T = float(np.clip(0.0, low, high)) - joint.zero, np.array(joint.axis), np.eye(4)
    if joint.kind == "prismatic":
        T[:3, 3] = value * axis
    elif joint.kind in ("revolute", "continuous") and value != 0.0:
        x, y, z = axis
        K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        T[:3, :3] += math.sin(value) * K + (1.0 - math.cos(value)) * K @ K
    return T


# -- SDF -------------------------------------------------------------------------------------------


def _of_sdf(root: Element, where: str, folders: Folders, T: Floats, seen: list[Path | None]) -> Found:
    """The collision shapes of all models of a file, and of those that it includes.

    `seen` are the files included so far, None in place of those that are read to their end.
    """
    for holder in (*root.findall("world"), root):
        yield from _of_models(holder, where, folders, T, "", seen)


def _of_models(holder: Element, where: str, folders: Folders, T: Floats, above: str, seen: list[Path | None]) -> Found:
    """Models, links and includes below an element that stands at T."""
    for model in holder.findall("model"):
        name = f"{above}{attribute(model, 'name', f'a model in {where}')}"
        place = T @ _sdf_pose(model, where)
        for link in model.findall("link"):
            label = f"{name}/{attribute(link, 'name', f'a link of {name} in {where}')}"
            at = place @ _sdf_pose(link, where)
            for shape in link.findall("collision"):
                yield label, _sdf_shape(shape, at @ _sdf_pose(shape, where), label, where, folders)
        yield from _of_models(model, where, folders, place, f"{name}/", seen)
    for include in holder.findall("include"):
        uri = (include.findtext("uri") or "").strip()
        path = folders.find(uri if uri.endswith(".sdf") else f"{uri.rstrip('/')}/model.sdf", "model")
        if path is None:
            raise ModelError(f"{where} includes '{uri[:200]}', which was not found from '{folders.own}' upward")
        if path in seen:
            raise ModelError(f"{where} includes '{uri[:200]}', which includes it: a ring; leave one of them out")
        if len(seen) == MOST_INCLUDES:
            raise ModelError(f"{where} includes more than {MOST_INCLUDES} models; leave some out")
        mine = len(seen)
        seen.append(path)
        inside, base = parse_part(read_file(path, "model"), path.name), T @ _sdf_pose(include, where)
        named = (include.findtext("name") or "").strip()
        for name, obstacle in _of_sdf(inside, path.name, folders_of(path, folders.more), base, seen):
            yield above + (f"{named}/{name.partition('/')[2]}" if named else name), obstacle
        seen[mine] = None


def _sdf_pose(element: Element, where: str) -> Floats:
    """(4, 4) of an element's `<pose>`; the identity if there is none."""
    pose = element.find("pose")
    if pose is None or not (pose.text or "").strip():
        return np.eye(4)
    name = element.get("name", element.tag)
    if pose.get("relative_to"):
        seen = pose.get("relative_to", "")[:60]
        raise ModelError(f"{where}: '{name}' stands relative to '{seen}'; give its pose in the frame of what holds it")
    values = _numbers(pose.text or "", f"the <pose> of '{name}' in {where}")
    quaternion = pose.get("rotation_format") == "quat_xyzw"
    if len(values) != (7 if quaternion else 6):
        raise ModelError(f"the <pose> of '{name}' in {where} has {len(values)} numbers; it takes x y z and a rotation")
    if quaternion:
        T = translation(*values[:3])
        T[:3, :3] = _rotation(np.roll(values[3:], 1))
        return T
    turns = np.radians(values[3:]) if pose.get("degrees") == "true" else values[3:]
    return translation(*values[:3]) @ from_rpy(*turns)


def _rotation(wxyz: Floats) -> Floats:
    """(3, 3) of a quaternion."""
    w, x, y, z = wxyz / np.linalg.norm(wxyz)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2.0 * w * K + 2.0 * K @ K)


def _numbers(text: str, what: str) -> Floats:
    """Numbers between blanks."""
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.array([np.nan])
    if not np.isfinite(values).all():
        raise ModelError(f"{what} is '{text.strip()[:60]}'; it takes finite numbers")
    return values


def _sdf_shape(collision: Element, T: Floats, label: str, where: str, folders: Folders) -> Obstacle:
    """One collision shape."""
    shape = collision.find("geometry/*")
    kind, who = "nothing" if shape is None else shape.tag, f"'{label}' in {where}"
    keys = SDF_KEYS.get(kind)
    if shape is None or keys is None:
        raise ModelError(f"the collision shape of {who} is a <{kind}>; there are: {', '.join(SDF_KEYS)}")
    if kind == "mesh":
        scale = _numbers(shape.findtext("scale") or "1 1 1", f"the scale of {who}")
        named = (shape.findtext("uri") or "").strip()
        return _obstacle(LinkShape(label, -1, np.eye(4), kind, tuple(scale.tolist()), named, folders), T)
    texts = [(key, shape.findtext(key) or DEFAULTS.get(key, "")) for key in keys]
    size = np.concatenate([_numbers(text, f"the {key} of {who}") for key, text in texts])
    if len(size) != LENGTHS.get(kind, len(keys)):
        raise ModelError(f"the {kind} of {who} has {len(size)} lengths; it takes {', '.join(keys)}")
    if kind == "plane":
        return HalfSpace(T[:3, 3], T[:3, :3] @ size)
    return _solid(kind, size, T)


SDF_KEYS = {
    "box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length"),
    "ellipsoid": ("radii",), "plane": ("normal",), "mesh": ("uri",),
}  # fmt: skip
DEFAULTS = {"normal": "0 0 1"}
LENGTHS = {"box": 3, "ellipsoid": 3, "plane": 3}
MOST_INCLUDES = 200  # models, with all that they include
