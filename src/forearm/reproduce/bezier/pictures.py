"""The Bezier paper's drawings, Figs. 1 to 9, from the published search itself: its curves, its P1, its joints."""

import math
from typing import Any

import numpy as np

from forearm.common.palette import BLUE, GREEN, INK, ORANGE, PALE, SKY
from forearm.common.types import Floats
from forearm.core.bezier.paper import BINARY, place_on_grid
from forearm.plot.panels import draw_chains, draw_circles
from forearm.reproduce import Table, drawing
from forearm.reproduce.bezier import tables
from forearm.reproduce.bezier.tables import CHAIN, FIGURE_8, GOAL, OBSTACLES, RADIUS, on_curve, poses, words

TARGET = (3.0, 2.0)  # of Fig. 4
SMOOTHED = (4.0, 1.5)  # of Fig. 5: here a shift makes the bend gentler, as in print; at (3, 2) it would not
SHIFT = 1.0  # of P1 in Fig. 5
# of Figs. 6 and 7: name, shift of P1, whether P1 lies below the base
ATTEMPTS = (("first", 0.0, False), ("shifted", -1.5, False), ("reflected, shifted", 2.0, True))
HEIGHTS = 5  # of P1 in Fig. 4c
CUBIC = ((0.0, 0.0), (0.4, 1.4), (1.6, 1.5), (2.0, 0.2))
TIMES = 101  # points of a drawn curve


def pictures(_: tuple[Table, ...]) -> dict[str, Any]:
    """Figs. 1 to 9 by name."""
    return {
        "figure-8": draw_chains({words(row[0]): {"start": CHAIN.points} | poses(row[0]) for row in FIGURE_8}, {}),
        "figure-9": draw_avoidance(),
        "figure-1": draw_curves(),
        "figure-2": draw_line(),
        "figure-3": draw_rotations(),
        "figure-4": draw_procedure(),
        "figure-5": draw_shift(),
        "figure-6": draw_around("one obstacle: P1 shifted", OBSTACLES[:1], ATTEMPTS[:2]),
        "figure-7": draw_around("two obstacles: P1 shifted, then reflected", OBSTACLES, ATTEMPTS),
    }


def bezier(points: Any) -> Floats:
    """(TIMES, 2) a Bezier curve of any degree, by its Bernstein basis; of degree 2 it is 2 t (1 - t) in the middle."""
    control = np.asarray(points, dtype=np.float64)
    t, n = np.linspace(0.0, 1.0, TIMES)[:, None], len(control) - 1
    basis = np.hstack([math.comb(n, k) * t**k * (1.0 - t) ** (n - k) for k in range(n + 1)])
    curve: Floats = basis @ control
    return curve


def draw_curves() -> Any:
    """Fig. 1: a quadratic and a cubic curve with their control points."""
    titles = ("(a) quadratic, three points", "(b) cubic, four points")
    figure, panels = drawing.panels(9.0, 3.8, titles, space=False)
    for axes, control in zip(panels, ((CUBIC[0], CUBIC[1], CUBIC[3]), CUBIC), strict=True):
        _curve(axes, control)
        drawing.names(axes, np.array(control), tuple(f"P{i}" for i in range(len(control))), nudge=0.04)
        drawing.legend(axes, loc="lower center")
    return figure


def draw_line() -> Any:
    """Fig. 2: points between P0 and P1, even in t."""
    figure, (axes,) = drawing.panels(6.0, 2.6, ("P(t) = (1 - t) P0 + t P1",), space=False)
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
    figure, panels = drawing.panels(10.0, 3.8, ("about z", "about x", "about y"))
    for axes, (name, axis) in zip(panels, (("z", 2), ("x", 0), ("y", 1)), strict=True):
        shapes = [_turned(axis, angle) for angle in (0.0, 0.2, 0.4)]
        for points, colour, style in zip(shapes, (PALE, BLUE, GREEN), ("-", "--", "-"), strict=True):
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
    gap, _ = place_on_grid(CHAIN.lengths, shift, height, *target, tables.BINARY_GRID["grid"], BINARY, points)
    return points, float(gap)


