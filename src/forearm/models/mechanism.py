"""A robot as its file describes it, whatever the format: what readers make and `cut.py` takes chains from.

Links hang on joints: `T_parent_child = origin motion(q - zero) behind`, the motion along or about `axis`.
Joints of every kind are held, couplings of any polynomial, and what closes loops; which of them a chain
can use is for `cut.py` to say. Metres and radians.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from forearm.common.folders import Folders
from forearm.common.types import Floats
from forearm.errors import ModelError

KINDS = ("revolute", "continuous", "prismatic")  # what a chain is made of
ALL_KINDS = (*KINDS, "fixed", "planar", "floating", "ball")
UNBOUNDED = (-math.inf, math.inf)
MAX_JOINTS = 5_000  # of a file: the largest robots have some hundred

Pair = tuple[float, float]
Triple = tuple[float, float, float]
Place = tuple[int, Floats]  # on a chain: the moving joint that carries a link (-1: the base), (4, 4) pose in its frame


@dataclass(frozen=True, eq=False)
class LinkShape:
    """A shape of a link, as a file describes it: to be touched or to be seen; a mesh is read only when it is needed."""

    link: str
    frame: int  # on a chain, the moving joint that carries it; -1 for what stands still with the base
    pose: Floats  # (4, 4) of the shape in its link; on a chain in that joint's moved frame, or in the base frame
    # "box", "cylinder", "sphere", "capsule", "ellipsoid", "plane" (all below z = 0), "mesh", "hull" (the convex hull of
    # a mesh), "hfield" (a height field as MuJoCo has it), "cone" (only seen); "unreadable" with the reason as its file
    kind: str
    size: tuple[
        float, ...
    ]  # edges of a box; half axes of an ellipsoid; radius and length, a cone's other radius; scale of a mesh
    file: str = ""  # path of the mesh, as written
    folders: Folders | None = None  # where the mesh may lie
    corners: Floats | None = None  # without a file: (v, 3) of a mesh before it is scaled; (r, c) heights of a field
    before: Floats | None = None  # (4, 4) by which the corners of a mesh are moved before they are scaled
    masks: tuple[int, int] = (1, 1)  # shapes touch if the first of one and the second of the other share a bit
    colour: str | None = None  # "#rrggbb" of what is seen, if the file says so


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid part with all its shapes, to be touched and to be seen.

    A made up one is a place between joints that the file does not name. The mass [kg], with the centre of mass in the
    link's frame [m], is not a number where the file leaves it to be computed.
    """

    name: str
    shapes: tuple[LinkShape, ...] = ()
    made_up: bool = False
    mass: float = 0.0
    centre: Triple = (0.0, 0.0, 0.0)
    visuals: tuple[LinkShape, ...] = ()


@dataclass(frozen=True, eq=False)
class Joint:
    """What joins two links.

    Attributes:
        name: What it is called.
        kind: One of `ALL_KINDS`.
        origin: (4, 4) of the joint's frame in its parent.
        parent: The link it stands on.
        child: The link it moves.
        axis: Unit vector in the joint's frame; zeros if the file gives no direction.
        limits: Lower and upper value, as written; None if the format demands them and the file has none.
        velocity: Its limit [rad/s] or [m/s], infinite where none is known.
        zero: The value at which it does not move its child.
        behind: (4, 4) of the child in the joint's moved frame.
    """

    name: str
    kind: str
    origin: Floats
    parent: str = ""
    child: str = ""
    axis: Triple = (0.0, 0.0, 1.0)
    limits: Pair | None = UNBOUNDED
    velocity: float = math.inf
    zero: float = 0.0
    behind: Floats = field(default_factory=lambda: np.eye(4))


@dataclass(frozen=True)
class Coupling:
    """A joint that follows another: its motion is a polynomial of the driver's, lowest power first.

    Motions count from the joints' zeros. Without a driver it is held; one that the file does not have leaves it free.
    """

    name: str
    follower: str
    driver: str | None
    polynomial: tuple[float, ...]

    @property
    def is_linear(self) -> bool:
        """Whether a chain can follow it."""
        return not any(self.polynomial[2:]) and all(map(math.isfinite, self.polynomial))

    def told(self, where: str) -> str:
        """What it is, and why a chain cannot follow it."""
        return (
            f"equality '{self.name}' in {where} moves joint '{self.follower}' by the polynomial "
            f"{list(self.polynomial)}; only finite, linear couplings are supported"
        )


@dataclass(frozen=True)
class Loop:
    """Two links (or sites) that a "connect" holds together in a point, or a "weld" altogether."""

    name: str
    kind: str
    first: str
    second: str


