"""The figures of the house: how many files, layers, wide kernels, long functions and twice-written lines there are.

`python tools/house.py` prints them as the table of `docs/architecture.md`; with `--check` it ends with 1
if one misses its goal.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "forearm"

WIDE = 8  # parameters that a kernel may have
LONG = 60  # lines that a function may have, its documentation not counted
TWICE = 6  # equal lines from which on code stands twice

# Code that stands twice because it must: the files, how many lines at most, and why.
SIGNATURE = "typer reads a command's flags from its signature, one parameter each"
PUBLIC = "public calls name every argument, so that editors and type checkers show them"
CASES = "which subproblem finds which joint must be known when a case is compiled: kernels take no functions"
FORCED: dict[frozenset[str], tuple[int, str]] = {
    frozenset(("tree.py",)): (8, PUBLIC),
    frozenset(("models/xacro.py", "robot.py")): (7, PUBLIC),
    frozenset(("robot.py",)): (8, PUBLIC),
    frozenset(("core/closed_form/forms/spherical_wrist.py",)): (8, CASES),
    frozenset(("cli/commands/map.py", "cli/commands/solve_file.py")): (9, SIGNATURE),
    frozenset(("cli/commands/solve.py", "cli/commands/track.py")): (9, SIGNATURE),
}


@dataclass(frozen=True)
class Figure:
    """One number of the house.

    Attributes:
        name: What is counted.
        count: How many there are.
        goal: How many there may be.
        where: The places that count, worst first, for those who want to mend them.
        exact: Whether there must be as many as the goal, not fewer.
    """

    name: str
    count: int
    goal: int
    where: tuple[str, ...] = ()
    exact: bool = False

    @property
    def met(self) -> bool:
        """Whether the goal is met."""
        return self.count == self.goal if self.exact else self.count <= self.goal


def figures(source: Path = SOURCE) -> list[Figure]:
    """All figures."""
    files = sorted(source.rglob("*.py"))
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in files}
    return [
        files_at_the_top(source),
        fullest_folder(files, source),
        layers(),
        wide_kernels(trees, source),
        long_functions(trees, source),
        definitions_of_floats(trees, source),
        lines(files),
        twice_written(files, source),
    ]


def files_at_the_top(source: Path) -> Figure:
    """The modules that lie in no folder."""
    names = sorted(path.name for path in source.glob("*.py"))
    return Figure("files at the top", len(names), 8, tuple(names))


def fullest_folder(files: list[Path], source: Path) -> Figure:
    """The most modules that one folder holds."""
    held: dict[str, int] = defaultdict(int)
    for path in files:
        held[str(path.parent.relative_to(source))] += 1
    full = sorted(held.items(), key=lambda item: -item[1])
    return Figure("files in the fullest folder", full[0][1], 15, tuple(f"{name}: {count}" for name, count in full[:3]))


def layers() -> Figure:
    """The layers that import-linter holds apart."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"^layers = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    names = re.findall(r'^\s*"([^"]+)"', listed.group(1), re.MULTILINE) if listed else []
    return Figure("layers", len(names), 10, tuple(names), exact=True)


def functions(trees: dict[Path, ast.Module]) -> Iterator[tuple[Path, ast.FunctionDef]]:
    """Every function and method with its file."""
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                yield path, node


def wide_kernels(trees: dict[Path, ast.Module], source: Path) -> Figure:
    """The functions of `core` with too many parameters."""
    core = source / "core"
    wide = [
        (len(node.args.args), f"{path.relative_to(source)}: {node.name}")
        for path, node in functions(trees)
        if path.is_relative_to(core) and len(node.args.args) > WIDE
    ]
    where = tuple(f"{place} ({count})" for count, place in sorted(wide, reverse=True))
    return Figure(f"kernels with more than {WIDE} parameters", len(wide), 60, where)


def long_functions(trees: dict[Path, ast.Module], source: Path) -> Figure:
    """The functions with too many lines, documentation left out."""
    found = [(length(node), f"{path.relative_to(source)}: {node.name}") for path, node in functions(trees)]
    where = tuple(f"{place} ({count})" for count, place in sorted(found, reverse=True) if count > LONG)
    return Figure(f"functions over {LONG} lines", len(where), 0, where)


