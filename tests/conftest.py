"""Settings for all tests: repeatable Hypothesis runs, no deadline (the first call compiles)."""

import os

# Each worker has one processor: more threads for NumPy's products of matrices would mostly wait, and busily.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is imported, so before all that follows

from hypothesis import settings

from forearm.arm import geometry
from forearm.arm.branches import elimination
from forearm.core.tree import layout

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=200)
settings.load_profile("repeatable")

if os.environ.get("NUMBA_DISABLE_JIT") == "1":
    # As Python, laws are asked of fewer cases: this run is for coverage, the other one asks them of all.
    settings.register_profile("uncompiled", parent=settings.get_profile("repeatable"), max_examples=40)
    settings.load_profile("uncompiled")
    geometry.SAMPLES = 60  # and the look at which links may touch would take longer than all else
    elimination.POSES = 2  # and so would the choice of eliminations
    layout.ENTRIES = 64  # and tables of starts, and many of them
    from forearm.trees import free, pack  # behind the line above: it reads that number when it is imported

    pack.MAX_TRIES, pack.TRIES_AMONG, free.LOOKS = 20, 20, 1


def pytest_configure(config):
    """Lets processes that tests start run unwatched by coverage: once an interrupt finds one inside the lock of
    coverage's tracer, which is Python too, the lock is never given back and all its threads wait for ever."""
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):  # not who starts the workers
        os.environ.pop("COVERAGE_PROCESS_CONFIG", None)
        os.environ.pop("COVERAGE_PROCESS_START", None)
