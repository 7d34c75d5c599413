"""Which axes can be divided among cells, and what of a table goes by which of them.

Take an axis, and let each cell keep of every Spark table only the rows whose key on that axis is its own. Where the
axis has a key of the cell, the expression says what it said before. If it says nothing anywhere else, the cells
together say all of it, and each row is said once. So an axis can be divided if some Spark table must have a row for
there to be a row at all: a factor of a product, both sides of a sum; not what is absent, or has a default. An axis that
a sum inside has for itself is not divided: what that sum comes to is needed as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
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
    Spark SQL, "broadcast" leaves one table where it is, and "cells" does neither. Nothing that is pinned is run here.
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


def pinned_shares() -> tuple[dict[str, int] | None, int | None]:
    """The shares of axes by name, and the number of cells, where they are pinned."""
    pinned: tuple[dict[str, int] | None, int | None] = _pinned.get()
    return pinned


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


def source_of(access: Access, hidden: Sequence[Any], axes: Sequence[Axis], divided: Set[int]) -> Source:
    """What of a table is needed where, for one access to it."""
    held: dict[int, int] = {}
    for n, place in enumerate(access.places):
        if isinstance(place, Axis) and not any(place is h for h in hidden):
            for number, axis in enumerate(axes):
                if place is axis and number in divided:
                    held.setdefault(number, n)  # where an axis stands twice, one of its columns says enough
    kinds = {int: "int", str: "str"}
    pins = [
        (n, place)
        for n, (place, domain) in enumerate(zip(access.places, access.table.domains, strict=True))
        if kinds.get(type(place)) == domain.kind and (domain.kind == "str" or -(2**63) <= place < 2**63)
    ]
    return Source(tuple((n, number) for number, n in held.items()), tuple(pins))


def sources_of(
    inner: Expression, axes: Sequence[Axis], divided: Set[int]
) -> tuple[tuple[SparkTable, Source, int], ...]:
    """What of each table is needed where, if these axes are divided; each once, with how many accesses there are."""
    sources: dict[tuple[int, Source], tuple[SparkTable, Source, int]] = {}

    def note(part: Expression, hidden: tuple[Any, ...]) -> Expression | None:
        if isinstance(part, Access) and is_spark(part):
            table: Any = part.table
            source = source_of(part, hidden, axes, divided)
            _, _, uses = sources.get((id(table), source), (table, source, 0))
            sources[id(table), source] = table, source, uses + 1
        return part if isinstance(part, Access) else None

    rebound(inner, note)
    return tuple(sources.values())
