"""What emitted code calls: arithmetic that refuses to leave int64, and growing arrays. Imports Numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

OVERFLOW = "skipstone: int64"


def _checked(name: str) -> Any:
    """An intrinsic on two int64: the result, or an OverflowError, from the processor's own flag."""

    @intrinsic
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


@njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[untyped-decorator]
def grow(array: Any) -> Any:
    """The same entries with room for as many again."""
    larger = np.empty(2 * array.size, array.dtype)
    larger[: array.size] = array
    return larger
