"""How results show themselves in a notebook: small HTML tables, with bars and lines as inline SVG.

Loaded when something is shown, never before; needs nothing but the standard library and numpy.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common import markup
from forearm.common.markup import tag
from forearm.common.palette import BAD, BLUE, FAINT, GOOD
from forearm.common.types import Floats
from forearm.core.arm.kinematics import fk_frames
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
    "step": "An answer is there, but farther from q0 than one step",
}

BAR, TALL = 160.0, 12.0  # size of a bar [px]
WIDE, HIGH = 420.0, 150.0  # size of a picture [px]
EDGE = 8.0  # free space round a picture [px]
LABEL = 14.0  # room for a line of text below one [px]
MOST_POINTS = 400  # of a line that is drawn
ROUNDED = 9  # decimals of joint values: what is smaller is rounding
LEAST = 1e-12  # a span that counts as none


def solution_html(s: Any) -> str:
    """A `Solution`: the verdict, the numbers, the joint values between their limits, and the arm from two sides."""
    colour = GOOD if s.success else BAD
    if s.model is None:
        return _frame(_summary(s) + _values(s.q))
    names, kinds = s.model.joint_names, s.model.joint_kinds
    limits = s.model.limits if s.limits is None else s.limits
    rows, values = [], np.round(s.q, ROUNDED) + 0.0  # which has no negative zero
    for name, kind, value, lower, upper in zip(names, kinds, values.tolist(), *limits.tolist(), strict=True):
        ends = _angle(kind, lower), _angle(kind, upper)
        rows.append(
            (escape(name), f"{value:.6g}", _angle(kind, value), ends[0], _between(value, lower, upper), ends[1])
        )
    table = _table(("joint", "rad or m", "", "lower", "between its limits", "upper"), rows)
    frames = np.empty((s.model.m + 1, 4, 4))
    fk_frames(s.model.links, s.model.joints, s.q, frames)
    points = np.vstack([np.zeros(3), frames[:, :3, 3]])
    return _frame(_summary(s) + table + _pose(points, np.arange(s.model.m + 1) - 1, colour))


def chain_solution_html(s: Any) -> str:
    """A `ChainSolution`: the verdict, the numbers, and the pose seen from the side and from above."""
    more = () if s.clearance is None else (("clearance", f"{s.clearance:.4g} m"),)
    return _frame(_summary(s, *more) + _pose(s.points, s.bones.parent, GOOD if s.success else BAD))


def chain_html(chain: Any) -> str:
    """A `Chain` or `Skeleton`: what it is, and its pose."""
    return _frame(_title(repr(chain), BLUE) + _pose(chain.points, chain.bones.parent, BLUE))


def batch_html(batch: Any) -> str:
    """A `BatchSolution`: how many ended how, as bars."""
    rows = []
    for name, count in Counter(sorted(batch.status_names.tolist())).most_common():
        share, colour = count / len(batch), GOOD if name == "solved" else BAD
        filled = tag("rect", x=0, y=2, width=max(BAR * share, 1.0), height=TALL - 4.0, rx=3, fill=colour)
        rows.append((VERDICTS[name], str(count), _bar(f"{100 * share:.0f} %", filled)))
    lines = "<br>".join(escape(line) for line in batch.summary().split("\n"))
    title = _title("All solved" if batch else counted(len(batch), "target"), GOOD if batch else BAD)
    return _frame(title + tag("div", lines) + _table(("verdict", "targets", ""), rows))


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
        speed = f"{_angle(kind, fastest)}/s" if math.isfinite(fastest) else ""
        rows.append((escape(name), kind, *cells, speed))
    head = ("joint", "kind", "lower", "upper", "limits", "fastest")
    return _frame(_title(robot.name, BLUE) + tag("div", ends) + _table(head, rows))


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
    words = tag("div", escape(track.reason))
    why = "" if track.complete else f": {VERDICTS[str(track.status)].lower()}"
    return _frame(_title(title + why, colour) + words + _table((), numbers) + _lines(track))


# -- parts ----------------------------------------------------------------------------------------


def _summary(s: Any, *more: tuple[str, str]) -> str:
    """The verdict on a solve, and its numbers."""
    numbers = (
        ("position error", f"{s.position_error:.4g} m"),
        ("rotation error", f"{s.rotation_error:.4g} rad"),
        ("method", escape(s.method)),
        ("iterations, starts", f"{s.iterations}, {s.tries}"),
    )
    title = _title(VERDICTS[str(s.status)], GOOD if s.success else BAD)
    return title + tag("div", escape(s.reason)) + _table((), numbers + more)


def _frame(inside: str) -> str:
    return tag("div", inside, style=f"font-size:13px;line-height:1.4;max-width:{WIDE + 180:.0f}px")


def _title(text: str, colour: str) -> str:
    style = f"border-left:5px solid {colour};padding-left:8px;font-weight:600;font-size:15px"
    return tag("div", escape(text), style=style)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    cell = "text-align:left;padding:1px 8px"
    top = markup.row(head, "th", style=cell) if head else ""
    body = "".join(markup.row(row, style=cell) for row in rows)
    return tag("table", top + body, style="margin:4px 0;font-size:inherit")


def _bar(label: str, *parts: str, dashed: bool = False) -> str:
    """A rail with something on it."""
    rail = markup.frame(0.5, 2.5, BAR - 1.0, TALL - 5.0, rx=3, stroke_dasharray="3 3" if dashed else None)
    return markup.svg((rail, *parts), BAR, TALL, label)


def _values(q: Floats) -> str:
    """Joint values without names or limits, as bars on a common scale."""
    far = max(math.pi, float(np.abs(q).max(initial=0.0)))
    rows = [(f"q{k}", f"{value:.6g}", _between(value, -far, far)) for k, value in enumerate(q.tolist())]
    return _table(("joint", "rad or m", f"{-far:.3g} to {far:.3g}"), rows)


def _between(value: float, lower: float, upper: float) -> str:
    """Where a value lies between two others; without limits, within a turn either way and dashed."""
    bounded = math.isfinite(upper - lower)
    low, high = (lower, upper) if bounded else (min(-math.pi, value), max(math.pi, value))
    share = 0.5 if high - low < LEAST else min(max((value - low) / (high - low), 0.0), 1.0)
    mark = tag("rect", x=1.0 + (BAR - 6.0) * share, y=0, width=4, height=TALL, fill=BLUE)
    return _bar(f"{100 * share:.0f} %" if bounded else "no limits", mark, dashed=not bounded)


def _limit_cells(kind: str, lower: float, upper: float, all_limits: Floats) -> tuple[str, str, str]:
    """Both limits in words, and the range between them on the scale of all joints of its kind."""
    ends = _angle(kind, lower), _angle(kind, upper)
    if not math.isfinite(upper - lower):
        return *ends, _bar("no limits", dashed=True)
    finite = np.abs(all_limits[np.isfinite(all_limits)])
    far = max(float(finite.max(initial=0.0)), LEAST)
    a, b = (BAR * (0.5 + 0.5 * value / far) for value in (lower, upper))
    middle = markup.line((BAR / 2.0, 0.0), (BAR / 2.0, TALL), FAINT)
    span = tag("rect", x=a, y=3, width=max(b - a, 2.0), height=TALL - 6.0, rx=2, fill=BLUE)
    return *ends, _bar(f"{lower:.4g} to {upper:.4g}", middle, span)


def _angle(kind: str, value: float) -> str:
    if not math.isfinite(value):
        return "none"
    return f"{value:.4g} m" if kind == "prismatic" else f"{math.degrees(value):.4g}°"


def _lines(track: Any) -> str:
    """The joints of a track over its way-points, with a legend; nothing for fewer than two points."""
    if len(track) < 2:
        return ""
    rows = np.unique(np.linspace(0, len(track) - 1, MOST_POINTS).astype(int))
    q, places = track.q[rows], track.places[rows]
    low, high = float(q.min()), float(q.max())
    apart = (WIDE - 2.0 * EDGE) / max(track.waypoints - 1, 1)
    y = HIGH - EDGE - (HIGH - 2.0 * EDGE) * (q - low) / max(high - low, LEAST)
    parts = [markup.frame(0.5, 0.5, WIDE - 1.0, HIGH - 1.0), *markup.series(EDGE + apart * places, y, 1.6)]
    if track.stopped_at is not None:
        at = EDGE + apart * track.stopped_at
        parts.append(markup.line((at, 0.0), (at, HIGH), BAD, stroke_width=2))
    names = " ".join(markup.legend(track.joint_names))
    scale = tag("div", f"{low:.3g} to {high:.3g} rad or m over the way-points: {names}")
    return markup.svg(parts, WIDE, HIGH, "joint values along the track") + scale


def _pose(points: Floats, parent: NDArray[np.int64], colour: str) -> str:
    """Bones seen along y (x to the right, z up) and along z; a planar pose once."""
    views = ((0, 1, "x, y"),) if points.shape[1] == 2 else ((0, 2, "x, z"), (0, 1, "x, y"))
    return "".join(_view(points[:, [i, j]], parent, colour, label) for i, j, label in views)


def _view(points: Floats, parent: NDArray[np.int64], colour: str, label: str) -> str:
    low, high = points.min(axis=0), points.max(axis=0)
    scale = (HIGH - 2.0 * EDGE) / max(float((high - low).max()), LEAST)
    xy = HIGH / 2.0 + (points - 0.5 * (low + high)) * scale * (1.0, -1.0)
    parts = [markup.frame(0.5, 0.5, HIGH - 1.0, HIGH - 1.0)]
    parts += [markup.line(xy[p + 1], xy[i + 1], colour, stroke_width=2) for i, p in enumerate(parent.tolist())]
    parts += [markup.dot(a, b, 2.5, colour) for a, b in xy]
    parts.append(tag("circle", cx=xy[0, 0], cy=xy[0, 1], r=4, fill="none", stroke="currentColor"))
    parts.append(markup.words(HIGH / 2.0, HIGH + LABEL - 3.0, label))
    return markup.svg(parts, HIGH, HIGH + LABEL, f"pose seen in {label}")
