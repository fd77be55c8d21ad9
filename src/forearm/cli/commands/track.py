"""`forearm track ROBOT WAYPOINTS`: joints along a path, or the part that holds and why no more."""

import csv
import io
import json as json_format
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape

from forearm.cli import flags, read, robots, show
from forearm.cli.shell_words import for_shell
from forearm.common.bars import drawing
from forearm.common.defaults import DEFAULT_JOINT_STEP, HALFWAY
from forearm.common.units import Units, with_unit
from forearm.errors import OptionError
from forearm.results.track import Track
from forearm.robot import Robot
from forearm.targets.columns import Columns
from forearm.targets.files import read_targets
from forearm.targets.target import DEFAULT_TOLERANCE
from forearm.tracking.walk import Progress

NOT_COMPLETE = 1
LONG = 2000  # way-points from which on a bar is shown
OUT_ENDINGS, TIMED_ENDINGS = (".csv", ".json", ".npy"), (".csv", ".json")
Step = Annotated[
    flags.Number,
    typer.Option(help=f"The most a joint may move from point to point; {DEFAULT_JOINT_STEP} rad (or m) by default."),
]
Halfway = Annotated[
    flags.Text,
    typer.Option(help="How far the tip may leave the line halfway between points; 1e-4 m, 1e-3 rad by default."),
]
Between = Annotated[
    str, typer.Option(help="Where the line cannot be followed: 'joints' lets the joints leave it; else 'line'.")
]
Acceleration = Annotated[flags.Number, typer.Option(help="Acceleration limit of all joints, per s2, for --trajectory.")]
Where = Annotated[
    flags.Where, typer.Option(help="Write the fastest times here: .csv, or .json as a ROS JointTrajectory.")
]


def track(
    robot: flags.Robot,
    waypoints: Annotated[Path, typer.Argument(help="CSV, JSON, Parquet, .npy or .npz file, one way-point a row.")],
    q0: Annotated[flags.Text, typer.Option(help="Joint values to start from; else all starts found are tried.")] = None,
    max_joint_step: Step = None,
    tol: flags.Tolerances = None,
    halfway_tol: Halfway = None,
    insert: Annotated[bool, typer.Option(help="Whether points may be put between way-points.")] = True,
    between: Between = "line",
    reconfigure: Annotated[bool, typer.Option(help="Whether the arm may jump to another branch if it must.")] = False,
    closed: Annotated[flags.Switch, typer.Option(help="Come back to the first joint values.")] = None,
    nearest_rigid: flags.NearestRigid = False,
    out: Annotated[flags.Where, typer.Option(help="Write the joints here: .csv, .json, .npy (joints alone).")] = None,
    why: Annotated[bool, typer.Option("--why", help="Add a column reason to a .csv, and a row for a stop.")] = False,
    acceleration: Acceleration = None,
    trajectory: Where = None,
    overwrite: flags.Overwrite = False,
    limit: flags.Limit = [],  # noqa: B006
    lock: flags.Lock = [],  # noqa: B006
    tool: flags.Tool = None,
    obstacles: flags.Obstacles = None,
    clearance: flags.Clearance = None,
    radius: flags.Radius = None,
    self_collision: flags.SelfCollision = None,
    base: flags.Base = None,
    tip: flags.Tip = None,
    folder: flags.Folder = [],  # noqa: B006
    arg: flags.Arg = [],  # noqa: B006
    deg: flags.Deg = False,
    mm: flags.Mm = False,
    json: flags.Json = False,
) -> None:
    """Find joint values along a path of way-points. Exit code 0 complete, 1 stopped early, 2 bad input.

    The file is CSV with a header x,y,z,qw,qx,qy,qz, or x,y,z,roll,pitch,yaw, or x,y,z,dx,dy,dz (where
    the tool's z axis points), or x,y,z; or 12 or 16 columns of a matrix, row by row. A column named time
    (or t) adds a check of the velocity limits; others are carried along. Cells are separated by commas, semicolons,
    tabs or blanks; a header may name units, as in "x (mm)". TUM trajectories. Or JSON: a list of 4x4 matrices, or
    of objects with the keys xyz, quat_wxyz, quat_xyzw, rpy, direction, matrix, time. Or an array of poses or points.

    [bold]Examples:[/]

      forearm track ur5 path.csv --q0 "0, -1, 1, 0, 1, 0" --out joints.csv

      forearm track arm.urdf path.json --tip tool0 --max-joint-step 3 --deg --json

      forearm track ur5 teach.csv --mm --deg --nearest-rigid --out joints.csv --why --overwrite
    """
    units = Units(deg, mm)
    check_out(out, trajectory, waypoints, overwrite, why)
    push = read_push(trajectory, acceleration, units)
    file = robots.FileFlags(base, tip, folder, arg, limit)
    arm, guard = read.read_arm(robot, file, tool, read.GuardFlags(obstacles, clearance, radius, self_collision), units)
    tolerances = read.read_pair(tol, "--tol", (DEFAULT_TOLERANCE, DEFAULT_TOLERANCE), units)
    targets, times, carried = read_targets(waypoints, tolerances, units.per_metre, units.per_radian, nearest_rigid)
    step = DEFAULT_JOINT_STEP if max_joint_step is None else float(units.read_angles([max_joint_step])[0])
    with progress_bar(len(targets)) as tell:
        found = arm.track(
            targets,
            read.read_start(q0, arm, locked := read.read_locked(lock, arm, units), units),
            max_joint_step=step,
            times=times,
            halfway_tol=read.read_pair(halfway_tol, "--halfway-tol", HALFWAY, units),
            locked=locked,
            progress=tell,
            **{"insert": insert, "between": between, "reconfigure": reconfigure, "closed": closed, **guard},
        )
    if out is not None:
        write(out, arm, found, units, carried, why)
    timed = write_trajectory(trajectory, found, push)
    if json:
        show.print_json({"robot": arm.name, "joints": arm.joint_names} | found.to_dict())
    else:
        print_track(found, units, out, timed)
    if not found.complete:
        sys.exit(NOT_COMPLETE)


