"""What plain FABRIK does stage by stage, for plots and replay."""

from dataclasses import dataclass

import numpy as np

from forearm.bones.tree import Bones
from forearm.common.types import Floats
from forearm.core.bones.codes import BONE, GOAL_KIND, POINT, REACH_TOL
from forearm.core.bones.fabrik_free import trace_free
from forearm.core.bones.trace import trace_bones
from forearm.core.codes import POSITION
from forearm.errors import OptionError

MAX_SWEEPS = 1_000_000


@dataclass(frozen=True, eq=False)
class BoneTrace:
    """The stages of FABRIK, the start first.

    Attributes:
        stages: What each stage is: "start", then "forward" and "backward" in turn.
        points: (S, n+1, dim) the base, then each bone's end [m].
        distance: (S,) from the tip to its target [m], of several tips the largest; 0 behind a forward stage.
    """

    stages: tuple[str, ...]
    points: Floats
    distance: Floats

    def __len__(self) -> int:
        """How many stages there are, the start included."""
        return len(self.stages)


def trace(bones: Bones, wants: Floats, points: Floats, q: Floats, sweeps: int) -> BoneTrace:
    """The sweeps of plain FABRIK until every tip arrives, or as many as asked for."""
    whole = isinstance(sweeps, (int, np.integer)) and not isinstance(sweeps, bool)
    if not whole or not 1 <= sweeps <= MAX_SWEEPS:
        raise OptionError(f"sweeps is {sweeps!r}; it takes a whole number from 1 to {MAX_SWEEPS}")
    stages = np.empty((1 + 2 * sweeps, bones.n + 1, 3))
    if bones.is_free and wants[0, GOAL_KIND] == POSITION:
        target = np.ascontiguousarray(wants[0, POINT : POINT + 3])
        count = trace_free(bones.length, points, target, float(wants[0, REACH_TOL]), stages)
    else:
        base = points[0].copy()
        count = trace_bones(bones.parent, bones.length, bones.joints, base, q.copy(), wants, bones.free_base, stages)
    stages = stages[:count]
    tips = wants[:, BONE].astype(int) + 1
    away = np.linalg.norm(stages[:, tips] - wants[:, POINT : POINT + 3], axis=2).max(axis=1)
    names = ("start", *(("forward", "backward")[k % 2] for k in range(count - 1)))
    return BoneTrace(names, stages[:, :, : bones.dim].copy(), away)
