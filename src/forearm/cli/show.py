"""How the command line speaks: lines and tables for people, plain JSON for machines."""

import json
import math
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from forearm.cli.shell_words import for_shell

out = Console(emoji=False)  # names of files, links and obstacles are shown as they are
err = Console(stderr=True, emoji=False)

WIDEST = 10_000  # columns, more than any table has


def say(line: str, *, whole: bool = False, markup: bool = True) -> None:
    """A line on standard output, its numbers plain; a whole one is left to the terminal to break."""
    out.print(line, highlight=False, soft_wrap=whole, markup=markup)


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


def print_numbers(table: Table, console: Console = out) -> None:
    """A table of names and numbers, none of them cut: if need be it is wider than the terminal."""
    natural = Measurement.get(console, console.options.update(width=WIDEST), table).maximum
    if natural > console.width:
        table.width = natural
    console.print(table, crop=False)
