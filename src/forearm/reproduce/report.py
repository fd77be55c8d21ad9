"""All papers in one page: every table and figure of theirs beside ours, as one HTML file without outside parts."""

import base64
import platform
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from forearm.common.markup import row, tag
from forearm.core.jit import CHOICE
from forearm.errors import MissingExtraError
from forearm.reproduce import Sampling, Table, Tick
from forearm.reproduce.checks import SOURCES, Check, check
from forearm.reproduce.contents import CONTENTS, Item
from forearm.reproduce.drawing import save_all
from forearm.reproduce.page import STYLE
from forearm.reproduce.papers import PAPERS, Paper

TITLE = "Three papers, measured again"
INTRODUCTION = (
    "Every table and figure of three papers on inverse kinematics, beside the same from forearm. <b>paper</b> is "
    "what is printed; <b>recomputed</b> is an earlier prototype of ours, written from the paper's corrected text; "
    "<b>here</b> is this run, through the public interface. Numbers are checked against four things, which are "
    "counted separately: printed results of an algorithm, numbers that follow from other printed data, our "
    "prototype, and goals of our own. <b>difference</b> is here minus paper (minus recomputed where the print has "
    "no number); of times it is the ratio, since they are of another machine. The papers' own pictures are not "
    "copied: words say what they show."
)
COMPARED = ("printed_angles", "here", "FABRIK")  # what stands beside a column `paper`, the first there is


@dataclass(frozen=True)
class Outcome:
    """What became of one paper."""

    name: str
    paper: Paper
    sampling: Sampling
    tables: tuple[Table, ...] = ()  # none if it failed
    pictures: tuple[Path, ...] = ()  # where they lie
    checks: tuple[Check, ...] = ()
    failure: str = ""  # why it failed, with the places; empty if it did not
    missing: str = ""  # why there are no pictures; empty if there are

    @property
    def missed(self) -> tuple[Check, ...]:
        """What did not come out within its tolerance, though nothing speaks against it."""
        return tuple(one for one in self.checks if not one.held and not one.reason)

    @property
    def known(self) -> dict[str, list[Check]]:
        """What did not come out and is known not to, by reason."""
        open_ = [one for one in self.checks if one.reason and not one.held]
        return {reason: [c for c in open_ if c.reason == reason] for reason in dict.fromkeys(c.reason for c in open_)}

    def tally(self, source: str) -> str:
        """How many of the numbers from one source came out."""
        judged = [one.held for one in self.checks if one.source == source]
        return f"{sum(judged)} of {len(judged)}" if judged else "-"


def draw(paper: Paper, tables: tuple[Table, ...], directory: Path) -> tuple[list[Path], str]:
    """The files of the paper's figures, or why there are none: a missing package for drawing costs no more."""
    try:
        return save_all(paper.pictures(tables), directory), ""
    except MissingExtraError as problem:
        return [], str(problem)


def run(name: str, sampling: Sampling, directory: Path, tick: Tick) -> Outcome:
    """Measures, draws and judges one paper; whatever fails in it is part of the outcome, so the others go on.

    Ticks after each of the paper's steps, and once for the pictures.
    """
    outcome = Outcome(name, PAPERS[name], sampling)
    try:
        tables = outcome.paper.tables(sampling, lambda what: tick(f"{name}: {what}"))
        outcome = replace(outcome, tables=tables, checks=check(name, tables, sampling))
        pictures, missing = draw(outcome.paper, tables, directory)
        tick(f"{name}: {name}, pictures")
        return replace(outcome, pictures=tuple(pictures), missing=missing)
    except Exception:  # whatever it is, it must not cost the other papers
        return replace(outcome, failure=traceback.format_exc())


def page(outcomes: Iterable[Outcome]) -> str:
    """The whole report as HTML."""
    done = tuple(outcomes)
    made = {"compiled": "kernels compiled ahead", "jit": "kernels compiled by Numba", "python": "kernels not compiled"}
    packages = f"numpy {version('numpy')}, {made[CHOICE.way]}"
    metas = tag("meta", charset="utf-8") + tag("meta", name="viewport", content="width=device-width")
    parts = [
        tag("h1", TITLE) + tag("p", INTRODUCTION),
        tag("p", f"Python {platform.python_version()}, {packages}, {escape(platform.machine())}."),
        _summary(done),
        *(part for outcome in done for part in _paper(outcome)),
    ]
    head = tag("head", f"{metas}{tag('title', TITLE)}{tag('style', STYLE)}")
    body = tag("body", _contents(done) + tag("main", "\n".join(parts)))
    return f"<!DOCTYPE html>\n{tag('html', head + body, lang='en')}\n"


def _contents(outcomes: tuple[Outcome, ...]) -> str:
    """Links to every paper, table and figure, which stay in sight."""
    entries = [tag("li", tag("a", "Result", href="#summary"))]
    for one in outcomes:
        places = [(f"{one.name}-{item.anchor}", item.label) for item in CONTENTS.get(one.name, ())]
        inside = "".join(tag("li", tag("a", escape(label), href=f"#{place}")) for place, label in places)
        entries.append(tag("li", tag("a", escape(one.name), href=f"#{one.name}") + tag("ul", inside)))
    return tag("nav", tag("ul", "".join(entries)), aria_label="Contents")


