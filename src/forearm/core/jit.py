"""The one place that talks to Numba: how kernels are compiled, cached and announced.

Numba keys its on-disk cache by the file that holds a function, so an edit in one file leaves
stale machine code for callers in *another* file. Here every kernel is stamped with a hash of its
own file and of all files of `core` that it imports, directly or not: an edit or an upgrade
recompiles what it must and nothing stale is ever run.
"""

import functools
import hashlib
import logging
import re
from pathlib import Path

import numba
from numba.core import event
from numba.extending import register_jitable

OPTIONS = {"error_model": "numpy", "nogil": True}

_log = logging.getLogger("forearm")


CORE = Path(__file__).parent
_IMPORT = re.compile(r"^\s*(?:from|import)\s+forearm\.core([\w.]*)", re.MULTILINE)


@functools.cache
def stamp_of(module: str) -> str:
    """The SHA-256 of a module of `core` and of every module of `core` that it reaches by imports."""
    seen: set[Path] = set()
    waiting = [_source(module)]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += _read(path)[1]
    digest = hashlib.sha256()
    for path in sorted(seen):
        digest.update(_read(path)[0])
    return digest.hexdigest()


@functools.cache
def _source(module: str) -> Path:
    """The file of a module named by its dotted name below `core`."""
    path = CORE.joinpath(*module.strip(".").split("."))
    return path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"


@functools.cache
def _read(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """The hash of a file's name and text, and the files of `core` that it imports."""
    text = path.read_bytes()
    digest = hashlib.sha256(path.relative_to(CORE).as_posix().encode() + b"\n" + text).digest()
    return digest, tuple(_source(name) for name in _IMPORT.findall(text.decode()) if name)


def lean(function):
    """A compiled function that allocates nothing, and so is spared the counting of references.

    Slices are free here; an allocation is refused when the function is compiled. It may hand arrays,
    or named tuples of them, to lean functions alone: a caller that counts would give back a reference
    that was never taken, which corrupts the memory.
    """
    return _compile(function, {"_nrt": False})


def leaf(function):
    """A small `lean` function that is always inlined into its caller."""
    return _compile(function, {"forceinline": True, "_nrt": False})


def shared(function):
    """A small function that kernels compile in and that Python calls as it is."""
    return register_jitable(**OPTIONS)(function)


def _compile(function, extra):
    try:
        dispatcher = numba.njit(cache=True, **OPTIONS, **extra)(function)
    except RuntimeError:  # no cache directory can be written
        return numba.njit(**OPTIONS, **extra)(function)
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is not None:  # the entry depends on all that a kernel is made of, not on one file's date
        module = function.__module__.removeprefix("forearm.core")
        cache_file._source_stamp = (cache_file._source_stamp, stamp_of(module))
    return dispatcher


class _FirstCompile(event.Listener):
    """Says once per process that kernels are being compiled: it takes seconds, not microseconds."""

    said = False

    def on_start(self, event) -> None:
        function = getattr(event.data.get("dispatcher"), "py_func", None)
        if not self.said and function is not None and function.__module__.startswith("forearm."):
            self.said = True
            _log.warning("forearm: compiling kernels for first use (up to a minute, then cached)")

    def on_end(self, event) -> None:
        """Nothing to do: only the start is announced."""


event.register("numba:compile", _FirstCompile())
