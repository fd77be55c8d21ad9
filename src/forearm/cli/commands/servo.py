"""`forearm servo ROBOT`: targets as JSON lines in, one bounded step of the joints as a JSON line out."""

import json
import sys
from typing import Annotated, Any

import numpy as np
import typer

from forearm.cli import flags, read, robots
from forearm.cli.numbers import read_numbers
from forearm.common.checks import brief
from forearm.common.units import Units
from forearm.errors import ForearmError, TargetError
from forearm.targets.target import Orientation, PointAxis, Pose, Position
from forearm.targets.twist import Twist
from forearm.tracking.servo import Servo

ROTATIONS = ("quat_wxyz", "quat_xyzw", "rpy")
KEYS = ("matrix", "xyz", *ROTATIONS, "direction", "twist", "frame", "reset", "sync", "velocity", "stop")


def servo(
    robot: flags.Robot,
    q0: Annotated[str, typer.Option(help="Where the arm stands.")],
    rate: Annotated[float, typer.Option(help="Ticks a second: lines that come in.")] = 1000.0,
    velocity: Annotated[
        flags.Text, typer.Option(help="Greatest speed, one number or one a joint; the model's.")
    ] = None,
    acceleration: Annotated[flags.Text, typer.Option(help="Greatest acceleration, as --velocity; 10 rad/s2.")] = None,
    priority: Annotated[
        str, typer.Option(help="What is exact where both cannot be had: position, rotation; or both.")
    ] = "both",
    reconfigure: Annotated[bool, typer.Option(help="Whether a stuck arm may go on in another branch.")] = True,
    tool: flags.Tool = None,
    limit: flags.Limit = [],  # noqa: B006
    radius: flags.Radius = None,
    clearance: flags.Clearance = None,
    obstacles: flags.Obstacles = None,
    arg: flags.Arg = [],  # noqa: B006
    folder: flags.Folder = [],  # noqa: B006
    tip: flags.Tip = None,
    base: flags.Base = None,
) -> None:
    """Follow a stream of targets: each line on standard input is one tick, each line out its joint values.

    A line is a JSON object: {"matrix": 4x4}, {"xyz": [..], "quat_wxyz": [..]} (or quat_xyzw, rpy, or direction of the
    tool's z axis, or none of them for a point), {"twist": [6 numbers], "frame": "base" or "tip"}; null for nothing new;
    {"stop": true}, {"reset": joints}, {"sync": joints, "velocity": [..]}. Out come q, velocity, status and reason; a
    line that is no target is told in "fault", and the arm holds. Radians and metres.

    [bold]Example:[/]

      my_tracker | forearm servo ur5 --q0 "0, -1.2, 1.5, -0.4, 1, 0" --rate 500 | my_driver
    """
    units = Units()
    file = robots.FileFlags(base, tip, folder, arg, limit)
    arm, guard = read.read_arm(robot, file, tool, obstacles, clearance, radius, units)
    bounds = {
        name: read_numbers(text, f"--{name}")
        for name, text in (("velocity", velocity), ("acceleration", acceleration))
        if text is not None
    }
    made: dict[str, Any] = {name: found[0] if len(found) == 1 else found for name, found in bounds.items()}
    start = read.read_joints(q0, "--q0", arm, units)
    loop = arm.servo(start, rate, priority=priority, reconfigure=reconfigure, **made, **guard)
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(answer(loop, line)), flush=True)


def answer(loop: Servo, line: str) -> dict[str, Any]:
    """What is written for a line: one tick."""
    fault, target = "", None
    try:
        target = read_line(loop, line)
    except ForearmError as problem:
        fault = str(problem)
    said = {"q": loop(target).tolist(), "velocity": loop.velocity.tolist(), "status": loop.status}
    return said | {"reason": loop.reason} | ({"fault": fault} if fault else {})


def read_line(loop: Servo, line: str) -> Any:
    """The target of a line; what else it says is done."""
    try:
        data = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as problem:
        raise TargetError(f"the line is not valid JSON: {problem}") from None
    if data is None:
        return None
    if not isinstance(data, dict):
        raise TargetError(f"the line is {brief(data)}; it takes an object, or null")
    for key in data:
        if key not in KEYS:
            raise TargetError(f"the key {brief(key)} is unknown; keys are: {', '.join(KEYS)}")
    if "reset" in data or "sync" in data:
        place(loop, data)
    if data.get("stop"):
        loop.stop()
    return read_target(data)


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
