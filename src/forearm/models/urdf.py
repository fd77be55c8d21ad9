"""A robot from a URDF: the chain of joints between two of its links.

Links with their masses, joints and shapes are read; mesh files are opened only when distances are
asked for or the robot is drawn, so a missing one is no error. The chain may run up the tree, down it, or both.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from forearm.common.checks import as_unit
from forearm.common.folders import Folders, folders_of
from forearm.errors import ModelError, nearest_names
from forearm.models.collision import read_colours, read_link
from forearm.models.cut import Dirs, Limits, Name, Source, Tool, cut
from forearm.models.expansion.expand import plain_urdf
from forearm.models.mechanism import KINDS, Coupling, Fault, Joint, Link, Mechanism, check_joints
from forearm.models.model import Model
from forearm.models.xml import attribute, child, file_of, number, numbers, read_origin, read_text

JOINT_TYPES = (*KINDS, "fixed", "floating", "planar")


def from_urdf(
    source: Source, *, base: Name = None, tip: Name = None, tool: Tool = None, limits: Limits = None, folders: Dirs = ()
) -> Model:
    """The model of the chain between two links of a URDF.

    Args:
        source: Path of the file, or the XML itself.
        base: Link in whose frame poses are given; the root link by default.
        tip: Link to bring to the target; may be left out if a single leaf moves and no gripper moves it.
        tool: (4, 4) pose of the tool in the tip's frame.
        limits: Limits by joint name that replace those of the file.
        folders: Further folders from which its meshes may be read, beside its own, its package's and the packages
            around it.
    """
    data, where = read_text(source, "URDF")
    mechanism = read_urdf(data, where, folders_of(file_of(source), folders), f"read from {where}")
    return cut(mechanism, base=base, tip=tip, tool=tool, limits=limits)


def read_urdf(data: bytes, where: str, folders: Folders, note: str) -> Mechanism:
    """The mechanism of a URDF's text, called `where` in messages; its meshes lie below some folders.

    What is wrong of a joint or a link is kept as a fault of it: who asks for another chain is not stopped by it.
    """
    root, more = plain_urdf(data, where, folders)
    elements = root.findall("joint")
    check_joints(len(elements), where)
    faults: list[Fault] = []
    links = _read_links(root, folders, where, faults)
    joints, couplings = _read_joints(elements, where, faults)
    known = {link.name for link in links}
    for joint in joints:
        for link in (joint.parent, joint.child):
            if link not in known and not any(joint.name in fault.joints for fault in faults):
                text = f"joint '{joint.name}' in {where} names link '{link}', which does not exist"
                faults.append(Fault(text, joints=(joint.name,)))
    missing = dict.fromkeys(link for joint in joints for link in (joint.parent, joint.child) if link not in known)
    return Mechanism(
        name=root.get("name") or "robot",
        where=where,
        links=(*links, *(Link(name, made_up=True) for name in missing)),
        joints=tuple(joints),
        couplings=tuple(couplings),
        note="; ".join(text for text in (note, more) if text),
        faults=tuple(faults),
    )


def _read_links(root: Element, folders: Folders, where: str, faults: list[Fault]) -> list[Link]:
    """The links of a file, each name once."""
    links: dict[str, Link] = {}
    colours = read_colours(root.findall("material"))
    for element in root.findall("link"):
        try:
            link = read_link(element, folders, where, colours)
        except ModelError as problem:  # it has no name, so no one can ask for it
            faults.append(Fault(str(problem)))
            continue
        if link.name in links:
            faults.append(Fault(f"{where} has two links named '{link.name}'; names must differ", links=(link.name,)))
        links.setdefault(link.name, link)
    return list(links.values())


def _read_joints(elements: Sequence[Element], where: str, faults: list[Fault]) -> tuple[list[Joint], list[Coupling]]:
    """The joints of a file and what follows what; for one that cannot be read a fixed one stands, with its fault."""
    joints: dict[str, Joint] = {}
    couplings = []
    for k, element in enumerate(elements):
        try:
            joint = _read_joint(element, where)
            coupling = [_read_mimic(element, where)] if element.find("mimic") is not None else []
        except ModelError as problem:
            joint, coupling = _stand_in(element, f"joint {k}"), []
            faults.append(Fault(str(problem), joints=(joint.name,)))
        if joint.name in joints:
            second = replace(joint, name=f"{joint.name} ({k})")
            text = f"{where} has two joints named '{joint.name}'; names must differ"
            faults.append(Fault(text, joints=(joint.name, second.name)))
            joint, coupling = second, []
        joints[joint.name] = joint
        couplings += coupling
    return list(joints.values()), couplings


def _stand_in(element: Element, otherwise: str) -> Joint:
    """A fixed joint with the name and the links of one that cannot be read, as far as they are told."""
    name = element.get("name") or otherwise
    ends = (element.find(end) for end in ("parent", "child"))
    parent, child = ((None if end is None else end.get("link")) or f"a link of {name}" for end in ends)
    return Joint(name, "fixed", np.eye(4), parent, child)


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
