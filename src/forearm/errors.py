"""What forearm raises. Wrong input raises; a target that cannot be reached never does.

```
ForearmError
├── ModelError          a robot description that cannot be read or makes no sense
├── TargetError         a target that is no target: NaN, not rigid, wrong shape
├── OptionError         a wrong argument: q0, limits, an unknown method or option
├── UnsupportedError    a method that cannot do what was asked; says which can
├── MissingExtraError   an optional package is not installed; says the pip command
└── NotSolvedError      only from Solution.raise_if_failed(); carries the solution
```
"""

import re
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, NoReturn, TypeVar

C = TypeVar("C", bound=Callable[..., Any])
K = TypeVar("K", bound=type)


class Message(str):
    """A sentence whose marked places each front end fills in its own words; as text, in Python's.

    `Message("{argument} is -1; {ask}", argument="tries", ask="give tries=5")` reads "tries is -1; give
    tries=5" to a Python caller. The command line has words of its own for `tries` and for `ask`.

    Attributes:
        text: The sentence with its marks, as in `{argument}`; other braces stand for themselves.
        said: What stands at each mark for a Python caller. `argument` names the argument that is wrong.
    """

    text: str
    said: dict[str, str]

    def __new__(cls, text: str, **said: str) -> "Message":
        """Fills in the Python words; what a file holds may be no text that can be shown, so that is escaped."""
        text, said = shown(text), {mark: shown(word) for mark, word in said.items()}
        message = super().__new__(cls, filled(text, said))
        message.text, message.said = text, said
        return message

    def __add__(self, more: str) -> "Message":
        """Goes on with the sentence and keeps its marks."""
        return Message(self.text + more, **self.said)

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, str]]:
        """Pickles as what it was made from."""
        return (self.text,), self.said


def shown(text: str) -> str:
    """A text for a terminal: in one line, long words cut, halves of characters and control characters escaped."""
    if len(text) > LONGEST_WORD:
        text = LONG_WORD.sub(lambda word: f"{word.group()[: LONGEST_WORD // 2]}...", text)
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in " ".join(text.splitlines()))


def filled(text: str, words: dict[str, str]) -> str:
    """The text with words in place of its marks."""
    for mark, word in words.items():
        text = text.replace(f"{{{mark}}}", word)
    return text


def within(where: str, told: "str | ForearmError") -> Message:
    """The message of something inside something else, as in `way-point 3: position has nan`.

    What was an argument is now a part of `where`, so its name is no longer a front end's to choose.
    """
    if isinstance(told, ForearmError):
        return within(where, told.message)
    if not isinstance(told, Message):
        return Message(f"{where}: {told}")
    named = filled(told.text, {"argument": told.said.get("argument", "")})
    return Message(f"{where}: {named}", **told.said)


class ForearmError(Exception):
    """Base of everything forearm raises on purpose.

    Args:
        text: The message; `{mark}` stands for the words of the keyword `mark`, see `Message`.
        said: The Python words at each mark.
    """

    def __init__(self, text: object = "", **said: str) -> None:
        super().__init__(text if isinstance(text, Message) else Message(str(text), **said))

    @property
    def message(self) -> Message:
        """The message, which another front end may put in its own words."""
        message: Message = self.args[0]
        return message

    @property
    def argument(self) -> str | None:
        """The name of the argument that is wrong, or None where something else is."""
        name = self.message.said.get("argument", "").partition("=")[0]
        return name if name.isidentifier() else None


class ModelError(ForearmError, ValueError):
    """A robot description that cannot be read or makes no sense."""


class TargetError(ForearmError, ValueError):
    """A target that is no target."""


class OptionError(ForearmError, ValueError):
    """A wrong argument to a call."""


class UnsupportedError(ForearmError, ValueError):
    """A method that cannot do what was asked."""


