"""A robot from a table of Denavit-Hartenberg parameters, standard or modified.

Standard (distal): `T_i = Rz(theta) Tz(d) Tx(a) Rx(alpha)`.
Modified (Craig, proximal): `T_i = Rx(alpha) Tx(a) Rz(theta) Tz(d)`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.arrays import as_rigid
from forearm.errors import ModelError, nearest_names
from forearm.model import Model
from forearm.models.assemble import KINDS, UNBOUNDED, Segment, Variable, assemble, check_limits
from forearm.transforms import rotation_about, translation

Floats = NDArray[np.float64]
Row = Mapping[str, Any] | Sequence[float]

CONVENTIONS = ("standard", "modified")
NUMBERS = ("a", "alpha", "d", "theta", "offset")
ROW_KEYS = (*NUMBERS, "kind", "limits", "name", "velocity")
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def from_dh(
    rows: Sequence[Row],
    *,
    convention: str = "standard",
    limits: ArrayLike | None = None,
    base: ArrayLike | None = None,
    tool: ArrayLike | None = None,
    name: str = "dh-arm",
    note: str = "",
) -> Model:
    """The model of a DH table.

    Args:
        rows: One per joint: `(a, alpha, d)`, `(a, alpha, d, offset)`, or a mapping with the keys
            a, alpha, d, theta, offset, kind, limits, name, velocity. Metres and radians. `offset`
            is added to the variable [rad, or m for a prismatic joint]; `theta` is a fixed angle.
        convention: "standard" or "modified".
        limits: (2, n), lower and upper row, instead of limits in the rows. A joint without
            limits is continuous; a prismatic joint must have them.
        base: (4, 4) pose of the first DH frame in the base frame.
        tool: (4, 4) pose of the tip in the last DH frame.
        name: What to call the robot.
        note: Where the numbers come from.
    """
    if convention not in CONVENTIONS:
        raise ModelError(f"convention '{convention}' is unknown; there are: {', '.join(CONVENTIONS)}")
    if len(rows) == 0:
        raise ModelError("a DH table needs at least one row")
    table = [_read_row(row, i) for i, row in enumerate(rows)]
    _merge_limits(table, limits)
    names = [row["name"] for row in table]
    for joint in names:
        if names.count(joint) > 1:
            raise ModelError(f"joint name '{joint}' stands twice in the DH table; names must differ")
    segments = [_segment(row, convention) for row in table]
    if base is not None:
        segments.insert(0, Segment("base", as_rigid(base, "base", ModelError)))
    return assemble(segments, name=name, base="base", tip="tip", tool=tool, note=note)


def _read_row(row: Row, i: int) -> dict[str, Any]:
    """A DH row as a full mapping of checked values."""
    where = f"row {i} of the DH table"
    if isinstance(row, Mapping):
        given = dict(row)
    elif 3 <= len(row) <= 4:
        given = dict(zip(("a", "alpha", "d", "offset"), row, strict=False))
    else:
        raise ModelError(f"{where} has {len(row)} numbers; give (a, alpha, d) or (a, alpha, d, offset)")
    for key in given:
        if key not in ROW_KEYS:
            raise ModelError(f"{where} has the unknown key '{key}'; {nearest_names(key, ROW_KEYS)}")
    full: dict[str, Any] = {"kind": "revolute", "limits": None, "name": f"joint{i}", "velocity": math.inf}
    full |= dict.fromkeys(NUMBERS, 0.0) | given
    if full["kind"] not in KINDS:
        raise ModelError(f"{where} has kind '{full['kind']}'; there are: {', '.join(KINDS)}")
    for key in NUMBERS:
        full[key] = _finite(full[key], f"{key} in {where}")
    return full


def _finite(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {value!r}, not a number") from None
    if not math.isfinite(number):
        raise ModelError(f"{what} is {number}; it must be finite")
    return number


def _merge_limits(table: list[dict[str, Any]], limits: ArrayLike | None) -> None:
    """Puts a (2, n) limits array into the rows, then checks every row's limits."""
    if limits is not None:
        array = np.asarray(limits, dtype=np.float64)
        if array.shape != (2, len(table)):
            raise ModelError(f"limits have shape {array.shape}; a table of {len(table)} rows takes (2, {len(table)})")
        for row, lower, upper in zip(table, *array, strict=True):
            row["limits"] = (float(lower), float(upper))
    for row in table:
        if row["limits"] is None and row["kind"] == "prismatic":
            raise ModelError(f"joint '{row['name']}' is prismatic and has no limits; give it a stroke in metres")
        if row["limits"] is None:
            row["kind"] = "continuous"
            row["limits"] = UNBOUNDED
        row["limits"] = check_limits(row["name"], row["kind"], tuple(row["limits"]), "the DH table")


def _segment(row: Mapping[str, Any], convention: str) -> Segment:
    """The segment of one row: what stands in front of the joint, its motion, what stands behind."""
    twist = translation(row["a"], 0.0, 0.0) @ rotation_about(X, row["alpha"])
    still = rotation_about(Z, row["theta"]) @ translation(0.0, 0.0, row["d"])
    in_front, behind = (still, twist) if convention == "standard" else (twist @ still, np.eye(4))
    return Segment(
        name=row["name"],
        origin=in_front,
        variable=Variable(row["name"], row["kind"], row["limits"], row["velocity"]),
        kind=row["kind"],
        offset=row["offset"],
        behind=behind,
    )
