"""What the published Bezier search does height by height, for plots and replay.

The same bisection as `search_binary` of `core/bezier_paper.py`, on any chain in the plane of its base, its
initial tip and the target; every height of the control point P1 that is tried is kept.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forearm.bones import Bones
from forearm.core.bezier_paper import BINARY, place_on_grid
from forearm.errors import TargetError

Floats = NDArray[np.float64]

GRID, HEIGHTS = 2000, 1000  # points of a curve and heights of P1: fine enough to draw
STOP = 1e-3  # the search ends at this share of the last link, as in `bezier_paper.py`
CURVE_POINTS = 48  # of a curve that is drawn
SAME_LINE = 1e-9  # a target this near to the line to the tip, per metre, leaves the plane open


@dataclass(frozen=True, eq=False)
class BezierTrace:
    """The curves that were tried, the start first.

    Attributes:
        stages: "start", then "curve" for each height of P1.
        points: (S, n+1, 3) the joints on the curve, the last one on the target [m].
        distance: (S,) by how much the last link would miss its length [m]; at the start, how far the tip is.
        gaps: (S,) the same with its sign: positive where the curve is too long for the chain.
        control: (S, 3) the control point P1 [m].
        curve: (S, CURVE_POINTS, 3) the curve [m].
        tolerance: Where the search ends [m].
    """

    stages: tuple[str, ...]
    points: Floats
    distance: Floats
    gaps: Floats
    control: Floats
    curve: Floats
    tolerance: float

    def __len__(self) -> int:
        """How many stages there are, the start included."""
        return len(self.stages)


def trace_bezier(bones: Bones, points: Floats, target: Floats) -> BezierTrace:
    """The curves of the published search from a pose of a chain to a target.

    Args:
        bones: A chain without limits.
        points: (n+1, 3) the pose it starts from; P1 begins above it, a chain's length from the base.
        target: (3,) where the tip shall go [m].
    """
    away = target - points[0]
    if not float(np.linalg.norm(away)) < bones.size:
        raise TargetError(
            f"the target is {np.linalg.norm(away):.4g} m from the base; curves are laid to targets nearer than the "
            f"chain's {bones.size:.4g} m, so bring it nearer"
        )
    frame = _plane(points, away)
    x, y = (frame @ away).tolist()
    heights, laid, gaps = _bisect(bones.length, bones.size, x, y)
    t = np.linspace(0.0, 1.0, CURVE_POINTS)[:, None]
    control = np.stack([points[0] + height * frame[1] for height in heights])
    curves = [points[0] + 2.0 * t * (1.0 - t) * (P1 - points[0]) + t * t * away for P1 in control]
    start = float(np.linalg.norm(points[-1] - target))
    return BezierTrace(
        stages=("start", *("curve" for _ in heights)),
        points=np.stack([points, *(points[0] + xy @ frame for xy in laid)]),
        distance=np.abs([start, *gaps]),
        gaps=np.array([start, *gaps]),
        control=np.vstack([control[:1], control]),
        curve=np.stack([curves[0], *curves]),
        tolerance=STOP * float(bones.length[-1]),
    )


def _plane(points: Floats, away: Floats) -> Floats:
    """(2, 3) the paper's axes as rows: y from the base to the initial tip, x toward the target."""
    up = points[-1] - points[0]
    up = up / np.linalg.norm(up) if up.any() else np.array([0.0, 0.0, 1.0])
    side = away - (away @ up) * up
    if np.linalg.norm(side) < SAME_LINE * np.linalg.norm(away):
        side = np.eye(3)[int(np.argmin(np.abs(up)))]
        side = side - (side @ up) * up
    return np.stack([side / np.linalg.norm(side), up])


def _bisect(length: Floats, top: float, x: float, y: float) -> tuple[list[float], list[Floats], list[float]]:
    """The heights that `search_binary` tries, the joints of each curve, and their gaps."""
    tolerance, half = STOP * float(length[-1]), 0.5 * top
    high, low, up, down = top, half, HEIGHTS - 1, 0
    middle = up
    heights: list[float] = []
    laid: list[Floats] = []
    gaps: list[float] = []
    while True:
        heights.append(low + (high - low) * middle / (HEIGHTS - 1))
        laid.append(np.empty((len(length) + 1, 2)))
        gaps.append(float(place_on_grid(length, 0.0, heights[-1], x, y, GRID, BINARY, laid[-1])[0]))
        if abs(gaps[-1]) <= tolerance or (len(gaps) == 1 and gaps[0] < 0.0):
            return heights, laid, gaps
        if gaps[-1] > 0.0:
            up = middle - 1
        else:
            down = middle + 1
        if down > up:
            if not (low == half and gaps[-1] > 0.0 and middle == 0):
                return heights, laid, gaps
            high, low, up, down = half, 0.0, HEIGHTS - 1, 0  # "extend the lower bound to y_P0"
        middle = (down + up) // 2
