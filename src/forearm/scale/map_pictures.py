"""A plane of a map as a picture, or as characters for a terminal; both take plain arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.plot import blank_figure

RAMP = " .:-=+*#%@"  # from nothing to the most


def draw_slice(values: NDArray[Any], u: Floats, v: Floats, across: str, what: str, title: str) -> Any:
    """A matplotlib figure of (U, V) values at u and v [m]; NaN stays blank; `across` names the axes, as in "xz"."""
    figure = blank_figure(6.2, 5.4)
    axes = figure.add_subplot()
    shown = np.ma.masked_invalid(values.T)
    if what == "share":
        shown = np.ma.masked_equal(shown, 0.0)
    image = axes.pcolormesh(edges(u), edges(v), shown, cmap="cividis", rasterized=True)
    figure.colorbar(image, label=what)
    axes.set(xlabel=f"{across[0]} [m]", ylabel=f"{across[1]} [m]", title=title, aspect="equal")
    return figure


def edges(centers: Floats) -> Floats:
    """(N + 1,) the borders of cells with these centers, all of one width."""
    half = 0.5 * (centers[1] - centers[0]) if len(centers) > 1 else 0.5
    return np.append(centers - half, centers[-1] + half)


def text_slice(values: NDArray[Any]) -> list[str]:
    """Lines of characters, the vertical axis upward, two columns a cell so that cells look square."""
    filled = np.nan_to_num(values.astype(np.float64))
    most = float(filled.max()) if filled.size else 0.0
    steps = np.ceil(filled / most * (len(RAMP) - 1)).astype(int) if most > 0.0 else np.zeros(filled.shape, int)
    return ["".join(2 * RAMP[k] for k in row).rstrip() for row in steps.T[::-1]]
