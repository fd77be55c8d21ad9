"""What a robot with several tips is asked for: goals with weights, tolerances and strict levels.

A goal of level 1 is met before one of level 2 counts at all; inside a level weights decide where not all can be had.
A goal is called after its link, or as `name=` says; that is how a stack's goals are changed and its errors are told.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import as_count, as_floats, as_number, as_real, as_rigid, as_unit, as_vector, brief
from forearm.common.types import Floats
from forearm.core import codes
from forearm.errors import OptionError, TargetError, told_in_words
from forearm.targets.target import KIND_NAMES, Target, as_target

MAX_LEVEL, MAX_CORNERS, MAX_STEPS = 8, 16, 10_000
TOLERANCE = 1e-6  # [m] and [rad]
# weights: of 40 sets of two poses all are met from 1e-4 to 1e3, none at 1e-5, where damping outweighs a goal; a posture
# heavier than a metre a radian holds goals back that can be met
LIGHTEST, HEAVIEST, HEAVIEST_POSTURE = 1e-4, 1e3, 1.0


@dataclass(frozen=True, eq=False)
class Wish:
    """What goals have in common.

    Attributes:
        name: What it is called in a stack and in its answers.
        weight: How much its error counts against those of other goals of its level.
        level: 1 for what must hold first, 2 for what may only use what is left, and so on.
        tol: Position [m] and rotation [rad] inside which it is met.
    """

    name: str
    weight: float
    level: int
    tol: tuple[float, float]


def _about(
    name: str,
    weight: Any,
    level: Any,
    tol: Any = TOLERANCE,
    lightest: float = LIGHTEST,
    heaviest: float = HEAVIEST,
) -> dict[str, Any]:
    """The common arguments of goals, checked."""
    if not isinstance(name, str):
        raise OptionError(f"a goal is called {brief(name)}; a name, or that of its link, is a text")
    number = as_number(weight, "weight", OptionError)
    if not 0.0 < number <= heaviest:
        raise OptionError(
            f"weight of '{name}' is {brief(weight)}; it must be positive, at most {heaviest:g}: leave the goal out "
            "instead, or put what must hold first on a level of its own"
        )
    if number < lightest:
        raise OptionError(f"weight of '{name}' is {brief(weight)}; below {lightest:g} it is lost in rounding")
    if isinstance(level, bool) or not isinstance(level, (int, np.integer)) or not 1 <= level <= MAX_LEVEL:
        raise OptionError(f"level of '{name}' is {brief(level)}; it takes a whole number from 1 to {MAX_LEVEL}")
    pair = as_real(tol, "tol", OptionError)
    if pair.shape not in ((), (1,), (2,)) or not (pair > 0.0).all():
        raise OptionError(f"tol of '{name}' is {brief(tol)}; it takes one positive number, or (position, rotation)")
    return {"name": name, "weight": number, "level": int(level), "tol": tuple(np.broadcast_to(pair, (2,)).tolist())}


@told_in_words
class Goal(Wish):
    """A target for a link.

    Args:
        link: The link or site that is brought to it.
        target: (4, 4) pose in the world, or `Pose`, `Position`, `Orientation`, `PointAxis`, whose tolerances hold.
        weight: How much its error counts.
        level: Its strict level.
        name: What it is called; after its link by default.
    """

    link: str
    target: Target

    def __init__(self, link: str, target: Any, *, weight: float = 1.0, level: int = 1, name: str | None = None) -> None:
        aim = plain_target(target, link)
        tol = aim.terms[[codes.TOL_POSITION, codes.TOL_ROTATION]]
        super().__init__(**_about(name or link, weight, level, tol))
        object.__setattr__(self, "link", link)
        object.__setattr__(self, "target", aim)


def plain_target(target: Any, link: str) -> Target:
    """A target without tolerances axis by axis, which goals of several tips do not know."""
    aim = as_target(target)
    if np.isfinite(aim.terms[codes.TOL_AXES : codes.TOL_AXES + 6]).any():
        raise TargetError(
            f"the {KIND_NAMES[aim.kind]} of '{link}' has tolerances axis by axis; goals of several tips take one for "
            "the position and one for the rotation, so give {argument} as (position, rotation)",
            argument="tol",
        )
    return aim


@told_in_words
class Relative(Wish):
    """A link's pose in another link: two hands that carry a box.

    Args:
        link: The link or site that is brought there.
        other: The link or site in whose frame the pose is given.
        pose: (4, 4) of the first in the second.
        position: Whether the position counts.
        rotation: Whether the rotation counts.
        weight: How much its error counts.
        level: Its strict level.
        tol: Position [m] and rotation [rad], or one number for both.
        name: What it is called; after its first link by default.
    """

    link: str
    other: str
    pose: Floats
    counts: tuple[bool, bool]

    def __init__(
        self,
        link: str,
        other: str,
        pose: ArrayLike,
        *,
        position: bool = True,
        rotation: bool = True,
        weight: float = 1.0,
        level: int = 1,
        tol: ArrayLike = TOLERANCE,
        name: str | None = None,
    ) -> None:
        super().__init__(**_about(name or link, weight, level, tol))
        if link == other:
            raise OptionError(f"Relative takes two links; both are '{link}'")
        if not (position or rotation):
            raise OptionError(f"Relative of '{link}' counts neither position nor rotation, so it asks for nothing")
        values = {"link": link, "other": other, "pose": as_rigid(pose, "pose"), "counts": (position, rotation)}
        for key, value in values.items():
            object.__setattr__(self, key, value)


@told_in_words
class CenterOfMass(Wish):
    """Where the centre of mass should be.

    Args:
        point: (3,) in the world [m]; (2,) where only x and y count.
        axes: Which coordinates count: "xy" (over a support) or "xyz".
        weight: How much its error counts.
        level: Its strict level.
        tol: [m].
        support: (k, 2) points on the floor that carry the robot, corners of its feet say, instead of a point: the
            centre may be anywhere over their convex hull, in any order and with dents filled, at least `margin` from
            its edges. Its error is the distance from there.
        margin: Of a support [m].
        name: What it is called.
    """

    point: Floats
    axes: str
    support: Floats | None
    margin: float
    inner: Floats | None  # (k, 2) what the margin leaves of the support

    def __init__(
        self,
        point: ArrayLike | None = None,
        *,
        axes: str | None = None,
        weight: float = 1.0,
        level: int = 1,
        tol: float = TOLERANCE,
        support: ArrayLike | None = None,
        margin: float = 0.0,
        name: str = "centre of mass",
    ) -> None:
        super().__init__(**_about(name, weight, level, tol))
        if (point is None) == (support is None):
            raise OptionError("CenterOfMass takes a point or a support, one of them")
        if support is not None and axes not in (None, "xy"):
            raise OptionError(f"axes is {brief(axes)} for a support; only x and y count over one")
        corners = None if support is None else as_corners(support)
        inner = None if corners is None else shrunk(corners, as_number(margin, "margin", OptionError))
        if inner is not None:
            point = inner.mean(axis=0)
        size = int(np.size(as_floats(point, "point")))
        if size not in (2, 3):
            raise OptionError(f"point is {brief(point)}; a centre of mass takes 2 or 3 numbers")
        chosen = axes if axes is not None else "xyz" if size == 3 else "xy"
        if chosen not in ("xy", "xyz") or (chosen == "xyz" and size != 3):
            raise OptionError(f"axes is {brief(axes)} for a point of {size} numbers; it takes 'xy', or 'xyz' with 3")
        where = np.zeros(3)
        where[:size] = as_vector(point, "point", size)
        values = {"point": where, "axes": chosen, "support": corners, "margin": margin, "inner": inner}
        for key, value in values.items():
            object.__setattr__(self, key, value)


def as_corners(support: ArrayLike) -> Floats:
    """(k, 2) the corners of a support's convex hull, counter-clockwise."""
    points = as_real(support, "support", OptionError)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3 or not np.isfinite(points).all():
        raise OptionError(f"support has shape {points.shape}; it takes (k, 2) finite corners on the floor, k >= 3")
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    hull: list[Floats] = []
    for row in (ordered, ordered[::-1]):  # Andrew's monotone chain
        side: list[Floats] = []
        for corner in row:
            while len(side) > 1 and np.linalg.det([side[-1] - side[-2], corner - side[-2]]) <= 0.0:
                side.pop()
            side.append(corner)
        hull += side[:-1]
    if len(hull) < 3:
        raise OptionError("the corners of support lie on one line; they must span a polygon")
    if len(hull) > MAX_CORNERS:
        raise OptionError(f"support has {len(hull)} corners; it takes up to {MAX_CORNERS}")
    return np.array(hull)


