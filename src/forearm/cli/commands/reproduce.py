"""`forearm reproduce PAPER`: a paper's tables measured again, printed and written; of `all`, one HTML report."""

from pathlib import Path
from typing import Annotated

import typer

from forearm.cli import flags, show
from forearm.cli.tables import make_directory, print_tables, ticking, write_files
from forearm.errors import OptionError, nearest_names
from forearm.reproduce import Sampling
from forearm.reproduce.checks import SOURCES
from forearm.reproduce.papers import PAPERS
from forearm.reproduce.report import Outcome, draw, drawn, page, run, sentence

ALL = "all"
NOT_MET = 1


def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help=f"One of: {', '.join(PAPERS)}; or {ALL} for a report of all.")
    ] = None,
    out: Annotated[flags.Where, typer.Option(help="Directory for the files; by default below reproduction.")] = None,
    targets: Annotated[
        flags.Count, typer.Option(min=1, help="Targets in a run; by default as many as in the paper.")
    ] = None,
    runs: Annotated[
        flags.Count, typer.Option(min=1, help="Runs, each with its own seed; 1 by default (more with all).")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first run; each further one adds 1.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="Few targets, for a first look.")] = False,
    json: Annotated[bool, typer.Option("--json", help="JSON for machines, in the units of the tables.")] = False,
) -> None:
    """Measure the tables of a paper again and set them beside what the paper prints.

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
    if paper is None:
        raise OptionError(f"name a paper: {', '.join(PAPERS)}; or {ALL}, for one report: `forearm reproduce {ALL}`")
    if paper not in PAPERS:
        raise OptionError(f"paper '{paper}' is unknown; {nearest_names(paper, (*PAPERS, ALL))}")
    row = PAPERS[paper]
    directory = make_directory(out or Path("reproduction") / paper)
    sampling = chosen(row.quick if quick else Sampling(row.targets), targets, runs, seed)
    with ticking(row.steps(sampling)) as tick:
        tables = row.tables(sampling, tick)
    heading = f"{row.citation}\n{drawn(sampling)}"
    written = write_files(heading, tables, directory)
    pictures, missing = draw(row, tables, directory)
    if missing:
        show.complain(f"no pictures: {missing}")
    written += pictures
    if json:
        names = [str(path) for path in written]
        show.print_json({"paper": paper, "tables": [table.to_dict() for table in tables], "files": names})
        return
    print_tables(heading, tables, show.out)
    show.say(f"written to {directory}: {', '.join(p.name for p in written)}", whole=True)


def chosen(usual: Sampling, targets: int | None, runs: int | None, seed: int) -> Sampling:
    """The usual draws, or as many as asked for."""
    return Sampling(targets or usual.targets, runs or usual.runs, seed)


def reproduce_all(out: Path | None, sampling_of: dict[str, Sampling], json: bool) -> None:
    """Measures all papers, writes `report.html` and the files of each, and says what did not come out."""
    directory = make_directory(out or Path("reproduction"))
    total = sum(PAPERS[name].steps(sampling) + 1 for name, sampling in sampling_of.items())
    outcomes = []
    with ticking(total) as tick:
        for name, sampling in sampling_of.items():
            own = make_directory(directory / name)
            outcome = run(name, sampling, own, tick)
            if outcome.tables:
                write_files(f"{outcome.paper.citation}\n{drawn(sampling)}", outcome.tables, own)
            outcomes.append(outcome)
    report = directory / "report.html"
    report.write_text(page(outcomes), encoding="utf-8")
    if json:
        show.print_json({"report": str(report), "papers": [_data(outcome) for outcome in outcomes]})
    else:
        _tell(report, outcomes)
    if any(outcome.failure or outcome.missed for outcome in outcomes):
        raise typer.Exit(NOT_MET)


def _data(outcome: Outcome) -> dict[str, object]:
    """An outcome for machines."""
    return {
        "paper": outcome.name,
        "targets": drawn(outcome.sampling),
        "failure": outcome.failure,
        "judged": {source: outcome.tally(source) for source in SOURCES},
        "not_met": [sentence(check) for check in outcome.missed],
        "known": {reason: [sentence(check) for check in checks] for reason, checks in outcome.known.items()},
        "tables": [table.to_dict() for table in outcome.tables if table.shown],
    }


def _tell(report: Path, outcomes: list[Outcome]) -> None:
    """A line per paper, what did not come out, and where the report lies."""
    for outcome in outcomes:
        counts = (f"{SOURCES[source]} {outcome.tally(source)}" for source in SOURCES)
        words = f"{'; '.join(counts)} ({drawn(outcome.sampling)})"
        if outcome.failure:
            words = f"failed: {outcome.failure.strip().splitlines()[-1]}"
        show.say(f"{outcome.name}: {words}", whole=True, markup=False)
        for check in outcome.missed:
            show.say(f"  not within tolerance: {sentence(check)}", whole=True, markup=False)
        for reason, checks in outcome.known.items():
            show.say(f"  known not to come out, {len(checks)}: {reason}", whole=True, markup=False)
            for check in checks:
                show.say(f"    {sentence(check)}", whole=True, markup=False)
        if outcome.missing:
            show.say(f"  no pictures: {outcome.missing}", whole=True, markup=False)
    show.say(f"report: {report}", whole=True, markup=False)
