"""Lines that are told apart without colour: each has its own dash as well (colours of Okabe and Ito)."""

from typing import Any

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#202020")
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))


def line_style(k: int) -> dict[str, Any]:
    """Colour and dash of line k; 49 of them differ."""
    return {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[(k + k // len(COLOURS)) % len(DASHES)]}
