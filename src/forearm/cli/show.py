"""How the command line speaks: lines and tables for people, plain JSON for machines."""

import json
import logging
import math
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from forearm.cli.shell_words import for_shell

out = Console(emoji=False)  # names of files, links and obstacles are shown as they are
err = Console(stderr=True, emoji=False)

WIDEST = 10_000  # columns, more than any table has
LABEL = 11  # columns in front of a row's words


def say(line: str, *, whole: bool = False, markup: bool = True) -> None:
    """A line on standard output, its numbers plain; a whole one is left to the terminal to break."""
    out.print(line, highlight=False, soft_wrap=whole, markup=markup)


def row(label: str, words: str) -> None:
    """A label and plain words behind it; what is broken into lines stays behind the label."""
    width = max(out.width, 2 * LABEL) - LABEL
    lines = textwrap.wrap(words, width, break_long_words=False, break_on_hyphens=False) or [""]
    for head, line in zip([label, *[""] * (len(lines) - 1)], lines, strict=True):
        say(f"{head:{LABEL}}{line}", whole=True, markup=False)


def note(message: str) -> None:
    """What the library remarks, on standard error."""
    err.print(f"[bold]note:[/] {escape(for_shell(message))}", soft_wrap=True, highlight=False)


@contextmanager
def without_notes() -> Iterator[None]:
    """Silences the library's remarks: the command says them itself."""
    logger = logging.getLogger("forearm")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


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
    natural = natural_width(table, console)
    if natural > console.width:
        table.width = natural
    console.print(table, crop=False)


def natural_width(table: Table, console: Console = out) -> int:
    """Columns of the terminal that a table takes where nothing of it is folded that need not be."""
    return Measurement.get(console, console.options.update(width=WIDEST), table).maximum
