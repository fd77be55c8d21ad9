"""What Numba makes of `core/lanes.py`: vectors of LLVM's. Imported only where kernels are compiled here."""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, models, register_model, type_callable
from numba.np.arrayobj import make_array

from forearm.core.lanes import LANES, lanes, pick, read, size, write

NUMBERS, TRUTHS = ir.VectorType(ir.DoubleType(), LANES), ir.VectorType(ir.IntType(1), LANES)
BYTES = 8  # of a number: lanes lie anywhere in an array


class Lanes(types.Type):
    """Numbers, or what a comparison says of them."""

    def __init__(self, name, kept_as):
        super().__init__(name=name)
        self.kept_as = kept_as


numbers, truths = Lanes("lanes", NUMBERS), Lanes("truths", TRUTHS)


@register_model(Lanes)
class _Vector(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, kind.kept_as)


def _places(kind):
    """Whether a type is that of an array that has lanes as its last axis."""
    return isinstance(kind, types.Array) and kind.layout == "C" and kind.ndim == 3 and kind.dtype == types.float64


@type_callable(lanes)
def _type_lanes(context):
    return lambda value: numbers if isinstance(value, types.Float) else None


@lower_builtin(lanes, types.Float)
def _lower_lanes(context, builder, signature, arguments):
    vector = ir.Constant(NUMBERS, ir.Undefined)
    value = context.cast(builder, arguments[0], signature.args[0], types.float64)
    for k in range(LANES):
        vector = builder.insert_element(vector, value, ir.Constant(ir.IntType(32), k))
    return vector


@type_callable(read)
def _type_read(context):
    return lambda array, i, j: numbers if _places(array) else None


@type_callable(write)
def _type_write(context):
    return lambda array, i, j, value: types.none if _places(array) and value == numbers else None


def _place(context, builder, kind, array, where, indices):
    """Where in memory lanes begin."""
    made = make_array(kind)(context, builder, array)
    row, column = (context.cast(builder, value, of, types.intp) for of, value in zip(where, indices, strict=True))
    columns = cgutils.unpack_tuple(builder, made.shape)[1]
    first = builder.mul(builder.add(builder.mul(row, columns), column), ir.Constant(row.type, LANES))
    return builder.bitcast(builder.gep(made.data, [first]), NUMBERS.as_pointer())


@lower_builtin(read, types.Array, types.Integer, types.Integer)
def _lower_read(context, builder, signature, arguments):
    place = _place(context, builder, signature.args[0], arguments[0], signature.args[1:], arguments[1:])
    return builder.load(place, align=BYTES)


@lower_builtin(write, types.Array, types.Integer, types.Integer, Lanes)
def _lower_write(context, builder, signature, arguments):
    place = _place(context, builder, signature.args[0], arguments[0], signature.args[1:3], arguments[1:3])
    builder.store(arguments[3], place, align=BYTES)
    return context.get_dummy_value()


@type_callable(pick)
def _type_pick(context):
    return lambda where, one, other: numbers if (where, one, other) == (truths, numbers, numbers) else None


@lower_builtin(pick, Lanes, Lanes, Lanes)
def _lower_pick(context, builder, signature, arguments):
    return builder.select(*arguments)


@type_callable(size)
def _type_size(context):
    return lambda value: numbers if value == numbers else None


@lower_builtin(size, Lanes)
def _lower_size(context, builder, signature, arguments):
    kind = ir.FunctionType(NUMBERS, [NUMBERS])
    absolute = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fabs.v{LANES}f64")
    return builder.call(absolute, arguments)


def _calculate(sign, result, instruct):
    """Tells Numba what an operator makes of two lanes."""

    @type_callable(sign)
    def _type(context):
        return lambda one, other: result if one == numbers and other == numbers else None

    @lower_builtin(sign, Lanes, Lanes)
    def _lower(context, builder, signature, arguments):
        return instruct(builder, *arguments)


SIGNS = {operator.add: "fadd", operator.sub: "fsub", operator.mul: "fmul", operator.truediv: "fdiv"}
for _sign, _name in SIGNS.items():
    _calculate(_sign, numbers, lambda builder, one, other, name=_name: getattr(builder, name)(one, other))
for _sign, _name in {operator.gt: ">", operator.eq: "=="}.items():
    _calculate(_sign, truths, lambda builder, one, other, name=_name: builder.fcmp_ordered(name, one, other))
