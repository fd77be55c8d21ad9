"""What comes back from solving many targets: arrays, one row for each."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.codes import ITERATIONS, POSITION_ERROR, ROTATION_ERROR, TRIES
from forearm.models.model import Model
from forearm.results.solution import NOT_EXPLAINED, Nearness, Solution, Status

STATUSES = tuple(Status)  # in the order of the kernels' codes


class ManyMeasured:
    """What the batches of arms and of chains have in common: statuses, and reports that were measured."""

    status: NDArray[np.int8]
    report: Floats
    explanations: dict[int, str]

    @property
    def success(self) -> NDArray[np.bool_]:
        """(N,) true only where position, rotation and limits all hold."""
        return np.equal(self.status, 0)

    @property
    def status_names(self) -> NDArray[np.str_]:
        """(N,) how each ended, in a word."""
        return np.array([str(status) for status in STATUSES])[self.status]

    @property
    def position_error(self) -> Floats:
        """(N,) distances from the tip to the target [m], of several tips the largest; 0 if no position was asked."""
        return self.report[:, POSITION_ERROR]

    @property
    def rotation_error(self) -> Floats:
        """(N,) angles from the tip's rotation to the target's [rad]; 0 if none was asked."""
        return self.report[:, ROTATION_ERROR]

    @property
    def iterations(self) -> NDArray[np.int64]:
        """(N,) iterations over all tries."""
        return self.report[:, ITERATIONS].astype(np.int64)

    @property
    def tries(self) -> NDArray[np.int64]:
        """(N,) starts that were tried."""
        return self.report[:, TRIES].astype(np.int64)

    def __len__(self) -> int:
        """How many targets there were."""
        return len(self.status)

    def __bool__(self) -> bool:
        """Whether every target was solved."""
        return bool(self.success.all())

    def _repr_html_(self) -> str:
        """How many ended how, as a notebook shows it."""
        from forearm.results.html import batch_html  # noqa: PLC0415 (only a notebook asks)

        return batch_html(self)

    def _picked(self, place: Any) -> tuple[NDArray[np.int64], dict[int, str]]:
        """The rows that a slice, mask or list picks, and their sentences by new place."""
        rows = np.arange(len(self))[place]
        return rows, {j: self.explanations[i] for j, i in enumerate(rows.tolist()) if i in self.explanations}

    def _ended(self, i: int) -> tuple[Status, str]:
        """How one ended, and the sentence for a failure."""
        status = STATUSES[self.status[i]]
        return status, "" if status is Status.SOLVED else self.explanations.get(i, NOT_EXPLAINED)


@dataclass(frozen=True, eq=False, repr=False)
class BatchSolution(ManyMeasured):
    """The answers to many targets as arrays, row i for target i; `batch[i]` is a `Solution`.

    Attributes:
        q: (N, n) joint values inside the limits [rad or m]; on failure those of the nearest pose.
        status: (N,) how each ended, as a place in `STATUSES`: 0 solved, 1 out_of_reach, 2 limits,
            3 orientation, 4 collision, 5 not_converged, 8 step.
        by: (N,) which of `methods` each was answered by.
        methods: The methods that were asked, one behind the other.
        report: (N, 8) what the kernel measured (`core/codes.py`); the properties below read it.
        explanations: The sentences of those failures that were explained, by place.
        guard: Measures what is nearest, for solves among obstacles; else None.
        model: The arm that was solved for, with the tool of the call; None if whoever made it did not say.
    """

    q: Floats
    status: NDArray[np.int8]
    by: NDArray[np.int8]
    methods: tuple[str, ...]
    report: Floats
    explanations: dict[int, str] = field(default_factory=dict)
    guard: Nearness | None = None
    model: Model | None = None

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints that the columns of `q` are of; none if it is not known which arm they are of."""
        return () if self.model is None else self.model.joint_names

    def as_dict(self) -> dict[str, Floats]:
        """The joint values by joint name, (N,) each: the columns of a table."""
        return dict(zip(self.joint_names, self.q.T, strict=True))

    @property
    def method(self) -> NDArray[np.str_]:
        """(N,) the method each was answered by."""
        return np.array(self.methods)[self.by]

    @property
    def clearance(self) -> Floats:
        """(N,) distances to what is nearest [m], negative where it overlaps; NaN if no obstacles were given."""
        return np.full(len(self), np.nan) if self.guard is None else self.guard.measure(self.q)[0]

    @overload
    def __getitem__(self, place: int) -> Solution: ...
    @overload
    def __getitem__(self, place: Any) -> "BatchSolution": ...
    def __getitem__(self, place: Any) -> "Solution | BatchSolution":
        """The solution of one target, or the batch of those that a slice, mask or list picks."""
        if not isinstance(place, (int, np.integer)):
            picked, kept = self._picked(place)
            rows = (self.q[picked], self.status[picked], self.by[picked])
            return BatchSolution(*rows, self.methods, self.report[picked], kept, self.guard, self.model)
        i = range(len(self))[place]
        status, sentence = self._ended(i)
        answer = (self.q[i].copy(), status, self.methods[self.by[i]], self.report[i].copy(), sentence)
        return Solution(*answer, self.guard, self.model)

    def __iter__(self) -> Iterator[Solution]:
        """The solutions one by one, each made when it is asked for."""
        return (self[i] for i in range(len(self)))

    def summary(self) -> str:
        """What became of the targets, in a line or two."""
        used = [name for place, name in enumerate(self.methods) if (self.by == place).any()] or self.methods
        text = summarise(self.status, " and ".join(used), self.position_error, self.rotation_error)
        if (self.status == STATUSES.index(Status.NOT_CONVERGED)).any() and not self.explanations:
            text += " (explain=True looks again, longer, and says why)"
        return text

    def __repr__(self) -> str:
        """The summary."""
        return f"BatchSolution({self.summary()})".replace("\n", "; ")


def summarise(status: NDArray[np.int8], method: str, position: Floats, rotation: Floats) -> str:
    """What became of many targets: how many were solved, how exactly, and how the others ended."""
    met = np.equal(status, 0)
    text = f"{int(met.sum())} of {len(status)} solved by {method}"
    if met.any():
        text += f"; largest errors {position[met].max():.2g} m and {rotation[met].max():.2g} rad"
    counts = np.bincount(status, minlength=len(STATUSES))
    ended = [f"{count} {word}" for word, count in zip(STATUSES, counts, strict=True) if count]
    return text if met.all() else f"{text}\n{', '.join(ended)}"
