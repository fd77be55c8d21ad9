"""What expanding a xacro may take up: far more than any robot needs, and little enough to be done in seconds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from forearm.common.files import MAX_BYTES
from forearm.models.xml import MAX_TAGS

MAX_EXPRESSION = 4_000  # characters of one expression
MAX_NESTING = 60  # brackets in brackets of one expression
MAX_BITS = 4_096  # of a whole number
MAX_ROOM = 5_000  # entries of a list or dictionary with all that is in them, and texts by their hundred characters
MAX_STEPS = 300_000  # parts of expressions, in sum
MAX_ELEMENTS = 100_000  # that are looked at, in sum: the largest robots have some thousand
MAX_TEXT = 16 * 1024 * 1024  # characters that are made, in sum
MAX_DEPTH = 200  # elements and macros in each other: a macro that calls itself a hundred times
MAX_FILES = 500  # that are included
SMALLEST = 50  # characters that a text counts at least
PER_TEXT = 100  # characters of a text that count as an entry


class ExpansionError(Exception):
    """A xacro that cannot be expanded, in words for its author."""


@dataclass
class Bounds:
    """What a document has taken up so far."""

    steps: int = 0
    elements: int = 0
    text: int = 0
    files: int = 0
    size: int = 0
    tags: int = 0

    def step(self, count: int = 1) -> None:
        """Counts parts of expressions."""
        self.steps += count
        if self.steps > MAX_STEPS:
            raise ExpansionError(f"its expressions take more than {MAX_STEPS:,} steps")

    def element(self) -> None:
        """Counts an element that is looked at."""
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            raise ExpansionError(f"it expands to more than {MAX_ELEMENTS:,} elements")

    def made(self, text: str) -> str:
        """Counts a text that was made."""
        self.text += len(text) + SMALLEST
        if self.text > MAX_TEXT:
            raise ExpansionError(f"it expands to more than {MAX_TEXT:,} characters")
        return text

    def file(self, data: bytes) -> bytes:
        """Counts a file that was read."""
        self.files += 1
        self.size += len(data)
        self.tags += data.count(b"<")
        if self.files > MAX_FILES or self.size > MAX_BYTES or self.tags > MAX_TAGS:
            raise ExpansionError(f"it includes more than {MAX_FILES} files, {MAX_BYTES:,} bytes or {MAX_TAGS:,} tags")
        return data


def check_room(value: Any, times: int = 1) -> int:
    """How much a value holds, if that, so many times, is not too much: lists may hold one list often."""
    size = room(value, {}) * max(times, 1)
    if size > MAX_ROOM:
        raise ExpansionError(f"a text, list or dictionary holds more than {MAX_ROOM:,} entries")
    return size


def room(value: Any, known: dict[int, int]) -> int:
    """The entries of a value with all that is in them; each list is looked at once, however often it is held."""
    if isinstance(value, str):
        return 1 + len(value) // PER_TEXT
    if not isinstance(value, (list, tuple, Mapping)):
        return 1
    if id(value) not in known:
        known[id(value)] = MAX_ROOM + 1  # one that holds itself has no end
        parts = [*value.keys(), *value.values()] if isinstance(value, Mapping) else value
        known[id(value)] = 1 + sum(room(part, known) for part in parts)
    return known[id(value)]
