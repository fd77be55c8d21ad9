"""The texts of a xacro: `${expression}` and `$(command ...)` filled in.

A text that is one expression and nothing else has its value, of whatever kind; all others are texts.
"""

import importlib
import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forearm.common.folders import Folders
from forearm.errors import MissingExtraError
from forearm.models.expansion.bounds import Bounds, ExpansionError, check_room
from forearm.models.expansion.expressions import evaluate, shown
from forearm.models.expansion.scope import Scope, literal

# In this order: escaped, an expression, a command, any other text.
PARTS = re.compile(r"\$\$+(?=[{(])|\$\{([^}]*)\}|\$\(([^)]*)\)|[^$]+|\$(?![{($])")
YAML_BYTES = 64 * 1024
STEPS_PER_BYTE = 2  # of YAML, which is slow to read
UNITS = {
    "!radians": 1.0,
    "!degrees": math.pi / 180.0,
    "!meters": 1.0,
    "!millimeters": 0.001,
    "!foot": 0.3048,
    "!inches": 0.0254,
}
PLAIN = (bool, int, float, str, type(None))


class Texts:
    """Fills in the texts of one document.

    Attributes:
        folders: Where its files may lie.
        args: What `$(arg name)` stands for.
        files: The files that are being read, the innermost last; none for the document itself.
    """

    def __init__(self, folders: Folders, args: dict[str, str], bounds: Bounds) -> None:
        self.folders, self.args, self.bounds = folders, args, bounds
        self.files: list[Path] = []
        self.loaded: dict[Path, Any] = {}  # YAML by its file

    def text(self, text: str | None, scope: Scope) -> str:
        """A text with everything in it filled in."""
        if text is None or "$" not in text:
            return text or ""
        return self._written(self.value(text, scope))

    def value(self, text: str, scope: Scope) -> Any:
        """The value of a text: that of its expression, if it is one and nothing else."""
        parts: list[Any] = []
        place = 0
        while place < len(text):
            match = PARTS.match(text, place)
            if match is None:
                raise ExpansionError(f"'{shown(text[place:])}' has no closing bracket")
            place = match.end()
            expression, command = match.groups()
            if expression is not None:
                parts.append(evaluate(self.text(expression, scope), Known(self, scope), self.bounds))
            elif command is not None:
                parts.append(self._command(self.text(command, scope), scope, text[place:]))
            elif match.group().startswith("$$"):  # ${ that is meant as such
                end = place + 1
                parts.append(match.group()[1:] + text[place:end])
                place = end
            else:
                parts.append(match.group())
        return parts[0] if len(parts) == 1 else "".join(map(self._written, parts))

    def _written(self, value: Any) -> str:
        if not isinstance(value, str):
            check_room(value)
        return self.bounds.made(str(value))

    def beside(self, name: str) -> Path:
        """The path of a file that is named beside the one that is being read."""
        return (self.files[-1].parent if self.files else self.folders.own) / name

    def read(self, path: Path, what: str) -> bytes:
        """The bytes of a file that the document may read."""
        self.bounds.step()
        return self.bounds.file(self.folders.read(path, what, YAML_BYTES if what == "YAML" else MAX_INCLUDED))

    # -- commands: $(find package) and the like --------------------------------------------------

    def _command(self, text: str, scope: Scope, behind: str) -> str:
        """What a command stands for; `behind` is the text that follows it."""
        name, _, rest = text.strip().partition(" ")
        words = rest.split()
        if name == "eval":
            return self._written(evaluate(rest, Arguments(self, scope), self.bounds))
        if name in ("cwd", "dirname") and not words:
            return str(self.beside("").absolute() if name == "dirname" else self.folders.own)
        if name == "optenv" and words:
            return os.environ.get(words[0], " ".join(words[1:]))
        if len(words) != 1 or name not in ("arg", "env", "find"):
            raise ExpansionError(
                f"'$({shown(text)})' is no command; there are arg, cwd, dirname, env, eval, find, optenv"
            )
        if name == "find":
            return str(self._package(words[0], behind))
        known = self.args if name == "arg" else os.environ
        if words[0] not in known:
            what = "Undefined substitution argument" if name == "arg" else "there is no environment variable"
            raise ExpansionError(f"{what} {words[0][:60]}")
        return str(known[words[0]])

    def _package(self, name: str, behind: str) -> Path:
        """The folder of a package, in which the file is sought that is named behind it."""
        found = self.folders.package(name, "" if "$" in behind else behind.lstrip("/"))
        if found is None:
            raise ExpansionError(f"Package not found: {name[:60]}")
        return found

    # -- YAML ------------------------------------------------------------------------------------

    def load_yaml(self, name: str) -> Any:
        """The content of a YAML file: numbers, texts, lists and dictionaries."""
        try:
            yaml = importlib.import_module("yaml")
        except ImportError:
            raise MissingExtraError("the YAML file of a xacro", "xacro") from None
        name = str(name)
        path = self.beside(name)
        if path in self.loaded:  # no expression can change it
            return self.loaded[path]
        data = self.read(path, "YAML")
        self.bounds.step(STEPS_PER_BYTE * len(data))
        try:
            value = yaml.load(data, self._loader(yaml))  # a kind of SafeLoader, which makes plain values only
        except (yaml.YAMLError, *YAML_FAULTS) as problem:
            raise ExpansionError(
                f"'{name[:60]}' is no YAML that is read here: {' '.join(str(problem).split())}"
            ) from None
        check_room(value)
        self.loaded[path] = _plain(value)
        return self.loaded[path]

    def _loader(self, yaml: Any) -> Any:
        """YAML's safe loader with xacro's units, and without merged keys, which may grow without bound."""

        class Loader(yaml.SafeLoader):  # type: ignore[misc, name-defined]
            def flatten_mapping(self, node: Any) -> None:
                if any(key.tag == "tag:yaml.org,2002:merge" for key, _ in node.value):
                    raise yaml.YAMLError("it merges keys (<<); write them out")

        def unit(factor: float) -> Callable[[Any, Any], float]:
            nothing = Known(self, Scope(self.value))
            return lambda loader, node: factor * float(evaluate(loader.construct_scalar(node), nothing, self.bounds))

        for tag, factor in UNITS.items():
            Loader.add_constructor(tag, unit(factor))
        return Loader


