"""What emitted code calls: arithmetic that refuses to leave int64, columns, and growing arrays. Imports Numba."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import NativeValue, intrinsic, lower_builtin, models, register_model, unbox
from numba.np import arrayobj

OVERFLOW = "skipstone: int64"


class ColumnType(types.Array):  # type: ignore[misc]
    """An array that somebody else keeps alive, read and written only at positions that are there.

    Numba lets a negative position count from the end, and pays for it with three instructions a read. Positions in
    emitted code are never negative; without those instructions an adaptive seek on dense data is 1.25 times faster.
    And it counts references, with atomic instructions, around every call that is not inlined: without counting, a seek
    through blocks is six times faster, and a kernel is entered in a fraction of the time.
    """

    def __init__(self, dtype: Any, ndim: int = 1, readonly: bool = True) -> None:
        super().__init__(dtype, ndim, "C", readonly=readonly, name=f"Column({dtype}, {ndim}, {readonly})")

    @property
    def key(self) -> Any:
        return self.dtype, self.ndim, self.mutable


@register_model(ColumnType)
class ColumnModel(models.StructModel):  # type: ignore[misc]
    """What Numba's own arrays consist of, but for `meminfo`: nothing in it says that there are references to count."""

    def __init__(self, manager: Any, column: Any) -> None:
        members = [
            ("meminfo", types.voidptr),
            ("parent", types.voidptr),
            ("nitems", types.intp),
            ("itemsize", types.intp),
            ("data", types.CPointer(column.dtype)),
            ("shape", types.UniTuple(types.intp, column.ndim)),
            ("strides", types.UniTuple(types.intp, column.ndim)),
        ]
        super().__init__(manager, column, members)


@unbox(ColumnType)  # type: ignore[untyped-decorator]
def _unboxed(column: Any, array: Any, c: Any) -> Any:
    return NativeValue(column_at(c.context, c.builder, column, c.builder.ptrtoint(array, ir.IntType(64))))


def column_at(context: Any, builder: Any, column: Any, address: Any) -> Any:
    """The array object of NumPy's that lies there, as a column. Whoever calls a kernel holds on to its arrays; they are
    contiguous, of this type."""
    word = ir.IntType(64)

    def field(n: int) -> Any:  # of the object: 0 the data, 2 the dimensions
        at = builder.add(address, word(object.__basicsize__ + 8 * n))
        return builder.load(builder.inttoptr(at, word.as_pointer()))

    dimensions = builder.inttoptr(field(2), word.as_pointer())
    shape = [builder.load(builder.gep(dimensions, [word(n)])) for n in range(column.ndim)]
    size = context.get_constant(types.intp, itemsize(column.dtype))
    strides = [size]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    made = arrayobj.make_array(column)(context, builder)
    arrayobj.populate_array(
        made,
        data=builder.inttoptr(field(0), made.data.type),
        shape=cgutils.pack_array(builder, shape),
        strides=cgutils.pack_array(builder, strides),
        itemsize=size,
        meminfo=None,
    )
    return made._getvalue()


def itemsize(dtype: Any) -> int:
    return dtype.bitwidth // 8 if dtype is not types.boolean else 1


