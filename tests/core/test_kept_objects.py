"""Kernels are built of kept objects: an edit reaches the groups that it touches, and no others."""

import shutil
import subprocess
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
    assert {group for group in GROUPS if after[group] != before[group]} == {"among obstacles"}


@pytest.mark.parametrize(("words", "code"), [([], 1), (["--if-possible"], 0)])
def test_without_a_c_compiler_one_line_says_so_and_nothing_is_compiled(monkeypatch, tmp_path, capsys, words, code):
    monkeypatch.setattr(build, "provide_objects", lambda folder, tell: pytest.fail("minutes for nothing"))
    monkeypatch.setenv("CC", str(tmp_path / "cc"))
    monkeypatch.setattr(sys, "argv", ["build.py", "--target", str(tmp_path), *words])
    assert build.main() == code
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "so Numba compiles them at first use: there is no C compiler" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [[], ["--if-possible"]])
def test_a_build_that_fails_is_no_missing_compiler_and_leaves_what_stands_alone(monkeypatch, tmp_path, capsys, words):
    monkeypatch.setattr(build, "provide_objects", lambda folder, tell: None)
    monkeypatch.setenv("CC", "false")  # a program that is there, and fails
    monkeypatch.setattr(sys, "argv", ["build.py", "--target", str(tmp_path), *words])
    assert build.main() == 1
    assert "the build failed: the C compiler did not build the border" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("made", "code"), [("build", 2), ("none", 0)])
@pytest.mark.parametrize("target", ["src/forearm/core/_built.py", "src/forearm/export/kernels/kernels.json"])
def test_make_ends_where_a_build_fails_and_goes_on_without_a_compiler(tmp_path, target, made, code):
    """With the rules of the Makefile as they are, and builders that fail or say that they have no compiler."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    root = Path(__file__).parents[2]
    (tmp_path / "tools" / "kernels").mkdir(parents=True)
    wants = "'--if-possible' in sys.argv" if made == "none" else "False"
    for name in ("build", "pieces"):
        path = tmp_path / "tools" / "kernels" / f"{name}.py"
        path.write_text(f"import sys\nprint('{name}')\nsys.exit(0 if {wants} else 1)\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / "src" / "forearm" / "core").mkdir(parents=True)
    command = ["make", "-f", str(root / "Makefile"), "DEMO_READY=", "READY=", f"BIN={tmp_path / 'bin'}", target]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert not (tmp_path / target).exists()


def test_a_build_keeps_the_packages_that_pip_made_for_it(tmp_path, monkeypatch):
    """pip names the packages of an environment of its own in PYTHONPATH: scripts of the build must see them too."""
    (tmp_path / "only_here.py").write_text("NAME = 'found'\n")
    script = tmp_path / "script.py"
    script.write_text("import forearm, only_here\nprint(only_here.NAME)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    said = []
    build.run([str(script)], "it did not run", said.append)
    assert said == ["found"]
