"""What a figure answered, and how long that took."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """A solution as a robot, chain or skeleton gave it, and how long the call took, as seen from Python."""

    solution: Any
    seconds: float
    explained: bool  # whether it knows why it failed, if it did


def timed(solve: Callable[..., Any], *given: Any, explain: bool, **asked: Any) -> Answer:
    """The answer of a `solve` to what is given and asked."""
    started = time.perf_counter()
    solution = solve(*given, explain=explain, **asked)
    return Answer(solution, time.perf_counter() - started, explain or solution.success)
