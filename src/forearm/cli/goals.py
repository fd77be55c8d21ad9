"""`forearm solve FILE --goals goals.toml`: joint values of a robot with several tips."""

from pathlib import Path

from rich.markup import escape
from rich.table import Table

from forearm.cli import show
from forearm.cli.robots import read_whole
from forearm.cli.shell_words import for_shell
from forearm.common.units import Units
from forearm.errors import counted
from forearm.goals.file import read_goals
from forearm.results.tree import TreeSolution
from forearm.tree import Tree
from forearm.trees.body import body_of


def solve_goals(robot: str, goals: Path, folders: list[Path], args: list[str], units: Units, json: bool) -> bool:
    """Prints what solves the goals of a file; returns whether all are met."""
    asked = read_goals(goals)
    tree = read_tree(robot, folders, args, asked.base, asked.joints)
    found = tree.solve(asked.goals, asked.start)
    if json:
        show.print_json({"robot": tree.name, "joints": tree.joint_names} | found.to_dict())
    else:
        print_goals(tree, found, units)
    return found.success


def read_tree(robot: str, folders: list[Path], args: list[str], base: str, joints: list[str] | None = None) -> Tree:
    """The whole robot of a file, or an arm of the catalog, on a kind of base."""
    return Tree(body_of(read_whole(robot, folders, args), base, joints))


def print_goals(tree: Tree, found: TreeSolution, units: Units) -> None:
    """The verdict, each goal, the joints."""
    colour = "green" if found.success else "yellow"
    show.say(f"[bold {colour}]{found.status}[/] by {found.method}: {escape(for_shell(found.reason))}")
    table = Table("goal", "met", "errors")
    for name, error in found.errors.items():
        table.add_row(escape(name), "yes" if error.met else "no", units.show_errors(error.position, error.rotation))
    show.print_numbers(table)
    kinds = tree.body.joint_kinds
    joints = Table("joint", f"value ({units.joint(kinds)})")
    for name, kind, value in zip(tree.joint_names, kinds, found.q, strict=True):
        joints.add_row(escape(name), units.show_joint(value, kind))
    show.print_numbers(joints)
    if tree.body.base == "free":
        x, y, z = found.base[:3, 3]
        show.say(f"base at {x:.6g}, {y:.6g}, {z:.6g} m")
    show.say(f"{counted(found.iterations, 'step')} in {counted(found.tries, 'start')}")
