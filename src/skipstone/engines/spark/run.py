"""An expression with Spark tables in it, run: checked here, divided, sent to cells, and what they found added up."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from typing import Any

from ...algebra import max_plus, min_plus, plus_times
from ...keys import Domain
from ...notation import Access, Aggregate, Expression, Memo, Number, accesses, is_one, rebound
from ...plan import Report, Runner
from ...plan.adding import numbers_added
from ...plan.into import delivered
from ...plan.step import tables_joined
from ...stream import running_on
from ...table import Table, table
from ..traced import traced
from .broadcast import Broadcast, chosen, sent_to
from .cell import Slot, Work, as_rows, columns_with_values
from .divide import held, is_spark, source_of
from .early import lighter
from .faults import told
from .frame import quoted
from .hand import NOT_HANDED, Handed, handed
from .here import rows_here, run_here
from .here import told as told_here
from .numbering import NOT_NUMBERED, Numbering, numbered
from .room import cores_of, room_of
from .send import sent_to_cells
from .shares import NO_DIVISION, Division, divided

SAMPLE = 1000  # rows of each table, to show a kernel
KINDS = {"int": "bigint", "float": "double", "bool": "boolean", "str": "string", "date": "date", "any": "string"}


@dataclass
class Plan:
    """How an expression is run on Spark."""

    aggregate: Aggregate
    one_row: bool  # it is no sum: what has no axes is a row, that may not be there
    division: Division
    shape: Table | None  # what comes out, without rows; None if it is a number
    known: bool  # whether the types of the shape are what they will be
    order: tuple[Any, ...] | None
    memo: bool
    session: Any
    handed: Handed
    broadcast: Broadcast | None = None
    numbering: Numbering = NOT_NUMBERED
    rows: tuple[Any, ...] | None = None  # of all tables, if it is run here

    @property
    def head(self) -> tuple[Any, ...]:
        return self.aggregate.axes()

    def adds_up(self) -> bool:
        """Whether several cells may come to the same row."""
        if self.broadcast is not None:
            return True
        return any(self.division.is_divided(n) and not is_one(a, self.head) for n, a in enumerate(self.division.axes))


def collected(expression: Expression, into: Any, order: tuple[Any, ...] | None, memo: bool) -> Any:
    """`Expression.collect`: a number, or a Spark DataFrame, or whatever else is asked for."""
    plan = planned(expression, order, memo, runs=into is not None)
    if plan.shape is None and plan.handed.frame is not None:
        with told():
            there = [row[0] for row in plan.handed.run(lambda frame: frame.collect()) if row[0] is not None]
        return numbers_added(there, plan.aggregate.semiring)
    if plan.shape is None:
        there = packed_parts(plan)
        return None if plan.one_row and not there else numbers_added(there, plan.aggregate.semiring)
    if not plan.known:
        found = tables_joined(packed_parts(plan) or [plan.shape])
        return as_frame(plan, found) if into is None else delivered(found, into)
    frame = plan.handed.frame
    if frame is None:
        schema = ", ".join(f"{quoted(name)} {kind}" for name, kind, _ in columns_of(plan.shape))
        frame = added_up(plan, sent(plan, schema))
    if into is None:
        return frame
    with told():
        rows = frame.toArrow() if plan.handed.frame is None else plan.handed.run(lambda frame: frame.toArrow())
    keyed, names = len(plan.shape.keys), list(plan.shape.columns())
    value = names[keyed:] if plan.shape.make is not None else names[keyed]
    columns = columns_with_values(rows, names, keyed)
    return delivered(table(columns, names[:keyed], value) if rows.num_rows else plan.shape, into)


def packed_parts(plan: Plan) -> list[Any]:
    """What the cells found, here; without those that found nothing."""
    with told():
        parts = [pickle.loads(row[0]) for row in sent(plan, "part binary").collect()]
    for _, error in parts:
        if error is not None:
            raise error
    return [found for found, _ in parts if found is not None]


def as_frame(plan: Plan, found: Table) -> Any:
    """A table that is here as a DataFrame."""
    import pyarrow as pa

    types = tuple((name, kind) for name, _, kind in columns_of(found))
    return plan.session.createDataFrame(pa.Table.from_batches([as_rows(found, types)]))


def explained(expression: Expression, order: tuple[Any, ...] | None, memo: bool) -> Report:
    """`Expression.explain`: how it is divided, what is moved, and the kernel that cells run."""
    plan = planned(expression, order, memo, runs=True)
    division, report = plan.division, Report(watched=True)
    if plan.handed.frame is not None:
        report.lines += plan.handed.told()
        return report
    if plan.rows is not None:
        report.lines += [*told_here(division), *["as a DataFrame, it is run"] * (plan.shape is not None)]
    if plan.rows is None or plan.shape is not None:
        report.lines += plan.broadcast.told() if plan.broadcast is not None else division.told()
    report.lines += plan.numbering.notes
    report.lines += plan.handed.told()
    if not division.axes and plan.broadcast is None:
        report.lines.append("no axis can be divided: each has to be seen as a whole")
    if plan.shape is None or not plan.known:
        report.lines.append("what cells find comes here, and is put together")
    else:
        report.lines.append(f"rows of cells {'are added up by Spark' if plan.adds_up() else 'are all different'}")
    report.lines.append(f"in a cell, planned for the first {SAMPLE:,} rows of each table:")
    local: dict[int, Table] = {}

    def sample(part: Expression, hidden: tuple[Any, ...]) -> Expression | None:
        if not isinstance(part, Access) or not is_spark(part):
            return None
        found: Any = part.table
        if id(found) not in local:
            local[id(found)] = found.local(SAMPLE)
        return Access(local[id(found)], part.places)

    runner = Runner(order, memo, report)
    runner.aggregated(whole(rebound(plan.aggregate, sample)), one_row=True)
    return report


def planned(expression: Expression, order: tuple[Any, ...] | None, memo: bool, runs: bool) -> Plan:
    while isinstance(expression, Memo):
        expression = expression.inner
    one_row = not isinstance(expression, Aggregate)
    aggregate = expression if isinstance(expression, Aggregate) else Aggregate(expression, (), plus_times)
    aggregate = replace(aggregate, inner=rebound(aggregate.inner, numbers_first))
    shape, known = checked(aggregate, order)
    session = next(a.table for a in accesses(aggregate) if is_spark(a)).frame.sparkSession  # type: ignore[attr-defined]
    types = [(name, kind) for name, kind, _ in columns_of(shape)] if shape is not None and known else None
    free = order is None and memo
    over = handed(aggregate, shape, types, session, runs or shape is None) if free else NOT_HANDED
    if over.frame is not None:
        return Plan(aggregate, one_row, NO_DIVISION, shape, known, order, memo, session, over)
    aggregate = lighter(aggregate, session)
    axes = tuple(held(aggregate.inner).values())
    if shape is not None and (way_to_add(aggregate) is None or not known):
        axes = tuple(a for a in axes if any(a is h for h in aggregate.axes()))  # then each row comes from one cell
    division = divided(aggregate.inner, axes, cores_of(session), room_of(session))
    for t, _, _ in division.sources:
        _ = t.facts  # nulls are refused, or told, whatever is pinned
    rows = rows_here(division) if runs or shape is None else None
    wide = chosen(aggregate, division, cores_of(session)) if known and rows is None else None
    strings = NOT_NUMBERED
    if known and wide is None and division.cells > 1:
        strings = numbered(aggregate.inner, division, session, room_of(session))
        division = replace(division, numbered=frozenset(strings.domains))
    return Plan(aggregate, one_row, division, shape, known, order, memo, session, over, wide, strings, rows)


def numbers_first(part: Expression, hidden: tuple[Any, ...]) -> Expression | None:
    """Sums inside that come to a number are run by themselves: every cell needs them as a whole."""
    if not isinstance(part, Aggregate) or part.axes():
        return None
    found = part.collect()
    return Number(None if found is False else found)  # `any` of nothing


def whole(expression: Expression) -> Aggregate:
    assert isinstance(expression, Aggregate)
    return expression


def checked(aggregate: Aggregate, order: tuple[Any, ...] | None) -> tuple[Table | None, bool]:
    """The expression run here on tables without rows: what is wrong with it is said at once, and what comes out has the
    types that it will have. Whether it has is said too: not where a key is made by a function, or a row has no axis.
    """
    shapes: dict[int, Table] = {}

    def shape(part: Expression, hidden: tuple[Any, ...]) -> Expression | None:
        if not isinstance(part, Access):
            return None
        if id(part.table) not in shapes:
            t = part.table
            codes, values = ([x[:0] for x in columns] for columns in t.content())
            shapes[id(t)] = Table(t.keys, codes, t.domains, values, t.make, t.name)
        return Access(shapes[id(part.table)], part.places)

    with running_on(traced):
        found = Runner(order, memo=False).aggregated(whole(rebound(aggregate, shape)), one_row=True)
    if not isinstance(found, Table):
        return None, True
    return found, all(a.axes() for a in accesses(aggregate)) and all(d.kind != "any" for d in found.domains)


def columns_of(shape: Table) -> list[tuple[str, str, Any]]:
    """Name, Spark's type and Arrow's type of each column that comes out."""
    import pyarrow as pa

    arrow = {
        "bigint": pa.int64(), "double": pa.float64(), "boolean": pa.bool_(), "string": pa.string(),
        "date": pa.date32(), "timestamp": pa.timestamp("us", "UTC"), "timestamp_ntz": pa.timestamp("us"),
    }  # fmt: skip
    kinds = [spark_type(domain) for domain in shape.domains]
    kinds += [{"i": "bigint", "u": "bigint", "f": "double", "b": "boolean"}[v.dtype.kind] for v in shape.values]
    return [(name, kind, arrow[kind]) for name, kind in zip(shape.columns(), kinds, strict=True)]


def spark_type(domain: Domain) -> str:
    if domain.kind == "timestamp":
        return "timestamp" if domain.zone else "timestamp_ntz"
    return KINDS[domain.kind]


def sent(plan: Plan, schema: str) -> Any:
    """The rows of all tables, to the cells, and what comes of each."""
    division = plan.division
    types: tuple[tuple[str, Any], ...] = ()
    if plan.shape is not None and plan.known:
        types = tuple((name, kind) for name, _, kind in columns_of(plan.shape))
    if plan.broadcast is not None:
        return sent_to(plan.broadcast, plan.aggregate, plan.order, plan.memo, types, schema)
    numbers = {(id(t), source): n for n, (t, source, _) in enumerate(division.sources)}
    parted = {n for n, _ in enumerate(division.axes) if division.is_divided(n)}
    slots: dict[Any, Table] = {}

    def slot(part: Expression, hidden: tuple[Any, ...]) -> Expression | None:
        if not isinstance(part, Access):
            return None
        t: Any = part.table
        if is_spark(part):
            number = numbers[id(t), source_of(part, hidden, division.axes, parted)]
            return Access(slots.setdefault(number, Slot(t, number, plan.numbering.of(t))), part.places)
        if ("local", id(t)) not in slots:
            bare = plan.numbering.recoded(t)
            slots["local", id(t)] = bare.named(bare.name)
        return Access(slots["local", id(t)], part.places)

    aggregate = replace(plan.aggregate, inner=rebound(plan.aggregate.inner, slot))
    free = plan.shape is None or plan.adds_up()
    cut = tuple(a for a in division.axes if free or is_one(a, plan.head))
    work = Work(aggregate, plan.order, plan.memo, types, room_of(plan.session), cut)
    if plan.rows is not None:
        return run_here(division, plan.rows, work, plan.session)
    return sent_to_cells(division, work, plan.session, schema, plan.numbering)


def way_to_add(aggregate: Aggregate) -> str | None:
    """The aggregate of Spark that does what a semiring's plus does; None if there is none."""
    ways = {plus_times.plus: "sum", min_plus.plus: "min", max_plus.plus: "max"}
    return ways.get(aggregate.semiring.plus)


def added_up(plan: Plan, frame: Any) -> Any:
    """What cells found, equal rows made one."""
    if not plan.adds_up():
        return frame
    from pyspark.sql import functions as F

    way = getattr(F, str(way_to_add(plan.aggregate)))
    keys, values = frame.columns[: len(plan.head)], frame.columns[len(plan.head) :]
    return frame.groupBy(*map(quoted, keys)).agg(*(way(quoted(v)).alias(v) for v in values))
