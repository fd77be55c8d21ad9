"""A curve of distances over the stages of a method, as a picture that a page can show."""

import numpy as np

from forearm.common import markup
from forearm.common.palette import BAD, BLUE, FAINT, GOOD, START
from forearm.common.types import Floats

WIDTH, HEIGHT = 340.0, 150.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, WIDTH - 18.0, 10.0, HEIGHT - 30.0  # edges of the curve
MOST_TICKS = 6
MOST_DOTS = 60  # more would run together
LEAST = 1e-9  # what is nearer counts as arrived: a logarithm has no zero [m]


def distance_curve(distance: Floats, at: int, tolerance: float, label: str) -> str:
    """An SVG of distances [m] over stages, logarithmic, with a mark at the present stage.

    Args:
        distance: (S,) distances; stages whose distance is zero by construction are NaN.
        at: The present stage.
        tolerance: Where a method counts as arrived [m].
        label: What is counted along the axis.
    """
    known = np.flatnonzero(np.isfinite(distance))
    values, goal = np.log10(np.maximum(distance[known], LEAST)), float(np.log10(tolerance))
    bottom = float(np.floor(min(values.min(initial=0.0), goal) - 0.2))
    top = float(np.ceil(max(values.max(initial=0.0), bottom + 1.0)))
    x = LEFT + (RIGHT - LEFT) * np.arange(len(distance)) / max(len(distance) - 1, 1)
    y, floor = _height(values, bottom, top), float(_height(goal, bottom, top))
    parts = _decades(bottom, top)
    parts.append(markup.line((LEFT, floor), (RIGHT, floor), GOOD, stroke_dasharray="4 3"))
    parts.append(markup.polyline(x[known], y, BLUE, 2))
    if len(known) <= MOST_DOTS:
        parts += [markup.dot(a, b, 2.5, BLUE) for a, b in zip(x[known], y, strict=True)]
    parts.append(markup.line((x[at], TOP), (x[at], BOTTOM), START))
    seen = np.flatnonzero(known <= at)
    if len(seen):
        parts.append(markup.dot(x[known[seen[-1]]], y[seen[-1]], 5, BAD))
    parts.append(markup.words(0.5 * (LEFT + RIGHT), HEIGHT - 3.0, label))
    parts += [markup.words(x[k], HEIGHT - 17.0, str(k)) for k in _ticks(len(distance))]
    return markup.svg(parts, WIDTH, HEIGHT, "distance to the target", is_wide=True)


def _height(power: float | Floats, bottom: float, top: float) -> Floats:
    """Where a power of ten stands between those at the bottom and the top [px]."""
    height: Floats = TOP + (BOTTOM - TOP) * (top - np.asarray(power)) / (top - bottom)
    return height


def _decades(bottom: float, top: float) -> list[str]:
    """Grid lines and their names, a power of ten each, few enough to read."""
    parts = []
    for power in range(int(bottom), int(top) + 1, max(1, int(np.ceil((top - bottom) / 6)))):
        y = float(_height(power, bottom, top))
        name = f"{10.0**power:.0e}".replace("e-0", "e-").replace("e+00", "")
        parts.append(markup.line((LEFT, y), (RIGHT, y), FAINT))
        parts.append(markup.words(LEFT - 4.0, y + 4.0, f"{name} m", "end"))
    return parts


def _ticks(count: int) -> list[int]:
    """Stages that are numbered: every one, or every second, fifth, tenth and so on, six at most."""
    step = next(k * 10**power for power in range(9) for k in (1, 2, 5) if (count - 1) // (k * 10**power) < MOST_TICKS)
    return list(range(0, count, step))
