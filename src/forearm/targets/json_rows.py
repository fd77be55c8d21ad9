"""Targets in JSON: a list of 4x4 matrices, or of objects with `matrix`, or `xyz` and how the tip is turned.

Every pose becomes a matrix, however it is written, so that a list may hold poses of several forms.
"""

import difflib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import as_floats, as_vector, brief, refuse_switch
from forearm.common.files import read_file
from forearm.common.types import Floats
from forearm.errors import ModelError, OptionError, TargetError, within
from forearm.targets.columns import (
    ALIKE,
    DIRECTION,
    ID,
    KNOWN,
    MATRIX,
    MAX_ID,
    POINT,
    STARTS,
    TIME,
    TURNS,
    Columns,
    as_texts,
    extras_in,
    is_beside,
)
from forearm.targets.target import Pose

BYTES = 256 * 1024 * 1024  # some million targets
ROTATIONS = ("quat_wxyz", "quat_xyzw", "rpy")
KEYS = ("matrix", "xyz", *ROTATIONS, "direction", TIME, STARTS, ID)


def read_json(path: Path, per_radian: float) -> Columns:
    """The columns of a file; lengths as the file has them, angles gone into matrices."""
    try:
        text = read_file(path, "JSON", BYTES).decode("utf-8-sig")
        data = json.loads(text, object_pairs_hook=lambda pairs: once_each(pairs, path))
    except json.JSONDecodeError as problem:
        raise OptionError(f"'{path}' is not valid JSON: {problem}") from None
    except ModelError as problem:  # too long
        raise OptionError(str(problem)) from None
    if not isinstance(data, list):
        raise OptionError(f"'{path}' holds {brief(data)}; it takes a list of 4x4 matrices or of objects")
    rows = [json_row(item, f"'{path}', row {i}", per_radian) for i, item in enumerate(data)]
    extras = dict.fromkeys(name for row in rows for name in extras_in(row) if name != ID)
    for row in rows:
        row |= {name: row.get(name) for name in extras}
    for i, row in enumerate(rows):
        for name in sorted(row.keys() ^ rows[0].keys()):
            if not is_beside(name):
                raise OptionError(f"'{path}', row {i} is of another kind than row 0; all targets are of one kind")
            given = sum(name in other for other in rows)
            raise OptionError(f"'{path}' gives {name} for {given} of {len(rows)} rows; give it for all or for none")
    columns = {}
    for name in rows[0] if rows else ():
        values = [row[name] for row in rows]
        is_text = bool(extras_in([name]))
        columns[name] = as_texts(values, 0, path, name) if is_text else _stacked(values, name, path)
    return columns


def once_each(pairs: list[tuple[str, Any]], path: Path) -> dict[str, Any]:
    """An object of a file, none of whose keys stands there twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise OptionError(f"'{path}' has the key {brief(twice)} twice in one object; leave one of them out")
    return made


def _stacked(values: list[Any], name: str, path: Path) -> NDArray[Any]:
    """The values of all rows as one array."""
    shapes = [np.shape(value) for value in values]
    for i, shape in enumerate(shapes):
        if shape != shapes[0]:
            counts = " and ".join(str(math.prod(each)) for each in (shape, shapes[0]))
            raise OptionError(f"'{path}', row {i} and row 0 have {counts} numbers as {name}; give all as many")
    return np.array(values)


def json_row(item: Any, where: str, per_radian: float) -> dict[str, Any]:
    """The columns of one target."""
    given = item if isinstance(item, dict) else {"matrix": item}
    extras = {key: value for key, value in given.items() if key not in KEYS}
    alone = not {"matrix", "xyz"} & given.keys()  # then one of them may be meant
    for key in extras:
        alike = difflib.get_close_matches(key.lower()[:MAX_ID], KEYS, 1, ALIKE)
        if not key or alone or alike or is_beside(key) or key in KNOWN or TURNS.fullmatch(key):
            order = " (quat_wxyz if the scalar stands first, quat_xyzw if last)" if "quat" in key.lower() else ""
            may_be = f"{', '.join(KEYS)}, and others beside these{order}"
            raise OptionError(f"{where} has {brief(key)}; its keys may be: {may_be}")
    given = {key: value for key, value in given.items() if key in KEYS}
    for key, value in given.items():
        if key != ID:
            refuse_switch(value, f"{where}: {key}")
    values = {key: as_floats(value, f"{where}: {key}", OptionError) for key, value in given.items() if key != ID}
    beside: dict[str, Any] = extras | ({ID: given[ID]} if ID in given else {})
    for key, dimensions, takes in ((TIME, 0, "one number"), (STARTS, 1, "a list of numbers")):
        if key in values and values[key].ndim != dimensions:
            raise OptionError(f"{where}: {key} is {brief(given[key])}; it takes {takes}")
    beside |= {key: values.pop(key) for key in (TIME, STARTS) if key in values}
    return _columns(values, where, per_radian) | beside


def _columns(values: dict[str, Floats], where: str, per_radian: float) -> dict[str, float]:
    """A target by its keys: a matrix, a point, or a point and one rotation or direction."""
    keys = sorted(values)
    if keys == ["matrix"]:
        size = values["matrix"].size
        if size not in (12, 16):
            raise OptionError(f"{where}: matrix has {size} numbers; it takes 16, or the first 12")
        return _named(MATRIX, np.append(values["matrix"], [0.0, 0.0, 0.0, 1.0])[:16])
    if keys in (["xyz"], ["direction", "xyz"]):
        rows = [as_vector(values[key], f"{where}: {key}", 3) for key in reversed(keys)]
        return _named((*POINT, *DIRECTION)[: 3 * len(rows)], np.concatenate(rows))
    if len(keys) != 2 or "xyz" not in keys or not set(keys) & set(ROTATIONS):
        raise OptionError(
            f"{where} has {', '.join(keys) or 'nothing'}; it takes matrix, or xyz alone or with one of: "
            f"{', '.join(ROTATIONS)}, direction"
        )
    turn = {key: values[key] / per_radian if key == "rpy" else values[key] for key in keys if key != "xyz"}
    try:
        return _named(MATRIX, Pose(values["xyz"], **turn).goal.ravel())  # type: ignore[arg-type]
    except TargetError as problem:
        raise TargetError(within(where, problem)) from None


def _named(names: tuple[str, ...], values: Floats) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))
