"""What a method did on its way to the answer, stage by stage, for plots and replay."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.core.codes import TOL_POSITION
from forearm.core.fabrik_r import trace_fabrik_r
from forearm.core.goal import begin
from forearm.errors import OptionError, UnsupportedError
from forearm.prepared import Prepared
from forearm.registry import Method, check_supported, find_method
from forearm.targets import Target, as_target

Floats = NDArray[np.float64]

MAX_SWEEPS = 100_000


@dataclass(frozen=True, eq=False)
class Trace:
    """The stages of a method, the start first.

    Attributes:
        stages: What each stage is: "start", then "forward" and "backward" in turn.
        points: (S, n+1, 3) points of the joints and of the tip [m].
        normals: (S, n+1, 3) the joints' axes: unit normals of the planes their links move in.
        distance: (S,) from the tip to the target [m]; 0 behind a forward stage, which starts there.
        q: (n,) joint values after the last stage.
    """

    stages: tuple[str, ...]
    points: Floats
    normals: Floats
    distance: Floats
    q: Floats

    def __len__(self) -> int:
        """How many stages there are, the start included."""
        return len(self.stages)


def trace(prepared: Prepared, target: Any, start: Floats, method: str, sweeps: int) -> Trace:
    """The stages of a method that has stages; arguments as `trace_sweeps` takes them, checked."""
    if method != "fabrik-r":
        raise UnsupportedError(f"method '{method}' has no trace; these have: fabrik-r")
    if not (isinstance(sweeps, int) and 1 <= sweeps <= MAX_SWEEPS):
        raise OptionError(f"sweeps is {sweeps!r}; it takes a whole number from 1 to {MAX_SWEEPS}")
    row, goal = find_method(method), as_target(target)
    check_supported(row, goal.kind, prepared.model)
    return trace_sweeps(prepared, row, goal, start, sweeps)


def trace_sweeps(prepared: Prepared, method: Method, target: Target, start: Floats, sweeps: int) -> Trace:
    """The sweeps of FABRIK-R until the tip arrives, or as many as asked for.

    Args:
        prepared: The robot and its tables.
        method: The registry's row of FABRIK-R.
        target: A pose or a position.
        start: (n,) start configuration, or of length zero for the middle of the limits.
        sweeps: How many sweeps at most.
    """
    model = prepared.model
    steps = prepared.of(method, target.kind)[0]
    q0, q = np.empty(model.n), np.empty(model.n)
    begin(model.limits, target.goal, start, q0)
    raw = np.empty((1 + 2 * sweeps, model.n + 1, 6))
    trace_fabrik_r(model.links, model.limits, target.goal, target.kind, q0, steps, raw, q)
    distance = np.linalg.norm(raw[:, -1, :3] - target.goal[:3, 3], axis=1)
    count = _stages_until_arrival(distance, float(target.terms[TOL_POSITION]))
    raw = raw[:count]
    return Trace(
        stages=("start", *(("forward", "backward")[k % 2] for k in range(count - 1))),
        points=raw[:, :, :3].copy(),
        normals=raw[:, :, 3:].copy(),
        distance=distance[:count],
        q=_values_after(prepared, target, q0, steps, count),
    )


def _stages_until_arrival(distance: Floats, tolerance: float) -> int:
    """How many stages there are up to the backward stage after which the tip has arrived."""
    arrived = np.flatnonzero(distance[::2] <= tolerance)
    return 2 * int(arrived[0]) + 1 if len(arrived) else len(distance)


def _values_after(prepared: Prepared, target: Target, q0: Floats, steps: Floats, count: int) -> Floats:
    """(n,) the joint values after so many stages."""
    model = prepared.model
    q, raw = np.empty(model.n), np.empty((count, model.n + 1, 6))
    trace_fabrik_r(model.links, model.limits, target.goal, target.kind, q0, steps, raw, q)
    return q
