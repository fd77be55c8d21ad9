"""The robot as flat arrays: what loaders make and kernels read.

`T_base_tip = links[0] J(q0) links[1] J(q1) ... links[m]`, every joint along or about its own z
axis. A mimic joint is one more moving joint driven by a variable that is already there, so there
are m moving joints and n <= m variables.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import LARGEST, as_limit_rows, as_limits, as_mapping, as_number, as_rigid
from forearm.common.later import Later
from forearm.common.transforms import rotation_about, translation
from forearm.common.types import Floats
from forearm.core.codes import PRISMATIC
from forearm.errors import ModelError, OptionError, nearest_names
from forearm.models.mechanism import LinkShape, Mechanism, Place

if TYPE_CHECKING:
    import logging
else:  # slow, and most tools need no remark
    logging = Later("logging")

LONG_LINK = 100.0  # [m] no arm has longer ones, nor tools
MUCH_FARTHER = 100.0  # times its own limits, a slide's new ones look like millimetres
# Limits of turning joints that look like degrees [rad]: beyond two turns, which cables allow, and up to two turns of
# degrees; what is larger stands for no limit.
MANY_TURNS, WHOLE_DEGREES = 13.0, 720.0


@dataclass(frozen=True, eq=False)
class GeometryWish:
    """What the user says of an arm's geometry; it is made when first asked for."""

    radius: float | None  # of capsules along the skeleton [m]; None takes the file's shapes, or a default
    bodies: tuple[tuple[str, tuple[float, ...]], ...]  # joint or base, capsule in its child's frame; added to those
    allow: tuple[tuple[str, str], ...]  # pairs of links that may touch
    whole: bool = False  # whether what never moves is held against obstacles too


