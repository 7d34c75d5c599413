"""Rows that are used as they are found: a sum over the rows of another sum, without a table between them.

    (S[a, b] * S[b, c]).sum(b).map(pairs).sum()      # what becomes of a row (a, c) is added up at once

Keys of c come in no order, and again and again; but when the loops of one a are done, all of its rows are complete.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..algebra import Semiring, is_known
from ..combinators.found import Found
from ..combinators.through import Through
from ..notation import Access, Aggregate, Axis, Expression, Kept, Mapped, Number, Rows, is_one
from ..storage.workspace import Sums, Totals
from ..stream import Stream
from ..table import Table
from ..words import plus, reading
from .step import empty
from .summing import begins_with_nothing, has_enough, summed, tested
from .term import Term, terms

if TYPE_CHECKING:
    from .loops import Loops


def sum_inside(expression: Expression) -> Aggregate | None:
    """The sum that an expression makes something of, row by row, if it is nothing else."""
    while isinstance(expression, Mapped | Kept | Rows):
        expression = expression.inner
    return expression if isinstance(expression, Aggregate) else None


def with_inside(expression: Any, found: Access | Number) -> Any:
    """The same, with what that sum was found to be in its place."""
    if isinstance(expression, Aggregate):
        return found
    return replace(expression, inner=with_inside(expression.inner, found))


@dataclass(frozen=True, eq=False)
class Used:
    """What becomes of the rows of a product: a term over them, summed along all axes but those of the head."""

    head: tuple[Any, ...]
    semiring: Semiring
    term: Term
    rows: Table  # stands for them in the term

    def of(self, found: Any, depth: int = 0) -> Any:
        """(whether there is anything, what) of a stream of rows; a stream of that, along an axis of the head."""
        if isinstance(found, Through):
            return put_together(found, partial(self.of, depth=depth), depth >= len(self.head))

        def body(key: Any, value: Any) -> Any:
            return self.of(value, depth + 1) if isinstance(value, Stream) else self.row(value)

        if depth < len(self.head):
            below = found.map(body)
            return below if depth + 1 < len(self.head) else Found(below)
        done = None if self.semiring.enough is None else partial(has_enough, self.semiring)
        return summed(found, body, self.semiring, begins_with_nothing(self.semiring, False), done)

    def row(self, value: Any) -> Any:
        """(whether it counts, its value) of one row."""

        def at(source: Any) -> Any:
            return value if source.table is self.rows else 1  # of a row that is only counted

        optional = begins_with_nothing(self.semiring, False)
        return tested(self.term.tests, at, self.semiring, lambda: self.term.value(at, self.semiring), optional)

    def likeness(self, loops: Loops) -> Any:
        """What the code depends on; None if it cannot be told."""
        if not is_known(self.semiring):
            return None
        at = {id(axis): n for n, axis in enumerate(loops.order)}
        made = self.form(tuple(factor.form for factor in (*self.term.factors, *self.term.tests)))
        semiring = self.semiring.zero, self.semiring.one, self.semiring.enough
        told = [at[id(a)] for a in self.head], semiring, len(self.term.tests), self.term.numbers
        return repr(told), made, self.semiring

    def form(self, x: Any) -> Any:
        """How a value is made. Functions stand for themselves."""
        if isinstance(x, tuple):
            return tuple(map(self.form, x))
        if isinstance(x, Access):
            return "row" if x.table is self.rows else "one"
        return x if callable(x) else repr(x)


def put_together(found: Through, use: Callable[[Stream], Any], at_once: bool) -> Any:
    """What `use` makes of rows whose keys come in no order, and again and again: of each once, with its sum.

    `at_once`: nothing of them is left when it returns.
    """
    places = found.places
    assert places is not None
    if not (at_once and found.plus is plus):
        sums = Sums(places, found.plus)
        sums.empty()
        sums.pour(found)
        return use(sums.rows())

    def perform() -> Any:
        totals = Totals(places)
        totals.pour(found)
        result = use(totals.rows())
        totals.empty()
        return result

    return reading().effect(perform)


def used(aggregate: Aggregate, inside: Aggregate, loops: Loops) -> Used | None:
    """What is to be done with the rows of loops, if it can be done as they are found.

    They must be complete in time: in order, or with a place for each key of the one axis that is not. And what is left
    in the end comes in order, if those axes are outermost.
    """
    names, domains = [a.name for a in inside.axes()], [loops.term.domains[id(a)] for a in inside.axes()]
    rows = empty(names, domains)
    products = terms(with_inside(aggregate.inner, Access(rows, inside.axes())), lambda x: Number(None))
    head, late = aggregate.axes(), loops.planned.late(inside.axes())
    levels = [axis for axis in loops.order if is_one(axis, inside.axes())]
    first = all(is_one(axis, head) for axis in levels[: len(head)]) and not any(is_one(a, head) for a in late)
    complete = not late or (len(late) == 1 and loops.places() is not None)
    plain = not any(isinstance(x, Axis) for t in products for f in (*t.factors, *t.tests) for x in f.sources)
    numbers = not any(walk.table.make for walk in loops.walks) and all(f.bare for f in loops.term.factors)  # no tuples
    truths = inside.semiring.enough is True
    if not (first and complete and plain and numbers and len(head) < len(levels)) or truths:
        return None
    return Used(head, aggregate.semiring, products[0], rows)
