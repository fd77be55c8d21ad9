"""`forearm reproduce PAPER`: a paper's tables measured again, printed and written to files."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from forearm.cli import show
from forearm.cli.commands.reproduce_all import reproduce_all
from forearm.cli.tables import draw_pictures, make_directory, print_tables, ticking, write_files
from forearm.errors import OptionError
from forearm.reproduce import Sampling
from forearm.reproduce.papers import PAPERS, Paper
from forearm.reproduce.report import drawn

ALL = "all"
Where = Optional[Path]  # noqa: UP045 (typer reads Optional on Python 3.10)
Count = Optional[int]  # noqa: UP045


def reproduce(
    paper: Annotated[str, typer.Argument(help=f"One of: {', '.join(PAPERS)}; or {ALL} for a report of all.")],
    out: Annotated[Where, typer.Option(help="Directory for the files; in reproduction by default.")] = None,
    targets: Annotated[Count, typer.Option(min=1, help="Targets in a run; as many as the paper's.")] = None,
    runs: Annotated[Count, typer.Option(min=1, help="Runs, each with its own seed; 1 (of all: see the docs).")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first run; each further one adds 1.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="Few targets, for a first look.")] = False,
    json: Annotated[bool, typer.Option("--json", help="JSON for machines, in the units of the tables.")] = False,
) -> None:
    """Measure the tables of a paper again and set them beside the print.

    [bold]Examples:[/]

      forearm reproduce all

      forearm reproduce all --quick --out papers

      forearm reproduce fabrik-r --runs 20 --out fabrik-r

      forearm reproduce combined --targets 1000
    """
    if paper == ALL:
        sizes = {name: row.quick if quick else row.reported for name, row in PAPERS.items()}
        reproduce_all(out, {name: chosen(size, targets, runs, seed) for name, size in sizes.items()}, json)
        return
    row = find_paper(paper)
    directory = make_directory(out or Path("reproduction") / paper)
    sampling = chosen(row.quick if quick else Sampling(row.targets), targets, runs, seed)
    with ticking(row.steps(sampling)) as tick:
        tables = row.tables(sampling, tick)
    heading = f"{row.citation}\n{drawn(sampling)}"
    written = write_files(heading, tables, directory)
    written += draw_pictures(row, tables, directory, lambda problem: show.complain(f"no pictures: {problem}"))
    if json:
        names = [str(path) for path in written]
        show.print_json({"paper": paper, "tables": [table.to_dict() for table in tables], "files": names})
        return
    print_tables(heading, tables, show.out)
    show.out.print(f"written to {directory}: {', '.join(p.name for p in written)}", soft_wrap=True, highlight=False)


def chosen(usual: Sampling, targets: int | None, runs: int | None, seed: int) -> Sampling:
    """The usual draws, or as many as asked for."""
    return Sampling(targets or usual.targets, runs or usual.runs, seed)


def find_paper(name: str) -> Paper:
    """The row of a paper by name."""
    if name not in PAPERS:
        raise OptionError(f"paper '{name}' is unknown; there are: {', '.join((*PAPERS, ALL))}")
    return PAPERS[name]
