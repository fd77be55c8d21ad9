"""The papers' figures: what they are drawn from holds by plain geometry, and what their captions claim is true."""

import numpy as np
import pytest

from forearm.reproduce import contents, drawing
from forearm.reproduce.bezier import pictures as bezier_pictures
from forearm.reproduce.bezier import tables as bezier
from forearm.reproduce.combined import shapes as combined_shapes
from forearm.reproduce.fabrik_r import limits as fabrik_r_limits
from forearm.reproduce.fabrik_r import pictures as fabrik_r_pictures


@pytest.fixture(scope="module")
def trace():
    return fabrik_r_pictures.five_dof_trace()


def names_of(paper):
    return {picture for item in contents.CONTENTS[paper] for picture in item.pictures}


def test_the_roots_of_eq_6_hold_the_next_point_and_the_library_takes_the_nearer(trace):
    p5, v5, roots, taken = fabrik_r_pictures.placed_fourth(trace)
    p1, p3 = trace.points[0, 0], trace.points[0, 2]
    for root in roots:
        assert np.linalg.norm(root - p5) == pytest.approx(fabrik_r_pictures.LINK, abs=1e-12)
        assert abs((root - p5) @ v5) < 1e-12  # across the axis of p5
        assert abs(np.cross(root - p5, v5) @ (p1 - p5)) < 1e-12  # its own axis is across the line to p1
    away = np.linalg.norm(roots - p3, axis=1)
    np.testing.assert_allclose(taken, roots[np.argmin(away)], atol=1e-12)


def test_the_5_dof_arm_arrives_after_three_iterations_as_in_fig_14(trace):
    assert trace.stages[-1] == "backward"
    assert (len(trace) - 1) // 2 == 3
    assert trace.distance[-1] < fabrik_r_pictures.ARRIVED < trace.distance[4]


def test_the_older_hinge_rule_ends_in_one_plane_with_its_lengths():
    old, normal, foot, new = fabrik_r_limits.hinge_rule()
    n = normal / np.linalg.norm(normal)
    assert abs((foot - old[0]) @ n) < 1e-12
    assert np.abs((new - old[0]) @ n).max() < 1e-12
    lengths = [np.linalg.norm(np.diff(points, axis=0), axis=1) for points in (old, new)]
    np.testing.assert_allclose(*lengths, atol=1e-12)


def test_a_circle_lies_in_its_plane():
    center, normal = np.array([1.0, 2.0, 3.0]), np.array([0.0, 3.0, 4.0])
    ring = drawing.circle(center, normal, 0.5)
    np.testing.assert_allclose(np.linalg.norm(ring - center, axis=1), 0.5)
    assert np.abs((ring - center) @ normal).max() < 1e-12


def test_a_bezier_curve_begins_and_ends_at_its_points_and_halves_by_the_middle_term():
    curve = bezier_pictures.bezier([(0.0, 0.0), (1.0, 2.0), (4.0, 0.0)])
    assert curve[0].tolist() == [0.0, 0.0]
    assert curve[-1].tolist() == [4.0, 0.0]
    np.testing.assert_allclose(curve[50], [0.25 * 0 + 0.5 * 1 + 0.25 * 4, 0.5 * 2])  # 2 t (1 - t) is 1/2 there


def test_a_shift_smooths_at_one_target_and_not_at_another():
    plain, shifted = (
        bezier_pictures.sharpest_bend(bezier.on_curve(bezier_pictures.SMOOTHED, shift).points) for shift in (0.0, 1.0)
    )
    assert shifted < 0.8 * plain
    assert bezier_pictures.sharpest_bend(bezier.on_curve((3.0, 2.0), 1.0).points) > bezier_pictures.sharpest_bend(
        bezier.on_curve((3.0, 2.0)).points
    )


def test_the_attempts_of_figs_6_and_7_touch_what_their_captions_say():
    touched = [
        bezier.touched(bezier.on_curve(bezier.GOAL, s, below).points) for _, s, below in bezier_pictures.ATTEMPTS
    ]
    assert touched == ["first", "second", "none"]


def test_the_first_curve_of_fig_4_leaves_the_last_link_too_long_and_the_last_fits():
    assert bezier_pictures.on_grid(5.0, bezier_pictures.TARGET)[1] > 0.5
    final = bezier.on_curve(bezier_pictures.TARGET).height
    assert abs(bezier_pictures.on_grid(final, bezier_pictures.TARGET)[1]) < 2e-3


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


DRAWN = {"bezier": (bezier_pictures, 7), "combined": (combined_shapes, 4), "fabrik-r": (fabrik_r_pictures, 16)}


@pytest.mark.parametrize("paper", DRAWN)
def test_the_pictures_are_drawn(paper, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(combined_shapes, "QUERIES", 3)
    monkeypatch.setattr(combined_shapes, "MAX_SWEEPS", 200)
    module, count = DRAWN[paper]
    written = drawing.save_all(module.pictures(()), tmp_path)
    assert len(written) == count
    assert all(path.stat().st_size > 5_000 for path in written)
    assert {path.stem for path in written} <= names_of(paper)
