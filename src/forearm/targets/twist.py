"""A twist: how fast the tip should move and turn, for servos."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import as_real
from forearm.common.types import Floats
from forearm.errors import TargetError, told_in_words

FRAMES = ("base", "tip")


@told_in_words
@dataclass(frozen=True, eq=False, init=False)
class Twist:
    """How fast the tip should move and turn.

    Attributes:
        numbers: (6,) linear [m/s], then angular [rad/s]; a servo takes one that is not finite for none.
        frame: Whose axes they are along: those of the "base" or of the "tip".
    """

    numbers: Floats
    frame: str

    def __init__(
        self, linear: ArrayLike = (0.0, 0.0, 0.0), angular: ArrayLike = (0.0, 0.0, 0.0), *, frame: str = "base"
    ) -> None:
        parts = []
        for value, name in ((linear, "linear"), (angular, "angular")):
            part = as_real(value, name)
            if part.shape != (3,):
                raise TargetError(f"{{argument}} has shape {part.shape}; a twist takes three numbers", argument=name)
            parts.append(part)
        if frame not in FRAMES:
            raise TargetError(f"{{argument}} is {frame!r}; it takes 'base' or 'tip'", argument="frame")
        object.__setattr__(self, "numbers", np.concatenate(parts))
        object.__setattr__(self, "frame", frame)
