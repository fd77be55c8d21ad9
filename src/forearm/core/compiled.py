"""The kernels that were compiled ahead of time: are they here, whole, for this processor, and of these sources?

A wheel's build, or `make kernels`, leaves two files beside this one: the extension module `_kernels`, with a function
for every entry of the border, and `_built.py`, which says what it was made of.
"""

import importlib
from pathlib import Path
from typing import Any, NamedTuple

from forearm.core.stamp import check_sum, stamp_of


class Ahead(NamedTuple):
    """What may be used of the compiled module."""

    fresh: dict[str, Any]  # entries by name, those whose sources it was made of
    why: str  # why there are none, or not all; an empty string if there are
    processor: str = ""  # what it was compiled for
    numba: str = ""  # the version that compiled it


NOTHING = Ahead({}, "")


def find() -> Ahead:
    """The entries of the compiled module that may be used here."""
    try:
        built: Any = importlib.import_module("forearm.core._built")
    except (ImportError, SyntaxError):
        return Ahead({}, "there are none in this installation (`make kernels` builds them in a working copy)")
    module, why = load(built)
    fresh: dict[str, Any] = {}
    if not why and check_sum() == built.CHECK_SUM:
        fresh = {name: getattr(module, name.replace(".", "_")) for name in built.STAMPS}
    elif not why:
        fresh, why = vet(module, built)
    return Ahead(fresh, why, built.PROCESSOR, built.NUMBA)


def load(built: Any) -> tuple[Any, str]:
    """The extension module, and why it cannot be used, or an empty string."""
    path = Path(__file__).with_name(built.FILE)
    seen = path.stat().st_size if path.exists() else 0
    if seen != built.SIZE:  # to load a file that is cut off can end the process
        return None, f"{path.name} has {seen} bytes where {built.SIZE} were built"
    try:
        module = importlib.import_module("forearm.core._kernels")
    except ImportError as fault:
        return None, f"{path.name} does not load: {fault}"
    missing = missing_features(module)
    return module, f"they are for {built.PROCESSOR} and this processor has no {missing}" if missing else ""


def missing_features(module: Any) -> str:
    """What this processor lacks of what the module was compiled for."""
    return str(module.missing_features())


def vet(module: Any, built: Any) -> tuple[dict[str, Any], str]:
    """The entries whose sources are those that the module was made of, and why not all are."""
    if stamp_of("border") != built.BORDER:
        return {}, "the border was edited since they were built"
    fresh, stale = {}, []
    for name, stamp in built.STAMPS.items():
        if stamp_of(name.rpartition(".")[0]) == stamp:
            fresh[name] = getattr(module, name.replace(".", "_"))
        else:
            stale.append(name)
    first = ", ".join(stale[:2]) + (", ..." if len(stale) > 2 else "")
    return fresh, f"{len(stale)} of {len(built.STAMPS)} were edited since they were built ({first})" if stale else ""
