"""`forearm robots` and `forearm methods`: what there is by name."""

from dataclasses import fields
from typing import Any

from rich.markup import escape
from rich.table import Column, Table

from forearm.cli import flags, show
from forearm.models.catalog import describe_robots
from forearm.solve.methods.table import METHODS


def robots(json: flags.Json = False) -> None:
    """List the robots that load by name.

    [bold]Example:[/]  forearm robots
    """
    rows = describe_robots()
    if json:
        show.print_json([row._asdict() for row in rows])
        return
    table = Table(Column("name", no_wrap=True), "joints", "what it is", title="robots that load by name")
    for row in rows:
        table.add_row(f"[bold]{escape(row.name)}[/]", row.joints, escape(row.description))
    show.out.print(table)


def methods(json: flags.Json = False) -> None:
    """List the solving methods and their options.

    [bold]Example:[/]  forearm methods
    """
    if json:
        show.print_json(methods_data())
    else:
        show.out.print(methods_table())


def methods_data() -> list[dict[str, Any]]:
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
        for method in METHODS.values()
    ]


def methods_table() -> Table:
    """The methods with their options."""
    columns = Column("method", no_wrap=True), Column("what it is", overflow="fold"), Column("options", overflow="fold")
    table = Table(*columns, title="solving methods", show_lines=True)
    for row in methods_data():
        options = []
        for o in row["options"]:
            inside = o["unit"] or ", ".join(o.get("names", ()))
            brackets = f" ({inside})" if inside else ""
            options.append(f"[bold]{o['name']}[/] = {o['default']}  {escape(o['meaning'])}{brackets}")
        what = f"{escape(row['summary'])}\n[dim]{escape(row['citation'])}[/]"
        table.add_row(f"[bold]{row['name']}[/]", what, "\n".join(options))
    return table
