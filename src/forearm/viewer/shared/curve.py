"""A curve of distances over the stages of a method, as a picture that a page can show."""

import numpy as np

from forearm.common import markup
from forearm.common.palette import BAD, BLUE, FAINT, GOOD, START
from forearm.common.types import Floats

WIDTH, HEIGHT = 340.0, 150.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, WIDTH - 18.0, 10.0, HEIGHT - 30.0  # edges of the curve
MOST_TICKS = 6  # stages that are numbered: every one, or every second, fifth, tenth and so on
MOST_DOTS = 60  # more would run together
LEAST = 1e-9  # what is nearer counts as arrived: a logarithm has no zero [m]


def distance_curve(distance: Floats, at: int, tolerance: float, label: str) -> str:
    """An SVG of (S,) distances [m] over stages, logarithmic, with a mark at the present one.

    Stages whose distance is zero by construction are NaN; at the tolerance [m] a method counts as arrived.
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
    steps = (k * 10**power for power in range(9) for k in (1, 2, 5))
    step = next(step for step in steps if (len(distance) - 1) // step < MOST_TICKS)
    parts += [markup.words(x[k], HEIGHT - 17.0, str(k)) for k in range(0, len(distance), step)]
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
        parts.append(markup.line((LEFT, y), (RIGHT, y), FAINT))
        parts.append(markup.words(LEFT - 4.0, y + 4.0, _decade(power), "end"))
    return parts


def _decade(power: int) -> str:
    """A power of ten of metres, with a unit that fits."""
    unit = {0: "m", -1: "mm", -2: "µm", -3: "nm"}[max(min(power // 3, 0), -3)]
    return f"{10 ** (power - 3 * max(min(power // 3, 0), -3)):g} {unit}"
