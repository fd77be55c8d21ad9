"""What the site does to its pages: tables of options from the code, and links that leave docs/."""

import math
import re
from dataclasses import fields
from typing import Any

from forearm.bones.options import BezierOptions
from forearm.common.options import Options
from forearm.solve.methods.table import METHODS

OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?!pictures|methods|api|decisions|\w[\w-]*\.md)([\w./-]+)\)")
PLACE = re.compile(r"<!-- options: ([\w-]+|all) -->")
KINDS: dict[str, type[Options]] = {name: row.options for name, row in METHODS.items()} | {"bezier": BezierOptions}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fills in options; points links to examples at their page, and leaves of other outside links their words."""
    up = "../" * page.file.src_uri.count("/")

    def inside(found: re.Match[str]) -> str:
        words, path = found.groups()
        return f"[{words}]({up}examples.md)" if path.startswith("examples") else words

    return OUTSIDE.sub(inside, PLACE.sub(lambda found: options(found[1]), markdown))


def options(name: str) -> str:
    """The options of a method, or of all, as tables."""
    if name == "all":
        return "\n".join(f"## {each}\n\n{table(kind)}\n" for each, kind in KINDS.items())
    return table(KINDS[name])


def table(kind: type[Options]) -> str:
    """A class of options, a row for each."""
    rows = [
        f"| `{item.name}` | `{item.default!r}` | {item.metadata['meaning']} | {allowed(item.metadata)} |"
        for item in fields(kind)
    ]
    return "\n".join(["| option | default | what it is | takes |", "|---|---|---|---|", *rows])


def allowed(about: Any) -> str:
    """What an option takes, with its unit."""
    if "names" in about:
        return ", ".join(f"`{name!r}`" for name in about["names"])
    upper = "" if math.isinf(about["high"]) else f" to {about['high']:g}"
    words = f"{about['low']:g}{upper}" if upper else f"{about['low']:g} and more"
    return f"{words} {about['unit']}".strip()
