"""Scenes from TOML files: one table per obstacle, metres, radians unless a key ends in `_deg`.

```toml
[[box]]
name = "table"
center = [0.5, 0.0, -0.02]
size = [1.0, 0.8, 0.04]
rpy_deg = [0, 0, 15]
```
Every fault is told with its line and key.
"""

import io
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from forearm.common.checks import as_floats, brief, refuse_switch
from forearm.common.files import as_path, parse_toml, read_file
from forearm.common.folders import folders_of
from forearm.common.transforms import from_rpy, translation
from forearm.errors import (
    ForearmError,
    Message,
    MissingExtraError,
    ModelError,
    OptionError,
    filled,
    nearest_names,
    within,
)
from forearm.scenes.scene import HalfSpace, Mesh, PointCloud, Scene, as_triples
from forearm.scenes.shapes import Box, Capsule, Cylinder, Obstacle, Sphere
from forearm.scenes.solids import ConvexHull, DistanceField, HeightField


@dataclass(frozen=True)
class Form:
    """How a kind of obstacle is written: the keys it needs, those it may have, and what makes it."""

    needs: tuple[str, ...]
    may: tuple[str, ...]
    make: Callable[[Mapping[str, Any], Path], Obstacle]


def read_scene(path: str | Path) -> Scene:
    """The scene of a TOML file; obstacles without a name are called by kind and number.

    Args:
        path: Where it lies; meshes and clouds are sought beside it.
    """
    file = as_path(path, "scene", OptionError)
    data = read_file(file, "scene")
    text = data.decode("utf-8-sig", "replace")
    found: dict[str, Obstacle] = {}
    for kind, rows in parse_toml(data, file.name, OptionError).items():
        if kind not in FORMS:
            where = _where(file, text, kind)
            raise OptionError(f"{where}: there is no obstacle '{kind[:60]}'; {nearest_names(kind[:60], FORMS)}")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise OptionError(f"{_where(file, text, kind)}: '{kind}' is written [[{kind}]], with two brackets")
        for i, row in enumerate(rows):
            name = row.get("name", f"{kind} {i}")
            fault = ""
            if not (isinstance(name, str) and name):
                fault = f"the name is {brief(name)}; it takes a text in quotes"
            elif name in found:
                fault = f"there are two obstacles named '{name}'"
            if fault:
                raise OptionError(f"{_where(file, text, kind, i, 'name')}, key 'name': {fault}")
            found[name] = _read_row(kind, row, i, text, file)
    return Scene(found)


def _read_row(kind: str, row: Mapping[str, Any], i: int, text: str, file: Path) -> Obstacle:
    """One obstacle, or an error that names its line and key."""
    form = FORMS[kind]
    known = ("name", *form.needs, *form.may)
    for key in row:
        if key not in known:
            where = _where(file, text, kind, i, key)
            raise OptionError(f"{where}: [[{kind}]] has no key '{key[:60]}'; {nearest_names(key[:60], known)}")
    for key in form.needs:
        if key not in row:
            here = _where(file, text, kind, i)
            raise OptionError(f"{here}: [[{kind}]] has no '{key}'; it needs {', '.join(form.needs)}")
    try:
        for key, value in row.items():
            if isinstance(value, list):  # what stands alone is looked at where it is read
                refuse_switch(value, WORDS.get(key, key))
        item = form.make(row, file)
        Scene({kind: item})  # what only an arm refuses should have its line too
        return item
    except MissingExtraError:
        raise  # it is about this installation, not about a line of the file
    except ForearmError as problem:
        key = _guilty(str(problem), [key for key in known if key in row])
        raise type(problem)(within(f"{_where(file, text, kind, i, key)}, key '{key}'", problem)) from None
    except (OSError, TypeError, ValueError, ArithmeticError) as problem:
        raise OptionError(f"{_where(file, text, kind, i)}, [[{kind}]]: {problem}") from None


def _guilty(message: str, keys: list[str]) -> str:
    """The key a message speaks of: the one it names first, else where it lies, else the last that was given."""
    if "coordinates; what moves" in message or "reaches" in message:
        return next((key for key in PLACES if key in keys), keys[-1])
    said = [(message.find(WORDS.get(key, key)), key) for key in keys if WORDS.get(key, key) in message]
    return min(said)[1] if said else keys[-1]


MAX_POINTS = 64 * 1024 * 1024  # bytes of a file of points
PLACES = ("center", "a", "point", "points", "origin", "file")
WORDS = {"a": "end a", "b": "end", "rpy": "rotation", "rpy_deg": "rotation", "file": "'"}


def _where(file: Path, text: str, kind: str, i: int = 0, key: str | None = None) -> str:
    """The file and the line, from 1, of a table's header, or of a key in it."""
    headers = list(re.finditer(rf"^\s*(\[{{1,2}}\s*{re.escape(kind)}\s*\])", text, re.MULTILINE))
    if i >= len(headers):  # written in a row, or as a bare key
        place = max(text.find(kind), 0)
    else:
        place = headers[i].start(1)
        end = text.find("\n[", place)
        body = text[place : end if end > 0 else None]
        match = key and re.search(rf"^\s*\"?{re.escape(key)}\"?\s*=", body, re.MULTILINE)
        place += match.end() if match else 0
    line = text.count("\n", 0, place) + 1
    return f"{file.name}, line {line}"


