"""A whole robot as rows of joints: what a mechanism gives when no single chain is cut from it.

Depth first from its root, fixed joints folded, each axis turned onto z, followers as ratios of their variables, masses
gathered on the joint that carries them. A base that drives or slides is joints in front of the root; one that floats is
a pose of its own.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import as_mapping, brief
from forearm.common.transforms import inverse, z_onto
from forearm.common.types import Floats
from forearm.errors import ModelError, OptionError, nearest_names
from forearm.models.assemble import Segment, limits_of, speeds_of
from forearm.models.cut import given_limits, segment_of
from forearm.models.mechanism import KINDS, UNBOUNDED, Joint, Mechanism, Pair, Place, Triple
from forearm.models.routes import FREEDOMS, X, Y, Z, ancestors, opened, parent_joints, rings

if TYPE_CHECKING:
    from forearm.arm.geometry import Geometry

BASES = ("fixed", "planar", "free", "rail")
DRIVES: dict[str, tuple[tuple[str, str, Triple], ...]] = {
    "planar": (("base/x", "prismatic", X), ("base/y", "prismatic", Y), ("base/yaw", "continuous", Z)),
    "rail": (("base/x", "prismatic", X),),
}


@dataclass(frozen=True, eq=False)
class Row:
    """A moving joint: the row it stands on (-1 the base), its motion, and the mass that it carries in its frame."""

    parent: int
    segment: Segment
    variable: int
    front: Floats  # (4, 4) from the moved frame of its parent
    mass: float = 0.0
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Body:
    """A robot with several tips.

    Attributes:
        mechanism: All that its file says.
        base: One of `BASES`.
        root: The link it stands on.
        rows: Its moving joints, parents before children.
        joint_names: Its n variables.
        joint_kinds: The kind of each.
        limits: (2, n), infinite where there is none.
        velocity: (n,) greatest speeds, infinite where none is known.
        places: Where each link and site is: the row that carries it (-1 the base), (4, 4) pose in its frame.
        base_mass: (4,) mass and centre of what stands with the base.
        stands: (4, 4) of the child in the parent, by joint that is no variable here though the file has it move.
        guards: What it last kept away from (`trees/collision/among.py`): a loop asks for the same again.
    """

    mechanism: Mechanism
    base: str
    root: str
    rows: tuple[Row, ...]
    joint_names: tuple[str, ...]
    joint_kinds: tuple[str, ...]
    limits: Floats
    velocity: Floats
    places: Mapping[str, Place]
    base_mass: Floats
    stands: Mapping[str, Floats] = field(default_factory=dict)
    guards: list[Any] = field(default_factory=list)

    @property
    def n(self) -> int:
        """How many variables it has."""
        return len(self.joint_names)

    @property
    def rest(self) -> Floats:
        """(n,) zeros, or the limits nearest to them."""
        return np.clip(np.zeros(self.n), *self.limits)

    def place(self, link: str) -> Place:
        """Where a link or site is."""
        if isinstance(link, str) and link in self.places:
            return self.places[link]
        raise OptionError(f"link '{link}' is not in {self.mechanism.where}; {nearest_names(link, self.places)}")

    def sample(self, count: int, rng_seed: int) -> Floats:
        """(count, n) configurations, uniform inside the limits; turns without any in [-pi, pi], slides in [-1, 1]."""
        low, high = self.limits
        half = np.where([kind != "prismatic" for kind in self.joint_kinds], np.pi, 1.0)
        lower = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2.0 * half, -half))
        upper = np.where(np.isfinite(high), high, lower + 2.0 * half)
        return np.asarray(lower + (upper - lower) * np.random.default_rng(rng_seed).random((count, self.n)))

    def outline(self, q: Floats, base: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """(r+1, 3) where the base and each row's joint are in the world, and (r,) the row each stands on, -1 the base.

        Args:
            q: (n,) joint values.
            base: (4, 4) pose of the base.
        """
        from forearm.trees.measure import row_frames  # noqa: PLC0415 (it imports this module)

        frames = [base, *row_frames(self, q, base)]
        return np.array([frame[:3, 3] for frame in frames]), np.array([row.parent for row in self.rows], np.int64)

    @cached_property
    def chains(self) -> Mechanism:
        """The mechanism from which chains are cut: what does not move here is fixed in it."""
        if not self.stands:
            return self.mechanism
        joints = [
            replace(joint, kind="fixed", origin=self.stands[joint.name], behind=np.eye(4))
            if joint.name in self.stands
            else joint
            for joint in self.mechanism.joints
        ]
        couplings = [each for each in self.mechanism.couplings if each.follower not in self.stands]
        return replace(self.mechanism, joints=tuple(joints), couplings=tuple(couplings))

    @cached_property
    def geometry(self) -> "Geometry":
        """Its capsules, and which of them must not touch."""
        from forearm.trees.collision.shapes import make_geometry  # noqa: PLC0415 (it imports this module, and fits shapes)

        return make_geometry(self)

    @cached_property
    def charted(self) -> "Geometry":
        """The same with charts of the links that capsules cannot hold apart: what tells whether it touches itself."""
        from forearm.trees.collision.charts import chart  # noqa: PLC0415 (it imports this module)

        return chart(self, self.geometry)

    def path(self, row: int) -> list[int]:
        """The rows from the base to one, itself included."""
        above = []
        while row >= 0:
            above.append(row)
            row = self.rows[row].parent
        return above[::-1]

    def variable(self, joint: str) -> int:
        """The number of a variable by its name."""
        if joint in self.joint_names:
            return self.joint_names.index(joint)
        raise OptionError(
            f"joint '{joint}' is no variable of {self.mechanism.name}; {nearest_names(joint, self.joint_names)}"
        )


def body_of(
    mechanism: Mechanism,
    base: str = "fixed",
    joints: Iterable[str] | None = None,
    limits: Mapping[str, Pair] | None = None,
    root: str | None = None,
) -> Body:
    """The body of a mechanism; arguments as for `Tree.from_urdf`."""
    if base not in BASES:
        raise OptionError(f"base is {base!r}; it takes: {', '.join(map(repr, BASES))}")
    drives = [_drive(name, kind, axis) for name, kind, axis in DRIVES.get(base, ())]
    chosen = _chosen(mechanism, joints, [joint.name for joint in drives])
    start = (_afloat(mechanism) if base == "free" else "") or _only_root(mechanism) if root is None else root
    if start not in (links := [link.name for link in mechanism.links]):
        raise ModelError(f"link {brief(start)} is not in {mechanism.where}; {nearest_names(str(start), links)}")
    limits = as_mapping(limits, "limits", "joint name to (lower, upper)", ModelError)
    given = given_limits(_without(limits, drives), mechanism, [])
    drives = [replace(joint, limits=limits[joint.name]) if joint.name in limits else joint for joint in drives]
    gathered = _Gatherer(mechanism, given, chosen, base == "free")
    place: Place = (-1, np.eye(4))
    for joint in drives:
        place = gathered.pass_joint(joint, place)
    gathered.walk(start, place)
    return gathered.body(base, start)


def _without(limits: Mapping[str, Pair], drives: list[Joint]) -> dict[str, Pair]:
    """The limits of joints of the file."""
    return {name: pair for name, pair in limits.items() if name not in {joint.name for joint in drives}}


def _drive(name: str, kind: str, axis: Triple) -> Joint:
    """A joint of a base that drives."""
    return Joint(name, kind, np.eye(4), "world", name, axis)


def _only_root(mechanism: Mechanism) -> str:
    """The link that no joint moves, if there is one only."""
    roots = mechanism.roots()
    if len(roots) != 1:
        raise ModelError(
            f"{mechanism.where} has the roots {', '.join(roots) or 'none'}; choose {{argument}}", argument="root=..."
        )
    return roots[0]


def _afloat(mechanism: Mechanism) -> str:
    """The link on which a robot floats already in its file, with a floor and other things beside it; else nothing."""
    parents = parent_joints(mechanism)
    moved = {joint.child for joint in parents.values() if joint.kind != "fixed"}
    own = [joint for joint in parents.values() if joint.kind == "floating" and not moved & {*_above(parents, joint)}]
    floating = {joint.child for joint in own}
    robots = {link for joint in parents.values() if joint.kind in KINDS for link in _above(parents, joint)} & floating
    if len(robots) > 1:
        raise ModelError(
            f"{mechanism.where} has {len(robots)} robots that float: {', '.join(sorted(robots))}; choose {{argument}}",
            argument="root=...",
        )
    return next(iter(robots), "")


def _above(parents: Mapping[str, Joint], joint: Joint) -> list[str]:
    """The links above a joint."""
    return ancestors(parents, joint.parent)


def _chosen(mechanism: Mechanism, joints: Iterable[str] | None, drives: list[str]) -> set[str] | None:
    """The names of joints that may move; None for all."""
    if joints is None:
        return None
    if not isinstance(joints, Iterable):
        raise OptionError(f"joints is {brief(joints)}; it takes the names of joints that move")
    names, chosen = [joints] if isinstance(joints, str) else list(joints), set(drives)
    for name in names:
        joint = mechanism.joint(name) if isinstance(name, str) else None
        if joint is None:
            known = [joint.name for joint in mechanism.joints if joint.kind != "fixed"]
            raise OptionError(f"joint {name!r} is not in {mechanism.where}; {nearest_names(str(name), known)}")
        if joint.kind == "fixed":
            raise OptionError(f"joint '{name}' in {mechanism.where} is fixed; leave it out of joints=")
        chosen |= {name, *(f"{name}/{freedom}" for freedom, _, _ in FREEDOMS.get(joint.kind, ()))}
    return chosen


class _Gatherer:
    """Walks a mechanism and gathers rows, variables, places and masses."""

    def __init__(self, mechanism: Mechanism, limits: Mapping[str, Pair], chosen: set[str] | None, free: bool) -> None:
        self.mechanism, self.limits, self.chosen, self.free = mechanism, limits, chosen, free
        self.parents = parent_joints(mechanism)
        self.children: dict[str, list[Joint]] = {}
        for joint in mechanism.joints:
            if self.parents[joint.child] is joint:
                self.children.setdefault(joint.parent, []).append(joint)
        self.links = {link.name: link for link in mechanism.links}
        self.rows: list[Row] = []
        self.variables: dict[str, Joint] = {}
        self.places: dict[str, Place] = {}
        self.moments: dict[int, Floats] = {-1: np.zeros(4)}
        self.stands: dict[str, Floats] = {}

    def walk(self, root: str, place: Place) -> None:
        """Visits all links below the root, depth first."""
        waiting: list[tuple[str, Joint | None]] = [(root, None)]
        while waiting:
            link, joint = waiting.pop()
            here = place if joint is None else self._through(joint, self.places[joint.parent])
            self.places[link] = here
            self._weigh(link, here)
            waiting += [(each.child, each) for each in reversed(self.children.get(link, []))]

    def _through(self, joint: Joint, place: Place) -> Place:
        """The place behind a joint of any kind."""
        for fault in self.mechanism.faults:
            if joint.name in fault.joints and joint.kind != "fixed":
                raise ModelError(fault.text)
        if joint.kind == "floating" and self.free and place[0] == -1 and not self.rows:
            self.stands[joint.name] = np.eye(4)
            return place  # its freedoms are the base's own
        row, T = place
        for each, _ in opened([(joint, False)]) if joint.kind in FREEDOMS else [(joint, False)]:
            place = self.pass_joint(each, place)
        if self.chosen is not None and place[0] == row and joint.kind != "fixed":
            self.stands[joint.name] = inverse(T) @ place[1]
        return place

    def pass_joint(self, joint: Joint, place: Place) -> Place:
        """The place behind a joint with one freedom or none; one that moves becomes a row."""
        row, T = place
        segment = segment_of(joint, False, self.mechanism, self.limits)
        segment = self._held(segment, joint)
        front = T @ segment.origin
        if not segment.moves:
            return row, front @ segment.rest @ segment.behind
        assert segment.variable is not None
        to_axis = z_onto(np.array(segment.axis))
        self.variables.setdefault(segment.variable.name, segment.variable)
        number = list(self.variables).index(segment.variable.name)
        self.rows.append(Row(row, segment, number, front @ segment.rest @ to_axis))
        self.moments[len(self.rows) - 1] = np.zeros(4)
        return len(self.rows) - 1, inverse(to_axis) @ segment.behind

    def _held(self, segment: Segment, joint: Joint) -> Segment:
        """A segment that was not chosen stands at 0, or at the limit nearest to it."""
        variable = segment.variable
        if variable is None or self.chosen is None or variable.name in self.chosen:
            return segment
        if joint.name in self.chosen:
            raise OptionError(
                f"joint '{joint.name}' follows '{variable.name}', which is not among joints=: it moves only if "
                f"'{variable.name}' is named there too"
            )
        lower, upper = variable.limits or UNBOUNDED
        value = segment.ratio * min(max(variable.zero, lower), upper) + segment.offset
        return replace(segment, ratio=0.0, offset=value)

    def _weigh(self, link: str, place: Place) -> None:
        """Adds a link's mass to the row that carries it."""
        row, T = place
        mass, centre = self.links[link].mass, np.array(self.links[link].centre)
        moment = np.zeros(4) if mass == 0.0 else mass * np.array([1.0, *(T[:3, :3] @ centre + T[:3, 3])])
        self.moments[row] = self.moments.get(row, np.zeros(4)) + moment

    def body(self, base: str, root: str) -> Body:
        """All of it."""
        if not self.rows:
            raise ModelError(f"{self.mechanism.where} has no joint that moves below '{root}'; a tree needs one")
        self._refuse_loops()
        for site in self.mechanism.sites:
            if site.link in self.places:
                row, T = self.places[site.link]
                self.places.setdefault(site.name, (row, T @ site.pose))
        variables = list(self.variables.values())
        rows = tuple(replace(row, **_centred(self.moments[i])) for i, row in enumerate(self.rows))
        base_mass = _centred(self.moments[-1])
        followed = [(row.segment, row.variable) for row in rows]
        return Body(
            mechanism=self.mechanism,
            base=base,
            root=root,
            rows=rows,
            joint_names=tuple(self.variables),
            joint_kinds=tuple(variable.kind for variable in variables),
            limits=limits_of(variables, followed),
            velocity=speeds_of(variables, followed),
            places=self.places,
            base_mass=np.array([base_mass["mass"], *base_mass["centre"]]),
            stands=self.stands,
        )

    def _refuse_loops(self) -> None:
        """Refuses loops whose joints move: their joints do not move on their own."""
        moving = {row.segment.name for row in self.rows}
        for joint in self.mechanism.joints:
            if self.parents[joint.child] is not joint and (moving & {joint.name, self.parents[joint.child].name}):
                raise ModelError(
                    f"{self.mechanism.where} has a loop: link '{joint.child}' is the child of both "
                    f"'{self.parents[joint.child].name}' and '{joint.name}'; a tree cannot keep that closed, so leave "
                    "its joints out of {argument}",
                    argument="joints=",
                )
        for loop, ring in rings(self.mechanism, self.parents):
            if held := sorted(moving & ring):
                raise ModelError(
                    f"{self.mechanism.where} has a loop: the {loop.kind} '{loop.name}' holds '{loop.first}' to "
                    f"'{loop.second}', so joint '{held[0]}' does not move on its own; a tree cannot keep that closed: "
                    f"leave {', '.join(held[:8])} out of {{argument}}, or take the {loop.kind} out of the file",
                    argument="joints=",
                )


def _centred(moment: Floats) -> dict[str, Any]:
    """Mass and centre of a moment."""
    mass = float(moment[0])
    centre = moment[1:] / mass if mass > 0.0 and math.isfinite(mass) else np.zeros(3)
    return {"mass": mass, "centre": (float(centre[0]), float(centre[1]), float(centre[2]))}
