"""`forearm robots`: the arms that load by name."""

from rich.markup import escape
from rich.table import Column, Table

from forearm.cli import flags, show
from forearm.models.catalog import describe_robots


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
