"""What a chain or an arm should not touch: `fa.Sphere`, `fa.Capsule`, `fa.Box`, and `Cylinder` for arms.

Given two coordinates they are a circle, a capsule and a rectangle in a plane. All of them together
reach the kernels as one array (`core/collision/obstacle_rows.py`). Half-spaces, meshes and
clouds are in `scenes/scene.py`, hulls and fields in `scenes/solids.py`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import as_floats, as_number, brief
from forearm.common.types import Floats
from forearm.core.collision.distance import FLAT
from forearm.core.collision.obstacle_rows import (
    AXES,
    BOUND,
    BOX,
    CAPSULE,
    CYLINDER,
    FIRST,
    KIND,
    OBSTACLE_COLUMNS,
    RADIUS,
    SPAN,
)
from forearm.errors import OptionError, told_in_words

# The rotation of a box may differ from a rotation by this in any entry of R^T R.
ROTATION_SLACK = 1e-5


class Obstacle:
    """Base of all obstacles: each is packed once, when it is made, so that a scene of them is made quickly.

    Attributes:
        dim: 2 in a plane, 3 in space.
        farthest: How far away it lies or reaches [m]; of a half-space, its point.
        packed: Its rows of 18 numbers, one after the other, as the kernels read them.
    """

    __slots__ = ("dim", "farthest", "packed")

    dim: int
    farthest: float
    packed: bytes | Floats

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it was made of."""
        return type(self), tuple(getattr(self, name) for name in self.__dataclass_fields__)  # type: ignore[attr-defined]

    def rows(self) -> Floats:
        """(r, 18) as the kernels read it; several rows for what is made of several."""
        return np.frombuffer(bytearray(self.packed)).reshape(-1, OBSTACLE_COLUMNS)

    def _pack(
        self, kind: int, first: Sequence[float], bound: float, radius: float = 0.0, *more: float, dim: int = 3
    ) -> None:
        """Packs what is one row; `more` are SPAN and AXES, and what is left out of them is 0."""
        x, y, z = (*first, 0.0, 0.0, 0.0)[:3]
        numbers = (kind, radius, x, y, z, *more, *NOTHING[len(more) :], bound)
        object.__setattr__(self, "packed", ROW.pack(*numbers))
        object.__setattr__(self, "dim", dim)
        object.__setattr__(self, "farthest", max(abs(x), abs(y), abs(z), bound if bound < math.inf else 0.0))

    def _pack_rows(self, rows: Floats, heads: int | None = None) -> None:
        """Packs what is many rows; what only others read follows the first `heads` of them."""
        size = np.abs(rows[:heads, [FIRST, FIRST + 1, FIRST + 2, BOUND]]).max(initial=0.0)
        object.__setattr__(self, "packed", rows)
        object.__setattr__(self, "dim", 3)
        object.__setattr__(self, "farthest", float(size))


@told_in_words
@dataclass(frozen=True, slots=True)
class Sphere(Obstacle):
    """A ball, or a disc in a plane.

    Args:
        center: (3,) or (2,) [m].
        radius: [m], not negative; 0 is a point.
    """

    center: Any
    radius: float

    def __post_init__(self) -> None:
        """Refuses what is no sphere."""
        object.__setattr__(self, "center", _point(self.center, "the center of the sphere"))
        object.__setattr__(self, "radius", as_radius(self.radius, "the radius of the sphere"))
        self._pack(CAPSULE, self.center, self.radius, self.radius, dim=len(self.center))


@told_in_words
@dataclass(frozen=True, slots=True)
class Capsule(Obstacle):
    """All points within a radius of a line from a to b.

    Args:
        a: (3,) or (2,) one end of its axis [m].
        b: The other end.
        radius: [m], not negative; 0 is the line itself.
    """

    a: Any
    b: Any
    radius: float

    def __post_init__(self) -> None:
        """Refuses what is no capsule."""
        object.__setattr__(self, "a", _point(self.a, "end a of the capsule"))
        object.__setattr__(self, "b", _point(self.b, "end b of the capsule"))
        object.__setattr__(self, "radius", as_radius(self.radius, "the radius of the capsule"))
        if len(self.a) != len(self.b):
            raise OptionError(f"the capsule's ends have {len(self.a)} and {len(self.b)} coordinates; give both alike")
        way = [there - here for here, there in zip(self.a, self.b, strict=True)]
        bound = self.radius + 0.5 * math.dist(self.a, self.b)
        self._pack(CAPSULE, self.a, bound, self.radius, *way, dim=len(self.a))


@told_in_words
@dataclass(frozen=True, slots=True)
class Box(Obstacle):
    """A box, or a rectangle in a plane.

    Args:
        center: (3,) or (2,) [m].
        size: Its full edge lengths [m], as many, all positive.
        rotation: How it is turned: (3, 3) in space, an angle in a plane [rad]; None leaves it along the axes.
    """

    center: Any
    size: Any
    rotation: Any = None

    def __post_init__(self) -> None:
        """Refuses what is no box."""
        object.__setattr__(self, "center", _point(self.center, "the center of the box"))
        dim = len(self.center)
        size = _plain(self.size)
        if not size:
            given = as_floats(self.size, "the size of the box", OptionError)
            size = tuple(given.tolist()) if given.ndim == 1 else ()
        if len(size) != dim or not min(size) > 0.0:
            raise OptionError(f"the size of the box is {brief(self.size)}; it takes {dim} positive lengths [m]")
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "rotation", _rotation(self.rotation, dim))
        halves = (0.5 * size[0], 0.5 * size[1], 0.5 * size[2] if dim == 3 else FLAT)
        (a, d, g), (b, e, h), (c, f, i) = self.rotation
        self._pack(BOX, self.center, 0.5 * math.hypot(*size), 0.0, *halves, a, b, c, d, e, f, g, h, i, dim=dim)