def length(node: ast.FunctionDef) -> int:
    """The lines of a function from its `def` to its end, without its docstring."""
    whole = (node.end_lineno or node.lineno) - node.lineno + 1
    if ast.get_docstring(node) is None:
        return whole
    text = node.body[0]
    return whole - ((text.end_lineno or text.lineno) - text.lineno + 1)


def definitions_of_floats(trees: dict[Path, ast.Module], source: Path) -> Figure:
    """The places where `Floats` is given its meaning."""
    where = tuple(
        f"{path.relative_to(source)}:{node.lineno}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and "Floats" in names_of(node)
    )
    return Figure("definitions of Floats", len(where), 1, where, exact=True)


def names_of(node: ast.Assign | ast.AnnAssign) -> set[str]:
    """What an assignment gives a value to."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def lines(files: list[Path]) -> Figure:
    """All lines, blank ones and documentation too; those that a build wrote do not count."""
    files = [path for path in files if path.name != "_built.py"]
    return Figure("lines under src/forearm", sum(len(path.read_bytes().splitlines()) for path in files), 35_700)


# -- code that stands twice ----------------------------------------------------------------------

Line = tuple[str, int]  # a line of code without its indent, and its number


def twice_written(files: list[Path], source: Path) -> Figure:
    """The runs of equal lines in two places, but those that are forced."""
    runs = equal_runs({str(path.relative_to(source)): code_of(path) for path in files})
    free = [run for run in runs if run[0] > FORCED.get(frozenset((run[1], run[3])), (0, ""))[0]]
    where = tuple(f"{size} lines: {a}:{m} and {b}:{n}" for size, a, m, b, n in sorted(free, reverse=True))
    return Figure(f"pairs of {TWICE} or more equal lines", len(where), 0, where)


def code_of(path: Path) -> list[Line]:
    """The lines of a module that do something: no imports, comments, documentation, blanks, or lone brackets."""
    text = path.read_text(encoding="utf-8")
    idle: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        documents = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, (ast.Import, ast.ImportFrom)) or documents:
            idle.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    stripped = ((line.strip(), number) for number, line in enumerate(text.splitlines(), 1) if number not in idle)
    return [(line, number) for line, number in stripped if any(map(str.isalnum, line)) and not line.startswith("#")]


def equal_runs(modules: dict[str, list[Line]]) -> list[tuple[int, str, int, str, int]]:
    """The longest runs of equal lines: how many, and the file and line where each of the two begins."""
    seen: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for name, code in modules.items():
        for i in range(len(code) - TWICE + 1):
            seen[tuple(line for line, _ in code[i : i + TWICE])].append((name, i))
    pairs = sorted((a, b) for places in seen.values() for k, a in enumerate(places) for b in places[k + 1 :])
    matched = set(pairs)
    runs = []
    for (a, i), (b, j) in pairs:
        if ((a, i - 1), (b, j - 1)) in matched:
            continue  # the middle of a run
        size = TWICE
        while ((a, i + size - TWICE + 1), (b, j + size - TWICE + 1)) in matched:
            size += 1
        if a != b or i + size <= j:  # a list of like rows is no code that stands twice
            runs.append((size, a, modules[a][i][1], b, modules[b][j][1]))
    return runs


def main() -> None:
    """Prints the figures."""
    found = figures()
    print("| figure | now | goal |\n|---|---|---|")
    for figure in found:
        most = f"{figure.goal:,}" if figure.exact else f"at most {figure.goal:,}" if figure.goal else "none"
        print(f"| {figure.name} | {figure.count:,} | {most} |")
    print("\nStands twice because it must:")
    for pair, (size, why) in FORCED.items():
        print(f"- {' and '.join(sorted(pair))}, {size} lines: {why}")
    missed = [figure for figure in found if not figure.met]
    if "--check" in sys.argv:
        for figure in missed:
            print(f"\n{figure.name}: {figure.count}, not {figure.goal}", *figure.where, sep="\n  ")
        sys.exit(bool(missed))


if __name__ == "__main__":
    main()
