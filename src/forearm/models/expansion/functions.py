"""The functions and constants that expressions may use: a table of names, nothing beside it.

They are those that xacro offers, but for what would reach beyond values (`type`, `vars`, `hash`) or take other
functions (`map`, `filter`).
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from forearm.models.expansion.bounds import MAX_BITS, MAX_ROOM, ExpansionError

MATHEMATICS = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "copysign", "cos", "cosh", "degrees", "erf",
    "exp", "expm1", "fabs", "floor", "fmod", "hypot", "isclose", "isfinite", "isinf", "isnan", "log", "log10", "log1p",
    "log2", "pow", "radians", "remainder", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip
CONSTANTS = {name: getattr(math, name) for name in ("pi", "e", "tau", "inf", "nan")}


def _range(*given: int) -> list[int]:
    numbers = range(*given)
    if len(numbers) > MAX_ROOM:
        raise ExpansionError(f"range() has {len(numbers):,} numbers; at most {MAX_ROOM:,} are made")
    return list(numbers)


def _round(value: float, digits: int | None = None) -> float:
    if digits is not None and abs(digits) > MAX_BITS:
        raise ExpansionError(f"round() is given {digits} digits")
    return round(value, digits)


def _sum(items: Any, start: Any = 0) -> Any:
    if not all(isinstance(item, (int, float)) for item in [*items, start]):
        raise ExpansionError("sum() takes numbers")
    return sum(items, start)


def _dict(*given: Any, **named: Any) -> dict[Any, Any]:
    return dict(*given, **named)


def _tokenize(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    """A text cut at any of the characters `sep`."""
    for each in sep[1:]:
        text = text.replace(each, sep[0])
    return [part for part in text.split(sep[0]) if part or not skip_empty]


def _fatal(*said: Any) -> str:
    raise ExpansionError(" ".join(map(str, said)))


def _silent(*_: Any, **__: Any) -> str:
    """What xacro prints; here nothing is printed."""
    return ""


BUILT_IN: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "all": all,
    "any": any,
    "bool": bool,
    "dict": _dict,
    "divmod": divmod,
    "enumerate": lambda items, start=0: [(start + k, item) for k, item in enumerate(items)],
    "float": float,
    "int": int,
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "ord": ord,
    "range": _range,
    "repr": repr,
    "reversed": lambda items: list(reversed(items)),
    "round": _round,
    "sorted": sorted,
    "str": str,
    "sum": _sum,
    "tuple": tuple,
    "zip": lambda *rows: list(zip(*rows, strict=False)),
}
MATH = {name: getattr(math, name) for name in MATHEMATICS}
XACRO: dict[str, Callable[..., Any]] = {
    "dotify": _dict,
    "error": _silent,
    "fatal": _fatal,
    "message": _silent,
    "print_location": _silent,
    "tokenize": _tokenize,
    "warning": _silent,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **MATH,
    **BUILT_IN,
    **{f"math.{name}": call for name, call in MATH.items()},
    **{f"python.{name}": call for name, call in BUILT_IN.items()},
    **{f"xacro.{name}": call for name, call in XACRO.items()},
}
SPACES: dict[str, Any] = {"math": CONSTANTS, "True": True, "False": False}


def _of_text(call: Callable[..., Any]) -> Callable[..., Any]:
    """A method of texts."""

    def checked(whole: Any, *given: Any) -> Any:
        if not isinstance(whole, str):
            raise ExpansionError(f"{call.__name__}() is called on {type(whole).__name__}; only texts have it")
        return call(whole, *given)

    return checked


def _of_mapping(call: Callable[..., Any]) -> Callable[..., Any]:
    """A method of dictionaries."""

    def checked(whole: Any, *given: Any) -> Any:
        if not isinstance(whole, Mapping):
            raise ExpansionError(f"a key is looked up in {type(whole).__name__}; only dictionaries have them")
        return call(whole, *given)

    return checked


METHODS: dict[str, Callable[..., Any]] = {
    **{name: _of_text(getattr(str, name)) for name in ("endswith", "lower", "split", "startswith", "strip", "upper")},
    "get": _of_mapping(lambda whole, key, default=None: whole.get(key, default)),
    "items": _of_mapping(lambda whole: list(whole.items())),
    "keys": _of_mapping(list),
    "values": _of_mapping(lambda whole: list(whole.values())),
}
