"""The public face: which names there are, and what importing them costs."""

import subprocess
import sys
from importlib import metadata

import pytest

import forearm as fa

PUBLIC = [
    "Box",
    "Capsule",
    "Chain",
    "Clip",
    "ForearmError",
    "Orientation",
    "PointAxis",
    "Pose",
    "Position",
    "Robot",
    "Servo",
    "Skeleton",
    "Solution",
    "Sphere",
    "Status",
    "Track",
    "Tree",
    "Twist",
    "goals",
    "joints",
    "list_robots",
    "load",
    "load_map",
    "nearest_rigid",
    "scenes",
    "show",
]

HEAVY = {
    "scipy",
    "matplotlib",
    "viser",
    "mujoco",
    "dask",
    "distributed",
    "pyarrow",
    "zarr",
    "tornado",
    "pinocchio",
    "typer",
    "rich",
    "xacro",
}

# Numba imports SciPy where it is installed. What NumPy and Numba bring is set aside, so that whatever
# stands in `sys.modules` at the end was imported by forearm, even if it had been there before.
AFTER_NUMBA = """
import contextlib, sys, numpy
with contextlib.suppress(ImportError):
    import numba
for name in [name for name in sys.modules if name.partition(".")[0] in HEAVY]:
    del sys.modules[name]
import forearm
forearm.load("ur5")
print(*{name.partition(".")[0] for name in sys.modules})
""".replace("HEAVY", repr(HEAVY))


def test_public_names_are_these_and_at_most_twenty_six():
    assert fa.__all__ == PUBLIC
    assert len(PUBLIC) <= 26
    for name in [*PUBLIC, "errors"]:  # a module that comes along
        assert hasattr(fa, name)


def test_every_error_is_a_forearm_error():
    for name in ("ModelError", "TargetError", "OptionError", "UnsupportedError", "MissingExtraError", "NotSolvedError"):
        assert issubclass(getattr(fa.errors, name), fa.ForearmError)


def test_import_pulls_in_nothing_heavy():
    loaded = subprocess.run([sys.executable, "-c", AFTER_NUMBA], capture_output=True, text=True, check=True).stdout
    assert "forearm" in loaded.split()
    assert not HEAVY & set(loaded.split())


def test_version_is_that_of_the_package():
    try:
        assert metadata.version("forearm") == fa.__version__
    except metadata.PackageNotFoundError:
        pytest.skip("forearm is not installed, only on the path")


@pytest.mark.compiled
@pytest.mark.parametrize("call", ["solve_batch(T)", "track(T, q)", "solve_all(T[0])"])
def test_a_first_call_waits_for_no_method_or_curve_that_it_does_not_ask_for(call):
    told = f"""
import sys, numpy as np, forearm as fa
arm = fa.load("ur5")
q = arm.neutral + 0.3
T = arm.fk(np.linspace(q, q + 0.2, 20))
arm.{call}
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=120)
    slow = {"numpy.ma", "tempfile", "forearm.core.combined", "forearm.core.iterative", "forearm.core.self_motion"}
    assert slow & set(done.stdout.split()) == set()


def test_the_names_shown_are_those_of_forearm():
    shown = set(dir(fa))
    assert {*fa.__all__, "retarget"} <= shown
    assert not {"Any", "TYPE_CHECKING", "import_module"} & shown
