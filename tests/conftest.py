"""Settings for all tests: repeatable Hypothesis runs, no deadline (the first call compiles)."""

import os

from hypothesis import settings

from forearm.arm import geometry
from forearm.arm.branches import elimination
from forearm.core.tree import layout

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=200)
settings.load_profile("repeatable")

if os.environ.get("NUMBA_DISABLE_JIT") == "1":
    geometry.SAMPLES = 300  # as Python, the look at which links may touch would take longer than all else
    elimination.POSES = 2  # and so would the choice of eliminations
    layout.ENTRIES = 64  # and tables of starts
