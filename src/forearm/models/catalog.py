"""Robots by name: one data file each in `robots/`, and planar and snake chains of any length."""

import math
import re
from pathlib import Path
from typing import NamedTuple

from numpy.typing import ArrayLike

from forearm.errors import ModelError, nearest_names
from forearm.models.dh import from_dh
from forearm.models.model import Model
from forearm.models.toml import Entry, model_of, read_entry, slug_of

ROBOTS = Path(__file__).with_name("robots")
FAMILIES = {
    "planar": "N parallel joints in a plane, links of 0.1 m, 1 to 1000 joints",
    "snake": "N joints about z and y in turn, links of 0.1 m, 1 to 1000 joints",
}
FAMILY_SOURCE = "made by forearm"
FAMILY_LIMITS = {"planar": math.pi, "snake": math.radians(120)}
LINK_LENGTH = 0.1  # [m]
MAX_JOINTS = 1000


class RobotRow(NamedTuple):
    """A line in the table of robots: `joints` is a pattern such as 6R or RRPR."""

    name: str
    description: str
    joints: str
    source: str


def load(name: str, *, tool: ArrayLike | None = None) -> Model:
    """The model of a robot in the catalog.

    Args:
        name: As in `list_robots()`, or an alias; capitals do not matter, and `_` and space are
            as good as `-`. `planar-N` and `snake-N` take any N from 1 to 1000.
        tool: (4, 4) pose of the tool in the tip's frame.
    """
    slug = slug_of(name)
    family, _, count = slug.partition("-")
    model = _family_model(family, count) if family in FAMILIES and count else model_of(_find_entry(slug))
    return model if tool is None else model.with_tool(tool)


def list_robots() -> tuple[str, ...]:
    """The names `load` takes, in order; N stands for a number of joints."""
    return (*_data_names(), *(f"{family}-N" for family in FAMILIES))


def describe_robots() -> tuple[RobotRow, ...]:
    """Name, description, joint pattern and source of every robot, in the order of `list_robots`."""
    entries = [_read_data_file(name) for name in _data_names()]
    rows = [RobotRow(e.name, e.description, _pattern(e), e.source) for e in entries]
    made = [RobotRow(f"{family}-N", text, "NR", FAMILY_SOURCE) for family, text in FAMILIES.items()]
    return (*rows, *made)


def _pattern(entry: Entry) -> str:
    """The joints in letters: 6R if all are alike, else one letter each, as in RRPR."""
    letters = "".join("P" if row["kind"] == "prismatic" else "R" for row in entry.joints)
    return f"{len(letters)}{letters[0]}" if len(set(letters)) == 1 else letters


# -- finding a name ------------------------------------------------------------------------------


def _data_names() -> list[str]:
    """The names of the robots that have a data file, in order."""
    return sorted(file.stem for file in ROBOTS.glob("*.toml"))


def _read_data_file(name: str) -> Entry:
    file = ROBOTS / f"{name}.toml"
    return read_entry(file.read_bytes(), file.name)


def _find_entry(slug: str) -> Entry:
    """The catalog's entry with this name or alias."""
    names = _data_names()
    if slug in names:
        return _read_data_file(slug)
    for entry in map(_read_data_file, names):
        if slug in entry.aliases:
            return entry
    raise ModelError(
        f"robot '{slug[:60]}' is not in the catalog (to load a file, {{by_path}}); "
        f"{nearest_names(slug[:60], list_robots())}",
        by_path="use Robot.from_urdf(path) or Robot.from_toml(path)",
    )


# -- chains of any length ------------------------------------------------------------------------


def _family_model(family: str, count: str) -> Model:
    """A chain along x whose tip frame at zero is parallel to the base."""
    if not re.fullmatch(r"[0-9]{1,4}", count) or not 1 <= int(count) <= MAX_JOINTS:
        raise ModelError(
            f"robot '{family}-{count[:20]}' is unknown; {family}-N takes a whole number of joints "
            f"from 1 to {MAX_JOINTS}, as in {family}-5"
        )
    twists = [0.0] * int(count)
    if family == "snake":  # its odd joints turn about y, and its tip turns back
        twists = [math.pi / 2 if i % 2 == 1 else -math.pi / 2 for i in range(int(count))]
        twists[-1] = max(twists[-1], 0.0)
    limit = FAMILY_LIMITS[family]
    rows = [{"a": LINK_LENGTH, "alpha": twist, "limits": (-limit, limit)} for twist in twists]
    return from_dh(rows, name=f"{family}-{len(rows)}", note=f"{FAMILY_SOURCE}: {FAMILIES[family]}")
