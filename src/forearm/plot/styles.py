"""Lines that are told apart without colour: each has its own dash as well."""

from typing import Any

from forearm.common.palette import SERIES

BESIDE = {"bbox_to_anchor": (1.0, 1.0), "fontsize": "small"}  # a legend right of its panel, where it hides no curve
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))


def line_style(k: int) -> dict[str, Any]:
    """Colour and dash of line k; 49 of them differ."""
    return {"color": SERIES[k % len(SERIES)], "linestyle": DASHES[(k + k // len(SERIES)) % len(DASHES)]}
