"""Pairs of links that an SRDF (MoveIt's companion of a URDF) allows to touch."""

from pathlib import Path

from forearm.errors import ModelError
from forearm.models.xml import parse_xml, read_text


def read_srdf(source: str | bytes | Path) -> list[tuple[str, str]]:
    """The pairs of `<disable_collisions link1= link2=>` of a file, or of the XML itself."""
    data, where = read_text(source, "SRDF")
    pairs = []
    for element in parse_xml(data, where, "robot").iter("disable_collisions"):
        first, second = element.get("link1"), element.get("link2")
        if not first or not second:
            raise ModelError(f"{where} has a <disable_collisions> without link1 or link2; give it both")
        pairs.append((first, second))
    return pairs
