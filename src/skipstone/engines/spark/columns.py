"""Values that are columns of Spark: one more reading of the vocabulary, on them.

What a function of the user's does with such a value (`+`, `-`, `*`, comparisons) becomes an expression of Spark SQL.
Where it asks for more, a branch or a loop, the query is not handed over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...words import Reading

WIDTH = {"int": "bigint", "float": "double", "bool": "boolean"}


class NotHanded(Exception):
    """Why an expression is not handed over to Spark SQL, in words."""


@dataclass(frozen=True, eq=False)
class Value:
    """A column, and what it holds: "int", "float" or "bool". Integers are 64 bits wide, and checked by Spark."""

    column: Any
    kind: str

    def number(self) -> Value:
        return Value(self.column.cast("bigint"), "int") if self.kind == "bool" else self

    def __add__(self, other: Any) -> Value:
        return arithmetic(self, other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Value:
        return arithmetic(other, self, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Value:
        return arithmetic(self, other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Value:
        return arithmetic(other, self, lambda a, b: a - b)

    def __mul__(self, other: Any) -> Value:
        return arithmetic(self, other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Value:
        return arithmetic(other, self, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> Value:
        if isinstance(other, Value) or not other:
            raise NotHanded("a function divides by what it is given")  # by zero: Spark's error would not be ours
        return Value(self.number().column.cast("double") / constant(float(other)).column, "float")

    def __neg__(self) -> Value:
        return Value(-self.number().column, self.number().kind)

    def __lt__(self, other: Any) -> Value:
        return compared(self, other, lambda a, b: a < b)

    def __le__(self, other: Any) -> Value:
        return compared(self, other, lambda a, b: a <= b)

    def __gt__(self, other: Any) -> Value:
        return compared(self, other, lambda a, b: a > b)

    def __ge__(self, other: Any) -> Value:
        return compared(self, other, lambda a, b: a >= b)

    def __eq__(self, other: Any) -> Value:  # type: ignore[override]
        return compared(self, other, lambda a, b: a == b)

    def __ne__(self, other: Any) -> Value:  # type: ignore[override]
        return compared(self, other, lambda a, b: a != b)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise NotHanded("a function branches")


def constant(x: Any) -> Value:
    """A number, or what is a column already."""
    from pyspark.sql import functions as F

    if isinstance(x, Value):
        return x
    kind = {bool: "bool", int: "int", float: "float"}.get(type(x))
    if kind is None or (kind == "int" and not -(2**63) <= x < 2**63):
        raise NotHanded(f"{x!r:.40} is no number of Spark's")
    return Value(F.lit(x).cast(WIDTH[kind]), kind)


def alike(a: Any, b: Any) -> tuple[Value, Value]:
    """Two numbers of one kind."""
    one, two = constant(a).number(), constant(b).number()
    if one.kind == two.kind:
        return one, two
    return Value(one.column.cast("double"), "float"), Value(two.column.cast("double"), "float")


def arithmetic(a: Any, b: Any, operation: Callable[[Any, Any], Any]) -> Value:
    one, two = alike(a, b)
    return Value(operation(one.column, two.column), one.kind)


def compared(a: Any, b: Any, operation: Callable[[Any, Any], Any]) -> Value:
    """A comparison. NaN equals nothing here, and itself in Spark: floats are not compared where one may be NaN."""
    from pyspark.sql import functions as F

    one, two = alike(a, b)
    said = operation(one.column, two.column)
    if one.kind == "float":
        broken = F.isnan(one.column) | F.isnan(two.column)
        said = F.when(broken, F.lit(operation(1.0, float("nan")))).otherwise(said)
    return Value(said, "bool")


class OnColumns(Reading):
    """The reading in which values are columns."""

    def no(self, a: Any) -> Any:
        return Value(~a.column, "bool") if isinstance(a, Value) and a.kind == "bool" else super().no(a)

    def maximum(self, a: Any, b: Any) -> Any:
        from pyspark.sql import functions as F

        return arithmetic(a, b, F.greatest)

    def minimum(self, a: Any, b: Any) -> Any:
        from pyspark.sql import functions as F

        return arithmetic(a, b, F.least)

    def plus(self, a: Any, b: Any) -> Any:
        return constant(a) + b

    def times(self, a: Any, b: Any) -> Any:
        return constant(a) * b

    def select(self, condition: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        raise NotHanded("a function branches")

    def apply(self, f: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return f(*arguments)
        except NotHanded:
            raise
        except Exception as error:
            raise NotHanded(f"a function does what Spark SQL has no word for ({type(error).__name__})") from None
