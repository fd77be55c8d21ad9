"""`forearm info ROBOT`: what a robot is."""

import math
from typing import Any

from rich.markup import escape
from rich.table import Table

from forearm.arm.axes import describe_axes
from forearm.arm.geometry import LATER
from forearm.cli import flags, robots, show
from forearm.cli.shell_words import for_shell
from forearm.common.units import Units
from forearm.core.codes import VARIABLE
from forearm.errors import ForearmError, counted
from forearm.models.model import describe
from forearm.robot import Robot

MOST = 8  # links, or pairs of them, that are listed one by one
DOUBTS = {  # what is told with a reason why links are not checked
    "mostly touch": "; such links may touch although a posture is called free",
    LATER: ", but by their shapes when it is first asked whether the arm touches itself",
}


def info(
    robot: flags.Robot,
    base: flags.Base = None,
    tip: flags.Tip = None,
    folder: flags.Folder = [],  # noqa: B006
    arg: flags.Arg = [],  # noqa: B006
    limit: flags.Limit = [],  # noqa: B006
    deg: flags.Deg = False,
    mm: flags.Mm = False,
    json: flags.Json = False,
) -> None:
    """Say what a robot is: joints, limits, reach, structure, and which links may not touch.

    [bold]Examples:[/]

      forearm info ur5 --deg

      forearm info arm.urdf --tip tool0
    """
    units = Units(deg, mm)
    arm = robots.read_robot(robot, robots.FileFlags(base, tip, folder, arg, limit), units)
    if json:
        found = arm.structure
        form = {"kind": str(found.kind), "summary": found.summary, "why": found.why, "locked": found.locked}
        said = {"structure": describe_axes(arm.model), "closed_form": form, "geometry": geometry_data(arm)}
        show.print_json(describe(arm.model) | said)
    else:
        print_info(arm, units)


def geometry_data(robot: Robot) -> dict[str, Any]:
    """The capsules of a robot and what they are held against, or why there are none."""
    try:
        with show.without_notes():
            geometry = robot.geometry
    except ForearmError as problem:
        return {"fault": problem.message}
    return {
        "source": geometry.source,
        "capsules": len(geometry.bodies),
        "links": list(dict.fromkeys(geometry.names)),
        "checked": [list(pair) for pair in geometry.checked],
        "left_out": [{"pair": list(pair), "why": why} for pair, why in geometry.left_out.items()],
        "excess": dict(geometry.excess),
        "missed": list(geometry.missed),
        "notes": list(geometry.notes),
    }


def print_info(robot: Robot, units: Units) -> None:
    """What a robot is: joints, limits, reach, structure."""
    model, joints = robot.model, counted(robot.n, "joint")
    show.out.print(f"[bold]{escape(robot.name)}[/]: {joints} from '{escape(model.base)}' to '{escape(model.tip)}'")
    show.print_numbers(joints_table(robot, units))
    show.row("reach", f"at most {units.show_length(robot.reach)} from the first joint")
    show.row("structure", describe_axes(model))
    show.row("solved by", robot.structure.summary)
    print_geometry(robot, units)
    if model.note:
        show.row("note", model.note)


def joints_table(robot: Robot, units: Units) -> Table:
    """The joints of a robot with their limits, speeds where they are known, and the mimic joints that follow them."""
    model = robot.model
    unit = units.joint(model.joint_kinds)
    timed = any(map(math.isfinite, model.velocity))
    speeds = [f"({unit})/s" if " " in unit else f"{unit}/s"] if timed else []
    table = Table("#", "joint", "kind", f"lower ({unit})", f"upper ({unit})", *speeds)
    if model.mimics:
        table.add_column("followed by")
    variables = dict(zip(model.moving_names, model.joints[:, VARIABLE].astype(int), strict=True))
    for k, (name, kind) in enumerate(zip(model.joint_names, model.joint_kinds, strict=True)):
        bounds = [*model.limits[:, k], *([model.velocity[k]] if timed else [])]
        cells = [str(k), escape(name), kind, *(units.show_joint(value, kind) for value in bounds)]
        if model.mimics:
            cells.append(
                escape(", ".join(mimic for mimic in variables if variables[mimic] == k and mimic in model.mimics))
            )
        table.add_row(*cells)
    return table


def print_geometry(robot: Robot, units: Units) -> None:
    """The capsules of a robot, and which pairs of links may touch and why."""
    data = geometry_data(robot)
    if "fault" in data:
        show.row("geometry", for_shell(data["fault"]))
        return
    source, notes = data["source"], [for_shell(note) for note in data["notes"]]
    told = f": {notes.pop(0)}" if notes and source in notes[0] else f" from {source}"  # which may itself be a guess
    show.row("geometry", counted(data["capsules"], "capsule") + told)
    for note in notes:
        show.row("guess", note)
    if data["excess"]:
        show.row("excess", f"the capsules stand out of the shapes, by at most: {excess_words(data, units)}")
    show.row("self", f"must not touch: {pair_words(data['checked'])}")
    reasons: dict[str, list[list[str]]] = {}
    for item in data["left_out"]:
        reasons.setdefault(item["why"], []).append(item["pair"])
    for why, left in reasons.items():
        doubt = DOUBTS.get(why, "")
        show.row("", f"not checked ({why}{doubt}): {pair_words(left)}")


def excess_words(data: dict[str, Any], units: Units) -> str:
    """How far the capsules of links stand out of their shapes: of each link, or of those that do so most."""
    most = sorted(data["excess"].items(), key=lambda item: -item[1])
    each = [f"{link} {units.show_length(by)}" for link, by in most]
    more = f" and {len(each) - MOST} links by less" if len(each) > MOST else ""
    missed = f"; more than aimed at: {', '.join(data['missed'])}" if data["missed"] else ""
    return f"{', '.join(each[:MOST])}{more}{missed}"


def pair_words(pairs: list[list[str]]) -> str:
    """Pairs of links: all of them if they are few."""
    if len(pairs) > MOST:
        return f"{len(pairs)} pairs of links (--json lists them)"
    return ", ".join(f"{a} - {b}" for a, b in pairs) or "none"
