"""Rows of a query on Spark SQL: a frame, what its axes are in it, and the values that are still to be multiplied."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...keys import Domain
from ...notation import Access, Axis
from ...notation.expression import is_one, unique
from ...table import Table
from .columns import WIDTH, NotHanded, Value, literal
from .frame import SparkTable, quoted

Sizes = Callable[[], tuple[float, dict[int, float]]]  # rows, and the different keys of each axis, by id: estimated
LOCAL = 10**6  # rows of a local table that are sent to Spark
ADDING = {"plus": "sum", "min": "min", "max": "max"}


@dataclass(frozen=True)
class Relation:
    """Rows over axes, with the values of factors.

    Nothing is renamed before it is joined: `written` has the column of each axis, by id, as Spark SQL writes it, under
    the name of the table that it is of. A frame that only gave names would be one more for Spark to look through.

    `loose` says whether a row may be there several times: "" if not; "set" if the copies are equal; "adds" if their
    values are to be added; else the aggregate that makes them one. `once` does that, for the rows of one table. `keys`
    are those who know whether some axes tell the rows apart: a guess, from a look at a table.
    """

    frame: Any
    axes: tuple[Axis, ...]
    values: dict[tuple[int, int], Any]  # by id of what they are of, and a number: a number, a Value, or several
    sizes: Sizes
    written: dict[int, str]
    loose: str = ""
    once: Callable[[Relation], Relation] | None = None
    keys: tuple[Callable[[Sequence[Axis]], bool], ...] = ()
    name: str = ""

    def chosen(self, axes: Iterable[Axis]) -> list[str]:
        """The columns of axes under their names, as Spark SQL writes them where they are chosen from the frame."""
        return [f"{self.written[id(a)]} as {name}" for a, name in zip(axes, named(axes), strict=True)]

    def agrees(self, other: Relation, shared: Iterable[Axis]) -> Any:
        """The condition that rows of both have the same keys."""
        from pyspark.sql import functions as F

        return F.expr(" and ".join(f"{self.written[id(a)]} = {other.written[id(a)]}" for a in shared))

    def is_key(self, axes: Iterable[Axis]) -> bool:
        """Whether these axes tell its rows apart, as far as can be seen."""
        mine = [a for a in axes if is_one(a, self.axes)]
        return (not self.loose and len(mine) == len(self.axes)) or any(says(mine) for says in self.keys)

    def single(self) -> Relation:
        """Each row once."""
        return self if self.once is None or not self.loose else self.once(self)

    def called(self, alias: str) -> Relation:
        """Rows of which the columns have the names of their axes, to be joined with others that have, too."""
        named_so = {id(a): f"{alias}.{name}" for a, name in zip(self.axes, named(self.axes), strict=True)}
        return replace(self, frame=self.frame.alias(alias), written=named_so)


def named(axes: Iterable[Axis]) -> list[str]:
    """What the columns of axes are called in a frame that names them, as Spark SQL writes it."""
    return [quoted(f"k_{a.name}") for a in axes]


def grouped(whole: Relation, axes: Sequence[Axis], added: Iterable[str]) -> Any:
    """Rows made one where their axes agree, with aggregates as Spark SQL writes them."""
    from pyspark.sql import functions as F

    return whole.frame.groupBy(*map(F.expr, whole.chosen(axes))).agg(*map(F.expr, added))


def relation(access: Access, frame: Any, number: int, alone: bool = False) -> Relation:
    """The rows of a table, of which `frame` has those that lack nothing.

    `alone`: nothing is joined with them, so that their columns need not be told from others.
    """
    table: Any = access.table
    here = not isinstance(table, SparkTable)
    how, alias = "plus" if here else table.combine, f"t{number}"
    if not here and table.origin.combine not in (*ADDING, "count"):
        raise NotHanded(f"the rows of {table.name or 'a table'} that come twice are not made one by Spark")
    names = [quoted(name) if alone else f"{alias}.{quoted(name)}" for name in frame.columns]
    types = [field.dataType.simpleString() for field in frame.schema]
    keys = [key_column(names[n], types[n], domain) for n, domain in enumerate(table.domains)]
    at: dict[int, int] = {}
    asked: list[str] = []
    for n, place in enumerate(access.places):
        if not isinstance(place, Axis):
            asked.append(f"{keys[n]} = {key_literal(place, table.domains[n])}")
        elif at.setdefault(id(place), n) != n:
            asked.append(f"{keys[n]} = {keys[at[id(place)]]}")
    axes = access.axes()
    if not axes:
        raise NotHanded(f"{access!r} has no axis")
    parts: list[Value] = []
    for n, values in enumerate(table.values):
        if values.dtype.kind == "b":
            raise NotHanded("values are truth values")
        kind = "float" if values.dtype.kind == "f" else "int"
        given = "1" if how == "count" else names[len(table.keys) + n]
        parts.append(Value(f"cast({given} as {WIDTH[kind]})", kind))

    def made(parts: Sequence[Value]) -> dict[tuple[int, int], Any]:
        value: Any = 1 if not parts else parts[0] if table.make is None else table.make(*parts)
        return {(id(access), number): value}

    def once(whole: Relation) -> Relation:
        if whole.loose == "set":
            rows = whole.frame.selectExpr(*whole.chosen(axes)).distinct()
            return replace(whole, frame=rows, loose="").called(alias)
        way, added = ADDING.get(whole.loose, "sum"), [Value(f"v{number}_{n}", v.kind) for n, v in enumerate(parts)]
        rows = grouped(whole, axes, [f"{way}({v.column}) as {s.column}" for v, s in zip(parts, added, strict=True)])
        return replace(whole, frame=rows, values=made(added), loose="").called(alias)

    def is_key(among: Sequence[Axis]) -> bool:
        places = [at[id(a)] for a in among if id(a) in at]
        return bool(table.distinct(places) == len(table) if here else table.is_key(places))

    as_it_is = not here and frame is table.origin.frame
    rows = frame if alone else table.origin.called(alias) if as_it_is else frame.alias(alias)
    return Relation(
        frame=rows.where(" and ".join(asked)) if asked else rows,
        axes=axes,
        values=made(parts),
        sizes=sizes_of(table, at),
        written={id(a): keys[at[id(a)]] for a in axes},
        loose="" if here or table.rows_differ else "set" if not parts else "adds" if how in ("plus", "count") else how,
        once=once,
        keys=(is_key,) if here or not table.rows_differ else (),
        name=table.name or "T",
    )


def joined(one: Relation, two: Relation, shared: tuple[Any, ...]) -> Relation:
    """The rows of both that agree."""

    def sizes() -> tuple[float, dict[int, float]]:
        (rows, distinct), (others, also) = one.sizes(), two.sizes()
        found = rows * others / max(max(distinct[id(a)], also[id(a)]) for a in shared)
        both = {n: min(distinct.get(n, found), also.get(n, found)) for n in distinct | also}
        return found, both

    def is_key(among: Sequence[Axis]) -> bool:  # asked late: it may take a look at a table
        return any(
            any(says(among) for says in left.keys) and right.is_key(shared) for left, right in ((one, two), (two, one))
        )

    return Relation(
        frame=two.frame.join(one.frame, two.agrees(one, shared)),
        axes=unique((*two.axes, *one.axes)),
        values={**one.values, **two.values},
        sizes=sizes,
        written={**one.written, **two.written},
        loose=one.loose or two.loose,
        keys=(is_key,),
        name=f"{two.name} and {one.name}",
    )


def present(found: Relation) -> Relation:
    """The rows alone."""
    return replace(found, values={}, loose="set")


def sizes_of(table: Any, at: dict[int, int]) -> Sizes:
    def sizes() -> tuple[float, dict[int, float]]:
        if isinstance(table, SparkTable):
            if table.rows_differ:
                raise NotHanded("the size of a part is not known")
            rows, distinct = table.facts.rows, table.facts.distinct
            return rows, {axis: max(distinct[n], 1) for axis, n in at.items()}
        return table.size, {axis: max(table.distinct([n]), 1) for axis, n in at.items()}

    return sizes


def key_column(column: str, kind: str, domain: Domain) -> str:
    """A column of keys as the type that all keys of its kind have: they meet, whatever their widths."""
    if domain.kind == "int":
        return column if kind == "bigint" else f"cast({column} as bigint)"
    if domain.kind == "float":
        return f"(cast({column} as double) + 0.0D)"  # -0.0 is the same key as 0.0
    if domain.kind == "str" and kind != "string":
        raise NotHanded(f"strings of type {kind} may compare in another way")
    return column


def key_literal(key: Any, domain: Domain) -> str:
    """A key in an expression, as Spark SQL writes it."""
    kinds = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,), "date": (datetime.date,)}
    if type(key) in kinds.get(domain.kind, ()) and (type(key) is not int or -(2**63) <= key < 2**63):
        return literal(float(key) if domain.kind == "float" else key)
    raise NotHanded(f"{key!r} is not handed over as a key")


def local_frame(session: Any, table: Table) -> Any:
    """A table that is here as a frame, each row once."""
    if table.size > LOCAL or any(d.kind not in ("int", "float", "str", "bool", "date") for d in table.domains):
        raise NotHanded(f"{table.name or 'a table'} is not in Spark, and is not sent there")
    arrow = table.to_arrow()
    return session.createDataFrame(arrow.rename_columns([f"c{n}" for n, _ in enumerate(arrow.column_names)]))
