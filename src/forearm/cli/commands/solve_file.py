"""`forearm solve-file`: joint values for every target of a file."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from forearm.cli import INTERRUPTED, flags, read, robots, show
from forearm.common.bars import drawing
from forearm.common.defaults import DEFAULT_METHOD
from forearm.common.units import Units
from forearm.results.solution import Status
from forearm.scale.solve_files import ROWS, is_finished
from forearm.scale.solve_files import solve_file as solve


def solve_file(
    robot: flags.Robot,
    targets: Annotated[Path, typer.Argument(help="A .parquet, .csv, .json, .npy or .npz file of targets.")],
    out: Annotated[Path, typer.Option(help="The file to write: .parquet, .csv, .npz or .npy.")],
    method: flags.Method = DEFAULT_METHOD,
    option: flags.Options = [],  # noqa: B006
    tol: flags.Tolerances = None,
    explain: Annotated[
        bool, typer.Option("--explain", "--why", help="Find out why targets were missed: the column reason.")
    ] = False,
    nearest_rigid: flags.NearestRigid = False,
    rows: Annotated[int, typer.Option(help="Targets in a block, which is solved and written at once.")] = ROWS,
    workers: flags.Workers = None,
    scheduler: flags.Scheduler = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where a run was stopped; a finished one stays.")
    ] = False,
    overwrite: flags.Overwrite = False,
    deg: flags.Deg = False,
    mm: flags.Mm = False,
    obstacles: flags.Obstacles = None,
    clearance: flags.Clearance = None,
    radius: flags.Radius = None,
    self_collision: flags.SelfCollision = None,
    tool: flags.Tool = None,
    base: flags.Base = None,
    tip: flags.Tip = None,
    folder: flags.Folder = [],  # noqa: B006
    arg: flags.Arg = [],  # noqa: B006
    limit: flags.Limit = [],  # noqa: B006
    json: flags.PlainJson = False,
) -> None:
    """Solve every target of a file. Exit code 0, or 1 if none was solved, 2 bad input.

    Columns: x, y, z alone or with qw, qx, qy, qz, with roll, pitch, yaw, or with dx, dy, dz; or m00 to m33.
    Starts as q0_JOINT. An id and other columns are carried along. Separated by commas, semicolons, tabs or blanks;
    a header may name units, as in "x (mm)". TUM trajectories. Arrays: (N, 4, 4) poses or (N, 3) points.

    [bold]Examples:[/]

      forearm solve-file ur5 targets.parquet --out solutions.parquet

      forearm solve-file panda poses.npy --out joints.npz --explain

      forearm solve-file ur5 teach.csv --mm --deg --nearest-rigid --out joints.csv --why --overwrite

      forearm solve-file panda targets.csv --out solutions.csv --scheduler tcp://10.0.0.5:8786 --resume
    """
    units = Units(deg, mm)
    file = robots.FileFlags(base, tip, folder, arg, limit)
    arm, guard = read.read_arm(robot, file, tool, read.GuardFlags(obstacles, clearance, radius, self_collision), units)
    how: dict[str, Any] = read.read_options(option, method) | guard
    how |= {"method": method, "explain": explain, "rows": rows, "resume": resume, "overwrite": overwrite}
    how |= {"deg": deg, "mm": mm, "nearest_rigid": nearest_rigid}
    if tol is not None:
        how["tol"] = read.read_pair(tol, "--tol", (0.0, 0.0), units)
    begin, there = time.monotonic(), resume and not overwrite and is_finished(out)
    try:
        with drawing(f"targets of {targets.name}", "targets") as tell:
            counts = solve(arm, targets, out, workers=workers, scheduler=scheduler, progress=tell, **how)
    except KeyboardInterrupt:
        show.complain(f"stopped; what was solved is kept beside '{out}': --resume goes on")
        raise typer.Exit(INTERRUPTED) from None
    seconds, total = time.monotonic() - begin, sum(counts.values())
    if there and not json:
        show.say(
            f"'{out}' is finished, and stays as it is: {ended_as(counts)}; --overwrite solves it again", whole=True
        )
    elif json:
        show.print_json({"out": str(out), "targets": total, "seconds": seconds} | counts)
    else:
        say_counts(counts, seconds, out, mm)
    if total and not counts.get(Status.SOLVED):
        raise typer.Exit(1)


def say_counts(counts: Mapping[str, int], seconds: float, out: Path, mm: bool) -> None:
    """Says how many targets ended how, and where that is written."""
    total = sum(counts.values())
    show.say(f"{ended_as(counts)}; {total:,} {'target' if total == 1 else 'targets'} in {seconds:.1f} s")
    show.say(f"written to {out}", whole=True)
    if total and counts.get("out_of_reach") == total and not mm:
        show.say("none is within reach; if the file is in millimetres, --mm reads it")
    elif total and not counts.get(Status.SOLVED) and mm:
        show.say("none is solved; if the file is in metres, leave out --mm")


def ended_as(counts: Mapping[str, int]) -> str:
    """How many targets ended how, what is solved first."""
    solved_first = sorted(counts.items(), key=lambda item: item[0] != Status.SOLVED)
    return ", ".join(f"{count:,} {status}" for status, count in solved_first) or "no targets"
