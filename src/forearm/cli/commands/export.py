"""`forearm export ROBOT --out DIR`: one robot as C."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from forearm.cli import flags, read, robots, show
from forearm.common.units import Units
from forearm.core.general.table import ENTRIES
from forearm.export.write import export_c


def export(
    robot: flags.Robot,
    out: Annotated[Path, typer.Option(help="Folder to write into; it is made if needed.")],
    name: Annotated[
        flags.Text, typer.Option(help="What its C functions begin with; by default the robot's name.")
    ] = None,
    seeds: Annotated[
        int, typer.Option(help="Entries of the general solver's table, 256 to 2048; 0 for the closed form alone.")
    ] = ENTRIES,
    base: flags.Base = None,
    tip: flags.Tip = None,
    folder: flags.Folder = [],  # noqa: B006
    arg: flags.Arg = [],  # noqa: B006
    tool: flags.Tool = None,
    limit: flags.Limit = [],  # noqa: B006
    deg: flags.DegIn = False,
    mm: flags.MmIn = False,
    json: flags.PlainJson = False,
) -> None:
    """Write a robot as C: its tables, functions with plain names, compiled kernels, an example.

    The folder builds with a C compiler alone; on this kind of processor its answers are those of Python, bit for bit.

    [bold]Example:[/]  forearm export ur5 --out ur5_c
    """
    units = Units(deg, mm)
    arm = read.read_tool(tool, robots.read_robot(robot, robots.FileFlags(base, tip, folder, arg, limit), units), units)
    files = export_c(arm, out, name, seeds=seeds)
    size = sum(path.stat().st_size for path in files)
    if json:
        show.print_json({"robot": arm.name, "folder": str(out), "files": [path.name for path in files], "bytes": size})
        return
    show.say(f"[bold green]{arm.name}[/] as C in {escape(str(out))}: {len(files)} files, {size / 1e6:.1f} MB")
    show.say(f"build it with: cmake -B {out}/build {out} && cmake --build {out}/build", whole=True)
