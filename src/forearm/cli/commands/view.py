"""`forearm view`: an arm, a chain of bones or a skeleton in the browser, live."""

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from forearm.cli import flags, robots, show
from forearm.common.units import Units
from forearm.errors import OptionError
from forearm.robot import Robot

if TYPE_CHECKING:
    from forearm.viewer import Viewer
    from forearm.viewer.arm.figure import Piece

# The same as `forearm.viewer` has; that package is loaded only if something is to be viewed.
LOOPBACK, DEFAULT_PORT = "127.0.0.1", 8080
TREE_HELP = "All arms and legs of a robot's file at once, on a base that is: fixed, planar, free or rail."


def view(
    robot: flags.PerhapsRobot = None,
    chain: Annotated[flags.Count, typer.Option(help="A chain of this many bones instead of a robot.")] = None,
    skeleton: Annotated[bool, typer.Option("--skeleton", help="The upper half of a body instead of a robot.")] = False,
    tree: Annotated[str | None, typer.Option(help=TREE_HELP)] = None,
    goals: Annotated[flags.Where, typer.Option(help="A file (TOML) of goals for several tips of a robot.")] = None,
    base: flags.Base = None,
    tip: flags.Tip = None,
    folder: flags.Folder = [],  # noqa: B006
    arg: flags.Arg = [],  # noqa: B006
    limit: flags.Limit = [],  # noqa: B006
    capsules: Annotated[
        bool, typer.Option("--capsules", help="Draw plain shapes even if the file has meshes.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 lets others in the network in.")] = LOOPBACK,
    port: Annotated[int, typer.Option(help="Port; the next free one if it is in use, 0 for any.")] = DEFAULT_PORT,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in this machine's browser.")] = False,
) -> None:
    """Show an arm, a chain or a skeleton in the browser: drag its target and watch it follow.

    [bold]Examples:[/]

      forearm view ur5

      forearm view arm.urdf --tip tool0 --port 9000

      forearm view humanoid.urdf --tree free

      forearm view --chain 20
    """
    from forearm.viewer import view_chain, view_robot, view_skeleton  # noqa: PLC0415 (no other command needs it)

    if (robot is not None) + (chain is not None) + skeleton != 1:
        raise OptionError("view takes one of: a robot, --chain N, --skeleton; for example `forearm view ur5`")
    if tree is not None or goals is not None:
        if robot is None or base or tip or limit:
            raise OptionError("--tree and --goals go with a robot's file, without --base, --tip and --limit")
        viewer = open_tree(robot, (folder, arg), tree, goals, (host, port))
    elif robot is not None:
        arm = robots.read_robot(robot, robots.FileFlags(base, tip, folder, arg, limit), Units(False, False))
        viewer = view_robot(arm, host=host, port=port, pieces=find_figure(arm, folder, capsules))
    elif base or tip or folder or arg or limit:
        raise OptionError("--base, --tip, --arg, --limit and --folder go with a robot's file")
    else:
        viewer = view_skeleton(host=host, port=port) if chain is None else view_chain(chain, host=host, port=port)
    with viewer:
        if viewer.wanted_port not in (0, viewer.port):
            show.say(f"port {viewer.wanted_port} is in use, so this is on {viewer.port}")
        if viewer.is_public:
            show.say(f"it listens on more than this machine: whoever reaches port {viewer.port} of it can use the page")
        show.say(f"open [bold]{escape(viewer.url)}[/] in a browser; end with Ctrl+C", whole=True)
        if open_browser:
            webbrowser.open(viewer.url)
        viewer.wait()
    show.say("viewer closed")


def open_tree(
    robot: str, more: tuple[list[Path], list[str]], base: str | None, goals: Path | None, where: tuple[str, int]
) -> "Viewer":
    """The page of a whole robot, with the goals of a file if there is one; folders and arguments are its file's."""
    from forearm.cli.goals import read_tree  # noqa: PLC0415 (no other road needs them)
    from forearm.goals.file import read_goals  # noqa: PLC0415
    from forearm.trees.body import BASES  # noqa: PLC0415
    from forearm.trees.stack import as_start  # noqa: PLC0415
    from forearm.viewer import view_tree  # noqa: PLC0415
    from forearm.viewer.tree.figure import tree_pieces  # noqa: PLC0415

    if base is not None and goals is not None:
        raise OptionError("--tree does not go with --goals, whose file says the base; leave one of them out")
    if base is not None and base not in BASES:
        raise OptionError(f"--tree is '{base}'; it takes: {', '.join(BASES)}")
    asked = read_goals(goals) if goals is not None else None
    kind, joints = (base or "fixed", None) if asked is None else (asked.base, asked.joints)
    tree = read_tree(robot, *more, kind, joints)
    q = None if asked is None or asked.start is None else as_start(asked.start, tree.body)
    pieces, why = tree_pieces(tree.body, more[0])
    if why:
        show.say(f"drawn plainly: {escape(why)}", whole=True)
    wishes = None if asked is None else asked.goals
    return view_tree(tree, goals=wishes, q=q, host=where[0], port=where[1], pieces=pieces)


def find_figure(robot: Robot, folders: list[Path], plain: bool) -> "list[Piece]":
    """What a robot looks like by its file, or a plain figure; says why if something cannot be drawn."""
    from forearm.viewer.arm.figure import capsule_pieces  # noqa: PLC0415 (no other command needs it)
    from forearm.viewer.arm.meshes import figure_pieces  # noqa: PLC0415

    if plain:
        return capsule_pieces(robot.model)
    pieces, why = figure_pieces(robot.model, folders)
    if why:
        show.say(f"drawn plainly: {escape(why)}", whole=True)
    return pieces
