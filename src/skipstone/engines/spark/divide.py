"""Which axes can be divided among cells, and into how many shares.

Take an axis, and let each cell keep of every Spark table only the rows whose key on that axis is its own. Where the
axis has a key of the cell, the expression says what it said before. If it says nothing anywhere else, the cells
together say all of it, and each row is said once. So an axis can be divided if some Spark table must have a row for
there to be a row at all: a factor of a product, both sides of a sum; not what is absent, or has a default. An axis that
a sum inside has for itself is not divided: what that sum comes to is needed as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import BadOption
from ...notation import (
    Access,
    Added,
    Aggregate,
    Axis,
    Expression,
    Kept,
    Mapped,
    Memo,
    Present,
    Product,
    Rows,
    rebound,
)
from .blocks import Source

if TYPE_CHECKING:
    from .frame import SparkTable

CELLS = 4  # for each core at most: a task costs about 30 ms
TASK = 3e6  # what it costs, in bytes that could be moved instead
WORK = 4  # what it costs to sort a byte and to loop over it, against moving it
LARGEST = 2**28  # bytes in a cell; beyond, there may be more cells

STRATEGIES = ("sql", "broadcast", "cells")

_pinned: ContextVar[Any] = ContextVar("pinned", default=(None, None))
_strategy: ContextVar[str | None] = ContextVar("strategy", default=None)


@contextmanager
def options(
    *, shares: Mapping[Any, int] | None = None, cells: int | None = None, strategy: str | None = None
) -> Iterator[None]:
    """Pin into how many shares axes are divided, or how many cells there are in all, inside of this block.

    with sk.spark.options(shares={a: 2, b: 4}):
        n = sk.sum(E[a, b] * E[b, c] * E[a, c]).collect()

    An axis that is not named, or that cannot be divided, has one share. `strategy="sql"` hands expressions over to
    Spark SQL, "broadcast" leaves one table where it is, and "cells" does neither.
    """
    if strategy not in (None, *STRATEGIES):
        raise BadOption(f"there is no strategy {strategy!r}", f"There are: {', '.join(STRATEGIES)}.")
    for number in (*(shares or {}).values(), 1 if cells is None else cells):
        if type(number) is not int or number < 1:
            raise BadOption(f"{number!r} shares or cells", "Say how many: 1, 2, …")
    named = None if shares is None else {getattr(axis, "name", axis): n for axis, n in shares.items()}
    tokens = _pinned.set((named, cells)), _strategy.set(strategy)
    try:
        yield
    finally:
        _pinned.reset(tokens[0])
        _strategy.reset(tokens[1])


def strategy() -> str | None:
    """The strategy that is pinned."""
    return _strategy.get()


def is_pinned() -> bool:
    """Whether shares or cells are."""
    return any(x is not None for x in _pinned.get())


def is_spark(access: Access) -> bool:
    return access.table.engine is not None


def held(expression: Expression) -> dict[int, Axis]:
    """The axes along which there is nothing but where a Spark table has rows, by id."""
    match expression:
        case Access():
            return {id(a): a for a in expression.axes()} if is_spark(expression) else {}
        case Product(factors):
            return {n: a for factor in factors for n, a in held(factor).items()}
        case Added(one, two):
            others = held(two)
            return {n: a for n, a in held(one).items() if n in others}
        case Aggregate(inner, along, _):
            return {n: a for n, a in held(inner).items() if not any(a is b for b in along)}
        case Present(inner) | Rows(inner) | Memo(inner) | Mapped(inner, _, _) | Kept(inner, _, _):
            return held(inner)
    return {}


@dataclass(frozen=True)
class Division:
    """Axes with their shares, and what of each table goes where."""

    axes: tuple[Axis, ...]
    shares: tuple[int, ...]
    sources: tuple[tuple[SparkTable, Source], ...]

    @property
    def cells(self) -> int:
        return math.prod(self.shares)

    def copies(self, source: Source) -> int:
        """How many cells each row goes to."""
        return self.cells // math.prod(self.shares[axis] for _, axis in source.held)

    def rows_in_cell(self, table: SparkTable, source: Source) -> float:
        """Of the largest cell, if keys are about equally frequent: those that there are cannot fill more shares."""
        parts = (min(self.shares[axis], max(table.facts.distinct[n], 1)) for n, axis in source.held)
        return kept(table, source) / math.prod(parts)

    def moved(self) -> float:
        return sum(kept(t, s) * t.row_bytes() * self.copies(s) for t, s in self.sources)

    def largest(self) -> float:
        return sum(self.rows_in_cell(t, s) * t.row_bytes() for t, s in self.sources)

    def cost(self, cores: int) -> float:
        rounds = math.ceil(self.cells / cores)
        return self.moved() / min(cores, max(self.cells, 1)) + rounds * (WORK * self.largest() + TASK)


def kept(table: SparkTable, source: Source) -> float:
    """The rows that hold the keys that are pinned, if all are about equally frequent."""
    return table.facts.rows / math.prod(max(table.facts.distinct[n], 1) for n, _ in source.pins)


def source_of(access: Access, hidden: Sequence[Any], axes: Sequence[Axis], shares: Sequence[int]) -> Source:
    """What of a table is needed where, for one access to it."""
    divided: dict[int, int] = {}
    for n, place in enumerate(access.places):
        if isinstance(place, Axis) and not any(place is h for h in hidden):
            for number, axis in enumerate(axes):
                if place is axis and shares[number] > 1:
                    divided.setdefault(number, n)  # where an axis stands twice, one of its columns says enough
    kinds = {int: "int", str: "str"}
    pins = [
        (n, place)
        for n, (place, domain) in enumerate(zip(access.places, access.table.domains, strict=True))
        if kinds.get(type(place)) == domain.kind and (domain.kind == "str" or -(2**63) <= place < 2**63)
    ]
    return Source(tuple((n, number) for number, n in divided.items()), tuple(pins))


def division(inner: Expression, axes: tuple[Axis, ...], shares: tuple[int, ...]) -> Division:
    sources: dict[tuple[int, Source], tuple[SparkTable, Source]] = {}

    def note(part: Expression, hidden: tuple[Any, ...]) -> Expression | None:
        if isinstance(part, Access) and is_spark(part):
            table: Any = part.table
            source = source_of(part, hidden, axes, shares)
            sources.setdefault((id(table), source), (table, source))
        return part if isinstance(part, Access) else None

    rebound(inner, note)
    return Division(axes, shares, tuple(sources.values()))


def divided(inner: Expression, axes: tuple[Axis, ...], cores: int) -> Division:
    """The cheapest way to divide an expression among cells, or the one that is pinned."""
    pinned, cells = _pinned.get()
    if pinned is not None:
        return division(inner, axes, tuple(pinned.get(a.name, 1) for a in axes))
    if not axes:
        return division(inner, (), ())
    if cells is None:
        whole = division(inner, axes, (1,) * len(axes)).moved()
        most = max(CELLS * cores, math.ceil(whole / LARGEST))
        vectors = [v for v in shared(len(axes), most) if math.prod(v) <= most]
    else:
        vectors = [v for v in shared(len(axes), cells) if math.prod(v) == cells]
    return min((division(inner, axes, v) for v in vectors), key=lambda d: d.cost(cores))


def shared(count: int, most: int) -> Iterator[tuple[int, ...]]:
    """Every way to give so many axes shares, with at most so many cells."""
    if count == 0:
        yield ()
        return
    for n in range(1, most + 1):
        for rest in shared(count - 1, most // n):
            yield (n, *rest)
