"""What the columns of a file of targets mean: one grammar for every kind of file, one target a row.

| columns | target |
|---|---|
| x, y, z | a point |
| x, y, z, qw, qx, qy, qz | a pose, by a unit quaternion, scalar first |
| x, y, z, roll, pitch, yaw | a pose, fixed axes as in URDF |
| x, y, z, dx, dy, dz | a point, and where the tool's z axis points |
| m00, m01 ... m33 | a pose, its matrix row by row; the last row may be left out |
| q0_JOINT for each joint | where the search starts |
| time, or t or timestamp | when a path is there [s] |
| id | carried along as text |
| any other name | carried along as text |

A name may have its unit behind it, as in `x [mm]`, `roll (deg)` or `x_mm`. Without a header, 3 columns are a point; 12
or 16, with any other names or none, are a matrix.
"""

import difflib
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import brief
from forearm.common.transforms import rotations_from_quaternions, rotations_from_rpy
from forearm.common.types import Floats
from forearm.errors import OptionError, TargetError, counted
from forearm.targets.many import Targets, check_rigid, frames
from forearm.targets.rotations import WHOLE_TURN, check_turns, check_unit
from forearm.targets.target import PointAxis, Pose, Position

Columns = dict[str, NDArray[Any]]

POINT = ("x", "y", "z")
QUATERNION = ("qw", "qx", "qy", "qz")
ANGLES = ("roll", "pitch", "yaw")
DIRECTION = ("dx", "dy", "dz")
MATRIX = tuple(f"m{i}{k}" for i in range(4) for k in range(4))
KINDS: dict[str, tuple[str, ...]] = {
    "point": POINT,
    "quaternion": (*POINT, *QUATERNION),
    "rpy": (*POINT, *ANGLES),
    "axis": (*POINT, *DIRECTION),
    "matrix": MATRIX,
    "short matrix": MATRIX[:12],
}
LENGTHS = (*POINT, "m03", "m13", "m23")
KNOWN = frozenset(name for columns in KINDS.values() for name in columns)
STARTS, START = "q0", "q0_"  # one array of starts, or a column for each joint
TIME, ID = "time", "id"
SYNONYMS = {"t": TIME, "timestamp": TIME, "tx": "x", "ty": "y", "tz": "z"}  # what others call columns
TUM = (TIME, *POINT, "qx", "qy", "qz", "qw")  # of trajectories as the TUM benchmark has them
# How many of a unit make one of ours, by what a column holds.
OF_LENGTH = {"m": 1.0, "cm": 100.0, "mm": 1000.0}
OF_ANGLE = {"rad": 1.0, "deg": math.degrees(1.0)}
OF_TIME = {"s": 1.0, "ms": 1000.0}
# Names beside a point that turn the tip elsewhere: carried along, they would be lost as what they are.
TURNS = re.compile(
    r"(quat|rot|rpy|euler|orient|roll|pitch|yaw|axis|angle).*|[rqoaw]?[wxyzabc]|[qr]\d|phi|theta|psi|alpha|beta|gamma",
    re.IGNORECASE,
)
ALIKE = 0.8  # share of letters from which on a name counts as another one misspelt
OFF_RIGID = "off_rigid"  # how far a matrix was from the nearest rigid one
SOLVED = {"success", "status"}  # what a file of solutions has, whatever the number of its columns
MOST_NAMED = 6  # columns that a message lists
MAX_ID = 500  # characters: all ids of a block take up as much as the longest
ALLOWED = (
    "x, y, z alone or with qw, qx, qy, qz, with roll, pitch, yaw or with dx, dy, dz; or m00 ... m33, or 12 or 16 "
    "columns of a matrix; q0_JOINT; time; id; and others beside these"
)


def name_columns(header: Sequence[str]) -> tuple[str, ...]:
    """The columns' names as this grammar has them, without units; those of a matrix by their number."""
    names = [grammar_name(name) for name, _ in split_units(header)]
    given = set(names)
    names = [SYNONYMS.get(name, name) if SYNONYMS.get(name) not in given else name for name in names]
    places = [k for k, name in enumerate(names) if not is_beside(name)]
    rest = tuple(names[k] for k in places)
    if kind_among(rest) is None and not set(rest) >= SOLVED:
        unnamed = {len(MATRIX): MATRIX, 12: MATRIX[:12]} | ({} if any(names) else {3: POINT})
        for k, name in zip(places, unnamed.get(len(rest), rest), strict=True):
            names[k] = name
    return tuple(names)


def grammar_name(name: str) -> str:
    """A name of the grammar in small letters; any other as it is."""
    low = name.lower()
    return low if low in KNOWN or low in SYNONYMS or low in (TIME, ID) else name


def split_units(header: Sequence[str]) -> list[tuple[str, str]]:
    """Names and units of a header; `x_mm` is x in mm, unless a column x stands beside it."""
    plain = [split_unit(cell) for cell in header]
    given = {grammar_name(name) for name, _ in plain}
    found = []
    for name, unit in plain:
        column, tied, tail = name.rpartition("_")
        known = grammar_name(column)
        known = SYNONYMS.get(known, known)
        is_tied = bool(tied) and not unit and known not in given and tail in units_of(known)
        found.append((column, tail) if is_tied else (name, unit))
    return found


