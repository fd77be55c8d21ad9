"""HTML and SVG as text: elements, rows of tables, lines of small pictures. Notebook, viewer and report use it.

What stands inside an element is markup already, so words of a user (names of joints, links and robots) are escaped
before they get there; attributes are escaped here.
"""

from collections.abc import Iterable, Sequence
from html import escape

from forearm.common.palette import FAINT, SERIES
from forearm.common.types import Floats

EMPTY = frozenset({"circle", "line", "polyline", "rect"})  # elements of SVG with nothing inside
VOID = frozenset({"img", "meta"})  # and of HTML, which are not closed
SMALL = 10  # size of the words in a picture [px]


def tag(name: str, inside: str = "", /, **attributes: object) -> str:
    """An element.

    Args:
        name: What it is, such as "td".
        inside: Its markup.
        **attributes: `stroke_width` is written `stroke-width` and `class_` is `class`; numbers to a tenth; what is
            None is left out.
    """
    given = (f' {_dashed(key)}="{_value(value)}"' for key, value in attributes.items() if value is not None)
    said = "".join(given)
    if name in VOID:
        return f"<{name}{said}>"
    return f"<{name}{said}/>" if name in EMPTY else f"<{name}{said}>{inside}</{name}>"


def _dashed(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape(str(value), quote=True)


def row(cells: Iterable[str], name: str = "td", /, **attributes: object) -> str:
    """A row of a table; each cell is markup and has these attributes."""
    return tag("tr", "".join(tag(name, cell, **attributes) for cell in cells))


# -- pictures -------------------------------------------------------------------------------------


def svg(parts: Iterable[str], width: float, height: float, label: str, *, is_wide: bool = False) -> str:
    """A picture of a size [px]; a wide one fills the width of the page."""
    size: dict[str, object] = {"style": "width:100%"} if is_wide else {"width": width, "height": height}
    return tag("svg", "".join(parts), **size, viewBox=f"0 0 {width:.0f} {height:.0f}", role="img", aria_label=label)


def line(start: Sequence[float], end: Sequence[float], colour: str, **look: object) -> str:
    """A straight line between two points (x, y) [px]."""
    (x1, y1), (x2, y2) = start, end
    return tag("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), stroke=colour, **look)


def polyline(x: Floats, y: Floats, colour: str, width: float) -> str:
    """A line through (k,) points [px]."""
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return tag("polyline", points=points, fill="none", stroke=colour, stroke_width=width)


def series(x: Floats, y: Floats, width: float) -> list[str]:
    """A line through each column of (k, n) heights over (k,) places [px], in colours that `legend` names."""
    return [polyline(x, y[:, k], SERIES[k % len(SERIES)], width) for k in range(y.shape[1])]


def legend(names: Iterable[str]) -> list[str]:
    """The names of such lines, each with its colour."""
    swatch = "display:inline-block;width:14px;height:3px;margin:0 4px 3px 0;background:"
    marks = (tag("span", style=f"{swatch}{SERIES[k % len(SERIES)]}") + escape(name) for k, name in enumerate(names))
    return [tag("span", mark, style="white-space:nowrap") for mark in marks]


def dot(x: float, y: float, radius: float, colour: str) -> str:
    """A disc [px]."""
    return tag("circle", cx=float(x), cy=float(y), r=radius, fill=colour)


def frame(x: float, y: float, width: float, height: float, **look: object) -> str:
    """The outline of a rectangle [px]."""
    return tag("rect", x=x, y=y, width=width, height=height, fill="none", stroke=FAINT, **look)


def words(x: float, y: float, text: str, anchor: str = "middle") -> str:
    """Small words at a place [px]; escaped here."""
    look = {"font_size": SMALL, "fill": "currentColor", "text_anchor": anchor}
    return tag("text", escape(text), x=float(x), y=float(y), **look)