def shrunk(corners: Floats, margin: float) -> Floats:
    """(k, 2) a convex polygon, counter-clockwise, whose edges are moved inward by a margin [m]."""
    if not 0.0 <= margin < math.inf:
        raise OptionError(f"margin is {margin:g} m; it takes a distance from 0")
    inner = corners
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        normal = np.array([a[1] - b[1], b[0] - a[0]]) / np.linalg.norm(b - a)
        inner = _cut(inner, normal, float(normal @ a) + margin) if margin > 0.0 else inner
        if len(inner) < 3:
            raise OptionError(f"a margin of {margin:g} m leaves nothing of the support; take a smaller one")
    return inner


def _cut(corners: Floats, normal: Floats, offset: float) -> Floats:
    """(k, 2) the part of a convex polygon in front of a line."""
    heights, kept = corners @ normal - offset, []
    for i in range(len(corners)):
        here, before = heights[i], heights[i - 1]
        if (here >= 0.0) != (before >= 0.0):
            kept.append(corners[i - 1] + before / (before - here) * (corners[i] - corners[i - 1]))
        if here >= 0.0:
            kept.append(corners[i])
    return np.array(kept).reshape(-1, 2)


@told_in_words
class LookAt(Wish):
    """A point that an axis of a link should point at: a camera, a head, a torch.

    Args:
        link: The link or site that looks.
        point: (3,) in the world [m].
        axis: (3,) of the link that should point there.
        weight: How much its error counts.
        level: Its strict level.
        tol: [rad].
        name: What it is called; after its link by default.
    """

    link: str
    point: Floats
    axis: Floats

    def __init__(
        self,
        link: str,
        point: ArrayLike,
        *,
        axis: ArrayLike = (1.0, 0.0, 0.0),
        weight: float = 1.0,
        level: int = 1,
        tol: float = TOLERANCE,
        name: str | None = None,
    ) -> None:
        super().__init__(**_about(name or link, weight, level, tol))
        values = {"link": link, "point": as_vector(point, "point", 3), "axis": as_unit(axis, "axis")}
        for key, value in values.items():
            object.__setattr__(self, key, value)


