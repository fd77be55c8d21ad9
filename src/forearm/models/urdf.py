"""A robot from a URDF: the chain of joints between two of its links.

Links, joints and collision shapes are read; masses and materials play no part, and mesh files are opened
only when distances are asked for, so a missing one is no error. The chain may run up the tree, down it, or both.
"""

import math
from xml.etree.ElementTree import Element

from forearm.common.checks import as_unit
from forearm.common.folders import Folders, folders_of
from forearm.errors import ModelError, nearest_names
from forearm.models.collision import read_link
from forearm.models.cut import Dirs, Limits, Name, Source, Tool, cut
from forearm.models.mechanism import KINDS, Coupling, Joint, Mechanism, check_joints
from forearm.models.model import Model
from forearm.models.xml import attribute, child, file_of, number, numbers, parse_xml, read_origin, read_text

JOINT_TYPES = (*KINDS, "fixed", "floating", "planar")


def from_urdf(
    source: Source, *, base: Name = None, tip: Name = None, tool: Tool = None, limits: Limits = None, folders: Dirs = ()
) -> Model:
    """The model of the chain between two links of a URDF.

    Args:
        source: Path of the file, or the XML itself.
        base: Link in whose frame poses are given; the root link by default.
        tip: Link to bring to the target; may be left out if the tree has a single leaf.
        tool: (4, 4) pose of the tool in the tip's frame.
        limits: Limits by joint name that replace those of the file.
        folders: Further folders from which its meshes may be read, beside its own, its package's and the packages
            around it.
    """
    data, where = read_text(source, "URDF")
    mechanism = read_urdf(data, where, folders_of(file_of(source), folders), f"read from {where}")
    return cut(mechanism, base=base, tip=tip, tool=tool, limits=limits)


def read_urdf(data: bytes, where: str, folders: Folders, note: str) -> Mechanism:
    """The mechanism of a URDF's text, called `where` in messages; its meshes lie below some folders."""
    root = parse_xml(data, where, "robot")
    for element in root.iter():
        if "xacro}" in element.tag:
            raise ModelError(
                f"{where} has <xacro:{element.tag.rpartition('}')[2][:60]}>, so it is a xacro; {{expand}}",
                expand="load it with from_xacro, which expands it",
            )
    elements = root.findall("joint")
    check_joints(len(elements), where)
    return Mechanism(
        name=root.get("name") or "robot",
        where=where,
        links=tuple(read_link(link, folders, where) for link in root.findall("link")),
        joints=tuple(_read_joint(element, where) for element in elements),
        couplings=tuple(_read_mimic(element, where) for element in elements if element.find("mimic") is not None),
        note=note,
    )


def _read_joint(element: Element, where: str) -> Joint:
    name = attribute(element, "name", f"a joint in {where}")
    label = f"joint '{name}' in {where}"
    kind = attribute(element, "type", label)
    if kind not in JOINT_TYPES:
        raise ModelError(f"{label} has type '{kind}'; {nearest_names(kind, JOINT_TYPES)}")
    axis = numbers(element.find("axis"), "xyz", (1.0, 0.0, 0.0), label)
    x, y, z = as_unit(axis, "axis", ModelError).tolist() if any(axis) else axis  # only a path needs a direction
    limit = element.find("limit")
    lower, upper = (number(limit, key, 0.0, label, finite=False) for key in ("lower", "upper"))
    velocity = number(limit, "velocity", math.inf, label, finite=False)
    return Joint(
        name=name,
        kind=kind,
        origin=read_origin(element.find("origin"), label),
        parent=attribute(child(element, "parent", label), "link", label),
        child=attribute(child(element, "child", label), "link", label),
        axis=(x, y, z),
        limits=None if limit is None else (lower, upper),
        velocity=velocity if velocity > 0.0 else math.inf,  # files write 0 where they mean that none is known
    )


def _read_mimic(element: Element, where: str) -> Coupling:
    name = str(element.get("name"))
    label = f"joint '{name}' in {where}"
    mimic = child(element, "mimic", label)
    factors = (number(mimic, key, default, label) for key, default in (("offset", 0.0), ("multiplier", 1.0)))
    return Coupling(f"mimic of {name}", name, attribute(mimic, "joint", label), tuple(factors))
