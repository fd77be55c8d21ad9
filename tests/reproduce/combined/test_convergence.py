"""The convergence study: counts are counts of sweeps, refined far fewer, files written."""

import numpy as np
import pytest

from forearm.reproduce import Sampling
from forearm.reproduce.combined import convergence
from forearm.reproduce.drawing import save_all


@pytest.mark.compiled
def test_counts_come_near_the_print_and_the_refiner_needs_few():
    ticks = []
    counts, curves = convergence.tables(Sampling(), ticks.append)
    assert len(ticks) == convergence.STEPS
    rows = {row.case: row for row in counts.rows}
    assert rows["3a-c fold"].FABRIK == rows["3a-c fold"].recomputed == 641
    for row in rows.values():
        if row.paper is None:
            assert row.FABRIK is None  # beyond reach as printed
        else:
            assert pytest.approx(row.paper, rel=0.03) == row.FABRIK
            assert row.refined < 30
    assert not curves.shown
    assert curves.to_csv().startswith("case,solver,iteration,distance\n")


@pytest.mark.compiled
def test_curves_end_within_tolerance():
    case = convergence.CASES[0]
    plain, refined = convergence.plain_curve(case), convergence.refined_curve(case)
    assert plain[-1] <= convergence.TOLERANCE < plain[-2]
    assert refined[-1] <= convergence.TOLERANCE
    assert (np.diff(refined) < 0.0).all()
    assert (refined[: convergence.SWITCH + 1] == plain[: convergence.SWITCH + 1]).all()


@pytest.mark.compiled
def test_the_figure_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    (path,) = save_all(convergence.pictures(()), tmp_path)
    assert path.read_bytes().startswith(b"\x89PNG")
