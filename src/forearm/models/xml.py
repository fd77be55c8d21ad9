"""Reads XML that may come from anywhere: bounded in size, no entities, no outside references.

And what its elements say: names, numbers and poses, with words for what is wrong.
"""

import math
import re
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from forearm.common.checks import number_in
from forearm.common.files import MAX_BYTES, read_file
from forearm.common.transforms import from_rpy, translation
from forearm.common.types import Floats
from forearm.errors import ModelError
from forearm.models.mechanism import Triple

# Deeper nesting than this is no robot, and would exhaust the stack of what walks it.
MAX_DEPTH = 500
# The largest robots have some ten thousand tags; each takes up memory, however short it is.
MAX_TAGS = 200_000
OPENING = re.compile(rb"<(?:(!--|[!?])|([^\s/>]+))")
BLANKS = "\ufeff \t\r\n"  # what may stand before the first tag


def read_text(source: Any, what: str) -> tuple[bytes, str]:
    """The bytes of a description, given by its path or as XML, and what to call it in messages."""
    if _is_text(source):
        data = source if isinstance(source, bytes) else _encoded(source.lstrip(BLANKS), what)
        if len(data) > MAX_BYTES:
            raise ModelError(f"the {what} text has {len(data):,} bytes; at most {MAX_BYTES:,} are read")
        return data, f"the {what} text"
    if isinstance(source, str) and not source.strip():
        raise ModelError(f"the {what} is an empty text; give a path or XML text")
    if not isinstance(source, (str, Path)):
        raise ModelError(f"{what} is given as a path or as XML text, not {type(source).__name__}")
    path = Path(source)
    return read_file(path, what), path.name


def _encoded(text: str, what: str) -> bytes:
    """XML text as bytes."""
    try:
        return text.encode()
    except UnicodeEncodeError as problem:
        seen = f"U+{ord(text[problem.start]):04X} at character {problem.start}"
        raise ModelError(f"the {what} text has {seen}, half of a character; write the whole character") from None


def _is_text(source: Any) -> bool:
    """Whether a description is given as XML, not as the path of a file."""
    return isinstance(source, bytes) or (isinstance(source, str) and source.lstrip(BLANKS).startswith("<"))


def file_of(source: Any) -> Path | None:
    """Where a description lies; None for text, which lies nowhere."""
    return None if _is_text(source) else Path(source).absolute()


def root_tag(data: bytes) -> str:
    """What the first element of a text is called, by a glance; an empty text where there is none."""
    place = 0
    while match := OPENING.search(data, place):
        if match.group(1):  # a comment or a declaration, which may hold tags
            end = data.find(b"-->" if match.group(1) == b"!--" else b">", match.end())
            place = len(data) if end < 0 else end
            continue
        return match.group(2).decode("utf-8", "replace")
    return ""


def parse_xml(data: bytes, where: str, root_tag: str) -> Element:
    """The root element, if the text is safe XML with the expected root."""
    if not data.strip():
        raise ModelError(f"{where} is empty; expected <{root_tag}>")
    root = parse_part(data, where)
    if root.tag != root_tag:
        raise ModelError(f"{where} has the root <{root.tag[:60]}>; expected <{root_tag}>")
    return root


def parse_part(data: bytes, where: str) -> Element:
    """The root element of safe XML, whatever it is."""
    if data.count(b"<") > MAX_TAGS or data.count(b"=") > MAX_TAGS:
        raise ModelError(f"{where} has more than {MAX_TAGS:,} tags or attributes; it is no robot description")
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
    level, depth = [root], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise ModelError(f"{where} nests elements more than {MAX_DEPTH} deep; it is no robot description")
        level = [child for element in level for child in element]
    return root


def read_origin(element: Element | None, label: str) -> Floats:
    """(4, 4) pose of an `<origin>`; the identity if there is none."""
    xyz = numbers(element, "xyz", (0.0, 0.0, 0.0), label)
    rpy = numbers(element, "rpy", (0.0, 0.0, 0.0), label)
    return translation(*xyz) @ from_rpy(*rpy)


def child(element: Element, tag: str, label: str) -> Element:
    """The only child of a kind, which there must be."""
    child = element.find(tag)
    if child is None:
        raise ModelError(f"{label} has no <{tag}>")
    return child


def attribute(element: Element, key: str, label: str) -> str:
    """A text that must be there."""
    value = element.get(key)
    if not value:
        raise ModelError(f"{label}: <{element.tag}> has no attribute '{key}'")
    return value


def number(element: Element | None, key: str, default: float, label: str, *, finite: bool = True) -> float:
    """A number, or its default."""
    text = None if element is None else element.get(key)
    return default if text is None else _parse(text, key, label, finite)


def numbers(element: Element | None, key: str, default: Triple, label: str) -> Triple:
    """Three numbers, or their default."""
    text = None if element is None else element.get(key)
    if text is None:
        return default
    words = text.split()
    if len(words) != len(default):
        raise ModelError(f'{label} has {key}="{text[:60]}"; it takes three numbers')
    x, y, z = (_parse(word, key, label, True) for word in words)
    return x, y, z


def _parse(text: str, key: str, label: str, finite: bool) -> float:
    try:
        value = number_in(text)
    except ValueError:
        raise ModelError(f'{label} has {key}="{text[:60]}", which is not a number') from None
    if finite and not math.isfinite(value):
        raise ModelError(f'{label} has {key}="{text[:60]}"; it must be finite')
    return value
