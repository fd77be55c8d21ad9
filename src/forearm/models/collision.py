"""The shapes of links as a URDF writes them: those that touch, and those that are seen with their colours.

Links on the chain count, and what is fixed to them. What hangs on joints off the chain (the fingers of a
gripper) moves by itself and is left out. A shape that cannot be read is no error before distances are
asked for: who only wants joint values is not stopped by it. Mesh files too are opened only then.
An SRDF (MoveIt's companion of a URDF) says which links may touch.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from forearm.common.checks import LARGEST
from forearm.common.folders import Folders
from forearm.errors import ModelError
from forearm.models.mechanism import Link, LinkShape, Triple
from forearm.models.model import check_length
from forearm.models.xml import attribute, child, number, numbers, parse_xml, read_origin, read_text

LENGTHS = {"box": (), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}


def read_link(link: Element, folders: Folders, where: str, colours: Mapping[str, str]) -> Link:
    """A `<link>` with its shapes, whose meshes lie below some folders; what has a colour may name one of the file."""
    name = attribute(link, "name", f"a link in {where}")
    touched, seen = (_read_shapes(link, tag, name, folders, where) for tag in ("collision", "visual"))
    materials = [element.find("material") for element in link.findall("visual")]
    coloured = (
        replace(shape, colour=_colour(material) or colours.get("" if material is None else material.get("name", "")))
        for shape, material in zip(seen, materials, strict=True)
    )
    mass, centre = _read_mass(link, f"the <inertial> of link '{name}' in {where}")
    return Link(name, tuple(touched), mass=mass, centre=centre, visuals=tuple(coloured))


def _read_shapes(link: Element, tag: str, name: str, folders: Folders, where: str) -> list[LinkShape]:
    """The shapes of one kind of a link."""
    label, found = f"the {tag} shape of link '{name}' in {where}", []
    for element in link.findall(tag):
        try:
            pose = read_origin(element.find("origin"), label)
            kind, size, file = _read_geometry(element, label)
            check_length(pose, label)
        except ModelError as problem:
            pose, kind, size, file = np.eye(4), "unreadable", (), str(problem)
        found.append(LinkShape(name, -1, pose, kind, size, file, folders))
    return found


def _read_mass(link: Element, label: str) -> tuple[float, Triple]:
    """Mass and centre of mass of a `<link>`: none without an `<inertial>`, no number where it cannot be read."""
    inertial = link.find("inertial")
    if inertial is None:
        return 0.0, (0.0, 0.0, 0.0)
    try:
        x, y, z = read_origin(inertial.find("origin"), label)[:3, 3].tolist()
        mass = number(inertial.find("mass"), "value", 0.0, label)
    except ModelError:  # who asks for no centre of mass is not stopped by it
        return math.nan, (0.0, 0.0, 0.0)
    return mass if mass >= 0.0 else math.nan, (x, y, z)


def read_colours(materials: Iterable[Element]) -> dict[str, str]:
    """The colours "#rrggbb" that a file gives names, by `<material>`; what is no colour is left out."""
    return {str(each.get("name")): colour for each in materials if (colour := _colour(each))}


def _colour(material: Element | None) -> str | None:
    """The colour of a `<material>`, if it has one that can be read."""
    color = None if material is None else material.find("color")
    try:
        rgba = [float(word) for word in ("" if color is None else color.get("rgba", "")).split()]
        return "#" + bytes(round(255.0 * value) for value in rgba[:3]).hex() if len(rgba) == 4 else None
    except (ValueError, OverflowError):  # not numbers from 0 to 1: it is but a colour
        return None


def _read_geometry(element: Element, label: str) -> tuple[str, tuple[float, ...], str]:
    """Kind, size and mesh file of a `<collision>` or `<visual>`."""
    shape = next(iter(child(element, "geometry", label)), None)
    if shape is None:
        raise ModelError(f"{label} has a <geometry> with no shape in it")
    if shape.tag == "mesh":
        return "mesh", numbers(shape, "scale", (1.0, 1.0, 1.0), label), attribute(shape, "filename", label)
    if shape.tag not in LENGTHS:
        raise ModelError(f"{label} is a <{shape.tag}>; there are: box, cylinder, sphere, capsule, mesh")
    lengths = tuple(number(shape, key, 0.0, label) for key in LENGTHS[shape.tag])
    size = lengths or numbers(shape, "size", (0.0, 0.0, 0.0), label)
    if not all(0.0 < value < LARGEST for value in size):
        shown = ", ".join(f"{value:g}" for value in size)
        raise ModelError(f"{label} is a {shape.tag} of {shown} m; its lengths must be positive and below {LARGEST:g}")
    return shape.tag, size, ""


def read_srdf(source: str | bytes | Path) -> list[tuple[str, str]]:
    """The pairs of `<disable_collisions link1= link2=>` of a file, or of the XML itself."""
    data, where = read_text(source, "SRDF")
    pairs = []
    for element in parse_xml(data, where, "robot").iter("disable_collisions"):
        first, second = element.get("link1"), element.get("link2")
        if not first or not second:
            raise ModelError(f"{where} has a <disable_collisions> without link1 or link2; give it both")
        pairs.append((first, second))
    return pairs
