"""All papers in one page: every table and figure of theirs beside ours, as one HTML file without outside parts."""

import base64
import platform
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from forearm.reproduce import Sampling, Table, Tick
from forearm.reproduce.checks import Check, check
from forearm.reproduce.contents import CONTENTS, Item
from forearm.reproduce.page import STYLE
from forearm.reproduce.papers import PAPERS, Paper

TITLE = "Three papers, measured again"
INTRODUCTION = (
    "Every table and figure of three papers on inverse kinematics, beside the same from forearm. <b>paper</b> is the "
    "print; <b>recomputed</b> is an earlier prototype of ours, written from the paper's corrected text; <b>here</b> is "
    "this run, through the public interface. <b>difference</b> is here minus paper (minus recomputed where the print "
    "has no number); of times it is the ratio, since they are of another machine. The papers' own pictures are "
    "not copied: what they show is told in words."
)
COMPARED = ("printed_angles", "here", "FABRIK")  # what stands beside a column `paper`, the first there is


@dataclass(frozen=True)
class Outcome:
    """What became of one paper.

    Attributes:
        name: The paper's short name.
        paper: Its row.
        sampling: How many targets were drawn.
        tables: What was measured; empty if it failed.
        pictures: Where the pictures lie.
        checks: What must come out, and whether it did.
        failure: Why it failed, with the places; empty if it did not.
        missing: Why there are no pictures; empty if there are.
    """

    name: str
    paper: Paper
    sampling: Sampling
    tables: tuple[Table, ...] = ()
    pictures: tuple[Path, ...] = ()
    checks: tuple[Check, ...] = ()
    failure: str = ""
    missing: str = ""

    @property
    def missed(self) -> tuple[Check, ...]:
        """What did not come out within its tolerance."""
        return tuple(one for one in self.checks if not one.held)


Draw = Callable[[Paper, tuple[Table, ...], Path], tuple[list[Path], str]]


def run(name: str, sampling: Sampling, directory: Path, draw: Draw, tick: Tick) -> Outcome:
    """Measures, draws and judges one paper; whatever fails in it is part of the outcome, so the others go on.

    Args:
        name: A name from `PAPERS`.
        sampling: How many targets to draw.
        directory: Where its pictures go.
        draw: Draws a paper's pictures, and says why if there are none.
        tick: Called after each of the paper's steps, and once for the pictures.
    """
    outcome = Outcome(name, PAPERS[name], sampling)
    try:
        tables = outcome.paper.tables(sampling, tick)
        outcome = replace(outcome, tables=tables, checks=check(name, tables, sampling))
        pictures, missing = draw(outcome.paper, tables, directory)
        tick(f"{name}, pictures")
        return replace(outcome, pictures=tuple(pictures), missing=missing)
    except Exception:  # whatever it is, it must not cost the other papers
        return replace(outcome, failure=traceback.format_exc())


def page(outcomes: Iterable[Outcome]) -> str:
    """The whole report as HTML."""
    done = tuple(outcomes)
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{TITLE}</title>',
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body><main>',
        f"<h1>{TITLE}</h1><p>{INTRODUCTION}</p>",
        f"<p>Python {platform.python_version()}, {packages}, {escape(platform.machine())}.</p>",
        _summary(done),
        *(part for outcome in done for part in _paper(outcome)),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


# -- the parts of the page -------------------------------------------------------------------------


def _summary(outcomes: tuple[Outcome, ...]) -> str:
    """A line per paper, then what did not come out."""
    rows = []
    for one in outcomes:
        held = sum(each.held for each in one.checks)
        words = "failed" if one.failure else f"{held} of {len(one.checks)} numbers within tolerance"
        link = f'<a href="#{one.name}">{escape(one.name)}</a>'
        rows.append(
            f"<tr><td>{link}</td><td>{escape(one.paper.citation)}</td><td>{drawn(one.sampling)}</td><td>{words}</td></tr>"
        )
    head = "<tr><th>paper</th><th>citation</th><th>targets</th><th>result</th></tr>"
    missed = [(one, each) for one in outcomes for each in one.missed]
    lines = "".join(f"<li>{escape(f'{one.name}, {sentence(each)}')}</li>" for one, each in missed)
    verdict = (
        f"<p>Not within tolerance:</p><ul>{lines}</ul>" if missed else "<p>Every number that is judged came out.</p>"
    )
    return f'<section id="summary"><h2>Result</h2><table>{head}{"".join(rows)}</table>{verdict}</section>'


def sentence(check: Check) -> str:
    """A check in words."""
    here = "nothing" if check.here is None else cell(check.here)
    return f"{check.item}: {check.what} is {here}, {check.source} {cell(check.expected)} ± {cell(check.tolerance)}"


def drawn(sampling: Sampling) -> str:
    """How the targets were drawn, in a few words."""
    last = sampling.seed + sampling.runs - 1
    seeds = f"seed {sampling.seed}" if sampling.runs == 1 else f"seeds {sampling.seed} to {last}"
    return f"{sampling.runs} x {sampling.targets} targets, {seeds}"


