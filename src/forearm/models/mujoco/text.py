"""An MJCF as one text with nothing in it but kinematics and geoms, made before MuJoCo sees any of it.

Included files are put in place and attached models are handed over as texts, so MuJoCo opens no file itself; meshes
are named by their whole paths; what no frame and no geom depends on (pictures, sensors) is left out; and what would
grow beyond reason is refused: each copy of a `<replicate>` and each `<attach>` counts with all that is in it.
"""

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, tostring

from forearm.common.files import MAX_BYTES
from forearm.common.folders import Folders
from forearm.errors import ModelError
from forearm.models.xml import MAX_TAGS, parse_part

# Sections of a file, and elements of bodies and defaults, that move no frame.
SECTIONS = (
    "actuator", "custom", "deformable", "keyframe", "option", "sensor", "size", "statistic", "tendon",
    "visual",
)  # fmt: skip
PARTS = (
    "adhesion", "camera", "collision", "cylinder", "damper", "general", "geom", "inertial", "intvelocity", "light",
    "material", "mesh", "motor", "muscle", "pair", "plugin", "position", "tendon", "velocity", "visual",
)  # fmt: skip
SHAPES = ("geom", "mesh", "hfield")  # parts that are kept for distances
# attributes of a mesh or a height field that are kept
MESH = (
    "class", "elevation", "face", "file", "name", "ncol", "nrow", "refpos", "refquat", "scale", "size", "vertex",
)  # fmt: skip
COUPLINGS = ("connect", "joint", "weld")  # of <equality>; the others hold what is left out
HOLDERS = ("body", "default", "frame", "link", "replicate", "worldbody")  # links: of a URDF that is attached
# Elements that stand for many copies of what they hold.
REPEATING = ("replicate", "composite", "flexcomp")
MAX_COPIES = 5_000  # of one element
MAX_ELEMENTS = 5_000  # in sum, with all copies: the largest robots have some thousand
RGBA = re.compile(r"\s*(?:[0-9]*\.?[0-9]+\s+){3}[0-9]*\.?[0-9]+\s*")
COUNT = re.compile(r"\s*\+?([0-9]+)")


@dataclass
class Merged:
    """A file and what it names, as texts.

    Attributes:
        folders: Where its files may lie.
        main: Where the file itself lies, or would.
        shapes: Whether geoms and meshes are kept.
        models: The attached models by the name that MuJoCo is told.
        weights: How many elements each of them stands for, by the path of its file.
        size: The bytes that were read so far.
        tags: The tags that were read so far.
        ties: The active equalities of the file's tendons: the name of each, its joints and its sites.
        bounded: The names of the file's tendons that have limits.
        masses: Mass and centre of mass of bodies by name, `NO_INERTIAL` where MuJoCo computes them from geoms.
    """

    folders: Folders
    main: Path
    shapes: bool = True
    models: dict[str, bytes] = field(default_factory=dict)
    weights: dict[Path, tuple[str, int]] = field(default_factory=dict)
    size: int = 0
    tags: int = 0
    ties: list[tuple[str, set[str], set[str]]] = field(default_factory=list)
    bounded: list[str] = field(default_factory=list)
    masses: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)

    def text(self, root: Element, file: Path, where: str, above: tuple[Path, ...] = ()) -> tuple[bytes, int]:
        """The text of a file's kinematics with all that it includes, and how many elements it stands for."""
        above = self.include(root, file, where, above)
        attached: dict[str, int] = {}
        for element in list(root.iter("model")):
            named = _named(element, where)
            name, weight = self._model(named, file, where, above)
            attached[element.get("name") or Path(named).stem] = weight
            element.set("file", name)
        if file == self.main:
            self.ties += tendon_ties(root)
            self.bounded += bounded_tendons(root)
            self.masses = body_masses(root)
        keep_kinematics(root, self.shapes)
        name_meshes(root, file.parent)
        weight = weigh(root, attached, where)
        return tostring(root, encoding="utf-8"), weight

    def include(self, root: Element, file: Path, where: str, above: tuple[Path, ...] = ()) -> tuple[Path, ...]:
        """Puts the content of included files where a file names them; returns the files that lead to them."""
        above = (*above, Path(os.path.normpath(file)))
        self._include(root, file, where, above)
        return above

    def _include(self, root: Element, file: Path, where: str, above: tuple[Path, ...]) -> None:
        """Puts the content of included files where they are named."""
        pending = [(root, file, where, above)]
        while pending:
            holder, file, where, above = pending.pop()
            children: list[Element] = []
            for child in list(holder):
                if child.tag.lower() != "include":  # MuJoCo takes it in any case
                    children.append(child)
                    pending.append((child, file, where, above))
                    continue
                part, path, inside = self._read(child, file, where, above)
                wrapped = Element("frame")
                wrapped.extend(list(part))
                self._include(wrapped, path, path.name, inside)
                children += list(wrapped)
            holder[:] = children

    def _model(self, named: str, file: Path, where: str, above: tuple[Path, ...]) -> tuple[str, int]:
        """An attached model: what MuJoCo is told it is called, and how many elements it stands for."""
        element = Element("model", {"file": named})
        path = self._path(element, file, where, above)
        if path not in self.weights:
            part, path, inside = self._read(element, file, where, above)
            name = f"forearm-{len(self.weights)}.xml"
            self.weights[path] = name, 1
            text, weight = self.text(part, path, path.name, inside[:-1])
            self.models[name] = text
            self.weights[path] = name, weight
        return self.weights[path]

    def _path(self, element: Element, file: Path, where: str, above: tuple[Path, ...]) -> Path:
        """The file that an element names: beside the one it stands in, or else beside the first."""
        named = element.get("file") or ""
        paths = [Path(os.path.normpath(place / named)) for place in (file.parent, self.main.parent)]
        path = next((path for path in paths if os.path.exists(path)), paths[0])
        if path in above:
            raise ModelError(f'{where} reads itself by way of <{element.tag} file="{named[:60]}">; remove it')
        return path

    def _read(
        self, element: Element, file: Path, where: str, above: tuple[Path, ...]
    ) -> tuple[Element, Path, tuple[Path, ...]]:
        """The root of a file that an element names, the file, and the files that lead to it."""
        _named(element, where)
        path = self._path(element, file, where, above)
        data = self.folders.read(path, "MJCF", MAX_BYTES)
        self.size += len(data) + SMALLEST
        self.tags += data.count(b"<")
        if self.size > MAX_BYTES or self.tags > MAX_TAGS:
            raise ModelError(
                f"{where} and the files that it names hold more than {MAX_BYTES:,} bytes in sum, or {MAX_TAGS:,} tags"
            )
        if len(above) > MAX_LEVELS:
            raise ModelError(f"{where} includes files in files more than {MAX_LEVELS} deep; it is no robot description")
        return parse_part(data, path.name), path, (*above, path)


