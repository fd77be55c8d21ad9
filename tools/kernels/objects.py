"""Compiles groups of the border's kernels to object files with plain C symbols: `python objects.py FOLDER GROUP ...`.

Every kernel, and every function of sizes, becomes a C function `int k(result *, void **, arguments)`, an array as
(NULL, NULL, items, bytes of one, data, sizes, strides). Nothing allocates, so nothing of Python or of Numba's runtime
is left in the objects: they need the C library's mathematics alone. Each kernel that is done is told in a line.

Numba compiles what a kernel calls as a library of its own, optimises it, and does so again inside each caller. Here the
inner ones are left as they are, no machine code is made of them, and the whole is optimised once: half the time.
"""

import gc
import importlib
import sys
from pathlib import Path

from llvmlite.binding import Linkage
from numba.core import types
from numba.core.codegen import AOTCodeLibrary, CPUCodeLibrary
from numba.core.compiler import Flags, compile_extra
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher, _FunctionCompiler
from numba.core.registry import cpu_target
from shim import PROCESSOR, names_of, object_name, symbol_of

from forearm.core import border


def main(folder: Path, groups: list[str]) -> None:
    """Writes one object file for each group."""
    gc.disable()  # what a compiler makes it keeps: looking for what it does not takes a tenth of the time
    keep_inner_functions_raw()
    with global_compiler_lock:
        for group in groups:
            target = folder / object_name(group)
            target.write_bytes(compile_group(target.stem, names_of(group)))


def keep_inner_functions_raw() -> None:
    """Makes Numba keep what kernels call as code to be linked in: not optimised, no machine code, nothing cached."""
    optimise, finish = CPUCodeLibrary._optimize_final_module, CPUCodeLibrary._finalize_final_module
    compile_core = _FunctionCompiler._compile_core

    def optimise_whole(library):
        if isinstance(library, AOTCodeLibrary):
            optimise(library)

    def finish_whole(library):
        if isinstance(library, AOTCodeLibrary):
            finish(library)
        library._finalized = True

    def compile_raw(compiler, arguments, return_type):
        result = compile_core(compiler, arguments, return_type)
        result = result._replace(entry_point=object())  # a name to call it by
        result.target_context.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result

    def keep(dispatcher, result):
        dispatcher.overloads[tuple(result.signature.args)] = result

    CPUCodeLibrary._optimize_final_module = optimise_whole
    CPUCodeLibrary._finalize_final_module = finish_whole
    _FunctionCompiler._compile_core = compile_raw
    _FunctionCompiler._customize_flags = lambda compiler, flags: without_wrappers(flags)
    Dispatcher.add_overload = keep
    Dispatcher.enable_caching = lambda dispatcher: None


def without_wrappers(flags):
    """Flags for code that is linked, never called from Python."""
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    return flags


def compile_group(group: str, names: list[str]) -> bytes:
    """The object file of entries and of functions of sizes."""
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
