"""What becomes of a benchmark's rows: goals met or not, CSV, JSON, a picture, a page."""

import csv
import json
import os
import platform
import re
from dataclasses import asdict, dataclass, fields
from importlib import metadata
from pathlib import Path

from forearm.common.units import with_unit
from protocol import BATCHES, ROUNDS, TARGET_SEED, Row

BEGIN, END = "<!-- forearm bench: begin -->", "<!-- forearm bench: end -->"

# What is asked of forearm, as a share of a peer's figure in the same run.
RTB, EAIK = "RTB ik_LM (Chan)", "EAIK"
COLD_OF_EAIK = 0.5  # UR arms, mean
COLD_OF_RTB = {"panda": 1 / 15}  # others, mean; 1/10 unless said
COLD_P99_OF_RTB = 1 / 20
NEAR_OF_RTB, NEAR_MOVE = 1 / 4, 0.3
BATCH_SPEEDUP, BATCH_OF_EAIK = 1.8, 2.0

# How columns are called in CSV, and their units.
CSV_UNITS = {name: (name, "us") for name in ("mean", "median", "p99", "max")}
CSV_UNITS |= {"first_s": ("first", "s"), "move": ("move", "rad or m"), "rate": ("rate", "targets/s")}


@dataclass(frozen=True)
class Goal:
    """Something asked, what was measured, and whether it is met."""

    robot: str
    case: str
    asked: str
    measured: str
    met: bool


def goals(rows: list[Row]) -> list[Goal]:
    """Every goal that the rows can answer."""
    found: list[Goal] = []
    for robot, case in dict.fromkeys((row.robot, row.case) for row in rows):
        here = [row for row in rows if (row.robot, row.case) == (robot, case)]
        ours = next((row for row in here if row.ours), None)
        if ours is None:
            continue
        worst = min((row for row in here if row.ours), key=lambda row: row.solved / row.n)
        met = worst.solved == worst.n
        measured = f"{worst.solved} of {worst.n}" + ("" if met else f" by {worst.solver}")
        found.append(Goal(robot, case, "all targets solved", measured, met))
        found += {"cold": cold_goals, "near": near_goals, "batch": batch_goals}[case](robot, ours, here)
    return found


def peer(here, name, threads=None):
    """A peer's row, or None."""
    return next((row for row in here if row.solver == name and row.threads == threads), None)


def share(robot, case, what, mine, theirs, most, whose):
    """The goal that a figure is at most this share of a peer's."""
    asked = f"{what} at most 1/{1 / most:g} of {whose}"
    return Goal(robot, case, asked, f"1/{theirs / mine:.1f}", mine <= most * theirs)


def cold_goals(robot, ours, here):
    """UR arms against EAIK, others against RTB."""
    eaik, rtb = peer(here, EAIK), peer(here, RTB)
    if robot.startswith("ur"):
        return [share(robot, "cold", "mean", ours.mean, eaik.mean, COLD_OF_EAIK, EAIK)] if eaik else []
    if rtb is None:
        return []
    return [
        share(robot, "cold", "mean", ours.mean, rtb.mean, COLD_OF_RTB.get(robot, 1 / 10), "RTB"),
        share(robot, "cold", "p99", ours.p99, rtb.p99, COLD_P99_OF_RTB, "RTB"),
    ]


def near_goals(robot, ours, here):
    """Against RTB, and no joint far from its start."""
    rtb, moved = peer(here, RTB), ours.move is not None and ours.move <= NEAR_MOVE
    found = [Goal(robot, "near", f"no joint moves more than {NEAR_MOVE:g} rad", f"{ours.move or 0.0:.2f} rad", moved)]
    return found + ([share(robot, "near", "mean", ours.mean, rtb.mean, NEAR_OF_RTB, "RTB")] if rtb else [])


def batch_goals(robot, ours, here):
    """All processors against one, and UR arms against EAIK."""
    most = max(row.threads for row in here)
    one, all_ = peer(here, ours.solver, 1), peer(here, ours.solver, most)
    found = []
    if most > 1:
        gain = all_.rate / one.rate
        asked = f"{most} threads at least {BATCH_SPEEDUP * most / 2:g} times one"
        found.append(Goal(robot, "batch", asked, f"{gain:.2f}", gain >= BATCH_SPEEDUP * most / 2))
    eaik = peer(here, EAIK, most)
    if eaik and robot.startswith("ur"):
        ratio = all_.rate / eaik.rate
        asked = f"at least {BATCH_OF_EAIK:g} times EAIK's rate"
        found.append(Goal(robot, "batch", asked, f"{ratio:.2f}", ratio >= BATCH_OF_EAIK))
    return found


# -- files ---------------------------------------------------------------------------------------


def machine() -> dict[str, str]:
    """What it ran on, and how busy that was."""
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    found_in = metadata.packages_distributions()
    packages = {name: metadata.version(name) if name in found_in else "none" for name in ("numpy", "numba")}
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return {
        "load": load,
        "processor": found.group(1) if found else platform.processor() or platform.machine(),
        "cores": str(os.cpu_count()),
        "system": platform.system(),
        "python": platform.python_version(),
        **packages,
    }