def check_out(out: Path | None, trajectory: Path | None, waypoints: Path, overwrite: bool, why: bool) -> None:
    """Refuses a place where nothing can be written, to write over the way-points, and over anything unasked."""
    read.check_file(out, "--out", OUT_ENDINGS)
    read.check_file(trajectory, "--trajectory", TIMED_ENDINGS)
    if why and (out is None or out.suffix.lower() != ".csv"):
        raise OptionError("--why is a column of a table; give --out with a name that ends in .csv")
    for flag, path in (("--out", out), ("--trajectory", trajectory)):
        if path is None or not path.exists():
            continue
        if waypoints.exists() and path.samefile(waypoints):
            raise OptionError(f"{flag} is '{path}', the file of the way-points itself; choose another name")
        if not overwrite:
            raise OptionError(f"{flag} is '{path}', which is there already; --overwrite replaces it")


def read_push(trajectory: Path | None, acceleration: float | None, units: Units) -> float:
    """What joints may accelerate by [rad/s2 or m/s2]; 0 where no trajectory is asked for."""
    if (trajectory is None) is not (acceleration is None):
        raise OptionError("--trajectory and --acceleration go together: where to write, and what joints may do")
    if acceleration is None:
        return 0.0
    if not acceleration > 0.0:
        raise OptionError(f"--acceleration is {acceleration:g}; it takes a positive number")
    return float(units.read_angles([acceleration])[0])


@contextmanager
def progress_bar(count: int) -> Iterator[Progress | None]:
    """A callback that moves a bar on standard error, or None where nobody would need it."""
    if count <= LONG:
        yield None
        return
    with drawing("track") as draw:
        yield lambda stage, done, total: draw(done, total, stage)


def print_track(found: Track, units: Units, out: Path | None, timed: str = "") -> None:
    """How much of the path holds, its sentence, and the worst of its numbers."""
    colour = "green" if found.complete else "yellow"
    added = int(found.inserted.sum())
    reached = f"{len(found) - added} of {found.waypoints} way-points, {added} inserted"
    show.say(f"[bold {colour}]{found.status}[/]: {escape(units.words(for_shell(found.reason)))}", whole=True)
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
    if timed:
        show.say(f"trajectory {timed}", whole=True)


def write(path: Path, arm: Robot, found: Track, units: Units, carried: Columns, why: bool) -> None:
    """Writes joints, errors and steps; CSV in the chosen units, JSON and NumPy always in radians and metres."""
    data: dict[str, Any] = {"robot": arm.name, "joints": arm.joint_names} | found.to_dict()
    data |= {"carried": {name: column.tolist() for name, column in carried.items()}} if carried else {}
    try:
        if path.suffix.lower() == ".npy":
            np.save(path, found.q)
        elif path.suffix.lower() == ".csv":
            path.write_text(csv_text(arm, found, units, carried, why), encoding="utf-8")
        else:
            path.write_text(json_format.dumps(data, indent=2), encoding="utf-8")
    except OSError as problem:
        raise OptionError(f"cannot write '{path}': {problem.strerror}; choose another place") from None


def write_trajectory(path: Path | None, found: Track, acceleration: float) -> str:
    """Writes the fastest times of a track, if somewhere, in rad, m and s; says where, and how long it takes."""
    if path is None:
        return ""
    if found.reconfigurations:
        raise OptionError("--trajectory: this track reconfigures, and the way there is not part of it")
    timed = found.timed(acceleration)
    try:
        timed.save(path)
    except OSError as problem:
        raise OptionError(f"cannot write '{path}': {problem.strerror}; choose another place") from None
    return f"{path} ({timed.duration:.4g} s)"


def csv_text(arm: Robot, found: Track, units: Units, carried: Columns, why: bool) -> str:
    """One row a point: place, what is carried along of its way-point, time, joints, errors, step; units in the header.

    With `why` a last column has the reason, in a row of the way-point that was not reached.
    """
    buffer, kinds = io.StringIO(), arm.model.joint_kinds
    writer = csv.writer(buffer, lineterminator="\n")
    times = {} if found.times is None else {"time": "s"}
    joints = dict(zip(arm.joint_names, units.names(kinds), strict=True))
    measured = {"position_error": units.length, "rotation_error": units.angle, "step": units.joint(kinds)}
    heads = [with_unit(name, unit) for name, unit in (times | joints | measured).items()]
    writer.writerow(["place", *carried, *heads, *(["reason"] if why else [])])
    step = units.per_joint(kinds) if len(set(kinds)) == 1 else [units.per_radian]
    scale = np.array([*([1.0] if times else []), *units.per_joint(kinds), units.per_metre, units.per_radian, step[0]])
    stamps = [] if found.times is None else [found.times]
    rows = np.column_stack([*stamps, found.q, found.position_errors, found.rotation_errors, found.steps]) * scale
    for place, row in zip(found.places, rows, strict=True):
        along = [column[int(place)] if place == int(place) else "" for column in carried.values()]
        writer.writerow([repr(float(place)), *along, *(repr(float(number)) for number in row), *([""] if why else [])])
    if why and found.stopped_at is not None:
        along = [column[found.stopped_at] for column in carried.values()]
        reason = units.words(for_shell(found.reason))
        writer.writerow([repr(float(found.stopped_at)), *along, *([""] * len(scale)), reason])
    return buffer.getvalue()
