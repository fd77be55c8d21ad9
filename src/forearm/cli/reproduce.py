"""`forearm reproduce PAPER`: a paper's tables measured again, printed and written to files."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich import box, progress
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from forearm.cli import show
from forearm.errors import MissingExtraError, OptionError
from forearm.reproduce import Sampling, Table, Tick, convergence, fabrik_r

TEXT_WIDTH = 120  # columns of the text files, whatever the terminal has


@dataclass(frozen=True)
class Paper:
    """A paper whose tables can be measured again.

    Attributes:
        citation: Where it was published.
        tables: Measures and gives back its tables, ticking after each step.
        steps: How often that ticks.
        pictures: Draws its figures into a directory and gives back the files; None if there are none.
    """

    citation: str
    tables: Callable[[Sampling, Tick], tuple[Table, ...]]
    steps: Callable[[Sampling], int]
    pictures: Callable[[Path], list[Path]] | None = None


def joined(*parts: Paper) -> Paper:
    """A paper whose reproduction has several parts, run one after the other."""

    def tables(sampling: Sampling, tick: Tick) -> tuple[Table, ...]:
        return tuple(table for part in parts for table in part.tables(sampling, tick))

    def pictures(directory: Path) -> list[Path]:
        return [path for part in parts if part.pictures for path in part.pictures(directory)]

    return Paper(parts[0].citation, tables, lambda sampling: sum(part.steps(sampling) for part in parts), pictures)


PAPERS = {
    "combined": joined(
        Paper(convergence.CITATION, convergence.tables, convergence.steps, convergence.pictures),
    ),
    "fabrik-r": Paper(fabrik_r.CITATION, fabrik_r.tables, fabrik_r.steps),
}


def reproduce(
    paper: Annotated[str, typer.Argument(help=f"One of: {', '.join(PAPERS)}.")],
    out: Annotated[Optional[Path], typer.Option(help="Directory for the files; reproduction/PAPER.")] = None,  # noqa: UP045
    targets: Annotated[int, typer.Option(min=1, help="Targets in a run.")] = 200,
    runs: Annotated[int, typer.Option(min=1, help="Runs, each with its own seed.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first run; each further one adds 1.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="JSON for machines, in the units of the tables.")] = False,
) -> None:
    """Measure the tables of a paper again and set them beside the print.

    [bold]Examples:[/]

      forearm reproduce fabrik-r

      forearm reproduce fabrik-r --runs 20 --out /tmp/fabrik-r
    """
    row = find_paper(paper)
    directory = make_directory(out or Path("reproduction") / paper)
    sampling = Sampling(targets, runs, seed)
    with ticking(row.steps(sampling)) as tick:
        tables = row.tables(sampling, tick)
    heading = f"{row.citation}\n{describe(sampling)}"
    written = write_files(heading, tables, directory) + draw_pictures(row, directory)
    if json:
        names = [str(path) for path in written]
        show.print_json({"paper": paper, "tables": [table.to_dict() for table in tables], "files": names})
        return
    print_tables(heading, tables, show.out)
    show.out.print(f"written to {directory}: {', '.join(p.name for p in written)}", soft_wrap=True, highlight=False)


def draw_pictures(row: Paper, directory: Path) -> list[Path]:
    """Draws the paper's figures; a missing package for drawing costs the pictures only, and is told."""
    if row.pictures is None:
        return []
    try:
        return row.pictures(directory)
    except MissingExtraError as problem:
        show.complain(str(problem))
        return []


def find_paper(name: str) -> Paper:
    """The row of a paper by name."""
    if name not in PAPERS:
        raise OptionError(f"paper '{name}' is unknown; there are: {', '.join(PAPERS)}")
    return PAPERS[name]


def make_directory(path: Path) -> Path:
    """The directory, made if need be and known to take files."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise OptionError(f"--out {path} cannot be written: {reason}; name a directory that can") from problem


def describe(sampling: Sampling) -> str:
    """How the targets were drawn, in a line."""
    last = sampling.seed + sampling.runs - 1
    seeds = f"seed {sampling.seed}" if sampling.runs == 1 else f"seeds {sampling.seed} to {last}"
    return f"{sampling.runs} x {sampling.targets} targets, {seeds}"


@contextmanager
def ticking(total: int) -> Iterator[Tick]:
    """A progress bar on a terminal's standard error; drawn between measurements, never during one."""
    with progress.Progress(
        console=show.err, transient=True, auto_refresh=False, disable=not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task("measuring", total=total)
        bar.refresh()

        def tick(what: str) -> None:
            bar.update(task, advance=1, description=what, refresh=True)

        yield tick


# -- tables as text ------------------------------------------------------------------------------


def print_tables(heading: str, tables: tuple[Table, ...], console: Console) -> None:
    """The heading, then each table with its note."""
    console.print(escape(heading), highlight=False)
    for table in tables:
        if table.is_long:
            continue
        console.print()
        console.print(rich_table(table))
        console.print(escape(table.note), highlight=False)


def rich_table(table: Table) -> RichTable:
    """A table with numbers to the right, to four decimals as the papers print them."""
    drawn = RichTable(title=escape(table.title), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in table.columns:
        numeric = not any(isinstance(getattr(row, name), str) for row in table.rows)
        drawn.add_column(name.replace("_", " "), justify="right" if numeric else "left")
    for row in table.rows:
        drawn.add_row(*(cell(getattr(row, name)) for name in table.columns))
    return drawn


def cell(value: Any) -> str:
    """A value as a reader wants it."""
    if value is None:
        return "-"
    if not isinstance(value, float):
        return escape(str(value))
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return text if value == 0.0 or float(text) != 0.0 else f"{value:.1e}"


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
