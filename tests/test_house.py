"""The figures of the house meet their goals, and the script counts what it says it counts."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

PLACE = Path(__file__).parent.parent / "tools" / "house.py"
spec = importlib.util.spec_from_file_location("house", PLACE)
house = importlib.util.module_from_spec(spec)
sys.modules["house"] = house  # dataclasses look their module up
spec.loader.exec_module(house)

FILES = sorted(house.SOURCE.rglob("*.py"))

MISSED = {"lines under src/forearm": "met before compiled kernels, a reader of xacro and the papers' options came in"}


@pytest.fixture(scope="module")
def figures():
    """By name; counted when a test asks, as every process of a run reads this file to find its tests."""
    return {figure.name: figure for figure in house.figures()}


def missed_by(figure):
    return "\n".join((f"{figure.name}: {figure.count}, not {figure.goal}", *figure.where))


def test_the_goals_are_met(figures):
    missed = [missed_by(figure) for name, figure in figures.items() if name not in MISSED and not figure.met]
    assert not missed, "\n".join(missed)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.xfail(reason=why)) for name, why in MISSED.items()]
)
def test_a_goal_that_is_known_to_be_missed_is_met(figures, name):
    assert figures[name].met, missed_by(figures[name])


def folders_of(root):
    found = {path.parent.relative_to(root) for path in root.rglob("*.py")}
    return {folder for folder in found if folder != Path()}


def test_folders_of_tests_mirror_the_source():
    tests = folders_of(Path(__file__).parent)
    known = folders_of(house.SOURCE) | {path.with_suffix("").relative_to(house.SOURCE) for path in FILES}
    assert tests - known == {Path("benchmarks"), Path("golden")}  # of the benchmarks' folder, and of every public call


def test_contributing_draws_every_folder():
    text = (house.ROOT / "CONTRIBUTING.md").read_text()
    tree = text[text.index("src/forearm/") : text.index("errors.py ")]
    for folder in folders_of(house.SOURCE):
        assert f"{folder.name}/" in tree or folder.parts[:2] == ("core", "closed_form"), folder


def test_what_is_forced_still_stands_twice():
    modules = {str(path.relative_to(house.SOURCE)): house.code_of(path) for path in house.SOURCE.rglob("*.py")}
    pairs = {frozenset((a, b)) for _, a, _, b, _ in house.equal_runs(modules)}
    assert set(house.FORCED) <= pairs


def test_a_docstring_does_not_make_a_function_long():
    bare, told = ast.parse(
        'def a():\n    return 1\n\n\ndef b():\n    """Says.\n\n    More.\n    """\n    return 1\n'
    ).body
    assert house.length(bare) == house.length(told) == 2


def lines(*names):
    return [(name, number) for number, name in enumerate(names, 1)]


def test_a_run_of_equal_lines_is_found_once_and_whole():
    same = "abcdefgh"
    modules = {"one.py": lines("x", *same, "y"), "two.py": lines(*same, "z"), "short.py": lines(*same[:5])}
    assert house.equal_runs(modules) == [(8, "one.py", 2, "two.py", 1)]


def test_a_row_of_like_lines_is_no_run():
    assert house.equal_runs({"one.py": lines(*"aaaaaaaa")}) == []
    assert house.equal_runs({"one.py": lines(*"abcdef", *"abcdef")}) == [(6, "one.py", 1, "one.py", 7)]


def test_imports_comments_and_documentation_are_no_code(tmp_path):
    path = tmp_path / "module.py"
    path.write_text('"""Says."""\n\nimport os\nfrom a import (\n    b,\n)\n\n# why\nx = [\n    1,\n]\n')
    assert house.code_of(path) == [("x = [", 9), ("1,", 10)]
