"""Kernels are built of kept objects: an edit reaches the groups that it touches, and no others."""

import sys
from pathlib import Path

import pytest

from forearm.core import border, stamp

pytest.importorskip("numba", reason="Numba builds kernels")
sys.path.insert(0, str(Path(__file__).parents[2] / "tools" / "kernels"))
import build

GROUPS = [group for row in build.ROWS for group in row]


def test_every_group_of_the_border_is_compiled_by_one_process():
    assert sorted(GROUPS) == sorted([*border.GROUPS, "sizes"])


def keys():
    return {group: build.key_of(group) for group in GROUPS}


def test_an_edited_kernel_reaches_its_own_groups_alone(monkeypatch):
    before = keys()
    edited = stamp._source("bezier.paper")
    read = stamp._read
    monkeypatch.setattr(stamp, "_read", lambda path: (b"edited", read(path)[1]) if path == edited else read(path))
    monkeypatch.setattr(build, "stamp_of", stamp.stamp_of.__wrapped__)
    after = keys()
    assert {group for group in GROUPS if after[group] != before[group]} == {"curves"}


def test_an_edited_line_of_the_border_reaches_its_group_alone(monkeypatch):
    before = keys()
    monkeypatch.setitem(border.ENTRIES, "track.walk.follow", "f[1]")
    after = keys()
    assert {group for group in GROUPS if after[group] != before[group]} == {"tracking"}


def test_without_a_c_compiler_one_line_says_so_and_what_stands_is_left_alone(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(build, "provide_objects", lambda folder, tell: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CC", str(tmp_path / "cc"))
    monkeypatch.setattr(sys, "argv", ["build.py", "--target", str(tmp_path)])
    assert build.main() == 1
    assert "Numba compiles them at first use: the C compiler did not build the module" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
