"""What the page says: the verdict, errors, times. Plain HTML, made here."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from forearm.common.markup import tag
from forearm.common.palette import Rgb, css
from forearm.results.html_parts import VERDICTS
from forearm.results.solution import Status
from forearm.viewer.shared.answer import Answer
from forearm.viewer.shared.theme import MISSED, SOLVED, START


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
    if solution.status is Status.COLLISION and closest is not None:
        if closest.charted:  # near it may be, and something else in the way
            closest = solution.guard.in_the_way(solution.q, solution.guard.clearance)
        if closest.obstacle is None:
            return "The arm would touch itself"
    return VERDICTS[str(solution.status)]


def verdict(answer: Answer) -> str:
    """The verdict on a solve, in words when it failed; an error that the reason tells is not told again."""
    s = answer.solution
    spent = f"{time_words(answer.seconds)} · by <b>{escape(s.method)}</b>"
    if s.success:
        return card(title_of(s), [f"{facts_line(s.position_error, s.rotation_error)} · {spent}"], SOLVED)
    pose = "the pose with the largest clearance" if s.status is Status.COLLISION else "the nearest pose"
    if not answer.explained:
        return card(title_of(s), ["Looking for the reason …", f"Shown is {pose} found · {spent}"], MISSED)
    why = sentence(s.reason)
    told = any(letter.isdigit() for letter in why)
    off = "" if told else f", {facts_line(s.position_error, s.rotation_error)}"
    return card(title_of(s), [escape(why), f"Shown is {pose} found{off} · {spent}"], MISSED)


def verdict_as_given(solution: Any) -> str:
    """The verdict on a solve that failed elsewhere, for a target that is not known here."""
    shown = "Shown is what it gave; drag the target to solve again."
    return card(title_of(solution), [escape(sentence(solution.reason)), shown], MISSED)


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
    if metres < 1e-3:
        return "under 1 µm" if metres < 1e-6 else f"{1e6 * metres:.0f} µm"
    return f"{1e3 * metres:.1f} mm" if metres < 1.0 else f"{metres:.3f} m"


def sentence(text: str) -> str:
    """A text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
