"""A robot from a TOML data file, written like those of the catalog.

The file says what the robot is called, where its numbers come from, and has one row per joint, in
DH parameters or as a URDF writes them. Keys say their unit (`alpha_deg`, `limits_m`); what has no
ending is in metres, and `rpy` in radians. A joint without limits is continuous. `home` is where it stands
in a posture to begin with. `visuals` say what the robot looks like, in the frames of its table:
`{ joint = "elbow", cylinder = [[0, 0, 0], [0, 0, 0.1]], radius = 0.05, colour = "#rrggbb" }` moves with
the elbow; without a joint it belongs to the base. There are cylinders (with two radii: cones) and capsules from
a point to another, spheres about a point, boxes of a size about one.
"""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import LARGEST, as_limits, as_unit, brief
from forearm.common.files import as_path, parse_toml, read_file
from forearm.common.transforms import from_rpy, translation
from forearm.common.types import Floats
from forearm.errors import ModelError, nearest_names
from forearm.models.cut import cut
from forearm.models.dh import CONVENTIONS as DH_CONVENTIONS
from forearm.models.dh import check_keys, check_kind, read_joints, refuse_limits
from forearm.models.mechanism import UNBOUNDED, Joint, LinkShape, Site, check_joints, serial
from forearm.models.model import Model

Table = Mapping[str, Any]

CONVENTIONS = (*DH_CONVENTIONS, "urdf")
TEXT_KEYS = ("name", "description", "source", "note", "convention")
FILE_KEYS = (*TEXT_KEYS, "aliases", "joints", "base", "flange", "visuals")
FRAME_KEYS = ("name", "xyz", "rpy", "rpy_deg")
MOTIONS = ("limits", "velocity", "home")
MOTION_KEYS = ("name", "kind", *(f"{key}_{unit}" for key in MOTIONS for unit in ("deg", "rad", "m")))
ANGLE_KEYS = tuple(f"{key}_{unit}" for key in ("alpha", "theta", "offset") for unit in ("deg", "rad"))
DH_KEYS = ("a", "d", *ANGLE_KEYS, "offset_m", *MOTION_KEYS)
URDF_KEYS = ("xyz", "rpy", "rpy_deg", "axis", *MOTION_KEYS)

# How many numbers a quantity has; one where it is not named here.
LENGTHS = {"limits": 2, "xyz": 3, "rpy": 3, "axis": 3}
# What moves with the joint and so has the joint's own unit: metres if it slides, else angles.
JOINT_QUANTITIES = (*MOTIONS, "offset")
VISUAL_KEYS = {  # by the kind of shape that is seen
    "cylinder": ("joint", "cylinder", "radius", "colour"),
    "capsule": ("joint", "capsule", "radius", "colour"),
    "sphere": ("joint", "sphere", "radius", "colour"),
    "box": ("joint", "box", "size", "rpy_deg", "colour"),
}
MAX_VISUALS = 1000


@dataclass(frozen=True)
class Entry:
    """A data file as read: checked keys, values in metres and radians."""

    where: str
    name: str
    description: str
    source: str
    note: str
    convention: str
    aliases: tuple[str, ...]
    joints: tuple[dict[str, Any], ...]
    base: dict[str, Any]
    flange: dict[str, Any]
    visuals: tuple[LinkShape, ...] = ()


def from_toml(path: str | Path, *, tool: ArrayLike | None = None) -> Model:
    """The model of a robot in a data file of one's own, written like those of the catalog.

    Args:
        path: Path of the TOML file.
        tool: (4, 4) pose of the tool in the tip's frame.
    """
    file = as_path(path, "robot file", ModelError)
    model = model_of(read_entry(read_file(file, "TOML"), file.name))
    return model if tool is None else model.with_tool(tool)


def slug_of(name: str) -> str:
    """A name as the catalog compares it: lower case, `-` for blanks and `_`."""
    if not isinstance(name, str):
        raise ModelError(f"a robot's name is text, not {type(name).__name__}; list_robots() gives the names")
    return re.sub(r"[_\s]", "-", name.strip()).casefold()


