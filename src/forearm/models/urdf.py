"""A robot from a URDF: the chain of joints between two of its links.

Links, joints and collision shapes are read; masses and materials play no part, and mesh files are opened
only when distances are asked for, so a missing one is no error. The chain may run up the tree, down it, or both.
"""

import logging
import math
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import as_unit
from forearm.common.transforms import inverse
from forearm.common.types import Floats
from forearm.errors import ModelError, nearest_names
from forearm.models.assemble import KINDS, UNBOUNDED, Limits, Segment, Variable, assemble, file_limits, read_limits
from forearm.models.attributes import attribute, child, number, numbers, read_origin
from forearm.models.collision import read_shapes
from forearm.models.model import Model
from forearm.models.xml import parse_xml, read_text

log = logging.getLogger("forearm")

JOINT_TYPES = (*KINDS, "fixed", "floating", "planar")


@dataclass(frozen=True)
class UrdfJoint:
    """One `<joint>` as written: pose of the child in the parent, axis, limits, what it mimics."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Floats
    axis: tuple[float, float, float]
    limits: tuple[float, float] | None
    velocity: float
    mimic: str | None
    ratio: float
    offset: float


@dataclass(frozen=True)
class Tree:
    """The links and joints of a URDF; every link has at most one parent joint."""

    where: str
    name: str
    links: tuple[str, ...]
    joints: dict[str, UrdfJoint]
    parent_joint: dict[str, UrdfJoint]  # by child link

    def leaves(self) -> list[str]:
        """The links that are no joint's parent."""
        parents = {joint.parent for joint in self.joints.values()}
        return [link for link in self.links if link not in parents]

    def roots(self) -> list[str]:
        """The links that are no joint's child."""
        return [link for link in self.links if link not in self.parent_joint]


def from_urdf(
    source: str | bytes | Path,
    *,
    base: str | None = None,
    tip: str | None = None,
    tool: ArrayLike | None = None,
    limits: Limits | None = None,
) -> Model:
    """The model of the chain between two links of a URDF.

    Args:
        source: Path of the file, or the XML itself.
        base: Link in whose frame poses are given; the root link by default.
        tip: Link to bring to the target; may be left out if the tree has a single leaf.
        tool: (4, 4) pose of the tool in the tip's frame.
        limits: Limits by joint name that replace those of the file.
    """
    data, where = read_text(source, "URDF")
    root = parse_xml(data, where, "robot")
    _refuse_xacro(root, where)
    tree = read_tree(root, where)
    base = base if base is not None else _only(tree.roots(), "root", "base", tree)
    tip = tip if tip is not None else _only(tree.leaves(), "leaf", "tip", tree)
    _check_link(base, tree, tree.roots(), "roots")
    _check_link(tip, tree, tree.leaves(), "tips")
    given = read_limits(limits, tree.joints, where)
    route = path(tree, base, tip)
    segments = [_segment(joint, upward, tree, given) for joint, upward in route]
    remarks = _orphans(route, tree)
    for remark in remarks:
        log.warning("%s: %s", where, remark)
    note = "; ".join([f"read from {where}", *remarks])
    model = assemble(segments, name=tree.name, base=base, tip=tip, tool=tool, note=note)
    moving = [segment.variable is not None and segment.ratio != 0.0 for segment in segments]
    steps = [
        (joint.parent if upward else joint.child, moves, segment.origin @ segment.behind)
        for (joint, upward), moves, segment in zip(route, moving, segments, strict=True)
    ]
    carried = [link for link, moves, _ in steps if moves]
    links = ((base, -1), *((link, frame) for frame, link in enumerate(carried)))
    shapes = read_shapes(root, model, steps, tree_of_fixed(tree), source, where)
    return replace(model, shapes=shapes, file_links=links)


def tree_of_fixed(tree: Tree) -> dict[str, list[tuple[str, Floats]]]:
    """For each link, the links that fixed joints join to it, and their poses in it."""
    joined: dict[str, list[tuple[str, Floats]]] = {}
    for joint in tree.joints.values():
        if joint.kind == "fixed":
            joined.setdefault(joint.parent, []).append((joint.child, joint.origin))
            joined.setdefault(joint.child, []).append((joint.parent, inverse(joint.origin)))
    return joined