@dataclass(frozen=True, eq=False)
class Model:
    """A serial chain from a base to a tip. Metres and radians.

    Attributes:
        name: What the robot is called.
        base: The link in whose frame poses are given.
        tip: The link that is brought to the target.
        joint_names: The n variables, in order along the chain.
        joint_kinds: "revolute", "continuous" or "prismatic", one per variable.
        moving_names: The m moving joints, mimic joints included.
        links: (m+1, 3, 4) fixed transforms in front of each joint and behind the last.
        joints: (m, 3) kind, variable, ratio of each moving joint (`core/codes.py`).
        limits: (2, n) lower and upper joint limits, infinite where there is none.
        velocity: (n,) velocity limits [rad/s] or [m/s], infinite where none is known.
        child_frames: (m, 4, 4) the child link's frame seen from its moved joint frame.
        note: Where the numbers come from and what to know about them.
        shapes: The collision shapes of its links, as the file gives them.
        geometry: What the user says of its geometry, or None (`forearm.arm.geometry`).
        file_links: What its file calls the links from base to tip, each with the place of its moving joint (-1: none).
        mechanism: The whole robot that the chain was cut from, with what hangs off the chain.
        places: Where each link is that moves with the chain or stands with its base.
        home: (n,) a posture to begin with, inside the limits of its file; empty if that gives none.
    """

    name: str
    base: str
    tip: str
    joint_names: tuple[str, ...]
    joint_kinds: tuple[str, ...]
    moving_names: tuple[str, ...]
    links: Floats
    joints: Floats
    limits: Floats
    velocity: Floats
    child_frames: Floats
    note: str = ""
    shapes: tuple[LinkShape, ...] = ()
    geometry: GeometryWish | None = None
    file_links: tuple[tuple[str, int], ...] = ()
    mechanism: Mechanism | None = field(default=None, repr=False)
    places: Mapping[str, Place] = field(default_factory=dict, repr=False)
    home: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def n(self) -> int:
        """How many variables there are."""
        return len(self.joint_names)

    @property
    def m(self) -> int:
        """How many joints move, mimic joints included."""
        return len(self.moving_names)

    @property
    def mimics(self) -> tuple[str, ...]:
        """The moving joints that follow another joint."""
        variables = set(self.joint_names)
        return tuple(name for name in self.moving_names if name not in variables)

    @property
    def off_chain(self) -> tuple[str, ...]:
        """The links of its mechanism that move apart from it."""
        links = self.mechanism.links if self.mechanism else ()
        return tuple(link.name for link in links if link.name not in self.places)

    def with_tool(self, tool: ArrayLike) -> "Model":
        """The same chain with its tip moved by a fixed transform `T_tip_tool`."""
        T_tip_tool = as_rigid(tool, "tool", ModelError)
        check_length(T_tip_tool, "the tool")
        longest = float(np.abs(T_tip_tool[:3, 3]).max())
        if longest > LONG_LINK:
            logging.getLogger("forearm").warning("the tool is %g m long; did you mean millimetres?", longest)
        links = self.links.copy()
        links[-1] = (np.vstack([links[-1], [0.0, 0.0, 0.0, 1.0]]) @ T_tip_tool)[:3]
        return replace(self, links=links)

    def held(self, values: Floats) -> "Model":
        """The chain without the variables held at values (n,), NaN where they are free: fewer joints, no shapes."""
        free, links, joints, moving = np.isnan(values), [], [], []
        places, T = np.cumsum(free) - 1, np.eye(4)
        for i, link in enumerate(self.links):
            T = T @ np.vstack([link, [0.0, 0.0, 0.0, 1.0]])
            if i == self.m:
                break
            kind, variable, ratio = self.joints[i]
            if free[int(variable)]:
                links.append(T[:3])
                joints.append([kind, places[int(variable)], ratio])
                moving.append(i)
                T = np.eye(4)
            else:
                value = float(ratio * values[int(variable)])
                T = T @ (translation(0.0, 0.0, value) if kind == PRISMATIC else rotation_about((0.0, 0.0, 1.0), value))
        kept = np.flatnonzero(free)
        return replace(
            self,
            joint_names=tuple(self.joint_names[k] for k in kept),
            joint_kinds=tuple(self.joint_kinds[k] for k in kept),
            moving_names=tuple(self.moving_names[i] for i in moving),
            links=np.array([*links, T[:3]]),
            joints=np.array(joints).reshape(-1, 3),
            limits=np.ascontiguousarray(self.limits[:, kept]),
            velocity=self.velocity[kept],
            child_frames=self.child_frames[moving],
            shapes=(),
            geometry=None,
            file_links=(),
            mechanism=None,
            places={},
            home=self.home[kept] if len(self.home) else self.home,
        )

    def with_base(self, base: ArrayLike) -> "Model":
        """The same chain seen from another frame, in which its base has a pose `T_new_base`."""
        T = as_rigid(base, "base", ModelError)
        check_length(T, "the base")
        links: Floats = self.links.copy()
        links[0] = (T @ np.vstack([links[0], [0.0, 0.0, 0.0, 1.0]]))[:3]
        shapes = tuple(replace(each, pose=T @ each.pose) if each.frame < 0 else each for each in self.shapes)
        places = {name: (frame, T @ pose if frame < 0 else pose) for name, (frame, pose) in self.places.items()}
        return replace(self, links=links, shapes=shapes, places=places)

    def with_limits(self, limits: "LimitsLike | None", locked: "Locked | None" = None) -> "Model":
        """The same chain with other joint limits, or with some joints locked at a value."""
        return replace(self, limits=self.limits_with(limits, locked))

    def limits_with(self, limits: "LimitsLike | None", locked: "Locked | None" = None) -> Floats:
        """A (2, n) copy of the limits with some of them replaced, and of those some locked at a value inside."""
        new: Floats = self.limits.copy()
        for name, pair in self._limits_by_joint(limits).items():
            k = self.variable(name)
            new[:, k] = as_limits(pair, name, "limits=", OptionError)
            hint_at_units_of_limits(name, self.joint_kinds[k], new[:, k], float(np.abs(self.limits[:, k]).max()))
        for name, given in as_mapping(locked, "locked", "joint name to value", OptionError).items():
            k = self.variable(name)
            value = as_number(given, "locked=", OptionError, f"the value of joint '{name}' in ")
            if not new[0, k] <= value <= new[1, k]:
                turned = abs(value) > 2.0 * math.pi and self.joint_kinds[k] != "prismatic"
                remedy = "did you mean degrees? {degrees}" if turned else "lock it at a value between them"
                raise OptionError(
                    f"joint '{name}' cannot be locked at {value:g}: its limits are "
                    f"{new[0, k]:g} to {new[1, k]:g}; {remedy}",
                    degrees="np.radians(...) makes radians of them",
                )
            new[:, k] = value
        return new

    def _limits_by_joint(self, limits: "LimitsLike | None") -> Mapping[str, Any]:
        """The pairs by joint name, unchecked, from any form that limits may have."""
        if limits is None or isinstance(limits, Mapping):
            return limits or {}
        array = as_limit_rows(limits, self.n, self.name, OptionError)
        return dict(zip(self.joint_names, array.T, strict=True))

    def variable(self, name: str) -> int:
        """The index of a joint variable by name."""
        try:
            return self.joint_names.index(name)
        except ValueError:
            hint = nearest_names(str(name), self.joint_names)
            raise OptionError(f"joint '{name}' is not in {self.name}; {hint}") from None


