"""Why a target was not met: a status and a true sentence."""

import numpy as np
from numpy.typing import NDArray

from forearm.core.codes import (
    ITERATIONS,
    ORIENTATION,
    POSITION_ERROR,
    ROTATION_ERROR,
    TOL_AXES,
    TOL_POSITION,
    TRIES,
)
from forearm.model import Model, reach
from forearm.solution import Status

Floats = NDArray[np.float64]


def explain(model: Model, kind: int, goal: Floats, terms: Floats, method: str, report: Floats) -> tuple[Status, str]:
    """The status and the sentence for a solve that did not meet its target."""
    gap = gap_to_reach(model, goal, terms) if kind != ORIENTATION else 0.0
    nearest = f"the nearest pose found is off by {report[POSITION_ERROR]:.3g} m and {report[ROTATION_ERROR]:.3g} rad"
    if gap > 0.0:
        sentence = f"the target is at least {gap:.3g} m beyond the arm's reach of {reach(model):.3g} m; {nearest}"
        return Status.OUT_OF_REACH, sentence
    tries, steps = int(report[TRIES]), int(report[ITERATIONS])
    sentence = (
        f"{method} met no tolerance in {tries} {'try' if tries == 1 else 'tries'} and {steps} iterations; "
        f"{nearest}; another q0, method or larger budget may do better"
    )
    return Status.NOT_CONVERGED, sentence


def gap_to_reach(model: Model, goal: Floats, terms: Floats) -> float:
    """How far the target lies beyond a bound no pose of the arm can pass [m]; 0 if it does not.

    The bound is exact in one direction: what lies beyond it is unreachable for certain.
    """
    along_axes = float(np.linalg.norm(terms[TOL_AXES : TOL_AXES + 3]))
    allowed = min(float(terms[TOL_POSITION]), along_axes)
    distance = float(np.linalg.norm(goal[:3, 3] - model.links[0, :, 3]))
    return max(0.0, distance - reach(model) - allowed)
