"""Expressions: what the notation builds. Values that say what is meant; nothing is computed here.

Access        T[i, j]          the rows of a table, its columns named by axes or pinned to keys
Product       a * b            rows that agree on common axes, values multiplied
Added         a + b            rows of either, values added
Number        2.0              the same value everywhere
Absent        ~e               1 where there is no such row
Present       ~~e              1 where there is one
Optional      e.default(v)     v where there is none
Mapped        e.map(f)         f of each value
Kept          e.where(p)       the rows whose value p says yes to
Rows                           1 for each row
Aggregate     e.sum(j)         axes summed away, in some semiring
Memo          e.memo()         run once, and kept

A little longer than a file should be: it is one list of small classes, which is easier to read on one page.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algebra import SEMIRINGS, Semiring, count, max_times, min_plus, or_and, plus_times
from ..counting import counted
from ..errors import BadOption, NotACollection, UnsupportedValue, WrongFunction
from ..keys import Domain
from ..table import Table
from ..warned import warn


@dataclass(frozen=True, eq=False)
class Expression:
    """What all of them can do: `*`, `+`, `-`, sums along axes, and being run."""

    __array_ufunc__ = None  # an array times an expression is not an array of expressions

    def axes(self) -> tuple[Any, ...]:
        """The axes that are not summed away, in the order in which they occur."""
        raise NotImplementedError

    def __mul__(self, other: Any) -> Expression:
        return Product((self, as_expression(other)))

    def __rmul__(self, other: Any) -> Expression:
        return Product((as_expression(other), self))

    def __add__(self, other: Any) -> Expression:
        return Added(self, as_expression(other))

    def __radd__(self, other: Any) -> Expression:
        return self if type(other) is int and other == 0 else Added(as_expression(other), self)

    def __sub__(self, other: Any) -> Expression:
        return Added(self, Mapped(as_expression(other), negative))

    def __rsub__(self, other: Any) -> Expression:
        return as_expression(other) - self

    def __neg__(self) -> Expression:
        return Mapped(self, negative)

    def sum(self, *axes: Any, semiring: Semiring | str = plus_times) -> Aggregate:
        """Along these axes; along all of them if none are named. In the semiring `count`, rows are counted."""
        if a_semiring(semiring) is count:
            return self.count(*axes)
        return Aggregate(self, chosen(self, axes), a_semiring(semiring))

    def min(self, *axes: Any) -> Aggregate:
        """The smallest value along these axes, or along all."""
        return Aggregate(self, chosen(self, axes), MINIMUM)

    def max(self, *axes: Any) -> Aggregate:
        """The largest value along these axes, or along all."""
        return Aggregate(self, chosen(self, axes), MAXIMUM)

    def any(self, *axes: Any) -> Aggregate:
        """Whether there is anything along these axes, or at all; stops at the first."""
        return Aggregate(Rows(self), chosen(self, axes), or_and)

    def count(self, *axes: Any) -> Aggregate:
        """How many rows there are along these axes, or in all."""
        return Aggregate(Rows(self), chosen(self, axes), plus_times)

    def map(self, f: Callable[..., Any]) -> Expression:
        """f of each value, or of the keys and the value, if it takes as many: `e.map(lambda i, j, v: v / (i + j))`."""
        return Mapped(self, f, with_keys(self, f, "map"))

    def where(self, p: Callable[..., Any]) -> Expression:
        """The rows whose value a function says yes to; or keys and value, if it takes as many.

        >>> import skipstone as sk
        >>> i, j = sk.axes("i j")
        >>> t = sk.table({"i": [1, 1, 2], "j": [1, 2, 2], "v": [3, 5, 4]}, value="v")
        >>> t[i, j].where(lambda v: v > 3).collect().to_dict()
        {(1, 2): 5, (2, 2): 4}
        >>> t[i, j].where(lambda i, j, v: v > 3 and i < j).count().collect()
        1

        The function is compiled into the loops. In a product, a table of which only some rows are wanted is cut down
        to them before the product is run. Keys that are strings or dates are asked by `i.where(p)`.
        """
        return Kept(self, p, with_keys(self, p, "where"))

    def __invert__(self) -> Expression:
        """1 where there is no such row. What stands inside is run first, unless it is a table.

        >>> import skipstone as sk
        >>> a, b, c = sk.axes("a b c")
        >>> e = sk.table({"src": [1, 2, 3], "dst": [2, 3, 1]})
        >>> (e[a, b] * ~(e[b, c] * (c > 1)).sum(c)).collect().to_dict()       # the next step leads nowhere but to 1
        {(2, 3): 1}
        """
        return Absent(self)

    def default(self, value: Any) -> Expression:
        """The value where there is a row, and this one where there is none: a left join.

        >>> import skipstone as sk
        >>> a, b = sk.axes("a b")
        >>> e = sk.table({"src": [1, 1, 2], "dst": [2, 3, 3]})
        >>> (e[a, b] * e[b, a].sum(a).default(0)).sum(b).collect().to_dict()
        {1: 1, 2: 0}

        What stands inside is run first, unless it is a table.
        """
        value = value.item() if isinstance(value, np.generic) else value
        if not isinstance(value, int | float | tuple):
            raise UnsupportedValue(f"a default is a number, not {type(value).__name__}", "Write .default(0).")
        return Optional(self, value)

    def memo(self) -> Expression:
        """The same, run once, when it is first needed, and kept: for what stands in several expressions.

        >>> import skipstone as sk
        >>> a, b, c = sk.axes("a b c")
        >>> e = sk.table({"src": [1, 2, 1], "dst": [2, 3, 3]})
        >>> two = (e[a, b] * e[b, c]).sum(b).memo()
        >>> (two * e[a, c]).count().collect(), two.sum().collect()
        (1, 1)

        The planner can no longer look into it. The result lives as long as this expression.
        """
        return Memo(self)

    if TYPE_CHECKING:  # plan/ says how

        def collect(self, into: Any = None, *, order: Any = None, memo: bool = True) -> Any: ...
        def compile(self, *, order: Any = None, memo: bool = True) -> Any: ...
        def explain(self, *, order: Any = None, memo: bool = True) -> Any: ...
        def diagram(self, *, order: Any = None, memo: bool = True) -> Any: ...


MINIMUM = Semiring("min", min_plus.plus, plus_times.times, min_plus.zero, 1, distributes=False)
MAXIMUM = Semiring("max", max_times.plus, plus_times.times, -min_plus.zero, 1, distributes=False)


def negative(value: Any) -> Any:
    return -value


@dataclass(frozen=True, eq=False)
class Access(Expression):
    """The rows of a table; in each place an axis, or the key that must stand there."""

    table: Table
    places: tuple[Any, ...]

    def __post_init__(self) -> None:
        if len(self.places) != len(self.table.keys):
            raise BadOption(
                f"{self.table!r} has {counted(len(self.table.keys), 'key column')}, "
                f"and is given {counted(len(self.places), 'place')}",
                f"Name one axis for each: {', '.join(self.table.keys)}.",
            )

    def axes(self) -> tuple[Any, ...]:
        return unique(p for p in self.places if is_axis(p))

    def __repr__(self) -> str:
        return f"{self.table.name or 'T'}[{', '.join(map(repr, self.places))}]"


def _indexed(self: Table, places: Any) -> Access:
    """The rows of a table with its columns named by axes: `T[i, j]`."""
    given = places if isinstance(places, tuple) else (places,)
    for place, domain in zip(given, self.domains, strict=False):
        if isinstance(place, str) and place in self.keys and not may_hold(domain, place):
            warn(
                f"{self.name or 'T'}[{place!r}] asks for the key {place!r}, which is the name of a column and no key "
                f'in it. Axes are made by sk.axes: {place} = sk.axes("{place}").'
            )
    return Access(self, given)


def may_hold(domain: Domain, key: str) -> bool:
    """Whether a string is one of the keys, as far as is known."""
    return domain.kind == "any" or (
        domain.kind == "str" and (domain.texts is None or isinstance(domain.code_of(key), int))
    )


Table.__getitem__ = _indexed  # type: ignore[method-assign]


@dataclass(frozen=True, eq=False)
class Product(Expression):
    factors: tuple[Expression, ...]

    def axes(self) -> tuple[Any, ...]:
        return unique(a for f in self.factors for a in f.axes())

    def __repr__(self) -> str:
        return " * ".join(map(repr, self.factors))


@dataclass(frozen=True, eq=False)
class Added(Expression):
    one: Expression
    two: Expression

    def axes(self) -> tuple[Any, ...]:
        return unique((*self.one.axes(), *self.two.axes()))

    def __repr__(self) -> str:
        return f"({self.one!r} + {self.two!r})"


@dataclass(frozen=True, eq=False)
class Number(Expression):
    value: Any

    def axes(self) -> tuple[Any, ...]:
        return ()

    def __repr__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True, eq=False)
class Absent(Expression):
    inner: Expression

    def axes(self) -> tuple[Any, ...]:
        return self.inner.axes()

    def __invert__(self) -> Expression:
        return Present(self.inner)

    def __repr__(self) -> str:
        return f"~{grouped(self.inner)}"


@dataclass(frozen=True, eq=False)
class Present(Expression):
    inner: Expression

    def axes(self) -> tuple[Any, ...]:
        return self.inner.axes()

    def __invert__(self) -> Expression:
        return Absent(self.inner)

    def __repr__(self) -> str:
        return f"~~{grouped(self.inner)}"


@dataclass(frozen=True, eq=False)
class Optional(Expression):
    inner: Expression
    otherwise: Any

    def axes(self) -> tuple[Any, ...]:
        return self.inner.axes()

    def __repr__(self) -> str:
        return f"{grouped(self.inner)}.default({self.otherwise!r})"


@dataclass(frozen=True, eq=False)
class Mapped(Expression):
    inner: Expression
    f: Callable[..., Any]
    with_keys: bool = False

    def axes(self) -> tuple[Any, ...]:
        return self.inner.axes()

    def __repr__(self) -> str:
        return f"({self.inner!r}).map({getattr(self.f, '__name__', 'f')})"


@dataclass(frozen=True, eq=False)
class Kept(Expression):
    inner: Expression
    p: Callable[..., Any]
    with_keys: bool = False

    def axes(self) -> tuple[Any, ...]:
        return self.inner.axes()

    def __repr__(self) -> str:
        return f"{grouped(self.inner)}.where({getattr(self.p, '__name__', 'p')})"


@dataclass(frozen=True, eq=False)
class Memo(Expression):
    inner: Expression
    results: dict[Any, Any] = field(default_factory=dict)  # by what a product meant where it was needed

    def axes(self) -> tuple[Any, ...]:
        return self.inner.axes()

    def memo(self) -> Expression:
        return self

    def __repr__(self) -> str:
        return f"{grouped(self.inner)}.memo()"


@dataclass(frozen=True, eq=False)
class Rows(Expression):
    """The rows of an expression, each with the value 1."""

    inner: Expression

    def axes(self) -> tuple[Any, ...]:
        return self.inner.axes()

    def __repr__(self) -> str:
        return repr(self.inner)


@dataclass(frozen=True, eq=False)
class Aggregate(Expression):
    inner: Expression
    along: tuple[Any, ...]
    semiring: Semiring

    def axes(self) -> tuple[Any, ...]:
        return tuple(a for a in self.inner.axes() if not any(a is b for b in self.along))

    def __repr__(self) -> str:
        return f"({self.inner!r}).sum({', '.join(map(repr, self.along))})"


def grouped(inner: Expression) -> str:
    return repr(inner) if isinstance(inner, Access | Number) else f"({inner!r})"


def with_keys(expression: Expression, f: Callable[..., Any], verb: str) -> bool:
    """Whether a function takes the keys of an expression as well as its value."""
    if not callable(f):
        raise WrongFunction(f"{verb} needs a function, not {type(f).__name__}")
    return takes(f) == len(expression.axes()) + 1 and bool(expression.axes())


def takes(f: Callable[..., Any]) -> int:
    """How many arguments a function takes, those with defaults left out; 1 if it does not say."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return 1
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


