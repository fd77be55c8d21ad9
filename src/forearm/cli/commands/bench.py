"""`forearm bench`: forearm and the peers that are installed, by one protocol, with one judge."""

import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer
from rich.markup import escape

import forearm
from forearm.cli import flags, robots, show
from forearm.cli.completion import complete_methods, complete_robot_lists
from forearm.cli.tables import make_directory, new_table, ticking
from forearm.common.units import Units
from forearm.errors import OptionError, UnsupportedError, pip_install
from forearm.models.catalog import list_robots
from forearm.solve.methods.table import find_method

MOST_TARGETS = 1_000_000

# Columns of the tables, and those of names.
SINGLE = ("solver", "solved", "mean", "median", "p99", "max", "move", "first [s]")
BATCH = ("robot", "solver", "threads", "solved", "targets/s")
GOALS = ("robot", "case", "goal", "measured", "met")
LEFT = ("robot", "case", "solver", "goal")
FOLDED = {"solver": 12, "goal": 20, "measured": 22}  # columns of words, and how wide they are in a narrow terminal


def bench(
    robot: Annotated[
        list[str],
        typer.Option(
            help="Robots by name or file, separated by commas; may be repeated.", autocompletion=complete_robot_lists
        ),
    ] = ["ur5,iiwa14,panda"],  # noqa: B006
    cases: Annotated[
        str, typer.Option(help="cold: no start; near: a start nearby; batch: many at once.")
    ] = "cold,near,batch",
    n: Annotated[int, typer.Option(help="Targets timed one by one; a batch has ten times as many.")] = 10_000,
    peers: Annotated[
        flags.Text,
        typer.Option(help="Other solvers, such as ikpy,rtb; '' for none. By default all that are installed."),
    ] = None,
    method: Annotated[
        list[str],
        typer.Option(help="A method of forearm; may be repeated.", autocompletion=complete_methods),
    ] = [],  # noqa: B006
    budget: Annotated[
        float, typer.Option(help="Seconds a solver's round may take; slow ones get fewer targets.")
    ] = 20.0,
    out: Annotated[
        flags.Where, typer.Option(help="Write bench.csv, bench.json and bench.png into this directory.")
    ] = None,
    page: Annotated[flags.Where, typer.Option(help="Put the tables into this Markdown page.")] = None,
    json: flags.PlainJson = False,
    tip: flags.Tip = None,
    base: flags.Base = None,
) -> None:
    """Measure forearm against the solvers that are installed. All answers are checked the same way.

    [bold]Examples:[/]

      forearm bench --robot ur5 --cases cold --n 1000

      forearm bench --robot arm.urdf --tip tool0 --n 1000

      forearm bench --out results
    """
    protocol, report, known = load_protocol()
    file, robots_given = robots.FileFlags(base, tip), ",".join(robot)
    arms = [robots.read_robot(name, file, Units()) for name in words_of(robots_given, "--robot", list_robots())]
    wanted = chosen(cases, protocol.CASES, "--cases")
    keys = list(known.ADAPTERS) if peers is None else chosen(peers, known.ADAPTERS, "--peers", empty=True)
    methods: list[str | None] = [find_method(name).name for name in method] or [None]
    if not 1 <= n <= MOST_TARGETS:
        raise OptionError(f"--n is {n}; it takes a whole number from 1 to {MOST_TARGETS}")
    if not budget > 0.0:
        raise OptionError(f"--budget is {budget:g}; it takes a positive number of seconds")
    directory = None if out is None else make_directory(out)
    steps = len(arms) * (1 + len(wanted) * protocol.ROUNDS * (2 * len(methods) + len(keys)))
    with ticking(steps) as tick:
        rows, skipped = protocol.run(arms, wanted, n, keys, methods, budget, tick)
    if json:
        show.print_json(report.to_data(rows, skipped, n))
    else:
        show_rows(rows, report.goals(rows), skipped, report.described(n))
    if directory is not None:
        write_all(report, rows, skipped, n, directory)
    if page is not None:
        command = f"forearm bench --robot {robots_given} --cases {cases} --n {n} --budget {budget:g}"
        report.write_page(rows, skipped, n, command, page)


