"""Elements of HTML and SVG: names, attributes, what is escaped and what is not."""

from xml.etree import ElementTree

import numpy as np

from forearm.common import markup
from forearm.common.markup import tag
from forearm.common.palette import SERIES


def test_attributes_are_dashed_rounded_and_escaped():
    assert (
        tag("line", x1=1.26, y1=2.0, stroke_width=3, class_="a") == '<line x1="1.3" y1="2" stroke-width="3" class="a"/>'
    )
    assert tag("td", "<b>", title='a "b" <c>') == '<td title="a &quot;b&quot; &lt;c&gt;"><b></td>'


def test_what_is_none_is_left_out_and_what_is_void_is_not_closed():
    assert tag("td", class_=None) == "<td></td>"
    assert tag("img", src="x") == '<img src="x">'


def test_a_row_gives_every_cell_the_same_attributes():
    assert markup.row(("a", "b"), "th", class_="x") == '<tr><th class="x">a</th><th class="x">b</th></tr>'


def test_a_picture_is_well_formed_and_holds_a_line_for_each_column():
    x, y = np.arange(3.0), np.arange(27.0).reshape(3, 9)
    parts = [
        *markup.series(x, y, 1.6),
        markup.dot(1, 2, 3, "red"),
        markup.words(1, 2, "a < b"),
        markup.frame(0, 0, 9, 9),
    ]
    root = ElementTree.fromstring(markup.svg(parts, 90.0, 30.0, "a 'b' & c"))
    lines = root.findall("polyline")
    assert [line.get("stroke") for line in lines] == [SERIES[k % 7] for k in range(9)]
    assert lines[0].get("points") == "0.0,0.0 1.0,9.0 2.0,18.0"
    assert root.get("viewBox") == "0 0 90 30"
    assert root.find("text").text == "a < b"


def test_a_legend_has_the_colours_of_its_lines_and_escapes_names():
    first, second = markup.legend(("a<b", "c"))
    assert "a&lt;b" in first
    assert SERIES[0] in first
    assert SERIES[1] in second
