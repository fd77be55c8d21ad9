"""Reads what the command line was given: robots, numbers, targets, options."""

import os
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from forearm.arm.configurations import inside_by_a_hair, refuse_start
from forearm.arm.worlds import read_world
from forearm.cli.numbers import parse_numbers, read_numbers, read_pairs
from forearm.cli.robots import FileFlags, read_robot
from forearm.common.checks import as_rigid, brief
from forearm.common.files import read_file
from forearm.common.transforms import from_rpy, translation
from forearm.common.types import Floats
from forearm.common.units import Units
from forearm.core.arm.goal import NONE, find_outside
from forearm.errors import ModelError, OptionError, TargetError, counted
from forearm.robot import Robot
from forearm.solve.methods.options import make_options
from forearm.solve.methods.table import find_method
from forearm.targets.columns import MATRIX, nearest_poses
from forearm.targets.files import off_rigid, tell_off_rigid
from forearm.targets.target import DEFAULT_TOLERANCE, Orientation, PointAxis, Pose, Position, Target

Text = str | None  # of a flag that may be left out
PICTURE_ENDINGS = (".png", ".pdf", ".svg", ".jpg")
ROTATIONS = {"rpy", "quat_wxyz", "quat_xyzw"}

MATRIX_BYTES = 64 * 1024  # 16 numbers take far less, however they are written


def read_tool(text: Text, robot: Robot, units: Units) -> Robot:
    """The robot with the tool of `--tool`, or as it is if the flag was not given."""
    if text is None:
        return robot
    numbers = read_numbers(text, "--tool")
    if len(numbers) not in (3, 6):
        given = counted(len(numbers), "number")
        raise OptionError(f"--tool has {given}; it takes 3 (x, y, z) or 6 (x, y, z, roll, pitch, yaw)")
    rpy = units.read_angles(numbers[3:] or [0.0, 0.0, 0.0])
    return robot.with_tool(translation(*units.read_lengths(numbers[:3])) @ from_rpy(*rpy))


class GuardFlags(NamedTuple):
    """What to keep away from: a scene, at which distance, how thick links are, whether from the arm itself."""

    obstacles: Path | None = None
    clearance: Text = None
    radius: Text = None
    self_collision: bool | None = None


def read_arm(robot: str, file: FileFlags, tool: Text, keep: GuardFlags, units: Units) -> tuple[Robot, dict[str, Any]]:
    """The robot with its tool and geometry, and what solving is given to keep away from."""
    arm = read_tool(tool, read_robot(robot, file, units), units)
    if keep.obstacles is None and not keep.self_collision:
        for flag, text in (("--clearance", keep.clearance), ("--radius", keep.radius)):
            if text is not None:
                raise OptionError(f"{flag} goes with --obstacles or --self-collision; give one of them as well")
        return arm, {}
    if keep.radius is not None:
        arm = arm.with_geometry(radius=units.read_lengths(read_numbers(keep.radius, "--radius", 1))[0])
    guard: dict[str, Any] = {} if keep.obstacles is None else {"obstacles": read_world(keep.obstacles)}
    if keep.clearance is not None:
        guard["clearance"] = units.read_lengths(read_numbers(keep.clearance, "--clearance", 1))[0]
    if keep.self_collision is not None:
        guard["self_collision"] = keep.self_collision
    return arm, guard


def check_file(path: Path | None, flag: str = "--picture", endings: tuple[str, ...] = PICTURE_ENDINGS) -> None:
    """Refuses a place where no file can be written, before any work is done."""
    if path is None:
        return
    if path.suffix.lower() not in endings:
        raise OptionError(f"{flag} is '{path}'; its name must end in one of: {', '.join(endings)}")
    if os.path.isdir(path):
        raise OptionError(f"{flag} is '{path}', a directory; give the name of a file in it")
    if not os.path.isdir(path.parent):
        raise OptionError(f"{flag} is '{path}', but there is no directory '{path.parent}'; make it first")
    if not os.access(path if os.path.exists(path) else path.parent, os.W_OK):
        raise OptionError(f"{flag} is '{path}', where you may not write; choose another place")


def read_pair(text: Text, flag: str, usual: tuple[float, float], units: Units) -> tuple[float, float]:
    """A length and an angle [m] and [rad], or the usual ones if the flag was not given."""
    if text is None:
        return usual
    numbers = read_numbers(text, flag, 2)
    return float(units.read_lengths(numbers)[0]), float(units.read_angles(numbers)[1])


def read_joints(text: str, flag: str, robot: Robot, units: Units) -> Floats:
    """Joint values for a robot."""
    numbers = read_numbers(text, flag)
    if len(numbers) != robot.n:
        given, joints = counted(len(numbers), "number"), counted(robot.n, "joint")
        raise OptionError(f"{flag} has {given}; {robot.name} has {joints}: {', '.join(robot.joint_names)}")
    return units.read_joints(numbers, robot.model.joint_kinds)


def read_start(text: Text, robot: Robot, locked: dict[str, float], units: Units) -> Floats | None:
    """The start of `--q0` inside the robot's limits, which else are told in its units; None if there is none."""
    if text is None:
        return None
    start, model = read_joints(text, "--q0", robot, units), robot.model
    held = start.copy()
    for name, value in locked.items():
        held[model.variable(name)] = value
    bounds = model.limits_with(None, locked)
    held = inside_by_a_hair(held, bounds)
    if not np.isfinite(held).all() or find_outside(held[None], bounds) != NONE:
        refuse_start(held, bounds, model, units=units)
    return start


