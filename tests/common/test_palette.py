"""Colours stand once, and are told apart."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np

import forearm
from forearm.common import palette


def test_a_colour_comes_back_from_its_three_numbers():
    assert palette.rgb("#d55e00") == (213, 94, 0)
    assert palette.css(palette.rgb(palette.BLUE)) == palette.BLUE


def test_lines_of_a_series_are_far_apart():
    for a, b in combinations(palette.SERIES, 2):
        assert np.linalg.norm(np.subtract(palette.rgb(a), palette.rgb(b))) > 60.0


def test_no_other_module_has_colours_of_its_own():
    root = Path(forearm.__file__).parent
    written = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if re.search(r"""["']#[0-9a-f]{6}["']""", path.read_text(encoding="utf-8"))
    }
    assert written == {"common/palette.py"}