def draw_procedure() -> Any:
    """Fig. 4: the first curve, the links laid on it, and P1 moved down until the last link fits."""
    top, final = CHAIN.reach, on_curve(TARGET).height
    titles = ("(a) first curve", "(b) links laid on it", "(c) P1 moved down")
    figure, panels = drawing.panels(10.5, 4.2, titles, space=False)
    for k, axes in enumerate(panels):
        drawing.before(axes, CHAIN.points, "start")
        if k < 2:
            _curve(axes, ((0.0, 0.0), (0.0, top), TARGET))
        if k == 1:
            points, gap = on_grid(top, TARGET)
            drawing.chain(axes, points, INK, f"last link {abs(gap):.2f} too {'long' if gap > 0 else 'short'}")
        if k == 2:
            for height in np.linspace(top, final, HEIGHTS):
                curve = bezier(((0.0, 0.0), (0.0, height), TARGET))
                axes.plot(*curve.T, color=SKY, linewidth=1.0)
                axes.plot(0.0, height, color=ORANGE, marker="s", markersize=4)
            drawing.chain(axes, on_curve(TARGET).points, INK, f"P1 at {final:.3f}: it fits")
        _scene(axes, TARGET)
    return figure


def draw_shift() -> Any:
    """Fig. 5: the pose with P1 above the base, and with P1 shifted: a gentler bend."""
    poses = {shift: on_curve(SMOOTHED, shift) for shift in (0.0, SHIFT)}
    bends = {shift: math.degrees(sharpest_bend(pose.points)) for shift, pose in poses.items()}
    titles = [f"({'ab'[k]}) P1 shifted by {s:g}: sharpest bend {bends[s]:.0f}°" for k, s in enumerate(bends)]
    figure, panels = drawing.panels(8.0, 4.4, titles, space=False)
    for axes, (shift, pose) in zip(panels, poses.items(), strict=True):
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
    poses = [(name, shift, on_curve(GOAL, shift, below)) for name, shift, below in attempts]
    titles = [f"{name}: P1 at ({shift:g}, {pose.height:.2f})" for name, shift, pose in poses]
    figure, panels = drawing.panels(3.6 * len(attempts), 4.6, titles, space=False)
    for axes, (_, shift, pose) in zip(panels, poses, strict=True):
        draw_circles(axes, ((*center, RADIUS) for center in centers))
        _curve(axes, ((0.0, 0.0), (shift, pose.height), GOAL))
        drawing.chain(axes, pose.points, INK, "pose")
        _scene(axes, GOAL)
    figure.suptitle(title, fontsize="medium")
    return figure


def draw_avoidance() -> Any:
    """Fig. 9: the print's attempts, those that section III-G leads to, and the library's own pose."""
    attempts = {name: on_curve(GOAL, shift, below).points for name, shift, below in tables.ATTEMPTS}
    shown = {
        "9a, print's shift": {name: attempts[name] for name in ("first", "second")},
        "9a, III-G": attempted(1),
        "9b, print's shifts": attempts,
        "9b, III-G": attempted(2),
        "bezier among both": {"first": attempts["first"], "bezier": tables.among_obstacles().points},
    }
    both = [(*center, RADIUS) for center in OBSTACLES]
    return draw_chains(shown, {name: both[:1] if name.startswith("9a") else both for name in shown})


def attempted(count: int) -> dict[str, Floats]:
    """The poses of section III-G's attempts that meet the target: the first, the last of each kind."""
    trace = tables.section_3g(count)
    met = [k for k in range(1, len(trace)) if trace.distance[k] <= tables.HIT]
    return {trace.stages[k]: trace.points[k] for k in met}


def _curve(axes: Any, control: Any) -> None:
    """A curve and its control polygon."""
    polygon = np.asarray(control, dtype=np.float64)
    axes.plot(*polygon.T, color=ORANGE, marker="s", markersize=5, linestyle=":", label="control points")
    axes.plot(*bezier(control).T, color=BLUE, label="curve")


def _scene(axes: Any, goal: tuple[float, float]) -> None:
    drawing.target(axes, np.array(goal))
    axes.margins(0.12)
    drawing.legend(axes)
