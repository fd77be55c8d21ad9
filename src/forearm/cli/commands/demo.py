"""`forearm demo`: one real target, solved and drawn."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from forearm.cli import read, show
from forearm.cli.commands.solve import NOT_SOLVED, print_picture, print_solution
from forearm.common.units import Units
from forearm.robot import load


def demo(picture: Annotated[Path, typer.Option(help="Where to write the picture.")] = Path("forearm-demo.png")) -> None:
    """Solve a real target for a UR5 and draw the pose.

    [bold]Example:[/]  forearm demo
    """
    read.check_picture(picture)
    arm, units = load("ur5"), Units(deg=True)
    target = read.read_target(arm, units, None, xyz="0.45, 0.20, 0.35", rpy="180, 0, 90")
    show.say("UR5, tool pointing down at x 0.45 m, y 0.20 m, z 0.35 m:")
    solution = arm.solve(target)
    print_solution(arm, solution, units)
    print_picture(arm, solution, target, picture)
    if not solution.success:
        sys.exit(NOT_SOLVED)