def described(n: int) -> str:
    """Machine, versions and sampling in a line."""
    m = machine()
    return (
        f"{m['processor']}, {m['cores']} cores, {m['system']}, Python {m['python']}, numpy {m['numpy']}, "
        f"numba {m['numba']}; load {m['load']} at the end of the run; {n} targets (batches {n * BATCHES}), "
        f"seed {TARGET_SEED}, best of {ROUNDS} rounds"
    )


def write_csv(rows, path: Path) -> None:
    """One line per row; the header has the units."""
    with path.open("w", newline="", encoding="utf-8") as file:
        names = [field.name for field in fields(Row)]
        writer = csv.DictWriter(file, names)
        writer.writerow({name: with_unit(*CSV_UNITS.get(name, (name, ""))) for name in names})
        writer.writerows(row.to_dict() for row in rows)


def to_data(rows, skipped, n) -> dict:
    """All of it as plain data."""
    return {
        "machine": machine(),
        "n": n,
        "seed": TARGET_SEED,
        "rounds": ROUNDS,
        "rows": [row.to_dict() for row in rows],
        "goals": [asdict(goal) for goal in goals(rows)],
        "skipped": skipped,
    }


def write_json(rows, skipped, n, path: Path) -> None:
    """All of it for machines."""
    path.write_text(json.dumps(to_data(rows, skipped, n), indent=1) + "\n", encoding="utf-8")


def write_picture(rows, path: Path) -> None:
    """Success against mean time, one panel for each robot and case; time on a log axis."""
    import matplotlib  # noqa: PLC0415 (an extra)

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    panels = list(dict.fromkeys((row.robot, row.case) for row in rows if row.case != "batch"))
    if not panels:
        return
    wide = len(dict.fromkeys(robot for robot, _ in panels))
    high = -(-len(panels) // wide)
    figure, axes = plt.subplots(high, wide, figsize=(5.0 * wide, 3.6 * high), squeeze=False, sharex=True)
    robots = list(dict.fromkeys(robot for robot, _ in panels))
    cases = list(dict.fromkeys(case for _, case in panels))
    for robot, case in panels:
        draw_panel(axes[cases.index(case)][robots.index(robot)], robot, case, rows)
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    plt.close(figure)


def draw_panel(ax, robot, case, rows) -> None:
    """One robot and case: a point for each solver."""
    here = [row for row in rows if (row.robot, row.case) == (robot, case)]
    slanted = {"rotation": -60, "rotation_mode": "anchor", "va": "center", "fontsize": 7}
    for row in here:
        share_solved = 100.0 * row.solved / row.n
        ax.plot(row.mean, share_solved, "o", color="C3" if row.ours else "C0", markersize=8 if row.ours else 5)
        ax.annotate(row.solver, (row.mean, share_solved), (3, -6), textcoords="offset points", **slanted)
    ax.set_xscale("log")
    ax.set(title=f"{robot}, {case}", xlabel="mean time of a call [us]", ylabel="solved [%]")
    low = min(100.0 * row.solved / row.n for row in here)
    span = max(100.0 - low, 1.0)
    ax.set_ylim(low - 0.5 * span, 100.0 + 0.08 * span)  # room for the names below the points
    ax.grid(alpha=0.3)


def page(rows, skipped, n, command) -> str:
    """The measured tables as Markdown."""
    lines = [BEGIN, "## All solvers, one protocol", f"`{command}`, {described(n)}. Times in microseconds a call.", ""]
    lines += ["| robot | case | solver | solved | mean | median | p99 | max | first call [s] | note |"]
    lines += ["|---|---|---|---|---|---|---|---|---|---|"]
    for row in (row for row in rows if row.case != "batch"):
        times = " | ".join(f"{value:.1f}" for value in (row.mean, row.median, row.p99, row.max))
        who = f"{row.solver} {row.version}"
        lines.append(
            f"| {row.robot} | {row.case} | {who} | {row.solved}/{row.n} | {times} | {row.first_s:.2f} | {row.note} |"
        )
    batches = [row for row in rows if row.case == "batch"]
    if batches:
        lines += ["", "| robot | batch by | threads | solved | targets/s |", "|---|---|---|---|---|"]
    for row in batches:
        lines.append(
            f"| {row.robot} | {row.solver} {row.version} | {row.threads} | {row.solved}/{row.n} | {row.rate:,.0f} |"
        )
    lines += ["", "| robot | case | goal | measured | met |", "|---|---|---|---|---|"]
    lines += [
        f"| {g.robot} | {g.case} | {g.asked} | {g.measured} | {'yes' if g.met else '**no**'} |" for g in goals(rows)
    ]
    lines += ["", *(f"Skipped: {reason}." for reason in skipped), END]
    return "\n".join(lines)


def write_page(rows, skipped, n, command, path: Path) -> None:
    """Puts the tables into a page, in place of those of the last run, else at its end."""
    text, new = path.read_text(encoding="utf-8") if path.exists() else "# Benchmarks\n", page(rows, skipped, n, command)
    if BEGIN in text and END in text:
        text = text[: text.index(BEGIN)] + new + text[text.index(END) + len(END) :]
    else:
        text = f"{text.rstrip()}\n\n{new}\n"
    path.write_text(text, encoding="utf-8")
