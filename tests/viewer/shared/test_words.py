"""What the page says: numbers and verdicts."""

import numpy as np
import pytest

import forearm as fa
from forearm.viewer.shared.answer import timed
from forearm.viewer.shared.stage import FIELD_OF_VIEW, fitted_camera, round_length
from forearm.viewer.shared.words import card, facts_line, length_words, time_words, verdict


def test_numbers_have_units_that_fit():
    assert [length_words(x) for x in (1e-9, 2e-5, 0.0123, 2.5)] == ["under 1 µm", "20 µm", "12.3 mm", "2.500 m"]
    assert [time_words(x) for x in (12e-6, 0.0034)] == ["12 µs", "3.4 ms"]
    assert facts_line(0.01, np.radians(2.0)) == "10.0 mm off, 2° off"
    assert [round_length(x) for x in (1.0, 0.3, 2.6, 12.0)] == pytest.approx([0.2, 0.05, 0.5, 2.0])


def test_an_error_is_told_once_and_names_are_escaped():
    arm = fa.load("ur5")
    far = timed(arm.solve, fa.Position([3.0, 0.0, 0.0]), arm.home, explain=True)
    assert verdict(far).count("off") == 1  # by the reason, in metres
    assert " mm" not in verdict(far)
    near = timed(arm.solve, arm.fk(arm.home), arm.home, explain=True)
    assert verdict(near).count("off") == 1
    assert "<i>" not in card("<i>", [], (1, 2, 3))


@pytest.mark.parametrize(
    ("width", "height", "has_sheet"), [(900, 800, False), (1600, 500, False), (416, 600, False), (420, 800, True)]
)
def test_a_fitted_camera_sees_all_points_and_leaves_no_room(width, height, has_sheet):
    points = np.random.default_rng(0).uniform((-0.2, -0.3, 0.0), (0.6, 0.3, 1.1), (40, 3))
    position, look_at = fitted_camera(points, width, height, has_sheet)
    forward = (look_at - position) / np.linalg.norm(look_at - position)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    depth = (points - position) @ forward
    half = np.tan(0.5 * FIELD_OF_VIEW)
    x = (points - position) @ right / depth / (half * width / height)
    y = (points - position) @ np.cross(right, forward) / depth / half
    assert depth.min() > 0.0
    lowest = 0.2 if has_sheet else -1.0  # above the panel of a narrow window
    assert np.abs(x).max() < 0.9
    assert lowest < y.min()
    assert y.max() < 0.9
    assert np.abs(x).max() > 0.8 or y.max() - y.min() > 0.8 * (0.9 - lowest)