def read_tree(root: Element, where: str) -> Tree:
    """The links and joints of a parsed URDF, checked to form trees."""
    links = [attribute(link, "name", "a link", where) for link in root.findall("link")]
    _check_unique(links, "link", where)
    joints = [_read_joint(element, where) for element in root.findall("joint")]
    _check_unique([joint.name for joint in joints], "joint", where)
    known = set(links)
    parent_joint: dict[str, UrdfJoint] = {}
    for joint in joints:
        for link in (joint.parent, joint.child):
            if link not in known:
                raise ModelError(f"joint '{joint.name}' in {where} names link '{link}', which does not exist")
        other = parent_joint.setdefault(joint.child, joint)
        if other is not joint:
            raise ModelError(
                f"{where} has a loop: link '{joint.child}' is the child of both '{other.name}' and "
                f"'{joint.name}'; a chain needs a tree, so remove one of them"
            )
    name = root.get("name") or "robot"
    tree = Tree(where, name, tuple(links), {joint.name: joint for joint in joints}, parent_joint)
    _check_acyclic(tree)
    return tree


def _refuse_xacro(root: Element, where: str) -> None:
    """Refuses a file with macros, which only xacro can expand."""
    macro = next((element.tag for element in root.iter() if "xacro}" in element.tag), None)
    if macro is not None:
        name = macro.rpartition("}")[2][:60]
        raise ModelError(
            f"{where} has <xacro:{name}>, so it is a xacro; {{expand}}",
            expand="load it with from_xacro, which expands it",
        )


def path(tree: Tree, base: str, tip: str) -> list[tuple[UrdfJoint, bool]]:
    """The joints from base to tip; the flag tells those passed upward, from child to parent."""
    above_base, above_tip = _ancestors(tree, base), _ancestors(tree, tip)
    shared = set(above_base) & set(above_tip)
    if not shared:
        raise ModelError(
            f"{tree.where} has no path from '{base}' to '{tip}': they are in separate trees with the "
            f"roots '{above_base[-1]}' and '{above_tip[-1]}'"
        )
    up = [tree.parent_joint[link] for link in above_base if link not in shared]
    down = [tree.parent_joint[link] for link in above_tip if link not in shared]
    return [(joint, True) for joint in up] + [(joint, False) for joint in reversed(down)]


def _ancestors(tree: Tree, link: str) -> list[str]:
    """The link, its parent, and so on to the root."""
    chain = [link]
    while chain[-1] in tree.parent_joint:
        chain.append(tree.parent_joint[chain[-1]].parent)
    return chain


def _check_acyclic(tree: Tree) -> None:
    """Refuses rings of links in which every link has a parent."""
    reached, stack = set(), tree.roots()
    children: dict[str, list[str]] = {}
    for joint in tree.joints.values():
        children.setdefault(joint.parent, []).append(joint.child)
    while stack:
        link = stack.pop()
        reached.add(link)
        stack.extend(children.get(link, []))
    if len(reached) < len(tree.links):
        ring = next(link for link in tree.links if link not in reached)
        raise ModelError(f"{tree.where} has a loop through link '{ring}'; a chain needs a tree with a root")


def _segment(joint: UrdfJoint, upward: bool, tree: Tree, limits: Limits) -> Segment:
    """The segment of a joint on the path; passed upward it is the inverse of the joint."""
    eye = np.eye(4)
    in_front, behind = (eye, inverse(joint.origin)) if upward else (joint.origin, eye)
    if joint.kind == "fixed":
        return Segment(joint.name, in_front @ behind)
    if joint.kind not in KINDS:
        raise ModelError(
            f"joint '{joint.name}' in {tree.where} is {joint.kind}, with several degrees of freedom; "
            f"choose {{argument}} or another base behind it",
            argument=f"base='{joint.child}'",
        )
    driver, ratio, offset = _follow_mimic(joint, tree)
    sign = -1.0 if upward else 1.0
    return Segment(
        name=joint.name,
        origin=in_front,
        variable=Variable(driver.name, _kind_of(driver, limits), _limits_of(driver, tree, limits), driver.velocity),
        axis=_axis_of(joint, tree.where),
        kind=joint.kind,
        ratio=sign * ratio,
        offset=sign * offset,
        limits=_followed_limits(joint, driver, sign, tree, limits),
        behind=behind,
    )


def _followed_limits(
    joint: UrdfJoint, driver: UrdfJoint, sign: float, tree: Tree, limits: Limits
) -> tuple[float, float]:
    """A mimic joint's own limits, which its driver must respect; none for the driver itself."""
    if joint is driver or (joint.limits is None and joint.name not in limits):
        return UNBOUNDED  # it is bounded by its driver alone
    lower, upper = _limits_of(joint, tree, limits)
    return (lower, upper) if sign > 0 else (-upper, -lower)