def _summary(outcomes: tuple[Outcome, ...]) -> str:
    """A line per paper: how much came out of what it is held against; then all that did not, with the reason."""
    rows = [row(("paper", "citation", "targets", *SOURCES.values()), "th")]
    for one in outcomes:
        link = tag("a", escape(one.name), href=f"#{one.name}")
        counts = ["failed"] * len(SOURCES) if one.failure else [one.tally(source) for source in SOURCES]
        rows.append(row((link, escape(one.paper.citation), drawn(one.sampling), *counts)))
    missed = [tag("li", escape(f"{one.name}, {sentence(each)}")) for one in outcomes for each in one.missed]
    verdict = tag("p", "Not within tolerance, and not known why:", class_="bad") + tag("ul", "".join(missed))
    if not missed:
        verdict = tag("p", "Only those numbers differ that are known to.")
    known = "".join(
        tag("li", escape(f"{one.name}: {reason}") + tag("ul", "".join(tag("li", escape(sentence(c))) for c in checks)))
        for one in outcomes
        for reason, checks in one.known.items()
    )
    verdict += tag("p", "Numbers that do not come out, with the reason:") + tag("ul", known) if known else ""
    return tag("section", f"{tag('h2', 'Result')}{tag('table', ''.join(rows))}{verdict}", id="summary")


def sentence(check: Check) -> str:
    """A check in words."""
    here = "nothing" if check.here is None else cell(check.here)
    return f"{check.item}: {check.what} is {here}, {check.source} {cell(check.expected)} ± {cell(check.tolerance)}"


def drawn(sampling: Sampling) -> str:
    """How the targets were drawn, in a few words."""
    first, last = sampling.seeds[0], sampling.seeds[-1]
    seeds = f"seed {first}" if first == last else f"seeds {first} to {last}"
    return f"{sampling.runs} x {sampling.targets} targets, {seeds}"


def _paper(outcome: Outcome) -> Iterator[str]:
    """A paper: all that it has, with what became of it, then each table and figure, then the checks."""
    items = CONTENTS.get(outcome.name, ())
    parts = [tag("h2", escape(outcome.paper.citation)), tag("p", f"{drawn(outcome.sampling)}.")]
    if outcome.failure:
        parts.append(tag("p", "This paper could not be measured:", class_="bad") + tag("pre", escape(outcome.failure)))
    if outcome.missing:
        parts.append(tag("p", f"No pictures: {escape(outcome.missing)}", class_="bad"))
    rows = [row(("in the paper", "what it shows", "here"), "th")]
    for item in items:
        link = tag("a", escape(item.label), href=f"#{outcome.name}-{item.anchor}")
        rows.append(row((link, escape(item.what), "not measured" if outcome.failure else escape(item.verdict))))
    parts.append(tag("table", "".join(rows)))
    yield tag("section", "\n".join(parts), id=outcome.name, class_="paper")
    for item in items:
        yield _item(outcome, item)
    if outcome.checks:
        yield _checks(outcome)


def _item(outcome: Outcome, item: Item) -> str:
    """A table or figure of a paper: what it shows, and what stands for it here."""
    parts = [tag("h3", f"{escape(item.label)}: {escape(item.what)}")]
    if item.hardware:
        parts.append(tag("p", f"<b>Needs hardware:</b> {escape(item.hardware)}."))
    parts.append(tag("p", escape(item.why)))
    tables = {table.name: table for table in outcome.tables}
    pictures = {path.stem: path for path in outcome.pictures}
    parts += [_table(outcome.name, tables[name]) for name in item.tables if name in tables]
    for name in item.pictures:
        if name in pictures:
            data = base64.b64encode(pictures[name].read_bytes()).decode("ascii")
            image = tag("img", alt=f"{item.label}: {item.what}, drawn here", src=f"data:image/png;base64,{data}")
            parts.append(tag("figure", image, id=f"{outcome.name}-picture-{name}"))
    return tag("section", "\n".join(parts), id=f"{outcome.name}-{item.anchor}")


def _table(paper: str, table: Table) -> str:
    """A table with a column of differences behind each pair."""
    pairs = compared(table.columns)
    names = [each for name in table.columns for each in (name.replace("_", " "), "difference")[: 1 + (name in pairs)]]
    head = tag("thead", row(map(escape, names), "th"))
    body = tag("tbody", "".join(_row(table, k, pairs) for k in range(len(table.rows))))
    whole = tag("table", tag("caption", escape(table.title)) + head + body)
    note = tag("p", escape(table.note), class_="note")
    return tag("div", whole + note, id=f"{paper}-data-{table.name}", class_="table")


def _row(table: Table, k: int, pairs: dict[str, tuple[str, ...]]) -> str:
    """A row of a table; the words it begins with are left out where the row before began with them too."""
    first, values = table.columns[0], table.rows[k]
    value = getattr(values, first)
    again = k > 0 and isinstance(value, str) and value == getattr(table.rows[k - 1], first)
    cells = []
    for name in table.columns:
        value = getattr(values, name)
        shown = "" if name == first and again else escape(cell(value))
        cells.append(tag("td", shown, class_=None if isinstance(value, str) else "number"))
        if name in pairs:
            cells.append(tag("td", escape(difference(values, pairs[name], name)), class_="number difference"))
    return tag("tr", "".join(cells), class_=None if again else "first")


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
    rows = [row(("item", "number", "held against", "expected", "here", "tolerance", "met"), "th")]
    for each in outcome.checks:
        words = (escape(each.item), escape(each.what), SOURCES[each.source])
        numbers = (each.expected, each.here, each.tolerance)
        cells = [tag("td", word) for word in words] + [tag("td", cell(value), class_="number") for value in numbers]
        rows.append(tag("tr", "".join(cells) + tag("td", "yes" if each.held else "<b>no</b>")))
    summary = tag("summary", f"All {len(outcome.checks)} numbers that are judged")
    return tag("details", summary + tag("table", "".join(rows)), id=f"{outcome.name}-checks")


def cell(value: Any) -> str:
    """A value as a reader wants it: four decimals at most, small ones with an exponent."""
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return text if value == 0.0 or float(text) != 0.0 else f"{value:.1e}"
