"""Compiles groups of the border's kernels to object files with plain C symbols: `python objects.py FOLDER GROUP ...`.

Every kernel, and every function of sizes, becomes a C function `int k(result *, void **, arguments)`, an array as
(NULL, NULL, items, bytes of one, data, sizes, strides). Nothing allocates, so nothing of Python or of Numba's runtime
is left in the objects: they need the C library's mathematics alone. Each kernel that is done is told in a line.
"""

import gc
import importlib
import os
import sys
import traceback
from pathlib import Path

from llvmlite.binding import Linkage
from numba.core import types
from numba.core.compiler import Flags, compile_extra
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from shim import ASIDE, PROCESSOR, names_of, object_name, symbol_of

from forearm.core import border

try:
    import once
except ImportError as fault:  # Numba's inside, which is not the same in all versions
    once, MISSING = None, str(fault)


def main(folder: Path, groups: list[str]) -> None:
    """Writes one object file for each group."""
    gc.disable()  # what a compiler makes it keeps: looking for what it does not takes a tenth of the time
    why = MISSING if once is None else once.compile_once(without_wrappers)
    if why:
        print(f"{ASIDE}this Numba is not as tools/kernels/once.py knows it ({why}): compiling takes twice as long")
    children = []
    with global_compiler_lock:
        for group in groups:
            target = folder / object_name(group)
            library, exported = lower_group(target.stem, names_of(group))
            children += beside(lambda: target.write_bytes(object_of(library, exported, not why)))  # noqa: B023 (runs at once)
    if any([os.waitpid(child, 0)[1] for child in children]):
        raise SystemExit("an object was not written: its process ended early")


def beside(work) -> list[int]:
    """Does work in a process of its own, so that the next group begins meanwhile; where none can be made, here."""
    if not hasattr(os, "fork"):
        work()
        return []
    child = os.fork()
    if child:
        return [child]
    status = 1
    try:
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def lower_group(group: str, names: list[str]):
    """Entries and functions of sizes as a library of LLVM's code, not optimised yet, and the names it gives to C."""
    context = cpu_target.target_context.with_aot_codegen(group, cpu_name=PROCESSOR)
    library = context.codegen().create_library(group)
    flags = without_wrappers(Flags())
    flags.error_model, flags.nrt = "numpy", False
    exported = set()
    for name in names:
        module, _, function = name.rpartition(".")
        kernel = getattr(importlib.import_module(f"forearm.core.{module}"), function)
        kernel = getattr(kernel, "py_func", kernel)
        is_size = name not in border.ENTRIES
        count = kernel.__code__.co_argcount
        arguments = (types.int64,) * count if is_size else border.types_of(name)
        result = types.int64 if is_size else result_type(name)
        made = compile_extra(
            cpu_target.typing_context, context, kernel, arguments, result, flags, locals={}, library=library
        )
        made.library.get_function(made.fndesc.llvm_func_name).name = symbol_of(name)
        exported.add(symbol_of(name))
        print(name, flush=True)
    return library, exported


def without_wrappers(flags):
    """Flags for code that is linked, never called from Python."""
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    return flags


def object_of(library, exported: set[str], at_once: bool) -> bytes:
    """The object file of a library: all that it calls linked in, optimised at once or as Numba does."""
    if at_once:
        once.finish_whole(library, exported)
    else:
        library.finalize()
    for function in library.get_defined_functions():
        if function.name not in exported:
            local = function.linkage in {Linkage.private, Linkage.internal}
            function.visibility = "default" if local else "hidden"
    return library.emit_native_object()


def result_type(name: str):
    """What an entry returns, in Numba's words."""
    letters = {"f": types.float64, "i": types.int64, "u": types.uint64, "t": types.boolean}
    found = [letters[letter] for letter in border.returns_of(name)]
    return types.none if not found else found[0] if len(found) == 1 else types.Tuple(found)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
