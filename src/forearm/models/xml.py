"""Reads XML that may come from anywhere: bounded in size, no entities, no outside references."""

from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from forearm.common.files import MAX_BYTES, read_file
from forearm.errors import ModelError

# Deeper nesting than this is no robot, and would exhaust the stack of what walks it.
MAX_DEPTH = 500


def read_text(source: Any, what: str) -> tuple[bytes, str]:
    """The bytes of a description and what to call it in messages.

    Args:
        source: A path, or the XML itself as a string or bytes.
        what: What kind of description is expected, for messages.
    """
    if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<")):
        data = source if isinstance(source, bytes) else source.lstrip("\ufeff \t\r\n").encode()
        if len(data) > MAX_BYTES:
            raise ModelError(f"the {what} text has {len(data):,} bytes; at most {MAX_BYTES:,} are read")
        return data, f"the {what} text"
    if isinstance(source, str) and not source.strip():
        raise ModelError(f"the {what} is an empty text; give a path or XML text")
    if not isinstance(source, (str, Path)):
        raise ModelError(f"a {what} is a path or XML text, not {type(source).__name__}")
    path = Path(source)
    return read_file(path, what), path.name


def parse_xml(data: bytes, where: str, root_tag: str) -> Element:
    """The root element, if the text is safe XML with the expected root."""
    if not data.strip():
        raise ModelError(f"{where} is empty; expected <{root_tag}>")
    try:
        root: Element = fromstring(data, forbid_dtd=True)
    except DefusedXmlException as problem:
        kind = type(problem).__name__.removesuffix("Forbidden")
        raise ModelError(
            f"{where} declares a document type or entities ({kind}), which is refused for safety; "
            "expand it first, or remove the declaration"
        ) from None
    except (ParseError, ValueError, LookupError, RecursionError) as problem:
        raise ModelError(f"{where} is not well-formed XML: {problem}") from None
    if root.tag != root_tag:
        raise ModelError(f"{where} has the root <{root.tag[:60]}>; expected <{root_tag}>")
    _check_depth(root, where)
    return root


def _check_depth(root: Element, where: str) -> None:
    level, depth = [root], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise ModelError(f"{where} nests elements more than {MAX_DEPTH} deep; it is no robot description")
        level = [child for element in level for child in element]