def refuse_scene(table: Table, where: str) -> None:
    """Refuses a file of obstacles, which has tables of shapes alone, in the place of a robot's."""
    lists = [
        key for key, rows in table.items() if isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    ]
    if table and len(lists) == len(table) and not {*lists} & {*FILE_KEYS}:
        raise ModelError(
            f"{where} has no joints, but tables of {', '.join(lists)[:60]}: it seems to be a scene of obstacles, not a "
            "robot; {scene}",
            scene="give it to a robot's solve, as obstacles=fa.scenes.read_world(path)",
        )


def read_entry(data: bytes, where: str) -> Entry:
    """The checked content of a data file."""
    table: Table = parse_toml(data, where, ModelError)
    refuse_scene(table, where)
    check_keys(table, FILE_KEYS, where)
    texts = {key: _text(table.get(key, ""), key, where) for key in TEXT_KEYS}
    if not texts["name"]:
        raise ModelError(f'{where} has no name; add a line such as name = "my-arm"')
    if texts["convention"] not in CONVENTIONS:
        raise ModelError(f"{where} has convention '{texts['convention']}'; there are: {', '.join(CONVENTIONS)}")
    rows = _list(table, "joints", where)
    if not rows:
        raise ModelError(f"{where} has no joints; add joints = [{{ ... }}] with a row for each joint")
    check_joints(len(rows), where)
    keys = URDF_KEYS if texts["convention"] == "urdf" else DH_KEYS
    joints = tuple(_read_joint(row, keys, i, where) for i, row in enumerate(rows))
    seen = _list(table, "visuals", where)
    if len(seen) > MAX_VISUALS:
        raise ModelError(f"{where} has {len(seen):,} visuals; at most {MAX_VISUALS:,} are read")
    names = [joint["name"] for joint in joints]
    return Entry(
        where=where,
        **texts,
        aliases=tuple(slug_of(_text(alias, "an alias", where)) for alias in _list(table, "aliases", where)),
        joints=joints,
        base=_read_table(table.get("base", {}), FRAME_KEYS, f"[base] in {where}"),
        flange=_read_table(table.get("flange", {}), FRAME_KEYS, f"[flange] in {where}"),
        visuals=tuple(_read_visual(row, names, f"visual {i} in {where}") for i, row in enumerate(seen)),
    )


def _read_joint(row: Any, keys: Collection[str], i: int, where: str) -> dict[str, Any]:
    """A joint's row with its kind settled: without limits it is continuous."""
    label = f"joint {i} in {where}"
    joint = {"name": f"joint{i}"} | _read_table(row, keys, label)
    kind = joint.setdefault("kind", "revolute" if "limits" in joint else "continuous")
    check_kind(kind, label)
    if "axis" in keys and "axis" not in joint:
        raise ModelError(f"{label} has no axis; add the axis it turns about, as in axis = [0, 0, 1]")
    _check_units(row, kind, label)
    limits = joint.get("limits")
    refuse_limits(label, kind, limits)
    if kind != "continuous" and limits is None:
        raise ModelError(f"{label} is {kind} and has no limits; add them, or for a turning joint remove its kind")
    if limits is not None:
        as_limits(limits, joint["name"], where, ModelError)
    if "home" in joint and limits is not None and not limits[0] <= joint["home"] <= limits[1]:
        degrees = "; did you mean degrees? home_deg takes them" if _looks_like_degrees(joint, kind) else ""
        raise ModelError(
            f"{label} has home {joint['home']:g}, outside its limits {limits[0]:g} to {limits[1]:g}; move it inside"
            + degrees
        )
    if joint.get("velocity", math.inf) <= 0.0:
        raise ModelError(f"{label} has velocity {joint['velocity']:g}; it must be above 0, or be left out")
    return joint


def _looks_like_degrees(joint: dict[str, Any], kind: str) -> bool:
    """Whether a joint turns more than once to its home."""
    return kind != "prismatic" and abs(joint["home"]) > 2.0 * math.pi


