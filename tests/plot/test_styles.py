"""Lines that are told apart without colour; legends that ask matplotlib for no search."""

import ast
from pathlib import Path

import forearm
from forearm.plot.styles import line_style


def test_lines_differ_without_colour():
    assert len({str(line_style(k)) for k in range(49)}) == 49
    assert len({str(line_style(k)["linestyle"]) for k in range(7)}) == 7


def test_every_legend_has_its_place():
    """Without one matplotlib looks at every point of every curve, which takes seconds for a long track."""
    files = [path for room in ("plot", "reproduce") for path in (Path(forearm.__file__).parent / room).rglob("*.py")]
    calls = [
        node
        for path in files
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("axes.legend")
    ]
    assert len(calls) > 5
    for call in calls:
        assert "'loc': '" in ast.unparse(call) or any(word.arg == "loc" for word in call.keywords), ast.unparse(call)
        assert "best" not in ast.unparse(call)
