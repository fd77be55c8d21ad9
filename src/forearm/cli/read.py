"""Reads what the command line was given: robots, numbers, targets, options."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.arrays import as_rigid
from forearm.cli.units import Units
from forearm.errors import ModelError, OptionError, TargetError
from forearm.robot import Robot, load
from forearm.targets import DEFAULT_TOLERANCE, Orientation, PointAxis, Pose, Position, Target

Floats = NDArray[np.float64]

FILE_ENDINGS = (".urdf", ".xacro", ".xml", ".mjcf", ".toml")


def read_robot(text: str, base: str | None, tip: str | None) -> Robot:
    """A robot by catalog name or from a file."""
    path = Path(text)
    if not (text.lower().endswith(FILE_ENDINGS) or path.exists()):
        if base or tip:
            raise ModelError(f"--base and --tip go with a file; '{text}' is a name of the catalog")
        return load(text)
    if text.lower().endswith(".toml"):
        return Robot.from_toml(path)
    if text.lower().endswith(".xacro"):
        return Robot.from_xacro(path, base=base, tip=tip)
    loader = Robot.from_mjcf if _looks_like_mjcf(path) else Robot.from_urdf
    return loader(path, base=base, tip=tip)


def _looks_like_mjcf(path: Path) -> bool:
    """Whether a file opens as MuJoCo's XML does; unreadable files are left to the loader's words."""
    if not path.is_file():
        return path.suffix == ".mjcf"
    with path.open("rb") as file:
        return b"<mujoco" in file.read(4096)


def read_numbers(text: str, flag: str, count: int | None = None) -> list[float]:
    """Numbers separated by commas or blanks."""
    try:
        numbers = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise OptionError(f"{flag} is '{text}'; it takes numbers separated by commas or blanks") from None
    if count is not None and len(numbers) != count:
        raise OptionError(f"{flag} has {len(numbers)} numbers; it takes {count}")
    return numbers


def read_configuration(text: str | None, flag: str, robot: Robot, units: Units) -> Floats | None:
    """Joint values for a robot, or None if the flag was not given."""
    if text is None:
        return None
    numbers = read_numbers(text, flag)
    if len(numbers) != robot.n:
        names = ", ".join(robot.joint_names)
        raise OptionError(f"{flag} has {len(numbers)} numbers; {robot.name} has {robot.n} joints: {names}")
    return units.read_joints(numbers, robot.model.joint_kinds)


def read_pairs(items: list[str], flag: str) -> dict[str, str]:
    """`name=value` items."""
    pairs = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not (name and equals and value):
            raise OptionError(f"{flag} is '{item}'; it takes name=value")
        pairs[name] = value
    return pairs


def read_options(items: list[str]) -> dict[str, Any]:
    """Method options as numbers, whole where they are whole."""
    options: dict[str, Any] = {}
    for name, text in read_pairs(items, "--option").items():
        number = read_numbers(text, f"--option {name}", 1)[0]
        options[name] = int(number) if number.is_integer() else number
    return options


def read_locked(items: list[str], robot: Robot, units: Units) -> dict[str, float]:
    """Joints to hold still, in radians and metres."""
    locked = {}
    for name, text in read_pairs(items, "--lock").items():
        kind = robot.model.joint_kinds[robot.model.variable(name)]
        locked[name] = float(units.read_joints(read_numbers(text, "--lock", 1), [kind])[0])
    return locked


def read_target(flags: dict[str, str | None], tol: str | None, robot: Robot, units: Units) -> Target:
    """The target that the given flags describe together."""
    given = {name: text for name, text in flags.items() if text is not None}
    position_tol, rotation_tol = _read_tolerance(tol, units)
    both = {"tol": (position_tol, rotation_tol)}
    names = frozenset(given)
    if names == {"from-q"}:
        return Pose(robot.fk(_joints(given["from-q"], robot, units)), **both)
    if names == {"matrix"}:
        return Pose(_read_matrix(given["matrix"], units), **both)
    if names == {"xyz"}:
        return Position(_xyz(given, units), tol=position_tol)
    if names == {"xyz", "direction"}:
        return PointAxis(_xyz(given, units), read_numbers(given["direction"], "--direction", 3), **both)
    rotations = names & {"rpy", "quat-wxyz", "quat-xyzw"}
    if len(rotations) == 1 and names <= rotations | {"xyz"}:
        rotation = _rotation(next(iter(rotations)), given, units)
        if "xyz" in names:
            return Pose(_xyz(given, units), **rotation, **both)
        return Orientation(**rotation, tol=rotation_tol)
    raise TargetError(
        f"cannot make a target of {', '.join('--' + name for name in sorted(names)) or 'no flag'}; give one of: "
        "--xyz (a point), --xyz with --rpy, --quat-wxyz or --quat-xyzw (a pose), a rotation alone, "
        "--xyz with --direction (a point and where the tool's z axis points), --matrix, or --from-q"
    )


def _joints(text: str, robot: Robot, units: Units) -> Floats:
    q = read_configuration(text, "--from-q", robot, units)
    assert q is not None  # the flag was given
    return q


def _xyz(given: dict[str, str], units: Units) -> Floats:
    return units.read_lengths(read_numbers(given["xyz"], "--xyz", 3))


def _rotation(name: str, given: dict[str, str], units: Units) -> dict[str, Any]:
    if name == "rpy":
        return {"rpy": units.read_angles(read_numbers(given["rpy"], "--rpy", 3))}
    return {name.replace("-", "_"): read_numbers(given[name], f"--{name}", 4)}


def _read_tolerance(text: str | None, units: Units) -> tuple[float, float]:
    if text is None:
        return DEFAULT_TOLERANCE, DEFAULT_TOLERANCE
    position, rotation = read_numbers(text, "--tol", 2)
    return float(units.read_lengths([position])[0]), float(units.read_angles([rotation])[0])


def _read_matrix(text: str, units: Units) -> Floats:
    """A 4x4 from 16 numbers, row by row, or from a file that holds them."""
    path = Path(text)
    if len(text) < 256 and path.is_file():
        text = path.read_text(encoding="utf-8").translate(str.maketrans("[]", "  "))
    T = np.array(read_numbers(text, "--matrix", 16)).reshape(4, 4)
    T[:3, 3] = units.read_lengths(T[:3, 3].tolist())
    return as_rigid(T, "--matrix")
