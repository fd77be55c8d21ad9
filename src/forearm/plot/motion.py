"""Pictures of an arm that moves: its way in space, its joints and its errors."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import as_floats
from forearm.common.palette import BLUE, INK, ORANGE
from forearm.common.types import Floats
from forearm.errors import OptionError, counted, told_in_words
from forearm.plot.given import Motion, rows_of
from forearm.plot.pose import blank_figure, fit_space, joint_points, space_figure
from forearm.plot.styles import BESIDE, line_style
from forearm.results.track import Track
from forearm.robot import Robot
from forearm.targets.many import Targets
from forearm.targets.target import Target

SHOWN_POSES = 6  # of the arm along its way, the first and the last among them
SMALLEST = 1e-12  # errors below are drawn there: a logarithm has no zero [m or rad]


@told_in_words
def draw_path(robot: Robot, Q: Motion, *, targets: ArrayLike | None = None, title: str = "") -> Any:
    """A figure of the tip's way in space, with the arm at some places on it.

    Args:
        robot: The arm.
        Q: (M, n) joint values along the way; or a track, a batch or solutions, which have them.
        targets: (N, 4, 4) poses that were asked for, drawn as dots.
        title: Line above the picture.
    """
    rows, wanted = rows_of(robot, Q), _poses(targets)
    tips = robot.fk(rows)[:, :3, 3]
    figure, axes = space_figure(title)
    shown = np.unique(np.linspace(0, len(rows) - 1, SHOWN_POSES).round().astype(int))
    arms = [joint_points(robot, rows[k]) for k in shown]
    for k, points in zip(shown, arms, strict=True):
        ends = k in (0, len(rows) - 1)
        axes.plot(*points.T, color=INK, alpha=0.9 if ends else 0.25, linewidth=3 if ends else 2)
    axes.plot(*tips.T, color=BLUE, linewidth=2, label="way of the tip")
    if wanted is not None:
        axes.scatter(*wanted[:, :3, 3].T, color=ORANGE, s=14, marker="x", depthshade=False, zorder=5, label="targets")
    fit_space(axes, np.vstack([*arms, tips]))
    return figure


@told_in_words
def draw_motion(
    robot: Robot, Q: Motion, *, targets: ArrayLike | None = None, across: ArrayLike | None = None, title: str = ""
) -> Any:
    """A figure of the joints between their limits and, with targets, of the errors, along a motion.

    Args:
        robot: The arm.
        Q: (M, n) joint values; or a track, a batch or solutions, which have them.
        targets: (M, 4, 4) the pose each was meant for; errors are measured by forward kinematics.
        across: (M,) times or places on the path; the rows are counted by default.
        title: Line above the picture.
    """
    rows, wanted = rows_of(robot, Q), _poses(targets)
    if wanted is not None and len(wanted) != len(rows):
        raise OptionError(f"targets has {len(wanted)} poses for {len(rows)} configurations; give one each")
    x = np.arange(len(rows), dtype=float) if across is None else as_floats(across, "across", OptionError)
    if x.shape != (len(rows),):
        raise OptionError(f"across has shape {x.shape}; it takes a number for each of {len(rows)} configurations")
    figure = blank_figure(9.6, 4.0 if wanted is None else 6.4)
    panels = figure.subplots(1 if wanted is None else 2, 1, sharex=True, squeeze=False)[:, 0]
    _draw_joints(panels[0], robot, x, rows)
    panels[0].set_title(title)
    if wanted is not None:
        _draw_errors(panels[1], x, *errors_along(robot.fk(rows), wanted))
    panels[-1].set(xlabel="point of the path" if across is None else "along the path")
    return figure


@told_in_words
def draw_track(robot: Robot, track: Track, *, title: str = "") -> Any:
    """A figure of the joints between their limits and of the errors along a track, and where it stops.

    Dots are way-points; the line between them also goes through the points that were inserted.

    Args:
        robot: The arm.
        track: As `Robot.track` gave it; its own errors are drawn. With times they run along the axis.
        title: Line above the picture; by default what became of the track.
    """
    if not isinstance(track, Track):
        kind = type(track).__name__
        raise OptionError(f"track is a {kind}; it takes what Robot.track gave; draw_motion draws joint values")
    if not len(track):
        raise OptionError(f"the track has no point to draw: {track.reason}")
    x = track.places if track.times is None else track.times
    figure = blank_figure(9.6, 6.4)
    upper, lower = figure.subplots(2, 1, sharex=True)
    _draw_joints(upper, robot, x, rows_of(robot, track.q))
    _draw_errors(lower, x, track.position_errors, track.rotation_errors)
    at = ~track.inserted
    lower.plot(x[at], np.maximum(track.position_errors[at], SMALLEST), "o", color=INK, markersize=3, label="way-points")
    for axes in (upper, lower):
        if not track.complete:
            axes.axvline(x[-1], color=ORANGE, linestyle="-", linewidth=2.5, label=f"stops: {track.status}")
        axes.legend(loc="upper left", **BESIDE)
    reached = f"{int(at.sum())} of {counted(track.waypoints, 'way-point')}"
    upper.set_title(title or f"{robot.name}: {reached}{'' if track.complete else f', {track.status}'}")
    lower.set_xlabel("way-point" if track.times is None else "time [s]")
    return figure


def _draw_joints(axes: Any, robot: Robot, x: Floats, rows: Floats) -> None:
    """Draws a line per joint, and the limits as the panel's edges."""
    for k, name in enumerate(robot.joint_names):
        lower, upper = robot.limits[:, k]
        bounded = np.isfinite(upper - lower)  # a joint without limits is drawn in a turn about 0
        share = (rows[:, k] - lower) / max(upper - lower, SMALLEST) if bounded else rows[:, k] / (2.0 * np.pi) % 1.0
        axes.plot(x, share, label=name, linewidth=1.6, **line_style(k))
    axes.set(ylabel="place between the limits", ylim=(-0.03, 1.03))
    axes.axhspan(-0.03, 0.0, color=INK, alpha=0.12)
    axes.axhspan(1.0, 1.03, color=INK, alpha=0.12)
    axes.legend(loc="upper left", **BESIDE)


def _draw_errors(axes: Any, x: Floats, position: Floats, rotation: Floats) -> None:
    """Draws both errors on a logarithmic axis."""
    axes.semilogy(x, np.maximum(position, SMALLEST), label="position [m]", **line_style(0))
    axes.semilogy(x, np.maximum(rotation, SMALLEST), label="rotation [rad]", **line_style(1))
    axes.set(ylabel="error")
    axes.legend(loc="upper left", **BESIDE)


def errors_along(poses: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """(M,) distances [m] and angles [rad] between two stacks of poses."""
    position: Floats = np.linalg.norm(poses[:, :3, 3] - targets[:, :3, 3], axis=1)
    R = poses[:, :3, :3].transpose(0, 2, 1) @ targets[:, :3, :3]
    vee = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    return position, np.arctan2(np.linalg.norm(vee, axis=1) / 2.0, (np.trace(R, axis1=1, axis2=2) - 1.0) / 2.0)


def _poses(targets: ArrayLike | None) -> Floats | None:
    if targets is None:
        return None
    if isinstance(targets, (Target, Targets)):
        raise OptionError(f"targets is a {type(targets).__name__}; this picture takes (M, 4, 4) poses")
    poses = as_floats(targets, "targets", OptionError)
    if poses.ndim != 3 or poses.shape[1:] != (4, 4):
        raise OptionError(f"targets has shape {poses.shape}; it takes (M, 4, 4) poses")
    return poses
