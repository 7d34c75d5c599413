"""Symbols: values that are only known at run time. Operations on them are recorded, not performed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..errors import LoopOnSymbol, UnsupportedValue

if TYPE_CHECKING:
    from .recorder import Recorder


class Undefined:
    """A value that is overwritten before it is looked at. Its kind is that of whatever overwrites it."""

    def __repr__(self) -> str:
        return "undefined"

    def _false(self, other: Any) -> bool:
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _false


UNDEFINED = Undefined()


def kind_of(x: Any) -> str:
    """The kind of an operand."""
    if isinstance(x, Symbol):
        return x.kind
    if isinstance(x, bool | np.bool_):
        return "bool"
    return "int" if isinstance(x, int | np.integer) else "float"


def is_number(x: Any) -> bool:
    """Whether x can be an operand: a scalar symbol or a constant."""
    return isinstance(x, Symbol | int | float)


class Symbol:
    """One value of the program being written: a number, a kind, and a hint for its name.

    `bound`: |value| never exceeds it, or None. `origin` and `drift`: the value is that of the loop variable `origin`
    plus or minus at most `drift`. Both serve to leave out overflow checks that can never fire.
    """

    __symbolic__ = True
    __slots__ = ("bound", "drift", "hint", "kind", "number", "origin", "tracer")

    def __init__(
        self,
        tracer: Recorder,
        number: int,
        kind: str,
        hint: str,
        bound: int | None = None,
        origin: int | None = None,
        drift: int = 0,
    ) -> None:
        self.tracer: Any = tracer
        self.number, self.kind, self.hint = number, kind, hint
        self.bound, self.origin, self.drift = bound, origin, drift

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.tracer.truth(self))

    def _refuse(self, what: str) -> NoReturn:
        raise LoopOnSymbol(
            f"this function {what} a value that is only known at run time",
            "skipstone ran it once, on symbols, to compile it. Mark it with @sk.kernel to compile it as it stands.",
        )

    def __index__(self) -> int:
        self._refuse("loops over, or indexes with,")

    def __iter__(self) -> Any:
        self._refuse("iterates over")

    def __int__(self) -> int:
        self._refuse("converts to int")

    def __float__(self) -> float:
        self._refuse("converts to float")

    def __format__(self, spec: str) -> str:
        self._refuse("formats")

    def __repr__(self) -> str:
        return f"<{self.hint}: {self.kind}, known at run time>"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs:
            return NotImplemented
        binary = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//",
                  "remainder": "%", "power": "**", "less": "<", "less_equal": "<=", "greater": ">",
                  "greater_equal": ">=", "equal": "==", "not_equal": "!=", "bitwise_and": "&",
                  "bitwise_or": "|", "logical_and": "&", "logical_or": "|"}  # fmt: skip
        inputs = tuple(x.item() if isinstance(x, np.generic) else x for x in inputs)
        if ufunc.__name__ in binary:
            return self.tracer.binary(binary[ufunc.__name__], *inputs)
        if ufunc.__name__ in ("maximum", "minimum"):
            return getattr(self.tracer, ufunc.__name__)(*inputs)
        if ufunc.__name__ in ("absolute", "fabs"):
            return abs(inputs[0])
        if ufunc.__name__ == "negative":
            return -inputs[0]
        return self.tracer.ufunc(ufunc.__name__, *inputs)

    def __neg__(self) -> Any:
        return self.tracer.binary("-", 0, self) if self.kind != "float" else self.tracer.unary("negate", self)

    def __pos__(self) -> Any:
        return self.tracer.binary("+", 0, self)

    def __abs__(self) -> Any:
        return self.tracer.maximum(self, -self) if self.kind != "float" else self.tracer.unary("abs", self)

    def __floor__(self) -> Any:
        return self.tracer.unary("floor", self) if self.kind == "float" else self

    def __ceil__(self) -> Any:
        return self.tracer.unary("ceil", self) if self.kind == "float" else self

    def __trunc__(self) -> Any:
        return self.tracer.unary("trunc", self) if self.kind == "float" else self

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __lshift__(self, places: Any) -> Any:
        if type(places) is int and 0 <= places < 63:
            return self * 2**places
        return self.__rlshift__(places)

    def __rlshift__(self, other: Any) -> Any:
        raise UnsupportedValue(
            "this function shifts to the left by a number of places that is only known at run time",
            "The result may leave int64. Multiply instead, or look the powers up in an array.",
        )

    def __invert__(self) -> Any:
        if self.kind == "int":
            return self.tracer.binary("-", -1, self)
        raise UnsupportedValue("`~` of a truth value is a number in Python (~True is -2)", "Write `not`, or sk.no.")


def _operator(name: str, op: str) -> None:
    def method(self: Symbol, other: Any) -> Any:
        return self.tracer.binary(op, self, other)

    def reflected(self: Symbol, other: Any) -> Any:
        return self.tracer.binary(op, other, self)

    setattr(Symbol, f"__{name}__", method)
    if op not in ("<", "<=", ">", ">=", "==", "!="):
        setattr(Symbol, f"__r{name}__", reflected)


for _name, _op in {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "rshift": ">>",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "and": "&", "or": "|", "xor": "^",
}.items():  # fmt: skip
    _operator(_name, _op)
