"""What the page says: the verdict, the joints inside their limits, a curve. Plain HTML, made here."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from forearm.common.markup import tag
from forearm.common.palette import Rgb, css
from forearm.common.types import Floats
from forearm.models.model import Model
from forearm.results.html import VERDICTS
from forearm.results.solution import Status
from forearm.viewer.shared.answer import Answer
from forearm.viewer.shared.theme import BACKWARD, MISSED, SOLVED, START

NEAR_LIMIT = 0.03  # a joint within this share of its range from a limit is shown as being at it

TITLES = {status: VERDICTS[str(status)] for status in Status}


def card(title: str, lines: Sequence[str], colour: Rgb) -> str:
    """A box with a coloured edge: a title and lines of text, which may hold HTML."""
    text = "".join(tag("div", line, style="margin-top:3px") for line in lines)
    look = "font-size:13px;line-height:1.35;background:rgba(128,128,128,0.08);border-radius:3px"
    style = f"border-left:5px solid {css(colour)};padding:6px 10px;margin:2px 9px 9px 9px;{look}"
    return tag("div", tag("div", escape(title), style="font-weight:600;font-size:15px") + text, style=style)


def working() -> str:
    """What stands there while a solve of a new kind is under way."""
    return card("Working …", ["The first solve of a kind compiles; that takes up to half a minute, once."], START)


def title_of(solution: Any) -> str:
    """The verdict in a few words."""
    closest = getattr(solution, "closest", None)
    if solution.status is Status.COLLISION and closest is not None and closest.obstacle is None:
        return "The arm would touch itself"
    return TITLES[solution.status]


def verdict(answer: Answer) -> str:
    """The verdict on a solve, in words when it failed."""
    s = answer.solution
    errors = facts_line(s.position_error, s.rotation_error)
    facts = f"{errors} · {time_words(answer.seconds)} · by <b>{escape(s.method)}</b>"
    if s.success:
        return card(title_of(s), [facts], SOLVED)
    why = escape(sentence(s.reason)) if answer.explained else "Looking for the reason …"
    pose = "the pose with the most room" if s.status is Status.COLLISION else "the nearest pose"
    return card(title_of(s), [why, f"Shown is {pose} found: {facts}"], MISSED)


def facts_line(position: float, rotation: float) -> str:
    """Both errors in units a reader likes."""
    parts = [f"{length_words(position)} off"]
    if rotation > 0.0:
        degrees = float(np.degrees(rotation))
        parts.append("under 0.001°" if degrees < 1e-3 else f"{degrees:.3g}° off")
    return ", ".join(parts)


def time_words(seconds: float) -> str:
    """A time with a unit that fits."""
    return f"{1e6 * seconds:.0f} µs" if seconds < 1e-3 else f"{1e3 * seconds:.1f} ms"


def length_words(metres: float) -> str:
    """A length with a unit that fits."""
    if metres < 1e-6:
        return "under 1 µm"
    return (
        f"{1e6 * metres:.0f} µm" if metres < 1e-3 else f"{1e3 * metres:.1f} mm" if metres < 1.0 else f"{metres:.3f} m"
    )


def sentence(text: str) -> str:
    """A text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


# -- joints --------------------------------------------------------------------------------------


def joint_bars(model: Model, q: Floats) -> str:
    """A bar per joint: where it stands between its limits."""
    rows = [
        _bar(name, kind, float(value), float(lower), float(upper))
        for name, kind, value, lower, upper in zip(model.joint_names, model.joint_kinds, q, *model.limits, strict=True)
    ]
    grid = "display:grid;grid-template-columns:minmax(60px,36%) 1fr 60px;gap:5px 8px;align-items:center"
    return tag("div", "".join(rows), style=f"{grid};padding:4px 9px;font-size:12px")


def _bar(name: str, kind: str, value: float, lower: float, upper: float) -> str:
    shown = f"{1e3 * value:.1f} mm" if kind == "prismatic" else f"{np.degrees(value):.1f}°"
    bounded = np.isfinite(upper - lower)
    low, high = (lower, upper) if bounded else (-np.pi, np.pi)
    at = value if bounded else (value + np.pi) % (2.0 * np.pi) - np.pi
    share = 0.5 if high <= low else min(max((at - low) / (high - low), 0.0), 1.0)
    tight = bounded and min(share, 1.0 - share) < NEAR_LIMIT
    place = f"position:absolute;left:calc({100 * share:.2f}% - 4px);top:-2px;width:8px;height:12px;border-radius:3px"
    mark = tag("span", style=f"{place};background:{css(MISSED if tight else BACKWARD)}")
    ends = "solid" if bounded else "dashed"
    rail = f"position:relative;height:10px;border:1px {ends} rgba(128,128,128,.55);border-radius:5px"
    cut = "overflow:hidden;text-overflow:ellipsis;white-space:nowrap"
    return (
        tag("span", escape(name), title=name, style=cut)
        + tag("span", mark, style=rail)
        + tag("span", shown, style="text-align:right;font-variant-numeric:tabular-nums")
    )