def hint_at_units_of_limits(name: str, kind: str, limits: Sequence[float] | Floats, own: float = math.inf) -> None:
    """Warns of limits that look like degrees, or, far beyond a slide's own, like millimetres: nothing is refused."""
    slides, most = kind == "prismatic", max((abs(limit) for limit in limits if math.isfinite(limit)), default=0.0)
    if most > MUCH_FARTHER * own if slides else MANY_TURNS < most <= WHOLE_DEGREES:
        unit, meant = ("m", "millimetres") if slides else ("rad", "degrees")
        told = f"limits {limits[0]:g} to {limits[1]:g} {unit}; did you mean {meant}?"
        logging.getLogger("forearm").warning("joint '%s' is given %s", name, told)


LimitsLike = Mapping[str, tuple[float, float]] | ArrayLike
Locked = Mapping[str, float]


def check_length(T: Floats, what: str) -> None:
    """Refuses a fixed transform that is longer than any robot's [m]."""
    longest = float(np.abs(T[:3, 3]).max())
    if not longest < LARGEST:
        raise ModelError(f"{what} moves by {longest:g} m; lengths are below {LARGEST:g} m, so check its unit")


def reach(model: Model) -> float:
    """An upper bound on the distance from the first joint's origin to the tip [m].

    The sum of the link lengths behind the first joint and of the farthest slide of each
    prismatic joint; infinite if one of those has no limit.
    """
    lengths = float(np.linalg.norm(model.links[1:, :, 3], axis=1).sum())
    for kind, variable, ratio in model.joints:
        if kind == 1:
            slide = np.abs(ratio * model.limits[:, int(variable)])
            lengths += float(slide.max())
    return lengths


def sealed(model: Model) -> Model:
    """The same model with arrays that cannot be written; kernels keep the writable ones."""
    views: dict[str, Any] = {name: value.view() for name, value in vars(model).items() if isinstance(value, np.ndarray)}
    for view in views.values():
        view.flags.writeable = False
    return replace(model, **views)


def describe(model: Model) -> dict[str, Any]:
    """The model as plain data, for tables and JSON."""
    return {
        "name": model.name,
        "base": model.base,
        "tip": model.tip,
        "joints": [
            {"name": n, "kind": k, "lower": float(lo), "upper": float(hi), "velocity": float(v)}
            for n, k, lo, hi, v in zip(model.joint_names, model.joint_kinds, *model.limits, model.velocity, strict=True)
        ],
        "mimics": list(model.mimics),
        "reach": reach(model),
        "note": model.note,
    }
