"""`forearm fk ROBOT --q ...`: the pose of the tip."""

from typing import Annotated

import typer
from rich.table import Table

from forearm.cli import flags, read, robots, show
from forearm.common.units import Units


def fk(
    robot: flags.Robot,
    q: Annotated[str, typer.Option("--q", help="Joint values, separated by commas or blanks.")],
    base: flags.Base = None,
    tip: flags.Tip = None,
    folder: flags.Folder = [],  # noqa: B006
    arg: flags.Arg = [],  # noqa: B006
    limit: flags.Limit = [],  # noqa: B006
    tool: flags.Tool = None,
    deg: flags.Deg = False,
    mm: flags.Mm = False,
    json: flags.Json = False,
) -> None:
    """Give the pose of the tip for joint values.

    [bold]Example:[/]  forearm fk ur5 --deg --q "0, -90, 90, 0, 90, 0"
    """
    units = Units(deg, mm)
    arm = read.read_tool(tool, robots.read_robot(robot, robots.FileFlags(base, tip, folder, arg, limit), units), units)
    values = read.read_joints(q, "--q", arm, units)
    T = arm.fk(values)
    if json:
        show.print_json({"robot": arm.name, "q": values.tolist(), "pose": T.tolist()})
        return
    T[:3, 3] *= 1000.0 if mm else 1.0
    table = Table(title=f"tip of {arm.name} in '{arm.model.base}', position in {units.length}", show_header=False)
    for row in T:
        table.add_row(*(f"{value: .9f}" for value in row))
    show.print_numbers(table)
