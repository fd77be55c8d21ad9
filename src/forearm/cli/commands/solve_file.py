"""`forearm solve-file`: joint values for every target of a file."""

import time
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from forearm.cli import read, show
from forearm.cli.bars import counting
from forearm.common.units import Units
from forearm.scale.solve_files import ROWS
from forearm.scale.solve_files import solve_file as solve
from forearm.solve.methods.table import DEFAULT_METHOD

Text = Optional[str]  # noqa: UP045 (typer reads Optional on Python 3.10)
Count = Optional[int]  # noqa: UP045
Where = Optional[Path]  # noqa: UP045


def solve_file(
    robot: Annotated[str, typer.Argument(help="A name from `forearm robots`, or a URDF, xacro, MJCF, TOML file.")],
    targets: Annotated[Path, typer.Argument(help="A .parquet, .csv, .npy or .npz file of targets.")],
    out: Annotated[Path, typer.Option(help="The file to write: .parquet, .csv, .npz or .npy.")],
    method: Annotated[str, typer.Option(help="One of `forearm methods`.")] = DEFAULT_METHOD,
    option: Annotated[list[str], typer.Option(help="name=value of the method; may be repeated.")] = [],  # noqa: B006
    tol: Annotated[Text, typer.Option(help="Tolerances: position and rotation. 1e-6 m and 1e-6 rad.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Find out why targets were missed.")] = False,
    rows: Annotated[int, typer.Option(help="Targets in a block, which is solved and written at once.")] = ROWS,
    workers: Annotated[Count, typer.Option(help="Threads; one per processor by default.")] = None,
    scheduler: Annotated[Text, typer.Option(help="Address of a Dask scheduler, such as tcp://host:8786.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a run was stopped.")] = False,
    obstacles: Annotated[Where, typer.Option(help="A scene (TOML) to keep away from.")] = None,
    clearance: Annotated[Text, typer.Option(help="Least distance to keep from obstacles; 0.01 m.")] = None,
    radius: Annotated[Text, typer.Option(help="Radius of the arm's links, instead of a file's shapes.")] = None,
    tool: Annotated[Text, typer.Option(help="Tool in the tip's frame: x, y, z, or x, y, z, roll, pitch, yaw.")] = None,
    base: Annotated[Text, typer.Option(help="Base link of a file; the root by default.")] = None,
    tip: Annotated[Text, typer.Option(help="Tip link (MJCF: site or body) of a file.")] = None,
    json: Annotated[bool, typer.Option("--json", help="JSON for machines.")] = False,
) -> None:
    """Solve every target of a file, in metres and radians. Exit code 0 whether all were solved or not.

    Columns: x, y, z alone or with qw, qx, qy, qz, with roll, pitch, yaw, or with dx, dy, dz; or m00 to m33.
    Starts as q0_JOINT, and an id. Arrays: (N, 4, 4) poses or (N, 3) points.

    [bold]Examples:[/]

      forearm solve-file ur5 targets.parquet --out solutions.parquet

      forearm solve-file panda poses.npy --out joints.npz --explain

      forearm solve-file panda targets.csv --out solutions.csv --scheduler tcp://10.0.0.5:8786 --resume
    """
    units = Units()
    arm = read.read_tool(tool, read.read_robot(robot, base, tip), units)
    arm, guard = read.read_guard(obstacles, clearance, radius, arm, units)
    how: dict[str, Any] = read.read_options(option, method) | guard
    how |= {"method": method, "explain": explain, "rows": rows, "resume": resume}
    if tol is not None:
        position, rotation = read.read_numbers(tol, "--tol", 2)
        how["tol"] = (position, rotation)
    begin = time.monotonic()
    try:
        with counting(f"targets of {targets.name}", "targets") as tell:
            counts = solve(arm, targets, out, workers=workers, scheduler=scheduler, progress=tell, **how)
    except KeyboardInterrupt:
        show.complain(f"stopped; what was solved is kept beside '{out}': --resume goes on")
        raise typer.Exit(show.INTERRUPTED) from None
    seconds, total = time.monotonic() - begin, sum(counts.values())
    if json:
        show.print_json({"out": str(out), "targets": total, "seconds": seconds} | counts)
        return
    ended = ", ".join(f"{count:,} {status}" for status, count in counts.items()) or "no targets"
    show.out.print(f"{ended}; {total:,} targets in {seconds:.1f} s", highlight=False)
    show.out.print(f"written to {out}", highlight=False, soft_wrap=True)
