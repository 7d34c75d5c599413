"""Less to move: values that nobody looks at stay where they are, and what can be summed first is summed by Spark.

In `(E[a, b] * E[b, c] * E[a, c] * paid[a, x]).sum(…)`, x stands in no other factor: `paid` is summed along it before
anything is moved, if it has several rows for each key that is left. Where rows are only asked for (`count`, `any`,
absence), tables go without their values.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ...notation import Absent, Access, Aggregate, Expression, Present, Product, Rows, rebound
from ...notation.expression import is_one
from ...words import read_by
from .columns import NotHanded, OnColumns
from .divide import is_spark
from .frame import Facts
from .nulls import Inputs
from .sql import Handing, checks_overflow
from .tree import factors_of

FEWER = 4  # rows for each that is left: fewer are moved as they are


def lighter(aggregate: Aggregate, session: Any) -> Aggregate:
    """The same, with less to move."""
    inner = rebound(aggregate.inner, without_values)
    if isinstance(inner, Product) and aggregate.semiring.distributes and checks_overflow(session):
        factors = factors_of(inner)
        inner = Product(tuple(summed(n, factors, aggregate, session) for n, _ in enumerate(factors)))
    return replace(aggregate, inner=inner, along=tuple(a for a in aggregate.along if is_one(a, inner.axes())))


def without_values(part: Expression, hidden: tuple[Any, ...]) -> Expression | None:
    """Rows that are only asked whether they are there."""
    return replace(part, inner=bare(part.inner)) if isinstance(part, Rows | Absent | Present) else None


def bare(expression: Expression) -> Expression:
    if isinstance(expression, Product):
        return replace(expression, factors=tuple(map(bare, expression.factors)))
    if isinstance(expression, Access) and is_spark(expression):
        table: Any = expression.table
        return expression if table.combine == "refuse" else Access(table.as_set(), expression.places)
    return rebound(expression, without_values)


def summed(n: int, factors: tuple[Expression, ...], aggregate: Aggregate, session: Any) -> Any:
    """A factor, summed along the axes that it alone has, if it is a table that becomes much smaller by that."""
    factor = factors[n]
    if not isinstance(factor, Access) or not is_spark(factor):
        return factor
    table: Any = factor.table
    others = [a for m, f in enumerate(factors) if m != n for a in f.axes()]
    alone = tuple(a for a in factor.axes() if is_one(a, aggregate.along) and not is_one(a, others))
    left = [n for n, place in enumerate(factor.places) if is_one(place, factor.axes()) and not is_one(place, alone)]
    if not alone or not left or table.make is not None:
        return factor
    distinct = tuple(table.facts.distinct[n] for n in left)
    rows = min(math.prod(distinct), table.facts.rows)
    if table.facts.rows < FEWER * rows:
        return factor
    handing = Handing(pinned=True, inputs=Inputs(session, counting=False))
    try:
        with read_by(OnColumns()):
            found: Any = handing.inside(aggregate.semiring, Aggregate(factor, alone, aggregate.semiring))
    except NotHanded:
        return factor
    made: Any = found.table
    made.name, made.facts = f"{table.name or 'T'}, summed along {', '.join(map(repr, alone))}", Facts(rows, distinct)
    made.heavy = tuple({} for _ in left)  # not looked for: the sum would be made for that alone
    return found
