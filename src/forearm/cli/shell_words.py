"""The library's messages in the words of the shell: flags for arguments, and remedies that a shell has."""

import re
import shlex
from typing import Any

from forearm.errors import Message, filled, shown

TAKES = {"int_parsing": "it takes a whole number", "float_parsing": "it takes a number"}

# Python's arguments that are flags: most by the same name, some by another.
SAME = (
    "acceleration base between bounds chunk clearance deg direction halfway_tol host insert interpolate max_joint_step "
    "method mm nearest_rigid orientations out overwrite port posture priority q0 quat_wxyz quat_xyzw radius rate "
    "reconfigure resolution rest resume rows rpy scheduler self_collision smoothing swivel target tip tol tool tries "
    "velocity what workers"
)
OTHER = {
    "args": "--arg",
    "folders": "--folder",
    "limits": "--limit",
    "locked": "--lock",
    "pose": "--matrix",
    "position": "--xyz",
    "threads": "--workers",
}
FLAGS = {name: f"--{name.replace('_', '-')}" for name in SAME.split()} | OTHER

LIMITS = re.compile(r"\{'(.+)': \((.+), (.+)\)\}")  # Python's limits of one joint

# What stands at a mark of a message where a shell has another way out than Python, or none.
REMEDIES = {
    "clip": "choose values inside them",
    "degrees": "--deg reads them",
    "fewer": "give --xyz with --direction, or --xyz alone",
    "give_value": "give its value with --arg name=value",
    "inf": "inf leaves it free",
    "make_map": "`forearm map ROBOT --out map.zarr` makes one",
    "none": "",
    "off": "none",
    "or_folders": ", or name its folder with --folder",
    "point": "for a point alone, give --xyz alone",
    "radius": "--radius of solve, solve-file and track",
    "read_clip": "`forearm pose FILE`",
    "rigid": "--nearest-rigid takes the nearest one",
    "rotation": "for an orientation alone, leave --xyz out",
    "scene": "give it beside a robot, as in `forearm solve ROBOT --obstacles FILE`",
    "tolerance": "--tol",
}

NUMBERS = re.compile(r"extra argument\S* \(-?[0-9.]")  # left over


def for_shell(message: str) -> str:
    """A message of the library for someone who has flags, not Python."""
    if not isinstance(message, Message):
        return message
    return filled(message.text, {mark: REMEDIES.get(mark, flag_of(said)) for mark, said in message.said.items()})


def usage_words(problem: Any) -> str:
    """A mistake in the words of a command line, in one line; empty where help was asked for by giving none."""
    if type(problem).__name__ == "NoArgsIsHelpError":
        return ""
    words = problem.format_message().rstrip(".")
    faults: list[Any] = getattr(problem.__cause__, "errors", list)()  # what a newer typer leaves out: the value
    if faults and getattr(problem, "param", None) is not None:
        from forearm.common.checks import brief  # noqa: PLC0415 (it wants kernels; `forearm system` speaks without)

        fault, flag = faults[0], max(problem.param.opts, key=len)
        words = f"{flag} is {brief(fault['input'])}; {TAKES.get(fault['type'], fault['msg'])}"
    if NUMBERS.search(words):  # the shell has split a vector
        words += "; several numbers are one value: --xyz 0.4,0.2,0.3"
    where = f"{problem.ctx.command_path} --help" if problem.ctx is not None else "--help"
    return shown(f"{words}; {where} says more")


def flag_of(said: str) -> str:
    """The flag of an argument, with its value if one is said: `--tip tool0` for `tip='tool0'`."""
    name, _, value = said.partition("=")
    if name not in FLAGS:
        return said
    if pair := LIMITS.fullmatch(value):
        return f"{FLAGS[name]} {shlex.quote('{}={}:{}'.format(*pair.groups()))}"
    value = value.strip("'")
    return FLAGS[name] if value in ("", "...", "True") else f"{FLAGS[name]} {shlex.quote(value)}"
