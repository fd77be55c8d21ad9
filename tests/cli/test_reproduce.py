"""`forearm reproduce` as a user meets it: tables, files, JSON, and the words for mistakes."""

import csv
import json

import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli import reproduce
from forearm.cli.app import app
from forearm.reproduce import Figure, Table

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

    monkeypatch.setitem(reproduce.PAPERS, "tiny", reproduce.Paper("Nobody, 2000", tables, lambda _: 1))
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


def test_an_unknown_paper_lists_those_there_are():
    assert run("fabrik") == (2, "paper 'fabrik' is unknown; there are: combined, fabrik-r")


@pytest.mark.parametrize("flag", ["--targets", "--runs"])
def test_no_targets_at_all_are_refused(tiny, flag):
    assert run("tiny", flag, "0")[0] == 2
    assert tiny == []


@pytest.mark.compiled
def test_the_fabrik_r_paper_runs_from_end_to_end(tmp_path):
    code, output = run("fabrik-r", "--targets", "2", "--out", str(tmp_path))
    assert code == 0
    assert "0.9812" in output
    assert len(list(tmp_path.glob("*.csv"))) == 5


@pytest.mark.compiled
def test_the_combined_paper_runs_from_end_to_end(tmp_path):
    code, output = run("combined", "--out", str(tmp_path))
    assert code == 0
    assert "641" in output
    assert {"figure-3-counts.csv", "figure-4-curves.csv"} <= {path.name for path in tmp_path.iterdir()}


def test_missing_matplotlib_costs_the_pictures_only(tiny, tmp_path, monkeypatch):
    def draw(directory):
        raise fa.errors.MissingExtraError("drawing", "plot")

    row = reproduce.joined(
        reproduce.PAPERS["tiny"], reproduce.Paper("", reproduce.PAPERS["tiny"].tables, lambda _: 1, draw)
    )
    monkeypatch.setitem(reproduce.PAPERS, "tiny", row)
    code, output = run("tiny", "--out", str(tmp_path))
    assert code == 0
    assert "forearm[plot]" in output
    assert (tmp_path / "tables.txt").exists()
