"""Operators on symbols, and when an integer one needs a check.

An integer result that leaves int64 is an error, never a wrong number. The check is the processor's overflow flag and
a branch that is never taken; it is left out where it provably cannot fire, because it would keep LLVM from vectorising.
"""

from __future__ import annotations

from typing import Any

from ..errors import UnsupportedValue, Untraceable
from ..words import INT64_MAX
from .captured import Captured, plain
from .ops import OPS, UFUNCS, wider
from .recorder import Recorder
from .symbol import Symbol, Undefined, kind_of

# An accumulator that starts small and grows by at most DRIFT a step would need 2**57 steps to leave int64, and nobody
# waits for those: at a quarter of a nanosecond a step, a year. So counting, for one, needs no overflow check.
DRIFT = 32


class Arithmetic(Recorder):
    """Adds the operators. Inside users' functions, integer arithmetic is `checked`; positions need no check."""

    checked = False

    def unary(self, op: str, a: Any) -> Any:
        return self.let(op, a)

    def ufunc(self, name: str, *arguments: Any) -> Any:
        if name not in UFUNCS or len(arguments) != 1:
            raise Untraceable(f"np.{name} is not known to the tracer", "Mark the function with @sk.kernel.")
        return self.let(f"np.{name}", self.convert(arguments[0], "float"))

    def binary(self, op: str, a: Any, b: Any) -> Any:
        a, b = self.operand(a, op), self.operand(b, op)
        if isinstance(a, Undefined) or isinstance(b, Undefined):
            return b if isinstance(a, Undefined) else a
        if op in ("&", "|"):
            return self.logic(op, a, b)
        if op in ("+", "-", "*"):
            return self.arithmetic(op, a, b, self.checked)
        if op in ("<", "<=", ">", ">=", "==", "!="):
            if op in ("==", "!=") and "bool" in (kind_of(a), kind_of(b)):
                a, b = (bool(x) if type(x) is int and x in (0, 1) else x for x in (a, b))
                if kind_of(a) == kind_of(b):
                    return self.truth_compared(op, a, b)
            if self.key(a) == self.key(b) and kind_of(a) != "float":
                return op in ("<=", ">=", "==")
            return self.let(op, a, b)
        if op == "**":
            return self.power(a, b)
        if op in ("/", "//", "%") and kind_of(a) == kind_of(b) == "bool":
            a = self.convert(a, "int")
        if op == "//" and kind_of(a) != "float" and kind_of(b) != "float" and not (type(b) is int and b > 0):
            return self.let("divide", self.convert(a, "int"), self.convert(b, "int"))
        if op == ">>" and not isinstance(a, Symbol) and not isinstance(b, Symbol):
            return a >> b
        if op == ">>" and not (type(b) is int and 0 <= b < 64):
            return self.let("shifted", self.convert(a, "int"), self.convert(b, "int"))
        small = type(b) is int and b > 0 and op == "%" and kind_of(a) != "float"
        return self.let(op, a, b, bound=b - 1 if small else None)

    def logic(self, op: str, a: Any, b: Any) -> Any:
        neutral = op == "&"  # True & x and False | x are x: nothing to emit
        for x, y in ((a, b), (b, a)):
            if x is neutral and kind_of(y) == "bool":
                return y
            if x is (not neutral) and kind_of(y) == "bool":
                return not neutral
        if self.key(a) == self.key(b):
            return a
        return self.let(op, a, b)

    def truth_compared(self, op: str, a: Any, b: Any) -> Any:
        for x, y in ((a, b), (b, a)):
            if isinstance(x, bool):
                return y if x is (op == "==") else self.no(y)
        return self.let(op, a, b)

    def arithmetic(self, op: str, a: Any, b: Any, checked: bool) -> Any:
        kind = OPS[op].kind(kind_of(a), kind_of(b))
        if op == "*" and (is_literal(a, 1) or is_literal(b, 1)):
            return self.convert(b if is_literal(a, 1) else a, kind)
        if op == "+" and (is_literal(a, 0) or is_literal(b, 0)):
            return self.convert(b if is_literal(a, 0) else a, kind)
        if op == "-" and is_literal(b, 0):
            return self.convert(a, kind)
        if kind != "int":
            return self.let(op, a, b)
        x, y = bound_of(a), bound_of(b)
        if x is not None and y is not None and (limit := x * y if op == "*" else x + y) <= INT64_MAX:
            return self.let(op, a, b, bound=limit)
        if op in ("+", "-") and isinstance(a, Symbol) and a.origin is not None and y is not None:
            grown = self.grown(op, a, b, y)
            if grown is not None:
                return grown
        if op == "+" and isinstance(b, Symbol) and b.origin is not None and x is not None:
            grown = self.grown(op, b, a, x)
            if grown is not None:
                return grown
        if not checked:
            return self.let(op, a, b)
        name = {"+": "add", "-": "subtract", "*": "multiply"}[op]
        return self.let(name, self.convert(a, "int"), self.convert(b, "int"))

    def grown(self, op: str, acc: Symbol, by: Any, bound: int) -> Any:
        """An accumulator plus something small: no check is needed, see DRIFT."""
        if acc.drift + bound > DRIFT:
            return None
        symbol = self.let(op, acc, by)
        symbol.origin, symbol.drift = acc.origin, acc.drift + bound
        return symbol

    def power(self, a: Any, b: Any) -> Any:
        if isinstance(b, Captured):
            b = plain(b)  # how often to multiply is a matter of the code
        if type(b) is int and 0 <= b <= 64:
            result = self.convert(1, "float" if kind_of(a) == "float" else "int")
            for _ in range(b):
                result = a if type(result) in (int, float) and result == 1 else self.arithmetic("*", result, a, True)
            return result
        if kind_of(a) != "float" and kind_of(b) != "float" and not (type(b) is int and b < 0):
            raise UnsupportedValue(
                "an integer to the power of another may be an integer or a fraction",
                "Say which: make one of them a float, or write the exponent as a number.",
            )
        return self.let("**", self.convert(a, "float"), self.convert(b, "float"))

    def no(self, a: Any) -> Any:
        a = self.operand(a, "not")
        if not isinstance(a, Symbol):
            return not a
        op, arguments = self.definitions.get(a.number, ("", ()))
        return arguments[0] if op == "not" else self.let("not", a)

    def maximum(self, a: Any, b: Any) -> Any:
        return self.extreme("max", a, b)

    def minimum(self, a: Any, b: Any) -> Any:
        return self.extreme("min", a, b)

    def extreme(self, op: str, a: Any, b: Any) -> Any:
        a, b = self.operand(a, op), self.operand(b, op)
        if isinstance(a, Undefined) or isinstance(b, Undefined):
            return b if isinstance(a, Undefined) else a
        if not isinstance(a, Symbol) and not isinstance(b, Symbol):
            return max(a, b) if op == "max" else min(a, b)
        if self.key(a) == self.key(b):
            return a
        kind = wider(kind_of(a), kind_of(b))
        if kind == "bool":
            return self.logic("|" if op == "max" else "&", a, b)
        x, y = bound_of(a), bound_of(b)
        op = op if kind == "int" else {"max": "larger", "min": "smaller"}[op]
        return self.let(op, self.convert(a, kind), self.convert(b, kind), bound=max(x, y) if x and y else None)

    def lowest(self, bits: Any) -> Any:
        bits = self.operand(bits, "lowest")
        if kind_of(bits) == "float":
            raise UnsupportedValue("a float has no lowest bit", "Make it an integer first.")
        if not isinstance(bits, Symbol):
            return super().lowest(bits)
        return self.let("lowest", self.convert(bits, "int"), bound=64)

    def plus(self, a: Any, b: Any) -> Any:
        return self.values("+", a, b)

    def gather(self, a: Any, b: Any) -> Any:
        floats = all(isinstance(x, Symbol) and x.kind == "float" for x in (a, b))
        return self.let("gather", a, b) if floats else self.plus(a, b)

    def times(self, a: Any, b: Any) -> Any:
        return self.values("*", a, b)

    def values(self, op: str, a: Any, b: Any) -> Any:
        """The sum or product of two values, checked wherever it stands."""
        a, b = self.operand(a, op), self.operand(b, op)
        if isinstance(a, Undefined) or isinstance(b, Undefined):
            return b if isinstance(a, Undefined) else a
        if not isinstance(a, Symbol) and not isinstance(b, Symbol):
            return super().plus(a, b) if op == "+" else super().times(a, b)
        return self.arithmetic(op, a, b, True)


def is_literal(x: Any, number: int) -> bool:
    """Whether x is that very number, written in the code or a truth value that stands for it."""
    return type(x) in (int, bool) and x == number


def bound_of(x: Any) -> int | None:
    """The largest that |x| can be, if anything is known; nothing is, on purpose, of a captured number."""
    if isinstance(x, Symbol):
        return x.bound
    return None if isinstance(x, Captured | float) else abs(int(x))