def is_axis(x: Any) -> bool:
    return isinstance(x, axis_type())


@cache
def axis_type() -> type:
    from .axes import Axis  # which is made of expressions

    return Axis


def unique(axes: Iterable[Any]) -> tuple[Any, ...]:
    """Each once, in the order in which they come. (Axes are told apart by what they are: == makes a condition.)"""
    found: dict[int, Any] = {}
    for axis in axes:
        found.setdefault(id(axis), axis)
    return tuple(found.values())


def is_one(axis: Any, axes: Iterable[Any]) -> bool:
    """Whether an axis is among several."""
    return any(axis is a for a in axes)


def place(axes: Iterable[Any], axis: Any) -> int:
    """The number of an axis among several; -1 if it is not there."""
    return next((n for n, a in enumerate(axes) if a is axis), -1)


def chosen(expression: Expression, axes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The axes to sum along; all of the expression's, if none are named."""
    there = expression.axes()
    for axis in axes:
        if not any(axis is a for a in there):
            raise BadOption(
                f"{axis!r} is not an axis of {expression!r:.80}", f"Its axes are {', '.join(map(repr, there))}."
            )
    return axes or there


def a_semiring(semiring: Semiring | str) -> Semiring:
    if isinstance(semiring, Semiring):
        return semiring
    if semiring not in SEMIRINGS:
        raise BadOption(f"there is no semiring called {semiring!r}", f"Known: {', '.join(SEMIRINGS)}.")
    return SEMIRINGS[semiring]


def as_expression(x: Any) -> Expression:
    if isinstance(x, Expression):
        return x
    x = x.item() if isinstance(x, np.generic) else x
    if isinstance(x, int | float):
        return Number(x)
    raise NotACollection(
        f"cannot multiply or add an expression and {type(x).__name__}", "Index a table first: T[i, j]."
    )
