"""`forearm servo ROBOT`: targets as JSON lines in, one bounded step of the joints as a JSON line out."""

import io
import json
import sys
from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
import typer

from forearm.cli import flags, read, robots
from forearm.cli.numbers import read_numbers
from forearm.common.checks import brief, refuse_switch
from forearm.common.units import Units
from forearm.errors import ForearmError, TargetError, filled, nearest_names
from forearm.robot import Robot
from forearm.targets.target import Orientation, PointAxis, Pose, Position
from forearm.targets.twist import Twist
from forearm.tracking.servo import Servo

ROTATIONS = ("quat_wxyz", "quat_xyzw", "rpy")
KEYS = ("matrix", "xyz", *ROTATIONS, "direction", "twist", "frame", "reset", "sync", "velocity", "stop")
# Keys that may stand in one line: of a target, and of where the arm is put.
TOGETHER = (("matrix",), *(("xyz", turn) for turn in (*ROTATIONS, "direction")), ("twist", "frame"))
PLACES = (("sync", "velocity"), ("reset",))
# What stands at a mark of a message where a line has another way out than Python.
REMEDIES = {
    "clip": "send values inside them",
    "degrees": "lines are in radians",
    "point": "for a point alone, send xyz alone",
    "rigid": "send a rotation whose columns have length 1 and stand across each other",
    "rotation": "for an orientation alone, leave xyz out",
}
ECHOED = ("time", "id")  # of a line in, for whoever sent it: they stand in the line out
MEANT = {"position": "xyz", "point": "xyz", "pose": "matrix", "joints": "reset, sync", "q": "reset, sync"}  # elsewhere
NEEDS = {"direction": "xyz", "frame": "twist", "velocity": "sync"}


def servo(
    robot: flags.Robot,
    q0: Annotated[str, typer.Option(help="Joint values where the arm stands.")],
    rate: Annotated[float, typer.Option(help="Ticks per second; each line that comes in is a tick.")] = 1000.0,
    velocity: Annotated[
        flags.Text, typer.Option(help="Greatest speed, one number or one per joint; by default the model's.")
    ] = None,
    acceleration: Annotated[
        flags.Text, typer.Option(help="Greatest acceleration, as --velocity; 10 rad/s2 by default.")
    ] = None,
    priority: Annotated[
        str, typer.Option(help="What is met exactly where both cannot be: position or rotation; or both, a compromise.")
    ] = "both",
    rest: Annotated[flags.Text, typer.Option(help="Posture that an arm with joints to spare comes close to.")] = None,
    smoothing: Annotated[
        str, typer.Option(help="Of noisy targets: auto, none, or a time constant in seconds.")
    ] = "auto",
    reconfigure: Annotated[bool, typer.Option(help="Whether a stuck arm may go on in another branch.")] = True,
    interpolate: Annotated[
        bool, typer.Option(help="Whether to move evenly between targets that come slower than ticks.")
    ] = True,
    tool: flags.Tool = None,
    limit: flags.Limit = [],  # noqa: B006
    self_collision: flags.SelfCollision = None,
    radius: flags.Radius = None,
    clearance: flags.Clearance = None,
    obstacles: flags.Obstacles = None,
    arg: flags.Arg = [],  # noqa: B006
    folder: flags.Folder = [],  # noqa: B006
    tip: flags.Tip = None,
    base: flags.Base = None,
    pose: Annotated[bool, typer.Option("--pose", help="Also write where the tip is, as a 4x4 matrix.")] = False,
    deg: Annotated[bool, typer.Option("--deg", help="Angles of flags in degrees; lines stay in radians.")] = False,
) -> None:
    """Follow a stream of targets: each line on standard input is one tick, each line out its joint values.

    A line is a JSON object: {"matrix": 4x4}, {"xyz": [..], "quat_wxyz": [..]} (or quat_xyzw, rpy, or direction of the
    tool's z axis, or none of them for a point), {"twist": [6 numbers], "frame": "base" or "tip"}; null for nothing new;
    {"stop": true}, {"reset": joints}, {"sync": joints, "velocity": [..]}. Out come q, velocity, status and reason; a
    line that is not a target is told in "fault", and the arm holds. "time" and "id" come back as they are. Radians and
    metres. Nothing comes out while nothing comes in: send null at every tick at which your source is silent. A clutch
    that is pressed again goes on from the "matrix" that --pose writes.

    [bold]Example:[/]

      my_tracker | forearm servo ur5 --q0 "0, -1.2, 1.5, -0.4, 1, 0" --rate 500 | my_driver
    """
    units = Units(deg=deg)
    file = robots.FileFlags(base, tip, folder, arg, limit)
    arm, guard = read.read_arm(robot, file, tool, read.GuardFlags(obstacles, clearance, radius, self_collision), units)
    made: dict[str, Any] = {
        name: read_bounds(text, f"--{name}", arm, units)
        for name, text in (("velocity", velocity), ("acceleration", acceleration))
        if text is not None
    }
    made |= {"rest": None if rest is None else read.read_joints(rest, "--rest", arm, units)}
    made |= {"priority": priority, "smoothing": read_smoothing(smoothing)}
    start = read.read_joints(q0, "--q0", arm, units)
    loop = arm.servo(start, rate, reconfigure=reconfigure, interpolate=interpolate, **made, **guard)
    for line in lines_in():
        said = answer(loop, line)
        print(strict_json(said | {"matrix": arm.fk(said["q"]).tolist()} if pose else said), flush=True)


