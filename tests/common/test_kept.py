"""What took long is kept on disk, and made again where that cannot be trusted or written."""

import numpy as np
import pytest

from forearm.common import kept as room
from forearm.common.kept import cache_folder, kept


class Maker:
    """Makes arrays, and counts how often."""

    def __init__(self):
        self.made = 0

    def __call__(self):
        self.made += 1
        return np.arange(6.0).reshape(2, 3), np.array([np.pi])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(room.VARIABLE, str(tmp_path / "own"))
    return tmp_path / "own"


def test_arrays_are_made_once_with_the_same_bits(folder):
    make = Maker()
    for _ in range(2):
        table, number = kept((__file__,), (b"a", b"b"), make)
        assert np.array_equal(table, np.arange(6.0).reshape(2, 3))
        assert number.tolist() == [np.pi]
    assert make.made == 1
    assert len(list(folder.iterdir())) == 1


def test_other_bytes_or_other_code_are_made_anew(folder, tmp_path):
    make, code = Maker(), tmp_path / "code.py"
    code.write_text("x = 1")
    for asked in ((b"a", b"b"), (b"ab", b""), (b"a", b"c")):
        kept((str(code),), asked, make)
    assert make.made == 3
    code.write_text("x = 2")
    room.stamp.cache_clear()
    kept((str(code),), (b"a", b"b"), make)
    assert make.made == 4


def test_a_damaged_file_is_made_again(folder):
    make = Maker()
    kept((__file__,), (b"a",), make)
    (file,) = folder.iterdir()
    for harm in (b"", file.read_bytes()[:100], b"no arrays"):
        file.write_bytes(harm)
        assert kept((__file__,), (b"a",), make)[1].tolist() == [np.pi]
    assert make.made == 4
    kept((__file__,), (b"a",), make)
    assert make.made == 4


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(room.VARIABLE, str(tmp_path / "file" / "below"))
    make = Maker()
    assert kept((__file__,), (b"a",), make)[1].tolist() == [np.pi]


def test_nothing_is_kept_if_so_wished(monkeypatch):
    monkeypatch.setenv(room.VARIABLE, "")
    assert cache_folder() is None
    make = Maker()
    kept((__file__,), (b"a",), make)
    kept((__file__,), (b"a",), make)
    assert make.made == 2


def test_the_usual_folder_is_that_of_caches(monkeypatch, tmp_path):
    monkeypatch.delenv(room.VARIABLE, raising=False)
    monkeypatch.setattr(room.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "forearm"
