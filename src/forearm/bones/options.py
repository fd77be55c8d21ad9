"""The options of methods for chains; each field says its meaning, unit and range."""

import math
from dataclasses import dataclass

from forearm.common.options import Options, option


@dataclass(frozen=True)
class BezierOptions(Options):
    """Options of the Bezier method for chains."""

    max_turn: float = option(
        0.25, "with start: what a link may turn more than it must", low=1e-6, high=math.pi, unit="rad"
    )
    grid: int = option(
        5001, 'mode="paper": points on the curve, the paper\'s n; 0 solves without a grid', low=0, high=1e7
    )
    steps: int = option(900, 'mode="paper": heights of P1, the paper\'s k', low=2, high=1e7)
    linear: int = option(0, 'mode="paper": 1 searches linearly, 0 by bisection', low=0, high=1)
    shift: float = option(0.0, 'mode="paper": P1 is moved to the right by this', low=-1e9, high=1e9, unit="m")
    reflect: int = option(0, 'mode="paper": 1 reflects P1 to the other side of the base', low=0, high=1)
