"""`forearm reproduce all`: every paper measured again, and one HTML report."""

from collections.abc import Iterator
from pathlib import Path

import typer

from forearm.cli import show
from forearm.cli.tables import draw_pictures, make_directory, ticking, write_files
from forearm.reproduce import Sampling, Table, Tick
from forearm.reproduce.papers import PAPERS, Paper
from forearm.reproduce.report import Outcome, drawn, page, run, sentence

NOT_MET = 1


def reproduce_all(out: Path | None, sampling_of: dict[str, Sampling], json: bool) -> None:
    """Measures all papers, writes `report.html` and the files of each, and says what did not come out."""
    directory = make_directory(out or Path("reproduction"))
    total = sum(PAPERS[name].steps(sampling) + 1 for name, sampling in sampling_of.items())
    with ticking(total) as tick:
        outcomes = tuple(_run_papers(directory, sampling_of, tick))
    report = directory / "report.html"
    report.write_text(page(outcomes), encoding="utf-8")
    if json:
        show.print_json({"report": str(report), "papers": [_data(outcome) for outcome in outcomes]})
    else:
        _tell(report, outcomes)
    if any(outcome.failure or outcome.missed for outcome in outcomes):
        raise typer.Exit(NOT_MET)


def _run_papers(directory: Path, sampling_of: dict[str, Sampling], tick: Tick) -> Iterator[Outcome]:
    """Each paper's outcome, its files written."""
    for name, sampling in sampling_of.items():
        own = make_directory(directory / name)
        outcome = run(name, sampling, own, _draw, lambda what, name=name: tick(f"{name}: {what}"))  # type: ignore[misc]
        if outcome.tables:
            write_files(f"{outcome.paper.citation}\n{drawn(sampling)}", outcome.tables, own)
        yield outcome


def _draw(paper: Paper, tables: tuple[Table, ...], directory: Path) -> tuple[list[Path], str]:
    """Draws without a word on the terminal: the report says why there are no pictures."""
    words: list[str] = []
    return draw_pictures(paper, tables, directory, words.append), "; ".join(words)


def _data(outcome: Outcome) -> dict[str, object]:
    """An outcome for machines."""
    return {
        "paper": outcome.name,
        "targets": drawn(outcome.sampling),
        "failure": outcome.failure,
        "judged": len(outcome.checks),
        "not_met": [sentence(check) for check in outcome.missed],
        "tables": [table.to_dict() for table in outcome.tables if table.shown],
    }


def _tell(report: Path, outcomes: tuple[Outcome, ...]) -> None:
    """A line per paper, what did not come out, and where the report lies."""
    for outcome in outcomes:
        held = len(outcome.checks) - len(outcome.missed)
        words = f"{held} of {len(outcome.checks)} numbers within tolerance ({drawn(outcome.sampling)})"
        if outcome.failure:
            words = f"failed: {outcome.failure.strip().splitlines()[-1]}"
        show.out.print(f"{outcome.name}: {words}", soft_wrap=True, highlight=False, markup=False)
        for check in outcome.missed:
            show.out.print(f"  not within tolerance: {sentence(check)}", soft_wrap=True, highlight=False, markup=False)
        if outcome.missing:
            show.out.print(f"  no pictures: {outcome.missing}", soft_wrap=True, highlight=False, markup=False)
    show.out.print(f"report: {report}", soft_wrap=True, highlight=False, markup=False)
