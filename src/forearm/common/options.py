"""Options as frozen classes: each field says its meaning, unit and range, and is checked when given."""

import math
from dataclasses import Field, dataclass, field, fields
from typing import Any

import numpy as np

from forearm.common.types import Floats
from forearm.errors import OptionError

MAX_SEED = 2**53 - 1  # the largest whole number a float64 setting holds exactly


def option(default: Any, meaning: str, *, low: float, high: float = math.inf, unit: str = "") -> Any:
    """A field of an options class with its meaning, unit and allowed range."""
    return field(default=default, metadata={"meaning": meaning, "low": low, "high": high, "unit": unit})


def choice(default: str, meaning: str, names: tuple[str, ...]) -> Any:
    """A field of an options class that takes one of some names; the kernel reads its place among them."""
    return field(default=default, metadata={"meaning": meaning, "names": names, "unit": ""})


@dataclass(frozen=True)
class Options:
    """Base of all options: checks the range of every field, packs them for the kernel."""

    def __post_init__(self) -> None:
        """Refuses values that are no numbers or out of range."""
        for item in fields(self):
            _check(item, getattr(self, item.name))

    def refuse_idle(self, idle: tuple[str, ...], now: str, other: str) -> None:
        """Refuses options that another one, as it is `now`, leaves without effect; `other` would read them."""
        for item in fields(self):
            if item.name in idle and getattr(self, item.name) != item.default:
                raise OptionError(f"{now} does not read {item.name}; {other} does")

    def pack(self, rotation_weight: float) -> Floats:
        """The settings array of the method's kernel; the arm's own weight [m/rad] where the option is left at 0."""
        values = {}
        for item in fields(self):
            value, names = getattr(self, item.name), item.metadata.get("names")
            values[item.name] = float(value if names is None else names.index(str(value)))
        if values.get("rotation_weight") == 0.0:
            values["rotation_weight"] = rotation_weight
        return np.array(list(values.values()))


def _check(item: "Field[Any]", value: Any) -> None:
    names = item.metadata.get("names")
    if names is not None:
        if str(value) not in names:
            raise OptionError(f"option {item.name} is {value!r}; it takes one of: {', '.join(names)}")
        return
    if value is None and item.default is None:
        return  # left to the method
    low, high = item.metadata["low"], item.metadata["high"]
    whole = item.type in (int, "int", int | None)
    span = f"{'a whole number' if whole else 'a number'} from {low:g} to {high:g} {item.metadata['unit']}".rstrip()
    if isinstance(value, bool) and (low, high) == (0, 1):
        return  # a switch
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise OptionError(f"option {item.name} is {value!r}; it takes {span}")
    if not low <= value <= high or (whole and value != int(value)):
        raise OptionError(f"option {item.name} is {value}; it takes {span}")
