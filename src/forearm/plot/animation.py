"""A motion as a GIF, or as an MP4 where ffmpeg is there: the arm on its way, picture by picture."""

from pathlib import Path
from typing import Any

import numpy as np

from forearm.common.checks import as_number
from forearm.common.palette import BLUE, INK
from forearm.common.types import Floats
from forearm.errors import MissingExtraError, OptionError, told_in_words
from forearm.plot.given import Motion, require_place, rows_of
from forearm.plot.obstacles import corner_points, draw_obstacles
from forearm.plot.pose import fit_space, joint_points, space_figure
from forearm.results.track import Track
from forearm.robot import Robot
from forearm.scenes.scene import as_scene

DOTS = 80  # per inch: 560 pixels wide and high
GIF, MP4 = ".gif", ".mp4"


@told_in_words
def save_gif(
    robot: Robot,
    motion: Motion,
    path: str | Path,
    *,
    seconds: float = 4.0,
    fps: int = 12,
    obstacles: Any = None,
    title: str = "",
) -> Path:
    """Writes a GIF or an MP4 of an arm that moves, and returns where it is.

    Args:
        robot: The arm.
        motion: A track, a batch, solutions, or (M, n) joint values; each picture shows one of them, evenly picked.
            The times of a track, if it has some, are kept in proportion.
        path: Where to write it; its name ends in .gif, or in .mp4 on machines with the program ffmpeg.
        seconds: How long it lasts.
        fps: Pictures a second.
        obstacles: What the arm works among, as `solve` takes it.
        title: Line above the pictures.
    """
    rows = rows_of(robot, motion, "motion")
    file = require_place(path, (GIF, MP4))
    if not as_number(seconds, "seconds", OptionError) > 0.0 or not as_number(fps, "fps", OptionError) > 0.0:
        raise OptionError(f"seconds is {seconds} and fps is {fps}; both take a positive number")
    when = motion.times if isinstance(motion, Track) else None
    shown = rows[frames_of(len(rows), when, max(2, round(seconds * fps)))]
    writer = _writer(file, fps)
    figure, update = _stage(robot, rows, shown, as_scene(obstacles).obstacles, title)
    with writer.saving(figure, str(file), DOTS):
        for k in range(len(shown)):
            update(k)
            writer.grab_frame()
    return file.resolve()


def _writer(file: Path, fps: int) -> Any:
    """What writes such a file."""
    try:
        from matplotlib.animation import FFMpegWriter, PillowWriter  # noqa: PLC0415 (slow, optional)
    except ImportError:
        raise MissingExtraError("drawing", "plot") from None
    if file.suffix.lower() == GIF:
        return PillowWriter(fps=fps)
    if not FFMpegWriter.isAvailable():
        raise OptionError(
            f"path is '{file}', and the program ffmpeg, which writes it, is not here; install it, or write a {GIF}"
        )
    return FFMpegWriter(fps=fps)


def frames_of(count: int, times: Floats | None, pictures: int) -> Any:
    """(pictures,) which of so many points each picture shows: evenly in time, or in number where there is none."""
    if times is None or count < 2 or not times[-1] > times[0]:
        return np.linspace(0, count - 1, pictures).round().astype(int)
    return np.searchsorted(times, np.linspace(times[0], times[-1], pictures)).clip(0, count - 1)


def _stage(robot: Robot, rows: Floats, shown: Floats, scene: Any, title: str) -> tuple[Any, Any]:
    """The figure with all that stands still, and a function that puts the arm at one of the configurations shown."""
    figure, axes = space_figure(title)
    tips = robot.fk(rows)[:, :3, 3]
    arms = np.array([joint_points(robot, q) for q in shown])
    seen = np.vstack([arms.reshape(-1, 3), tips])
    draw_obstacles(axes, scene, seen)
    axes.plot(*tips.T, color=BLUE, linewidth=1.5, zorder=4, label="way of the tip")
    (arm,) = axes.plot(*arms[0].T, color=INK, linewidth=4, marker="o", markersize=6, zorder=5, label="arm")
    fit_space(axes, np.vstack([seen, *(corner_points(obstacle, seen) for obstacle in scene)]), columns=2)
    figure.set_layout_engine("none")  # which would look for room again in every picture

    def update(k: int) -> None:
        arm.set_data_3d(*arms[k].T)

    return figure, update
