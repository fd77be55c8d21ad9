"""How results show themselves in a notebook: small HTML tables, with bars and lines as inline SVG.

Loaded when something is shown, never before; needs nothing but the standard library and numpy. Text
of the user (names of joints, links and robots) is escaped.
"""

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.errors import counted

# What each status means, in a few words.
VERDICTS = {
    "solved": "Solved",
    "out_of_reach": "Out of reach",
    "limits": "Joint limits are in the way",
    "orientation": "This orientation is not possible there",
    "collision": "An obstacle is in the way",
    "not_converged": "Not solved",
    "singularity": "A singularity is in the way",
    "too_coarse": "The path is too coarse",
}

# Colours that stay apart for colour-blind readers (Okabe and Ito).
GOOD, BAD, LINE = "#009e73", "#d55e00", "#0072b2"
COLOURS = (LINE, BAD, GOOD, "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f")
FAINT = "rgba(128,128,128,.45)"
BAR, TALL = 160.0, 12.0  # size of a bar [px]
WIDE, HIGH = 420.0, 150.0  # size of a picture [px]
EDGE = 8.0  # free space round a picture [px]
LABEL = 14.0  # room for a line of text below one [px]
MOST_POINTS = 400  # of a line that is drawn
LEAST = 1e-12  # a span that counts as none


def solution_html(s: Any) -> str:
    """A `Solution`: the verdict, the numbers, and the joint values as bars on a common scale."""
    far = max(math.pi, float(np.abs(s.q).max(initial=0.0)))
    rows = [(f"q{k}", f"{value:.6g}", _mark(value, -far, far)) for k, value in enumerate(s.q.tolist())]
    values = _table(("joint", "rad or m", f"{-far:.3g} to {far:.3g}"), rows)
    return _frame(_verdict(s) + _table((), _numbers(s)) + values)


def chain_solution_html(s: Any) -> str:
    """A `ChainSolution`: the verdict, the numbers, and the pose seen from the side and from above."""
    numbers = _numbers(s)
    if s.clearance is not None:
        numbers.append(("clearance", f"{s.clearance:.4g} m"))
    return _frame(_verdict(s) + _table((), numbers) + _pose(s.points, s.bones.parent, _colour(s)))


def chain_html(chain: Any) -> str:
    """A `Chain` or `Skeleton`: what it is, and its pose."""
    return _frame(_title(repr(chain), LINE) + _pose(chain.points, chain.bones.parent, LINE))


def batch_html(batch: Any) -> str:
    """A `BatchSolution`: how many ended how, as bars."""
    names, counts = np.unique(batch.status_names, return_counts=True)
    order = sorted(zip(names.tolist(), counts.tolist(), strict=True), key=lambda pair: -pair[1])
    rows = [
        (VERDICTS[name], str(count), _fill(count / max(len(batch), 1), GOOD if name == "solved" else BAD))
        for name, count in order
    ]
    lines = "<br>".join(escape(line) for line in batch.summary().split("\n"))
    return _frame(
        _title("All solved" if batch else f"{counted(len(batch), 'target')}", GOOD if batch else BAD)
        + f"<div>{lines}</div>"
        + _table(("verdict", "targets", ""), rows)
    )


def robot_html(robot: Any) -> str:
    """A `Robot`: its ends, its reach, and its joints with their limits as bars on a common scale."""
    model = robot.model
    ends = f"{escape(model.base)} to {escape(model.tip)}, reach {robot.reach:.4g} m, {escape(robot.structure.summary)}"
    rows = []
    for name, kind, lower, upper, fastest in zip(
        model.joint_names, model.joint_kinds, *robot.limits.tolist(), model.velocity.tolist(), strict=True
    ):
        same = [k for k, other in enumerate(model.joint_kinds) if (other == "prismatic") == (kind == "prismatic")]
        cells = _limit_cells(kind, lower, upper, robot.limits[:, same])
        rows.append((escape(name), kind, *cells, _speed(kind, fastest)))
    head = ("joint", "kind", "lower", "upper", "limits", "fastest")
    return _frame(_title(robot.name, LINE) + f"<div>{ends}</div>" + _table(head, rows))


