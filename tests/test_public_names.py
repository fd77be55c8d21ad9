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
    "ForearmError",
    "Orientation",
    "PointAxis",
    "Pose",
    "Position",
    "Robot",
    "Skeleton",
    "Solution",
    "Sphere",
    "Status",
    "errors",
    "joints",
    "list_robots",
    "load",
    "nearest_rigid",
]


def test_public_names_are_these_and_at_most_twenty():
    assert fa.__all__ == PUBLIC
    assert len(PUBLIC) <= 20
    for name in PUBLIC:
        assert hasattr(fa, name)


def test_every_error_is_a_forearm_error():
    for name in ("ModelError", "TargetError", "OptionError", "UnsupportedError", "MissingExtraError", "NotSolvedError"):
        assert issubclass(getattr(fa.errors, name), fa.ForearmError)


def test_import_pulls_in_nothing_heavy():
    code = "import sys, forearm; forearm.load('ur5'); print(' '.join(m.split('.')[0] for m in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"scipy", "matplotlib", "viser", "mujoco", "dask", "pinocchio", "typer", "xacro"} & set(loaded)


def test_version_is_that_of_the_package():
    try:
        assert metadata.version("forearm") == fa.__version__
    except metadata.PackageNotFoundError:
        pytest.skip("forearm is not installed, only on the path")
