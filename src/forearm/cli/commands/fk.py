"""`forearm fk ROBOT --q ...`: the pose of the tip."""

from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from forearm.arm.configurations import hint_at_units
from forearm.cli import flags, read, robots, show
from forearm.cli.shell_words import REMEDIES
from forearm.common.transforms import to_quaternion, to_rpy
from forearm.common.types import Floats
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

    As a 4x4 matrix, a quaternion, and roll, pitch, yaw about fixed axes as in URDF.

    [bold]Example:[/]  forearm fk ur5 --deg --q "0, -90, 90, 0, 90, 0"
    """
    units = Units(deg, mm)
    arm = read.read_tool(tool, robots.read_robot(robot, robots.FileFlags(base, tip, folder, arg, limit), units), units)
    values = read.read_joints(q, "--q", arm, units)
    hint_at_units(values, arm.model, "--q", REMEDIES["degrees"])
    T = arm.fk(values)
    wxyz, rpy = to_quaternion(T[:3, :3]), to_rpy(T)
    if json:
        parts = {"xyz": T[:3, 3].tolist(), "quat_wxyz": wxyz.tolist(), "rpy": list(rpy)}
        show.print_json({"robot": arm.name, "q": values.tolist(), "pose": T.tolist()} | parts)
        return
    T[:3, 3] *= 1000.0 if mm else 1.0
    table = Table(title=f"tip of {arm.name} in '{arm.model.base}', position in {units.length}", show_header=False)
    for row in np.round(T, 9) + 0.0:  # no negative zeros
        table.add_row(*(f"{value: .9f}" for value in row))
    show.print_numbers(table)
    show.say(f"quaternion (w, x, y, z)  {listed(wxyz)}", whole=True)
    show.say(f"roll, pitch, yaw ({units.angle})   {listed(units.per_radian * np.array(rpy))}", whole=True)


def listed(numbers: Floats) -> str:
    """Numbers as the flags of `forearm solve` take them."""
    return ", ".join(f"{number:.9f}" for number in np.round(numbers, 9) + 0.0)  # no negative zeros
