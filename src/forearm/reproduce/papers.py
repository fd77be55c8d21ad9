"""The papers that can be measured again: one row each, with what it draws, how much, and how it is judged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forearm.reproduce import Sampling, Table, Tick
from forearm.reproduce.bezier import pictures as bezier_pictures
from forearm.reproduce.bezier import tables as bezier
from forearm.reproduce.combined import convergence, paths, shapes
from forearm.reproduce.combined import pictures as combined_pictures
from forearm.reproduce.combined import tables as combined
from forearm.reproduce.drawing import save_all
from forearm.reproduce.fabrik_r import models
from forearm.reproduce.fabrik_r import pictures as fabrik_r_pictures
from forearm.reproduce.fabrik_r import tables as fabrik_r

PRINTED = Sampling()  # one run of 200 targets


@dataclass(frozen=True)
class Paper:
    """A paper whose tables can be measured again.

    Attributes:
        citation: Where it was published.
        tables: Measures and gives back its tables, ticking after each step.
        steps: How often that ticks.
        pictures: Draws from those tables into a directory and gives back the files; None if it has none.
        targets: How many targets the paper draws in a run.
        reported: How many targets and runs the report of all papers draws: the paper's own or more.
        quick: The same with `--quick`.
    """

    citation: str
    tables: Callable[[Sampling, Tick], tuple[Table, ...]]
    steps: Callable[[Sampling], int]
    pictures: Callable[[tuple[Table, ...], Path], list[Path]] | None = None
    targets: int = 200
    reported: Sampling = PRINTED
    quick: Sampling = PRINTED


def joined(*parts: Paper) -> Paper:
    """A paper whose reproduction has several parts, run one after the other; the first one's sizes."""

    def tables(sampling: Sampling, tick: Tick) -> tuple[Table, ...]:
        return tuple(table for part in parts for table in part.tables(sampling, tick))

    def pictures(tables: tuple[Table, ...], directory: Path) -> list[Path]:
        return [path for part in parts if part.pictures for path in part.pictures(tables, directory)]

    def steps(sampling: Sampling) -> int:
        return sum(part.steps(sampling) for part in parts)

    first = parts[0]
    return Paper(first.citation, tables, steps, pictures, first.targets, first.reported, first.quick)


def part(
    tables: Callable[[Sampling, Tick], tuple[Table, ...]] = lambda _, __: (),
    steps: Callable[[Sampling], int] = lambda _: 0,
    pictures: Callable[[tuple[Table, ...]], Mapping[str, Any]] = lambda _: {},
) -> Paper:
    """A part of a paper: what it measures, how often that ticks, and its figures by name."""
    return Paper("", tables, steps, lambda made, directory: save_all(pictures(made), directory))


PAPERS = {
    "bezier": joined(
        Paper(bezier.CITATION, bezier.tables, bezier.steps, reported=Sampling(2000), quick=Sampling(200)),
        part(pictures=bezier.pictures),
        part(pictures=bezier_pictures.pictures),
    ),
    "combined": joined(
        Paper(
            combined.CITATION,
            combined.tables,
            combined.steps,
            targets=combined.TARGETS,
            reported=Sampling(combined.TARGETS),
            quick=Sampling(300),
        ),
        part(paths.convergence, lambda _: len(paths.ARMS)),
        part(paths.tracking, lambda _: len(paths.PATHS), combined_pictures.pictures),
        part(convergence.tables, convergence.steps, convergence.pictures),
        part(shapes.tables, lambda _: 1, shapes.pictures),
    ),
    "fabrik-r": joined(
        Paper(fabrik_r.CITATION, fabrik_r.tables, fabrik_r.steps, reported=Sampling(200, runs=20), quick=Sampling(200)),
        part(models.tables, lambda _: 1, fabrik_r_pictures.pictures),
    ),
}
