"""The one place that talks to Numba: how kernels are compiled, cached and announced.

Numba keys its on-disk cache by the file that holds a function, so an edit in one file leaves
stale machine code for callers in *another* file. Here every kernel is stamped with a hash of
all of `core`, so any edit or upgrade recompiles what it must and nothing stale is ever run.
"""

import hashlib
import logging
from pathlib import Path

import numba
from numba.core import event

OPTIONS = {"error_model": "numpy", "nogil": True}

_log = logging.getLogger("forearm")


def hash_of_core() -> str:
    """The SHA-256 of every source file in `core`, names included."""
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


_CORE_STAMP = hash_of_core()


def kernel(function):
    """A compiled function with an on-disk cache where one can be written."""
    return _compile(function, {})


def lean(function):
    """A compiled function that allocates nothing, and so is spared the counting of references.

    Slices are free here; an allocation is refused when the function is compiled. It must not return
    an array: a caller that counts would give back a reference that was never taken, which corrupts
    the memory.
    """
    return _compile(function, {"_nrt": False})


def leaf(function):
    """A small `lean` function that is always inlined into its caller; it returns numbers only."""
    return _compile(function, {"forceinline": True, "_nrt": False})


def _compile(function, extra):
    try:
        dispatcher = numba.njit(cache=True, **OPTIONS, **extra)(function)
    except RuntimeError:  # no cache directory can be written
        return numba.njit(**OPTIONS, **extra)(function)
    _stamp(dispatcher)
    return dispatcher


def _stamp(dispatcher) -> None:
    """Make the cache entry depend on all of `core`, not on one file's date."""
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is not None:
        cache_file._source_stamp = (cache_file._source_stamp, _CORE_STAMP)


class _FirstCompile(event.Listener):
    """Says once per process that kernels are being compiled: it takes seconds, not microseconds."""

    said = False

    def on_start(self, event) -> None:
        function = getattr(event.data.get("dispatcher"), "py_func", None)
        if not self.said and function is not None and function.__module__.startswith("forearm."):
            self.said = True
            _log.warning("forearm: compiling kernels for first use (up to half a minute, then cached)")

    def on_end(self, event) -> None:
        """Nothing to do: only the start is announced."""


event.register("numba:compile", _FirstCompile())