def track_html(track: Any) -> str:
    """A `Track`: how much of the path holds, why it stops, and every joint along the way."""
    added = int(track.inserted.sum())
    title = "Tracked to the end" if track.complete else f"Stops at way-point {track.stopped_at}"
    colour = GOOD if track.complete else BAD
    numbers = [("way-points", f"{len(track) - added} of {track.waypoints}"), ("points put between", str(added))]
    if len(track):
        numbers += [
            ("largest position error", f"{track.position_errors.max():.3g} m"),
            ("largest rotation error", f"{track.rotation_errors.max():.3g} rad"),
            ("largest joint step", f"{track.steps[1:].max(initial=0.0):.3g} rad or m"),
        ]
    if track.times is not None and len(track) > 1 and np.isfinite(track.velocity_limits).any():
        numbers.append(("velocity limits", "kept" if track.slowdown == 1.0 else f"missed {track.slowdown:.3g} times"))
    words = f"<div>{escape(track.reason)}</div>"
    why = "" if track.complete else f": {VERDICTS[str(track.status)].lower()}"
    return _frame(_title(title + why, colour) + words + _table((), numbers) + _lines(track))


# -- parts ----------------------------------------------------------------------------------------


def _colour(s: Any) -> str:
    return GOOD if s.success else BAD


def _verdict(s: Any) -> str:
    return _title(VERDICTS[str(s.status)], _colour(s)) + f"<div>{escape(s.reason)}</div>"


def _numbers(s: Any) -> list[tuple[str, ...]]:
    return [
        ("position error", f"{s.position_error:.4g} m"),
        ("rotation error", f"{s.rotation_error:.4g} rad"),
        ("method", escape(s.method)),
        ("iterations, starts", f"{s.iterations}, {s.tries}"),
    ]


def _frame(inside: str) -> str:
    return f'<div style="font-size:13px;line-height:1.4;max-width:{WIDE + 180:.0f}px">{inside}</div>'


