"""The curve of distances."""

import numpy as np

from forearm.viewer.shared.curve import distance_curve


def test_a_curve_marks_the_stage_and_skips_what_is_unknown():
    svg = distance_curve(np.array([1.0, np.nan, 0.1, np.nan, 1e-7]), 2, 1e-6, "stage")
    assert svg.count('r="2.5"') == 3
    assert svg.count('r="5"') == 1
    points = svg.split('polyline points="')[1].split('"')[0].split()
    heights = [float(point.split(",")[1]) for point in points]
    assert heights == sorted(heights)
    assert "nan" not in svg
    assert distance_curve(np.array([0.0]), 0, 1e-6, "stage").startswith("<svg")
