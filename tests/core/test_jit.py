"""The compile cache: never stale, never in the way."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import forearm
from forearm.core import jit

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
from forearm.core.se3 import pose_error
e = np.empty(6)
pose_error(np.eye(4), np.eye(4), e)
"""


def test_an_edit_in_one_core_file_recompiles_callers_in_others(tmp_path):
    """Numba alone would run stale code here: the caller's own file does not change."""
    copy = tmp_path / "forearm"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "core" / "probe_leaf.py").write_text(
        "from forearm.core.jit import leaf\n@leaf\ndef number():\n    return 1.0\n"
    )
    (copy / "core" / "probe.py").write_text(
        "from forearm.core.jit import kernel\nfrom forearm.core.probe_leaf import number\n"
        "@kernel\ndef ask():\n    return number()\n"
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


def test_core_stamp_covers_every_file_of_core():
    assert jit.hash_of_core() == jit._CORE_STAMP
    assert len(list((PACKAGE / "core").rglob("*.py"))) > 5