@told_in_words
@dataclass(frozen=True, slots=True)
class Cylinder(Obstacle):
    """A solid cylinder with flat ends: a post, a can, a table's leg.

    Args:
        a: (3,) the middle of one end [m].
        b: (3,) the middle of the other.
        radius: [m], not negative.
    """

    a: Any
    b: Any
    radius: float

    def __post_init__(self) -> None:
        """Refuses what is no cylinder."""
        ends = [_point(end, f"end {name} of the cylinder") for name, end in (("a", self.a), ("b", self.b))]
        radius = as_radius(self.radius, "the radius of the cylinder")
        size = math.dist(*ends) if {len(end) for end in ends} == {3} else 0.0
        if not size > 0.0:
            raise OptionError(f"the ends of the cylinder are {ends[0]} and {ends[1]}; they are two points in space")
        for name, value in zip(("a", "b", "radius"), (*ends, radius), strict=True):
            object.__setattr__(self, name, value)
        middle, axis = zip(*((0.5 * (x + y), (y - x) / size) for x, y in zip(*ends, strict=True)), strict=True)
        self._pack(CYLINDER, middle, math.hypot(0.5 * size, radius), radius, 0.5 * size, 0.0, 0.0, *axis)


def pack(
    kind: int, first: ArrayLike, bound: ArrayLike, radius: float = 0.0, *, span: ArrayLike = (), axes: ArrayLike = ()
) -> Floats:
    """(r, 18) rows of one kind of obstacle, one for each row of `first`; what is left out or ends early is 0."""
    rows = np.zeros((len(np.atleast_2d(first)), OBSTACLE_COLUMNS))
    rows[:, KIND], rows[:, RADIUS], rows[:, BOUND] = kind, radius, bound
    for column, given in ((FIRST, first), (SPAN, span), (AXES, axes)):
        values = np.atleast_2d(given)
        rows[:, column : column + values.shape[1]] = values
    return rows


def _plain(value: Any) -> tuple[float, ...]:
    """Two or three finite numbers, if they are plainly that; else nothing, and the slow road says what is wrong."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.ndim == 1:
        value = value.tolist()
    if type(value) not in (list, tuple) or not 1 < len(value) < 4:
        return ()
    plain = all(type(entry) in (float, int) and -HUGE < entry < HUGE for entry in value)
    return tuple(map(float, value)) if plain else ()


def _point(value: Any, name: str) -> tuple[float, ...]:
    plain = _plain(value)
    if plain:
        return plain
    point = as_floats(value, name, OptionError)
    if point.shape not in ((2,), (3,)):
        raise OptionError(f"{name} has shape {point.shape}; it takes 3 coordinates, or 2 in a plane")
    return tuple(point.tolist())


def as_radius(value: Any, name: str) -> float:
    """A radius [m], not negative."""
    if type(value) is float and 0.0 <= value < math.inf:
        return value
    radius = as_number(value, name, OptionError)
    if radius < 0.0:
        raise OptionError(f"{name} is {radius:g} m; it cannot be negative")
    return radius


def _rotation(value: Any, dim: int) -> tuple[tuple[float, ...], ...]:
    """A rotation as rows; about z for an angle in a plane."""
    if dim == 2 and not (type(value) is tuple and value[2:] == UPRIGHT[2:]):  # as a box holds it
        angle = 0.0 if value is None else as_number(value, "the rotation of a box in a plane", OptionError)
        c, s = math.cos(angle), math.sin(angle)
        return (c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)
    return UPRIGHT if value is None else as_rotation(value, "the rotation of the box")


def as_rotation(value: Any, name: str) -> tuple[tuple[float, ...], ...]:
    """A rotation in space as rows."""
    plain = type(value) is np.ndarray and value.dtype == np.float64
    R = value if plain else as_floats(value, name, OptionError)
    if R.shape != (3, 3):
        raise OptionError(f"{name} has shape {R.shape}; it takes a (3, 3) rotation matrix")
    (a, b, c), (d, e, f), (g, h, i) = rows = R.tolist()  # what is not finite is no rotation either
    across = (a * b + d * e + g * h, a * c + d * f + g * i, b * c + e * f + h * i)
    off = max(*map(abs, across), *(abs(x * x + y * y + z * z - 1.0) for x, y, z in zip(*rows, strict=True)))
    if not off <= ROTATION_SLACK or a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) < 0.0:
        raise OptionError(
            f"{name} is not a rotation matrix: R^T R differs from the identity by {off:.3g}, or it mirrors"
        )
    return tuple(tuple(row) for row in rows)


HUGE = 1e300
UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ROW, NOTHING = Struct(f"{OBSTACLE_COLUMNS}d"), (0.0,) * (BOUND - SPAN)
NO_OBSTACLES = np.empty((0, OBSTACLE_COLUMNS))