@dataclass(frozen=True)
class Fault:
    """What a file has wrong of some joints and links: a chain that runs through one of them is refused with it.

    `ties` says that nothing is wrong but what a chain cannot keep: then the refusal lists what can be chosen instead.
    """

    text: str
    joints: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    ties: bool = False


@dataclass(frozen=True, eq=False)
class Site:
    """A named frame on a link, with its (4, 4) pose there."""

    name: str
    link: str
    pose: Floats


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A robot of any shape. Nothing here keeps two joints from moving one link: that is a loop too.

    Attributes:
        name: What the robot is called.
        where: What its description is called in messages.
        links: Its rigid parts.
        joints: What joins them.
        couplings: Which joints follow others.
        loops: What else holds links together.
        allowed: Pairs of links that may touch.
        sites: Frames that have a name and are no links.
        note: Where the numbers come from and what to know about them.
        words: What its format calls things, where it has words of its own.
        faults: What the file has wrong, with the joints and links that it spoils.
        led: Links that are led by hand (MuJoCo's mocap bodies): what holds others to them closes no loop.
    """

    name: str
    where: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    couplings: tuple[Coupling, ...] = ()
    loops: tuple[Loop, ...] = ()
    allowed: tuple[tuple[str, str], ...] = ()
    sites: tuple[Site, ...] = ()
    note: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    led: frozenset[str] = frozenset()
    _joints: Mapping[str, Joint] = field(init=False, repr=False)  # by name
    _couplings: Mapping[str, list[Coupling]] = field(init=False, repr=False)  # by follower

    def __post_init__(self) -> None:
        """Refuses names that stand twice and joints on links that are not there; its arrays become read-only."""
        couplings: dict[str, list[Coupling]] = {}
        for coupling in self.couplings:
            couplings.setdefault(coupling.follower, []).append(coupling)
        object.__setattr__(self, "_joints", {joint.name: joint for joint in self.joints})
        object.__setattr__(self, "_couplings", couplings)
        for what, named in (("joint", self.joints), ("link", self.links)):
            for name, count in Counter(each.name for each in named).items():
                if count > 1:
                    raise ModelError(f"{self.where} has two {what}s named '{name}'; names must differ")
        links = {link.name for link in self.links}
        for joint in self.joints:
            for link in (joint.parent, joint.child):
                if link not in links:
                    raise ModelError(f"joint '{joint.name}' in {self.where} names link '{link}', which does not exist")
        poses = [site.pose for site in self.sites] + [
            shape.pose for link in self.links for shape in (*link.shapes, *link.visuals)
        ]
        for T in (*poses, *(T for joint in self.joints for T in (joint.origin, joint.behind))):
            T.setflags(write=False)

    def word(self, neutral: str) -> str:
        """What its format calls a thing."""
        return self.words.get(neutral, neutral)

    def joint(self, name: str) -> Joint | None:
        """The joint of a name, if there is one."""
        return self._joints.get(name)

    def couplings_of(self, joint: Joint) -> list[Coupling]:
        """The couplings by which a joint follows others."""
        return self._couplings.get(joint.name, [])

    def roots(self) -> list[str]:
        """The links that no joint moves."""
        children = {joint.child for joint in self.joints}
        return [link.name for link in self.links if link.name not in children and not link.made_up]

    def leaves(self) -> list[str]:
        """The links on which no joint stands."""
        parents = {joint.parent for joint in self.joints}
        return [link.name for link in self.links if link.name not in parents and not link.made_up]


def check_joints(count: int, where: str) -> None:
    """Refuses a file with more joints than any robot has, before they are read."""
    if count > MAX_JOINTS:
        raise ModelError(f"{where} has {count:,} joints; at most {MAX_JOINTS:,} are read, so take the robot alone")


def serial(
    joints: Sequence[Joint], base: str, T_base_first: Floats, visuals: Sequence[LinkShape] = (), **about: Any
) -> Mechanism:
    """The mechanism of joints in a row, which stands in a pose in its base; links are called after their joints.

    What is to be seen of a link names the joint that moves it, or nothing for the base.
    """
    row = [Joint(f"{base} to {joints[0].name}", "fixed", T_base_first), *joints]
    names = [base, *(f"after {joint.name}" for joint in row)]
    pairs = zip(row, pairwise(names), strict=True)
    placed = (replace(joint, parent=parent, child=child) for joint, (parent, child) in pairs)
    seen: dict[str, list[LinkShape]] = {}
    for visual in visuals:
        name = f"after {visual.link or row[0].name}"
        seen.setdefault(name, []).append(replace(visual, link=name))
    links = tuple(Link(name, visuals=tuple(seen.get(name, ()))) for name in names)
    return Mechanism(links=links, joints=tuple(placed), **about)
