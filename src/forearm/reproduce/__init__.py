"""The papers' tables measured again: one folder per paper, each giving back `Table`s.

A reproduction uses the public interface only, so it measures what a user gets. Nothing here prints
or writes; `forearm.cli.commands.reproduce` does.
"""

import csv
import io
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.results.solution import Solution
from forearm.robot import Robot

Answer = TypeVar("Answer")
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

    @property
    def seeds(self) -> range:
        """The seed of each run."""
        return range(self.seed, self.seed + self.runs)

    @property
    def drawn(self) -> int:
        """How many targets all runs draw."""
        return self.targets * self.runs


@dataclass(frozen=True)
class Solver:
    """A line or column of a table: a method of `Robot.solve` and the options it runs with."""

    label: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def answers(self, robot: Robot, targets: Sequence[Any], q0: Floats) -> list[tuple[Solution, float]]:
        """A solution for each target from the same start, and its time [s]; what compiles is not timed."""

        def solve(target: Any) -> Solution:
            return robot.solve(target, q0, method=self.method, explain=False, **self.options)

        solve(targets[0])
        return [timed(partial(solve, target)) for target in targets]


class Row(SimpleNamespace):
    """A row of a table; its columns are named where their values are made, as in `Row(joint=1, angle=0.5)`."""


@dataclass(frozen=True)
class Figure:
    """One number of a paper beside the same number measured here; None where there is none."""

    solver: str
    quantity: str  # with its unit
    paper: float | None
    recomputed: float | None  # by an earlier prototype of ours, written from the paper
    here: float | None
    standard_error: float | None  # of `here`, from the spread over the targets


@dataclass(frozen=True)
class Table:
    """A table of a paper, reproduced; its note says why the numbers differ from the print."""

    name: str  # for file names
    title: str
    note: str
    rows: tuple[Any, ...]  # of `Row` or `Figure`, all with the same columns
    shown: bool = True  # the points of a curve only go to a file

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(vars(self.rows[0]))

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data, for JSON."""
        return {"name": self.name, "title": self.title, "note": self.note, "rows": [vars(row) for row in self.rows]}

    def to_csv(self) -> str:
        """The rows as CSV with a header; floats in full, so that they read back to the same bits."""
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(vars(row) for row in self.rows)
        return text.getvalue()


@dataclass(frozen=True, eq=False)
class Sample:
    """What one solver did on N targets, an entry each."""

    solved: NDArray[np.bool_]
    iterations: Floats
    errors: Floats  # from the tip to the target [m]
    seconds: Floats  # of the call, by the clock on the wall

    @classmethod
    def of(cls, rows: Sequence[tuple[float, ...]]) -> "Sample":
        """From a row for each target, in the order of the attributes."""
        solved, iterations, errors, seconds = np.array(rows, dtype=np.float64).T
        return cls(solved.astype(bool), iterations, errors, seconds)

    @classmethod
    def joined(cls, samples: Sequence["Sample"]) -> "Sample":
        """Several samples as one."""
        return cls(*(np.concatenate([getattr(each, item.name) for each in samples]) for item in fields(cls)))

    def summary(self) -> dict[str, tuple[float | None, float | None]]:
        """Value and standard error by quantity; iterations over the solved targets, time over all."""
        per_iteration = 1e3 * float(self.seconds.sum() / max(self.iterations.sum(), 1.0))
        return {
            SOLVED: share_and_error(self.solved),
            ITERATIONS: mean_and_error(self.iterations[self.solved]),
            TIME: mean_and_error(1e3 * self.seconds),
            TIME_PER_ITERATION: (per_iteration, None),
            ERROR: mean_and_error(1e2 * self.errors),
        }


def share_and_error(held: NDArray[np.bool_]) -> tuple[float, float]:
    """How many of all hold, and the standard error of that [%]."""
    p = float(held.mean())
    return 100.0 * p, 100.0 * float(np.sqrt(p * (1.0 - p) / len(held)))


def mean_and_error(values: Floats) -> tuple[float | None, float | None]:
    """The mean and its standard error; None for no values at all."""
    if not len(values):
        return None, None
    return float(values.mean()), float(values.std() / np.sqrt(len(values)))


def timed(call: Callable[[], Answer]) -> tuple[Answer, float]:
    """What a call gives, and how long it took [s]."""
    began = time.perf_counter()
    answer = call()
    return answer, time.perf_counter() - began


def fastest(call: Callable[[], Answer], rounds: int) -> tuple[Answer, float]:
    """What a call gives, and its least time over some rounds [ms]."""
    answers, seconds = zip(*(timed(call) for _ in range(rounds)), strict=True)
    return answers[-1], 1e3 * min(seconds)
