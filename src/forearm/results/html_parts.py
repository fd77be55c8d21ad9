"""What the tables of a notebook are made of: titles, tables, bars, poses and lines. `html` puts them together.

Words of a user (names of joints, links and goals) are escaped where a part takes text, and by whoever makes a cell of
a table: cells are HTML already.
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
MOST_ROWS = 12  # of a table that stands open; a longer one is opened by a click
ROUNDED = 9  # decimals of joint values: what is smaller is rounding
LEAST = 1e-12  # a span that counts as none

JOINT_HEAD = ("joint", "rad or m", "", "lower", "between its limits", "upper")
MOVING_HEAD = (*JOINT_HEAD, "of its top speed")
LIMIT_HEAD = ("joint", "kind", "lower", "upper", "limits", "fastest")


# -- words ----------------------------------------------------------------------------------------


def frame(inside: str) -> str:
    """All that one result shows."""
    return tag("div", inside, style=f"font-size:13px;line-height:1.4;max-width:{WIDE + 180:.0f}px")


def title(text: str, colour: str) -> str:
    """What it is, or how it ended."""
    style = f"border-left:5px solid {colour};padding-left:8px;font-weight:600;font-size:15px"
    return tag("div", escape(text), style=style)


def sentence(text: str) -> str:
    """A line of words."""
    return tag("div", escape(text))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    cell = "text-align:left;padding:1px 8px;white-space:nowrap"
    top = markup.row(head, "th", style=cell) if head else ""
    body = "".join(markup.row(row, style=cell) for row in rows)
    return tag("table", top + body, style="margin:4px 0;font-size:inherit")


def folded(text: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; a long one stands folded behind a line of words, and opens by a click."""
    inside = table(head, rows)
    return inside if len(rows) <= MOST_ROWS else tag("details", tag("summary", escape(text)) + inside)


def verdict(is_met: bool, good: str, bad: str) -> str:
    """One of two words, in its colour."""
    return tag("span", escape(good if is_met else bad), style=f"color:{GOOD if is_met else BAD}")


def angle(kind: str, value: float) -> str:
    """A joint value in words: degrees, or metres of a joint that slides."""
    if not math.isfinite(value):
        return "none"
    return f"{value:.4g} m" if kind == "prismatic" else f"{math.degrees(value):.4g}°"


# -- bars -----------------------------------------------------------------------------------------


def bar(label: str, *parts: str, dashed: bool = False) -> str:
    """A rail with something on it."""
    rail = markup.frame(0.5, 2.5, BAR - 1.0, TALL - 5.0, rx=3, stroke_dasharray="3 3" if dashed else None)
    return markup.svg((rail, *parts), BAR, TALL, label)


def share(part: float, colour: str) -> str:
    """A rail filled up to a share of its length."""
    filled = tag("rect", x=0, y=2, width=max(BAR * part, 1.0), height=TALL - 4.0, rx=3, fill=colour)
    return bar(f"{100 * part:.0f} %", filled)


def stretches(label: str, length: float, spans: Iterable[tuple[float, float]]) -> str:
    """A rail that stands for a closed curve, with stretches on it; what goes past its end goes on at its beginning."""
    pieces = []
    for begin, end in spans:
        first = begin % length
        last = first + min(end - begin, length)
        pieces += [(first, min(last, length)), (0.0, last - length)]
    scale = BAR / length
    look = {"y": 3, "height": TALL - 6.0, "rx": 2, "fill": BLUE}
    filled = (tag("rect", x=scale * a, width=max(scale * (b - a), 2.0), **look) for a, b in pieces if b > a)
    return bar(label, *filled)


def between(value: float, lower: float, upper: float) -> str:
    """Where a value lies between two others; without limits, within a turn either way and dashed."""
    bounded = math.isfinite(upper - lower)
    low, high = (lower, upper) if bounded else (min(-math.pi, value), max(math.pi, value))
    place = 0.5 if high - low < LEAST else min(max((value - low) / (high - low), 0.0), 1.0)
    mark = tag("rect", x=1.0 + (BAR - 6.0) * place, y=0, width=4, height=TALL, fill=BLUE)
    return bar(f"{100 * place:.0f} %" if bounded else "no limits", mark, dashed=not bounded)


def values(q: Floats) -> str:
    """Joint values without names or limits, as bars on a common scale."""
    far = max(math.pi, float(np.abs(q).max(initial=0.0)))
    rows = [(f"q{k}", f"{value:.6g}", between(value, -far, far)) for k, value in enumerate(q.tolist())]
    return table(("joint", "rad or m", f"{-far:.3g} to {far:.3g}"), rows)


def joint_rows(names: Sequence[str], kinds: Sequence[str], q: Floats, limits: Floats) -> list[tuple[str, ...]]:
    """A row for each joint, with its value between its limits; `JOINT_HEAD` is their head."""
    rows: list[tuple[str, ...]] = []
    rounded = np.round(q, ROUNDED) + 0.0  # which has no negative zero
    for name, kind, value, lower, upper in zip(names, kinds, rounded.tolist(), *limits.tolist(), strict=True):
        ends = angle(kind, lower), angle(kind, upper)
        rows.append((escape(name), f"{value:.6g}", angle(kind, value), ends[0], between(value, lower, upper), ends[1]))
    return rows


