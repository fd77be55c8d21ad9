"""`forearm track ROBOT WAYPOINTS`: joints along a path, or the part that holds and why no more."""

import csv
import io
import json as json_format
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from forearm.cli import flags, read, show
from forearm.cli.shell_words import for_shell
from forearm.common.bars import drawing
from forearm.common.defaults import DEFAULT_JOINT_STEP, HALFWAY
from forearm.common.units import Units
from forearm.errors import OptionError
from forearm.results.track import Track
from forearm.robot import Robot
from forearm.targets.files import read_targets
from forearm.targets.target import DEFAULT_TOLERANCE
from forearm.tracking.walk import Progress

NOT_COMPLETE = 1
LONG = 2000  # way-points from which on a bar is shown
OUT_ENDINGS = (".csv", ".json")


def track(
    robot: flags.Robot,
    waypoints: Annotated[Path, typer.Argument(help="CSV or JSON file, one way-point a row.")],
    q0: Annotated[flags.Text, typer.Option(help="Start configuration; without it all starts found are tried.")] = None,
    max_joint_step: Annotated[
        flags.Number,
        typer.Option(help=f"The most a joint may move from point to point. {DEFAULT_JOINT_STEP} rad (or m)."),
    ] = None,
    tol: flags.Tolerances = None,
    halfway_tol: Annotated[
        flags.Text,
        typer.Option(help="What the pose halfway may be off the line: position and rotation. 1e-4 m, 1e-3 rad."),
    ] = None,
    insert: Annotated[bool, typer.Option(help="Whether points may be put between way-points.")] = True,
    closed: Annotated[flags.Switch, typer.Option(help="Come back to the first joint values.")] = None,
    out: Annotated[flags.Where, typer.Option(help="Write the joints here: .csv or .json.")] = None,
    limit: flags.Limit = [],  # noqa: B006
    lock: flags.Lock = [],  # noqa: B006
    tool: flags.Tool = None,
    obstacles: flags.Obstacles = None,
    clearance: flags.Clearance = None,
    radius: flags.Radius = None,
    base: flags.Base = None,
    tip: flags.Tip = None,
    folder: flags.Folder = [],  # noqa: B006
    deg: flags.Deg = False,
    mm: flags.Mm = False,
    json: flags.Json = False,
) -> None:
    """Find joint values along a path of way-points. Exit code 0 complete, 1 stopped early, 2 bad input.

    The file is CSV with a header x,y,z,qw,qx,qy,qz, or x,y,z,roll,pitch,yaw, or x,y,z,dx,dy,dz (where
    the tool's z axis points), or x,y,z; or 12 or 16 columns of a matrix, row by row. A column named time
    adds a check of the velocity limits. Or JSON: a list of 4x4 matrices, or of objects with the keys
    xyz, quat_wxyz, quat_xyzw, rpy, direction, matrix, time.

    [bold]Examples:[/]

      forearm track ur5 path.csv --q0 "0, -1, 1, 0, 1, 0" --out joints.csv

      forearm track arm.urdf path.json --tip tool0 --max-joint-step 3 --deg --json
    """
    units = Units(deg, mm)
    read.check_file(out, "--out", OUT_ENDINGS)
    if out is not None and out.exists() and waypoints.exists() and out.samefile(waypoints):
        raise OptionError(f"--out is '{out}', the file of the way-points itself; choose another name")
    arm, guard = read.read_arm(robot, base, tip, folder, tool, obstacles, clearance, radius, units)
    tolerances = read.read_pair(tol, "--tol", (DEFAULT_TOLERANCE, DEFAULT_TOLERANCE), units)
    targets, times = read_targets(waypoints, tolerances, units.per_metre, units.per_radian)
    step = DEFAULT_JOINT_STEP if max_joint_step is None else float(units.read_angles([max_joint_step])[0])
    box: Any = {"limits": read.read_limits(limit, arm, units), "locked": read.read_locked(lock, arm, units)}
    start = read.read_start(q0, arm, **box, units=units)
    with progress_bar(len(targets)) as tell:
        found = arm.track(
            targets,
            start,
            max_joint_step=step,
            times=times,
            halfway_tol=read.read_pair(halfway_tol, "--halfway-tol", HALFWAY, units),
            insert=insert,
            closed=closed,
            **box,
            **guard,
            progress=tell,
        )
    if out is not None:
        write(out, arm, found, units)
    if json:
        show.print_json({"robot": arm.name, "joints": arm.joint_names} | found.to_dict())
    else:
        print_track(found, units, out)
    if not found.complete:
        sys.exit(NOT_COMPLETE)


@contextmanager
def progress_bar(count: int) -> Iterator[Progress | None]:
    """A callback that moves a bar on standard error, or None where nobody would need it."""
    if count <= LONG:
        yield None
        return
    with drawing("track") as draw:
        yield lambda stage, done, total: draw(done, total, stage)


def print_track(found: Track, units: Units, out: Path | None) -> None:
    """How much of the path holds, its sentence, and the worst of its numbers."""
    colour = "green" if found.complete else "yellow"
    added = int(found.inserted.sum())
    reached = f"{len(found) - added} of {found.waypoints} way-points, {added} inserted"
    show.say(f"[bold {colour}]{found.status}[/]: {escape(for_shell(found.reason))}", whole=True)
    show.say(f"reached    {reached}")
    worst = found.position_errors.max(initial=0.0), found.rotation_errors.max(initial=0.0)
    show.say(f"at most    {units.show_errors(*map(float, worst))}")
    if found.times is not None and len(found.too_fast):
        i, name, ratio = max(found.too_fast, key=lambda item: item[2])
        show.say(
            f"velocity   {len(found.too_fast)} segments are too fast, the worst at point {i}: {escape(name)} at "
            f"{ratio:.3g} times its limit; all times {found.slowdown:.3g} times as long would do",
            whole=True,
        )
    if out is not None:
        show.say(f"joints     {out}", whole=True)


def write(path: Path, arm: Robot, found: Track, units: Units) -> None:
    """Writes joints, errors and steps; CSV in the chosen units, JSON always in radians and metres."""
    data: dict[str, Any] = {"robot": arm.name, "joints": arm.joint_names} | found.to_dict()
    text = csv_text(arm, found, units) if path.suffix.lower() == ".csv" else json_format.dumps(data, indent=2)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise OptionError(f"cannot write '{path}': {problem.strerror}; choose another place") from None


def csv_text(arm: Robot, found: Track, units: Units) -> str:
    """One row a point: place, time, joints, errors, step."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    timed = [] if found.times is None else ["time"]
    writer.writerow(["place", *timed, *arm.joint_names, "position_error", "rotation_error", "step"])
    # What one radian, or one metre, reads as in the chosen units.
    per_joint = 1.0 / units.read_joints([1.0] * arm.n, arm.model.joint_kinds)
    per_length, per_angle = 1.0 / float(units.read_lengths([1.0])[0]), 1.0 / float(units.read_angles([1.0])[0])
    for i, place in enumerate(found.places):
        time = [] if found.times is None else [repr(float(found.times[i]))]
        errors = found.position_errors[i] * per_length, found.rotation_errors[i] * per_angle
        numbers = *(found.q[i] * per_joint), *errors, found.steps[i] * per_angle
        writer.writerow([repr(float(place)), *time, *(repr(float(number)) for number in numbers)])
    return buffer.getvalue()
