"""How kernels come to run: compiled ahead of time, just in time by Numba, or as plain Python.

A kernel is a function under one of the decorators below. Those that Python enters (`core/border.py`) arrive compiled in
the extension module `_kernels`; there the decorator gives the compiled function back, and what is not entered stays as
it is. An entry whose sources are not those of the module is compiled just in time, and so are all where there is no
module for this machine; `CHOICE` says which, and why.
"""

import importlib.util
import os
from typing import NamedTuple

from forearm.core.compiled import NOTHING, Ahead, find

WAYS = ("compiled", "jit", "python")
VARIABLE = "FOREARM_KERNELS"  # the environment may name a way


class Choice(NamedTuple):
    """How the kernels of this process run."""

    way: str  # one of WAYS
    why: str  # why not as they arrive, or an empty string
    ahead: Ahead  # what is compiled ahead of time and may be used
    numba: bool  # whether Numba compiles what is not


def choose() -> Choice:
    """Compiled ahead if sources and processor fit, else just in time if Numba is here, else an error that says why."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", *WAYS):
        raise ImportError(f"{VARIABLE} is '{wanted}'; it takes {', '.join(WAYS)}, or leave it unset")
    if wanted == "python" or os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return Choice("python", "the environment asks for it", NOTHING, False)
    if wanted == "jit":
        return Choice("jit", "", NOTHING, True)
    ahead = find()
    if not ahead.why:
        return Choice("compiled", "", ahead, False)
    if wanted == "compiled" or importlib.util.find_spec("numba") is None:
        raise ImportError(
            f"forearm's compiled kernels cannot be used: {ahead.why}. Install a wheel for this machine, or Numba, "
            "which compiles them at first use: pip install 'numba>=0.60'"
        )
    return Choice("compiled" if ahead.fresh else "jit", ahead.why, ahead, True)


CHOICE = choose()

if CHOICE.numba:
    from forearm.core.numba_jit import announce, compile_later, lend, share

    announce(CHOICE.why)


def lean(function):
    """A compiled function that allocates nothing, and so is spared the counting of references.

    Slices are free here; an allocation is refused when the function is compiled. It may hand arrays,
    or named tuples of them, to lean functions alone: a caller that counts would give back a reference
    that was never taken, which corrupts the memory.

    That it is not always inlined is said in so many words: Numba would take that from whoever happens to call it first.
    """
    return _compile(function, {"forceinline": False, "_nrt": False})


def leaf(function):
    """A small `lean` function that is always inlined into its caller."""
    return _compile(function, {"forceinline": True, "_nrt": False})


def shared(function):
    """A small function that kernels compile in and that Python calls as it is."""
    return share(function) if CHOICE.numba else function


def _compile(function, extra):
    name = f"{function.__module__.removeprefix('forearm.core.')}.{function.__name__}"
    entry = CHOICE.ahead.fresh.get(name)
    if not CHOICE.numba:
        return function if entry is None else entry
    return compile_later(function, extra) if entry is None else lend(entry, function, extra)
