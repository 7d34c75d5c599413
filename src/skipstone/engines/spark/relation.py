"""Rows of a query on Spark SQL: a frame with a column for each axis, and the values that are still to be multiplied."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
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

    `loose` says whether a row may be there several times: "" if not; "set" if the copies are equal; "adds" if their
    values are to be added; else the aggregate that makes them one. `keys` are those who know whether some axes tell the
    rows apart: a guess, from a look at a table. `written` has what makes the columns of axes, by id, where the frame
    does not have them yet.
    """

    frame: Any
    axes: tuple[Axis, ...]
    values: dict[tuple[int, int], Any]  # by id of what they are of, and a number: a number, a Value, or several
    sizes: Sizes
    loose: str = ""
    keys: tuple[Callable[[Sequence[Axis]], bool], ...] = ()
    name: str = ""
    written: dict[int, str] = field(default_factory=dict)

    def chosen(self, axes: Iterable[Axis]) -> list[str]:
        """The columns of axes, as Spark SQL writes them where they are chosen from the frame."""
        return [
            f"{self.written[id(a)]} as {name}" if self.written else name
            for a, name in zip(axes, named(axes), strict=True)
        ]

    def is_key(self, axes: Iterable[Axis]) -> bool:
        """Whether these axes tell its rows apart, as far as can be seen."""
        mine = [a for a in axes if is_one(a, self.axes)]
        return (not self.loose and len(mine) == len(self.axes)) or any(says(mine) for says in self.keys)

    def single(self) -> Relation:
        """Each row once."""
        if not self.loose:
            return self
        if self.loose == "set":
            return replace(self, frame=self.frame.distinct(), loose="")
        way = ADDING.get(self.loose, "sum")
        rest = [c for c in self.frame.columns if c not in columns(self.axes)]
        return replace(self, frame=grouped(self, self.axes, [f"{way}({c}) as {c}" for c in rest]), loose="")


def columns(axes: Iterable[Axis]) -> list[str]:
    """What the columns of axes are called in a frame."""
    return [f"k_{a.name}" for a in axes]


def named(axes: Iterable[Axis]) -> list[str]:
    """The same, as Spark SQL writes them."""
    return [quoted(name) for name in columns(axes)]


def grouped(whole: Relation, axes: Sequence[Axis], added: Iterable[str]) -> Any:
    """Rows made one where their axes agree, with aggregates as Spark SQL writes them."""
    from pyspark.sql import functions as F

    keys = map(F.expr, whole.chosen(axes)) if whole.written else columns(axes)
    return whole.frame.groupBy(*keys).agg(*map(F.expr, added))


def relation(access: Access, frame: Any, number: int, bare: bool = False) -> Relation:
    """The rows of a table, of which `frame` has those that lack nothing. Its values are called by its number.

    `bare`: they are not given names, and are what makes them. Where nothing is joined, that is one frame less for Spark
    to look through (6 to 8 ms).
    """
    table: Any = access.table
    here = not isinstance(table, SparkTable)
    how, names = "plus" if here else table.combine, frame.columns
    if not here and table.origin.combine not in (*ADDING, "count"):
        raise NotHanded(f"the rows of {table.name or 'a table'} that come twice are not made one by Spark")
    keys = [key_column(frame, n, domain) for n, domain in enumerate(table.domains)]
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
    written, parts, made = {id(a): keys[at[id(a)]] for a in axes}, [], []
    for n, values in enumerate(table.values):
        if values.dtype.kind == "b":
            raise NotHanded("values are truth values")
        kind = "float" if values.dtype.kind == "f" else "int"
        given = "1" if how == "count" else quoted(names[len(table.keys) + n])
        made.append(f"cast({given} as {WIDTH[kind]})")
        parts.append(Value(made[-1] if bare else f"v{number}_{n}", kind))
    value: Any = 1 if not parts else parts[0] if table.make is None else table.make(*parts)
    loose = "set" if not parts else "adds" if how in ("plus", "count") else how
    if here or table.rows_differ:
        loose = ""

    def is_key(among: Sequence[Axis]) -> bool:
        places = [at[id(a)] for a in among if id(a) in at]
        return bool(table.distinct(places) == len(table) if here else table.is_key(places))

    keyed = (is_key,) if here or not table.rows_differ else ()
    values = {(id(access), number): value}
    rows = frame.where(" and ".join(asked)) if asked else frame
    found = Relation(rows, axes, values, sizes_of(table, at), loose, keyed, table.name or "T", written)
    if bare:
        return found
    chosen = (*found.chosen(axes), *(f"{c} as v{number}_{n}" for n, c in enumerate(made)))
    as_it_is = not here and rows is table.origin.frame
    return replace(found, frame=table.origin.shown(chosen) if as_it_is else rows.selectExpr(*chosen), written={})


def joined(one: Relation, two: Relation, shared: tuple[Any, ...]) -> Relation:
    """The rows of both that agree."""

    def sizes() -> tuple[float, dict[int, float]]:
        (rows, distinct), (others, also) = one.sizes(), two.sizes()
        found = rows * others / max(max(distinct[id(a)], also[id(a)]) for a in shared)
        both = {n: min(distinct.get(n, found), also.get(n, found)) for n in distinct | also}
        return found, both

    keys = (two.keys if one.is_key(shared) else ()) + (one.keys if two.is_key(shared) else ())
    frame = two.frame.join(one.frame, columns(shared))
    values, loose = {**one.values, **two.values}, one.loose or two.loose
    return Relation(frame, unique((*two.axes, *one.axes)), values, sizes, loose, keys, f"{two.name} and {one.name}")


def present(found: Relation) -> Relation:
    """The rows alone."""
    return replace(found, frame=found.frame.select(*columns(found.axes)), values={}, loose="set")


def sizes_of(table: Any, at: dict[int, int]) -> Sizes:
    def sizes() -> tuple[float, dict[int, float]]:
        if isinstance(table, SparkTable):
            if table.rows_differ:
                raise NotHanded("the size of a part is not known")
            rows, distinct = table.facts.rows, table.facts.distinct
            return rows, {axis: max(distinct[n], 1) for axis, n in at.items()}
        return table.size, {axis: max(table.distinct([n]), 1) for axis, n in at.items()}

    return sizes


def key_column(frame: Any, n: int, domain: Domain) -> str:
    """A column of keys as the type that all keys of its kind have: they meet, whatever their widths."""
    found, kind = quoted(frame.columns[n]), frame.schema[n].dataType.simpleString()
    if domain.kind == "int":
        return found if kind == "bigint" else f"cast({found} as bigint)"
    if domain.kind == "float":
        return f"(cast({found} as double) + 0.0D)"  # -0.0 is the same key as 0.0
    if domain.kind == "str" and kind != "string":
        raise NotHanded(f"strings of type {kind} may compare in another way")
    return found


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
