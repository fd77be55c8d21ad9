"""The compile cache: never stale, never in the way."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import forearm
from forearm.core import border, jit
from forearm.core.arm.kinematics import fk_checked

PACKAGE = Path(forearm.__file__).parent

pytestmark = pytest.mark.compiled


def run(code, package_parent, cache):
    env = os.environ | {"PYTHONPATH": str(package_parent), "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done


MEASURE = """
import numpy as np
from forearm.core.maths.limits import draw_inside
draw_inside(np.zeros((2, 1)), np.uint64(0), np.empty(1))
"""


def test_an_edit_in_one_core_file_recompiles_callers_in_others(tmp_path):
    """Numba alone would run stale code here: the caller's own file does not change."""
    copy = tmp_path / "forearm"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "core" / "probe_leaf.py").write_text(
        "from forearm.core.jit import leaf\n@leaf\ndef number():\n    return 1.0\n"
    )
    (copy / "core" / "probe.py").write_text(
        "from forearm.core.jit import lean\nfrom forearm.core.probe_leaf import number\n"
        "@lean\ndef ask():\n    return number()\n"
    )
    ask = "from forearm.core.probe import ask; print(ask(), sum(ask.stats.cache_hits.values()))"
    assert run(ask, tmp_path, tmp_path / "cache").stdout.split() == ["1.0", "0"]
    assert run(ask, tmp_path, tmp_path / "cache").stdout.split() == ["1.0", "1"]
    leaf = copy / "core" / "probe_leaf.py"
    leaf.write_text(leaf.read_text().replace("1.0", "2.0"))
    assert run(ask, tmp_path, tmp_path / "cache").stdout.split() == ["2.0", "0"]


def test_first_compile_is_announced_once_and_a_cached_run_is_silent(tmp_path):
    first = run(MEASURE, PACKAGE.parent, tmp_path)
    assert first.stderr.count("compiling kernels") == 1
    assert run(MEASURE, PACKAGE.parent, tmp_path).stderr == ""


def test_kernels_work_where_no_cache_can_be_written(monkeypatch):
    attempts = []

    def njit(cache=False, **options):
        attempts.append(cache)
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(jit.numba, "njit", njit)
    assert jit.kernel(abs)(-3) == 3
    assert attempts == [True, False]


def test_a_stamp_covers_what_a_module_imports_and_nothing_else():
    reached, waiting = set(), [jit._source("general.solve")]
    while waiting:
        path = waiting.pop()
        if path.stem not in reached:
            reached.add(path.stem)
            waiting += jit._read(path)[1]
    assert {"solve", "lm", "goal", "problem", "kinematics", "se3", "codes", "jit"} <= reached
    assert "fabrik_r" not in reached
    assert jit.stamp_of("general.solve") != jit.stamp_of("general.lm")


def test_kernels_are_imported_in_the_form_that_the_stamp_reads():
    """`from forearm.core import x` would hide which file is meant."""
    for path in (PACKAGE / "core").rglob("*.py"):
        assert "from forearm.core import" not in path.read_text(), path.name
        assert not re.search(r"^\s*from \.", path.read_text(), re.MULTILINE), path.name


def test_a_direct_call_gives_what_the_kernel_gives():
    chain, q = forearm.load("ur5")._prepared.model, np.array([0.1, -0.4, 0.7, 0.2, -0.9, 0.3])
    T, other = np.empty((4, 4)), np.empty((4, 4))
    call = border.direct(fk_checked)
    assert call(chain.links, chain.joints, q, T) is True
    fk_checked(chain.links, chain.joints, q, other)
    assert np.array_equal(T, other)