# What the optional parts need, as `pyproject.toml` has it: messages name it, for it installs wherever forearm is from.
EXTRAS = {
    "jit": ("numba>=0.60",),
    "plot": ("matplotlib>=3.8",),
    "mjcf": ("mujoco>=3.10",),
    "xacro": ("pyyaml>=6",),
    "viewer": ("viser>=1.1.1,<1.2",),
    "nlopt": ("nlopt>=2.8",),
    "scale": ("dask>=2024.8", "distributed>=2024.8", "pyarrow>=16"),
    "collision": ("trimesh>=4", "pycollada>=0.8"),
}


def pip_install(extra: str, only: str | tuple[str, ...] = "") -> str:
    """The command that installs what an optional part needs, or only some packages of it."""
    return " ".join(("pip install", *(f"'{package}'" for package in EXTRAS[extra] if package.startswith(only))))


class MissingExtraError(ForearmError, ImportError):
    """An optional package is not installed; `only` names those that are needed of several."""

    def __init__(self, what: str, extra: str, only: str | tuple[str, ...] = "") -> None:
        super().__init__(f"{what} needs an optional package: {pip_install(extra, only)}")
        self.what = what
        self.extra = extra
        self.only = only

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as the arguments it was made from."""
        return type(self), (self.what, self.extra, self.only)


class NotSolvedError(ForearmError):
    """A solution that failed, raised on request; the solution is in `.solution`."""

    def __init__(self, message: str, solution: Any) -> None:
        super().__init__(message)
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as the arguments it was made from."""
        return type(self), (str(self), self.solution)


def nearest_names(name: object, names: Iterable[str], count: int = 3) -> str:
    """The tail of an 'unknown name' message: the closest names, or all of them if none is close.

    Neither case nor the way of writing a side counts (`hand_l` is near `LeftHand`), and no name of the other side is
    proposed.
    """
    names = sorted(names)
    import difflib  # noqa: PLC0415 (only a fault asks)

    side, word = _sided(str(name)[:100])
    plain = {each: _sided(each) for each in names}
    near = {each: said for each, (own, said) in plain.items() if not side or not own or own == side}
    close = difflib.get_close_matches(word, list(near.values()), n=count, cutoff=0.5)
    if close:
        found = dict.fromkeys(each for said in close for each in near if near[each] == said)
        return f"did you mean {', '.join(list(found)[:count])}?"
    shown = ", ".join(names[:MAX_NAMES_SHOWN])
    more = len(names) - MAX_NAMES_SHOWN
    return f"there are: {shown}" + (f" and {more} more" if more > 0 else "")


def told_in_words(call: C) -> C:
    """A call or a class whose arguments, where one is missing or is none of its own, are told with all that it takes.

    Python is asked first, so that a call with nothing wrong about it costs nothing more.
    """
    if isinstance(call, type):
        call.__init__ = told_in_words(call.__init__)  # type: ignore[misc]
        return call

    @wraps(call)
    def called(*args: Any, **given: Any) -> Any:
        try:
            return call(*args, **given)
        except TypeError:
            refuse_misfit(call, args, given)
            raise

    return called  # type: ignore[return-value]


def refuse_misfit(call: Callable[..., Any], args: tuple[Any, ...], given: dict[str, Any]) -> None:
    """Raises for arguments that a call does not take, or that it misses."""
    import inspect  # noqa: PLC0415 (only a fault asks)

    form, what = inspect.signature(call), call.__qualname__.removesuffix(".__init__")
    try:
        form.bind(*args, **given)
    except TypeError as problem:
        gathered = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        taken = [name for name, each in form.parameters.items() if each.kind not in gathered]
        taken = [name for name in taken if name not in ("self", "cls")]
        for name in given:
            if name not in taken:
                raise OptionError(f"{what} takes no {name}; {meant_names(name, taken)}") from None
        raise OptionError(f"{what}: {problem}; it takes, in this order: {', '.join(taken)}") from None


def meant_names(name: str, names: Iterable[str]) -> str:
    """The tail of an 'unknown name' message: what other libraries' word for it means here, else the closest names."""
    meant = [here for here, words in ELSEWHERE.items() if name.lower() in words and here in names]
    return f"did you mean {' or '.join(meant)}?" if meant else nearest_names(name, names)


