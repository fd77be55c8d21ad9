"""The Bezier paper's drawings, Figs. 1 to 7, from the published search itself: its curves, its P1, its joints."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from forearm.common.types import Floats
from forearm.core.bezier.paper import BINARY, place_on_grid
from forearm.plot import BLUE, GREEN, INK, ORANGE, blank_figure
from forearm.reproduce import drawing
from forearm.reproduce.bezier.tables import BINARY_GRID, CHAIN, GOAL, OBSTACLES, RADIUS, on_curve

TARGET = (3.0, 2.0)  # of Fig. 4
SMOOTHED = (4.0, 1.5)  # of Fig. 5: here a shift makes the bend gentler, as in print; at (3, 2) it would not
SHIFT = 1.0  # of P1 in Fig. 5
# of Figs. 6 and 7: name, shift of P1, whether P1 lies below the base
ATTEMPTS = (("first", 0.0, False), ("shifted", -1.5, False), ("reflected, shifted", 2.0, True))
HEIGHTS = 5  # of P1 in Fig. 4c
CUBIC = ((0.0, 0.0), (0.4, 1.4), (1.6, 1.5), (2.0, 0.2))
TIMES = 101  # points of a drawn curve


def draw_all(directory: Path) -> list[Path]:
    """Writes figure-1 to figure-7 and gives back where they are."""
    pictures = {
        "figure-1": draw_curves(),
        "figure-2": draw_line(),
        "figure-3": draw_rotations(),
        "figure-4": draw_procedure(),
        "figure-5": draw_shift(),
        "figure-6": draw_around("one obstacle: P1 shifted", OBSTACLES[:1], ATTEMPTS[:2]),
        "figure-7": draw_around("two obstacles: P1 shifted, then reflected", OBSTACLES, ATTEMPTS),
    }
    return drawing.save_all(pictures, directory)


def bezier(points: Any) -> Floats:
    """(TIMES, 2) a Bezier curve of any degree, by its Bernstein basis; of degree 2 it is 2 t (1 - t) in the middle."""
    control = np.asarray(points, dtype=np.float64)
    t, n = np.linspace(0.0, 1.0, TIMES)[:, None], len(control) - 1
    basis = np.hstack([math.comb(n, k) * t**k * (1.0 - t) ** (n - k) for k in range(n + 1)])
    curve: Floats = basis @ control
    return curve


def draw_curves() -> Any:
    """Fig. 1: a quadratic and a cubic curve with their control points."""
    figure = blank_figure(9.0, 3.8)
    panels = (("(a) quadratic, three points", (CUBIC[0], CUBIC[1], CUBIC[3])), ("(b) cubic, four points", CUBIC))
    for k, (title, control) in enumerate(panels):
        axes = drawing.panel(figure, 1, 2, k + 1, title, space=False)
        _curve(axes, control)
        drawing.names(axes, np.array(control), tuple(f"P{i}" for i in range(len(control))), nudge=0.04)
        drawing.legend(axes, loc="lower center")
    return figure


def draw_line() -> Any:
    """Fig. 2: points between P0 and P1, even in t."""
    figure = blank_figure(6.0, 2.6)
    axes = drawing.panel(figure, 1, 1, 1, "P(t) = (1 - t) P0 + t P1", space=False)
    ends = np.array([[0.0, 0.0], [4.0, 1.0]])
    axes.plot(*ends.T, color=INK)
    for t in (0.0, 0.25, 0.5, 0.75, 1.0):
        point = (1.0 - t) * ends[0] + t * ends[1]
        axes.plot(*point[:, None], color=BLUE, marker="o")
        axes.text(point[0], point[1] + 0.12, f"t = {t:g}", fontsize="small", ha="center")
    axes.set(xlim=(-0.5, 4.5), ylim=(-0.3, 1.5))
    return figure


def draw_rotations() -> Any:
    """Fig. 3: a chain whose joints turn about z, x and y."""
    figure = blank_figure(10.0, 3.8)
    for k, (name, axis) in enumerate((("z", 2), ("x", 0), ("y", 1))):
        axes = drawing.panel(figure, 1, 3, k + 1, f"about {name}")
        shapes = [_turned(axis, angle) for angle in (0.0, 0.2, 0.4)]
        for points, colour, style in zip(shapes, (drawing.GREY, BLUE, GREEN), ("-", "--", "-"), strict=True):
            drawing.chain(axes, points, colour, style=style)
        drawing.arrow(axes, np.zeros(3), 2.0 * np.eye(3)[axis], ORANGE, name)
        drawing.fit(axes, *shapes)
    return figure


def _turned(axis: int, angle: float) -> Floats:
    """(6, 3) five unit links, each turned against the one before by an angle about a coordinate axis."""
    across = np.eye(3)[1 if axis == 2 else 2]
    side = np.cross(np.eye(3)[axis], across)
    angles = angle * np.arange(1, 6)[:, None]
    links = np.cos(angles) * across + np.sin(angles) * side
    return np.vstack([np.zeros(3), np.cumsum(links, axis=0)])


def on_grid(height: float, target: tuple[float, float], shift: float = 0.0) -> tuple[Floats, float]:
    """The joints that the published search lays on its curve for one P1, and the gap of the last link."""
    points = np.empty((CHAIN.n + 1, 2))
    gap, _ = place_on_grid(CHAIN.lengths, shift, height, *target, BINARY_GRID["grid"], BINARY, points)
    return points, float(gap)


def draw_procedure() -> Any:
    """Fig. 4: the first curve, the links laid on it, and P1 moved down until the last link fits."""
    top, final = CHAIN.reach, on_curve(TARGET).height
    figure = blank_figure(10.5, 4.2)
    titles = ("(a) first curve", "(b) links laid on it", "(c) P1 moved down")
    for k, title in enumerate(titles):
        axes = drawing.panel(figure, 1, 3, k + 1, title, space=False)
        drawing.chain(axes, CHAIN.points, drawing.GREY, "start", faint=True, style="--")
        if k < 2:
            _curve(axes, ((0.0, 0.0), (0.0, top), TARGET))
        if k == 1:
            points, gap = on_grid(top, TARGET)
            drawing.chain(axes, points, INK, f"last link {abs(gap):.2f} too {'long' if gap > 0 else 'short'}")
        if k == 2:
            for height in np.linspace(top, final, HEIGHTS):
                curve = bezier(((0.0, 0.0), (0.0, height), TARGET))
                axes.plot(*curve.T, color=drawing.SKY, linewidth=1.0)
                axes.plot(0.0, height, color=ORANGE, marker="s", markersize=4)
            drawing.chain(axes, on_curve(TARGET).points, INK, f"P1 at {final:.3f}: it fits")
        _scene(axes, TARGET)
    return figure


def draw_shift() -> Any:
    """Fig. 5: the pose with P1 above the base, and with P1 shifted: a gentler bend."""
    figure = blank_figure(8.0, 4.4)
    for k, shift in enumerate((0.0, SHIFT)):
        pose = on_curve(SMOOTHED, shift)
        title = f"({'ab'[k]}) P1 shifted by {shift:g}: sharpest bend {math.degrees(sharpest_bend(pose.points)):.0f}°"
        axes = drawing.panel(figure, 1, 2, k + 1, title, space=False)
        _curve(axes, ((0.0, 0.0), (shift, pose.height), SMOOTHED))
        drawing.chain(axes, pose.points, INK, "final pose")
        _scene(axes, SMOOTHED)
    return figure


def sharpest_bend(points: Floats) -> float:
    """The largest angle between two links that meet [rad]."""
    links = np.diff(points, axis=0)
    cross = links[:-1, 0] * links[1:, 1] - links[:-1, 1] * links[1:, 0]
    return float(np.abs(np.arctan2(cross, (links[:-1] * links[1:]).sum(axis=1))).max())


def draw_around(title: str, centers: Any, attempts: tuple[tuple[str, float, bool], ...]) -> Any:
    """Figs. 6 and 7: the control polygons, curves and poses of the attempts round obstacles."""
    from matplotlib.patches import Circle  # noqa: PLC0415 (slow, optional)

    figure = blank_figure(3.6 * len(attempts), 4.6)
    for k, (name, shift, below) in enumerate(attempts):
        pose = on_curve(GOAL, shift, below)
        axes = drawing.panel(
            figure, 1, len(attempts), k + 1, f"{name}: P1 at ({shift:g}, {pose.height:.2f})", space=False
        )
        for center in centers:
            axes.add_patch(Circle(center, RADIUS, color=ORANGE, alpha=0.5, linewidth=0))
        _curve(axes, ((0.0, 0.0), (shift, pose.height), GOAL))
        drawing.chain(axes, pose.points, INK, "pose")
        _scene(axes, GOAL)
    figure.suptitle(title, fontsize="medium")
    return figure


def _curve(axes: Any, control: Any) -> None:
    """A curve and its control polygon."""
    polygon = np.asarray(control, dtype=np.float64)
    axes.plot(*polygon.T, color=ORANGE, marker="s", markersize=5, linestyle=":", label="control points")
    axes.plot(*bezier(control).T, color=BLUE, label="curve")


def _scene(axes: Any, goal: tuple[float, float]) -> None:
    drawing.target(axes, np.array(goal))
    axes.margins(0.12)
    drawing.legend(axes, loc="best")
