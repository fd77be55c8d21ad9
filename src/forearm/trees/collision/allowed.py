"""Which links of a whole robot a user lets touch: pairs of names, or an SRDF's."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from forearm.arm.wishes import as_pairs, srdf_pairs
from forearm.errors import OptionError, nearest_names
from forearm.trees.body import Body


def allowing(body: Body, allow: Iterable[tuple[str, str]], srdf: str | bytes | Path | None) -> Body:
    """The same robot with further pairs of links that may touch; arguments as `Tree.with_geometry` takes them."""
    known, pairs = [link.name for link in body.mechanism.links], as_pairs(allow)
    for name in (name for pair in pairs for name in pair):
        if name not in known:
            raise OptionError(
                f"link '{name}' in the allow-list is not in {body.mechanism.name}; {nearest_names(name, known)}"
            )
    if srdf is not None:
        pairs += srdf_pairs(srdf, body.mechanism.name, known, known)
    mechanism = replace(body.mechanism, allowed=(*body.mechanism.allowed, *pairs))
    return replace(body, mechanism=mechanism, guards=[])
