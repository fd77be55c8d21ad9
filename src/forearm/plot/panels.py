"""Pictures of several panels: curves on logarithmic axes, and planar chains among circles."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from forearm.bones.solution import ChainSolution
from forearm.common.checks import brief
from forearm.common.palette import BLUE, GREEN, INK, ORANGE, PALE
from forearm.common.types import Floats
from forearm.errors import OptionError, told_in_words
from forearm.plot.pose import blank_figure

PLANE, CIRCLE = 2, 3  # numbers of a point, and of a circle
CHAIN_COLOURS = (PALE, BLUE, GREEN, INK, ORANGE)


@told_in_words
def draw_curves(panels: Mapping[str, Mapping[str, Floats]], across: str, up: str, level: float) -> Any:
    """A matplotlib figure with a panel per entry, each with its curves on logarithmic axes.

    Args:
        panels: Title to (label to (k,) positive values, the first at 0).
        across: What the horizontal axis counts; shown from 1 on, so the first value stands at 1.
        up: What the values are.
        level: Value at which a dotted line is drawn.
    """
    if not isinstance(panels, Mapping) or not all(isinstance(curves, Mapping) for curves in panels.values()):
        raise OptionError(
            f"panels is {brief(panels)}; it takes a mapping from titles to mappings from labels to curves"
        )
    figure = blank_figure(9.0, 3.4 * ((len(panels) + 1) // 2))
    for k, (title, curves) in enumerate(panels.items()):
        axes = figure.add_subplot((len(panels) + 1) // 2, 2, k + 1)
        for (label, values), colour in zip(curves.items(), (ORANGE, BLUE, GREEN), strict=False):
            axes.loglog(1 + np.arange(len(values)), values, color=colour, marker=".", markersize=3, label=label)
        axes.axhline(level, color=INK, linestyle=":", linewidth=1)
        axes.set(title=title, xlabel=f"1 + {across}", ylabel=up)
        axes.legend(loc="upper right", fontsize="small")
    return figure


@told_in_words
def draw_chains(
    panels: Mapping[str, Mapping[str, Floats | ChainSolution]],
    circles: Mapping[str, Sequence[Sequence[float]]] | None = None,
) -> Any:
    """A matplotlib figure with a panel per entry, each with planar chains.

    Args:
        panels: Title to (label to (n+1, 2) points, or a pose of bones), drawn in the order given, the last on top.
        circles: Title to (x, y, radius) of obstacles; titles may be left out.
    """
    _check_panels(panels)
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = blank_figure(3.6 * columns, 3.6 * rows), None
    for k, (title, chains) in enumerate(panels.items()):
        axes = figure.add_subplot(rows, columns, k + 1, sharex=axes, sharey=axes)  # one scale for all
        draw_circles(axes, (circles or {}).get(title, ()))
        for colour, (label, given) in zip(CHAIN_COLOURS, chains.items(), strict=False):
            points = given.points if isinstance(given, ChainSolution) else given
            axes.plot(*points.T, color=colour, marker="o", markersize=4, linewidth=2, label=label)
        axes.set_title(title, fontsize="medium")
        axes.set_aspect("equal")
        axes.legend(loc="upper left", fontsize="x-small")
    return figure


def _check_panels(panels: Any) -> None:
    """Refuses what is no panel of named chains in a plane."""
    form = "a mapping from titles to mappings from labels to chains, as {'a chain': {'solved': pose}}"
    if not isinstance(panels, Mapping) or not panels:
        what = "empty" if isinstance(panels, Mapping) else f"a {type(panels).__name__}"
        raise OptionError(f"panels is {what}; it takes {form}")
    for title, chains in panels.items():
        if not isinstance(chains, Mapping):
            raise OptionError(f"panels has a {type(chains).__name__} for '{title}'; it takes {form}")
        for label, given in chains.items():
            shape = np.shape(given.points if isinstance(given, ChainSolution) else given)
            if len(shape) != PLANE or shape[1] != PLANE:
                raise OptionError(
                    f"'{label}' of '{title}' has shape {shape}; this picture takes (n+1, 2) points in a plane"
                )


def draw_circles(axes: Any, circles: Iterable[Sequence[float]]) -> None:
    """Obstacles in a plane: (x, y, radius) each."""
    from matplotlib.patches import Circle  # noqa: PLC0415 (slow, optional)

    for circle in circles:
        if np.shape(circle) != (CIRCLE,):
            raise OptionError(f"circles has {brief(circle)}; a circle is (x, y, radius)")
        x, y, radius = circle
        axes.add_patch(Circle((x, y), radius, color=ORANGE, alpha=0.5, linewidth=0))