def lines_in() -> Iterable[str]:
    """The lines of standard input as UTF-8 whatever the locale, bytes that are none replaced; none if it is closed."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="replace")
    return sys.stdin or ()


def read_bounds(text: str, flag: str, arm: Robot, units: Units) -> list[float]:
    """The bounds of all joints from one number, or from one per joint."""
    if len(numbers := read_numbers(text, flag)) == 1:
        found = units.read_joints(numbers * arm.n, arm.model.joint_kinds)
    else:
        found = read.read_joints(text, flag, arm, units)
    return [float(bound) for bound in found]


def read_smoothing(text: str) -> str | float | None:
    """What `smoothing=` takes."""
    try:
        return None if text == "none" else float(text)
    except ValueError:
        return text  # "auto", or what the servo refuses


def answer(loop: Servo, line: str) -> dict[str, Any]:
    """What is written for a line: one tick."""
    fault, target, echo = "", None, {}
    try:
        data = decode(line)
        if isinstance(data, dict):
            echo = {key: data.pop(key) for key in ECHOED if key in data}
            data = None if echo and not data else data
        target = read_line(loop, data)
    except ForearmError as problem:
        fault = filled(problem.message.text, problem.message.said | REMEDIES)
    said = echo | {"q": loop(target).tolist(), "velocity": loop.velocity.tolist(), "status": loop.status}
    return said | {"reason": loop.reason} | ({"fault": fault} if fault else {})


def strict_json(said: dict[str, Any]) -> str:
    """A line out: what came in as NaN or infinity, of which JSON knows nothing, comes back as null."""
    try:
        return json.dumps(said, allow_nan=False)
    except ValueError:
        return json.dumps(json.loads(json.dumps(said), parse_constant=lambda _: None))


def decode(line: str) -> Any:
    """What a line holds; a blank one is null."""
    try:
        return json.loads(line) if line.strip() else None
    except (ValueError, RecursionError) as problem:  # a number of too many digits is a plain ValueError
        raise TargetError(f"the line is not valid JSON: {problem}") from None


def read_line(loop: Servo, data: Any) -> Any:
    """The target of a line; what else it says is done."""
    if data is None:
        return None
    if not isinstance(data, dict):
        raise TargetError(f"the line is {brief(data)}; it takes an object, or null")
    for key in data:
        if key not in KEYS:
            near = f"did you mean {MEANT[key]}?" if key in MEANT else nearest_names(key, (*KEYS, *ECHOED))
            raise TargetError(f"the key {brief(key)} is unknown; {near}")
    refuse_contradictions(data)
    for key in data.keys() - {"stop", "frame"}:
        refuse_switch(data[key], key)
    target = read_target(data)
    if "reset" in data or "sync" in data:
        place(loop, data)
    if data.get("stop"):
        loop.stop()
    return target


def refuse_contradictions(data: dict[str, Any]) -> None:
    """Raises for a line that means two things, or nothing."""
    if not data:
        raise TargetError("the line is {}; it takes a target, or null for nothing new")
    for groups in (TOGETHER, PLACES):
        found = [key for key in KEYS if key in data and any(key in group for group in groups)]
        if not any(set(found) <= set(group) for group in groups):
            raise TargetError(f"the line gives {' and '.join(found)}; a tick takes one of them")
    for key, other in NEEDS.items():
        if key in data and other not in data:
            raise TargetError(f"{key} goes with {other}, which the line does not give")
    if not isinstance(data.get("stop", False), bool):
        raise TargetError(f"stop is {brief(data['stop'])}; it takes true or false")


def place(loop: Servo, data: dict[str, Any]) -> None:
    """Puts the servo where the line says."""
    if "sync" in data:
        loop.sync(data["sync"], data.get("velocity"))
    else:
        loop.reset(data["reset"])


def read_target(data: dict[str, Any]) -> Any:
    """The target that a line gives, or None."""
    turn = {key: data[key] for key in ROTATIONS if key in data}
    if "twist" in data:
        numbers = np.asarray(data["twist"], dtype=object).ravel().tolist()
        if len(numbers) != 6:
            raise TargetError(f"twist is {brief(data['twist'])}; it takes six numbers, linear first")
        return Twist(numbers[:3], numbers[3:], frame=data.get("frame", "base"))
    if "matrix" in data:
        return Pose(data["matrix"])
    if "xyz" not in data:
        return Orientation(**turn) if turn else None
    if "direction" in data:
        return PointAxis(data["xyz"], data["direction"])
    return Pose(data["xyz"], **turn) if turn else Position(data["xyz"])
