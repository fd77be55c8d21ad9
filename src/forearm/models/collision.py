"""The collision shapes of links: as a URDF writes them, and by the moving joint of a chain that carries them.

Links on the chain count, and what is fixed to them. What hangs on joints off the chain (the fingers of a
gripper) moves by itself and is left out. A shape that cannot be read is no error before distances are
asked for: who only wants joint values is not stopped by it. Mesh files too are opened only then.
An SRDF (MoveIt's companion of a URDF) says which links may touch.
"""

import math
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


def read_link(link: Element, folders: Folders, where: str) -> Link:
    """A `<link>` with its shapes, whose meshes lie below some folders."""
    name, found = attribute(link, "name", f"a link in {where}"), []
    label = f"the collision shape of link '{name}' in {where}"
    for element in link.findall("collision"):
        try:
            pose = read_origin(element.find("origin"), label)
            kind, size, file = _read_geometry(element, label)
            check_length(pose, label)
        except ModelError as problem:
            pose, kind, size, file = np.eye(4), "unreadable", (), str(problem)
        found.append(LinkShape(name, -1, pose, kind, size, file, folders))
    mass, centre = _read_mass(link, f"the <inertial> of link '{name}' in {where}")
    return Link(name, tuple(found), mass=mass, centre=centre)


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


def _read_geometry(element: Element, label: str) -> tuple[str, tuple[float, ...], str]:
    """Kind, size and mesh file of a `<collision>`."""
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
