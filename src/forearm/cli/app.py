"""The typer application: an index of the commands, each of which has a file in `commands`."""

from typing import Annotated

import typer

from forearm import __version__
from forearm.cli import show
from forearm.cli.commands import (
    bench,
    fk,
    info,
    map,
    methods,
    reproduce,
    robots,
    servo,
    solve,
    solve_file,
    system,
    track,
    view,
)

app = typer.Typer(
    name="forearm",
    help="Inverse kinematics for robot arms: joint values inside the limits, or the reason why not.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        show.say(f"forearm {__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")]


@app.callback()
def common(version: Version = False) -> None:
    """Inverse kinematics for robot arms: joint values inside the limits, or the reason why not."""


app.command()(robots.robots)
app.command()(methods.methods)
app.command()(info.info)
app.command()(fk.fk)
app.command()(solve.solve)
app.command()(solve.demo)
app.command()(track.track)
app.command()(servo.servo)
app.command()(reproduce.reproduce)
app.command()(view.view)
app.command()(bench.bench)
app.command()(system.system)
app.command("map")(map.make)
app.command("map-show")(map.look)
app.command("solve-file")(solve_file.solve_file)
