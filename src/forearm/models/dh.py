"""A robot from a table of Denavit-Hartenberg parameters, standard or modified.

Standard (distal): `T_i = Rz(theta) Tz(d) Tx(a) Rx(alpha)`.
Modified (Craig, proximal): `T_i = Rx(alpha) Tx(a) Rz(theta) Tz(d)`.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import as_limit_rows, as_limits, as_number, as_real, as_rigid, brief
from forearm.common.transforms import rotation_about, translation
from forearm.errors import ModelError, counted, nearest_names
from forearm.models.cut import cut
from forearm.models.mechanism import KINDS, UNBOUNDED, Joint, check_joints, serial
from forearm.models.model import Model, hint_at_units_of_limits

Row = Mapping[str, Any] | Sequence[float]

CONVENTIONS = ("standard", "modified")
NUMBERS = ("a", "alpha", "d", "theta", "offset")
ROW_KEYS = (*NUMBERS, "kind", "limits", "name", "velocity")
ORDER = ("a", "alpha", "d", "offset")
ROW_FORMS = "(a, alpha, d), (a, alpha, d, offset) or a mapping"
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def from_dh(
    rows: Iterable[Row],
    *,
    convention: str = "standard",
    limits: ArrayLike | None = None,
    base: ArrayLike | None = None,
    tool: ArrayLike | None = None,
    name: str = "dh-arm",
    note: str = "",
    order: str | None = None,
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
        order: What the numbers of a row are, as in "theta d a alpha", which textbooks have; "a alpha d offset" by
            default. Rows that look like the textbook's are refused without it.
    """
    joints = read_joints(rows, convention, limits, order)
    T_base_first = as_rigid(np.eye(4) if base is None else base, "base", ModelError)
    mechanism = serial(joints, "base", T_base_first, name=name, where="the DH table", note=note)
    return replace(cut(mechanism, tool=tool), tip="tip")


def read_joints(
    rows: Iterable[Row], convention: str, limits: ArrayLike | None = None, order: str | None = None
) -> list[Joint]:
    """The joints of a DH table, in a row."""
    names = read_order(order)
    if convention not in CONVENTIONS:
        raise ModelError(f"convention '{convention}' is unknown; there are: {', '.join(CONVENTIONS)}")
    try:
        listed = list(rows)
    except TypeError:
        raise ModelError(f"a DH table is a list of rows, each {ROW_FORMS}; got {brief(rows)}") from None
    if not listed:
        raise ModelError(f"a DH table needs at least one row, each {ROW_FORMS}")
    check_joints(len(listed), "the DH table")
    if order is None:
        refuse_textbook(listed)
    table = [_read_row(row, i, names) for i, row in enumerate(listed)]
    where = "the DH table"
    if limits is not None:
        whose = f"a table of {counted(len(table), 'row')}"
        where, array = "limits=", as_limit_rows(limits, len(table), whose, ModelError)
        for row, pair in zip(table, array.T, strict=True):
            row["limits"] = pair
    for row in table:
        _settle_limits(row, where)
    return [_joint(row, convention) for row in table]


def read_order(order: str | None) -> tuple[str, ...]:
    """What the numbers of a row are called."""
    names = ORDER if order is None else tuple(str(order).replace(",", " ").split())
    if len(set(names)) != len(names) or not {"a", "alpha", "d"} <= set(names) <= set(NUMBERS):
        raise ModelError(f"order is {brief(order)}; it names a, alpha, d and perhaps theta or offset, each once")
    return names


def refuse_textbook(rows: Sequence[Any]) -> None:
    """Refuses rows of four numbers whose last are all quarter turns and whose second are not: (theta, d, a, alpha)."""
    plain = [row for row in rows if not isinstance(row, Mapping) and np.shape(row) == (4,)]
    if len(plain) < len(rows) or not rows:
        return
    try:
        second, fourth = np.array(plain, float)[:, [1, 3]].T
    except (TypeError, ValueError):
        return  # told with its row
    in_degrees = bool(np.abs(fourth).max() > 2.0 * math.pi)
    step = 90.0 if in_degrees else math.pi / 2
    quarter = [bool(np.isclose(np.mod(column, step), [[0.0], [step]], atol=1e-3).any(axis=0).all())
               for column in (second, fourth)]  # fmt: skip
    if quarter == [False, True] and fourth.any():
        raise ModelError(
            "the rows of the DH table look like (theta, d, a, alpha), as their last numbers are quarter turns; "
            f"say which they are: order='theta d a alpha', or order='{' '.join(ORDER)}'"
            + ("; and angles are radians here: math.radians(90) for 90 degrees" if in_degrees else "")
        )


