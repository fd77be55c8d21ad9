"""The papers that can be measured again: one row each, with what it draws, how much, and how it is judged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from forearm.reproduce import Sampling, Table, Tick
from forearm.reproduce.bezier import pictures as bezier_pictures
from forearm.reproduce.bezier import tables as bezier
from forearm.reproduce.combined import convergence, paths, seed, shapes
from forearm.reproduce.combined import pictures as combined_pictures
from forearm.reproduce.combined import tables as combined
from forearm.reproduce.fabrik_r import models
from forearm.reproduce.fabrik_r import pictures as fabrik_r_pictures
from forearm.reproduce.fabrik_r import tables as fabrik_r

PRINTED = Sampling()  # one run of 200 targets


@dataclass(frozen=True)
class Paper:
    """A paper whose tables can be measured again, or a part of one."""

    citation: str
    tables: Callable[[Sampling, Tick], tuple[Table, ...]]  # measures them, ticking after each step
    steps: Callable[[Sampling], int]  # how often that ticks
    pictures: Callable[[tuple[Table, ...]], Mapping[str, Any]] = lambda _: {}  # figures by name, from those tables
    targets: int = 200  # the paper draws in a run
    reported: Sampling = PRINTED  # what the report of all papers draws: as much as the paper or more
    quick: Sampling = PRINTED  # and with `--quick`


def joined(*parts: Paper) -> Paper:
    """A paper whose reproduction has several parts, run one after the other; the first one's sizes."""
    return replace(
        parts[0],
        tables=lambda sampling, tick: tuple(table for part in parts for table in part.tables(sampling, tick)),
        steps=lambda sampling: sum(part.steps(sampling) for part in parts),
        pictures=lambda tables: {name: drawn for part in parts for name, drawn in part.pictures(tables).items()},
    )


part = partial(Paper, "")

PAPERS = {
    "bezier": Paper(
        bezier.CITATION, bezier.tables, lambda _: bezier.STEPS, bezier_pictures.pictures, reported=Sampling(2000)
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
        part(seed.tables, lambda _: len(seed.SWITCHES) * combined.HAS_NLOPT),
        part(paths.convergence, lambda _: len(paths.ARMS)),
        part(paths.tracking, lambda _: len(paths.PATHS), combined_pictures.pictures),
        part(convergence.tables, lambda _: convergence.STEPS, convergence.pictures),
        part(shapes.tables, lambda _: 1, shapes.pictures),
    ),
    "fabrik-r": joined(
        Paper(fabrik_r.CITATION, fabrik_r.tables, fabrik_r.steps, reported=Sampling(200, runs=20)),
        part(fabrik_r.orientation, lambda _: len(fabrik_r.POSED)),
        part(models.tables, lambda _: 1, fabrik_r_pictures.pictures),
    ),
}
