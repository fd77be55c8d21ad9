"""Robots by name, one data file each in `robots/`, and planar and snake chains of any length; or from any file."""

import difflib
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from numpy.typing import ArrayLike

from forearm.common.checks import as_mapping
from forearm.common.folders import folders_of
from forearm.errors import ModelError, OptionError, nearest_names
from forearm.models.cut import Dirs, Limits, Name, cut
from forearm.models.dh import from_dh
from forearm.models.mechanism import Mechanism
from forearm.models.mjcf import check_bodies, read_mjcf
from forearm.models.model import Model
from forearm.models.toml import Entry, from_toml, model_of, read_entry, slug_of
from forearm.models.urdf import read_urdf
from forearm.models.xacro import read_xacro
from forearm.models.xml import read_text, root_tag

ROBOTS = Path(__file__).with_name("robots")
FAMILIES = {
    "planar": "N parallel joints in a plane, links of 0.1 m, 1 to 1000 joints",
    "snake": "N joints about z and y in turn, links of 0.1 m, 1 to 1000 joints",
}
FAMILY_SOURCE = "made by forearm"
FAMILY_LIMITS = {"planar": math.pi, "snake": math.radians(120)}
LINK_LENGTH = 0.1  # [m]
MAX_JOINTS = 1000
FILE_ENDINGS = (".urdf", ".xacro", ".xml", ".mjcf", ".toml")
CLIP_ENDINGS = (".bvh", ".gltf", ".glb")
LIKE_A_FILE = re.compile(r"[/\\]|\.[A-Za-z]\w{0,9}$")  # a folder's mark, or an ending; names have neither
ALIKE = 0.7  # share of letters from which on a file counts as the one that was meant


class RobotRow(NamedTuple):
    """A line in the table of robots: `joints` is a pattern such as 6R or RRPR."""

    name: str
    description: str
    joints: str
    source: str


def load(
    name: str | Path,
    *,
    base: Name = None,
    tip: Name = None,
    tool: ArrayLike | None = None,
    limits: Limits = None,
    args: Mapping[str, str] | None = None,
    folders: Dirs = (),
) -> Model:
    """The model of a robot in the catalog, or of one in a file.

    Args:
        name: As in `list_robots()`, or an alias; capitals do not matter, and `_` and space are
            as good as `-`. `planar-N` and `snake-N` take any N from 1 to 1000. Or the path of a
            URDF, xacro, MJCF or TOML file.
        base: Of a URDF, xacro or MJCF: link in whose frame poses are given; the root link by default.
        tip: Of these: link to bring to the target; may be left out if a single leaf moves and no gripper moves it.
        tool: (4, 4) pose of the tool in the tip's frame.
        limits: Limits by joint name that replace those of the robot.
        args: Values of a xacro's `<xacro:arg>`.
        folders: Further folders from which a file may include files and read meshes, beside its own.
    """
    of_file = {"base": base, "tip": tip, "args": args, "folders": folders}
    text = os.fspath(name) if isinstance(name, (str, Path)) else name
    if isinstance(text, str):
        refuse_missing_file(text)
        if is_file(text) and not text.lower().endswith(".toml"):
            given = as_mapping(args, "args", "argument name to value", ModelError)
            return cut(read_file(Path(text), given, folders), base=base, tip=tip, tool=tool, limits=limits)
    wrong = [word for word, value in of_file.items() if value]
    if wrong:
        raise ModelError(f"{wrong[0]} works only with a URDF, xacro or MJCF file; '{name}' is not one")
    model = from_toml(text) if isinstance(text, str) and is_file(text) else _by_name(slug_of(text))
    model = model if limits is None else model.with_limits(limits)
    return model if tool is None else model.with_tool(tool)


def _by_name(slug: str) -> Model:
    family, _, count = slug.partition("-")
    return _family_model(family, count) if family in FAMILIES and count else model_of(_find_entry(slug))


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


# -- files ---------------------------------------------------------------------------------------


def is_file(text: str) -> bool:
    """Whether a text is meant as a file, not as a name of the catalog."""
    return text.lower().endswith(FILE_ENDINGS) or os.path.isfile(text)  # unlike Path's, never raises


def refuse_missing_file(text: str) -> None:
    """Refuses what is written as a file and is none: a misspelt path is no misspelt name of the catalog."""
    path = Path(text)
    if not LIKE_A_FILE.search(text) or os.path.isfile(text):
        return
    try:
        beside = [name for name in os.listdir(path.parent) if name.lower().endswith(FILE_ENDINGS)]
    except (OSError, ValueError):  # no such folder, or what can be none
        beside = []
    near = difflib.get_close_matches(path.name, beside, 1, ALIKE)
    if near or not is_file(text):  # else its reader says what kind of file is missing
        remedy = f"did you mean {path.with_name(near[0])}?" if near else "check the path"
        raise ModelError(f"there is no file '{text}'; {remedy}")


def read_file(path: Path, args: Mapping[str, str], folders: Dirs = ()) -> Mechanism:
    """The mechanism of a URDF, xacro or MJCF: what it opens with tells."""
    if path.suffix.lower() in CLIP_ENDINGS:
        raise ModelError(f"'{path}' is a motion, not a robot; {{read_clip}} reads it", read_clip="fa.Clip.read(path)")
    data, where = read_text(path, {".xacro": "xacro", ".mjcf": "MJCF"}.get(path.suffix.lower(), "URDF"))
    if root_tag(data) == "mujoco":
        if args:
            raise OptionError(f"{{argument}} goes with a xacro; {where} is an MJCF", argument="args")
        return check_bodies(read_mjcf(path, folders))
    if args or path.suffix.lower() == ".xacro":
        return read_xacro(path, args, folders)
    return read_urdf(data, where, folders_of(path.absolute(), folders), f"read from {where}")


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
        f"robot '{slug[:60]}' is not in the catalog (to load a file, give its path); "
        f"{nearest_names(slug[:60], list_robots())}",
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
