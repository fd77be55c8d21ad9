"""A trace that is stepped through: stage by stage, or joint by joint inside each stage."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats

REACHES = ("forward", "backward")  # the stages that place one point after the other


class Player:
    """A place in a trace.

    Args:
        trace: What is stepped through: it has `stages` ("start" first), (S, n+1, 3) `points` after each [m], and
            the (S,) `distance` from the tip to the target [m].
        by_joint: Whether a step is one joint of a reach instead of all of it.
    """

    def __init__(self, trace: Any, by_joint: bool = False) -> None:
        self.trace = trace
        self.by_joint = by_joint
        self.at = 0

    @property
    def substeps(self) -> int:
        """Steps in which a stage is shown."""
        return int(self.trace.points.shape[1]) if self.by_joint else 1

    @property
    def last(self) -> int:
        """The number of the last step; the start is step 0."""
        return (len(self.trace.stages) - 1) * self.substeps

    def move(self, step: int) -> None:
        """Goes to a step, or to the nearest there is."""
        self.at = min(max(int(step), 0), self.last)

    def keep_place(self, other: "Player") -> None:
        """Goes to the stage another player is at."""
        self.move(other.stage * self.substeps)

    @property
    def stage(self) -> int:
        """The stage that is being shown, whole or in part."""
        return -(-self.at // self.substeps)

    @property
    def name(self) -> str:
        """What this stage is."""
        return str(self.trace.stages[self.stage])

    @property
    def placed(self) -> NDArray[np.bool_]:
        """(n+1,) which points this stage has placed so far."""
        count = int(self.trace.points.shape[1])
        done = self.at - (self.stage - 1) * self.substeps if self.by_joint and self.stage else count
        if self.name not in REACHES:
            done = count
        order = np.arange(count)
        return order >= count - done if self.name == "forward" else order < done

    @property
    def points(self) -> Floats:
        """(n+1, 3) the points: those placed as this stage leaves them, the others as the one before."""
        now = self.trace.points[self.stage]
        before = self.trace.points[max(self.stage - 1, 0)]
        shown: Floats = np.where(self.placed[:, None], now, before)
        return shown

    @property
    def current(self) -> int | None:
        """The point that was placed last, or None if the whole stage is shown."""
        placed = self.placed
        if placed.all():
            return None
        return int(np.argmax(placed)) if self.name == "forward" else int(np.flatnonzero(placed)[-1])

    def errors(self) -> Floats:
        """(S,) distances for a curve: NaN behind a forward reach, where the tip is put on the target."""
        forward = np.array([name == "forward" for name in self.trace.stages])
        return np.where(forward, np.nan, self.trace.distance)
