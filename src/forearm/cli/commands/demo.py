"""`forearm demo`: one real target, solved and drawn."""

from pathlib import Path
from typing import Annotated

import typer

from forearm.cli import read, show
from forearm.cli.commands.solve import solve


def demo(picture: Annotated[Path, typer.Option(help="Where to write the picture.")] = Path("forearm-demo.png")) -> None:
    """Solve a real target for a UR5 and draw the pose.

    [bold]Example:[/]  forearm demo
    """
    read.check_file(picture)
    show.say("UR5, tool pointing down at x 0.45 m, y 0.20 m, z 0.35 m:")
    solve("ur5", xyz="0.45, 0.20, 0.35", rpy="180, 0, 90", deg=True, picture=picture)
