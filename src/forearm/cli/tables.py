"""What the measuring commands share: the directory, the bar, tables as text and as files."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from forearm.cli import show
from forearm.common.bars import drawing
from forearm.errors import OptionError
from forearm.reproduce import Table, Tick
from forearm.reproduce.report import cell

TEXT_WIDTH = 120  # columns of the text files, whatever the terminal has


FILES = (".csv", ".html", ".json", ".md", ".png", ".txt")  # endings of what is written into a directory


def make_directory(path: Path) -> Path:
    """The directory, made if need be and known to take files."""
    if path.suffix.lower() in FILES and not path.is_dir():
        raise OptionError(
            f"--out is '{path}', which reads as a file; it takes a directory, as several files are written"
        )
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise OptionError(f"--out {path} cannot be written: {reason}; name a directory that can") from problem


@contextmanager
def ticking(total: int) -> Iterator[Tick]:
    """A bar that goes on by one a call; drawn between measurements, never during one."""
    steps = count(1)
    with drawing("measuring", between=False) as draw:
        draw(0, total)
        yield lambda what: draw(next(steps), total, what)


def print_tables(heading: str, tables: tuple[Table, ...], console: Console) -> None:
    """The heading, then each table with its note."""
    console.print(escape(heading), highlight=False)
    for table in tables:
        if not table.shown:
            continue
        console.print()
        show.print_numbers(rich_table(table), console)
        console.print(escape(table.note), highlight=False)


def new_table(title: str) -> RichTable:
    """An empty table in the style of all measurements."""
    return RichTable(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))


def rich_table(table: Table) -> RichTable:
    """A table with numbers to the right, to four decimals as the papers print them."""
    drawn = new_table(escape(table.title))
    for name in table.columns:
        numeric = not any(isinstance(getattr(row, name), str) for row in table.rows)
        drawn.add_column(name.replace("_", " "), justify="right" if numeric else "left")
    for row in table.rows:
        drawn.add_row(*(escape(cell(getattr(row, name))) for name in table.columns))
    return drawn


def write_files(heading: str, tables: tuple[Table, ...], directory: Path) -> list[Path]:
    """Writes each table as CSV and all of them as one text; gives back the paths."""
    text = directory / "tables.txt"
    with text.open("w", encoding="utf-8") as file:
        print_tables(heading, tables, Console(file=file, width=TEXT_WIDTH))
    written = [text]
    for table in tables:
        path = directory / f"{table.name}.csv"
        path.write_text(table.to_csv(), encoding="utf-8")
        written.append(path)
    return written
