"""Numba's compile cache: never stale, never in the way."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import forearm

pytest.importorskip("numba")  # an extra: kernels arrive compiled
from forearm.core import numba_jit

PACKAGE = Path(forearm.__file__).parent

pytestmark = pytest.mark.compiled


def run(code, package_parent, cache):
    env = os.environ | {"PYTHONPATH": str(package_parent), "NUMBA_CACHE_DIR": str(cache), "FOREARM_KERNELS": "jit"}
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
    # Longer than before: Python itself takes an edit for none that keeps a file's length and the second of its time.
    leaf.write_text(leaf.read_text().replace("1.0", "20.0"))
    assert run(ask, tmp_path, tmp_path / "cache").stdout.split() == ["20.0", "0"]


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

    monkeypatch.setattr(numba_jit.numba, "njit", njit)
    assert numba_jit.compile_later(abs, {})(-3) == 3
    assert attempts == [True, False]


DIRECT = """
import numpy as np, forearm
from forearm.core import border
from forearm.core.arm.kinematics import fk_checked
chain, q = forearm.load("ur5").model, np.array([0.1, -0.4, 0.7, 0.2, -0.9, 0.3])
links, joints, T, other = chain.links.copy(), chain.joints.copy(), np.empty((4, 4)), np.empty((4, 4))
assert border.direct(fk_checked)(links, joints, q, T) is True
fk_checked(links, joints, q, other)
assert np.array_equal(T, other)
assert fk_checked.signatures == [border.types_of("arm.kinematics.fk_checked")]
"""


def test_a_direct_call_gives_what_the_kernel_gives(tmp_path):
    run(DIRECT, PACKAGE.parent, tmp_path)


EDITED = """
import logging, numpy as np, forearm
from forearm.core.jit import CHOICE
from forearm.core.arm import kinematics
from forearm.core.maths.limits import draw_inside
assert CHOICE.way == "compiled" and 0 < len(CHOICE.ahead.fresh) < len(CHOICE.ahead.fresh) + 10_000, CHOICE
assert hasattr(kinematics.fk_tip, "signatures"), "an edited kernel is compiled by Numba"
assert not hasattr(draw_inside, "signatures"), "one that was not is taken as it was built"
arm = forearm.load("ur5")
T = arm.fk(arm.neutral)
"""


@pytest.mark.skipif(not (PACKAGE / "core" / "_built.py").exists(), reason="no kernels are built here")
def test_an_edited_kernel_is_compiled_anew_and_the_others_stay_as_built(tmp_path):
    copy = tmp_path / "forearm"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    edited = copy / "core" / "arm" / "kinematics.py"
    edited.write_text(edited.read_text() + "\n# edited\n")
    env = {key: value for key, value in os.environ.items() if key != "FOREARM_KERNELS"}
    env |= {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", EDITED], env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("were edited since they were built") == 1
