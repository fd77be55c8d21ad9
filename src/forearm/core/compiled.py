"""The kernels that were compiled ahead of time: are they here, whole, for this processor, and of these sources?

A wheel's build, or `make kernels`, leaves two files beside this one: the extension module `_kernels`, with a function
for every entry of the border, and `_built.py`, which says what it was made of.
"""

import importlib
from pathlib import Path
from typing import Any, NamedTuple

from forearm.core.stamp import stamp_of


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
        built = importlib.import_module("forearm.core._built")
        name, size, processor, numba = built.FILE, built.SIZE, built.PROCESSOR, built.NUMBA
        stamps: dict[str, str] = built.STAMPS
        edited = stamp_of("border") != built.BORDER
    except (ImportError, AttributeError, SyntaxError):
        return Ahead({}, "there are none in this installation (`make kernels` builds them in a working copy)")
    path = Path(__file__).with_name(name)
    seen = path.stat().st_size if path.exists() else 0
    if seen != size:  # to load a file that is cut off can end the process
        return Ahead({}, f"{path.name} has {seen} bytes where {size} were built", processor, numba)
    try:
        module = importlib.import_module("forearm.core._kernels")
    except ImportError as fault:
        return Ahead({}, f"{path.name} does not load: {fault}", processor, numba)
    missing = missing_features(module)
    if missing:
        return Ahead({}, f"they are for {processor} and this processor has no {missing}", processor, numba)
    if edited:
        return Ahead({}, "the border was edited since they were built", processor, numba)
    return vet(module, stamps, processor, numba)


def missing_features(module: Any) -> str:
    """What this processor lacks of what the module was compiled for."""
    return str(module.missing_features())


def vet(module: Any, stamps: dict[str, str], processor: str, numba: str) -> Ahead:
    """The entries whose sources are those that the module was made of."""
    fresh, stale = {}, []
    for name, stamp in stamps.items():
        entry = getattr(module, name.replace(".", "_"), None)
        if entry is not None and stamp_of(name.rpartition(".")[0]) == stamp:
            fresh[name] = entry
        else:
            stale.append(name)
    first = ", ".join(stale[:2]) + (", ..." if len(stale) > 2 else "")
    why = f"{len(stale)} of {len(stamps)} were edited since they were built ({first})" if stale else ""
    return Ahead(fresh, why, processor, numba)
