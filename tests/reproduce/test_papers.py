"""Every picture of every paper is drawn and named by the contents."""

import pytest

from forearm.reproduce import contents, drawing
from forearm.reproduce.bezier import pictures as bezier_pictures
from forearm.reproduce.bezier import tables as bezier_tables
from forearm.reproduce.combined import shapes as combined_shapes
from forearm.reproduce.fabrik_r import pictures as fabrik_r_pictures


def names_of(paper):
    return {picture for item in contents.CONTENTS[paper] for picture in item.pictures}


DRAWN = {"bezier": (bezier_pictures, 9), "combined": (combined_shapes, 4), "fabrik-r": (fabrik_r_pictures, 16)}


@pytest.mark.parametrize("paper", DRAWN)
def test_the_pictures_are_drawn(paper, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(combined_shapes, "QUERIES", 3)
    monkeypatch.setattr(combined_shapes, "MAX_SWEEPS", 200)
    # the paper's own grid is drawn by the compiled test of its tables; uncompiled it takes 40 s
    monkeypatch.setitem(bezier_tables.LINEAR_GRID, "grid", 401)
    monkeypatch.setitem(bezier_tables.LINEAR_GRID, "steps", 80)
    module, count = DRAWN[paper]
    written = drawing.save_all(module.pictures(()), tmp_path)
    assert len(written) == count
    assert all(path.stat().st_size > 5_000 for path in written)
    assert {path.stem for path in written} <= names_of(paper)
