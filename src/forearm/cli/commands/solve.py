"""`forearm solve ROBOT ...`: joint values for one target; `forearm demo` solves and draws a real one."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from forearm.cli import flags, numbers, read, robots, show
from forearm.cli.branches import print_branches
from forearm.cli.goals import solve_goals
from forearm.cli.shell_words import for_shell
from forearm.common.defaults import DEFAULT_METHOD
from forearm.common.units import Units
from forearm.core.codes import POSE
from forearm.errors import MissingExtraError, OptionError, counted
from forearm.plot import save_pose
from forearm.results.solution import Solution
from forearm.robot import Robot
from forearm.targets.target import Target

NOT_SOLVED = 1


def solve(
    robot: flags.Robot,
    xyz: Annotated[flags.Text, typer.Option(help="Position of the tip.")] = None,
    rpy: Annotated[flags.Text, typer.Option(help="Roll, pitch, yaw about fixed axes, as in URDF.")] = None,
    quat_wxyz: Annotated[flags.Text, typer.Option(help="Quaternion, scalar first.")] = None,
    quat_xyzw: Annotated[flags.Text, typer.Option(help="Quaternion, scalar last.")] = None,
    direction: Annotated[flags.Text, typer.Option(help="Where the tool's z axis points; roll is free.")] = None,
    matrix: Annotated[flags.Text, typer.Option(help="16 numbers of a 4x4, row by row, or a file with them.")] = None,
    nearest_rigid: flags.NearestRigid = False,
    from_q: Annotated[flags.Text, typer.Option(help="Take the pose of these joint values as target.")] = None,
    goals: Annotated[flags.Where, typer.Option(help="A file (TOML) of goals for several tips of a robot.")] = None,
    tol: flags.Tolerances = None,
    limit: flags.Limit = [],  # noqa: B006
    q0: Annotated[flags.Text, typer.Option(help="Joint values; the answer nearest to them is taken.")] = None,
    lock: flags.Lock = [],  # noqa: B006
    swivel: Annotated[flags.Text, typer.Option(help="7R arms: angle of the elbow about shoulder-wrist.")] = None,
    rest: Annotated[flags.Text, typer.Option(help="Posture that an arm with joints to spare comes close to.")] = None,
    posture: Annotated[flags.Text, typer.Option(help="A branch by name, as in 'elbow up, wrist flip'.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every branch inside the limits, nearest to --q0 first.")
    ] = False,
    method: flags.Method = DEFAULT_METHOD,
    option: flags.Options = [],  # noqa: B006
    tool: flags.Tool = None,
    obstacles: flags.Obstacles = None,
    clearance: flags.Clearance = None,
    radius: flags.Radius = None,
    self_collision: flags.SelfCollision = None,
    picture: Annotated[flags.Where, typer.Option(help="Write a picture of the pose here.")] = None,
    base: flags.Base = None,
    tip: flags.Tip = None,
    folder: flags.Folder = [],  # noqa: B006
    arg: flags.Arg = [],  # noqa: B006
    deg: flags.Deg = False,
    mm: flags.Mm = False,
    json: flags.Json = False,
) -> None:
    """Find joint values for a target. Exit code 0 solved, 1 not solved, 2 bad input.

    [bold]Examples:[/]

      forearm solve ur5 --xyz "0.4, 0.2, 0.3" --rpy "180, 0, 90" --deg

      forearm solve so101 --xyz "0.25, 0, 0.05" --direction "0, 0, -1"

      forearm solve arm.urdf --tip tool0 --xyz "400, 0, 300" --mm --json

      forearm solve ur5 --xyz "0.4, 0.2, 0.3" --rpy "180, 0, 90" --deg --all

      forearm solve panda --xyz "0.5, 0.1, 0.2" --rpy "180, 0, 0" --deg --obstacles scene.toml
    """
    units = Units(deg, mm)
    if goals is not None:
        return answer_goals(robot, goals, (folder, arg), units, json, (xyz, rpy, matrix, q0, tip, base))
    read.check_file(picture)
    file = robots.FileFlags(base, tip, folder, arg, limit)
    arm, guard = read.read_arm(robot, file, tool, read.GuardFlags(obstacles, clearance, radius, self_collision), units)
    given = {"rpy": rpy, "quat_wxyz": quat_wxyz, "quat_xyzw": quat_xyzw, "xyz": xyz, "direction": direction}
    target = read.read_target(arm, units, tol, nearest_rigid, **given, matrix=matrix, from_q=from_q)
    start = read.read_start(q0, arm, locked := read.read_locked(lock, arm, units), units)
    if every:
        wishes = {"--swivel": swivel, "--rest": rest, "--posture": posture, "--picture": picture, "--option": option}
        refuse_beside_all(wishes | {"--self-collision": self_collision, "--obstacles": obstacles}, method)
        return print_branches(arm, arm.solve_all(target, start, locked=locked), units, json)
    options = read.read_options(option, method) | read_wishes(arm, swivel, rest, posture, units)
    solution = arm.solve(target, start, method=method, locked=locked, **guard, **options)
    if json:
        show.print_json({"robot": arm.name, "joints": arm.joint_names} | solution.to_dict())
    else:
        print_solution(arm, solution, units)
    if picture is not None:
        print_picture(arm, solution, target, picture, quiet=json, obstacles=guard.get("obstacles"))
    if not solution.success:
        sys.exit(NOT_SOLVED)


def read_wishes(arm: Robot, swivel: flags.Text, rest: flags.Text, posture: flags.Text, units: Units) -> dict[str, Any]:
    """Which of several answers is wanted, as arguments of `solve`."""
    wishes: dict[str, Any] = {} if posture is None else {"posture": posture}
    if swivel is not None:
        wishes["swivel"] = float(units.read_angles(numbers.read_numbers(swivel, "--swivel", 1))[0])
    if rest is not None:
        wishes["rest"] = read.read_joints(rest, "--rest", arm, units)
    return wishes


def answer_goals(
    robot: str, goals: Path, more: tuple[list[Path], list[str]], units: Units, json: bool, beside: tuple[Any, ...]
) -> None:
    """Solves a file of goals, with folders and arguments of the robot's file; refuses flags that the goals say."""
    for flag, value in zip(("--xyz", "--rpy", "--matrix", "--q0", "--tip", "--base"), beside, strict=True):
        if value:
            raise OptionError(f"{flag} does not go with --goals, whose file says it; leave one of them out")
    if not solve_goals(robot, goals, *more, units, json):
        sys.exit(NOT_SOLVED)