def _read_visual(row: Any, joints: Collection[str], label: str) -> LinkShape:
    """What is seen of a link, which goes by the name of the joint that moves it."""
    kind = next((key for key in VISUAL_KEYS if isinstance(row, dict) and key in row), None)
    if kind is None:
        raise ModelError(f"{label} is {_seen(row)!r}; it must be a table with one of: {', '.join(VISUAL_KEYS)}")
    check_keys(row, VISUAL_KEYS[kind], label)
    joint, colour = (_text(row.get(key, ""), key, label) for key in ("joint", "colour"))
    if joint and joint not in joints:
        raise ModelError(f"{label} moves with joint '{joint}'; {nearest_names(joint, joints)}")
    if colour and not re.fullmatch("#[0-9a-fA-F]{6}", colour):
        raise ModelError(f'{label} has colour {_seen(colour)!r}; it is written colour = "#rrggbb"')
    shape = partial(LinkShape, joint, -1, colour=colour or None)
    if kind in ("sphere", "box"):
        T = translation(*_numbers(row[kind], 3, f"{kind} of {label}"))
        if kind == "sphere":
            return shape(T, kind, _sizes(row, "radius", (1,), label))
        turn = from_rpy(*(math.radians(v) for v in _numbers(row.get("rpy_deg", [0, 0, 0]), 3, f"rpy_deg of {label}")))
        return shape(T @ turn, kind, _sizes(row, "size", (3,), label))
    ends = row[kind] if isinstance(row[kind], list) and len(row[kind]) == 2 else [None, None]
    start, end = (_numbers(point, 3, f"each end of the {kind} of {label}") for point in ends)
    if not math.dist(start, end) > 0.0:
        raise ModelError(f"{label} is a {kind} whose ends are one point; move them apart, or make it a sphere")
    radius, *other = _sizes(row, "radius", (1, 2) if kind == "cylinder" else (1,), label)
    return shape(_between(start, end), "cone" if other else kind, (radius, math.dist(start, end), *other))


def _sizes(row: Table, key: str, counts: tuple[int, ...], label: str) -> tuple[float, ...]:
    """So many positive lengths of a shape."""
    given = row.get(key)
    values = given if isinstance(given, list) else [given]
    if len(values) not in counts or given is None:
        raise ModelError(f"{key} of {label} is {_seen(given)}; it takes {' or '.join(map(str, counts))} number(s)")
    sizes = _numbers(values, len(values), f"{key} of {label}")
    if min(sizes) <= 0.0:
        raise ModelError(f"{key} of {label} is {_seen(given)}; lengths are above 0")
    return sizes


def _between(start: tuple[float, ...], end: tuple[float, ...]) -> Floats:
    """(4, 4) a frame half-way between two points, its z axis from the first to the second: by the shortest turn.

    In plain numbers: a robot is loaded in a millisecond, and has dozens of these.
    """
    length = math.dist(start, end)
    x, y, z = ((b - a) / length for a, b in zip(start, end, strict=True))
    a, b, c = (0.5 * (p + q) for p, q in zip(start, end, strict=True))
    if z < -1.0 + 1e-12:  # straight down: half a turn about x
        return np.array([[1.0, 0.0, 0.0, a], [0.0, -1.0, 0.0, b], [0.0, 0.0, -1.0, c], [0.0, 0.0, 0.0, 1.0]])
    k = 1.0 / (1.0 + z)
    rows = [[1.0 - k * x * x, -k * x * y, x, a], [-k * x * y, 1.0 - k * y * y, y, b], [-x, -y, z, c]]
    return np.array([*rows, [0.0, 0.0, 0.0, 1.0]])


def _numbers(value: Any, count: int, what: str) -> tuple[float, ...]:
    """So many numbers of a list, as they are."""
    if not (isinstance(value, list) and len(value) == count):
        raise ModelError(f"{what} is {_seen(value)}; it takes a list of {count} numbers")
    return tuple(_number(each, "", what) for each in value)


