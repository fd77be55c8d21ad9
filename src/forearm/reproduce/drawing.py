"""What the papers' figures share: panels, chains of points, planes, arrows; nothing here solves."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from forearm.common.palette import INK, ORANGE, PALE
from forearm.common.types import Floats
from forearm.plot import blank_figure

VIEW = (22.0, -60.0)  # height and turn of the eye [deg]


def save_all(pictures: Mapping[str, Any], directory: Path) -> list[Path]:
    """Writes each figure as PNG under its name and gives back where they are."""
    written = []
    for name, figure in pictures.items():
        written.append(directory / f"{name}.png")
        figure.savefig(written[-1])
    return written


def panels(
    width: float, height: float, titles: Sequence[str], columns: int = 0, space: bool = True
) -> tuple[Any, list[Any]]:
    """A figure of a size [inch] and an empty panel for each title, in so many columns; all in a row by default."""
    figure, columns = blank_figure(width, height), columns or len(titles)
    rows = -(-len(titles) // columns)
    return figure, [panel(figure, rows, columns, k + 1, title, space) for k, title in enumerate(titles)]


def panel(figure: Any, rows: int, columns: int, number: int, title: str, space: bool = True) -> Any:
    """An empty panel of a grid, counted from 1, in space or in a plane, all axes of the same scale."""
    axes = figure.add_subplot(rows, columns, number, projection="3d" if space else None)
    axes.set_title(title, fontsize="medium")
    if space:
        axes.view_init(*VIEW)
    else:
        axes.set_aspect("equal")
    return axes


def fit(axes: Any, *points: Floats) -> None:
    """Gives a panel in space the same scale along all axes, round all points, and few numbers."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 (slow, optional)

    cloud = np.vstack(points)
    middle, half = 0.5 * (cloud.min(axis=0) + cloud.max(axis=0)), 0.55 * max(float(np.ptp(cloud, axis=0).max()), 1e-3)
    for k, name in enumerate("xyz"):
        getattr(axes, f"set_{name}lim")(middle[k] - half, middle[k] + half)
        getattr(axes, f"{name}axis").set_major_locator(MaxNLocator(3))
    axes.set_box_aspect((1.0, 1.0, 1.0))
    axes.tick_params(labelsize="x-small", pad=0)


def chain(axes: Any, points: Floats, colour: str, label: str = "", *, faint: bool = False, style: Any = "-") -> None:
    """Links and joints."""
    look: dict[str, Any] = {"linewidth": 1.2, "alpha": 0.8, "markersize": 3} if faint else {}
    look = {"linewidth": 2.5, "markersize": 5} | look
    axes.plot(*points.T, color=colour, linestyle=style, marker="o", label=label or None, **look)


def before(axes: Any, points: Floats, label: str = "before") -> None:
    """A chain as it was, pale and dashed."""
    chain(axes, points, PALE, label, faint=True, style="--")


def dotted(axes: Any, start: Floats, end: Floats, label: str) -> None:
    """A dotted line from one point to another, such as a gap."""
    axes.plot(*np.array([start, end]).T, color=ORANGE, linestyle=":", label=label)


def names(axes: Any, points: Floats, labels: Sequence[str], colour: str = INK, nudge: float = 0.012) -> None:
    """Writes beside points what they are called; empty names are left out."""
    for point, label in zip(points, labels, strict=True):
        if label:
            axes.text(*(np.asarray(point) + nudge), label, color=colour, fontsize="small")


def target(axes: Any, point: Floats, label: str = "target") -> None:
    """Marks a target."""
    axes.plot(*np.reshape(point, (-1, 1)), color=ORANGE, marker="*", markersize=12, linestyle="", label=label)


def plane(axes: Any, point: Floats, normal: Floats, size: float, colour: str, label: str = "") -> None:
    """A disc of a plane in space, see-through."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # noqa: PLC0415 (slow, optional)

    disc = circle(point, normal, size)
    axes.add_collection3d(Poly3DCollection([disc], facecolor=colour, edgecolor=colour, alpha=0.18))
    if label:
        axes.text(*disc[12], label, color=colour, fontsize="small")


def circle(center: Floats, normal: Floats, radius: float, count: int = 72) -> Floats:
    """(count+1, 3) points of a circle in space, the first again at the end."""
    n = np.asarray(normal) / np.linalg.norm(normal)
    u = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    u /= np.linalg.norm(u)
    angle = np.linspace(0.0, 2.0 * np.pi, count + 1)[:, None]
    points: Floats = np.asarray(center) + radius * (np.cos(angle) * u + np.sin(angle) * np.cross(n, u))
    return points


def arrow(axes: Any, start: Floats, along: Floats, colour: str, label: str = "") -> None:
    """An arrow in space or in a plane, with its name at the tip."""
    if len(start) == 3:
        axes.quiver(*start, *along, color=colour, linewidth=1.5, arrow_length_ratio=0.25)
    else:
        look = {"arrowstyle": "->", "color": colour}
        axes.annotate("", xy=tuple(np.add(start, along)), xytext=tuple(start), arrowprops=look)
    if label:
        axes.text(*np.add(start, along), label, color=colour, fontsize="small")


def joint_axes(axes: Any, frames: Floats, length: float, colour: str, *, is_numbered: bool = False) -> None:
    """An arrow along the axis of each joint, from its (n, 4, 4) frames: joint k + 1 turns about z of frame k."""
    for k, T in enumerate((np.eye(4), *frames[:-1])):
        arrow(axes, T[:3, 3], length * T[:3, 2], colour, f"{k + 1}" if is_numbered else "")


def finish(axes: Any, goal: Floats, *points: Floats, label: str = "target") -> None:
    """Marks a target in space, fits the panel round it and all points, and adds the legend."""
    target(axes, goal, label)
    fit(axes, *points, goal[None])
    legend(axes)


def legend(axes: Any, **look: Any) -> None:
    """A small legend."""
    axes.legend(**({"fontsize": "x-small", "loc": "upper left"} | look))
