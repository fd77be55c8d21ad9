"""`forearm solve ROBOT ... --all`: every branch as a table, one row each."""

import sys
from typing import Any

from rich.markup import escape
from rich.table import Table

from forearm.cli import show
from forearm.cli.shell_words import for_shell
from forearm.common.units import Units
from forearm.results.solution import Branch, Branches
from forearm.robot import Robot

NONE_FOUND = 1


def print_branches(robot: Robot, found: Branches, units: Units, json: bool) -> None:
    """All branches for people or machines; exit code 1 if there is none."""
    if json:
        show.print_json({"robot": robot.name, "joints": robot.joint_names} | branches_data(found))
    else:
        colour = "green" if found else "yellow"
        count = f"{len(found)} {'branch' if len(found) == 1 else 'branches'}"
        show.say(f"[bold {colour}]{count}[/] by {found.method}: {escape(units.words(for_shell(found.reason)))}")
        if found:
            show.print_numbers(branches_table(robot, found, units))
        for k, branch in enumerate(found):
            if branch.posture:
                show.row("postures" if k == 0 else "", f"{k}: {branch.posture}")
    if not found:
        sys.exit(NONE_FOUND)


def branches_data(found: Branches) -> dict[str, Any]:
    """All branches as plain data."""
    rows = [
        branch.to_dict() | {"posture": branch.posture, "swivel": [list(each) for each in branch.swivel]}
        for branch in found
    ]
    return {"method": found.method, "complete": found.complete, "reason": found.reason, "branches": rows}


def branches_table(robot: Robot, found: Branches, units: Units) -> Table:
    """A row for each branch: its joint values, and where its elbow may turn."""
    kinds = robot.model.joint_kinds
    title = f"joint values in {units.joint(kinds)}"
    table = Table("#", title=title, title_justify="left")
    for name in robot.joint_names:
        table.add_column(escape(name), justify="right")
    turning = any(branch.swivel for branch in found)
    if turning:
        table.add_column(f"swivel ({units.angle})")
    for k, branch in enumerate(found):
        cells = [units.show_joint(value, kind) for value, kind in zip(branch.q, kinds, strict=True)]
        table.add_row(str(k), *cells, *([swivel_words(branch, units)] if turning else []))
    return table


def swivel_words(branch: Branch, units: Units) -> str:
    """The intervals in which the elbow may turn."""
    return ", ".join(" to ".join(units.show_joint(end, "revolute") for end in each) for each in branch.swivel)
