"""Reads the robot that a command was given: a name of the catalog, or a file and the flags that go with it."""

import difflib
import os
import re
from pathlib import Path
from typing import NamedTuple

from forearm.cli.numbers import read_numbers, read_pairs
from forearm.common.folders import folders_of
from forearm.common.units import Units
from forearm.errors import ModelError, OptionError
from forearm.models.cut import cut
from forearm.models.mechanism import Mechanism
from forearm.models.mjcf import check_bodies, read_mjcf
from forearm.models.urdf import read_urdf
from forearm.models.xacro import read_xacro
from forearm.models.xml import read_text, root_tag
from forearm.robot import Robot, load

Text = str | None  # of a flag that may be left out
FILE_ENDINGS = (".urdf", ".xacro", ".xml", ".mjcf", ".toml")
CLIP_ENDINGS = (".bvh", ".gltf", ".glb")
LIKE_A_FILE = re.compile(r"[/\\]|\.[A-Za-z]\w{0,9}$")  # a folder's mark, or an ending; names have neither
ALIKE = 0.7  # share of letters from which on a file counts as the one that was meant


class FileFlags(NamedTuple):
    """What the flags say of a robot's file: its ends, what it may read, xacro arguments, limits of joints."""

    base: Text = None
    tip: Text = None
    folders: list[Path] = []  # noqa: RUF012 (never changed)
    args: list[str] = []  # noqa: RUF012
    limits: list[str] = []  # noqa: RUF012


def read_robot(text: str, flags: FileFlags, units: Units) -> Robot:
    """A robot by catalog name or from a file, whatever its format: what it opens with tells."""
    refuse_missing_file(text)
    if not is_file(text):
        if any(flags[:4]):
            raise ModelError(f"--base, --tip, --arg and --folder go with a file; '{text}' is a name of the catalog")
        robot = load(text)
    elif text.lower().endswith(".toml"):
        robot = Robot.from_toml(Path(text))
    else:
        mechanism = read_mechanism(Path(text), flags.folders, flags.args)
        limits = _limits_in_file(flags.limits, mechanism, units)
        robot = Robot(cut(mechanism, base=flags.base, tip=flags.tip, limits=limits))
    return robot.with_limits(read_limits(flags.limits, robot, units)) if flags.limits else robot


def is_file(text: str) -> bool:
    """Whether a command was given a file, not a name of the catalog."""
    return text.lower().endswith(FILE_ENDINGS) or os.path.exists(text)  # unlike Path's, never raises


def refuse_missing_file(text: str) -> None:
    """Refuses what is written as a file and is none: a misspelt path is no misspelt name of the catalog."""
    path = Path(text)
    if not LIKE_A_FILE.search(text) or os.path.exists(text):
        return
    try:
        beside = [name for name in os.listdir(path.parent) if name.lower().endswith(FILE_ENDINGS)]
    except (OSError, ValueError):  # no such folder, or what can be none
        beside = []
    near = difflib.get_close_matches(path.name, beside, 1, ALIKE)
    if near or not is_file(text):  # else its reader says what kind of file is missing
        remedy = f"did you mean {path.with_name(near[0])}?" if near else "check the path"
        raise ModelError(f"there is no file '{text}'; {remedy}")


def read_whole(text: str, folders: list[Path], args: list[str]) -> Mechanism:
    """The mechanism of an arm by catalog name, or of a file with all its tips."""
    refuse_missing_file(text)
    if is_file(text):
        return read_mechanism(Path(text), folders, args)
    if folders or args:
        raise ModelError(f"--arg and --folder go with a file; '{text}' is a name of the catalog")
    whole = load(text).model.mechanism
    assert whole is not None  # as every entry of the catalog has one
    return whole


def read_mechanism(path: Path, folders: list[Path], args: list[str]) -> Mechanism:
    """The mechanism of a URDF, xacro or MJCF."""
    if path.suffix.lower() in CLIP_ENDINGS:
        raise ModelError(f"'{path}' is a motion, not a robot; `forearm pose {path}` reads it")
    given = read_pairs(args, "--arg")
    data, where = read_text(path, {".xacro": "xacro", ".mjcf": "MJCF"}.get(path.suffix.lower(), "URDF"))
    if root_tag(data) == "mujoco":
        if given:
            raise OptionError(f"--arg goes with a xacro; {where} is an MJCF")
        return check_bodies(read_mjcf(path, folders))
    if given or path.suffix.lower() == ".xacro":
        return read_xacro(path, given, folders)
    return read_urdf(data, where, folders_of(path.absolute(), folders), f"read from {where}")


def _limits_in_file(items: list[str], mechanism: Mechanism, units: Units) -> dict[str, tuple[float, float]]:
    """Limits by joint name, in radians and metres, of the joints that the file has under these names."""
    limits = {}
    for name, text in read_pairs(items, "--limit", "joint=lower:upper").items():
        joint = mechanism.joint(name)
        if joint is not None:
            limits[name] = read_limit(name, text, joint.kind, units)
    return limits


def read_limits(items: list[str], robot: Robot, units: Units) -> dict[str, tuple[float, float]]:
    """Limits by joint name, in radians and metres."""
    pairs = read_pairs(items, "--limit", "joint=lower:upper")
    kinds = {name: robot.model.joint_kinds[robot.model.variable(name)] for name in pairs}
    return {name: read_limit(name, text, kinds[name], units) for name, text in pairs.items()}


def read_limit(name: str, text: str, kind: str, units: Units) -> tuple[float, float]:
    """The limits of one joint as `lower:upper`, in radians or metres."""
    bounds = read_numbers(text.replace(":", " "), f"--limit {name}")
    if len(bounds) != 2:
        raise OptionError(f"--limit is '{name}={text}'; it takes joint=lower:upper")
    lower, upper = units.read_joints(bounds, [kind, kind]).tolist()
    return lower, upper
