"""The one place that talks to Numba: how kernels are compiled just in time, cached and announced.

Imported only where kernels are not all compiled ahead of time (`core/jit.py`).
"""

import logging

import numba
from numba import types
from numba.core import cgutils, event
from numba.extending import lower_builtin, overload, register_jitable, type_callable
from numba.np.arrayobj import impl_ret_borrowed, populate_array

from forearm.core.shaped import shaped
from forearm.core.stamp import stamp_of

OPTIONS = {"error_model": "numpy", "nogil": True}

_log = logging.getLogger("forearm")


def compile_later(function, extra):
    """A function that Numba compiles when it is first called, with an on-disk cache where one can be written."""
    try:
        dispatcher = numba.njit(cache=True, **OPTIONS, **extra)(function)
    except RuntimeError:  # no cache directory can be written
        return numba.njit(**OPTIONS, **extra)(function)
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is not None:  # the entry depends on all that a kernel is made of, not on one file's date
        module = function.__module__.removeprefix("forearm.core")
        cache_file._source_stamp = (cache_file._source_stamp, stamp_of(module))
    return dispatcher


def share(function):
    """A small function that kernels compile in and that Python calls as it is."""
    return register_jitable(**OPTIONS)(function)


def lend(compiled, function, extra):
    """An entry that was compiled ahead of time, as kernels that are compiled now may call it: from its source."""
    overload(compiled, jit_options={"error_model": "numpy", **extra}, strict=False)(lambda *_: function)
    return compiled


def announce(why: str) -> None:
    """Says once per process, when it happens, that kernels are being compiled: seconds, not microseconds."""
    event.register("numba:compile", _FirstCompile(why))


class _FirstCompile(event.Listener):
    def __init__(self, why: str) -> None:
        self.why, self.said = why, False

    def on_start(self, event) -> None:
        function = getattr(event.data.get("dispatcher"), "py_func", None)
        if not self.said and function is not None and function.__module__.startswith("forearm."):
            self.said = True
            why = f", as {self.why}" if self.why else ""
            _log.warning("forearm: compiling kernels for first use (up to a minute, then cached)%s", why)

    def on_end(self, event) -> None:
        """Nothing to do: only the start is announced."""


# -- `shaped`, for free: Numba's `reshape` calls a library function to find out whether it must copy ------------------


@type_callable(shaped)
def _type_shaped(context):
    def typer(array, shape):
        if isinstance(array, types.Array) and array.layout == "C" and isinstance(shape, types.BaseTuple):
            return array.copy(ndim=len(shape))
        return None

    return typer


@lower_builtin(shaped, types.Array, types.BaseTuple)
def _lower_shaped(context, builder, signature, arguments):
    """Copies the array's structure with other sizes and strides, rows first."""
    old_type, shape_type = signature.args
    old = context.make_array(old_type)(context, builder, arguments[0])
    new = context.make_array(signature.return_type)(context, builder)
    sizes = [
        context.cast(builder, size, kind, types.intp)
        for size, kind in zip(cgutils.unpack_tuple(builder, arguments[1]), shape_type, strict=True)
    ]
    strides = [old.itemsize]
    for size in reversed(sizes[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    populate_array(
        new,
        data=old.data,
        shape=sizes,
        strides=strides,
        itemsize=old.itemsize,
        meminfo=old.meminfo,
        parent=old.parent,
    )
    return impl_ret_borrowed(context, builder, signature.return_type, new._getvalue())