def _named(element: Element, where: str) -> str:
    """The file that an element names."""
    if not (named := element.get("file")):
        a = "an" if element.tag.lower() == "include" else "a"
        raise ModelError(f"{where} has {a} <{element.tag}> without a file; name one, or remove it")
    return named


def keep_kinematics(root: Element, shapes: bool) -> None:
    """Takes out what no frame depends on; but for geoms, their meshes and what they never touch, if `shapes`."""
    parts = [part for part in PARTS if not (shapes and part in SHAPES)]
    colours = material_colours(root)
    for section in list(root):
        if section.tag in SECTIONS:
            root.remove(section)
        elif section.tag == "asset":
            section[:] = [each for each in section if each.tag == "model" or (shapes and each.tag in SHAPES)]
        elif section.tag == "contact":
            section[:] = [each for each in section if shapes and each.tag == "exclude"]
        elif section.tag == "equality":
            section[:] = [each for each in section if each.tag in COUPLINGS]
    for holder in root.iter():
        if holder.tag in HOLDERS:
            holder[:] = [
                each for each in holder if each.tag not in parts and (holder.tag != "default" or each.tag != "equality")
            ]
        elif holder.tag == "edge":  # of a soft body, which MuJoCo is told to forget: nothing may hold it
            holder.attrib.pop("equality", None)
        elif holder.tag in ("site", "geom"):
            colour = colours.get(holder.attrib.pop("material", ""))
            if colour and holder.tag == "geom":
                holder.attrib.setdefault("rgba", colour)
            holder[:] = []
        elif holder.tag in SHAPES:
            holder.attrib = {name: holder.attrib[name] for name in MESH if name in holder.attrib}
            holder[:] = []


def material_colours(root: Element) -> dict[str, str]:
    """The rgba of a file's materials by name, where it is four numbers."""
    named = {str(each.get("name")): each.get("rgba", "") for asset in root.findall("asset") for each in asset}
    return {name: rgba for name, rgba in named.items() if RGBA.fullmatch(rgba)}


