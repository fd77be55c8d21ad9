"""From a list of segments to a `Model`: the last step of every cut.

Fixed segments are folded into their neighbours, each joint's axis is turned onto z, offsets go
into the fixed transforms, and joints that follow another become ratios of its variable.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from forearm.common.checks import LARGEST
from forearm.common.transforms import inverse, rotation_about, translation, z_onto
from forearm.common.types import Floats
from forearm.core.codes import PRISMATIC, REVOLUTE
from forearm.errors import ModelError
from forearm.models.mechanism import UNBOUNDED, Joint, Pair, Triple
from forearm.models.model import Model, check_length

CODES = {"revolute": REVOLUTE, "continuous": REVOLUTE, "prismatic": PRISMATIC}


@dataclass(frozen=True)
class Segment:
    """A piece of the chain: `origin`, then the joint's motion, then `behind`.

    The joint moves by `ratio * variable + offset` along or about `axis`; the variable is the joint
    that it follows, or itself, with the limits that hold for it. A segment without one is fixed.
    `limits` and `velocity` are those of the joint itself where it follows another.
    """

    name: str
    origin: Floats
    variable: Joint | None = None
    axis: Triple = (0.0, 0.0, 1.0)
    kind: str = "revolute"
    ratio: float = 1.0
    offset: float = 0.0
    limits: Pair = UNBOUNDED
    velocity: float = math.inf
    behind: Floats = field(default_factory=lambda: np.eye(4))

    @property
    def moves(self) -> bool:
        """Whether its variable moves it: else it is fixed, or held at its offset."""
        return self.variable is not None and self.ratio != 0.0

    @property
    def rest(self) -> Floats:
        """(4, 4) the joint's own motion where its variable is 0; the identity if it has none."""
        if self.variable is None:
            return np.eye(4)
        axis = np.array(self.axis)
        return translation(*(self.offset * axis)) if self.kind == "prismatic" else rotation_about(axis, self.offset)


def assemble(segments: Sequence[Segment], *, name: str, base: str, tip: str, note: str = "") -> Model:
    """The model of a chain of segments; its arrays are float64, C-contiguous and writable."""
    for segment in segments:
        _check_size(segment, f"'{segment.name}' in {name}")
    moving = [(s, s.variable) for s in segments if s.variable and s.moves]
    if not moving:
        raise ModelError(f"{name}: no joint moves between '{base}' and '{tip}'; choose another base or tip")
    variables = list({v.name: v for _, v in moving}.values())  # as the chain meets them
    index = {variable.name: k for k, variable in enumerate(variables)}
    followed = [(s, index[v.name]) for s, v in moving]
    links, child_frames = _fold(segments)
    return Model(
        name=name,
        base=base,
        tip=tip,
        joint_names=tuple(v.name for v in variables),
        joint_kinds=tuple(v.kind for v in variables),
        moving_names=tuple(s.name for s, _ in moving),
        links=links,
        joints=np.array([(CODES[s.kind], k, s.ratio) for s, k in followed], float),
        limits=limits_of(variables, followed),
        velocity=speeds_of(variables, followed),
        child_frames=child_frames,
        note=note,
    )


def _check_size(segment: Segment, what: str) -> None:
    """Refuses lengths and factors that no robot has."""
    check_length(segment.origin, what)
    check_length(segment.behind, what)
    for quantity, value in (("ratio", segment.ratio), ("offset", segment.offset)):
        if not abs(value) < LARGEST:
            raise ModelError(f"{what} follows its variable with {quantity} {value:g}; it must be below {LARGEST:g}")


def _fold(segments: Sequence[Segment]) -> tuple[Floats, Floats]:
    """The fixed transforms between moving joints, and each child's frame behind its joint."""
    links, child_frames = [], []
    pending = np.eye(4)
    for segment in segments:
        pending = pending @ segment.origin
        if not segment.moves:
            pending = pending @ segment.rest @ segment.behind
            continue
        to_axis = z_onto(np.array(segment.axis))
        links.append((pending @ segment.rest @ to_axis)[:3])
        pending = inverse(to_axis) @ segment.behind
        child_frames.append(pending)
    links.append(pending[:3])
    return np.array(links), np.array(child_frames)


def limits_of(variables: Sequence[Joint], followed: Sequence[tuple[Segment, int]]) -> Floats:
    """(2, n): each variable's own limits, narrowed by those of the joints that follow it."""
    limits: Floats = np.array([v.limits for v in variables], float).T.copy()
    for segment, k in followed:
        bounds = sorted((bound - segment.offset) / segment.ratio for bound in segment.limits)
        limits[0, k] = max(limits[0, k], bounds[0])
        limits[1, k] = min(limits[1, k], bounds[1])
        if limits[0, k] > limits[1, k]:
            raise ModelError(
                f"joint '{segment.name}' follows '{variables[k].name}' but their limits leave no value for both; "
                "correct the limits of one of them"
            )
    return limits


def speeds_of(variables: Sequence[Joint], followed: Sequence[tuple[Segment, int]]) -> Floats:
    """(n,): each variable's own greatest speed, or what leaves the joints that follow it within theirs."""
    speeds: Floats = np.array([v.velocity for v in variables], float)
    for segment, k in followed:
        speeds[k] = min(speeds[k], segment.velocity / abs(segment.ratio))
    return speeds
