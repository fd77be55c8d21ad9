"""Reads the robot that a command was given: a name of the catalog, or a file and the flags that go with it."""

from pathlib import Path
from typing import NamedTuple

from forearm.cli.numbers import read_numbers, read_pairs
from forearm.common.units import Units
from forearm.errors import ModelError, OptionError
from forearm.models.catalog import is_file, read_file, refuse_missing_file
from forearm.models.cut import cut
from forearm.models.mechanism import Mechanism
from forearm.robot import Robot, load

Text = str | None  # of a flag that may be left out


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
    return read_file(path, read_pairs(args, "--arg"), folders)


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
