"""What emitted code calls: arithmetic that refuses to leave int64, and growing arrays. Imports Numba."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numba import njit, types
from numba.core import boxing
from numba.extending import intrinsic, lower_builtin, models, register_model, unbox
from numba.np import arrayobj

OVERFLOW = "skipstone: int64"


class ColumnType(types.Array):  # type: ignore[misc]
    """An array that is only read, and only at positions that are there.

    Numba lets a negative position count from the end, and pays for it with three instructions a read. Positions in
    emitted code are never negative; without those instructions an adaptive seek on dense data is 1.25 times faster.
    """

    def __init__(self, dtype: Any) -> None:
        super().__init__(dtype, 1, "C", readonly=True, name=f"Column({dtype})")

    @property
    def key(self) -> Any:
        return self.dtype


register_model(ColumnType)(models.ArrayModel)
unbox(ColumnType)(boxing.unbox_array)


@lower_builtin(operator.getitem, ColumnType, types.Integer)  # type: ignore[untyped-decorator]
def _read(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    column, index = signature.args
    array = arrayobj.make_array(column)(context, builder, arguments[0])
    position = context.cast(builder, arguments[1], index, types.intp)
    return arrayobj.load_item(context, builder, column, builder.gep(array.data, [position], inbounds=True))


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


_compiled = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


@_compiled  # type: ignore[untyped-decorator]
def divide(a: Any, b: Any) -> Any:
    """a // b. Only one quotient leaves int64: that of the smallest number and -1."""
    return subtract(0, a) if b == -1 else a // b


@_compiled  # type: ignore[untyped-decorator]
def whole(x: Any) -> Any:
    """A float without a fraction as an int64."""
    if not (-9223372036854775808.0 <= x < 9223372036854775808.0):
        raise OverflowError("skipstone: int64")
    return np.int64(x)


@_compiled  # type: ignore[untyped-decorator]
def settled(total: Any, coarse: Any, steps: Any) -> Any:
    """A sum that was let wrap around, if it did not: see late_checks.py."""
    rest = (total >> 31) - coarse
    if rest < 0 or rest > steps or steps >= 2147483648:
        raise OverflowError("skipstone: int64")
    return total


@_compiled  # type: ignore[untyped-decorator]
def larger(a: Any, b: Any) -> Any:
    return a if a >= b else b


@_compiled  # type: ignore[untyped-decorator]
def smaller(a: Any, b: Any) -> Any:
    return a if a <= b else b


@_compiled  # type: ignore[untyped-decorator]
def grow(array: Any) -> Any:
    """The same entries with room for as many again."""
    larger = np.empty(2 * array.size, array.dtype)
    larger[: array.size] = array
    return larger
