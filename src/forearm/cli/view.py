"""`forearm view ROBOT`: an arm in the browser, live."""

import webbrowser
from typing import Annotated, Optional

import typer
from rich.markup import escape

from forearm.cli import read, show
from forearm.viewer import DEFAULT_PORT, LOOPBACK, Viewer, view_robot

Text = Optional[str]  # noqa: UP045 (typer reads Optional on Python 3.10)


def view(
    robot: Annotated[str, typer.Argument(help="A name from `forearm robots`, or a URDF, xacro, MJCF, TOML file.")],
    base: Annotated[Text, typer.Option(help="Base link of a file; the root by default.")] = None,
    tip: Annotated[Text, typer.Option(help="Tip link (MJCF: site or body) of a file.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 lets others in the network in.")] = LOOPBACK,
    port: Annotated[int, typer.Option(help="Port; the next free one if it is in use, 0 for any.")] = DEFAULT_PORT,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in this machine's browser.")] = False,
) -> None:
    """Show an arm in the browser: drag its target and watch it follow.

    [bold]Examples:[/]

      forearm view ur5

      forearm view arm.urdf --tip tool0 --port 9000
    """
    arm = read.read_robot(robot, base, tip)
    with view_robot(arm, host=host, port=port) as viewer:
        announce(viewer)
        if open_browser:
            webbrowser.open(viewer.url)
        viewer.wait()
    show.out.print("viewer closed", highlight=False)


def announce(viewer: Viewer) -> None:
    """Says where the page is, and what differs from what was asked."""
    if viewer.wanted_port not in (0, viewer.port):
        show.out.print(f"port {viewer.wanted_port} is in use, so this is on {viewer.port}", highlight=False)
    show.out.print(f"open [bold]{escape(viewer.url)}[/] in a browser; end with Ctrl+C", highlight=False, soft_wrap=True)