def units_of(name: str) -> dict[str, float]:
    """The units that a column of the grammar may have, but for starts; none for any other name."""
    return OF_LENGTH if name in LENGTHS else OF_ANGLE if name in ANGLES else OF_TIME if name == TIME else {}


def split_unit(cell: str) -> tuple[str, str]:
    """The name of a column of the grammar, and the unit behind it; of any other all of it."""
    name = cell.strip()
    opens = max(name.rfind("["), name.rfind("("))
    column, unit = name[: max(opens, 0)].rstrip(), name[opens + 1 : -1].strip()
    if not column or name[-1] not in "])" or len(unit.split()) != 1:
        return name, ""
    known = grammar_name(column)
    return (column, unit) if known in KNOWN or is_beside(SYNONYMS.get(known, known)) else (name, "")


def units_in(header: Sequence[str], path: Path) -> dict[str, float]:
    """How many of a column's unit make one of ours, for the columns whose header says it."""
    per: dict[str, float] = {}
    for cell, name, (_, unit) in zip(header, name_columns(header), split_units(header), strict=True):
        if not unit:
            continue
        units = OF_ANGLE | OF_LENGTH if is_start(name) else units_of(name)
        if unit not in units:
            takes = f"its unit may be: {', '.join(units)}" if units else "it has no unit"
            raise OptionError(f"'{path}' has the column {brief(cell.strip())}; {takes}")
        per[name] = units[unit]
    return per


def per_start(names: Iterable[str], per_joint: Mapping[str, float]) -> dict[str, float]:
    """The same of columns of starts, from that of each joint."""
    low = {f"{START}{joint}".lower(): per for joint, per in per_joint.items()}
    return {name: low[name.lower()] for name in names if name.lower() in low}


def kind_among(names: Sequence[str]) -> str | None:
    """The kind that those of these names that the grammar knows make; None if they make none."""
    given = sorted(name for name in names if name in KNOWN)
    return next((kind for kind, columns in KINDS.items() if given == sorted(columns)), None)


def extras_in(names: Iterable[str]) -> list[str]:
    """The columns that say nothing of the target, and are carried along."""
    return [name for name in names if name == ID or not (name in KNOWN or is_beside(name))]


def is_start(name: str) -> bool:
    """Whether a column holds starts."""
    return name == STARTS or name.lower().startswith(START)


def is_beside(name: str) -> bool:
    """Whether a column stands beside the target and describes no part of it."""
    return name in (TIME, ID) or is_start(name)


def kind_of(names: tuple[str, ...], path: Path) -> str:
    """What the columns of a file describe: a key of `KINDS`."""
    rest = [name for name in names if not is_beside(name)]
    for name, count in Counter(names).items():
        if name and count > 1:
            raise OptionError(f"'{path}' has the column {brief(name)} {count} times; it takes one of each")
    kind = kind_among(rest)
    if kind is not None and all(rest):
        refuse_near_misses([name for name in rest if name not in KNOWN], kind, path)
        return kind
    if not any(rest):
        raise OptionError(
            f"'{path}' has {counted(len(rest), 'column')} and no header; without one it takes 3 (a point), 12 or 16 "
            f"(a matrix); with a header: {ALLOWED}"
        )
    unknown = [name for name in rest if name not in KNOWN]
    if len(unknown) == len(rest):
        raise OptionError(
            f"'{path}' has no column of a target among {', '.join(map(brief, rest[:MOST_NAMED]))}; it takes {ALLOWED}"
        )
    fault = f"an unknown column {brief(unknown[0])}" if unknown else f"the columns {', '.join(rest)}"
    raise OptionError(f"'{path}' has {fault}; it takes {ALLOWED}")


def refuse_near_misses(extras: list[str], kind: str, path: Path) -> None:
    """Refuses columns that would be carried along, but look as if they said something of the target."""
    for name in extras:
        if name == OFF_RIGID:
            continue
        near = difflib.get_close_matches(name.lower()[:MAX_ID], [*KNOWN, TIME], 1, ALIKE)
        if near:
            raise OptionError(f"'{path}' has an unknown column {brief(name)}; did you mean {near[0]}? Else rename it")
        if kind == "point" and TURNS.fullmatch(name):
            raise OptionError(
                f"'{path}' has the column {brief(name)} beside x, y, z; if it turns the tip, give roll, pitch, yaw or "
                "qw, qx, qy, qz or dx, dy, dz; else rename it"
            )