def read_options(items: list[str], method: str) -> dict[str, Any]:
    """A method's options as names or numbers, whole where they are whole; nothing but its options may pass."""
    options: dict[str, Any] = {}
    named = {item.name for item in fields(find_method(method).options) if "names" in item.metadata}
    for name, text in read_pairs(items, "--option").items():
        if name in named:
            options[name] = text
            continue
        number = read_numbers(text, f"--option {name}", 1)[0]
        options[name] = int(number) if number.is_integer() else number
    make_options(find_method(method).options, method, options)
    return options


def read_locked(items: list[str], robot: Robot, units: Units) -> dict[str, float]:
    """Joints to hold still, in radians and metres."""
    locked = {}
    for name, text in read_pairs(items, "--lock", "joint=value").items():
        kind = robot.model.joint_kinds[robot.model.variable(name)]
        locked[name] = float(units.read_joints(read_numbers(text, f"--lock {name}", 1), [kind])[0])
    return locked


def read_target(robot: Robot, units: Units, tol: Text, nearest: bool = False, **flags: Text) -> Target:
    """The target that the given flags describe together."""
    given = {name: text for name, text in flags.items() if text is not None}
    names = set(given)
    position_tol, rotation_tol = _read_tolerance(tol, names, units)
    both = {"tol": (position_tol, rotation_tol)}
    if names == {"from_q"}:
        return Pose(robot.fk(read_joints(given["from_q"], "--from-q", robot, units)), **both)
    if names == {"matrix"}:
        return Pose(_read_matrix(given["matrix"], units, nearest), **both)
    if nearest:
        raise OptionError("--nearest-rigid goes with --matrix alone; leave one of them out")
    xyz = units.read_lengths(read_numbers(given["xyz"], "--xyz", 3)) if "xyz" in given else np.empty(0)
    if names == {"xyz"}:
        return Position(xyz, tol=position_tol)
    if names == {"xyz", "direction"}:
        return PointAxis(xyz, read_numbers(given["direction"], "--direction", 3), **both)
    rotations = names & ROTATIONS
    if len(rotations) == 1 and names <= rotations | {"xyz"}:
        (name,) = rotations
        numbers = read_numbers(given[name], _flag(name), 3 if name == "rpy" else 4)
        rotation: dict[str, Any] = {name: units.read_angles(numbers) if name == "rpy" else numbers}
        return Pose(xyz, **rotation, **both) if "xyz" in names else Orientation(**rotation, tol=rotation_tol)
    given_flags = ", ".join(map(_flag, sorted(names)))
    fault = f"{given_flags} together do not make a target" if names else "no target is given"
    raise TargetError(
        f"{fault}; give one of: "
        "--xyz (a point), --xyz with --rpy, --quat-wxyz or --quat-xyzw (a pose), a rotation alone, "
        "--xyz with --direction (a point and where the tool's z axis points), --matrix, or --from-q"
    )


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _read_tolerance(text: Text, names: set[str], units: Units) -> tuple[float, float]:
    """Position and rotation tolerance; a point or an orientation alone has one of them."""
    if text is None:
        return DEFAULT_TOLERANCE, DEFAULT_TOLERANCE
    numbers = read_numbers(text, "--tol")
    alone = "a point" if names == {"xyz"} else "an orientation" if len(names) == 1 and names <= ROTATIONS else ""
    if len(numbers) != (1 if alone else 2):
        takes = f"{alone} takes 1" if alone else "a pose takes 2: position and rotation"
        raise OptionError(f"--tol has {counted(len(numbers), 'number')}; {takes}")
    return float(units.read_lengths(numbers)[0]), float(units.read_angles(numbers)[-1])


def _read_matrix(text: str, units: Units, nearest: bool) -> Floats:
    """A 4x4 from 16 numbers, row by row, or from a file that holds them; the nearest rigid one if asked."""
    try:
        numbers = parse_numbers(text)
    except ValueError:
        numbers = _read_matrix_file(text)
    if len(numbers) != 16:
        raise OptionError(f"--matrix has {counted(len(numbers), 'number')}; it takes 16")
    T = np.array(numbers).reshape(4, 4)
    T[:3, 3] = units.read_lengths(T[:3, 3].tolist())
    if nearest:
        rigid = nearest_poses(dict(zip(MATRIX, T.reshape(16, 1), strict=True)), "matrix", 0, Path("--matrix"))
        tell_off_rigid(Path("--matrix"), off_rigid(rigid))
        T = np.array([rigid[name][0] for name in MATRIX]).reshape(4, 4)
    return as_rigid(T, "--matrix")


def _read_matrix_file(name: str) -> list[float]:
    """The numbers in a file; what else it may hold is not shown."""
    try:
        data = read_file(Path(name), "matrix", MATRIX_BYTES)
    except ModelError as problem:
        raise OptionError(f"--matrix is {brief(name)}: not 16 numbers, and {problem}") from None
    try:
        return parse_numbers(data.decode("utf-8-sig").translate(str.maketrans("[]", "  ")))
    except ValueError:  # UnicodeDecodeError is one
        raise OptionError(f"--matrix file '{name}' holds something else than numbers; it takes 16, as text") from None