def _check_units(row: Table, kind: str, label: str) -> None:
    """Refuses metres for a joint that turns, and angles for one that slides."""
    for key in row:
        quantity, _, unit = key.partition("_")
        if quantity in JOINT_QUANTITIES and (unit == "m") != (kind == "prismatic"):
            fitting = "_m" if kind == "prismatic" else "_deg"
            raise ModelError(f"{label} has {key} but is {kind}; write {quantity}{fitting}, or set another kind")


def _read_table(table: Any, keys: Collection[str], label: str) -> dict[str, Any]:
    """A table's values by quantity, without the units' endings, in metres and radians."""
    if not isinstance(table, dict):
        raise ModelError(f"{label} is {_seen(table)!r}; it must be a table of keys and values")
    check_keys(table, keys, label)
    result: dict[str, Any] = {}
    for key, value in table.items():
        quantity, _, unit = key.partition("_")
        if quantity in result:
            raise ModelError(f"{label} gives {quantity} twice, in two units; keep one of them")
        what, length = f"{key} of {label}", LENGTHS.get(quantity)
        if quantity in ("name", "kind"):
            result[quantity] = _text(value, key, label)
        elif length is None:
            result[quantity] = _number(value, unit, what)
        else:
            numbers = _numbers(value, length, what)
            result[quantity] = tuple(map(math.radians, numbers)) if unit == "deg" else numbers
    return result


def _number(value: Any, unit: str, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ModelError(f"{what} has {_seen(value)!r}, which is not a number")
    if not abs(value) < LARGEST:  # metres or degrees; this also keeps out infinity and NaN
        raise ModelError(f"{what} has {_seen(value)}; it must be below {LARGEST:g} (a continuous joint has no limits)")
    return math.radians(value) if unit == "deg" else float(value)


def _seen(value: Any) -> str:
    """A wrong value as messages show it."""
    try:
        return str(value)[:40]
    except ValueError:  # a whole number of more digits than Python writes
        return brief(value)


def _text(value: Any, key: str, label: str) -> str:
    if not isinstance(value, str):
        raise ModelError(f"{key} of {label} is {_seen(value)}; it must be text in quotes")
    return value


def _list(table: Table, key: str, where: str) -> list[Any]:
    value = table.get(key, [])
    if not isinstance(value, list):
        raise ModelError(f"{key} in {where} is {_seen(value)}; it must be a list in [ ]")
    return value


def model_of(entry: Entry) -> Model:
    """The model of an entry; its note says where the numbers come from and what to know."""
    if entry.convention == "urdf":
        joints = [_joint(row, entry.where) for row in entry.joints]
    else:
        rows = [{key: value for key, value in row.items() if key != "home"} for row in entry.joints]
        joints = read_joints(rows, entry.convention)
    last, flange = f"after {joints[-1].name}", _frame(entry.flange)
    mechanism = serial(
        joints,
        entry.base.get("name", "base"),
        _frame(entry.base),
        name=entry.name,
        where=entry.where,
        visuals=entry.visuals,
        sites=(Site(entry.flange.get("name", "tip"), last, flange),),
        note=". ".join(text.rstrip(".") for text in (entry.source, entry.note) if text),
    )
    # As a tool the flange is the last factor, where a site's own pose would be one of those that are folded.
    model = replace(cut(mechanism, tip=last, tool=flange), tip=mechanism.sites[0].name)
    homes = [row.get("home") for row in entry.joints]
    given = [0.0 if home is None else home for home in homes]
    return model if all(home is None for home in homes) else replace(model, home=np.clip(given, *model.limits))


def _joint(row: Table, where: str) -> Joint:
    x, y, z = as_unit(row["axis"], f"axis of joint '{row['name']}' in {where}", ModelError).tolist()
    return Joint(
        name=row["name"],
        kind=row["kind"],
        origin=_frame(row),
        axis=(x, y, z),
        limits=row.get("limits", UNBOUNDED),
        velocity=row.get("velocity", math.inf),
    )


def _frame(table: Table) -> Floats:
    """The pose of a frame given by xyz [m] and rpy [rad], as a URDF's origin."""
    zero = (0.0, 0.0, 0.0)
    return translation(*table.get("xyz", zero)) @ from_rpy(*table.get("rpy", zero))
