"""Kernels are compiled ahead of time by short cuts through Numba's inside; where that is another, without them."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from forearm.core import border

pytest.importorskip("numba", reason="Numba builds kernels")
sys.path.insert(0, str(Path(__file__).parents[2] / "tools" / "kernels"))
import once
import shim

TOOLS = Path(once.__file__).parent
# Two functions of sizes are compiled by an `objects.py` that finds Numba's inside changed, each in its own way.
COMPILE = """
import sys
from pathlib import Path
sys.path.insert(0, {tools!r})
{change}
import objects
objects.names_of = lambda group: {names}
objects.main(Path({folder!r}), ["sizes"])
"""
CHANGES = {
    "as it is known": "",
    "other parameters": "from numba.core.dispatcher import Dispatcher as D\nD.enable_caching = lambda self, on=0: 0",
    "a name is gone": "sys.modules['once'] = None  # which then cannot be imported, as if a name it imports were gone",
}
# A leaf of two constants in a kernel, which another leaf is the first to call; in a room of the house, as kernels are:
# Numba's own functions, and anyone else's, are compiled as Numba does.
PUT_IN = """
import sys
__name__ = "forearm.core.of_this_test"
sys.path.insert(0, {tools!r})
import numba
import objects
from forearm.core import jit
objects.once.compile_once(objects.without_wrappers)
@jit.leaf
def plus(a, k):
    return a + k
@jit.lean
def kernel(a):
    return plus(a, 1) * plus(a, 2)
@jit.leaf
def caller(a):
    return kernel(a)
caller.compile((numba.float64,))
(made,) = kernel.overloads.values()
print(len(plus.overloads))
print(str(made.library._final_module).count("call i32"))
print("alwaysinline" in str(made.library._final_module))
"""
NAMES = ["arm.problem.problem_size", "closed_form.scratch.form_size"]


def test_the_numba_that_is_installed_is_as_the_short_cuts_know_it():
    assert once.misfit() == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda patch: patch.delattr(once.ConfigStack, "top_or_none"), "ConfigStack.top_or_none is gone"),
        (lambda patch: patch.setattr(once.event, "broadcast", lambda one, two: None), "broadcast takes (one, two)"),
        (lambda patch: patch.setattr(once, "FIELDS", {"_final_module", "_other"}), "libraries have no _other"),
    ],
)
def test_what_is_not_as_it_is_known_is_named_and_nothing_is_changed(monkeypatch, change, said):
    change(monkeypatch)
    before = once.CPUCodeLibrary.finalize
    assert said in once.compile_once(lambda flags: flags)
    assert once.CPUCodeLibrary.finalize is before


@pytest.mark.compiled  # it compiles in a process of its own, in either run: once is enough
def test_leaves_are_compiled_once_and_put_in_and_what_they_call_is_not():
    done = run_jit(PUT_IN.format(tools=str(TOOLS)))
    assert done.stdout.split() == ["1", "0", "False"], done.stderr


def run_jit(text):
    """Runs code in a Python whose kernels Numba compiles."""
    env = os.environ | {"FOREARM_KERNELS": "jit"}
    return subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True, check=False)


@pytest.mark.compiled  # as above
@pytest.mark.parametrize("inside", CHANGES)
def test_objects_are_the_same_functions_whatever_numbas_inside_is(inside, tmp_path):
    text = COMPILE.format(tools=str(TOOLS), change=CHANGES[inside], names=NAMES, folder=str(tmp_path))
    done = run_jit(text)
    assert done.returncode == 0, done.stderr
    asides = [line for line in done.stdout.splitlines() if line.startswith(shim.ASIDE)]
    assert len(asides) == (inside != "as it is known")
    assert all("compiling takes twice as long" in line for line in asides)
    assert sizes_by((tmp_path / "sizes.o").read_bytes()) == [shim.kernel_of(name)(5, 6) for name in NAMES]


def sizes_by(code):
    """What the functions of an object give for five joints and six variables."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    found = []
    for name in NAMES:
        assert name.rpartition(".")[2] in border.SIZES
        call = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 2)(
            engine.get_function_address(shim.symbol_of(name))
        )
        size = ctypes.c_int64()
        assert call(ctypes.addressof(size), ctypes.addressof(ctypes.c_void_p()), 5, 6) == 0
        found.append(size.value)
    return found
