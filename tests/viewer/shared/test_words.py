"""What the page says: bars and numbers."""

import numpy as np
import pytest

import forearm as fa
from forearm.viewer.shared.stage import round_length
from forearm.viewer.shared.words import facts_line, joint_bars, length_words, time_words


def test_bars_stand_where_joints_stand_and_names_are_escaped():
    arm = fa.load("ur5")
    model = arm.with_limits({"elbow_joint": (-1.0, 3.0)}).model
    html = joint_bars(model, np.zeros(6))
    assert "calc(25.00% - 4px)" in html
    assert html.count("0.0°") == 6
    slide = fa.Robot.from_dh([{"kind": "prismatic", "limits": (0.0, 0.5)}], name="a").model
    assert "250.0 mm" in joint_bars(slide, np.array([0.25]))
    nasty = fa.Robot.from_urdf(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="&lt;b&gt;" type="continuous">'
        '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>'
    )
    html = joint_bars(nasty.model, np.array([7.0]))
    assert "<b>" not in html
    assert "dashed" in html


def test_numbers_have_units_that_fit():
    assert [length_words(x) for x in (1e-9, 2e-5, 0.0123, 2.5)] == ["under 1 µm", "20 µm", "12.3 mm", "2.500 m"]
    assert [time_words(x) for x in (12e-6, 0.0034)] == ["12 µs", "3.4 ms"]
    assert facts_line(0.01, np.radians(2.0)) == "10.0 mm off, 2° off"
    assert [round_length(x) for x in (1.0, 0.3, 2.6, 12.0)] == pytest.approx([0.2, 0.05, 0.5, 2.0])
