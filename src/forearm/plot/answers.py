"""Pictures of answers: how a method gets there, all branches of a target, where a tip can be."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.errors import OptionError
from forearm.plot.pose import INK, blank_figure, draw_frame, joint_points, set_equal_box
from forearm.plot.styles import line_style
from forearm.robot import Robot

Floats = NDArray[np.float64]

SMALLEST = 1e-12  # distances below are drawn there: a logarithm has no zero [m]
AXES = "xyz"
SLAB = 0.03  # half the thickness of a reach slice, per metre of reach
CELLS = 60  # of a reach slice along each side


def draw_convergence(traces: Mapping[str, Any], *, tolerance: float = 1e-6, title: str = "") -> Any:
    """A figure of the distance to the target over the sweeps of traces, logarithmic.

    Args:
        traces: Label to a trace of `Robot.trace` or `Chain.trace`.
        tolerance: Where a dotted line is drawn [m].
        title: Line above the picture.
    """
    figure = blank_figure(6.4, 4.0)
    axes = figure.add_subplot()
    for k, (label, trace) in enumerate(traces.items()):
        after = [s for s, name in enumerate(trace.stages) if name != "forward"]  # a forward reach starts at the target
        axes.semilogy(np.maximum(trace.distance[after], SMALLEST), label=label, marker=".", **line_style(k))
    axes.axhline(tolerance, color=INK, linestyle=":", linewidth=1)
    axes.set(xlabel="sweeps and steps", ylabel="distance from the tip to the target [m]", title=title)
    axes.legend(fontsize="small")
    return figure


def draw_branches(robot: Robot, branches: Sequence[Any], *, target: Floats | None = None, title: str = "") -> Any:
    """A figure with the arm at every branch of a target, as `Robot.solve_all` gives them.

    Args:
        robot: The arm.
        branches: Answers, each with joint values `q`.
        target: (4, 4) target pose to draw as a frame.
        title: Line above the picture.
    """
    if not len(branches):
        raise OptionError("there are no branches to draw; the target has no answer inside the limits")
    figure = blank_figure(7.0, 7.0)
    axes = figure.add_subplot(projection="3d")
    arms = [joint_points(robot, branch.q) for branch in branches]
    for k, points in enumerate(arms):
        axes.plot(*points.T, linewidth=2.5, marker="o", markersize=4, label=f"branch {k + 1}", **line_style(k))
    if target is not None:
        draw_frame(axes, target, 0.25 * float(np.ptp(arms[0], axis=0).max()), "-", "target")
    set_equal_box(axes, np.vstack(arms))
    axes.set_title(title)
    axes.legend(loc="upper left", ncols=2, fontsize="small")
    return figure


def draw_reach(
    robot: Robot, *, across: str = "xz", at: float = 0.0, samples: int = 200_000, rng_seed: int = 0, title: str = ""
) -> Any:
    """A figure of where the tip gets in a slice of space, by forward kinematics of random joint values.

    Bright cells are met by many configurations, white ones by none of those drawn.

    Args:
        robot: The arm.
        across: The two axes of the slice, such as "xz" or "xy".
        at: Where it cuts the third axis [m].
        samples: How many configurations are drawn.
        rng_seed: Seed of the draw.
        title: Line above the picture.
    """
    if len(across) != 2 or len(set(across)) != 2 or not set(across) <= set(AXES):
        raise OptionError(f"across is {across!r}; it takes two of x, y and z, such as 'xz'")
    counts, edges = reach_counts(robot, across, at, samples, rng_seed)
    figure = blank_figure(6.2, 5.4)
    axes = figure.add_subplot()
    image = axes.pcolormesh(*edges, np.ma.masked_equal(counts.T, 0.0), cmap="cividis", rasterized=True)
    figure.colorbar(image, label="configurations in a cell")
    axes.set(xlabel=f"{across[0]} [m]", ylabel=f"{across[1]} [m]", title=title, aspect="equal")
    return figure


def reach_counts(robot: Robot, across: str, at: float, samples: int, rng_seed: int) -> tuple[Floats, list[Floats]]:
    """(CELLS, CELLS) how many random tips fall into each cell of a slice, and the cells' edges [m]."""
    tips = robot.fk(robot.sample(samples, rng_seed=rng_seed))[:, :3, 3]
    i, j = (AXES.index(letter) for letter in across)
    k = 3 - i - j
    size = float(np.abs(tips).max())
    inside = tips[np.abs(tips[:, k] - at) <= SLAB * size]
    edge = np.linspace(-1.05 * size, 1.05 * size, CELLS + 1)
    counts = np.histogramdd(inside[:, [i, j]], bins=(edge, edge))[0]
    return counts, [edge, edge]
