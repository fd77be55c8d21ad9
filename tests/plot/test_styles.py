"""Lines that are told apart without colour."""

from forearm.plot.styles import line_style


def test_lines_differ_without_colour():
    assert len({str(line_style(k)) for k in range(49)}) == 49
    assert len({str(line_style(k)["linestyle"]) for k in range(7)}) == 7