def refuse_beside_all(given: dict[str, Any], method: str) -> None:
    """Refuses flags that a list of all branches cannot honour."""
    for flag, value in ({"--method": method != DEFAULT_METHOD} | given).items():
        if value:
            raise OptionError(f"{flag} does not go with --all, which lists every branch; leave one of them out")


def demo(picture: Annotated[Path, typer.Option(help="Where to write the picture.")] = Path("forearm-demo.png")) -> None:
    """Solve a real target for a UR5 and draw the pose.

    [bold]Example:[/]  forearm demo
    """
    read.check_file(picture)
    show.say("UR5, tool pointing down at x 0.45 m, y 0.20 m, z 0.35 m:")
    try:
        solve("ur5", xyz="0.45, 0.20, 0.35", rpy="180, 0, 90", deg=True, picture=picture)
    except MissingExtraError as problem:  # an install without matplotlib has solved it all the same
        show.note(f"no picture: {problem}")
    show.say("next: forearm view ur5 (drag the target in the browser), forearm robots, forearm --help", whole=True)


def print_solution(robot: Robot, solution: Solution, units: Units) -> None:
    """A verdict as a table with its sentence."""
    colour = "green" if solution.success else "yellow"
    show.say(
        f"[bold {colour}]{solution.status}[/] by {solution.method}: {escape(units.words(for_shell(solution.reason)))}"
    )
    model = robot.model
    unit = units.joint(model.joint_kinds)
    table = Table("joint", f"value ({unit})", f"lower ({unit})", f"upper ({unit})")
    for k, (name, kind) in enumerate(zip(model.joint_names, model.joint_kinds, strict=True)):
        values = (solution.q[k], model.limits[0, k], model.limits[1, k])
        table.add_row(escape(name), *(units.show_joint(value, kind) for value in values))
    show.print_numbers(table)
    tries = f"{solution.tries} {'try' if solution.tries == 1 else 'tries'}"
    errors = units.show_errors(solution.position_error, solution.rotation_error)
    show.say(f"{errors}   {counted(solution.iterations, 'iteration')} in {tries}")


def print_picture(robot: Robot, solution: Solution, target: Target, path: Path, *, quiet: bool, obstacles: Any) -> None:
    """Writes a picture of the pose and says where it is."""
    goal = target.goal if target.kind == POSE else None
    try:
        written = save_pose(robot, solution, path, target=goal, obstacles=obstacles)
    except OSError as problem:
        raise OptionError(f"cannot write the picture '{path}': {problem.strerror}; choose another place") from None
    if not quiet:
        show.say(f"picture of the pose: {written}", whole=True)
