"""The report of all papers: whole, without outside parts, and not lost when one paper fails."""

import json
import math
from html.parser import HTMLParser

import numpy as np
import pytest
from typer.testing import CliRunner

from forearm.cli.app import app
from forearm.errors import MissingExtraError
from forearm.reproduce import Figure, Sampling, Table, checks, contents, papers, report
from forearm.reproduce.fabrik_r import models as fabrik_r_models
from forearm.reproduce.papers import PAPERS

VOID = {"meta", "img", "br", "link"}
PAPER_ITEMS = {  # what the papers have, counted from their captions
    "bezier": {"Table 1", *(f"Fig. {k}" for k in range(1, 10)), "Section II-E"},
    "combined": {"Table I", "Table II", *(f"Fig. {k}" for k in range(1, 10))},
    "fabrik-r": {*(f"Table {k}" for k in range(1, 7)), *(f"Fig. {k}" for k in range(1, 18)), "Section VII"},
}


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed in order, every id is there once."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.sources = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if "id" in values:
            self.ids.append(values["id"])
        self.links += [value for name, value in attrs if name == "href"]
        self.sources += [value for name, value in attrs if name in ("src", "srcset", "data")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def run(*arguments):
    result = CliRunner().invoke(app, ["reproduce", "all", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A run of all papers on three targets each: exit code, output, page, directory."""
    directory = tmp_path_factory.mktemp("report")
    code, output = run("--targets", "3", "--runs", "1", "--out", str(directory))
    return code, output, (directory / "report.html").read_text(), directory


@pytest.mark.compiled
def test_the_page_is_whole_and_holds_every_table_and_figure(tiny):
    pytest.importorskip("matplotlib")
    pytest.importorskip("nlopt")  # of the print's seed
    code, output, text, directory = tiny
    assert code == 0, output
    assert f"report: {directory / 'report.html'}" in output
    page = Reader(text)
    assert len(set(page.ids)) == len(page.ids)
    for name, items in contents.CONTENTS.items():
        for item in items:
            assert f"{name}-{item.anchor}" in page.ids
            for table in item.tables:
                assert f"{name}-data-{table}" in page.ids
            for picture in item.pictures:
                assert f"{name}-picture-{picture}" in page.ids
    assert set(page.links) <= {f"#{name}" for name in page.ids}


@pytest.mark.compiled
def test_the_page_asks_for_nothing_from_elsewhere(tiny):
    text = tiny[2]
    page = Reader(text)
    assert page.sources
    assert all(source.startswith("data:image/png;base64,") for source in page.sources)
    for remote in ("http:", "https:", "<script", "<link", "@import", "url("):
        assert remote not in text


@pytest.mark.compiled
def test_every_table_and_picture_that_is_made_stands_in_the_page(tiny):
    pytest.importorskip("nlopt")
    directory = tiny[3]
    for name, items in contents.CONTENTS.items():
        drawn = list((directory / name).glob("*.png"))
        assert {path.stem for path in drawn} == {picture for item in items for picture in item.pictures}
        assert all(path.stat().st_size > 5_000 for path in drawn)
        tables = {path.stem for path in (directory / name).glob("*.csv")}
        curves = {"figure-4-curves", "figure-6-angles", "figure-9-points"}  # long; drawn instead
        named = {table for item in items for table in item.tables}
        assert named <= tables
        assert tables - named <= curves | ({"figure-8"} if name == "bezier" else set())


@pytest.mark.compiled
def test_the_sweeps_that_fold_a_chain_are_counted_again(tiny):
    text = (tiny[3] / "combined" / "figure-3-counts.csv").read_text()
    assert "641" in text


def test_every_item_of_every_paper_is_listed_with_a_reason():
    for name, items in contents.CONTENTS.items():
        assert {item.label for item in items} == PAPER_ITEMS[name]
        for item in items:
            assert item.why.endswith(".")
            assert item.tables or item.pictures or item.hardware
    hardware = [(name, item.label) for name in contents.CONTENTS for item in contents.CONTENTS[name] if item.hardware]
    assert hardware == [("fabrik-r", "Fig. 16"), ("fabrik-r", "Fig. 17")]


# -- papers that take no time --------------------------------------------------------------------


def paper_of(rows, fails=None, pictures=lambda _: {}):
    def tables(sampling, tick):
        if fails:
            raise fails
        tick("the one step")
        return (Table("table-1", "Tiny <b>", "A note & more.", rows),)

    return papers.Paper("Nobody & Co, 2000", tables, lambda _: 1, pictures)


@pytest.fixture
def two(monkeypatch):
    """Two papers in place of the three: 'good' and 'bad'."""
    rows = (Figure("CCD", "solved (%)", 100.0, 90.0, 80.0, 1.0), Figure("CCD", "ms per target", 10.0, None, 0.1, None))
    for name in reversed(list(PAPERS)):  # put back in their order
        monkeypatch.delitem(PAPERS, name)
    monkeypatch.setitem(PAPERS, "bad", paper_of(rows, ValueError("a <broken> paper")))
    monkeypatch.setitem(PAPERS, "good", paper_of(rows))
    item = contents.Item("Table 1", "something", "For a reason.", ("table-1",), ("one",))
    for name in ("good", "bad"):
        monkeypatch.setitem(contents.CONTENTS, name, (item,))
        monkeypatch.setitem(
            checks.CHECKS, name, lambda rows, _: iter([checks.Check("Table 1", "x", 1.0, "print", 1.0, 0)])
        )


def test_a_paper_that_fails_does_not_lose_the_others(two, tmp_path):
    code, output = run("--out", str(tmp_path))
    assert code == 1
    assert "bad: failed: ValueError: a <broken> paper" in output
    assert "good: the print, by an algorithm 1 of 1; the print's own data -;" in output
    text = (tmp_path / "report.html").read_text()
    page = Reader(text)
    assert "good-data-table-1" in page.ids
    assert "bad-data-table-1" not in page.ids
    assert "a &lt;broken&gt; paper" in text
    assert (tmp_path / "good" / "table-1.csv").exists()


def test_the_contents_lead_to_every_item_and_stay_in_sight(two, tmp_path):
    run("--out", str(tmp_path))
    text = (tmp_path / "report.html").read_text()
    contents_ = Reader(text[text.index("<nav") : text.index("</nav>") + len("</nav>")])
    assert contents_.links == ["#summary", "#bad", "#bad-table-1", "#good", "#good-table-1"]
    assert set(contents_.links) <= {f"#{name}" for name in Reader(text).ids}
    assert "nav { position: sticky; top: 0;" in text


def test_what_is_not_met_is_told_and_ends_with_one(two, tmp_path, monkeypatch):
    PAPERS.pop("bad")
    missed = checks.Check("Table 1", "solved", 100.0, "print", 80.0, 1.5)
    monkeypatch.setitem(checks.CHECKS, "good", lambda rows, _: iter([missed]))
    code, output = run("--out", str(tmp_path))
    assert code == 1
    words = "Table 1: solved is 80, print 100 ± 1.5"
    assert f"not within tolerance: {words}" in output
    assert words in (tmp_path / "report.html").read_text()


def test_json_says_the_same(two, tmp_path):
    code, output = run("--out", str(tmp_path), "--json")
    data = json.loads(output)
    assert code == 1
    assert data["report"] == str(tmp_path / "report.html")
    assert [paper["paper"] for paper in data["papers"]] == ["bad", "good"]
    assert data["papers"][1]["tables"][0]["rows"][0]["here"] == 80.0


def test_without_matplotlib_the_tables_remain(two, tmp_path, monkeypatch):
    def cannot(tables):
        raise MissingExtraError("drawing", "plot")

    monkeypatch.setitem(PAPERS, "good", paper_of((Figure("a", "b", 1.0, None, 1.0, None),), pictures=cannot))
    PAPERS.pop("bad")
    code, output = run("--out", str(tmp_path))
    assert code == 0
    assert "no pictures: drawing needs an optional package" in output
    assert "good-data-table-1" in Reader((tmp_path / "report.html").read_text()).ids


def test_differences_are_ours_minus_theirs_and_ratios_of_times():
    share = Figure("CCD", "solved (%)", 100.0, 90.0, 80.0, 1.0)
    pairs = report.compared(("solver", "quantity", "paper", "recomputed", "here", "standard_error"))
    assert pairs == {"here": ("paper", "recomputed")}
    assert report.difference(share, pairs["here"], "here") == "-20"
    assert report.difference(Figure("", "ms per target", 10.0, None, 0.1, None), pairs["here"], "here") == "1/100"
    assert report.difference(Figure("", "x", None, 90.0, 90.5, None), pairs["here"], "here") == "+0.5"
    assert report.difference(Figure("", "x", None, None, 90.5, None), pairs["here"], "here") == "-"
    assert report.compared(("row", "paper_ms", "ms")) == {"ms": ("paper_ms",)}


def test_a_check_holds_within_its_tolerance_only():
    assert checks.Check("", "", 1.0, "print", 1.5, 0.5).held
    assert not checks.Check("", "", 1.0, "print", 1.6, 0.5).held
    assert not checks.Check("", "", 1.0, "print", None, 0.5).held
    assert checks.spread(50.0, 100, 100) == pytest.approx(4 * 100 * np.sqrt(0.25 * 0.02))


def test_what_no_paper_and_no_prototype_has_is_called_a_goal():
    known = Figure("combined, n_l 5", "solved (%)", 99.99, 100.0, 100.0, 0.0)
    unknown = Figure("combined, n_l 5", "solved (%)", 99.64, None, 100.0, 0.0)
    sources = [next(checks.table_2_checks("arm", row, 100)).source for row in (known, unknown)]
    assert sources == ["prototype", "goal"]


def test_what_is_known_not_to_come_out_is_told_with_its_reason_and_does_not_fail(two, tmp_path, monkeypatch):
    PAPERS.pop("bad")
    known = checks.Check("Table 1", "count", 659.0, "print", 641.0, 0.0, "Its target is rounded.")
    monkeypatch.setitem(checks.CHECKS, "good", lambda rows, _: iter([known]))
    code, output = run("--out", str(tmp_path))
    assert code == 0
    assert "good: the print, by an algorithm 0 of 1" in output
    assert "known not to come out, 1: Its target is rounded." in output
    text = (tmp_path / "report.html").read_text()
    assert "good: Its target is rounded." in text
    assert "Table 1: count is 641, print 659 ± 0" in text


def test_the_means_that_no_200_whole_numbers_have_are_of_fewer():
    for (_, solver), most in checks.MEANS_OVER.items():
        mean = {187: 19.4706, 128: 20.4297, 196: 106.7959}[most]
        able = [n for n in range(1, 201) if abs(round(mean * n) / n - mean) < 5.1e-5]
        assert max(able) == most, solver


def test_no_tolerance_hangs_on_the_run_that_is_judged():
    assert round((34.6 - 20.8) / 3.73 * math.sqrt(200) / 27.0) == checks.TAIL  # the prototype's, on record
    calm = Figure("FABRIK-R", "iterations", 19.4706, 15.0, 16.0, 0.1)
    wild = Figure("FABRIK-R", "iterations", 19.4706, 15.0, 60.0, 90.0)
    fixed = [[one.tolerance for one in checks.sweep_checks("table-1", row, 4000)] for row in (calm, wild)]
    assert fixed[0] == fixed[1]
    assert not any(one.held for one in checks.sweep_checks("table-1", wild, 4000))


def test_tables_2_and_5_are_read_back_from_the_frames():
    two, five, measured = fabrik_r_models.tables(Sampling(), lambda _: None)
    assert [(row.a, row.alpha, row.d) for row in two.rows] == [
        tuple(map(float, row)) for row in fabrik_r_models.TABLE_2
    ]
    wrong = [(row.joint, row.d, row.alpha) for row in five.rows if (row.paper_d, row.paper_alpha) != (row.d, row.alpha)]
    assert wrong == [(1, 148.9, -90.0), (6, 0.0, -90.0)]
    assert measured.rows[0].here == pytest.approx(0.82, abs=5e-3)


def test_the_page_needs_no_numba(monkeypatch):
    monkeypatch.setattr(report, "version", {"numpy": "9.9"}.__getitem__)  # as where Numba is not installed
    text = report.page(())
    assert "numpy 9.9, kernels" in text
    Reader(text)
