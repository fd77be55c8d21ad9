"""Pictures of poses with matplotlib (extra `plot`), imported only when something is drawn."""

from pathlib import Path
from typing import Any

import numpy as np

from forearm.common.palette import AXES, INK, ORANGE
from forearm.common.types import Floats
from forearm.errors import MissingExtraError, told_in_words
from forearm.plot.bodies import draw_bodies
from forearm.plot.given import Joints, Wanted, joints_of, place_of, require_place, require_robot
from forearm.plot.obstacles import corner_points, draw_obstacles
from forearm.results.solution import Solution
from forearm.robot import Robot
from forearm.scenes.scene import as_scene

FLAT = 1e-9  # share of its size up to which a picture is as high as one that is flat
PICTURES = (".pdf", ".png", ".svg")  # what a pose is written as


@told_in_words
def draw_pose(robot: Robot, q: Joints, *, target: Wanted = None, title: str = "", obstacles: Any = None) -> Any:
    """A matplotlib figure of the arm at q, with the target's frame beside it.

    Args:
        robot: The arm.
        q: (n,) joint values, or a solution that has them.
        target: What the tip was asked for: a pose is drawn as a frame, a point as a dot.
        title: Line above the picture.
        obstacles: What the arm works among, as `solve` takes it; the capsules of its links are drawn then, and those
            that touch something stand out and are named.
    """
    require_robot(robot)
    values, place = joints_of(q), None if target is None else place_of(target)
    figure, axes = space_figure(title)
    points, scene = joint_points(robot, values), as_scene(obstacles)
    seen = points if place is None else np.vstack([points, place[0][:3, 3]])
    draw_obstacles(axes, scene.obstacles, seen)
    if obstacles is not None:
        draw_bodies(axes, robot, values, scene)
    axes.plot(*points.T, color=INK, linewidth=4, solid_capstyle="round", zorder=4, label="arm")
    axes.scatter(*points[1:-1].T, color=INK, edgecolor="white", s=70, depthshade=False, zorder=5, label="joints")
    size = 0.15 * _span(points)
    draw_frame(axes, robot.fk(values), size, "-", "tip")
    if place is not None:
        draw_place(axes, *place, 1.4 * size, ":")
    fit_space(axes, np.vstack([seen, *(corner_points(obstacle, seen) for obstacle in scene.obstacles)]), columns=2)
    return figure


def blank_figure(width: float, height: float) -> Any:
    """An empty matplotlib figure [inch] that needs no display, and that notebooks show."""
    try:
        from forearm.plot.figure import Picture  # noqa: PLC0415 (slow, optional)
    except ImportError:
        raise MissingExtraError("drawing", "plot") from None
    return Picture(width, height)


def space_figure(title: str) -> tuple[Any, Any]:
    """A figure with one panel in space, and that panel."""
    figure = blank_figure(7.0, 7.0)
    axes = figure.add_subplot(projection="3d", computed_zorder=False)  # obstacles first, then links, then the arm
    axes.set_title(title)
    return figure, axes


@told_in_words
def save_pose(
    robot: Robot, solution: Joints, path: str | Path, *, target: Wanted = None, obstacles: Any = None
) -> Path:
    """Writes a PNG, SVG or PDF of a solution, or of joint values, and returns where it is."""
    require_robot(robot)
    told = f": {solution.status} by {solution.method}" if isinstance(solution, Solution) else ""
    file = require_place(path, PICTURES)
    figure = draw_pose(robot, solution, target=target, title=f"{robot.name}{told}", obstacles=obstacles)
    figure.savefig(file)
    return file.resolve()


def joint_points(robot: Robot, q: Floats) -> Floats:
    """(m+2, 3) the base, every joint's origin, the tip."""
    return np.vstack([np.zeros(3), robot.fk_all(q)[:, :3, 3]])


def draw_place(axes: Any, goal: Floats, turned: bool, size: float, style: str) -> None:
    """Draws a target: its frame where its axes are asked for, else a dot."""
    if turned:
        draw_frame(axes, goal, size, style, "target")
    else:
        axes.scatter(*goal[:3, 3:], color=ORANGE, s=60, marker="x", depthshade=False, zorder=6, label="target")


def draw_frame(axes: Any, T: Floats, size: float, style: str, label: str) -> None:
    """Draws the axes of a (4, 4) pose as lines of a size [m]."""
    origin = T[:3, 3]
    for k, colour in enumerate(AXES):
        end = origin + size * T[:3, k]
        axes.plot(
            *np.array([origin, end]).T,
            color=colour,
            linewidth=2,
            linestyle=style,
            zorder=6,
            label=f"{label} {'xyz'[k]}",
        )


def _span(points: Floats) -> float:
    return float(max(np.ptp(points, axis=0).max(), 1e-3))


def fit_space(axes: Any, points: Floats, columns: int = 1) -> None:
    """Gives all three axes the same scale round (k, 3) points, and the panel a legend of so many columns.

    What lies flat is seen from above.
    """
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    half = 0.6 * _span(points)
    for k, name in enumerate("xyz"):
        ends = (middle[k] - half, middle[k] + half)
        axes.set(**{f"{name}lim": ends, f"{name}label": f"{name} [m]"})
    axes.set_box_aspect((1.0, 1.0, 1.0))
    if np.ptp(points[:, 2]) <= FLAT * _span(points):
        axes.set_proj_type("ortho")
        axes.view_init(elev=90.0, azim=-90.0)
        axes.set(zticks=[], zlabel="")
        axes.yaxis.labelpad = 14
    axes.legend(loc="upper left", ncols=columns, fontsize="small")
