"""Pictures of answers: how a method gets there, all branches of a target, where a tip can be."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import as_floats, as_number, as_real, brief
from forearm.common.palette import INK
from forearm.common.types import Floats
from forearm.errors import OptionError, told_in_words
from forearm.plot.given import Wanted, joints_of, place_of, require_robot, rows_of
from forearm.plot.pose import blank_figure, fit_space, joint_points, space_figure
from forearm.plot.styles import BESIDE, line_style
from forearm.results.solution import Solution
from forearm.robot import Robot

SMALLEST = 1e-12  # distances below are drawn there: a logarithm has no zero [m]
AXES, SLICE = "xyz", "xz"  # of space, and those of a slice where none are named
SLAB = 0.03  # half the thickness of a reach slice, per metre of reach
CELLS = 60  # of a reach slice along each side


@told_in_words
def draw_convergence(traces: Any, *, tolerance: float = 1e-6, title: str = "") -> Any:
    """A figure of the distance to the target over the sweeps of traces, logarithmic.

    Args:
        traces: A trace of `Robot.trace` or `Chain.trace`, several of them, or a mapping from labels to traces.
        tolerance: Where a dotted line is drawn [m].
        title: Line above the picture.
    """
    named, level = _named(traces), as_number(tolerance, "tolerance", OptionError)
    figure = blank_figure(8.0, 4.0)
    axes = figure.add_subplot()
    for k, (label, trace) in enumerate(named.items()):
        after = [s for s, name in enumerate(trace.stages) if name != "forward"]  # a forward reach starts at the target
        axes.semilogy(np.maximum(trace.distance[after], SMALLEST), label=label, marker=".", **line_style(k))
    axes.axhline(level, color=INK, linestyle=":", linewidth=1)
    axes.set(xlabel="sweeps and steps", ylabel="distance from the tip to the target [m]", title=title)
    axes.legend(loc="upper left", **BESIDE)
    return figure


def _named(traces: Any) -> Mapping[str, Any]:
    """Traces by their labels: those that were given, or the methods' names, counted where one comes again."""
    if isinstance(traces, Mapping):
        named = dict(traces)
    else:
        several = list(traces) if isinstance(traces, Sequence) else [traces]
        names = [getattr(trace, "method", "") or "fabrik" for trace in several]
        again = [names[:k].count(name) + 1 for k, name in enumerate(names)]
        named = {name if k == 1 else f"{name} {k}": trace for name, k, trace in zip(names, again, several, strict=True)}
    if not named:
        raise OptionError("traces is empty; it takes traces, as Robot.trace and Chain.trace give them")
    for label, trace in named.items():
        if not (hasattr(trace, "stages") and hasattr(trace, "distance")):
            raise OptionError(
                f"traces has a {type(trace).__name__} (drawn as '{label}'); "
                "it takes what Robot.trace or Chain.trace gave, one or several"
            )
    return named


@told_in_words
def draw_branches(robot: Robot, branches: Sequence[Any], *, target: Wanted = None, title: str = "") -> Any:
    """A figure with the arm at every branch of a target, as `Robot.solve_all` gives them.

    Branches are named by their postures where the arm has names for them. The target is black: coloured lines are arms.

    Args:
        robot: The arm.
        branches: Answers, or their joint values.
        target: What the tip was asked for: a pose is drawn as a frame with its letters, a point as a dot.
        title: Line above the picture.
    """
    require_robot(robot)
    if isinstance(branches, Solution):
        branches = [branches]
    if not isinstance(branches, Sequence | np.ndarray):
        raise OptionError(
            f"branches is a {type(branches).__name__}; it takes what Robot.solve_all gave, or joint values"
        )
    if len(branches) == 0:  # an array has no truth
        raise OptionError("there are no branches to draw; the target has no answer inside the limits")
    figure, axes = space_figure(title)
    arms = [joint_points(robot, q) for q in rows_of(robot, [joints_of(branch) for branch in branches], "branches")]
    for k, (points, branch) in enumerate(zip(arms, branches, strict=True)):
        posture = getattr(branch, "posture", "")
        label = f"branch {k + 1}: {posture}" if posture else f"branch {k + 1}"
        axes.plot(*points.T, linewidth=2.5, marker="o", markersize=4, label=label, **line_style(k))
    if target is not None:
        _draw_target(axes, *place_of(target), 0.25 * float(np.ptp(arms[0], axis=0).max()))
    fit_space(axes, np.vstack(arms))
    axes.get_legend().remove()
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize="small")
    return figure