def _turn(row: Mapping[str, Any]) -> Any:
    """(4, 4) rotation of rpy or rpy_deg."""
    if "rpy" in row and "rpy_deg" in row:
        raise OptionError("the rotation is given twice, as rpy and as rpy_deg; leave one of them out")
    return from_rpy(*np.radians(_three(row, "rpy_deg"))) if "rpy_deg" in row else from_rpy(*_three(row, "rpy"))


def _three(row: Mapping[str, Any], key: str) -> list[float]:
    """Three numbers, zero by default."""
    values = row.get(key, [0.0, 0.0, 0.0])
    if not (isinstance(values, list) and len(values) == 3 and all(isinstance(v, (int, float)) for v in values)):
        raise OptionError(f"{key} is {brief(values)}; it takes three numbers")
    return [float(value) for value in as_floats(values, key, OptionError)]


def _mesh(row: Mapping[str, Any], scene: Path) -> Obstacle:
    """A mesh from a file, moved by xyz and rpy or rpy_deg."""
    pose = translation(*_three(row, "xyz")) @ _turn(row)
    return Mesh.from_file(_beside(row, scene, "mesh"), row.get("scale", 1.0), pose)


def _beside(row: Mapping[str, Any], scene: Path, what: str) -> Path:
    """The file that a table names, below the scene's own folders."""
    name = row["file"]
    if not isinstance(name, str) or not name:
        raise OptionError(f"the file is {brief(name)}; it takes a path in quotes")
    path = scene.absolute().parent / name
    try:
        return folders_of(scene.absolute()).admit(path, what) if os.path.exists(path) else path
    except ModelError as problem:  # a scene has no folders but its own
        told = problem.message
        raise OptionError(filled(told.text, {"or_folders": ""}) if isinstance(told, Message) else told) from None


def _hull(row: Mapping[str, Any], scene: Path) -> Obstacle:
    """The convex hull of points in the table, or of a mesh file, moved by xyz and rpy or rpy_deg."""
    if ("points" in row) == ("file" in row):
        raise OptionError("a hull has either points or a file")
    pose = translation(*_three(row, "xyz")) @ _turn(row)
    if "file" in row:
        return ConvexHull.from_file(_beside(row, scene, "mesh"), row.get("scale", 1.0), pose)
    points = as_triples(row["points"], "the array of the points of the hull", "(v, 3)")
    return ConvexHull(points @ pose[:3, :3].T + pose[:3, 3])


def _cloud(row: Mapping[str, Any], scene: Path) -> Obstacle:
    """A cloud from points in the table, or from a file with three numbers a line."""
    return PointCloud(_table(row, scene, "cloud", "points", "write x, y, z a line"), row["radius"])


def _heights(row: Mapping[str, Any], scene: Path) -> Obstacle:
    """A height field from numbers in the table, or from a file with a line for each x."""
    heights = _table(row, scene, "height field", "heights", "write those along y a line")
    return HeightField(heights, row["spacing"], _three(row, "origin"), _turn(row)[:3, :3], row.get("floor"))


def _distances(row: Mapping[str, Any], scene: Path) -> Obstacle:
    """A field of distances from a file of NumPy's."""
    distances = _table(row, scene, "distance field", "distances", "save it with numpy.save")
    return DistanceField(distances, row["spacing"], _three(row, "origin"), _turn(row)[:3, :3])


def _table(row: Mapping[str, Any], scene: Path, what: str, key: str, write: str) -> Any:
    """Numbers under a key, or in a file of text with commas, or of NumPy's (.npy)."""
    if (key in row) == ("file" in row):
        raise OptionError(f"a {what} has either {key} or a file")
    if key in row:
        return row[key]
    path = _beside(row, scene, what)
    if not path.is_file():
        raise OptionError(f"there is no file of {key} '{path.name}'; it is sought beside the scene")
    try:
        data = io.BytesIO(read_file(path, key, MAX_POINTS))
        return np.load(data, allow_pickle=False) if path.suffix == ".npy" else np.loadtxt(data, delimiter=",", ndmin=2)
    except ModelError as problem:
        raise OptionError(problem.message) from None
    except (ValueError, EOFError) as problem:
        raise OptionError(f"the {key} in '{path.name}' cannot be read ({problem}); {write}") from None


FORMS = {
    "sphere": Form(("center", "radius"), (), lambda row, _: Sphere(row["center"], row["radius"])),
    "capsule": Form(("a", "b", "radius"), (), lambda row, _: Capsule(row["a"], row["b"], row["radius"])),
    "box": Form(
        ("center", "size"), ("rpy", "rpy_deg"), lambda row, _: Box(row["center"], row["size"], _turn(row)[:3, :3])
    ),
    "cylinder": Form(("a", "b", "radius"), (), lambda row, _: Cylinder(row["a"], row["b"], row["radius"])),
    "half_space": Form(("point",), ("normal",), lambda row, _: HalfSpace(row["point"], row.get("normal", [0, 0, 1]))),
    "mesh": Form(("file",), ("scale", "xyz", "rpy", "rpy_deg"), _mesh),
    "hull": Form((), ("points", "file", "scale", "xyz", "rpy", "rpy_deg"), _hull),
    "cloud": Form(("radius",), ("points", "file"), _cloud),
    "height_field": Form(("spacing",), ("heights", "file", "origin", "rpy", "rpy_deg", "floor"), _heights),
    "distance_field": Form(("spacing",), ("distances", "file", "origin", "rpy", "rpy_deg"), _distances),
}