def _title(text: str, colour: str) -> str:
    style = f"border-left:5px solid {colour};padding-left:8px;font-weight:600;font-size:15px"
    return f'<div style="{style}">{escape(text)}</div>'


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already; the last one of a row is aligned left, those before right."""
    cell = 'style="text-align:{};padding:1px 8px"'
    top = "".join(f"<th {cell.format('left')}>{name}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td {cell.format('left')}>{value}</td>" for value in row) + "</tr>" for row in rows
    )
    return f'<table style="margin:4px 0;font-size:inherit">{f"<tr>{top}</tr>" if head else ""}{body}</table>'


def _svg(width: float, height: float, inside: str, label: str) -> str:
    return (
        f'<svg width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(label, quote=True)}">{inside}</svg>'
    )


def _rail(dashed: bool = False) -> str:
    dashes = ' stroke-dasharray="3 3"' if dashed else ""
    size = f'width="{BAR - 1}" height="{TALL - 5}" rx="3"'
    return f'<rect x="0.5" y="2.5" {size} fill="none" stroke="{FAINT}"{dashes}/>'


def _mark(value: float, lower: float, upper: float) -> str:
    """A bar with a mark where a value stands between two others."""
    at = 3.0 + (BAR - 6.0) * (value - lower) / max(upper - lower, LEAST)
    return _svg(BAR, TALL, f'{_rail()}<rect x="{at - 2:.1f}" y="0" width="4" height="{TALL}" fill="{LINE}"/>', "value")


def _fill(share: float, colour: str) -> str:
    """A bar that is filled by a share."""
    width = max(BAR * share, 1.0)
    inside = f'{_rail()}<rect x="0" y="2" width="{width:.1f}" height="{TALL - 4}" rx="3" fill="{colour}"/>'
    return _svg(BAR, TALL, inside, f"{100 * share:.0f} %")


def _limit_cells(kind: str, lower: float, upper: float, all_limits: Floats) -> tuple[str, str, str]:
    """Both limits in words, and the range between them on the scale of all joints of its kind."""
    if not math.isfinite(upper - lower):
        return _angle(kind, lower), _angle(kind, upper), _svg(BAR, TALL, _rail(dashed=True), "no limits")
    finite = np.abs(all_limits[np.isfinite(all_limits)])
    far = max(float(finite.max(initial=0.0)), LEAST)
    a, b = (BAR * (0.5 + 0.5 * value / far) for value in (lower, upper))
    middle = f'<line x1="{BAR / 2}" y1="0" x2="{BAR / 2}" y2="{TALL}" stroke="{FAINT}"/>'
    range_ = f'<rect x="{a:.1f}" y="3" width="{max(b - a, 2.0):.1f}" height="{TALL - 6}" rx="2" fill="{LINE}"/>'
    words = f"{lower:.4g} to {upper:.4g}"
    return _angle(kind, lower), _angle(kind, upper), _svg(BAR, TALL, _rail() + middle + range_, words)


def _angle(kind: str, value: float) -> str:
    if not math.isfinite(value):
        return "none"
    return f"{value:.4g} m" if kind == "prismatic" else f"{math.degrees(value):.4g}°"


def _speed(kind: str, value: float) -> str:
    return "" if not math.isfinite(value) else f"{_angle(kind, value)}/s"


def _lines(track: Any) -> str:
    """The joints of a track over its way-points, with a legend; nothing for fewer than two points."""
    if len(track) < 2:
        return ""
    rows = np.unique(np.linspace(0, len(track) - 1, MOST_POINTS).astype(int))
    q, places = track.q[rows], track.places[rows]
    low, high = float(q.min()), float(q.max())
    x = EDGE + (WIDE - 2.0 * EDGE) * places / max(track.waypoints - 1, 1)
    y = HIGH - EDGE - (HIGH - 2.0 * EDGE) * (q - low) / max(high - low, LEAST)
    frame = f'<rect x="0.5" y="0.5" width="{WIDE - 1}" height="{HIGH - 1}" fill="none" stroke="{FAINT}"/>'
    parts, legend = [frame], []
    for k, name in enumerate(track.joint_names):
        colour = COLOURS[k % len(COLOURS)]
        way = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y[:, k], strict=True))
        parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        swatch = f'<span style="color:{colour}">&#9644;</span>'
        legend.append(f'<span style="white-space:nowrap">{swatch} {escape(name)}</span>')
    if track.stopped_at is not None:
        at = EDGE + (WIDE - 2.0 * EDGE) * track.stopped_at / max(track.waypoints - 1, 1)
        parts.append(f'<line x1="{at:.1f}" y1="0" x2="{at:.1f}" y2="{HIGH}" stroke="{BAD}" stroke-width="2"/>')
    scale = f"<div>{low:.3g} to {high:.3g} rad or m over the way-points: {' '.join(legend)}</div>"
    return _svg(WIDE, HIGH, "".join(parts), "joint values along the track") + scale


def _pose(points: Floats, parent: NDArray[np.int64], colour: str) -> str:
    """Bones seen along y (x to the right, z up) and along z; a planar pose once."""
    views = ((0, 1, "x, y"),) if points.shape[1] == 2 else ((0, 2, "x, z"), (0, 1, "x, y"))
    return "".join(_view(points[:, [i, j]], parent, colour, label) for i, j, label in views)


def _view(points: Floats, parent: NDArray[np.int64], colour: str, label: str) -> str:
    low, high = points.min(axis=0), points.max(axis=0)
    scale = (HIGH - 2.0 * EDGE) / max(float((high - low).max()), LEAST)
    xy = HIGH / 2.0 + (points - 0.5 * (low + high)) * scale * (1.0, -1.0)
    frame = f'<rect x="0.5" y="0.5" width="{HIGH - 1}" height="{HIGH - 1}" fill="none" stroke="{FAINT}"/>'
    rods = "".join(
        f'<line x1="{xy[p + 1, 0]:.1f}" y1="{xy[p + 1, 1]:.1f}" x2="{xy[i + 1, 0]:.1f}" y2="{xy[i + 1, 1]:.1f}" '
        f'stroke="{colour}" stroke-width="2"/>'
        for i, p in enumerate(parent.tolist())
    )
    dots = "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{colour}"/>' for a, b in xy)
    base = f'<circle cx="{xy[0, 0]:.1f}" cy="{xy[0, 1]:.1f}" r="4" fill="none" stroke="currentColor"/>'
    middle = f'x="{HIGH / 2}" y="{HIGH + LABEL - 3}" text-anchor="middle"'
    words = f'<text {middle} font-size="10" fill="currentColor">{label}</text>'
    return _svg(HIGH, HIGH + LABEL, frame + rods + dots + base + words, f"pose seen in {label}")
