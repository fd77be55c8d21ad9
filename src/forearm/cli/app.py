"""The typer application: an index of the commands, each of which has a file in `commands`.

A command's file is imported when that command is asked for, so that `forearm --help`, `--version` and completion in a
shell wait for nothing else.
"""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from forearm import __version__

# name: file and function, and the first line of its help (a test holds them equal)
COMMANDS = {
    "robots": ("lists.robots", "List the robots that load by name."),
    "methods": ("lists.methods", "List the solving methods and their options."),
    "info": ("info.info", "Say what a robot is: joints, limits, reach, structure, and which links may not touch."),
    "fk": ("fk.fk", "Give the pose of the tip for joint values."),
    "solve": ("solve.solve", "Find joint values for a target. Exit code 0 solved, 1 not solved, 2 bad input."),
    "demo": ("solve.demo", "Solve a real target for a UR5 and draw the pose."),
    "track": (
        "track.track",
        "Find joint values along a path of way-points. Exit code 0 complete, 1 stopped early, 2 bad input.",
    ),
    "servo": (
        "servo.servo",
        "Follow a stream of targets: each line on standard input is one tick, each line out its joint values.",
    ),
    "export": (
        "export.export",
        "Write a robot as C: its tables, functions with plain names, compiled kernels, an example.",
    ),
    "pose": (
        "pose.pose",
        "Keep a joint of a BVH or glTF clip at a place. Exit code 0 reached, 1 missed, 2 bad input.",
    ),
    "retarget": (
        "pose.retarget",
        "Carry a BVH or glTF clip over to a robot. Exit code 0 done, 1 with jumps or contacts, 2 bad input.",
    ),
    "reproduce": (
        "reproduce.reproduce",
        "Measure the tables of a paper again and set them beside what the paper prints.",
    ),
    "view": (
        "view.view",
        "Show an arm, a chain or a skeleton in the browser: drag its target and watch it follow.",
    ),
    "bench": (
        "bench.bench",
        "Measure forearm against the solvers that are installed. All answers are checked the same way.",
    ),
    "system": (
        "system.system",
        "Say which version runs here, how its kernels are compiled and why, and which extras are installed.",
    ),
    "map": (
        "map.make",
        "Map what an arm reaches: the share of orientations, the best manipulability, the clearance.",
    ),
    "map-show": (
        "map.look",
        "Show a plane of a map in the terminal or as a picture, a point of it, or its best places.",
    ),
    "solve-file": (
        "solve_file.solve_file",
        "Solve every target of a file. Exit code 0, or 1 if none was solved, 2 bad input.",
    ),
}
STYLE: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": "rich",
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
COMPLETION = ("--install-completion", "--show-completion")
SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")
# What typer raises for a command line that it cannot read; its name has moved from one release to another.
Usage: Any = typer.BadParameter.__mro__[1]


def function_of(name: str) -> Callable[..., None]:
    """What a command runs; its file is imported now."""
    module, _, function = COMMANDS[name][0].rpartition(".")
    found: Callable[..., None] = getattr(import_module(f"forearm.cli.commands.{module}"), function)
    return found


def flowing(text: str) -> str:
    """A docstring whose paragraphs are lines, for a terminal to break: typer keeps the breaks of the source too."""
    lines: list[str] = []
    for line in inspect.cleandoc(text).splitlines():
        if lines and line and lines[-1] and not line.startswith(" ") and not lines[-1].startswith(" "):
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    return "\n".join(lines)


class Flags(TyperCommand):
    """A command whose help has a flag and its opposite in one column: in two of them 80 columns cut both."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Prints the help, with `--[no-]flag` for `--flag` and `--no-flag`."""
        for param in self.params:
            if param.secondary_opts:
                param.opts, param.secondary_opts = [f"--[no-]{param.opts[0].removeprefix('--')}"], []
        super().format_help(ctx, formatter)


class Index(TyperGroup):
    """The commands by name and help alone; the one that is asked for is put in its place."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Reads the words; one behind a flag of completion is the shell, which typer passes over; help is --help."""
        if len(args) > 1 and args[0] in COMPLETION:
            flag, shell = args[:2]
            if shell not in SHELLS:
                raise typer.BadParameter(f"there is no completion for '{shell}'; {flag} takes: {', '.join(SHELLS)}")
            asked: Any = next(param for param in self.params if flag in param.opts)
            asked.callback(ctx, asked, shell)  # ends the process
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names, with its flags; letters that changed places are told."""
        if args[0] not in COMMANDS:
            for near in COMMANDS:
                if sorted(near) == sorted(args[0]):
                    raise Usage(f"No such command '{args[0]}'. Did you mean '{near}'?", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            alone = typer.Typer(add_completion=False, **STYLE)
            function = function_of(name)
            alone.command(name, cls=Flags, help=flowing(function.__doc__ or ""))(function)
            command = get_command(alone)
        return name, command, rest


app = typer.Typer(
    name="forearm",
    cls=Index,
    help="Inverse kinematics for robot arms: joint values inside the limits, or the reason why not.",
    no_args_is_help=True,
    **STYLE,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"forearm {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Show the version.")
]


@app.callback()
def common(version: Version = False) -> None:
    """Inverse kinematics for robot arms: joint values inside the limits, or the reason why not."""


def _stand_in() -> None:
    """Stands where a command is only named."""


for _name, (_, _line) in COMMANDS.items():
    app.command(_name, help=_line)(_stand_in)
