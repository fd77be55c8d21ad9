"""What comes back from solving many targets of a chain or skeleton: arrays, one row for each."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones
from forearm.common.types import Floats
from forearm.core.bones.codes import SWEEPS
from forearm.core.codes import ITERATIONS, POSITION_ERROR, REPORT, ROTATION_ERROR, TRIES
from forearm.results.batch import STATUSES, summarise
from forearm.results.solution import NOT_EXPLAINED, Status


@dataclass(frozen=True, eq=False, repr=False)
class ChainBatch:
    """The poses for many targets as arrays, row i for target i; `batch[i]` is a `ChainSolution`.

    Attributes:
        points3: (N, n+1, 3) the base, then each bone's end [m]; z is 0 in a plane.
        status: (N,) how each ended, as a place in `STATUSES` (`BatchSolution` lists them).
        method: The method that was used.
        report: (N, 8 or 17) what the kernels measured.
        bones: The tree that was solved.
        values: (N, n, 3) joint values where the method gives them, else NaN.
        near: (N, n, 3) joint values of the starts where values are read from points, else NaN.
        frames: (N, 6) of Bezier poses (`ChainSolution.frame`), else NaN.
        clearance: (N,) distance to the nearest obstacle [m]; NaN if there were none.
        explanations: The sentences of those failures that were explained, by place.
    """

    points3: Floats
    status: NDArray[np.int8]
    method: str
    report: Floats
    bones: Bones
    values: Floats
    near: Floats
    frames: Floats
    clearance: Floats
    explanations: dict[int, str] = field(default_factory=dict)

    @property
    def points(self) -> Floats:
        """(N, n+1, dim) the base, then each bone's end [m]."""
        points: Floats = self.points3[:, :, : self.bones.dim]
        return points

    @property
    def success(self) -> NDArray[np.bool_]:
        """(N,) true only where every tip is within its tolerances and all limits hold."""
        return np.equal(self.status, 0)

    @property
    def status_names(self) -> NDArray[np.str_]:
        """(N,) how each ended, in a word."""
        return np.array([str(status) for status in STATUSES])[self.status]

    @property
    def position_error(self) -> Floats:
        """(N,) distances from the tips to their targets [m], of several tips the largest."""
        return self.report[:, POSITION_ERROR]

    @property
    def rotation_error(self) -> Floats:
        """(N,) angles from the tips' orientations to their targets [rad], the largest."""
        return self.report[:, ROTATION_ERROR]

    @property
    def iterations(self) -> NDArray[np.int64]:
        """(N,) sweeps and steps of the refiner together."""
        return (self.report[:, ITERATIONS] + self.report[:, SWEEPS]).astype(np.int64)

    @property
    def tries(self) -> NDArray[np.int64]:
        """(N,) starts that were tried."""
        return self.report[:, TRIES].astype(np.int64)

    def __len__(self) -> int:
        """How many targets there were."""
        return len(self.points3)

    def __bool__(self) -> bool:
        """Whether every target was solved."""
        return bool(self.success.all())

    @overload
    def __getitem__(self, place: int) -> ChainSolution: ...
    @overload
    def __getitem__(self, place: Any) -> "ChainBatch": ...
    def __getitem__(self, place: Any) -> "ChainSolution | ChainBatch":
        """The solution of one target, or the batch of those that a slice, mask or list picks."""
        if not isinstance(place, (int, np.integer)):
            rows = np.arange(len(self))[place]
            kept = {j: self.explanations[i] for j, i in enumerate(rows.tolist()) if i in self.explanations}
            answer = (self.points3[rows], self.status[rows], self.method, self.report[rows], self.bones)
            more = (self.values[rows], self.near[rows], self.frames[rows], self.clearance[rows])
            return ChainBatch(*answer, *more, kept)
        i = range(len(self))[place]
        status = STATUSES[self.status[i]]
        sentence = "" if status is Status.SOLVED else self.explanations.get(i, NOT_EXPLAINED)
        gap = None if np.isnan(self.clearance[i]) else float(self.clearance[i])
        made = (self.points3[i].copy(), status, self.method, self.report[i].copy(), self.bones, sentence, gap)
        return ChainSolution(*made, known(self.values[i]), known(self.near[i]), known(self.frames[i]))

    def __iter__(self) -> Iterator[ChainSolution]:
        """The solutions one by one, each made when it is asked for."""
        return (self[i] for i in range(len(self)))

    def summary(self) -> str:
        """What became of the targets, in a line or two."""
        return summarise(self.status, self.method, self.position_error, self.rotation_error)

    def __repr__(self) -> str:
        """The summary."""
        return f"ChainBatch({self.summary()})".replace("\n", "; ")


def known(row: Floats) -> Floats | None:
    """A copy of a row, or None where it holds no numbers."""
    return None if np.isnan(row.flat[0]) else row.copy()


def empty_batch(bones: Bones, count: int, method: str, columns: int = REPORT) -> ChainBatch:
    """A batch to write answers into."""
    n = bones.n
    values, near, frames = np.full((count, n, 3), np.nan), np.full((count, n, 3), np.nan), np.full((count, 6), np.nan)
    points, codes = np.empty((count, n + 1, 3)), np.empty(count, np.int8)
    return ChainBatch(
        points, codes, method, np.zeros((count, columns)), bones, values, near, frames, np.full(count, np.nan)
    )
