"""Maps of bones to links, in Python and in TOML files.

```toml
[map]                              # part of the body = [bone, link]
pelvis = ["Hips", "base_link"]
left_foot = ["LeftFoot", "left_sole_link"]
```
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forearm.common.checks import brief
from forearm.common.files import parse_toml, read_file
from forearm.errors import OptionError, nearest_names
from forearm.retargeting.parts import FINGERS, PARTS


def read(path: str | Path) -> dict[str, tuple[str, str]]:
    """The map of a TOML file."""
    file = Path(path)
    table = parse_toml(read_file(file, "map"), file.name, OptionError)
    if set(table) != {"map"}:
        raise OptionError(
            f"{file.name} has {', '.join(table) or 'nothing'}; it takes one table, [map]: part = [bone, link]"
        )
    return checked(table["map"], file.name)


def checked(given: Any, where: str) -> dict[str, tuple[str, str]]:
    """A map whose parts are known and whose pairs are pairs of names."""
    if not isinstance(given, Mapping) or not given:
        raise OptionError(f"{where} is {brief(given)}; it takes part to (bone, link), parts are: {', '.join(PARTS)}")
    for part, pair in given.items():
        if part not in PARTS:
            raise OptionError(f"{where} has the part {brief(part)}; {nearest_names(part, PARTS)}")
        if not (isinstance(pair, (list, tuple)) and len(pair) == 2 and all(isinstance(name, str) for name in pair)):
            raise OptionError(f"{where} has {part} = {brief(pair)}; it takes two names, (bone, link)")
    if "pelvis" not in given and not any(part in FINGERS for part in given):
        raise OptionError(f"{where} has no pelvis; name the bone and the link that hips and spine hang on")
    return {part: (given[part][0], given[part][1]) for part in PARTS if part in given}


def text_of(chosen: Mapping[str, tuple[str, str]]) -> str:
    """A map as TOML."""
    lines = [f"{part} = {json.dumps(list(pair), ensure_ascii=False)}" for part, pair in chosen.items()]
    return "\n".join(["[map] # part of the body = [bone, link]", *lines, ""])
