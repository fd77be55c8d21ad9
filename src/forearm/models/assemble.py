"""From a list of segments to a `Model`: the last step of every cut.

Fixed segments are folded into their neighbours, each joint's axis is turned onto z, offsets go
into the fixed transforms, and joints that follow another become ratios of its variable.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import LARGEST
from forearm.common.transforms import inverse, rotation_about, translation, z_onto
from forearm.common.types import Floats
from forearm.core.codes import PRISMATIC, REVOLUTE
from forearm.errors import ModelError
from forearm.models.mechanism import UNBOUNDED, Axis, Joint, Pair
from forearm.models.model import Model, check_length


@dataclass(frozen=True)
class Segment:
    """A piece of the chain: `origin`, then the joint's motion, then `behind`.

    The joint moves by `ratio * variable + offset` along or about `axis`; the variable is the joint
    that it follows, or itself, with the limits that hold for it. A segment without one is fixed.
    `limits` are those of the joint itself where it follows another.
    """

    name: str
    origin: Floats
    variable: Joint | None = None
    axis: Axis = (0.0, 0.0, 1.0)
    kind: str = "revolute"
    ratio: float = 1.0
    offset: float = 0.0
    limits: Pair = UNBOUNDED
    behind: Floats = field(default_factory=lambda: np.eye(4))

    @property
    def moves(self) -> bool:
        """Whether its variable moves it: else it is fixed, or held at its offset."""
        return self.variable is not None and self.ratio != 0.0

    def at_rest(self) -> Floats:
        """Its (4, 4) transform without its variable's part."""
        still = self.variable is None
        return self.origin @ (np.eye(4) if still else joint_motion(self, self.offset)) @ self.behind


def assemble(
    segments: Sequence[Segment],
    *,
    name: str,
    base: str,
    tip: str,
    tool: ArrayLike | None = None,
    note: str = "",
) -> Model:
    """The model of a chain of segments; its arrays are float64, C-contiguous and writable."""
    for segment in segments:
        _check_size(segment, name)
    moving = [s for s in segments if s.moves]
    if not moving:
        raise ModelError(f"{name}: no joint moves between '{base}' and '{tip}'; choose another base or tip")
    variables = _variables_of(moving)
    index = {variable.name: k for k, variable in enumerate(variables)}
    links, child_frames = _fold(segments)
    model = Model(
        name=name,
        base=base,
        tip=tip,
        joint_names=tuple(v.name for v in variables),
        joint_kinds=tuple(v.kind for v in variables),
        moving_names=tuple(s.name for s in moving),
        links=links,
        joints=_array([(_code_of(s.kind), index[s.variable.name], s.ratio) for s in moving if s.variable]),
        limits=_limits_of(variables, moving),
        velocity=_array([v.velocity for v in variables]),
        child_frames=child_frames,
        note=note,
    )
    return model if tool is None else model.with_tool(tool)


def _array(values: Any) -> Floats:
    """What kernels take: whole numbers too become float64."""
    return np.array(values, dtype=np.float64, order="C")


def _check_size(segment: Segment, robot: str) -> None:
    """Refuses lengths and factors that no robot has."""
    what = f"'{segment.name}' in {robot}"
    check_length(segment.origin, what)
    check_length(segment.behind, what)
    for quantity, value in (("ratio", segment.ratio), ("offset", segment.offset)):
        if not abs(value) < LARGEST:
            raise ModelError(f"{what} follows its variable with {quantity} {value:g}; it must be below {LARGEST:g}")


def joint_motion(segment: Segment, value: float) -> Floats:
    """The joint's own motion for a joint value [rad or m]."""
    axis = np.array(segment.axis)
    if segment.kind == "prismatic":
        return translation(*(value * axis))
    return rotation_about(axis, value)


def _code_of(kind: str) -> int:
    return PRISMATIC if kind == "prismatic" else REVOLUTE


def _variables_of(moving: Sequence[Segment]) -> list[Joint]:
    """The variables in the order in which the chain first meets them."""
    found: dict[str, Joint] = {}
    for segment in moving:
        if segment.variable is not None:
            found.setdefault(segment.variable.name, segment.variable)
    return list(found.values())


def _fold(segments: Sequence[Segment]) -> tuple[Floats, Floats]:
    """The fixed transforms between moving joints, and each child's frame behind its joint."""
    links, child_frames = [], []
    pending = np.eye(4)
    for segment in segments:
        pending = pending @ segment.origin
        if not segment.moves:
            still = segment.variable is None
            pending = pending @ (np.eye(4) if still else joint_motion(segment, segment.offset)) @ segment.behind
            continue
        to_axis = z_onto(np.array(segment.axis))
        links.append((pending @ joint_motion(segment, segment.offset) @ to_axis)[:3])
        pending = inverse(to_axis) @ segment.behind
        child_frames.append(pending)
    links.append(pending[:3])
    return _array(links), _array(child_frames)


def _limits_of(variables: Sequence[Joint], moving: Sequence[Segment]) -> Floats:
    """(2, n): each variable's own limits, narrowed by those of the joints that follow it."""
    limits = _array(_array([v.limits for v in variables]).T)
    names = [v.name for v in variables]
    for segment in moving:
        if segment.variable is None or segment.limits == UNBOUNDED:
            continue
        k = names.index(segment.variable.name)
        bounds = sorted((bound - segment.offset) / segment.ratio for bound in segment.limits)
        limits[0, k] = max(limits[0, k], bounds[0])
        limits[1, k] = min(limits[1, k], bounds[1])
        if limits[0, k] > limits[1, k]:
            raise ModelError(
                f"joint '{segment.name}' follows '{names[k]}' but their limits leave no value for both; "
                "correct the limits of one of them"
            )
    return limits
