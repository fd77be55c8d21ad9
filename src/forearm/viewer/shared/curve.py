"""A curve of distances over the stages of a method, as a picture that a page can show."""

from html import escape

import numpy as np

from forearm.common.types import Floats
from forearm.viewer.shared.theme import BACKWARD, MISSED, SOLVED, START, css

WIDTH, HEIGHT = 340.0, 150.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 18.0, 10.0, 30.0
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
    values = np.log10(np.maximum(distance[known], LEAST))
    bottom = float(np.floor(min(values.min(initial=0.0), np.log10(tolerance)) - 0.2))
    top = float(np.ceil(max(values.max(initial=0.0), bottom + 1.0)))
    x = LEFT + (WIDTH - LEFT - RIGHT) * np.arange(len(distance)) / max(len(distance) - 1, 1)
    y = TOP + (HEIGHT - TOP - BOTTOM) * (top - values) / (top - bottom)
    floor = TOP + (HEIGHT - TOP - BOTTOM) * (top - np.log10(tolerance)) / (top - bottom)
    parts = [_decades(bottom, top)]
    parts.append(_line(LEFT, floor, WIDTH - RIGHT, floor, css(SOLVED), 'stroke-dasharray="4 3"'))
    way = " ".join(f"{x[k]:.1f},{v:.1f}" for k, v in zip(known, y, strict=True))
    parts.append(f'<polyline points="{way}" fill="none" stroke="{css(BACKWARD)}" stroke-width="2"/>')
    if len(known) <= MOST_DOTS:
        dots = zip(x[known], y, strict=True)
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{css(BACKWARD)}"/>' for a, b in dots]
    parts.append(_line(x[at], TOP, x[at], HEIGHT - BOTTOM, css(START), ""))
    seen = np.flatnonzero(known <= at)
    if len(seen):
        k = seen[-1]
        parts.append(f'<circle cx="{x[known[k]]:.1f}" cy="{y[k]:.1f}" r="5" fill="{css(MISSED)}"/>')
    parts.append(_text(0.5 * (LEFT + WIDTH - RIGHT), HEIGHT - 3.0, label, "middle"))
    parts += [_text(x[k], HEIGHT - 17.0, str(k), "middle") for k in _ticks(len(distance))]
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" style="width:100%" role="img" '
        f'aria-label="distance to the target">{"".join(parts)}</svg>'
    )


def _decades(bottom: float, top: float) -> str:
    """Grid lines and their names, a power of ten each, few enough to read."""
    step = max(1, int(np.ceil((top - bottom) / 6)))
    parts = []
    for power in range(int(bottom), int(top) + 1, step):
        y = TOP + (HEIGHT - TOP - BOTTOM) * (top - power) / (top - bottom)
        parts.append(_line(LEFT, y, WIDTH - RIGHT, y, "rgba(128,128,128,.3)", ""))
        parts.append(
            _text(LEFT - 4.0, y + 4.0, f"{10.0**power:.0e}".replace("e-0", "e-").replace("e+00", "") + " m", "end")
        )
    return "".join(parts)


def _ticks(count: int) -> list[int]:
    """Stages that are numbered: every one, or every second, fifth, tenth and so on, six at most."""
    step = next(k * 10**power for power in range(9) for k in (1, 2, 5) if (count - 1) // (k * 10**power) < MOST_TICKS)
    return list(range(0, count, step))


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, more: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {more}/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="10" fill="currentColor" text-anchor="{anchor}">{escape(text)}</text>'
    )
