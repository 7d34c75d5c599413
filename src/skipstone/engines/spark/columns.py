"""Values that are columns of Spark: one more reading of the vocabulary, on them.

What a function of the user's does with such a value (`+`, `-`, `*`, comparisons) becomes an expression of Spark SQL, as
text: Spark reads it in one go, where each operation on a Column of PySpark's is a dozen calls to its driver. Where a
function asks for more, a branch or a loop, the query is not handed over.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...words import Reading

WIDTH = {"int": "bigint", "float": "double", "bool": "boolean"}


class NotHanded(Exception):
    """Why an expression is not handed over to Spark SQL, in words."""


@dataclass(frozen=True, eq=False)
class Value:
    """An expression of Spark SQL, and what it gives: "int", "float" or "bool". Integers are 64 bits wide, and checked
    by Spark."""

    column: str
    kind: str

    def number(self) -> Value:
        return self.cast("int") if self.kind == "bool" else self

    def cast(self, kind: str) -> Value:
        return self if self.kind == kind else Value(f"cast({self.column} as {WIDTH[kind]})", kind)

    def __add__(self, other: Any) -> Value:
        return arithmetic(self, other, "+")

    def __radd__(self, other: Any) -> Value:
        return arithmetic(other, self, "+")

    def __sub__(self, other: Any) -> Value:
        return arithmetic(self, other, "-")

    def __rsub__(self, other: Any) -> Value:
        return arithmetic(other, self, "-")

    def __mul__(self, other: Any) -> Value:
        return arithmetic(self, other, "*")

    def __rmul__(self, other: Any) -> Value:
        return arithmetic(other, self, "*")

    def __truediv__(self, other: Any) -> Value:
        if isinstance(other, Value) or not other:
            raise NotHanded("a function divides by what it is given")  # by zero: Spark's error would not be ours
        return Value(f"({self.cast('float').column} / {constant(float(other)).column})", "float")

    def __neg__(self) -> Value:
        return Value(f"(- {self.number().column})", self.number().kind)

    def __lt__(self, other: Any) -> Value:
        return compared(self, other, "<")

    def __le__(self, other: Any) -> Value:
        return compared(self, other, "<=")

    def __gt__(self, other: Any) -> Value:
        return compared(self, other, ">")

    def __ge__(self, other: Any) -> Value:
        return compared(self, other, ">=")

    def __eq__(self, other: Any) -> Value:  # type: ignore[override]
        return compared(self, other, "==")

    def __ne__(self, other: Any) -> Value:  # type: ignore[override]
        return compared(self, other, "!=")

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise NotHanded("a function branches")


def constant(x: Any) -> Value:
    """A number, or what is a column already."""
    if isinstance(x, Value):
        return x
    kind = {bool: "bool", int: "int", float: "float"}.get(type(x))
    if kind is None or (kind == "int" and not -(2**63) <= x < 2**63):
        raise NotHanded(f"{x!r:.40} is no number of Spark's")
    return Value(literal(x), kind)


def literal(x: Any) -> str:
    """A number, a string or a date, as Spark SQL writes it.

    >>> literal(-3), literal(0.5), literal("ann"), literal(datetime.date(2024, 2, 29))
    ('(-3L)', '0.5D', "cast(X'616e6e' as string)", "date'2024-02-29'")
    """
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, str):  # as bytes: what has to be escaped in a string depends on the settings of a session
        return f"cast(X'{x.encode().hex()}' as string)"
    if isinstance(x, datetime.date):
        return f"date'{x.isoformat()}'"
    if isinstance(x, float) and not math.isfinite(x):
        return f"double('{x}')"
    text = f"{x!r}{'D' if isinstance(x, float) else 'L'}"
    return f"({text})" if text.startswith("-") else text


def alike(a: Any, b: Any) -> tuple[Value, Value]:
    """Two numbers of one kind."""
    one, two = constant(a).number(), constant(b).number()
    return (one, two) if one.kind == two.kind else (one.cast("float"), two.cast("float"))


def arithmetic(a: Any, b: Any, operator: str) -> Value:
    one, two = alike(a, b)
    return Value(f"({one.column} {operator} {two.column})", one.kind)


def compared(a: Any, b: Any, operator: str) -> Value:
    """A comparison. NaN equals nothing here, and itself in Spark: floats are not compared where one may be NaN."""
    one, two = alike(a, b)
    said = f"({one.column} {operator} {two.column})"
    if one.kind == "float":
        said = f"if(isnan({one.column}) or isnan({two.column}), {literal(operator == '!=')}, {said})"
    return Value(said, "bool")


def chosen(way: str, a: Any, b: Any) -> Value:
    one, two = alike(a, b)
    return Value(f"{way}({one.column}, {two.column})", one.kind)


class OnColumns(Reading):
    """The reading in which values are columns."""

    def no(self, a: Any) -> Any:
        return Value(f"(not {a.column})", "bool") if isinstance(a, Value) and a.kind == "bool" else super().no(a)

    def maximum(self, a: Any, b: Any) -> Any:
        return chosen("greatest", a, b)

    def minimum(self, a: Any, b: Any) -> Any:
        return chosen("least", a, b)

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
