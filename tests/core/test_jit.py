"""How kernels come to run: what is chosen where, and what is said of it."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import forearm
from forearm.core import compiled, jit

PACKAGE = Path(forearm.__file__).parent
BUILT = (PACKAGE / "core" / "_built.py").exists()
NO_NUMBA = """
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("numba", "llvmlite"):
            raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Gone())
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "numba" else found(name, package)
"""
SOLVE = """
import sys
import forearm as fa
arm = fa.load("ur5")
assert arm.solve(arm.fk(arm.neutral)).success
assert "numba" not in sys.modules
print(fa.core.jit.CHOICE.way)
"""
needs_kernels = pytest.mark.skipif(not BUILT, reason="no kernels are built here")


def run(code, parent=PACKAGE.parent, **changes):
    """Runs code in a fresh Python, with changes to its environment (None takes a variable away)."""
    env = {key: value for key, value in os.environ.items() if key not in ("FOREARM_KERNELS", "NUMBA_DISABLE_JIT")}
    env |= {"PYTHONPATH": str(parent)} | changes
    env = {key: value for key, value in env.items() if value is not None}
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300, check=False, cwd="/"
    )


@pytest.fixture
def copied(tmp_path):
    """A copy of the package that a test may damage."""
    shutil.copytree(PACKAGE, tmp_path / "forearm", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "forearm"


def asked(monkeypatch, ahead, numba=True, **env):
    """What is chosen for a finding, with or without Numba."""
    for name in ("FOREARM_KERNELS", "NUMBA_DISABLE_JIT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(jit, "find", lambda: ahead)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object() if numba else None)
    return jit.choose()


def test_compiled_kernels_are_taken_where_they_fit(monkeypatch):
    choice = asked(monkeypatch, compiled.Ahead({"a.b": abs}, ""), numba=False)
    assert (choice.way, choice.why, choice.numba) == ("compiled", "", False)


def test_numba_takes_over_where_they_do_not_fit_and_the_reason_is_kept(monkeypatch):
    choice = asked(monkeypatch, compiled.Ahead({}, "this processor has no AVX2"))
    assert (choice.way, choice.why, choice.numba) == ("jit", "this processor has no AVX2", True)


def test_some_edited_kernels_leave_the_others_compiled(monkeypatch):
    choice = asked(monkeypatch, compiled.Ahead({"a.b": abs}, "1 of 2 were edited"))
    assert (choice.way, choice.numba) == ("compiled", True)


def test_with_neither_the_error_says_why_and_what_to_install(monkeypatch):
    with pytest.raises(ImportError, match=r"this processor has no AVX2\..*pip install 'numba>="):
        asked(monkeypatch, compiled.Ahead({}, "this processor has no AVX2"), numba=False)


@pytest.mark.parametrize("way", ["jit", "python"])
def test_the_environment_may_name_a_way(monkeypatch, way):
    assert asked(monkeypatch, compiled.Ahead({"a.b": abs}, ""), FOREARM_KERNELS=way).way == way


def test_an_unknown_way_is_refused_with_those_there_are(monkeypatch):
    with pytest.raises(ImportError, match="FOREARM_KERNELS is 'fast'; it takes compiled, jit, python"):
        asked(monkeypatch, compiled.NOTHING, FOREARM_KERNELS="fast")


@needs_kernels
def test_a_solve_needs_neither_numba_nor_a_home_nor_a_place_to_write():
    done = run(NO_NUMBA + SOLVE, HOME=None, PYTHONDONTWRITEBYTECODE="1", TMPDIR="/nonexistent", PATH="/nonexistent")
    assert (done.stdout, done.stderr) == ("compiled\n", "")


@needs_kernels
@pytest.mark.parametrize("size", [0, 100, 4096, 1_000_000])
def test_a_module_that_is_cut_off_is_not_loaded_and_named(copied, size):
    (module,) = (copied / "core").glob("_kernels*")
    with module.open("r+b") as file:
        file.truncate(size)
    done = run(NO_NUMBA + SOLVE, copied.parent)
    assert done.returncode == 1
    assert f"{module.name} has {size} bytes where" in done.stderr.splitlines()[-1]
    assert "pip install 'numba>=0.60'" in done.stderr.splitlines()[-1]


@needs_kernels
def test_a_module_that_is_no_module_is_named(copied):
    (module,) = (copied / "core").glob("_kernels*")
    module.write_bytes(b"x" * module.stat().st_size)
    done = run(NO_NUMBA + SOLVE, copied.parent)
    assert f"{module.name} does not load" in done.stderr.splitlines()[-1]


@needs_kernels
def test_a_stale_module_is_never_run_for_edited_sources(copied):
    edited = copied / "core" / "maths" / "se3.py"
    edited.write_text(edited.read_text() + "\n# edited\n")
    done = run(NO_NUMBA + SOLVE, copied.parent)
    assert done.returncode == 1
    assert "were edited since they were built" in done.stderr.splitlines()[-1]


@needs_kernels
def test_a_processor_without_avx2_is_told(copied):
    code = "from forearm.core import compiled; compiled.missing_features = lambda module: 'AVX2'\n"
    shown = code + "print(compiled.find().why)"
    # `compiled` is imported by `jit`, so the finding is asked again
    done = run(shown, copied.parent)
    assert "this processor has no AVX2" in done.stdout


@needs_kernels
def test_without_any_module_the_line_says_how_to_get_one(copied):
    for path in [*(copied / "core").glob("_kernels*"), copied / "core" / "_built.py"]:
        path.unlink()
    done = run(NO_NUMBA + SOLVE, copied.parent)
    assert "there are none in this installation" in done.stderr.splitlines()[-1]
