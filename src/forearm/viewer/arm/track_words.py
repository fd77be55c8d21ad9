"""What the page says of a track: whether it holds, where it stops and why, its joints along the way."""

from html import escape

import numpy as np

from forearm.common import markup
from forearm.common.palette import BAD
from forearm.common.types import Floats
from forearm.errors import counted
from forearm.results.html_parts import VERDICTS
from forearm.results.track import Track
from forearm.viewer.shared.theme import MISSED, SOLVED
from forearm.viewer.shared.words import card, facts_line, sentence

WIDTH, HEIGHT = 340.0, 130.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, WIDTH - 12.0, 8.0, HEIGHT - 18.0  # edges of the chart: lower and upper limits


def track_card(track: Track) -> str:
    """The verdict on a track."""
    added = int(track.inserted.sum())
    more = f", {counted(added, 'point')} put between" if added else ""
    lines = [escape(sentence(track.reason))]
    if len(track) and not track.complete:  # else the sentence has said it
        lines.append(f"{len(track) - added} of {counted(track.waypoints, 'way-point')}{more}.")
    if len(track):
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
    """An SVG of all joints along a track, each between its (2, n) limits; nothing for fewer than two points.

    A joint without limits is drawn in one turn about 0.
    """
    if len(track) < 2:
        return ""
    apart = (RIGHT - LEFT) / max(track.waypoints - 1, 1)
    span = limits[1] - limits[0]
    bounded = np.isfinite(span)
    low, size = np.where(bounded, limits[0], -np.pi), np.where(bounded, np.maximum(span, 1e-12), 2.0 * np.pi)
    turned = np.where(bounded, track.q, (track.q + np.pi) % (2.0 * np.pi) - np.pi)
    y = TOP + (BOTTOM - TOP) * (1.0 - (turned - low) / size)
    parts = [
        markup.frame(LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP),
        markup.words(LEFT - 4.0, BOTTOM, "lower", "end"),
        markup.words(LEFT - 4.0, TOP + 9.0, "upper", "end"),
        markup.words(0.5 * (LEFT + RIGHT), HEIGHT - 3.0, "way-points"),
        *markup.series(LEFT + apart * track.places, y, 1.8),
    ]
    if track.stopped_at is not None:
        at = LEFT + apart * track.stopped_at
        parts.append(markup.line((at, TOP), (at, BOTTOM), BAD))
    style = "display:flex;flex-wrap:wrap;gap:2px 12px;padding:2px 9px 6px 9px;font-size:11px"
    names = markup.tag("div", "".join(markup.legend(track.joint_names)), style=style)
    return markup.svg(parts, WIDTH, HEIGHT, "joints along the track", is_wide=True) + names
