"""The names of a xacro document: properties, evaluated when they are first asked for, and macros."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

from forearm.models.expansion.bounds import ExpansionError
from forearm.models.expansion.expressions import Space

TRUE, FALSE = ("true", "True"), ("false", "False")
Evaluate = Callable[[str, "Scope"], Any]  # a text with `${...}` in it, and the scope that knows its names


@dataclass
class Macro:
    """A macro: its body, its parameters in order, and what they are where none is given.

    A default is the name of a property to take over from the caller, or None, and a text, or None.
    """

    body: Element
    params: list[str]
    defaults: dict[str, tuple[str | None, str | None]]


@dataclass(eq=False, repr=False)
class Scope(Space):
    """The properties and macros of a macro's body, of a file with a namespace, or of the whole document."""

    evaluate: Evaluate
    parent: "Scope | None" = None
    is_namespace: bool = False
    values: dict[str, Any] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)  # not yet evaluated
    busy: list[str] = field(default_factory=list)  # being evaluated
    macros: dict[str, Macro] = field(default_factory=dict)
    spaces: dict[str, "Scope"] = field(default_factory=dict)

    def __contains__(self, name: object) -> bool:
        """Whether a property is defined here or above."""
        return self._home(str(name)) is not None

    def __getitem__(self, name: str) -> Any:
        """The value of a property, defined here or above."""
        home = self._home(name)
        if home is None:
            raise KeyError(name)
        if name in home.waiting:
            if name in home.busy:
                raise ExpansionError(f"the property '{name}' is defined by itself: {' -> '.join([*home.busy, name])}")
            home.busy.append(name)
            home.values[name] = literal(home.evaluate(home.values[name], home))
            home.busy.remove(name)
            home.waiting.discard(name)
        return home.values[name]

    def __repr__(self) -> str:
        """What a text shows that names it."""
        return "namespace"

    def _home(self, name: str) -> "Scope | None":
        scope: Scope | None = self
        while scope is not None and name not in scope.values:
            scope = scope.parent
        return scope

    def put(self, name: str, value: Any, lazy: bool) -> None:
        """Gives a property a value; a text waits until it is asked for, if `lazy`."""
        self.values[name] = value = literal(value)
        self.waiting.discard(name)
        if lazy and isinstance(value, str):
            self.waiting.add(name)

    def remove(self, name: str) -> None:
        """Takes a property away, here and above."""
        scope: Scope | None = self
        while scope is not None:
            scope.values.pop(name, None)
            scope.waiting.discard(name)
            scope = scope.parent

    def top(self) -> "Scope":
        """The scope of the whole document."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def macro(self, name: str) -> "tuple[Scope, Macro] | None":
        """A macro by its name, which may begin with namespaces, and the scope that it sees."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.macros:
                return self, scope.macros[name]
            first, _, rest = name.partition(".")
            if rest and first in scope.spaces:
                return scope.spaces[first].macro(rest)
            scope = scope.parent
        return None


def literal(value: Any) -> Any:
    """A text as the number or the truth that it spells, else as it is."""
    if not isinstance(value, str):
        return value
    if len(value) >= len("''") and value[0] == value[-1] == "'":
        return value[1:-1]
    if "_" in value:  # Python would drop it from a number
        return value
    for read in (int, float):
        try:
            return read(value)
        except ValueError:
            continue
    return {**dict.fromkeys(TRUE, True), **dict.fromkeys(FALSE, False)}.get(value, value)


def truth(value: Any, text: str) -> bool:
    """Whether a condition, written as `text`, holds."""
    if not isinstance(value, str):
        return bool(value)
    if value in TRUE or value in FALSE:
        return value in TRUE
    try:
        return bool(int(value))
    except ValueError:
        raise ExpansionError(f"the condition '{text[:60]}' is '{value[:60]}', neither true nor false") from None
