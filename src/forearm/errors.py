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

import difflib
from collections.abc import Iterable
from typing import Any


class ForearmError(Exception):
    """Base of everything forearm raises on purpose."""


class ModelError(ForearmError, ValueError):
    """A robot description that cannot be read or makes no sense."""


class TargetError(ForearmError, ValueError):
    """A target that is no target."""


class OptionError(ForearmError, ValueError):
    """A wrong argument to a call."""


class UnsupportedError(ForearmError, ValueError):
    """A method that cannot do what was asked."""


class MissingExtraError(ForearmError, ImportError):
    """An optional package is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package: pip install 'forearm[{extra}]'")
        self.what = what
        self.extra = extra

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as the arguments it was made from."""
        return type(self), (self.what, self.extra)


class NotSolvedError(ForearmError):
    """A solution that failed, raised on request; the solution is in `.solution`."""

    def __init__(self, message: str, solution: Any) -> None:
        super().__init__(message)
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as the arguments it was made from."""
        return type(self), (str(self), self.solution)


def nearest_names(name: object, names: Iterable[str], count: int = 3) -> str:
    """The tail of an 'unknown name' message: the closest names, or all of them if none is close."""
    names = sorted(names)
    close = difflib.get_close_matches(str(name).lower(), names, n=count, cutoff=0.5)
    if close:
        return f"did you mean {', '.join(close)}?"
    shown = ", ".join(names[:MAX_NAMES_SHOWN])
    more = len(names) - MAX_NAMES_SHOWN
    return f"there are: {shown}" + (f" and {more} more" if more > 0 else "")


def counted(count: int, noun: str) -> str:
    """A number of things in words that fit: `1 joint`, `2 joints`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


MAX_NAMES_SHOWN = 20
