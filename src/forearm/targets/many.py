"""Many targets of one kind as arrays: what a batch reads, chunk by chunk.

An array a user passes is kept as it is (float32, strided, on disk) and turned into contiguous
float64 only for the chunk at hand, and only where it is not so already: a batch needs no second copy of its targets.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import as_array, as_floats, as_rigid, unwrap_matrix
from forearm.common.types import Floats
from forearm.core.arm.goal import NONE, find_not_rigid
from forearm.errors import TargetError

LOOK = 16_384  # rows checked at a time: 2 MB of poses


@dataclass(frozen=True, eq=False, repr=False)
class Targets:
    """Parsed targets of one kind.

    Attributes:
        kind: POSE, POSITION, ORIENTATION or POINT_AXIS of `core/codes.py`.
        goals: (N, 4, 4) the frames to reach, of any real dtype.
        terms: (N, 15) tolerances and axes, or (1, 15) for all.
    """

    kind: int
    goals: NDArray[Any]
    terms: Floats

    def __len__(self) -> int:
        """How many there are."""
        return len(self.goals)

    def part(self, first: int, last: int) -> tuple[Floats, Floats]:
        """Goals and terms of a range, as kernels take them."""
        terms = self.terms if len(self.terms) == 1 else self.terms[first:last]
        return readable(self.goals[first:last]), terms

    def only(self, rows: NDArray[np.intp]) -> "Targets":
        """Some of them."""
        return Targets(self.kind, self.goals[rows], self.terms if len(self.terms) == 1 else self.terms[rows])

    def __repr__(self) -> str:
        """One short line."""
        return f"Targets({len(self)})"


def fresh(array: NDArray[Any]) -> Floats:
    """A contiguous, writable float64 copy."""
    return np.array(array, dtype=np.float64, order="C")


def readable(array: NDArray[Any]) -> Floats:
    """The array itself where kernels read it as it is, else a copy that they do."""
    plain = type(array) is np.ndarray and array.dtype == np.float64 and array.flags.carray
    return array if plain else fresh(array)


def as_poses(value: Any, name: str) -> NDArray[Any]:
    """(N, 4, 4) rigid transforms, checked, not copied; a fault is named with its place."""
    poses = as_array(unwrap_matrix(value), name)
    if poses.shape == (0,):
        return np.empty((0, 4, 4))
    if poses.ndim == 2 and poses.shape[1] == 3:
        raise TargetError(
            f"{name} has shape {poses.shape}; bare positions are not targets: wrap them, as in fa.Position.many(P)"
        )
    if poses.ndim != 3 or poses.shape[1:] != (4, 4):
        hint = "; one pose is a batch as T[None]" if poses.shape == (4, 4) else ""
        raise TargetError(f"{name} has shape {poses.shape}; poses are an (N, 4, 4) array{hint}")
    check_rigid(poses, lambda i: f"{name}[{i}]")
    return poses


def check_rigid(poses: NDArray[Any], name: Callable[[int], str]) -> None:
    """Refuses the first of (N, 4, 4) that is no rigid transform; `name` says what it is called."""
    for first, part in parts(poses):
        place = find_not_rigid(part)
        if place != NONE:
            as_rigid(part[place], name(first + place))
            raise TargetError(f"{name(first + place)} is not a rigid transform: {part[place].tolist()}")


def parts(array: NDArray[Any]) -> Iterator[tuple[int, Floats]]:
    """The array piece by piece, each as kernels read it, with the place of its first row."""
    for first in range(0, len(array), LOOK):
        yield first, readable(array[first : first + LOOK])


def as_rows(value: Any, name: str) -> Floats:
    """(N, 3) finite numbers."""
    rows = as_array(value, name)
    if rows.shape == (0,):
        return np.empty((0, 3))
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise TargetError(f"{name} has shape {rows.shape}; it takes an (N, 3) array")
    return as_floats(rows, name)


def frames(rotations: NDArray[Any] | None = None, points: Floats | None = None, count: int = 0) -> Floats:
    """(N, 4, 4) frames with these rotations and origins; identity and zero where there are none."""
    goals = np.zeros((count, 4, 4))
    goals[:, [0, 1, 2, 3], [0, 1, 2, 3]] = 1.0
    if rotations is not None:
        goals[:, :3, :3] = rotations
    if points is not None:
        goals[:, :3, 3] = points
    return goals
