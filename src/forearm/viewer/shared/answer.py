"""What a figure answered, and how long that took."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """A solution and how long it took.

    Attributes:
        solution: As `solve` of the robot, chain or skeleton gave it.
        seconds: Time of the call, as seen from Python.
        explained: Whether it knows why it failed, if it did.
    """

    solution: Any
    seconds: float
    explained: bool


def timed(solve: Callable[..., Any], *given: Any, explain: bool, **asked: Any) -> Answer:
    """The answer of a `solve` to what is given and asked."""
    started = time.perf_counter()
    solution = solve(*given, explain=explain, **asked)
    return Answer(solution, time.perf_counter() - started, explain or solution.success)
