"""`forearm reproduce` as a user meets it: tables, files, JSON, and the words for mistakes."""

import csv
import json

import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import app
from forearm.errors import MissingExtraError
from forearm.reproduce import Figure, Table, papers

TABLES = (
    Table(
        "table-1",
        "Table 1: tiny",
        "why it differs [as printed]",
        (
            Figure("CCD", "solved (%)", 100.0, None, 86.4, 1e-6),
            Figure("DLS", "solved (%)", None, None, None, 0.0),
        ),
    ),
)


def run(*arguments):
    result = CliRunner().invoke(app, ["reproduce", *arguments])
    if isinstance(result.exception, fa.ForearmError):
        return 2, str(result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.fixture
def tiny(monkeypatch):
    """A paper that takes no time; gives back the samplings it was asked for."""
    asked = []

    def tables(sampling, tick):
        asked.append(sampling)
        tick("the one step")
        return TABLES

    monkeypatch.setitem(papers.PAPERS, "tiny", papers.Paper("Nobody, 2000", tables, lambda _: 1))
    return asked


def test_tables_are_printed_and_written(tiny, tmp_path):
    code, output = run("tiny", "--out", str(tmp_path / "deep" / "er"), "--targets", "7", "--runs", "2", "--seed", "5")
    assert code == 0
    assert (tiny[0].targets, tiny[0].runs, tiny[0].seed) == (7, 2, 5)
    assert "2 x 7 targets, seeds 5 to 6" in output
    assert "why it differs [as printed]" in output
    assert f"written to {tmp_path / 'deep' / 'er'}: tables.txt, table-1.csv" in output
    text = (tmp_path / "deep" / "er" / "tables.txt").read_text()
    assert "86.4" in text
    assert "1.0e-06" in text
    with (tmp_path / "deep" / "er" / "table-1.csv").open() as file:
        assert [row["here"] for row in csv.DictReader(file)] == ["86.4", ""]


def test_files_go_to_the_papers_own_directory_by_default(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("tiny")[0] == 0
    assert (tmp_path / "reproduction" / "tiny" / "table-1.csv").exists()


def test_json_holds_tables_and_files_and_nothing_else_is_printed(tiny, tmp_path):
    code, output = run("tiny", "--out", str(tmp_path), "--json")
    data = json.loads(output)
    assert code == 0
    assert data["tables"][0]["rows"][0]["here"] == 86.4
    assert data["files"] == [str(tmp_path / "tables.txt"), str(tmp_path / "table-1.csv")]


def test_a_directory_that_takes_no_files_is_refused_before_any_work(tiny, tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        code, message = run("tiny", "--out", str(path))
        assert code == 2
        assert str(path) in message
        assert "cannot be written" in message
    assert tiny == []


def test_no_paper_lists_those_there_are():
    assert run() == (2, "name a paper: bezier, combined, fabrik-r; or all, for one report: `forearm reproduce all`")


def test_an_unknown_paper_is_told_the_nearest_or_all_there_are():
    for typed in ("fabrik", "fabrikr"):
        assert run(typed) == (2, f"paper '{typed}' is unknown; did you mean fabrik-r?")
    assert run("zzz") == (2, "paper 'zzz' is unknown; there are: all, bezier, combined, fabrik-r")


def test_a_directory_that_reads_as_a_file_is_refused(tiny, tmp_path):
    code, message = run("tiny", "--out", str(tmp_path / "tables.csv"))
    assert code == 2
    assert "reads as a file; it takes a directory, as several files are written" in message
    assert not (tmp_path / "tables.csv").exists()


def test_targets_are_as_many_as_the_papers_by_default(tiny, tmp_path, monkeypatch):
    paper = papers.Paper("Nobody, 2000", papers.PAPERS["tiny"].tables, lambda _: 1, targets=33)
    monkeypatch.setitem(papers.PAPERS, "tiny", paper)
    assert run("tiny", "--out", str(tmp_path))[0] == 0
    assert tiny[0].targets == 33


def test_pictures_are_written_and_a_missing_extra_is_one_line(tiny, tmp_path, monkeypatch):
    class Drawn:
        def savefig(self, path):
            path.write_bytes(b"")

    def draw(tables):
        return {"one": Drawn()}

    def cannot(tables):
        raise MissingExtraError("drawing", "plot")

    for pictures, words in ((draw, "table-1.csv, one.png"), (cannot, "no pictures: drawing needs an optional package")):
        paper = papers.Paper("Nobody, 2000", papers.PAPERS["tiny"].tables, lambda _: 1, pictures)
        monkeypatch.setitem(papers.PAPERS, "tiny", paper)
        code, output = run("tiny", "--out", str(tmp_path))
        assert code == 0
        assert words in output.replace("\n", " ")
        assert (tmp_path / "one.png").exists()


def test_curves_go_to_files_only(tiny, tmp_path, monkeypatch):
    hidden = Table("curve", "A long curve", "", TABLES[0].rows, shown=False)
    monkeypatch.setitem(papers.PAPERS, "tiny", papers.Paper("Nobody", lambda s, t: (*TABLES, hidden), lambda _: 1))
    code, output = run("tiny", "--out", str(tmp_path))
    assert code == 0
    assert "A long curve" not in output
    assert (tmp_path / "curve.csv").exists()


@pytest.mark.parametrize("flag", ["--targets", "--runs"])
def test_no_targets_at_all_are_refused(tiny, flag):
    assert run("tiny", flag, "0")[0] == 2
    assert tiny == []


@pytest.mark.compiled
def test_the_fabrik_r_paper_runs_from_end_to_end(tmp_path):
    code, output = run("fabrik-r", "--targets", "2", "--out", str(tmp_path))
    assert code == 0
    assert "0.9812" in output
    assert len(list(tmp_path.glob("*.csv"))) == 9


def test_a_paper_in_parts_runs_them_all(tiny, tmp_path, monkeypatch):
    part = papers.PAPERS["tiny"]
    other = Table("other", "Another part", "", TABLES[0].rows)
    row = papers.joined(part, papers.Paper("", lambda s, t: (other,), lambda _: 1))
    monkeypatch.setitem(papers.PAPERS, "tiny", row)
    assert run("tiny", "--out", str(tmp_path))[0] == 0
    assert (tmp_path / "table-1.csv").exists()
    assert (tmp_path / "other.csv").exists()