def nearest_poses(columns: Columns, kind: str, first: int, path: Path) -> Columns:
    """The columns of matrices with the nearest rigid ones in their place, and how far these are as a column."""
    if kind not in ("matrix", "short matrix"):
        argument = {"argument": "nearest_rigid"}
        raise OptionError(f"{{argument}} is for matrices; '{path}' has {', '.join(KINDS[kind])}", **argument)
    names = [name for name in KINDS[kind][:12] if not name.endswith("3")]
    R = np.column_stack([columns[name] for name in names]).astype(np.float64).reshape(-1, 3, 3)
    refuse_missing(R.reshape(-1, 9), tuple(names), first, path)
    U, _, Vt = np.linalg.svd(R)
    nearest = U @ Vt
    off = np.abs(nearest - R).max(axis=(1, 2))
    for i in np.flatnonzero((off > MOST_OFF) | (np.linalg.det(nearest) < 0.0))[:1]:
        raise TargetError(
            f"'{path}', row {first + i}: the nearest rotation is off by {off[i]:.3g} in an entry, and may be by at "
            f"most {MOST_OFF:g}; what is farther away is no rounding: correct the matrix"
        )
    rigid = dict(zip(names, nearest.reshape(-1, 9).T, strict=True))
    return {name: rigid.get(name, column) for name, column in columns.items()} | {OFF_RIGID: off}


def targets_of(columns: Columns, kind: str, first: int, path: Path, tol: tuple[float, float]) -> Targets:
    """The targets of a block of rows in metres and radians, of which `first` is the first; a fault is named by row."""
    rows = np.column_stack([columns[name] for name in KINDS[kind]]).astype(np.float64)
    refuse_missing(rows, KINDS[kind], first, path)
    if kind == "point":
        return Position.many(rows, tol=tol[0])
    if kind == "axis":
        for i in np.flatnonzero(~rows[:, 3:].any(axis=1))[:1]:
            raise TargetError(f"'{path}', row {first + i}: {', '.join(DIRECTION)} are all 0; they must have a length")
        return PointAxis.many(rows[:, :3], rows[:, 3:], tol=tol)
    if kind == "quaternion":
        check_unit(rows[:, 3:], lambda i: f"'{path}', row {first + i}: {', '.join(QUATERNION)}")
        poses = frames(rotations_from_quaternions(rows[:, 3:]), rows[:, :3], len(rows))
    elif kind == "rpy":
        for i in np.flatnonzero((np.abs(rows[:, 3:]) > WHOLE_TURN).any(axis=1))[:1]:
            check_turns(rows[i, 3:], f"'{path}', row {first + i}: {', '.join(ANGLES)}")
        poses = frames(rotations_from_rpy(rows[:, 3:]), rows[:, :3], len(rows))
    else:
        poses = frames(count=len(rows))
        poses[:, : rows.shape[1] // 4] = rows.reshape(len(rows), -1, 4)
    check_rigid(poses, lambda i: f"'{path}', row {first + i}")
    return Pose.many(poses, tol=tol)


def as_texts(values: Iterable[Any], first: int, path: Path, name: str = ID) -> NDArray[np.str_]:
    """What is carried along of rows, of which `first` is the first, as text."""
    ids, name = [], ID if name == ID else f"column {brief(name)}"
    for i, value in enumerate(values):
        if isinstance(value, (list, dict)):
            raise OptionError(f"'{path}', row {first + i}: the {name} is {brief(value)}; it takes a text or a number")
        text = "" if value is None else str(value)
        if len(text) > MAX_ID:
            raise OptionError(
                f"'{path}', row {first + i}: the {name} has {len(text):,} characters; at most {MAX_ID} fit"
            )
        if not text.isascii() and text != text.encode("utf-8", "replace").decode():
            raise OptionError(f"'{path}', row {first + i}: the {name} {brief(text)} has half a character in it")
        ids.append(text)
    return np.array(ids, dtype=np.str_)


def check_starts(names: tuple[str, ...], joints: tuple[str, ...], path: Path) -> None:
    """Refuses starts of some joints only, or of others."""
    starts = [name for name in names if is_start(name) and name != STARTS]
    wanted = [START + joint for joint in joints]
    if starts and sorted(map(str.lower, starts)) != sorted(map(str.lower, wanted)):
        raise OptionError(
            f"'{path}' has the starts {brief(', '.join(starts))}; it takes all or none of: {', '.join(wanted)}"
        )


def starts_of(columns: Columns, joints: tuple[str, ...], first: int, path: Path) -> Floats | None:
    """(N, n) the starts of a block, or None."""
    names = tuple(START + joint for joint in joints)
    if STARTS in columns:
        starts = np.asarray(columns[STARTS], np.float64)
        if starts.ndim != 2 or starts.shape[1] != len(joints):
            raise OptionError(f"'{path}' has q0 of shape {starts.shape}; it takes (N, {len(joints)})")
    else:
        known = {name.lower(): name for name in columns} | {name: name for name in columns}
        found = [known.get(name, known.get(name.lower())) for name in names]
        if None in found:
            return None
        starts = np.column_stack([columns[str(name)] for name in found])
    refuse_missing(starts, names, first, path)
    return starts


def refuse_missing(rows: Floats, names: tuple[str, ...], first: int, path: Path) -> None:
    """Raises for the first number that is missing or not finite."""
    for i, k in np.argwhere(~np.isfinite(rows))[:1]:
        raise TargetError(f"'{path}', row {first + i}, column '{names[k]}': {rows[i, k]} is no finite number")


MOST_OFF = 0.01  # what an entry of a matrix may be off the nearest rigid one: two decimals round by half of that
