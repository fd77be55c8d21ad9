"""Four numbers that are computed with at once, as one register of the processor holds them.

What is the same calculation at four places (four angles of a determinant) is written once, with `+ - * /`, comparisons
and `pick` in place of branches; each lane gets the bits that it would get alone. Arrays of lanes have the lanes as
their last axis. Compiled, lanes are a vector of LLVM's (`core/numba_lanes.py`); as plain Python, a small array.
"""

import numpy as np

from forearm.core.jit import CHOICE

LANES = 4


def lanes(value):
    """The same number in every lane."""
    return np.full(LANES, value)


def read(array, i, j):
    """The lanes at a place of a contiguous array (rows, columns, 4)."""
    return array[i, j].copy()


def write(array, i, j, value):
    """Puts lanes at a place of a contiguous array (rows, columns, 4)."""
    array[i, j] = value


def pick(where, one, other):
    """Lanes of `one` where a comparison holds, of `other` elsewhere."""
    return np.where(where, one, other)


def size(value):
    """Lanes without their sign."""
    return np.abs(value)


if CHOICE.numba:
    import forearm.core.numba_lanes  # noqa: F401 (tells Numba what these are)