def _follow_mimic(joint: UrdfJoint, tree: Tree) -> tuple[UrdfJoint, float, float]:
    """The joint that drives this one, with `joint = ratio * driver + offset`.

    A joint that mimics one the file does not have is its own variable, as other readers take it.
    """
    ratio, offset, seen = 1.0, 0.0, [joint.name]
    while joint.mimic in tree.joints:
        if joint.mimic in seen:
            raise ModelError(f"joint '{joint.name}' in {tree.where} mimics itself by way of {' -> '.join(seen)}")
        ratio, offset = ratio * joint.ratio, offset + ratio * joint.offset
        joint = tree.joints[str(joint.mimic)]
        seen.append(joint.name)
    if joint.kind not in KINDS:
        raise ModelError(f"joint '{seen[0]}' in {tree.where} mimics '{joint.name}', which is {joint.kind}")
    return joint, ratio, offset


def _orphans(route: list[tuple[UrdfJoint, bool]], tree: Tree) -> list[str]:
    """A remark for each joint on the path that mimics one the file does not have."""
    return [
        f"'{joint.name}' mimics '{joint.mimic}', which does not exist, so it counts as a joint of its own"
        for joint, _ in route
        if joint.mimic is not None and joint.mimic not in tree.joints
    ]


def _limits_of(joint: UrdfJoint, tree: Tree, limits: Limits) -> tuple[float, float]:
    """A joint's limits: the caller's, else the file's; URDF demands them unless it is continuous."""
    if joint.name in limits:
        return limits[joint.name]
    if joint.kind == "continuous":
        return UNBOUNDED
    if joint.limits is None:
        turning = ", make the joint continuous" if joint.kind == "revolute" else ""
        raise ModelError(
            f"joint '{joint.name}' in {tree.where} is {joint.kind} but has no <limit>, which URDF demands; "
            f"add it{turning}{{or_limits}}",
            or_limits=f", or pass limits={{'{joint.name}': (lower, upper)}}",
        )
    return file_limits(joint.limits, joint.name, tree.where)


def _kind_of(joint: UrdfJoint, limits: Limits) -> str:
    """A joint's kind; a continuous one to which the caller gives limits is revolute."""
    return "revolute" if joint.kind == "continuous" and joint.name in limits else joint.kind


def _axis_of(joint: UrdfJoint, where: str) -> tuple[float, float, float]:
    x, y, z = as_unit(joint.axis, f"the axis of joint '{joint.name}' in {where}", ModelError).tolist()
    return x, y, z


def _read_joint(element: Element, where: str) -> UrdfJoint:
    name = attribute(element, "name", "a joint", where)
    label = f"joint '{name}'"
    kind = attribute(element, "type", label, where)
    if kind not in JOINT_TYPES:
        raise ModelError(f"{label} in {where} has type '{kind}'; {nearest_names(kind, JOINT_TYPES)}")
    axis = element.find("axis")
    limit = element.find("limit")
    mimic = element.find("mimic")
    return UrdfJoint(
        name=name,
        kind=kind,
        parent=attribute(child(element, "parent", label, where), "link", label, where),
        child=attribute(child(element, "child", label, where), "link", label, where),
        origin=read_origin(element.find("origin"), label, where),
        axis=numbers(axis, "xyz", (1.0, 0.0, 0.0), label, where),
        limits=None if limit is None else (_limit(limit, "lower", label, where), _limit(limit, "upper", label, where)),
        velocity=_velocity(limit, label, where),
        mimic=None if mimic is None else attribute(mimic, "joint", label, where),
        ratio=number(mimic, "multiplier", 1.0, label, where),
        offset=number(mimic, "offset", 0.0, label, where),
    )


def _velocity(limit: Element | None, label: str, where: str) -> float:
    """The joint's velocity limit; files write 0 where they mean that none is known."""
    velocity = number(limit, "velocity", math.inf, label, where, finite=False)
    return velocity if velocity > 0.0 else math.inf


def _limit(limit: Element, key: str, label: str, where: str) -> float:
    return number(limit, key, 0.0, label, where, finite=False)


def _only(links: list[str], role: str, argument: str, tree: Tree) -> str:
    """The single root or leaf, or an error that lists the choices."""
    if len(links) == 1:
        return links[0]
    if not links:
        raise ModelError(f"{tree.where} has no {role} link; it needs at least one <link>")
    several = f"{tree.where} has {len(links)} {role} links"
    raise ModelError(f"{several}; choose {{argument}} from: {', '.join(links)}", argument=f"{argument}=...")


def _check_link(link: str, tree: Tree, choices: list[str], role: str) -> None:
    if not (isinstance(link, str) and link in tree.links):
        close = nearest_names(link, tree.links)
        raise ModelError(f"link '{link}' is not in {tree.where}; {role} are: {', '.join(choices)}; {close}")


def _check_unique(names: list[str], what: str, where: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(f"{where} has two {what}s named '{name}'; names must differ")
        seen.add(name)
