"""Reads the way-points of a path from a CSV or JSON file.

CSV: one way-point a row. With a header: `x,y,z` and then `qw,qx,qy,qz`, `roll,pitch,yaw`, or
`dx,dy,dz` (where the tool's z axis points), or nothing (a point alone). Without those names, 12 or
16 columns are a matrix row by row. A column `time` may stand anywhere. Without a header: 3 numbers
(a point), 12 or 16.

JSON: a list of 4x4 matrices, or of objects with `matrix`, or `xyz` and one of `quat_wxyz`,
`quat_xyzw`, `rpy`, `direction`; each may have a `time`.
"""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

from forearm.common.checks import as_floats, brief
from forearm.common.files import read_file
from forearm.common.types import Floats
from forearm.common.units import Units
from forearm.errors import ModelError, OptionError, TargetError, counted, within
from forearm.targets.target import PointAxis, Pose, Position, Target

FILE_BYTES = 256 * 1024 * 1024  # some million way-points
POINT = ("x", "y", "z")
# what may follow a point in a header, and the key it has in JSON
ROTATIONS = {("qw", "qx", "qy", "qz"): "quat_wxyz", ("roll", "pitch", "yaw"): "rpy", ("dx", "dy", "dz"): "direction"}
KEYS = ("matrix", "xyz", "quat_wxyz", "quat_xyzw", "rpy", "direction", "time")
MATRIX_COLUMNS = (12, 16)

Tolerance = tuple[float, float]


def read_waypoints(path: Path, tol: Tolerance, units: Units) -> tuple[list[Target], Floats | None]:
    """The targets of a file, and their times [s] if it has them."""
    try:
        text = read_file(path, "way-point", FILE_BYTES).decode("utf-8-sig")
    except ModelError as problem:
        raise OptionError(str(problem)) from None
    except UnicodeDecodeError:
        raise OptionError(f"'{path}' is not text; way-points are CSV or JSON (forearm track --help)") from None
    rows = _json_rows(text, path) if path.suffix.lower() == ".json" else _csv_rows(text, path)
    if not rows:
        raise OptionError(f"'{path}' holds no way-points; give at least one (forearm track --help)")
    targets = [_target(row, i, tol, units) for i, row in enumerate(rows)]
    timed = sum("time" in row for row in rows)
    if timed not in (0, len(rows)):
        raise OptionError(f"'{path}' gives a time for {timed} of {len(rows)} way-points; give it for all or for none")
    return targets, np.array([float(row["time"]) for row in rows]) if timed else None


def _json_rows(text: str, path: Path) -> list[dict[str, Any]]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise OptionError(f"'{path}' is not valid JSON: {problem}") from None
    if not isinstance(data, list):
        raise OptionError(f"'{path}' holds {brief(data)}; it takes a list of 4x4 matrices or of objects")
    rows = []
    for i, item in enumerate(data):
        row = item if isinstance(item, dict) else {"matrix": item}
        unknown = [key for key in row if key not in KEYS]
        if unknown:
            raise OptionError(f"way-point {i} has '{unknown[0]}'; its keys may be: {', '.join(KEYS)}")
        rows.append({key: _numbers(value, key, i) for key, value in row.items()})
    return rows


def _numbers(value: Any, key: str, i: int) -> Floats:
    return as_floats(value, f"{key} of way-point {i}", OptionError)


def _csv_rows(text: str, path: Path) -> list[dict[str, Any]]:
    lines = [line for line in csv.reader(text.splitlines()) if any(cell.strip() for cell in line)]
    if not lines:
        return []
    names = [cell.strip().lower() for cell in lines[0]]
    header = not all(_is_number(name) for name in names)
    columns = _columns(names if header else None, len(names), path)
    rows = []
    for i, line in enumerate(lines[1:] if header else lines):
        if len(line) != len(names):
            raise OptionError(
                f"way-point {i} in '{path}' has {counted(len(line), 'column')}; the first row has {len(names)}"
            )
        if not all(_is_number(cell) for cell in line):
            raise OptionError(f"way-point {i} in '{path}' has something else than numbers; each cell takes one")
        values = np.array([float(cell) for cell in line])
        rows.append({key: values[places] if key != "time" else values[places[0]] for key, places in columns.items()})
    return rows


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _columns(names: list[str] | None, count: int, path: Path) -> dict[str, list[int]]:
    """Which columns hold what."""
    if names is None:
        keys = {3: "xyz"} | dict.fromkeys(MATRIX_COLUMNS, "matrix")
        if count not in keys:
            raise OptionError(
                f"'{path}' has {counted(count, 'column')} and no header; without one it takes 3 (a point), 12 or 16 "
                "(a matrix); with a header: x,y,z,qw,qx,qy,qz or x,y,z,roll,pitch,yaw or x,y,z,dx,dy,dz"
            )
        return {keys[count]: list(range(count))}
    time = [k for k, name in enumerate(names) if name == "time"][:1]
    others = [k for k in range(count) if k not in time]
    columns = {"time": time} if time else {}
    if len(others) in MATRIX_COLUMNS:
        return columns | {"matrix": others}
    for rotation in ((), *ROTATIONS):
        if sorted(names[k] for k in others) == sorted((*POINT, *rotation)):
            found = {"xyz": [names.index(name) for name in POINT]}
            turn = {ROTATIONS[rotation]: [names.index(name) for name in rotation]} if rotation else {}
            return columns | found | turn
    raise OptionError(
        f"'{path}' has the header {', '.join(names)}; it takes x,y,z alone or with qw,qx,qy,qz, with roll,pitch,yaw, "
        "with dx,dy,dz, or 12 or 16 columns of a matrix; and time"
    )


def _target(row: dict[str, Any], i: int, tol: Tolerance, units: Units) -> Target:
    """The target that a way-point's keys describe together."""
    keys = sorted(set(row) - {"time"})
    try:
        if keys == ["matrix"]:
            return Pose(_matrix(row["matrix"], i, units), tol=tol)
        if keys == ["xyz"]:
            return Position(units.read_lengths(row["xyz"]), tol=tol[0])
        if len(keys) == 2 and "xyz" in keys and "matrix" not in keys:
            xyz, (other,) = units.read_lengths(row["xyz"]), (key for key in keys if key != "xyz")
            if other == "direction":
                return PointAxis(xyz, row[other], tol=tol)
            return Pose(xyz, **{other: units.read_angles(row[other]) if other == "rpy" else row[other]}, tol=tol)
    except TargetError as problem:
        raise TargetError(within(f"way-point {i}", problem)) from None
    raise OptionError(
        f"way-point {i} has {', '.join(keys) or 'nothing'}; it takes matrix, or xyz alone or with one of: "
        "quat_wxyz, quat_xyzw, rpy, direction"
    )


def _matrix(values: Floats, i: int, units: Units) -> Floats:
    if values.size not in MATRIX_COLUMNS:
        raise OptionError(f"matrix of way-point {i} has {values.size} numbers; it takes 16, or the first 12")
    T = np.vstack([values.reshape(-1)[:12].reshape(3, 4), [0.0, 0.0, 0.0, 1.0]])
    if values.size == 16:
        T[3] = values.reshape(-1)[12:]
    T[:3, 3] = units.read_lengths(T[:3, 3].tolist())
    return T
