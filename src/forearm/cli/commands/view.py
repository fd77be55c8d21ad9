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
    from forearm.viewer.arm.figure import Piece

# The same as `forearm.viewer` has; that package is loaded only if something is to be viewed.
LOOPBACK, DEFAULT_PORT = "127.0.0.1", 8080


def view(
    robot: flags.PerhapsRobot = None,
    chain: Annotated[flags.Count, typer.Option(help="A chain of so many bones instead of a robot.")] = None,
    skeleton: Annotated[bool, typer.Option("--skeleton", help="The upper half of a body instead of a robot.")] = False,
    base: flags.Base = None,
    tip: flags.Tip = None,
    folder: flags.Folder = [],  # noqa: B006
    arg: flags.Arg = [],  # noqa: B006
    limit: flags.Limit = [],  # noqa: B006
    capsules: Annotated[bool, typer.Option("--capsules", help="A plain figure, also where meshes are found.")] = False,
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 lets others in the network in.")] = LOOPBACK,
    port: Annotated[int, typer.Option(help="Port; the next free one if it is in use, 0 for any.")] = DEFAULT_PORT,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in this machine's browser.")] = False,
) -> None:
    """Show an arm, a chain or a skeleton in the browser: drag its target and watch it follow.

    [bold]Examples:[/]

      forearm view ur5

      forearm view arm.urdf --tip tool0 --port 9000

      forearm view --chain 20
    """
    from forearm.viewer import view_chain, view_robot, view_skeleton  # noqa: PLC0415 (no other command needs it)

    if (robot is not None) + (chain is not None) + skeleton != 1:
        raise OptionError("view takes one of: a robot, --chain N, --skeleton; for example `forearm view ur5`")
    if robot is not None:
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