def _draw_target(axes: Any, goal: Floats, turned: bool, size: float) -> None:
    """Draws a target in black: a dot, and its axes with their letters where they are asked for."""
    origin = goal[:3, 3]
    axes.scatter(*goal[:3, 3:], color=INK, s=50, marker="o", depthshade=False, zorder=6, label="target")
    for k in range(3 if turned else 0):
        end = origin + size * goal[:3, k]
        axes.plot(*np.array([origin, end]).T, color=INK, linewidth=2, zorder=6)
        axes.text(*(origin + 1.15 * size * goal[:3, k]), AXES[k], color=INK, zorder=7)


@told_in_words
def draw_reach(
    cells: ArrayLike,
    edges: tuple[ArrayLike, ArrayLike],
    *,
    across: str = SLICE,
    label: str = "configurations in a cell",
    title: str = "",
) -> Any:
    """A figure of a slice of space, a colour per cell: where a tip gets, and how well.

    Cells of value 0 or NaN stay white: nothing gets there. `reach_counts` makes such a slice.

    Args:
        cells: (A, B) a value per cell, the first axis along `across[0]`.
        edges: (A+1,) and (B+1,) the cells' edges along both axes [m].
        across: The two axes of the slice, such as "xz" or "xy".
        label: What the colours mean.
        title: Line above the picture.
    """
    values = as_real(cells, "cells", OptionError)
    if not isinstance(edges, Sequence) or len(edges) != len(SLICE):
        raise OptionError(f"edges is {brief(edges)}; it takes the edges of the cells along both axes, as (x, y)")
    x, y = (as_floats(edge, "edges", OptionError) for edge in edges)
    if values.shape != (len(x) - 1, len(y) - 1):
        raise OptionError(f"cells has shape {values.shape}; edges of {len(x)} and {len(y)} take one less each")
    _check_across(across)
    figure = blank_figure(6.2, 5.4)
    axes = figure.add_subplot()
    shown = np.ma.masked_where(~(np.abs(values.T) > 0.0), values.T)  # NaN is not above 0
    image = axes.pcolormesh(x, y, shown, cmap="cividis", rasterized=True)
    figure.colorbar(image, label=label)
    axes.set(xlabel=f"{across[0]} [m]", ylabel=f"{across[1]} [m]", title=title, aspect="equal")
    return figure


@told_in_words
def reach_counts(
    robot: Robot, across: str = SLICE, at: float = 0.0, samples: int = 200_000, rng_seed: int = 0
) -> tuple[Floats, tuple[Floats, Floats]]:
    """How many random configurations have their tip in each cell of a slice, for `draw_reach`.

    Args:
        robot: The arm.
        across: The two axes of the slice, such as "xz" or "xy".
        at: Where it cuts the third axis [m]; the slice is a few per cent of the reach thick.
        samples: How many configurations are drawn.
        rng_seed: Seed of the draw.

    Returns:
        (CELLS, CELLS) counts, and the edges of the cells along both axes [m].
    """
    require_robot(robot)
    _check_across(across)
    height = as_number(at, "at", OptionError)
    tips = robot.fk(robot.sample(samples, rng_seed=rng_seed))[:, :3, 3]
    i, j = (AXES.index(letter) for letter in across)
    k = 3 - i - j
    size = float(np.abs(tips).max())
    inside = tips[np.abs(tips[:, k] - height) <= SLAB * size]
    edge = np.linspace(-1.05 * size, 1.05 * size, CELLS + 1)
    counts = np.histogramdd(inside[:, [i, j]], bins=(edge, edge))[0]
    return counts, (edge, edge)


def _check_across(across: str) -> None:
    if not isinstance(across, str) or len(across) != 2 or len(set(across)) != 2 or not set(across) <= set(AXES):
        raise OptionError(f"across is {across!r}; it takes two of x, y and z, such as 'xz'")
