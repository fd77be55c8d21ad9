"""Stamps: what a kernel is made of, and nothing else."""

import re
from pathlib import Path

import forearm
from forearm.core import stamp

PACKAGE = Path(forearm.__file__).parent


def test_a_stamp_covers_what_a_module_imports_and_nothing_else():
    reached, waiting = set(), [stamp._source("general.solve")]
    while waiting:
        path = waiting.pop()
        if path.stem not in reached:
            reached.add(path.stem)
            waiting += stamp._read(path)[1]
    assert {"solve", "lm", "goal", "problem", "kinematics", "se3", "codes", "jit"} <= reached
    assert "fabrik_r" not in reached
    assert stamp.stamp_of("general.solve") != stamp.stamp_of("general.lm")


def test_kernels_are_imported_in_the_form_that_the_stamp_reads():
    """`from forearm.core import x` would hide which file is meant."""
    for path in (PACKAGE / "core").rglob("*.py"):
        assert "from forearm.core import" not in path.read_text(), path.name
        assert not re.search(r"^\s*from \.", path.read_text(), re.MULTILINE), path.name
