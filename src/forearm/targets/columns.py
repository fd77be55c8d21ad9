"""What the columns of a file of targets mean: metres and radians, one target a row.

| columns | target |
|---|---|
| x, y, z | a point |
| x, y, z, qw, qx, qy, qz | a pose, the quaternion scalar first, of any length but 0 |
| x, y, z, roll, pitch, yaw | a pose, fixed axes as in URDF |
| x, y, z, dx, dy, dz | a point, and where the tool's z axis points |
| m00, m01 ... m33 | a pose, its matrix row by row; the last row may be left out |
| q0_JOINT for each joint | where the search starts |
| id | carried along as text |
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import as_array
from forearm.common.types import Floats
from forearm.core.general.many import NONE, find_not_rigid
from forearm.errors import OptionError, TargetError
from forearm.targets.files import ID, Columns
from forearm.targets.many import Targets
from forearm.targets.target import PointAxis, Pose, Position

POINT = ("x", "y", "z")
MATRIX = tuple(f"m{i}{k}" for i in range(4) for k in range(4))
KINDS: dict[str, tuple[str, ...]] = {
    "point": POINT,
    "quaternion": (*POINT, "qw", "qx", "qy", "qz"),
    "rpy": (*POINT, "roll", "pitch", "yaw"),
    "axis": (*POINT, "dx", "dy", "dz"),
    "matrix": MATRIX,
    "short matrix": MATRIX[:12],
}
START = "q0_"
ALLOWED = "x, y, z alone or with qw, qx, qy, qz, with roll, pitch, yaw or with dx, dy, dz; or m00 ... m33; q0_JOINT; id"


def kind_of(names: tuple[str, ...], joints: tuple[str, ...], path: Path) -> str:
    """What the columns of a file describe."""
    if "targets" in names:
        return "array"
    starts = [name for name in names if name.startswith(START)]
    wanted = [START + joint for joint in joints]
    if starts and sorted(starts) != sorted(name.lower() for name in wanted) and sorted(starts) != sorted(wanted):
        raise OptionError(f"'{path}' has the starts {', '.join(starts)}; it takes all or none of: {', '.join(wanted)}")
    rest = [name for name in names if name != ID and name not in starts]
    for kind, columns in KINDS.items():
        if sorted(rest) == sorted(columns):
            return kind
    known = {name for columns in KINDS.values() for name in columns}
    unknown = [name for name in rest if name not in known]
    fault = f"an unknown column '{unknown[0]}'" if unknown else f"the columns {', '.join(rest)}"
    raise OptionError(f"'{path}' has {fault}; it takes {ALLOWED}")


def targets_of(columns: Columns, kind: str, first: int, path: Path, tol: tuple[float, float]) -> Targets:
    """The targets of a block of rows; a fault is named with its row.

    Args:
        columns: By name.
        kind: What `kind_of` said.
        first: The number of the block's first row, from 0.
        path: The file, for messages.
        tol: Tolerances of position [m] and rotation [rad].
    """
    if kind == "array":
        return targets_of_array(columns["targets"], first, path, tol)
    rows = np.column_stack([columns[name] for name in KINDS[kind]]).astype(np.float64)
    refuse_missing(rows, KINDS[kind], first, path)
    if kind == "point":
        return Position.many(rows, tol=tol[0])
    if kind == "axis":
        refuse_zero(rows[:, 3:], "dx, dy, dz", first, path)
        return PointAxis.many(rows[:, :3], rows[:, 3:], tol=tol)
    if kind == "quaternion":
        refuse_zero(rows[:, 3:], "qw, qx, qy, qz", first, path)
    return poses(frames_of(rows, kind), first, path, tol)


def targets_of_array(array: NDArray[Any], first: int, path: Path, tol: tuple[float, float]) -> Targets:
    """The targets of an array of poses or points."""
    values = as_array(array, f"'{path}'", OptionError).astype(np.float64)
    if values.shape[1:] not in ((4, 4), (3,)):
        raise OptionError(
            f"'{path}' has targets of shape {values.shape[1:]}; it takes (N, 4, 4) poses or (N, 3) points"
        )
    names = MATRIX if values.ndim == 3 else POINT
    refuse_missing(values.reshape(len(values), -1), names, first, path)
    return poses(values, first, path, tol) if values.ndim == 3 else Position.many(values, tol=tol[0])


def poses(matrices: Floats, first: int, path: Path, tol: tuple[float, float]) -> Targets:
    """Poses, each a rigid transform."""
    place = find_not_rigid(np.ascontiguousarray(matrices))
    if place != NONE:
        shown = matrices[place].round(6).tolist()
        raise TargetError(f"'{path}', row {first + place} is not a rigid transform: {shown}")
    return Pose.many(matrices, tol=tol)


def frames_of(rows: Floats, kind: str) -> Floats:
    """(N, 4, 4) the matrices that rows describe."""
    T = np.zeros((len(rows), 4, 4))
    T[:, 3, 3] = 1.0
    if kind in ("matrix", "short matrix"):
        T[:, : rows.shape[1] // 4] = rows.reshape(len(rows), -1, 4)
        return T
    T[:, :3, 3] = rows[:, :3]
    T[:, :3, :3] = turns(rows[:, 3:].T) if kind == "quaternion" else fixed_axes(rows[:, 3:].T)
    return T


def turns(quaternions: Floats) -> Floats:
    """(N, 3, 3) rotations of (4, N) quaternions, scalar first, as `transforms.from_quaternion` has them."""
    w, x, y, z = quaternions
    s = 2.0 / (w * w + x * x + y * y + z * z)
    rows = [
        [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def fixed_axes(angles: Floats) -> Floats:
    """(N, 3, 3) rotations of (3, N) roll, pitch and yaw, as `transforms.from_rpy` has them."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(angles), np.sin(angles)
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def starts_of(columns: Columns, joints: tuple[str, ...], first: int, path: Path) -> Floats | None:
    """(N, n) the starts of a block, or None."""
    if "q0" in columns:
        starts = np.asarray(columns["q0"], np.float64)
        if starts.ndim != 2 or starts.shape[1] != len(joints):
            raise OptionError(f"'{path}' has q0 of shape {starts.shape}; it takes (N, {len(joints)})")
    else:
        lower = {name.lower(): name for name in columns}
        names = [lower.get((START + joint).lower()) for joint in joints]
        if None in names:
            return None
        starts = np.column_stack([columns[str(name)] for name in names])
    refuse_missing(starts, tuple(START + joint for joint in joints), first, path)
    return starts


def refuse_missing(rows: Floats, names: tuple[str, ...], first: int, path: Path) -> None:
    """Raises for the first number that is missing or not finite."""
    places = np.argwhere(~np.isfinite(rows))
    if len(places):
        i, k = places[0].tolist()
        raise TargetError(f"'{path}', row {first + i}, column '{names[k]}': {rows[i, k]} is no finite number")


def refuse_zero(rows: Floats, names: str, first: int, path: Path) -> None:
    """Raises for the first vector without a length."""
    places = np.flatnonzero(~rows.any(axis=1))
    if len(places):
        raise TargetError(f"'{path}', row {first + int(places[0])}: {names} are all 0; they must have a length")