def unknown_name(module: str, name: str, names: Iterable[str]) -> AttributeError:
    """What a module answers that has no such name: the nearest of those it shows."""
    near = "" if name.startswith("_") else f"; {nearest_names(name, names)}"  # which Python and tools ask for
    return AttributeError(f"module '{module}' has no attribute '{name}'{near}", name=name)


class Elsewhere:
    """Stands at a name that other libraries use: who asks for it is told what it is called here.

    It leaves no trace: `hasattr` says no, `dir` does not list it, and looking up other names takes no longer, as it
    would with a `__getattr__`.
    """

    def __init__(self, name: str, told: str) -> None:
        self.name, self.told = name, told

    def __get__(self, thing: Any, kind: type) -> NoReturn:
        """Raises what Python raises, with the name that is meant."""
        told = f"{kind.__name__} has no '{self.name}'; {self.told}"
        raise AttributeError(told, name=self.name)


def known_elsewhere(kind: K) -> K:
    """A class that answers other libraries' names for what it has with its own."""
    own = {*dir(kind), *getattr(kind, "__dataclass_fields__", ())}
    for word in {word for here, words in ELSEWHERE.items() if here in own for word in words} - own:
        setattr(kind, word, Elsewhere(word, meant_names(word, own)))
    hidden = {name for name, value in vars(kind).items() if isinstance(value, Elsewhere)}

    def shown_names(thing: Any) -> list[str]:
        return [each for each in object.__dir__(thing) if each not in hidden]

    kind.__dir__ = shown_names  # type: ignore[assignment]
    return kind


def _sided(name: str) -> tuple[str, str]:
    """The side that a name tells (left, right, or none), and the name in small letters with that side in front."""
    for side, pattern in SIDES.items():
        rest, found = pattern.subn("", name, count=1)
        if found and rest.strip("_.- "):
            return side, side + rest.lower().strip("_.- ")
    return "", name.lower()


def quoted(name: str) -> str:
    """An obstacle's name in a sentence: in quotes if the user gave it."""
    return name if name.startswith(UNNAMED) else f"'{name}'"


def counted(count: int, noun: str) -> str:
    """A number of things in words that fit: `1 joint`, `2 joints`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


MAX_NAMES_SHOWN = 20
# What other libraries call what has this name here: in methods, and in arguments.
ELSEWHERE = {
    "solve": ("ik", "ikine", "ikine_lm", "ik_lm", "inverse", "inverse_kinematics", "compute_ik", "solve_ik"),
    "fk": ("fkine", "forward", "forward_kinematics", "compute_fk"),
    "jacobian": ("jac", "jacob0", "jacobe", "compute_jacobian"),
    "neutral": ("qz", "qr", "q0"),
    "n": ("dof", "dofs", "nq", "num_joints", "n_joints"),
    "joint_names": ("joints", "links"),
    "limits": ("bounds", "joint_limits", "qlim"),
    "q": ("joints", "joint_values", "positions", "qs", "solution"),
    "points": ("joints", "positions", "q"),
    "success": ("converged", "solved"),
    "tip": ("ee", "ee_link", "end", "end_effector", "tip_link"),
    "base": ("base_link", "root_link"),
    "pose": ("matrix", "t", "xyz"),
    "position": ("point", "xyz"),
    "center": ("origin", "position", "xyz"),
    "radius": ("r", "size"),
    "start": ("initial_position", "q0", "q_init", "seed", "x0"),
    "size": ("dimensions", "extents", "half_size"),
}
SIDES = {
    "left": re.compile(r"[Ll]eft|LEFT|^[Ll](?=[_.\- ])|^L(?=[A-Z][a-z])|[_.\- ][Ll]$"),
    "right": re.compile(r"[Rr]ight|RIGHT|^[Rr](?=[_.\- ])|^R(?=[A-Z][a-z])|[_.\- ][Rr]$"),
}
LONGEST_WORD = 400  # characters; names in files have no bound, paths seldom have more
LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD},}}")
UNNAMED = "obstacle "  # how the made up names of obstacles begin
