"""A problem as the one flat array in which kernels open it (`core/arm/problem.py`), and what calls them.

Handing an array to compiled code costs Python about 0.05 us, so all that is small travels in one: first what may
change from call to call (settings, terms, limits), then what belongs to the robot.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from forearm.common.types import Floats
from forearm.core.arm.compact import CHAIN_COLUMNS, DRIVES, compact
from forearm.core.arm.problem import FACTS, HEAD, LIMITS_PLACE, SETTINGS, TERMS_PLACE
from forearm.core.codes import INEXACT
from forearm.models.model import Model
from forearm.targets.target import default_terms

NO_TABLE: Floats = np.empty(0)
NO_SETTINGS: Floats = np.zeros(0)
NO_FACTS: Floats = np.zeros(FACTS)


class Kernels(NamedTuple):
    """What answers for a method on a robot, called as `core/arm/problem.py` says."""

    solve: Callable[..., int]  # asked first
    size: Callable[[int, int], int]  # numbers of scratch it takes, of those of joints and of variables
    loop: Callable[..., None] | None = None  # over many targets, compiled; None to ask for one after the other
    polish: Callable[..., int] | None = None  # asked where another says INEXACT; None if none says so

    def ask(self, *arguments: Any) -> int:
        """Asks the kernel, and the polishing one where that one is not exact; the status code."""
        code = self.solve(*arguments)
        return self.polish(*arguments) if code == INEXACT and self.polish is not None else code


def pack_problem(
    model: Model, kind: int, settings: Floats, facts: Floats = NO_FACTS, marks: Floats | None = None
) -> Floats:
    """The flat array of a robot and a kind of target, with default terms; `marks` (m,) of joints that drive it."""
    chain, room = np.zeros((model.m + 1, CHAIN_COLUMNS)), np.zeros(SETTINGS)
    compact(model.links, model.joints, chain)
    chain[1:, DRIVES] = 0.0 if marks is None else marks
    room[: len(settings)] = settings
    head = np.array([model.m, kind], dtype=np.float64)
    parts = (head, room, default_terms(), model.limits, model.links, model.joints, chain, facts)
    return np.concatenate([part.ravel() for part in parts])


def changed(problem: Floats, settings: Floats, terms: Floats, limits: Floats) -> Floats:
    """A copy of a problem with other settings, terms and limits."""
    new: Floats = problem.copy()
    new[HEAD : HEAD + len(settings)] = settings
    new[TERMS_PLACE:LIMITS_PLACE] = terms
    new[LIMITS_PLACE : LIMITS_PLACE + limits.size] = limits.ravel()
    return new


def terms_and_limits(problem: Floats, n: int) -> tuple[Floats, Floats]:
    """(15,) and (2, n): what `changed` wrote."""
    return problem[TERMS_PLACE:LIMITS_PLACE], problem[LIMITS_PLACE : LIMITS_PLACE + 2 * n].reshape(2, n)


def chain_and_facts(problem: Floats, model: Model) -> tuple[Floats, Floats]:
    """(m+1, 12) the compact chain and (11,) facts of a problem."""
    return problem[-FACTS - (model.m + 1) * CHAIN_COLUMNS : -FACTS].reshape(-1, CHAIN_COLUMNS), problem[-FACTS:]