@lower_builtin(operator.getitem, ColumnType, types.Integer)  # type: ignore[untyped-decorator]
def _read(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    column, index = signature.args
    array = arrayobj.make_array(column)(context, builder, arguments[0])
    position = context.cast(builder, arguments[1], index, types.intp)
    return arrayobj.load_item(context, builder, column, builder.gep(array.data, [position], inbounds=True))


@lower_builtin(operator.setitem, ColumnType, types.Integer, types.Any)  # type: ignore[untyped-decorator]
def _write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    column, index, kind = signature.args
    array = arrayobj.make_array(column)(context, builder, arguments[0])
    position = context.cast(builder, arguments[1], index, types.intp)
    value = context.cast(builder, arguments[2], kind, column.dtype)
    arrayobj.store_item(context, builder, column, value, builder.gep(array.data, [position], inbounds=True))
    return context.get_dummy_value()


def _checked(name: str) -> Any:
    """An intrinsic on two int64: the result, or an OverflowError, from the processor's own flag."""

    @intrinsic  # type: ignore[untyped-decorator]
    def operation(typing: Any, a: Any, b: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            result = getattr(builder, name)(*arguments)
            with builder.if_then(builder.extract_value(result, 1), likely=False):
                context.call_conv.return_user_exc(builder, OverflowError, (OVERFLOW,))
            return builder.extract_value(result, 0)

        return types.int64(types.int64, types.int64), build

    return operation


add = _checked("sadd_with_overflow")
subtract = _checked("ssub_with_overflow")
multiply = _checked("smul_with_overflow")


@intrinsic  # type: ignore[untyped-decorator]
def gather(typing: Any, a: Any, b: Any) -> Any:
    """The sum of two floats as a part of a larger one, whose order is free: LLVM may add several at once."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fadd(*arguments, flags=("reassoc",))

    return types.float64(types.float64, types.float64), build


# ---------------------------------------------------------------------- whoever waits
#
# Two words of memory that they share with the program (see watch.py): whether it shall stop, and where it is.


def heeded(context: Any, builder: Any, watch: Any) -> None:
    """Leave the program, if that was asked for. Atomic, so that it is read anew each time."""
    asked = builder.load_atomic(watch, "monotonic", 8)
    with builder.if_then(builder.icmp_unsigned("!=", asked, asked.type(0)), likely=False):
        context.call_conv.return_user_exc(builder, KeyboardInterrupt, ("stopped",))


def told(builder: Any, watch: Any, key: Any) -> None:
    """Put a float where it can be seen."""
    word = ir.IntType(64)
    builder.store_atomic(builder.bitcast(key, word), builder.gep(watch, [word(1)]), "monotonic", 8)


@intrinsic  # type: ignore[untyped-decorator]
def heed(typing: Any, watch: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        heeded(context, builder, arrayobj.make_array(watch)(context, builder, arguments[0]).data)
        return context.get_dummy_value()

    return types.void(watch), build


@intrinsic  # type: ignore[untyped-decorator]
def tell(typing: Any, watch: Any, key: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = arrayobj.make_array(watch)(context, builder, arguments[0]).data
        told(builder, data, context.cast(builder, arguments[1], key, types.float64))
        return context.get_dummy_value()

    return types.void(watch, key), build


def fetched(builder: Any, data: Any, place: Any) -> None:
    """Have a place of an array brought into the first cache."""
    pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    function = builder.module.declare_intrinsic("llvm.prefetch", (pointer,), kind)
    where = builder.bitcast(builder.gep(data, [place]), pointer)
    builder.call(function, [where, number(0), number(3), number(1)])  # to read, as near as can be, data


@intrinsic  # type: ignore[untyped-decorator]
def fetch(typing: Any, array: Any, place: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        fetched(builder, arrayobj.make_array(array)(context, builder, arguments[0]).data, arguments[1])
        return context.get_dummy_value()

    return types.void(array, types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def lowest(typing: Any, bits: Any) -> Any:
    """The number of the lowest bit that is set in an int64; 64 where none is."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), build


def _chosen(order: str) -> Any:
    """An intrinsic on two int64: the one that stands in that order to the other. Numba's own is a compile by itself."""

    @intrinsic  # type: ignore[untyped-decorator]
    def choice(typing: Any, a: Any, b: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.select(builder.icmp_signed(order, *arguments), *arguments)

        return types.int64(types.int64, types.int64), build

    return choice


larger_int, smaller_int = _chosen(">="), _chosen("<=")


def for_types(dispatcher: Any) -> Any:
    """A function that is compiled for types alone.

    Numba would compile it anew for every number that stands in a call of it: gathering three columns took six compiles
    of `room`, and every kernel two of its seek.
    """
    template = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: template(tuple(map(types.unliteral, args)), kws)
    return dispatcher


def _compiled(function: Any) -> Any:
    return for_types(njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


@_compiled
def divide(a: Any, b: Any) -> Any:
    """a // b. Only one quotient leaves int64: that of the smallest number and -1."""
    return subtract(0, a) if b == -1 else a // b


@_compiled
def whole(x: Any) -> Any:
    """A float without a fraction as an int64."""
    if not (-9223372036854775808.0 <= x < 9223372036854775808.0):
        raise OverflowError("skipstone: int64")
    return np.int64(x)


@_compiled
def shifted(a: Any, places: Any) -> Any:
    """a >> places. A processor takes the number of places modulo 64; Python does not, and refuses a negative one."""
    if places < 0:
        raise ValueError("negative shift count")
    return a >> min(places, 63)


@_compiled
def larger(a: Any, b: Any) -> Any:
    return a if a >= b else b


@_compiled
def smaller(a: Any, b: Any) -> Any:
    return a if a <= b else b


# ---------------------------------------------------------------------- growing arrays
#
# Plain memory behind a number. An array that is assigned to in a loop is reference-counted in every step, grown or not:
# collecting half a million pairs took 17 ms with arrays, and takes 7 ms so.


@intrinsic  # type: ignore[untyped-decorator]
def reallocated(typing: Any, address: Any, size: Any) -> Any:
    """Memory of another size with the same beginning; 0 where there is none to be had. None at 0 yet."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(pointer, [pointer, ir.IntType(64)])
        function = cgutils.get_or_insert_function(builder.module, kind, "realloc")
        old = builder.inttoptr(arguments[0], pointer)
        return builder.ptrtoint(builder.call(function, [old, arguments[1]]), ir.IntType(64))

    return types.int64(types.int64, types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def allocated(typing: Any, size: Any) -> Any:
    """Memory of that size, all zeros; 0 where there is none to be had."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(8).as_pointer(), [ir.IntType(64), ir.IntType(64)])
        function = cgutils.get_or_insert_function(builder.module, kind, "calloc")
        found = builder.call(function, [arguments[0], ir.Constant(ir.IntType(64), 1)])
        return builder.ptrtoint(found, ir.IntType(64))

    return types.int64(types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def release(typing: Any, address: Any) -> Any:
    """Give memory back."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer])
        function = cgutils.get_or_insert_function(builder.module, kind, "free")
        builder.call(function, [builder.inttoptr(arguments[0], pointer)])
        return context.get_dummy_value()

    return types.void(types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def put(typing: Any, address: Any, i: Any, value: Any) -> Any:
    """Store a number at a place of some memory."""
    kind = types.unliteral(value)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], context.get_data_type(kind).as_pointer())
        context.pack_value(builder, kind, arguments[2], builder.gep(pointer, [arguments[1]]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, kind), build


def _view(dtype: Any) -> Any:
    """An intrinsic that makes memory readable as a column. The column does not own it."""

    @intrinsic  # type: ignore[untyped-decorator]
    def view(typing: Any, address: Any, count: Any) -> Any:
        column = ColumnType(dtype)

        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = arrayobj.make_array(column)(context, builder)
            size = context.get_constant(types.intp, itemsize(dtype))
            arrayobj.populate_array(
                array,
                data=builder.inttoptr(arguments[0], array.data.type),
                shape=cgutils.pack_array(builder, [arguments[1]]),
                strides=cgutils.pack_array(builder, [size]),
                itemsize=size,
                meminfo=None,
            )
            return array._getvalue()

        return column(types.int64, types.int64), build

    return view


view_int, view_narrow, view_float, view_bool = map(_view, (types.int64, types.uint32, types.float64, types.boolean))


@_compiled
def room(address: Any, size: Any, rooms: Any, slot: Any) -> Any:
    """Memory of `size` bytes that begins as the one at `address` does. `rooms` keeps account of it, for failures."""
    found = reallocated(address, size)
    if found == 0:
        raise MemoryError("there is not enough memory for what is being collected")
    rooms[slot] = found
    return found


@_compiled
def zeroed(size: Any, rooms: Any, slot: Any) -> Any:
    """Memory of `size` bytes, all zeros."""
    found = allocated(max(size, 1))
    if found == 0:
        raise MemoryError("there is not enough memory for a workspace")
    rooms[slot] = found
    return found


NAMES = {
    name: globals()[name]
    for name in (
        "add", "subtract", "multiply", "gather", "divide", "whole", "shifted", "lowest", "larger", "smaller", "room",
        "zeroed",
        "put", "release", "fetch", "tell", "heed",
        "view_int", "view_narrow", "view_float", "view_bool",
    )
} | {"max": larger_int, "min": smaller_int}  # fmt: skip
