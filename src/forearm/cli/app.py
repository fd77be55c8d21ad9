"""The typer application: what each command takes and in which order things happen."""

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from forearm import __version__
from forearm.cli import read, show
from forearm.cli.commands import map
from forearm.cli.commands.bench import bench
from forearm.cli.commands.reproduce import reproduce
from forearm.cli.commands.solve_file import solve_file
from forearm.cli.commands.track import track
from forearm.cli.commands.view import view
from forearm.common.units import Units
from forearm.models.catalog import describe_robots
from forearm.robot import load
from forearm.solve.methods.table import DEFAULT_METHOD, METHODS

NOT_SOLVED = 1

app = typer.Typer(
    name="forearm",
    help="Inverse kinematics for robot arms: joint values inside the limits, or the reason why not.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

RobotArgument = Annotated[str, typer.Argument(help="A name from `forearm robots`, or a URDF, xacro, MJCF, TOML file.")]
Text = Optional[str]  # noqa: UP045 (typer reads Optional on Python 3.10)
Base = Annotated[Text, typer.Option(help="Base link of a file; the root by default.")]
Tip = Annotated[Text, typer.Option(help="Tip link (MJCF: site or body) of a file.")]
Deg = Annotated[bool, typer.Option("--deg", help="Angles in degrees, in and out.")]
Mm = Annotated[bool, typer.Option("--mm", help="Lengths in millimetres, in and out.")]
Json = Annotated[bool, typer.Option("--json", help="JSON for machines; always radians and metres.")]
Obstacles = Annotated[Optional[Path], typer.Option(help="A scene (TOML) to keep away from.")]  # noqa: UP045
Clear = Annotated[Text, typer.Option(help="Least distance to keep from obstacles; 0.01 m.")]
Radius = Annotated[Text, typer.Option(help="Radius of the arm's links, instead of a file's shapes.")]
Tool = Annotated[Text, typer.Option(help="Tool in the tip's frame: x, y, z, or x, y, z, roll, pitch, yaw.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        show.out.print(f"forearm {__version__}", highlight=False)
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")]


@app.callback()
def common(
    version: Version = False,
) -> None:
    """Inverse kinematics for robot arms: joint values inside the limits, or the reason why not."""


@app.command()
def robots(json: Json = False) -> None:
    """List the robots that load by name.

    [bold]Example:[/]  forearm robots
    """
    rows = describe_robots()
    if json:
        show.print_json([row._asdict() for row in rows])
    else:
        show.out.print(show.robots_table(rows))


@app.command()
def methods(json: Json = False) -> None:
    """List the solving methods and their options.

    [bold]Example:[/]  forearm methods
    """
    if json:
        show.print_json(show.methods_data(METHODS.values()))
    else:
        show.out.print(show.methods_table(METHODS.values()))


@app.command()
def info(
    robot: RobotArgument, base: Base = None, tip: Tip = None, deg: Deg = False, mm: Mm = False, json: Json = False
) -> None:
    """Say what a robot is: joints, limits, reach, structure, and which links may not touch.

    [bold]Examples:[/]

      forearm info ur5 --deg

      forearm info arm.urdf --tip tool0
    """
    arm = read.read_robot(robot, base, tip)
    if json:
        show.print_json(show.info_data(arm))
    else:
        show.print_info(arm, Units(deg, mm))


@app.command()
def fk(
    robot: RobotArgument,
    q: Annotated[str, typer.Option("--q", help="Joint values, separated by commas or blanks.")],
    base: Base = None,
    tip: Tip = None,
    tool: Tool = None,
    deg: Deg = False,
    mm: Mm = False,
    json: Json = False,
) -> None:
    """Give the pose of the tip for joint values.

    [bold]Example:[/]  forearm fk ur5 --deg --q "0, -90, 90, 0, 90, 0"
    """
    units = Units(deg, mm)
    arm = read.read_tool(tool, read.read_robot(robot, base, tip), units)
    values = read.read_configuration(q, "--q", arm, units)
    assert values is not None  # --q is required
    T = arm.fk(values)
    if json:
        show.print_json({"robot": arm.name, "q": values.tolist(), "pose": T.tolist()})
        return
    T[:3, 3] *= 1000.0 if mm else 1.0
    show.print_numbers(show.matrix_table(T, f"tip of {arm.name} in '{arm.model.base}', position in {units.length}"))


@app.command()
def solve(
    robot: RobotArgument,
    xyz: Annotated[Text, typer.Option(help="Position of the tip.")] = None,
    rpy: Annotated[Text, typer.Option(help="Roll, pitch, yaw about fixed axes, as in URDF.")] = None,
    quat_wxyz: Annotated[Text, typer.Option(help="Quaternion, scalar first.")] = None,
    quat_xyzw: Annotated[Text, typer.Option(help="Quaternion, scalar last.")] = None,
    direction: Annotated[Text, typer.Option(help="Where the tool's z axis points; roll is free.")] = None,
    matrix: Annotated[Text, typer.Option(help="16 numbers of a 4x4, row by row, or a file with them.")] = None,
    from_q: Annotated[Text, typer.Option(help="Take the pose of these joint values as target.")] = None,
    tol: Annotated[Text, typer.Option(help="Tolerances: position and rotation. 1e-6 m and 1e-6 rad.")] = None,
    limit: Annotated[list[str], typer.Option(help="joint=lower:upper instead of its own.")] = [],  # noqa: B006
    q0: Annotated[Text, typer.Option(help="Start configuration.")] = None,
    lock: Annotated[list[str], typer.Option(help="joint=value to hold still; may be repeated.")] = [],  # noqa: B006
    method: Annotated[str, typer.Option(help="One of `forearm methods`.")] = DEFAULT_METHOD,
    option: Annotated[list[str], typer.Option(help="name=value of the method; may be repeated.")] = [],  # noqa: B006
    tool: Tool = None,
    obstacles: Obstacles = None,
    clearance: Clear = None,
    radius: Radius = None,
    picture: Annotated[Optional[Path], typer.Option(help="Write a picture of the pose here.")] = None,  # noqa: UP045
    base: Base = None,
    tip: Tip = None,
    deg: Deg = False,
    mm: Mm = False,
    json: Json = False,
) -> None:
    """Find joint values for a target. Exit code 0 solved, 1 not solved, 2 bad input.

    [bold]Examples:[/]

      forearm solve ur5 --xyz "0.4, 0.2, 0.3" --rpy "180, 0, 90" --deg

      forearm solve so101 --xyz "0.25, 0, 0.05" --direction "0, 0, -1"

      forearm solve arm.urdf --tip tool0 --xyz "400, 0, 300" --mm --json

      forearm solve panda --xyz "0.5, 0.1, 0.2" --rpy "180, 0, 0" --deg --obstacles scene.toml
    """
    units = Units(deg, mm)
    read.check_picture(picture)
    arm = read.read_tool(tool, read.read_robot(robot, base, tip), units)
    flags = {
        "xyz": xyz,
        "rpy": rpy,
        "quat-wxyz": quat_wxyz,
        "quat-xyzw": quat_xyzw,
        "direction": direction,
        "matrix": matrix,
        "from-q": from_q,
    }
    target = read.read_target(flags, tol, arm, units)
    start = read.read_configuration(q0, "--q0", arm, units)
    limits, locked = read.read_limits(limit, arm, units), read.read_locked(lock, arm, units)
    options = read.read_options(option, method)
    arm, guard = read.read_guard(obstacles, clearance, radius, arm, units)
    solution = arm.solve(target, start, method=method, limits=limits, locked=locked, **guard, **options)
    if json:
        show.print_json({"robot": arm.name, "joints": arm.joint_names} | solution.to_dict())
    else:
        show.print_solution(arm, solution, units)
    if picture is not None:
        show.print_picture(arm, solution, target, picture, quiet=json, obstacles=guard.get("obstacles"))
    if not solution.success:
        sys.exit(NOT_SOLVED)


@app.command()
def demo(picture: Annotated[Path, typer.Option(help="Where to write the picture.")] = Path("forearm-demo.png")) -> None:
    """Solve a real target for a UR5 and draw the pose.

    [bold]Example:[/]  forearm demo
    """
    read.check_picture(picture)
    arm = load("ur5")
    units = Units(deg=True)
    flags: dict[str, str | None] = {"xyz": "0.45, 0.20, 0.35", "rpy": "180, 0, 90"}
    target = read.read_target(flags, None, arm, units)
    show.out.print("UR5, tool pointing down at x 0.45 m, y 0.20 m, z 0.35 m:", highlight=False)
    solution = arm.solve(target)
    show.print_solution(arm, solution, units)
    show.print_picture(arm, solution, target, picture)
    if not solution.success:
        sys.exit(NOT_SOLVED)


app.command()(track)
app.command()(reproduce)
app.command()(view)
app.command()(bench)
app.command("map")(map.make)
app.command("map-show")(map.look)
app.command("solve-file")(solve_file)