class Known:
    """The names that an expression knows in a scope."""

    def __init__(self, texts: Texts, scope: Scope) -> None:
        self.texts, self.scope = texts, scope

    def value(self, name: str) -> Any:
        """The value of a property."""
        return self.scope[name]

    def function(self, name: str) -> Callable[..., Any] | None:
        """A function that needs to know the document."""
        if name in self.scope:  # a property may have a function's name
            return None
        return {
            "load_yaml": self.texts.load_yaml,
            "abs_filename": lambda path: str(self.texts.beside(str(path))),
            "arg": self._arg,
        }.get(name.removeprefix("xacro."))

    def _arg(self, name: str) -> Any:
        if name not in self.texts.args:
            raise ExpansionError(f"Undefined substitution argument {str(name)[:60]}")
        return self.texts.args[name]


class Arguments(Known):
    """The names that `$(eval ...)` knows: the arguments."""

    def value(self, name: str) -> Any:
        """The value of an argument."""
        if name in ("true", "false"):
            return name == "true"
        return literal(self.texts.args[name])

    def _arg(self, name: str) -> Any:
        return literal(super()._arg(name))


def _plain(value: Any) -> Any:
    """A value of YAML with what expressions do not know (dates, sets) as text."""
    if isinstance(value, dict):
        return {_plain(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value if isinstance(value, PLAIN) else str(value)


MAX_INCLUDED = 8 * 1024 * 1024  # bytes
YAML_FAULTS = (ValueError, TypeError, LookupError, RecursionError, AttributeError)
