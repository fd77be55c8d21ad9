"""Chunked arrays on disk: read by the zarr package, whole or absent, read box by box."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forearm.errors import OptionError
from forearm.scale.zarr_files import UNFINISHED, ZarrArray, open_array, sweep, write_group


@pytest.fixture
def filled(tmp_path):
    """A group with one array of 5 x 7 x 6 numbers in chunks of 3, all but one of them written."""
    group = tmp_path / "a.zarr"
    array = ZarrArray(group, "share", (5, 7, 6), (3, 3, 3))
    write_group(group, {"about": 1}, {"share": (array, {"_ARRAY_DIMENSIONS": ["x", "y", "z"]})})
    values = np.arange(210, dtype=np.float32).reshape(5, 7, 6)
    for place in array.places():
        if place != (1, 2, 1):
            array.write(place, values[array.box(place)])
    values[3:5, 6:7, 3:6] = np.nan
    return array, values


def test_the_zarr_package_reads_the_same_numbers(filled):
    zarr = pytest.importorskip("zarr")
    array, values = filled
    there = zarr.open_group(str(array.group), mode="r")
    np.testing.assert_array_equal(np.asarray(there["share"][:]), values)
    assert dict(there.attrs) == {"about": 1}
    assert dict(there["share"].attrs) == {"_ARRAY_DIMENSIONS": ["x", "y", "z"]}


def test_what_the_zarr_package_needs_is_as_its_format_says(filled):
    array, _ = filled
    data = json.loads((array.group / "share" / ".zarray").read_text())
    assert data["zarr_format"] == 2
    assert data["fill_value"] == "NaN"
    assert data["dimension_separator"] == "/"
    assert open_array(array.group, "share") == array


def test_chunks_that_were_not_written_are_known(filled):
    array, _ = filled
    assert [place for place in array.places() if not array.has(place)] == [(1, 2, 1)]
    assert np.isnan(array.read_chunk((1, 2, 1))).all()
    assert array.read_chunk((1, 2, 1)).shape == (2, 1, 3)


@settings(max_examples=50)
@given(st.data())
def test_a_box_reads_as_numpy_would(data):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        group = Path(folder) / "b.zarr"
        shape = tuple(data.draw(st.lists(st.integers(1, 6), min_size=3, max_size=3)))
        chunks = tuple(data.draw(st.lists(st.integers(1, 4), min_size=3, max_size=3)))
        array = ZarrArray(group, "v", shape, chunks, "<f8")
        write_group(group, {}, {"v": (array, {})})
        values = np.random.default_rng(0).normal(size=shape)
        for place in array.places():
            array.write(place, values[array.box(place)])
        ends = [sorted(data.draw(st.lists(st.integers(0, n), min_size=2, max_size=2, unique=True))) for n in shape]
        box = tuple(slice(*pair) for pair in ends)
        np.testing.assert_array_equal(array.read(box), values[box])
        np.testing.assert_array_equal(array.read(), values)


def test_a_damaged_chunk_is_named(filled):
    array, _ = filled
    file = array.file((0, 0, 0))
    file.write_bytes(file.read_bytes()[:-5])
    with pytest.raises(OptionError, match=r"share/0/0/0' is damaged; remove it"):
        array.read_chunk((0, 0, 0))


def test_a_write_that_fails_leaves_the_chunk_as_it_was(filled, monkeypatch):
    array, values = filled

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        array.write((0, 0, 0), np.zeros((3, 3, 3)))
    np.testing.assert_array_equal(array.read_chunk((0, 0, 0)), values[:3, :3, :3])
    assert not array.has((1, 2, 1))
    assert list((array.group / UNFINISHED).iterdir())
    sweep(array.group)
    assert not (array.group / UNFINISHED).exists()
