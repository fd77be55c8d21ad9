"""A flat array seen with rows and columns, for free.

Scratch and packed problems are flat arrays that kernels open into many small ones. Numba's `reshape`
calls a library function to find out whether it must copy, 14 ns each time, which for a closed form is
a fifth of the whole. For contiguous arrays the answer is known: the new shape is written down, no more.
"""

from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable
from numba.np.arrayobj import impl_ret_borrowed, populate_array


def shaped(array, shape):
    """The contiguous array with another shape; the caller answers for the number of elements."""
    return array.reshape(shape)


@type_callable(shaped)
def _type_shaped(context):
    def typer(array, shape):
        if isinstance(array, types.Array) and array.layout == "C" and isinstance(shape, types.BaseTuple):
            return array.copy(ndim=len(shape))
        return None

    return typer


@lower_builtin(shaped, types.Array, types.BaseTuple)
def _lower_shaped(context, builder, signature, arguments):
    """Copies the array's structure with other sizes and strides, rows first."""
    old_type, shape_type = signature.args
    old = context.make_array(old_type)(context, builder, arguments[0])
    new = context.make_array(signature.return_type)(context, builder)
    sizes = [
        context.cast(builder, size, kind, types.intp)
        for size, kind in zip(cgutils.unpack_tuple(builder, arguments[1]), shape_type, strict=True)
    ]
    strides = [old.itemsize]
    for size in reversed(sizes[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    populate_array(
        new,
        data=old.data,
        shape=sizes,
        strides=strides,
        itemsize=old.itemsize,
        meminfo=old.meminfo,
        parent=old.parent,
    )
    return impl_ret_borrowed(context, builder, signature.return_type, new._getvalue())
