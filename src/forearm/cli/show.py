"""How the command line shows things to people: rich tables, and plain JSON for machines."""

import json
import math
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Column, Table

from forearm.arm.axes import describe_axes
from forearm.cli.shell_words import for_shell
from forearm.common.units import Units
from forearm.core.codes import POSE, VARIABLE
from forearm.errors import ForearmError, OptionError, counted
from forearm.models.catalog import RobotRow
from forearm.models.model import describe
from forearm.plot import save_pose
from forearm.results.solution import Solution
from forearm.robot import Robot
from forearm.solve.methods.table import Method
from forearm.targets.target import Target

out = Console()
err = Console(stderr=True)


INTERRUPTED = 130  # the exit code of a command that Ctrl-C ended, as shells have it


def complain(message: str) -> None:
    """One red line on standard error."""
    err.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True, highlight=False)


def print_json(data: Any) -> None:
    """JSON on standard output; infinities become null, as JSON has none."""
    print(json.dumps(_for_machines(data), indent=2))


def _for_machines(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _for_machines(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_for_machines(value) for value in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return for_shell(data) if isinstance(data, str) else data


def print_numbers(table: Table) -> None:
    """A table of names and numbers, none of them cut: if need be it is wider than the terminal."""
    natural = Measurement.get(out, out.options.update(width=WIDEST), table).maximum
    if natural > out.width:
        table.width = natural
    out.print(table, crop=False)


WIDEST = 10_000  # columns, more than any table has


def robots_table(rows: Iterable[RobotRow]) -> Table:
    """The catalog."""
    table = Table(Column("name", no_wrap=True), "joints", "what it is", title="robots that load by name")
    for row in rows:
        table.add_row(f"[bold]{escape(row.name)}[/]", row.joints, escape(row.description))
    return table


def methods_data(methods: Iterable[Method]) -> list[dict[str, Any]]:
    """The methods with their options, as plain data."""
    return [
        {
            "name": method.name,
            "summary": method.summary,
            "citation": method.citation,
            "options": [
                {"name": item.name, "default": item.default} | dict(item.metadata) for item in fields(method.options)
            ],
        }
        for method in methods
    ]


def methods_table(methods: Iterable[Method]) -> Table:
    """The methods with their options."""
    columns = (
        Column("method", no_wrap=True),
        Column("what it is", overflow="fold"),
        Column("options", overflow="fold"),
    )
    table = Table(*columns, title="solving methods", show_lines=True)
    for row in methods_data(methods):
        options = "\n".join(
            f"[bold]{o['name']}[/] = {o['default']}  {escape(o['meaning'])}" + _unit_or_names(o) for o in row["options"]
        )
        table.add_row(
            f"[bold]{row['name']}[/]", f"{escape(row['summary'])}\n[dim]{escape(row['citation'])}[/]", options
        )
    return table


def _unit_or_names(option: dict[str, Any]) -> str:
    """What stands in brackets behind an option: its unit, or the names it takes."""
    inside = option["unit"] or ", ".join(option.get("names", ()))
    return f" ({inside})" if inside else ""


def joints_table(robot: Robot, units: Units) -> Table:
    """The joints of a robot with their limits, and what follows them."""
    model = robot.model
    unit = units.joint(model.joint_kinds)
    table = Table("#", "joint", "kind", f"lower ({unit})", f"upper ({unit})")
    if model.mimics:
        table.add_column("followed by")
    for k, (name, kind) in enumerate(zip(model.joint_names, model.joint_kinds, strict=True)):
        lower, upper = (units.show_joint(value, kind) for value in model.limits[:, k])
        followers = [escape(", ".join(_followers(robot, k)))] if model.mimics else []
        table.add_row(str(k), escape(name), kind, lower, upper, *followers)
    return table


def _followers(robot: Robot, k: int) -> list[str]:
    """The mimic joints that variable k drives."""
    model = robot.model
    driven = zip(model.moving_names, model.joints[:, VARIABLE], strict=True)
    return [name for name, variable in driven if int(variable) == k and name in model.mimics]


def info_data(robot: Robot) -> dict[str, Any]:
    """Everything `info` says, as plain data."""
    found = robot.structure
    form = {"kind": str(found.kind), "summary": found.summary, "why": found.why, "locked": found.locked}
    said = {"structure": describe_axes(robot.model), "closed_form": form, "geometry": geometry_data(robot)}
    return describe(robot.model) | said


def geometry_data(robot: Robot) -> dict[str, Any]:
    """The capsules of a robot and what they are held against, or why there are none."""
    try:
        geometry = robot.geometry
    except ForearmError as problem:
        return {"fault": problem.message}
    return {
        "source": geometry.source,
        "capsules": len(geometry.bodies),
        "links": list(dict.fromkeys(geometry.names)),
        "checked": [list(pair) for pair in geometry.checked],
        "left_out": [{"pair": list(pair), "why": why} for pair, why in geometry.left_out.items()],
    }


def print_geometry(robot: Robot) -> None:
    """The capsules of a robot, and which pairs of links may touch and why."""
    data = geometry_data(robot)
    if "fault" in data:
        out.print(f"geometry   {escape(for_shell(data['fault']))}", highlight=False)
        return
    capsules = counted(data["capsules"], "capsule")
    out.print(f"geometry   {capsules} from {escape(data['source'])}", highlight=False)
    pairs = ", ".join(f"{a} - {b}" for a, b in data["checked"]) or "none"
    out.print(f"self       links held against each other: {escape(pairs)}", highlight=False)
    reasons: dict[str, list[str]] = {}
    for item in data["left_out"]:
        reasons.setdefault(item["why"], []).append(" - ".join(item["pair"]))
    for why, left in reasons.items():
        out.print(f"           not looked at ({why}): {escape(', '.join(left))}", highlight=False)


def print_info(robot: Robot, units: Units) -> None:
    """What a robot is: joints, limits, reach, structure."""
    model, joints = robot.model, counted(robot.n, "joint")
    out.print(f"[bold]{escape(robot.name)}[/]: {joints} from '{escape(model.base)}' to '{escape(model.tip)}'")
    print_numbers(joints_table(robot, units))
    out.print(f"reach      at most {units.show_length(robot.reach)} from the first joint", highlight=False)
    out.print(f"structure  {escape(describe_axes(model))}", highlight=False)
    out.print(f"solved by  {escape(robot.structure.summary)}", highlight=False)
    print_geometry(robot)
    if model.note:
        out.print(f"note       {escape(model.note)}", highlight=False)


def matrix_table(T: Any, title: str) -> Table:
    """A 4x4 pose."""
    table = Table(title=title, show_header=False)
    for row in np.asarray(T):
        table.add_row(*(f"{value: .9f}" for value in row))
    return table


def print_solution(robot: Robot, solution: Solution, units: Units) -> None:
    """A verdict as a table with its sentence."""
    colour = "green" if solution.success else "yellow"
    reason = escape(for_shell(solution.reason))
    out.print(f"[bold {colour}]{solution.status}[/] by {solution.method}: {reason}", highlight=False)
    model = robot.model
    unit = units.joint(model.joint_kinds)
    table = Table("joint", f"value ({unit})", f"lower ({unit})", f"upper ({unit})")
    for k, (name, kind) in enumerate(zip(model.joint_names, model.joint_kinds, strict=True)):
        values = (solution.q[k], model.limits[0, k], model.limits[1, k])
        table.add_row(escape(name), *(units.show_joint(value, kind) for value in values))
    print_numbers(table)
    out.print(
        f"{units.show_errors(solution.position_error, solution.rotation_error)}   "
        f"{counted(solution.iterations, 'iteration')} in {solution.tries} {'try' if solution.tries == 1 else 'tries'}",
        highlight=False,
    )


def print_picture(
    robot: Robot, solution: Solution, target: Target, path: Path, *, quiet: bool = False, obstacles: Any = None
) -> None:
    """Writes a picture of the pose and says where it is."""
    goal = target.goal if target.kind == POSE else None
    try:
        written = save_pose(robot, solution, path, target=goal, obstacles=obstacles)
    except OSError as problem:
        raise OptionError(f"cannot write the picture '{path}': {problem.strerror}; choose another place") from None
    if not quiet:
        out.print(f"picture of the pose: {written}", soft_wrap=True, highlight=False)