def check_units(row: Mapping[str, Any], where: str) -> None:
    """Refuses angles beyond a whole turn: those are degrees."""
    for key in ("alpha", "theta", *(("offset",) if row["kind"] != "prismatic" else ())):
        if abs(row[key]) > 2.0 * math.pi + 1e-9:
            raise ModelError(
                f"{key} in {where} is {row[key]:g} rad, more than a whole turn; did you mean degrees? "
                f"math.radians({row[key]:g})"
            )


def _read_row(row: Row, i: int, names: Sequence[str]) -> dict[str, Any]:
    """A DH row as a full mapping of checked values."""
    where = f"row {i} of the DH table"
    if not isinstance(row, Mapping):
        try:
            values = list(row)
        except TypeError:
            raise ModelError(f"{where} is {brief(row)}; give {ROW_FORMS}") from None
        if not 3 <= len(values) <= 4 or (names != ORDER and len(values) != len(names)):
            raise ModelError(f"{where} has {counted(len(values), 'number')}; give {ROW_FORMS}")
        row = dict(zip(names, values, strict=False))
    check_keys(row, ROW_KEYS, where)
    full: dict[str, Any] = {"kind": "revolute", "limits": None, "name": f"joint{i}", "velocity": math.inf}
    full |= {**dict.fromkeys(NUMBERS, 0.0), **row}
    check_kind(full["kind"], where)
    for key in NUMBERS:
        full[key] = as_number(full[key], f"{key} in {where}", ModelError)
    check_units(full, where)
    if not isinstance(full["name"], str):
        raise ModelError(f"name in {where} is {brief(full['name'])}; it must be text")
    velocity = as_real(full["velocity"], f"velocity in {where}", ModelError)
    if velocity.shape != () or not velocity > 0.0:
        given = brief(full["velocity"])
        raise ModelError(f"velocity in {where} is {given}; it must be a number above 0, or be left out")
    return full | {"velocity": float(velocity)}


def check_keys(table: Iterable[str], keys: Collection[str], label: str) -> None:
    """Refuses a key that is none of those a table takes."""
    for key in table:
        if key not in keys:
            raise ModelError(f"{label} has the unknown key '{str(key)[:40]}'; {nearest_names(key, keys)}")


def check_kind(kind: Any, label: str) -> None:
    """Refuses a kind of joint that no chain is made of."""
    if kind not in KINDS:
        raise ModelError(f"{label} has kind '{kind}'; there are: {', '.join(KINDS)}")


def _settle_limits(row: dict[str, Any], where: str) -> None:
    """Checks a row's limits; a joint that turns and has none is continuous."""
    if row["limits"] is None:
        if row["kind"] == "prismatic":
            raise ModelError(f"joint '{row['name']}' is prismatic and has no limits; give it a stroke in metres")
        row["kind"], row["limits"] = "continuous", UNBOUNDED
        return
    row["limits"] = as_limits(row["limits"], row["name"], where, ModelError)
    refuse_limits(f"joint '{row['name']}' in {where}", row["kind"], row["limits"])
    hint_at_units_of_limits(row["name"], row["kind"], row["limits"])


def refuse_limits(label: str, kind: str, limits: Any) -> None:
    """Refuses limits of a continuous joint, which has none by its kind."""
    if kind == "continuous" and limits is not None and tuple(limits) != UNBOUNDED:
        raise ModelError(f"{label} is continuous but has limits; make it revolute, or remove the limits")


def _joint(row: Mapping[str, Any], convention: str) -> Joint:
    """The joint of one row: what stands in front of it, its motion, what stands behind."""
    twist = translation(row["a"], 0.0, 0.0) @ rotation_about(X, row["alpha"])
    still = rotation_about(Z, row["theta"]) @ translation(0.0, 0.0, row["d"])
    in_front, behind = (still, twist) if convention == "standard" else (twist @ still, np.eye(4))
    return Joint(
        name=row["name"],
        kind=row["kind"],
        origin=in_front,
        limits=row["limits"],
        velocity=row["velocity"],
        zero=-row["offset"],
        behind=behind,
    )
