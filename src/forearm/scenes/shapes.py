"""What a chain or an arm shall not touch: `fa.Sphere`, `fa.Capsule`, `fa.Box`.

Given two coordinates they are a circle, a capsule and a rectangle in a plane. All of them together
reach the kernels as one array (`core/collision/obstacle_rows.py`). Half-spaces, meshes and
clouds are in `scenes/scene.py`.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import as_floats, as_number, brief
from forearm.common.types import Floats
from forearm.core.collision.distance import FLAT
from forearm.core.collision.obstacle_rows import AXES, BOUND, BOX, CAPSULE, FIRST, KIND, OBSTACLE_COLUMNS, RADIUS, SPAN
from forearm.errors import OptionError

# The rotation of a box may differ from a rotation by this in any entry of R^T R.
ROTATION_SLACK = 1e-5


class Obstacle:
    """Base of all obstacles."""

    __slots__ = ()

    @property
    def dim(self) -> int:
        """2 in a plane, 3 in space: as many coordinates as its center or its end a has; all others are in space."""
        place: tuple[float, ...] = getattr(self, "center", getattr(self, "a", (0.0, 0.0, 0.0)))
        return len(place)

    def rows(self) -> Floats:
        """(r, 18) as the kernels read it; several rows for what is made of several."""
        raise NotImplementedError


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

    def rows(self) -> Floats:
        """(1, 18) as the kernels read it."""
        return pack(CAPSULE, self.center, self.radius, self.radius)


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

    def rows(self) -> Floats:
        """(1, 18) as the kernels read it."""
        bound = self.radius + 0.5 * math.dist(self.a, self.b)
        return pack(CAPSULE, self.a, bound, self.radius, span=np.subtract(self.b, self.a))


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
        size = as_floats(self.size, "the size of the box", OptionError)
        if size.shape != (self.dim,) or not (size > 0.0).all():
            raise OptionError(f"the size of the box is {brief(self.size)}; it takes {self.dim} positive lengths [m]")
        object.__setattr__(self, "size", tuple(size.tolist()))
        object.__setattr__(self, "rotation", _rotation(self.rotation, self.dim))

    def rows(self) -> Floats:
        """(1, 18) as the kernels read it."""
        halves = [*np.multiply(0.5, self.size), FLAT][:3]
        return pack(BOX, self.center, 0.5 * math.hypot(*self.size), span=halves, axes=np.ravel(self.rotation, "F"))


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


def _point(value: Any, name: str) -> tuple[float, ...]:
    point = as_floats(value, name, OptionError)
    if point.shape not in ((2,), (3,)):
        raise OptionError(f"{name} has shape {point.shape}; it takes 3 coordinates, or 2 in a plane")
    return tuple(point.tolist())


def as_radius(value: Any, name: str) -> float:
    """A radius [m], not negative."""
    radius = as_number(value, name, OptionError)
    if radius < 0.0:
        raise OptionError(f"{name} is {radius:g} m; it cannot be negative")
    return radius


def _rotation(value: Any, dim: int) -> tuple[tuple[float, ...], ...]:
    """A rotation as rows; about z for an angle in a plane."""
    if dim == 2:
        angle = 0.0 if value is None else as_number(value, "the rotation of a box in a plane", OptionError)
        c, s = math.cos(angle), math.sin(angle)
        return (c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)
    R = np.eye(3) if value is None else as_floats(value, "the rotation of the box", OptionError)
    if R.shape != (3, 3):
        raise OptionError(f"the rotation of the box has shape {R.shape}; it takes a (3, 3) rotation matrix")
    off = float(np.abs(R.T @ R - np.eye(3)).max())
    if off > ROTATION_SLACK or np.linalg.det(R) < 0.0:
        raise OptionError(
            f"the rotation of the box is none: R^T R differs from the identity by {off:.3g}, or it mirrors"
        )
    return tuple(tuple(row) for row in R.tolist())


NO_OBSTACLES = np.empty((0, OBSTACLE_COLUMNS))