def tendon_ties(root: Element) -> Iterator[tuple[str, set[str], set[str]]]:
    """The active equalities of tendons, which no chain can keep: the name, joints and sites of each."""
    tendons = {str(each.get("name")): each for section in root.findall("tendon") for each in section}
    ties = [each for section in root.findall("equality") for each in section if each.tag == "tendon"]
    for k, tie in enumerate(ties):
        if tie.get("active") == "false":
            continue
        held = [tendons[name] for key in ("tendon1", "tendon2") if (name := tie.get(key, "")) in tendons]
        parts = [part for tendon in held for part in tendon]
        joints, sites = ({str(part.get(key)) for part in parts if part.get(key)} for key in ("joint", "site"))
        yield tie.get("name") or f"tendon equality {k}", joints, sites


def bounded_tendons(root: Element) -> Iterator[str]:
    """The names of the tendons that have limits, of their own or of their class, which no chain keeps."""
    classes: dict[str, dict[str, str]] = {}
    pending: list[tuple[Element, dict[str, str]]] = [(each, {}) for each in root.findall("default")]
    for group, above in pending:
        own = above | {name: value for each in group.findall("tendon") for name, value in each.attrib.items()}
        classes[group.get("class") or "main"] = own
        pending += [(each, own) for each in group.findall("default")]
    for k, each in enumerate(each for section in root.findall("tendon") for each in section):
        said = classes.get(each.get("class") or "main", {}) | each.attrib
        if said.get("limited", "auto") == "true" or ("range" in said and said.get("limited") != "false"):
            yield each.get("name") or f"tendon{k}"


def name_meshes(root: Element, folder: Path) -> None:
    """Gives every mesh and height field the whole path of its file, and the name that MuJoCo would give it."""
    compilers = list(root.iter("compiler"))
    asked = {name: value for each in compilers for name, value in each.attrib.items()}
    for each in compilers:
        each.attrib = {name: value for name, value in each.attrib.items() if name not in PATHS}
    place = folder / asked.get("meshdir", asked.get("assetdir", ""))
    for mesh in (*root.iter("mesh"), *root.iter("hfield")):
        if file := mesh.get("file"):
            file = Path(file).name if asked.get("strippath") == "true" else file
            mesh.set("name", mesh.get("name") or Path(file).stem)
            mesh.set("file", os.path.normpath(place / file))


def weigh(root: Element, attached: dict[str, int], where: str) -> int:
    """How many elements a tree stands for, with all copies and attached models; refuses too many."""
    total = 0
    for element, copies in _copied(root, where):
        total += copies * (attached.get(element.get("model", ""), 1) if element.tag == "attach" else 1)
        if total > MAX_ELEMENTS:
            raise ModelError(
                f"{where} stands for more than {MAX_ELEMENTS:,} elements, copies and attached models counted; "
                "load the robot alone, without its scene"
            )
    return total


def _copied(root: Element, where: str) -> Iterator[tuple[Element, int]]:
    """Every element, and how many copies of it there will be."""
    pending = [(root, 1)]
    while pending:
        element, copies = pending.pop()
        if element.tag in REPEATING:
            if element.get("file"):
                raise ModelError(f"{where} has a <{element.tag}> from a file, which is not read; remove it")
            words = (COUNT.match(word) for word in element.get("count", "").split())
            copies *= math.prod(int(word.group(1)[:DIGITS]) for word in words if word)
            if copies > MAX_COPIES:
                raise ModelError(
                    f"{where} asks for {copies:,} copies in a <{element.tag}>; at most {MAX_COPIES:,} are made, "
                    "so lower its count or remove it"
                )
        yield element, copies
        pending += [(child, copies) for child in element]


PATHS = ("assetdir", "meshdir", "strippath", "texturedir")  # of a compiler
SMALLEST = 4_096  # bytes that a file counts at least
MAX_LEVELS = 40  # files in files
DIGITS = 12  # of a count that are looked at


NO_INERTIAL = (-math.inf, 0.0, 0.0, 0.0)  # of a body whose mass its geoms tell


def body_masses(root: Element) -> dict[str, tuple[float, float, float, float]]:
    """Mass and centre of mass of each named body: of its `<inertial>`, or that it has none.

    Those without a name stand under "": that none of them has one, or else a mass that is not a number.
    """
    masses = {}
    for body in root.iter("body"):
        inertial, name = body.find("inertial"), body.get("name")
        known = NO_INERTIAL
        if inertial is not None:
            try:
                x, y, z = (float(part) for part in (inertial.get("pos") or "").split())
                known = (float(inertial.get("mass") or ""), x, y, z)
            except ValueError:
                known = (math.nan, 0.0, 0.0, 0.0)
        if name or inertial is not None:
            masses[name or ""] = known if name else (math.nan, 0.0, 0.0, 0.0)
        else:
            masses.setdefault("", NO_INERTIAL)
    return masses