@told_in_words
class Posture(Wish):
    """Joint values to stay near with what the other goals leave free: it is never met, only preferred.

    Args:
        q: (n,) joint values, or a mapping from some joints' names to theirs.
        weight: How much a radian or metre away from it counts against a metre of the goals; small, so that they come
            first.
        name: What it is called.
    """

    q: Any

    def __init__(self, q: ArrayLike | Mapping[str, float], *, weight: float = 1e-3, name: str = "posture") -> None:
        super().__init__(**_about(name, weight, 1, lightest=0.0, heaviest=HEAVIEST_POSTURE))
        object.__setattr__(self, "q", q)


@told_in_words
class Still(Wish):
    """Joints that do not move.

    Args:
        joints: The name of a joint, several names, or a mapping from names to the values to stand at; without values
            they stay where q0 has them.
    """

    joints: dict[str, float | None]

    def __init__(self, joints: str | Mapping[str, float] | list[str] | tuple[str, ...]) -> None:
        if not isinstance(joints, (str, Mapping, list, tuple)) or not all(isinstance(joint, str) for joint in joints):
            raise OptionError(
                f"Still is given {brief(joints)}; it takes joints' names, or a mapping from them to values"
            )
        names = [joints] if isinstance(joints, str) else list(joints)
        super().__init__(**_about("still", 1.0, 1))
        given = joints if isinstance(joints, Mapping) else dict.fromkeys(names)
        values = {
            joint: None if value is None else as_number(value, joint, OptionError) for joint, value in given.items()
        }
        object.__setattr__(self, "joints", values)


@told_in_words
class Cost(Wish):
    """A function of the joint values to make small with what all goals leave free.

    This is slow: it is called in Python, some hundred times for a solve (its slope is measured by differences), and
    each step toward less is a solve of its own.

    Args:
        function: Takes (n,) joint values, gives a number.
        steps: How many steps are taken at most.
        name: What it is called.
    """

    function: Callable[[Floats], float]
    steps: int

    def __init__(self, function: Callable[[Floats], float], *, steps: int = 20, name: str = "cost") -> None:
        if not callable(function):
            raise OptionError(f"Cost takes a function of joint values; {brief(function)} is none")
        super().__init__(**_about(name, 1.0, 1))
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "steps", as_count(steps, "steps", MAX_STEPS))
