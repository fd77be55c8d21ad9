"""The one road from a target to a verdict: validate, kernel, measure by FK, wrap.

The kernel itself checks its input and measures its answer (`core/goal.py`), so a good call costs
one trip into compiled code; only a bad or failed one comes back here for words.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.arrays import as_floats
from forearm.core.codes import BAD_START, BAD_TARGET, POSE, REPORT, SOLVED, START_SLACK
from forearm.errors import OptionError, TargetError
from forearm.model import Model
from forearm.registry import Method, check_supported
from forearm.solution import Solution, Status
from forearm.targets import as_target, default_terms
from forearm.verdict import explain as explain_failure

Floats = NDArray[np.float64]

_POSE_TERMS = default_terms()


def solve(
    model: Model,
    target: Any,
    q0: Any,
    method: Method,
    settings: Floats,
    limits: Floats,
    explain: bool = True,
) -> Solution:
    """Solves one target.

    Args:
        model: The chain.
        target: A `Target`, or anything that holds a (4, 4) pose.
        q0: (n,) start configuration.
        method: A row of the registry.
        settings: The method's packed options.
        limits: (2, n) limits to respect in this call.
        explain: Whether a failure shall be explained; False saves the time in control loops.
    """
    if type(target) is np.ndarray and target.shape == (4, 4):
        kind, goal, terms = POSE, np.array(target, np.float64, order="C"), _POSE_TERMS
    else:
        parsed = as_target(target)
        kind, goal, terms = parsed.kind, parsed.goal, parsed.terms
    if method.fault(kind, model):
        check_supported(method, kind, model)
    start = _as_start(q0, model)
    q = np.empty(len(model.joint_names))
    report = np.empty(REPORT)
    code = method.kernel(model.links, model.joints, limits, goal, kind, terms, start, settings, q, report)
    if code == SOLVED:
        return Solution(q, Status.SOLVED, method.name, report)
    if code == BAD_TARGET:
        as_target(goal)
        raise TargetError(f"the target is not a rigid transform: {goal.tolist()}")
    if code == BAD_START:
        refuse_start(start, limits, model)
    if not explain:
        return Solution(q, Status.NOT_CONVERGED, method.name, report, "not explained (explain=False)")
    within = model if limits is model.limits else replace(model, limits=limits)
    status, sentence = explain_failure(within, kind, goal, terms, method.name, report)
    return Solution(q, status, method.name, report, sentence)


def neutral(limits: Floats) -> Floats:
    """(n,) the middle of the limits; 0, moved inside, for joints without two finite ones."""
    bounded = np.isfinite(limits).all(axis=0)
    middle = 0.5 * (np.where(bounded, limits[0], 0.0) + np.where(bounded, limits[1], 0.0))
    return np.clip(middle, limits[0], limits[1])


def _as_start(q0: Any, model: Model) -> Floats:
    """q0 as a fresh float64 vector of the right length; its values are checked by the kernel."""
    try:
        start = np.array(q0, np.float64, order="C")
    except (TypeError, ValueError):
        start = as_floats(q0, "q0", OptionError)
    if start.shape != (len(model.joint_names),):
        raise OptionError(
            f"q0 has shape {start.shape}; {model.name} takes {model.n} joint values: {', '.join(model.joint_names)}"
        )
    return start


def refuse_start(q0: Floats, limits: Floats, model: Model) -> None:
    """Raises the error for a start that is not finite or outside the limits, joint by joint."""
    as_floats(q0, "q0", OptionError)
    outside = [
        f"'{name}' = {value:.6g} (limits {lower:.6g} to {upper:.6g})"
        for name, value, lower, upper in zip(model.joint_names, q0, *limits, strict=True)
        if not lower - START_SLACK <= value <= upper + START_SLACK
    ]
    raise OptionError(f"q0 is outside the limits: {'; '.join(outside)}; robot.clip(q0) moves it inside")