def _paper(outcome: Outcome) -> Iterator[str]:
    """A paper: what it has, then each table and figure, then the checks."""
    yield f'<section id="{outcome.name}" class="paper"><h2>{escape(outcome.paper.citation)}</h2>'
    yield f"<p>{drawn(outcome.sampling)}.</p>"
    if outcome.failure:
        yield f'<p class="bad">This paper could not be measured:</p><pre>{escape(outcome.failure)}</pre>'
    if outcome.missing:
        yield f'<p class="bad">No pictures: {escape(outcome.missing)}</p>'
    items = CONTENTS.get(outcome.name, ())
    yield _list(outcome, items)
    yield "</section>"
    tables = {table.name: table for table in outcome.tables}
    pictures = {path.stem: path for path in outcome.pictures}
    for item in items:
        yield f'<section id="{outcome.name}-{item.anchor}"><h3>{escape(item.label)}: {escape(item.what)}</h3>'
        if item.hardware:
            yield f"<p><b>Needs hardware:</b> {escape(item.hardware)}.</p>"
        yield f"<p>{escape(item.why)}</p>"
        for name in item.tables:
            if name in tables:
                yield _table(outcome.name, tables[name])
        for name in item.pictures:
            if name in pictures:
                yield _picture(outcome.name, item, pictures[name])
        yield "</section>"
    if outcome.checks:
        yield _checks(outcome)


def _list(outcome: Outcome, items: Iterable[Item]) -> str:
    """All that the paper has, with what became of it."""
    rows = "".join(
        f'<tr><td><a href="#{outcome.name}-{item.anchor}">{escape(item.label)}</a></td><td>{escape(item.what)}</td>'
        f"<td>{'not measured' if outcome.failure else escape(item.verdict)}</td></tr>"
        for item in items
    )
    return f"<table><tr><th>in the paper</th><th>what it shows</th><th>here</th></tr>{rows}</table>"


def _picture(paper: str, item: Item, path: Path) -> str:
    """A picture inside the page."""
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    name, words = f"{paper}-picture-{path.stem}", f"{item.label}: {item.what}, drawn here"
    return f'<figure id="{name}"><img alt="{escape(words)}" src="data:image/png;base64,{data}"></figure>'


def _table(paper: str, table: Table) -> str:
    """A table with a column of differences behind each pair."""
    pairs = compared(table.columns)
    head, body = [], []
    for name in table.columns:
        head.append(f"<th>{escape(name.replace('_', ' '))}</th>" + ("<th>difference</th>" if name in pairs else ""))
    for k, row in enumerate(table.rows):
        cells = []
        for name in table.columns:
            value = getattr(row, name)
            kind = "" if isinstance(value, str) else ' class="number"'
            shown = "" if name == table.columns[0] and repeats(table, k) else escape(cell(value))
            cells.append(f"<td{kind}>{shown}</td>")
            if name in pairs:
                cells.append(f'<td class="number difference">{escape(difference(row, pairs[name], name))}</td>')
        begins = "" if repeats(table, k) else ' class="first"'
        body.append(f"<tr{begins}>{''.join(cells)}</tr>")
    caption = f"<caption>{escape(table.title)}</caption>"
    rows = f"<table>{caption}<thead><tr>{''.join(head)}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    return f'<div id="{paper}-data-{table.name}" class="table">{rows}<p class="note">{escape(table.note)}</p></div>'


def repeats(table: Table, k: int) -> bool:
    """Whether a row goes on with the words that the row before it began with."""
    first = table.columns[0]
    value = getattr(table.rows[k], first)
    return k > 0 and isinstance(value, str) and value == getattr(table.rows[k - 1], first)


def compared(columns: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Column of ours to the columns it is compared with, the first that has a number."""
    pairs: dict[str, tuple[str, ...]] = {}
    ours = next((name for name in COMPARED if name in columns), None)
    if ours and "paper" in columns:
        pairs[ours] = tuple(name for name in ("paper", "recomputed") if name in columns)
    elif "recomputed" in columns:
        pairs[columns[-1]] = ("recomputed",)
    for name in columns:
        kind, _, what = name.partition("_")
        partner = next((other for other in (what, f"FABRIK_{what}") if other in columns), None)
        if kind in ("paper", "recomputed") and partner:
            pairs[partner] = (name,)
    return pairs


def difference(row: Any, others: tuple[str, ...], name: str) -> str:
    """Ours minus theirs; of times the ratio."""
    here, there = getattr(row, name), next((v for v in (getattr(row, o) for o in others) if v is not None), None)
    if here is None or there is None:
        return "-"
    if getattr(row, "quantity", name).split()[0].endswith("ms"):
        return f"1/{there / here:.0f}" if 0 < here < there else f"x {here / there:.1f}"
    return "0" if here == there else f"{'+' if here > there else '-'}{cell(abs(float(here) - there))}"


def _checks(outcome: Outcome) -> str:
    """Everything that is judged, folded away."""
    rows = "".join(
        f"<tr><td>{escape(each.item)}</td><td>{escape(each.what)}</td><td>{each.source}</td>"
        f'<td class="number">{cell(each.expected)}</td><td class="number">{cell(each.here)}</td>'
        f'<td class="number">{cell(each.tolerance)}</td><td>{"yes" if each.held else "<b>no</b>"}</td></tr>'
        for each in outcome.checks
    )
    head = (
        "<tr><th>item</th><th>number</th><th>from</th><th>expected</th><th>here</th><th>tolerance</th><th>met</th></tr>"
    )
    summary = f"<summary>All {len(outcome.checks)} numbers that are judged</summary>"
    return f'<details id="{outcome.name}-checks">{summary}<table>{head}{rows}</table></details>'


def cell(value: Any) -> str:
    """A value as a reader wants it: four decimals at most, small ones with an exponent."""
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return text if value == 0.0 or float(text) != 0.0 else f"{value:.1e}"
