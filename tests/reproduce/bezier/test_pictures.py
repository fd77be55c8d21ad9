"""The Bezier paper's drawings: curves, shifts, attempts."""

import numpy as np

from forearm.reproduce import checks
from forearm.reproduce.bezier import pictures as bezier_pictures
from forearm.reproduce.bezier import tables as bezier


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
    fits = checks.on_grid(bezier_pictures.TARGET, final)
    assert abs(bezier_pictures.on_grid(final, bezier_pictures.TARGET)[1]) < fits
