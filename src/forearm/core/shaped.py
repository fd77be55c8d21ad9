"""A flat array seen with rows and columns, for free.

Scratch and packed problems are flat arrays that kernels open into many small ones. Numba's `reshape`
calls a library function to find out whether it must copy, 14 ns each time, which for a closed form is
a fifth of the whole. For contiguous arrays the answer is known: compiled, the new shape is written down, no more
(`core/numba_jit.py`).
"""


def shaped(array, shape):
    """The contiguous array with another shape; the caller answers for the number of elements."""
    return array.reshape(shape)
