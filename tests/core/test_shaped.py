"""A flat array under another shape: the same memory, in compiled code as outside."""

import numpy as np
import pytest

from forearm.core.shaped import shaped

njit = pytest.importorskip("numba").njit  # an extra: kernels arrive compiled


@njit
def opened(flat, rows):
    """Writes through two shapes of one flat array and gives their sizes."""
    table, block = shaped(flat[2 : 2 + 3 * rows], (rows, 3)), shaped(flat[:8], (2, 2, 2))
    table[rows - 1, 2] = 7.0
    block[1, 0, 1] = 9.0
    return table.shape, block.shape, table[0, 1]


@njit
def kept(n):
    """A shape of an array that nothing else holds."""
    return shaped(np.arange(2.0 * n), (2, n))


def test_it_sees_the_same_memory():
    flat = np.arange(20.0)
    assert opened(flat, 4) == ((4, 3), (2, 2, 2), 3.0)
    assert flat[13] == 7.0
    assert flat[5] == 9.0


def test_it_keeps_its_memory_alive():
    views = [kept(50) for _ in range(200)]
    assert all(np.array_equal(view, np.arange(100.0).reshape(2, 50)) for view in views)


@pytest.mark.compiled  # outside, NumPy reshapes anything
def test_it_takes_contiguous_arrays_only():
    column = np.zeros((4, 4))[:, 0]
    with pytest.raises(Exception, match="shaped"):
        njit(lambda array: shaped(array, (2, 2)))(column)
