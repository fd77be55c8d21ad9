"""`libforearm`: its header and its checks, written from the border; the built library where `make c` left one."""

import ctypes
import math
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.core import border
from forearm.export.pieces import PIECES

pytest.importorskip("numba", reason="Numba builds kernels")
sys.path.insert(0, str(Path(__file__).parents[2] / "tools" / "kernels"))
import library
import pieces

BAD_ARGUMENT = -4


def test_every_entry_of_the_border_has_a_function():
    header = library.write_header()
    for entry in border.ENTRIES:
        assert f"int {library.function_name(entry)}(" in header


def test_every_piece_is_compiled_by_one_process():
    assert sorted(name for row in pieces.ROWS for name in row) == sorted(PIECES)


def test_pieces_are_of_the_border_and_no_group_has_their_names():
    assert {entry for entries in PIECES.values() for entry in entries} <= set(border.ENTRIES)
    assert not set(PIECES) & set(border.GROUPS)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_header_and_checks_compile_without_a_warning(compiler, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    (tmp_path / "forearm.h").write_text(library.write_header())
    (tmp_path / "forearm.c").write_text(library.write_source())
    (tmp_path / "user.cpp").write_text('#include "forearm.h"\nint main() { return fa_version() == nullptr; }\n')
    strict = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    own = ["-std=c99", "-Wno-unused-variable", "forearm.c"]
    subprocess.run([compiler, *strict, *own], cwd=tmp_path, check=True)
    subprocess.run([compiler, *strict, "-x", "c++", "-std=c++17", "user.cpp"], cwd=tmp_path, check=True)


@pytest.fixture(scope="module")
def lib():
    path = library.TARGET / "lib" / "libforearm.so"
    header = library.TARGET / "include" / "forearm.h"
    if not path.exists() or header.read_text() != library.write_header():
        pytest.skip("`make c` has not built this library")
    return ctypes.CDLL(str(path))


def call(lib, entry, *arguments):
    given = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            given += [argument.ctypes.data_as(ctypes.c_void_p), *map(ctypes.c_int64, argument.shape)]
        else:
            given.append(argument)
    return getattr(lib, library.function_name(entry))(*given)


@pytest.mark.compiled
def test_the_library_checks_pointers_and_sizes_and_then_answers(lib):
    robot = fa.load("ur5")
    links, joints = np.array(robot.model.links), np.array(robot.model.joints)
    q, pose, done = robot.neutral + 0.1, np.zeros((4, 4)), ctypes.c_uint8(0)
    entry = "arm.kinematics.fk_checked"
    assert call(lib, entry, links, joints, q, pose, ctypes.byref(done)) == 0
    assert done.value == 1
    assert pose.tobytes() == robot.fk(q).tobytes()
    assert call(lib, entry, links[:-1], joints, q, pose, ctypes.byref(done)) == BAD_ARGUMENT
    assert call(lib, entry, links, joints, q[:5], pose, ctypes.byref(done)) == BAD_ARGUMENT
    assert call(lib, entry, links, joints, q, pose, None) == BAD_ARGUMENT
    nothing = (None, ctypes.c_int64(6))
    assert call(lib, entry, links, joints, *nothing, pose, ctypes.byref(done)) == BAD_ARGUMENT
    negative = (q.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(-6))
    assert call(lib, entry, links, joints, *negative, pose, ctypes.byref(done)) == BAD_ARGUMENT
    q[0] = math.nan
    assert call(lib, entry, links, joints, q, pose, ctypes.byref(done)) == 0
    assert done.value == 0
    lib.fa_status_name.restype = lib.fa_version.restype = ctypes.c_char_p
    assert lib.fa_status_name(5) == b"not_converged"
    assert lib.fa_version().decode() == fa.__version__
