"""One large table stays where it is: every task takes its own rows of it, and the other tables whole.

Nothing is shuffled. That is right where what is found in parts of the large table adds up to what is found in all of
it: it is a factor of the product, once; and rows of it that come several times, in different parts, do no harm. They do
not if their values are added anyway, or if only the smallest or the largest is wanted, and they are all the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ...algebra import max_plus, min_plus, plus_times
from ...errors import BadOption
from ...notation import Access, Aggregate, Expression, Rows, accesses, rebound
from .blocks import in_portions, packed, without_nulls
from .cell import Slot, Work, as_packed, as_rows
from .divide import is_pinned, is_spark, strategy
from .frame import SparkTable
from .shares import TASK, WORK, Division
from .tree import factors_of

SMALL = 2**25  # bytes of the tables that are sent to every task
PORTION = 2**21  # rows of the large table that a task works on at once


@dataclass(frozen=True)
class Broadcast:
    """The table that stays, and those that go everywhere."""

    large: SparkTable
    small: tuple[SparkTable, ...]
    cores: int

    def sent(self) -> float:
        return sum(t.facts.rows * t.row_bytes() for t in self.small)

    def cost(self) -> float:
        """In the unit of `Division.cost`."""
        part = self.large.facts.rows * self.large.row_bytes() / self.cores
        return self.sent() + WORK * (part + self.sent()) + TASK

    def told(self) -> list[str]:
        lines = [f"on Spark: broadcast, {self.large.name or 'T'} stays where it is"]
        lines.append(f"  {self.large.name or 'T'}: {self.large.facts.rows:,} rows, none moved")
        for t in self.small:
            lines.append(
                f"  {t.name or 'T'}: {t.facts.rows:,} rows to every task, {t.row_bytes() * t.facts.rows / 1e6:.1f} MB"
            )
        return lines


def chosen(aggregate: Aggregate, division: Division, cores: int) -> Broadcast | None:
    """To leave one table where it is, if that is asked for, or cheaper than a division."""
    asked = strategy() == "broadcast"
    if not asked and (strategy() is not None or is_pinned()):
        return None
    found = broadcast(aggregate, cores)
    if asked and found is None:
        raise BadOption(
            "no table can be left where it is: parts of it would not add up, or the others are too large",
            'Leave strategy="broadcast" out.',
        )
    return found if found is not None and (asked or found.cost() < division.cost(cores)) else None


def broadcast(aggregate: Aggregate, cores: int) -> Broadcast | None:
    """How to leave one table where it is; None if that is not right, or the others are too large."""
    tables: dict[int, Any] = {}
    for access in accesses(aggregate):
        if is_spark(access):
            tables[id(access.table)] = access.table
    for large in sorted(tables.values(), key=lambda t: -t.facts.rows * t.row_bytes()):
        small = tuple(t for t in tables.values() if t is not large)
        if sum(t.facts.rows * t.row_bytes() for t in small) > SMALL:
            return None
        if adds_up(aggregate, large):
            return Broadcast(large, small, cores)
    return None


def adds_up(aggregate: Aggregate, large: SparkTable) -> bool:
    """Whether parts of a table give parts of the answer."""
    inner, plus, times = aggregate.inner, aggregate.semiring.plus, aggregate.semiring.times
    counted = isinstance(inner, Rows)
    inner = inner.inner if isinstance(inner, Rows) else inner
    mine = [f for f in factors_of(inner) if isinstance(f, Access) and f.table is large and f.axes()]
    if len(mine) != 1 or sum(a.table is large for a in accesses(aggregate)) != 1:
        return False
    if plus is plus_times.plus:
        return times is plus_times.times and not counted and bool(large.values) and large.combine in ("plus", "count")
    return plus in (min_plus.plus, max_plus.plus) and (counted or not large.values) and large.combine != "refuse"


def sent_to(
    it: Broadcast,
    aggregate: Aggregate,
    order: tuple[Any, ...] | None,
    memo: bool,
    types: tuple[tuple[str, Any], ...],
    schema: str,
) -> Any:
    """What every part of the large table comes to, with all of the small ones."""
    local = {id(t): t.local() for t in it.small}

    def slot(part: Expression, hidden: tuple[Any, ...]) -> Expression | None:
        if not isinstance(part, Access):
            return None
        t = part.table
        if t is it.large:
            return Access(Slot(t, 0), part.places)
        bare = local.get(id(t), t)
        return Access(bare.named(bare.name), part.places)

    inner = rebound(aggregate.inner, slot)
    work, keyed = Work(replace(aggregate, inner=inner), order, memo, types, math.inf, ()), len(it.large.keys)
    return it.large.frame.mapInArrow(lambda batches: results(work, batches, keyed), schema)


def results(work: Work, batches: Iterable[Any], keyed: int) -> Iterator[Any]:
    import pyarrow as pa

    for rows in in_portions(batches, PORTION):
        found = {0: [pa.py_buffer(packed(without_nulls(rows, keyed)))]}
        yield as_rows(work.run(found), work.types) if work.types else as_packed(lambda f=found: work.run(f))