def moving_rows(
    names: Sequence[str], kinds: Sequence[str], q: Floats, limits: Floats, ratios: Floats
) -> list[tuple[str, ...]]:
    """The same rows with each joint's share of its greatest speed; `MOVING_HEAD` is their head."""
    rows = joint_rows(names, kinds, q, limits)
    return [(*row, f"{100 * ratio:.0f} %") for row, ratio in zip(rows, np.abs(ratios).tolist(), strict=True)]


def limit_rows(names: Sequence[str], kinds: Sequence[str], limits: Floats, velocity: Floats) -> list[tuple[str, ...]]:
    """A row for each joint, with its limits as a bar on a scale common to its kind; `LIMIT_HEAD` is their head."""
    rows: list[tuple[str, ...]] = []
    for name, kind, lower, upper, fastest in zip(names, kinds, *limits.tolist(), velocity.tolist(), strict=True):
        same = [k for k, other in enumerate(kinds) if (other == "prismatic") == (kind == "prismatic")]
        speed = f"{angle(kind, fastest)}/s" if math.isfinite(fastest) else ""
        rows.append((escape(name), kind, *_limit_cells(kind, lower, upper, limits[:, same]), speed))
    return rows


def _limit_cells(kind: str, lower: float, upper: float, all_limits: Floats) -> tuple[str, str, str]:
    """Both limits in words, and the range between them on the scale of all joints of its kind."""
    ends = angle(kind, lower), angle(kind, upper)
    if not math.isfinite(upper - lower):
        return *ends, bar("no limits", dashed=True)
    finite = np.abs(all_limits[np.isfinite(all_limits)])
    far = max(float(finite.max(initial=0.0)), LEAST)
    a, b = (BAR * (0.5 + 0.5 * value / far) for value in (lower, upper))
    middle = markup.line((BAR / 2.0, 0.0), (BAR / 2.0, TALL), FAINT)
    span = tag("rect", x=a, y=3, width=max(b - a, 2.0), height=TALL - 6.0, rx=2, fill=BLUE)
    return *ends, bar(f"{lower:.4g} to {upper:.4g}", middle, span)


def batch(many: Any) -> str:
    """What became of many targets: the summary, and how many ended how as bars."""
    rows = []
    for name, count in Counter(sorted(many.status_names.tolist())).most_common():
        rows.append((VERDICTS[name], str(count), share(count / len(many), GOOD if name == "solved" else BAD)))
    words = "<br>".join(escape(line) for line in many.summary().split("\n"))
    head = title("All solved" if many else counted(len(many), "target"), GOOD if many else BAD)
    return head + tag("div", words) + table(("verdict", "targets", ""), rows)


# -- pictures -------------------------------------------------------------------------------------


def lines(q: Floats, places: Floats, end: float, names: Sequence[str], over: str, stops: Iterable[float] = ()) -> str:
    """Joint values over places from 0 to an end, with a legend; nothing for fewer than two points.

    Args:
        q: (N, n) joint values.
        places: (N,) where each row stands.
        end: The last place there could be.
        names: The joints.
        over: What the places are, in words.
        stops: Places that are marked.
    """
    if len(q) < 2:
        return ""
    rows = np.unique(np.linspace(0, len(q) - 1, MOST_POINTS).astype(int))
    own = q[rows]
    low, high = float(own.min()), float(own.max())
    apart = (WIDE - 2.0 * EDGE) / max(end, LEAST)
    y = HIGH - EDGE - (HIGH - 2.0 * EDGE) * (own - low) / max(high - low, LEAST)
    parts = [markup.frame(0.5, 0.5, WIDE - 1.0, HIGH - 1.0), *markup.series(EDGE + apart * places[rows], y, 1.6)]
    for stop in stops:
        at = EDGE + apart * stop
        parts.append(markup.line((at, 0.0), (at, HIGH), BAD, stroke_width=2))
    scale = tag("div", f"{low:.3g} to {high:.3g} rad or m over {over}: {' '.join(markup.legend(names))}")
    return markup.svg(parts, WIDE, HIGH, f"joint values over {over}") + scale


def pose(points: Floats, parent: NDArray[np.int64], colour: str, is_whole: bool = False) -> str:
    """Bones from the side (x to the right, z up) and from above, a whole robot from the front too; a plane once."""
    flat = points.shape[1] == 2
    views = ("xy",) if flat else ("yz", "xz", "xy") if is_whole else ("xz", "xy")
    return "".join(_view(points[:, ["xyz".index(axis) for axis in view]], parent, colour, view) for view in views)


def _view(points: Floats, parent: NDArray[np.int64], colour: str, view: str) -> str:
    label = ", ".join(view)
    low, high = points.min(axis=0), points.max(axis=0)
    scale = (HIGH - 2.0 * EDGE) / max(float((high - low).max()), LEAST)
    xy = HIGH / 2.0 + (points - 0.5 * (low + high)) * scale * (1.0, -1.0)
    parts = [markup.frame(0.5, 0.5, HIGH - 1.0, HIGH - 1.0)]
    parts += [markup.line(xy[p + 1], xy[i + 1], colour, stroke_width=2) for i, p in enumerate(parent.tolist())]
    parts += [markup.dot(a, b, 2.5, colour) for a, b in xy]
    parts.append(tag("circle", cx=xy[0, 0], cy=xy[0, 1], r=4, fill="none", stroke="currentColor"))
    parts.append(markup.words(HIGH / 2.0, HIGH + LABEL - 3.0, label))
    return markup.svg(parts, HIGH, HIGH + LABEL, f"pose seen in {label}")
