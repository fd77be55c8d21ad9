"""Four numbers at once: every lane has the bits that it would have alone, compiled as outside."""

import numpy as np
import pytest

from forearm.core.lanes import LANES, lanes, pick, read, size, write

njit = pytest.importorskip("numba").njit  # an extra: kernels arrive compiled
pytest.importorskip("forearm.core.numba_lanes")  # which tells Numba what lanes are


def calculate(table):
    """Writes what the operators and comparisons make of the first row into the second."""
    a, b = read(table, 0, 0), read(table, 0, 1)
    write(table, 1, 0, pick(size(a) > size(b), a * b + lanes(2.0), a / b - b))
    write(table, 1, 1, pick(a == b, lanes(1.0), a))


def alone(a, b):
    """The same for one number."""
    return a * b + 2.0 if abs(a) > abs(b) else a / b - b, 1.0 if a == b else a


@pytest.mark.parametrize("made", [calculate, njit(calculate, error_model="numpy")], ids=["python", "compiled"])
def test_each_lane_is_calculated_as_it_would_be_alone(made):
    table = np.random.default_rng(3).standard_normal((2, 2, LANES))
    table[0, 1, 2] = table[0, 0, 2]
    made(table)
    for k in range(LANES):
        assert tuple(table[1, :, k]) == alone(*table[0, :, k])


def test_what_was_read_stays_when_its_place_is_written():
    table = np.arange(8.0).reshape(1, 2, LANES)
    first = read(table, 0, 0)
    write(table, 0, 0, read(table, 0, 1))
    np.testing.assert_array_equal(first, np.arange(4.0))


@pytest.mark.compiled  # outside, NumPy takes any array
def test_lanes_are_the_last_axis_of_a_contiguous_array():
    with pytest.raises(Exception, match="read"):
        njit(lambda table: size(read(table, 0, 0)))(np.zeros((4, 2, 2)).T)
