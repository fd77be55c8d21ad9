"""The papers' tables measured again: one module per paper, each giving back `Table`s.

A reproduction uses the public interface only, so it measures what a user gets. Nothing here prints
or writes; `forearm.cli.commands.reproduce` does.
"""

import csv
import io
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tick = Callable[[str], None]  # told what was measured, after each step of the work

SOLVED = "solved (%)"
ITERATIONS = "iterations"
TIME = "ms per target"
TIME_PER_ITERATION = "ms per iteration"
ERROR = "error (cm)"


@dataclass(frozen=True)
class Sampling:
    """How many targets are drawn, and from which seeds: run k draws `targets` from seed `seed + k`."""

    targets: int = 200
    runs: int = 1
    seed: int = 0


@dataclass(frozen=True)
class Figure:
    """One number of a paper beside the same number measured here.

    Attributes:
        solver: Whose number it is.
        quantity: What it counts, with its unit.
        paper: As printed; None where the paper has none.
        recomputed: By an earlier prototype of ours written from the paper; None where there is none.
        here: As measured in this run.
        standard_error: Of `here`, from the spread over the targets; None where it has none.
    """

    solver: str
    quantity: str
    paper: float | None
    recomputed: float | None
    here: float | None
    standard_error: float | None


@dataclass(frozen=True)
class Table:
    """A table of a paper, reproduced.

    Attributes:
        name: Short, for file names.
        title: What the paper's table shows.
        note: Why the numbers differ from the print, in plain words.
        rows: Frozen dataclasses, all of one class; their fields are the columns.
        shown: Whether it is printed; the points of a curve only go to a file.
    """

    name: str
    title: str
    note: str
    rows: tuple[Any, ...]
    shown: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(item.name for item in fields(self.rows[0]))

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data, for JSON."""
        return {"name": self.name, "title": self.title, "note": self.note, "rows": [asdict(row) for row in self.rows]}

    def to_csv(self) -> str:
        """The rows as CSV with a header; floats in full, so that they read back to the same bits."""
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in self.rows)
        return text.getvalue()


@dataclass(frozen=True, eq=False)
class Sample:
    """What one solver did on N targets.

    Attributes:
        solved: (N,) whether each was solved.
        iterations: (N,) iterations spent.
        errors: (N,) distance from the tip to the target [m].
        seconds: (N,) wall-clock time of the call [s].
    """

    solved: NDArray[np.bool_]
    iterations: NDArray[np.float64]
    errors: NDArray[np.float64]
    seconds: NDArray[np.float64]

    def summary(self) -> dict[str, tuple[float | None, float | None]]:
        """Value and standard error by quantity; iterations over the solved targets, time over all."""
        p, N = float(self.solved.mean()), len(self.solved)
        per_iteration = 1e3 * float(self.seconds.sum() / max(self.iterations.sum(), 1.0))
        return {
            SOLVED: (100.0 * p, 100.0 * float(np.sqrt(p * (1.0 - p) / N))),
            ITERATIONS: mean_and_error(self.iterations[self.solved]),
            TIME: mean_and_error(1e3 * self.seconds),
            TIME_PER_ITERATION: (per_iteration, None),
            ERROR: mean_and_error(1e2 * self.errors),
        }


def mean_and_error(values: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """The mean and its standard error; None for no values at all."""
    if not len(values):
        return None, None
    return float(values.mean()), float(values.std() / np.sqrt(len(values)))