def load_protocol() -> tuple[ModuleType, ModuleType, ModuleType]:
    """The modules protocol, report and peers of `benchmarks`, in the wheel or beside the source."""
    package = Path(forearm.__file__).parent
    for place in (package / "benchmarks", package.parents[1] / "benchmarks"):
        if (place / "protocol.py").exists():
            if str(place) not in sys.path:
                sys.path.insert(0, str(place))
            return import_module("protocol"), import_module("report"), import_module("peers")
    raise UnsupportedError("this installation has no benchmarks; run `forearm bench` from a clone of the repository")


def chosen(text: str, known: Any, flag: str, empty: bool = False) -> list[str]:
    """The words of a list separated by commas, each one known."""
    words = words_of(text, flag, known, empty)
    for word in words:
        if word not in known:
            raise OptionError(f"{flag} has '{word}'; there are: {', '.join(known)}")
    return words


def words_of(text: str, flag: str, known: Any, empty: bool = False) -> list[str]:
    """The words of a list separated by commas, each one once."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not (words or empty):
        raise OptionError(f"{flag} names nothing; there are: {', '.join(known)}")
    return list(dict.fromkeys(words))


def write_all(report: Any, rows: Any, skipped: list[str], n: int, directory: Path) -> None:
    """Writes the files, the picture only where matplotlib is installed."""
    report.write_csv(rows, directory / "bench.csv")
    report.write_json(rows, skipped, n, directory / "bench.json")
    try:
        report.write_picture(rows, directory / "bench.png")
    except ImportError:
        show.complain(f"bench.png was not drawn, for that needs matplotlib: {pip_install('plot')}")


def show_rows(rows: Any, goals: Any, skipped: list[str], heading: str) -> None:
    """Prints the tables."""
    show.say(escape(heading))
    single: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        if row.case != "batch":
            single.setdefault((row.robot, row.case), []).append(row)
    batches = [row for row in rows if row.case == "batch"]
    for (robot, case), here in single.items():
        print_table(f"{escape(robot)}, {case}: microseconds a call", SINGLE, map(single_cells, here))
    if batches:
        print_table("batches", BATCH, map(batch_cells, batches))
    met = {True: "[green]yes[/]", False: "[red]no[/]"}
    print_table("goals", GOALS, ((goal.robot, goal.case, goal.asked, goal.measured, met[goal.met]) for goal in goals))
    for reason in skipped:
        show.say(f"skipped: {escape(reason)}", whole=True)


def print_table(title: str, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """A table with names to the left and numbers to the right; words take several lines where it would be too wide."""
    table = new_table(title)
    for name in columns:
        table.add_column(escape(name), justify="left" if name in LEFT else "right", no_wrap=name not in FOLDED)
    for row in rows:
        table.add_row(*row)
    if show.natural_width(table) > show.out.width:
        for name, column in zip(columns, table.columns, strict=True):
            column.max_width = FOLDED.get(name)
    show.print_numbers(table)


def single_cells(row: Any) -> tuple[str, ...]:
    """Calls one by one."""
    times = (f"{value:.1f}" for value in (row.mean, row.median, row.p99, row.max))
    move = "" if row.move is None else f"{row.move:.2f}"
    return solver_name(row), f"{row.solved}/{row.n}", *times, move, f"{row.first_s:.2f}"


def batch_cells(row: Any) -> tuple[str, ...]:
    """A whole batch."""
    return row.robot, solver_name(row), str(row.threads), f"{row.solved}/{row.n}", f"{row.rate:,.0f}"


def solver_name(row: Any) -> str:
    """Ours in bold, a peer with its version."""
    return f"[bold]{escape(row.solver)}[/]" if row.ours else escape(f"{row.solver} {row.version}")
