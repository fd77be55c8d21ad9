"""Figs. 6 to 9 of the combined algorithm as pictures, drawn from the tables alone (extra `plot`)."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from forearm.common.palette import BLUE, GREY, INK, ORANGE
from forearm.plot import blank_figure
from forearm.plot.styles import line_style
from forearm.reproduce import Row, Table, drawing
from forearm.reproduce.combined.paths import numbers

TOLERANCE = 1e-6


def pictures(tables: tuple[Table, ...]) -> dict[str, Any]:
    """Figs. 6 to 9 by name."""
    rows = {table.name: table.rows for table in tables}
    return {
        "figure-6": draw_angles(rows["figure-6-angles"]),
        "figure-7": draw_boxes(rows["figure-7"]),
        "figure-8": draw_paths(rows["figure-9-points"]),
        "figure-9": draw_tracking(rows["figure-9-points"]),
    }


def draw_angles(rows: tuple[Row, ...]) -> Any:
    """Fig. 6: angles against iterations, plain FABRIK above, combined below; a line where the refiner begins."""
    arms, solvers = distinct(row.arm for row in rows), distinct(row.solver for row in rows)
    figure = blank_figure(10.0, 6.5)
    for (i, solver), (j, arm) in ((a, b) for a in enumerate(solvers) for b in enumerate(arms)):
        axes = figure.add_subplot(len(solvers), len(arms), i * len(arms) + j + 1)
        own = [row for row in rows if row.arm == arm and row.solver == solver]
        for k, joint in enumerate(distinct(row.joint for row in own)):
            curve = [row for row in own if row.joint == joint]
            axes.plot([row.iteration for row in curve], [row.angle for row in curve], label=joint, **line_style(k))
        refined = [row.iteration for row in own if row.refined]
        if refined:
            axes.axvline(min(refined) - 1, color=GREY, linestyle=":", label="refiner begins")
        axes.set(title=f"{arm}, {solver}", xlabel="iteration", ylabel="angle [rad]")
        axes.legend(loc="upper right", fontsize="small")
    return figure


def draw_boxes(rows: tuple[Row, ...]) -> Any:
    """Fig. 7: boxes of the logarithm of the time."""
    arms = distinct(row.arm for row in rows)
    figure = blank_figure(10.0, 4.5)
    for j, arm in enumerate(arms):
        axes = figure.add_subplot(1, len(arms), j + 1)
        axes.bxp([box(row) for row in rows if row.arm == arm], showfliers=False)
        axes.set(title=arm, ylabel="log10 of the time of a call [ms]")
    return figure


def box(row: Row) -> dict[str, Any]:
    """A box as matplotlib takes it."""
    ends = {"whislo": row.least, "q1": row.lower_quartile, "med": row.median, "q3": row.upper_quartile}
    return ends | {"whishi": row.most, "label": row.solver.replace(", ", "\n")}


def draw_paths(rows: tuple[Row, ...]) -> Any:
    """Fig. 8: the paths of P2, P3 and the tip in both phases."""
    arms = distinct(row.arm for row in rows)
    shown = [(arm, phase) for arm in arms for phase in (1, 2)]
    figure, panels = drawing.panels(10.0, 9.0, [f"{arm}, phase {phase}" for arm, phase in shown], 2)
    for axes, (arm, phase) in zip(panels, shown, strict=True):
        own = [row for row in rows if row.arm == arm and row.phase == phase]
        curves = {name: np.array([numbers(getattr(row, name)) for row in own]) for name in ("p2", "p3", "tip")}
        for k, (name, curve) in enumerate(curves.items()):
            marks = {"marker": "o^s"[k], "markersize": 3, "markevery": 8}
            axes.plot(*curve.T, linewidth=1.2, label=name, **marks, **line_style(k))
        axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
        drawing.fit(axes, *curves.values())
        axes.legend(loc="upper left", fontsize="small")
    return figure


def draw_tracking(rows: tuple[Row, ...]) -> Any:
    """Fig. 9: joint angles and errors along the path, points shaded where the refiner was active."""
    arms = distinct(row.arm for row in rows)
    figure = blank_figure(11.0, 7.5)
    for j, arm in enumerate(arms):
        own = [row for row in rows if row.arm == arm]
        Q = np.array([numbers(row.q) for row in own])
        at = np.arange(len(own))
        above, below = figure.add_subplot(2, len(arms), j + 1), figure.add_subplot(2, len(arms), len(arms) + j + 1)
        for k in range(Q.shape[1]):
            above.plot(at, Q[:, k], label=f"theta{k + 1}", **line_style(k))
        below.plot(at, [row.position_error for row in own], color=BLUE, label="position [m]")
        below.plot(at, [row.rotation_error for row in own], color=ORANGE, linestyle="--", label="rotation [rad]")
        below.axhline(TOLERANCE, color=INK, linestyle=":", label="tolerance")
        for axes in (above, below):
            for k, row in enumerate(own):
                if row.refined:
                    axes.axvspan(k - 0.5, k + 0.5, color=GREY, alpha=0.2, linewidth=0)
            axes.legend(loc="upper right", fontsize="small", ncols=3)
        above.set(title=f"{arm} (grey: refiner active)", ylabel="angle [rad]")
        below.set(xlabel="point", ylabel="error")
    return figure


def distinct(values: Iterable[str]) -> list[str]:
    """The different values in the order they come."""
    return list(dict.fromkeys(values))
