"""What the page says of a track: whether it holds, where it stops and why, its joints along the way."""

from html import escape

import numpy as np

from forearm.common.types import Floats
from forearm.errors import counted
from forearm.plot.styles import COLOURS
from forearm.results.html import VERDICTS
from forearm.results.track import Track
from forearm.viewer.shared.theme import MISSED, SOLVED
from forearm.viewer.shared.words import card, facts_line, sentence

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 340.0, 130.0, 44.0, 12.0, 8.0, 18.0
ENDS = ("lower", "upper")  # of a joint's range, at the chart's edges


def track_card(track: Track) -> str:
    """The verdict on a track."""
    added = int(track.inserted.sum())
    more = f", {counted(added, 'point')} put between" if added else ""
    lines = [escape(sentence(track.reason))]
    if len(track):
        lines.append(f"{len(track) - added} of {counted(track.waypoints, 'way-point')}{more}.")
        lines.append(f"At worst {facts_line(track.position_errors.max(), track.rotation_errors.max())}.")
        lines += _speed_lines(track)
    if track.complete:
        return card("Tracked to the end", lines, SOLVED)
    why = VERDICTS[str(track.status)].lower()
    return card(f"The track stops at way-point {track.stopped_at}: {why}", lines, MISSED)


def _speed_lines(track: Track) -> list[str]:
    """Whether the joints keep up with the recorded times, where their speeds are known."""
    if track.times is None or len(track) < 2 or not np.isfinite(track.velocity_limits).any():
        return []
    fast = track.too_fast
    if not fast:
        return ["No joint is too fast at the recorded pace."]
    _, joint, ratio = max(fast, key=lambda segment: segment[2])
    whole = float(track.stretched_times[-1] - track.stretched_times[0])
    return [f"{escape(joint)} is {ratio:.2g} times too fast at the recorded pace; {whole:.1f} s would do."]


def joint_chart(track: Track, limits: Floats) -> str:
    """An SVG of all joints along a track, each between its limits; nothing for fewer than two points.

    Args:
        track: Whose joints are drawn.
        limits: (2, n) of the joints [rad or m]; a joint without limits is drawn in one turn about 0.
    """
    if len(track) < 2:
        return ""
    x = LEFT + (WIDTH - LEFT - RIGHT) * track.places / max(track.waypoints - 1, 1)
    span = limits[1] - limits[0]
    bounded = np.isfinite(span)
    low, size = np.where(bounded, limits[0], -np.pi), np.where(bounded, np.maximum(span, 1e-12), 2.0 * np.pi)
    turned = np.where(bounded, track.q, (track.q + np.pi) % (2.0 * np.pi) - np.pi)
    y = TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - (turned - low) / size)
    frame = f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}" '
    parts = [frame + 'fill="none" stroke="rgba(128,128,128,.5)"/>']
    parts += [_text(LEFT - 4.0, at, end, "end") for at, end in zip((HEIGHT - BOTTOM, TOP + 9.0), ENDS, strict=True)]
    parts.append(_text(0.5 * (LEFT + WIDTH - RIGHT), HEIGHT - 3.0, "way-points", "middle"))
    for k in range(track.q.shape[1]):
        way = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y[:, k], strict=True))
        colour = COLOURS[k % len(COLOURS)]
        parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
    if track.stopped_at is not None:
        at = LEFT + (WIDTH - LEFT - RIGHT) * track.stopped_at / max(track.waypoints - 1, 1)
        parts.append(f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#d55e00"/>')
    box = f'viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" style="width:100%"'
    svg = f'<svg {box} role="img" aria-label="joints along the track">'
    return f"{svg}{''.join(parts)}</svg>{_legend(track.joint_names)}"


def _legend(names: tuple[str, ...]) -> str:
    items = "".join(
        f'<span style="white-space:nowrap"><span style="display:inline-block;width:14px;height:3px;margin:0 4px 3px 0;'
        f'background:{COLOURS[k % len(COLOURS)]}"></span>{escape(name)}</span>'
        for k, name in enumerate(names)
    )
    style = "display:flex;flex-wrap:wrap;gap:2px 12px;padding:2px 9px 6px 9px;font-size:11px"
    return f'<div style="{style}">{items}</div>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="10" fill="currentColor" text-anchor="{anchor}">{text}</text>'
