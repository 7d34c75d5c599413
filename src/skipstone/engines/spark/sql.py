"""What Spark SQL is better at, handed over to it: an expression as joins and aggregates of DataFrames.

A product is joined along a tree: a factor whose axes, as far as others need them, stand in one other factor, is joined
with that one. If neither side has its keys once, the factor is summed along the axes that nobody needs any more before
it is joined: so a path is counted in time linear in its tables. What has no such tree is cyclic, and stays with our
kernels. So does what would be much larger in between than its tables are: counts are asked for only where that may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any

import numpy as np

from ...algebra import Semiring, is_known, plus_times
from ...notation import Absent, Access, Aggregate, Axis, Condition, Expression, Memo, Number, Optional
from ...notation.expression import is_one, unique
from ...plan.term import Term, terms, times
from ...table import Table
from .adding import AGGREGATES, parts, summed, united
from .columns import WIDTH, NotHanded, Value, constant
from .frame import SparkTable, quoted
from .nulls import Inputs
from .relation import Relation, joined, key_literal, named, present, relation
from .tree import is_acyclic, next_leaf

GROWTH = 2  # rows in between, for each row of the tables: more is work for our kernels


@dataclass
class Handing:
    """One expression on its way to Spark SQL: what was decided on the way."""

    pinned: bool  # whether it goes there whatever it costs
    inputs: Inputs
    notes: list[str] = field(default_factory=list)
    domains: dict[int, Any] = field(default_factory=dict)
    number: int = 0

    def base(self, access: Access, alone: bool = False) -> Relation:
        """The rows of a table; alone, if nothing is joined with them."""
        for n, axis in enumerate(access.places):
            if isinstance(axis, Axis):
                self.domains.setdefault(id(axis), access.table.domains[n])
        self.number += 1
        return relation(access, self.inputs.rows(access.table), self.number, alone)

    def aggregated(self, aggregate: Aggregate) -> Relation:
        """A sum of products: each row of the head once, with one value."""
        head, semiring = aggregate.axes(), aggregate.semiring
        if semiring.plus not in AGGREGATES or not is_known(semiring):
            raise NotHanded(f"{semiring} is no aggregate of Spark's")
        run = partial(self.inside, semiring)
        products = terms(aggregate.inner, run)
        if len(products) > 1 and semiring.plus is not plus_times.plus:
            products = terms(run(aggregate.inner), run)
        found = [self.product(term, head, semiring) for term in products]
        if len(found) == 1:
            return found[0]
        return self.summed(united(found, head), head, semiring)

    def inside(self, semiring: Semiring, expression: Expression) -> Access | Number:
        """What stands inside of a product, as a table of its own."""
        while isinstance(expression, Memo):
            expression = expression.inner
        by_row = replace(plus_times, times=semiring.times, one=semiring.one, distributes=False)
        whole = expression if isinstance(expression, Aggregate) else Aggregate(expression, (), by_row)
        if not whole.axes():
            raise NotHanded(f"{expression!r:.60} has no axis")
        found = self.aggregated(whole)
        axes, values = whole.axes(), parts(found)
        if len(values) > 1:
            raise NotHanded("several values are made inside of a product")
        keys = [a.name for a in axes]
        name = "value" + "_" * sum(key.lower().startswith("value") for key in keys)
        chosen = [f"{c} as {quoted(key)}" for c, key in zip(named(axes), keys, strict=True)]
        frame = found.frame.selectExpr(*chosen, f"{values[0].column} as {quoted(name)}")
        empty = [np.zeros(0, {"float": float, "bool": bool}.get(v.kind, np.int64)) for v in values]
        domains = [self.domains[id(a)] for a in axes]
        shape = Table(keys, [domain.no_codes() for domain in domains], domains, empty)
        made = SparkTable(frame, shape, name, "drop", "plus")
        made.nulls_told = made.rows_differ = True
        return Access(made, axes)

    def product(self, term: Term, head: tuple[Any, ...], semiring: Semiring) -> Relation:
        """One product, joined and summed."""
        if term.functions or term.impossible:
            raise NotHanded("a function of keys is asked" if term.functions else "nothing can be there")
        waiting: list[Any] = [*term.conditions, *map(Absent, term.absents), *term.optionals]
        edges = [each.axes() for each in (*term.accesses, *term.present, *waiting)]
        if not self.pinned and not is_acyclic(edges):
            raise NotHanded("it is cyclic")
        alone = term.plain and len(edges) == len(term.accesses) == 1
        factors = [self.base(a, alone) for a in term.accesses]
        factors += [present(self.base(a)) for a in term.present]
        if not factors:
            raise NotHanded("no table holds its axes")
        bound = unique(a for f in factors for a in f.axes)
        for also in (*term.conditions, *term.absents, *term.optionals):
            if not all(is_one(a, bound) for a in also.axes()):
                raise NotHanded(f"{also!r:.40} has an axis of its own")
        valued = [v for f in factors for v in f.values.values() if v is not semiring.one] + list(term.optionals)
        pushed = term.plain and (semiring.distributes or (len(valued) <= 1 and not term.numbers))
        linear = pushed and semiring.plus is plus_times.plus
        if semiring.enough is True and (term.optionals or term.numbers or any(isinstance(v, Value) for v in valued)):
            raise NotHanded("truth values are made of numbers")

        def harmless(f: Relation) -> bool:
            return f.loose in ("", "adds" if linear else "", "set" if semiring.plus is not plus_times.plus else "")

        factors = [f if harmless(f) or f.loose == "set" else f.single() for f in factors]
        while True:
            factors = [self.narrowed(f, waiting) for f in factors]
            if len(factors) == 1:
                break
            sets = [n for n, f in enumerate(factors) if all(v is semiring.one for v in f.values.values())]
            leaf, onto = next_leaf([f.axes for f in factors], [w.axes() for w in waiting], sets)
            rest = [f for n, f in enumerate(factors) if n not in (leaf, onto)]
            one, two = factors[leaf], factors[onto]
            shared = tuple(a for a in one.axes if is_one(a, two.axes))
            if not shared:
                raise NotHanded("its parts share no axis")
            needed = [*head, *(a for f in rest for a in f.axes), *(a for w in waiting for a in w.axes())]
            kept = tuple(a for a in one.axes if is_one(a, shared) or is_one(a, needed))
            if len(shared) == len(one.axes) and all(v is semiring.one for v in one.values.values()):
                self.notes.append(f"rows of {two.name} that are in {one.name}, by {told(shared)}")
                fewer = replace(two, frame=two.frame.join(one.frame, two.agrees(one, shared), "left_semi"))
                factors = [*rest, fewer]
                continue
            one, two = (f if harmless(f) else f.single() for f in (one, two))
            keyed = one.is_key(shared) or two.is_key(shared)
            if not keyed and pushed and len(kept) < len(one.axes):
                one = self.summed(one, kept, semiring).called(f"t{self.number}")
                self.notes.append(f"{one.name} is summed to {told(kept)} first")
                keyed = one.is_key(shared)
            both = joined(one, two, shared)
            if not keyed and not all(is_one(a, head) for a in both.axes):
                self.weigh(one, two, both)
            self.notes.append(f"{one.name} is joined with {two.name} on {told(shared)}")
            factors = [*rest, both]
        whole = factors[0] if harmless(factors[0]) else factors[0].single()
        if waiting:
            raise NotHanded("conditions are left")
        return self.finished(whole, term, head, semiring)

    def finished(self, whole: Relation, term: Term, head: tuple[Any, ...], semiring: Semiring) -> Relation:
        """The value of each row, and the rows of the head."""
        if term.plain:
            values: list[Any] = [*whole.values.values(), *term.numbers]
            value = reduce(partial(times, semiring), values, semiring.one)
            return self.summed(replace(whole, values={(0, 0): value}), head, semiring)
        domains, named_axes = self.domains, {id(a): a for a in whole.axes}

        def at(source: Any) -> Any:
            if id(source) in named_axes:
                kind = domains[id(source)].kind
                if kind not in WIDTH:
                    raise NotHanded(f"a function looks at keys of type {kind}")
                return Value(whole.written[id(source)], kind)
            # A set of rows may be there no more: it was only asked whether it has them.
            return next((value for (of, _), value in whole.values.items() if of == id(source)), semiring.one)

        frame = whole.frame
        for test in term.tests:
            frame = frame.where(constant(test.value(at, semiring)).column)
        return self.summed(replace(whole, frame=frame, values={(0, 0): term.value(at, semiring)}), head, semiring)

    def summed(self, whole: Relation, axes: tuple[Any, ...], semiring: Semiring) -> Relation:
        self.number += 1
        return summed(whole, axes, semiring, self.number)

    def weigh(self, one: Relation, two: Relation, both: Relation) -> None:
        """Whether what is in between is too large: then our kernels do better."""
        if self.pinned:
            return
        rows, (many, _) = one.sizes()[0] + two.sizes()[0], both.sizes()
        if many > GROWTH * rows:
            raise NotHanded(f"it would have about {many:,.0f} rows in between, for {rows:,.0f} of its tables")
        self.notes.append(f"about {many:,.0f} rows in between, for {rows:,.0f} of its tables")

    def narrowed(self, whole: Relation, waiting: list[Any]) -> Relation:
        """The rows that meet those conditions of which they have all axes; these wait no longer."""
        for one in [w for w in waiting if all(is_one(a, whole.axes) for a in w.axes())]:
            del waiting[next(n for n, w in enumerate(waiting) if w is one)]
            if isinstance(one, Condition):
                is_axis, domain = isinstance(one.right, Axis), self.domains[id(one.left)]
                other = whole.written[id(one.right)] if is_axis else key_literal(one.right, domain)
                met = f"{whole.written[id(one.left)]} {one.op} {other}"
                whole = replace(whole, frame=whole.frame.where(met))
                continue
            access: Any = one.inner
            found = self.base(access)
            how = "with a default" if isinstance(one, Optional) else "where it is absent"
            self.notes.append(f"{whole.name} is joined with {found.name}, {how}")
            if isinstance(one, Optional):
                whole = self.with_default(whole.single() if whole.loose == "set" else whole, found.single(), one)
            else:
                rows = whole.frame.join(found.frame, whole.agrees(found, found.axes), "left_anti")
                whole = replace(whole, frame=rows)
        return whole

    def with_default(self, whole: Relation, found: Relation, optional: Optional) -> Relation:
        value, otherwise = next(iter(found.values.values())), optional.otherwise
        if isinstance(value, tuple) or isinstance(otherwise, tuple):
            raise NotHanded("several values have a default")
        if not isinstance(value, Value):  # a set: whether there is a row is all that it says
            value = Value(f"if({found.written[id(found.axes[0])]} is null, null, 1L)", "int")
        number = constant(otherwise)
        kind = "float" if "float" in (value.kind, number.number().kind) else "int"
        there = Value(f"coalesce({value.cast(kind).column}, {number.cast(kind).column})", kind)
        wider = whole.frame.join(found.frame, whole.agrees(found, found.axes), "left")
        return replace(whole, frame=wider, values={**whole.values, (id(optional), self.number): there})


def checks_overflow(session: Any) -> bool:
    """Whether Spark says so when an integer leaves the range of int64, instead of wrapping around."""
    return bool(session.conf.get("spark.sql.ansi.enabled") == "true")


def told(axes: Sequence[Any]) -> str:
    return ", ".join(map(repr, axes)) or "a number"
