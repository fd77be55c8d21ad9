"""The flags that several commands share, each in one place; what one command alone takes stands with it."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from forearm.cli.completion import complete_methods, complete_robots

# typer reads Optional on Python 3.10
Text = Optional[str]  # noqa: UP045
Count = Optional[int]  # noqa: UP045
Number = Optional[float]  # noqa: UP045
Switch = Optional[bool]  # noqa: UP045
Where = Optional[Path]  # noqa: UP045

_ROBOT = "A name from `forearm robots`, or a URDF, xacro, MJCF, TOML file."
_JSON = "JSON for machines"

# -- the arm -------------------------------------------------------------------------------------

Robot = Annotated[str, typer.Argument(help=_ROBOT, autocompletion=complete_robots)]
PerhapsRobot = Annotated[Text, typer.Argument(help=_ROBOT, autocompletion=complete_robots)]
Base = Annotated[Text, typer.Option(help="Base link of a file; the root by default.")]
Tip = Annotated[Text, typer.Option(help="Tip link (MJCF: site or body) of a file.")]
Folder = Annotated[list[Path], typer.Option(help="Further folder that a file may read from; may be repeated.")]
Arg = Annotated[list[str], typer.Option(help="name=value of a xacro's argument; may be repeated.")]
Tool = Annotated[Text, typer.Option(help="Tool in the tip's frame: x, y, z, or x, y, z, roll, pitch, yaw.")]
Limit = Annotated[list[str], typer.Option(help="joint=lower:upper instead of the limits that it has; may be repeated.")]
Lock = Annotated[list[str], typer.Option(help="joint=value to hold still; may be repeated.")]

# -- how it is solved ----------------------------------------------------------------------------

Tolerances = Annotated[Text, typer.Option(help="Tolerances of position and rotation; 1e-6 m and 1e-6 rad by default.")]
Method = Annotated[str, typer.Option(help="One of `forearm methods`.", autocompletion=complete_methods)]
Options = Annotated[list[str], typer.Option(help="name=value, an option of the method; may be repeated.")]
Obstacles = Annotated[Where, typer.Option(help="A scene (TOML), or a world (URDF, SDF, MJCF) to keep away from.")]
Clearance = Annotated[Text, typer.Option(help="Least distance to keep; 0.01 m by default.")]
Radius = Annotated[Text, typer.Option(help="Radius of the arm's links, instead of a file's shapes.")]
SelfCollision = Annotated[
    Switch, typer.Option(help="Whether the arm must not touch itself; by default if there are obstacles.")
]
Workers = Annotated[Count, typer.Option(help="Threads; one per processor by default.")]
Scheduler = Annotated[
    Text, typer.Option(help="Address of a Dask scheduler, such as tcp://host:8786, to solve on its workers.")
]

# -- units and output ----------------------------------------------------------------------------

Deg = Annotated[bool, typer.Option("--deg", help="Angles in degrees, in and out.")]
Mm = Annotated[bool, typer.Option("--mm", help="Lengths in millimetres, in and out.")]
DegIn = Annotated[bool, typer.Option("--deg", help="Angles in degrees.")]
MmIn = Annotated[bool, typer.Option("--mm", help="Lengths in millimetres.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there already.")]
NearestRigid = Annotated[
    bool, typer.Option("--nearest-rigid", help="Take rounded matrices as the nearest rigid ones, and say how far off.")
]
Json = Annotated[bool, typer.Option("--json", help=f"{_JSON}; always radians and metres.")]
PlainJson = Annotated[bool, typer.Option("--json", help=f"{_JSON}.")]
