"""Reads what a result shows in a notebook."""

from html.parser import HTMLParser

VOID = {"br", "rect", "line", "polyline", "circle"}


class Page(HTMLParser):
    """Reads HTML: every tag must be closed in its order; keeps cells, tags and text."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.cells, self.words = [], [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
        if "td" in self.open or "th" in self.open:
            self.cells[-1][-1] += data

    def count(self, tag):
        return sum(name == tag for name, _ in self.tags)

    def row(self, first):
        return next(row for row in self.cells if row[0] == first)

    @property
    def text(self):
        return " ".join(self.words)


def shown(thing):
    return Page(thing._repr_html_())
