"""The combined paper's drawings and its printed answer."""

import pytest

from forearm.reproduce.combined import shapes as combined_shapes


def test_the_printed_answer_of_the_iiwa_fits_its_printed_target():
    _, answer = combined_shapes.tables(None, lambda _: None)
    assert max(abs(row.here - row.paper) for row in answer.rows) == pytest.approx(1.1e-3, abs=5e-5)


def test_figure_3_shows_as_many_configurations_as_there_are_iterations():
    case = combined_shapes.CASES[0]
    assert len(combined_shapes.configurations(case, 10)) == 11
    assert len(combined_shapes.configurations(case, None)) == 642


def test_every_query_takes_one_way_through_the_scheme(monkeypatch):
    monkeypatch.setattr(combined_shapes, "QUERIES", 4)
    assert sum(combined_shapes.ways_taken(combined_shapes.load("ur5"), 5)) == 4
