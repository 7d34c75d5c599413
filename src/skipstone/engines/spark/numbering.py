"""Strings as numbers over all of Spark: which columns share a dictionary, and whether it is worth its job.

Without one, blocks carry strings, and each cell numbers and sorts them anew. With it, one job looks for the different
strings of all columns that meet on an axis; they are sorted here and sent to every worker once. Blocks carry numbers of
four bytes, cells join them, and what comes out is looked up at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from ...keys import Domain
from ...notation import Access, Axis, Condition, Expression, rebound
from ...table import Table
from .blocks import of_strings
from .dictionary import Carried, Dictionary, Numbered
from .faults import told
from .frame import SparkTable, quoted
from .shares import Division

LARGE = 2**25  # bytes of the strings of a dictionary, at most: it is sorted here, and every worker holds it
WORTH = 2**20  # strings that are moved: each costs a cell some 4 µs more than its number, and there is a job to pay for
AGAIN = 2  # times that each of them is moved, on average: the job itself goes through all of them once

Columns = tuple[tuple[Any, int], ...]  # tables, and the number of a column in each


@dataclass(frozen=True)
class Numbering:
    """The columns of strings that are numbered, and what `explain` tells of them."""

    domains: Mapping[tuple[int, int], Numbered] = field(default_factory=dict)  # by id of the table, and column
    notes: tuple[str, ...] = ()

    def of(self, table: Table) -> list[Domain]:
        """The domains of a table's columns."""
        return [self.domains.get((id(table), n), domain) for n, domain in enumerate(table.domains)]

    def sent(self, table: Table) -> dict[int, Any]:
        """For each column of a table that is numbered, where tasks find the dictionary."""
        return {n: domain.sent for n, domain in enumerate(self.of(table)) if isinstance(domain, Numbered)}

    def recoded(self, table: Table) -> Table:
        """A table that is here, its strings numbered as those in Spark are."""
        for n, domain in enumerate(self.of(table)):
            if isinstance(domain, Numbered):
                moves = domain.dictionary.numbers(of_strings(strings_here(table, n)))
                table = table.recoded(n, domain, moves.astype(np.int64))
        return table


NOT_NUMBERED = Numbering()


def numbered(inner: Expression, division: Division, session: Any, room: float) -> Numbering:
    """The strings of an expression as numbers, where that is worth a job, and there are not too many of them."""
    domains: dict[tuple[int, int], Numbered] = {}
    notes = []
    for axes, columns in meeting_strings(inner):
        if not is_worth(columns, division):
            continue
        about, found = f"strings of {', '.join(map(repr, axes))}", remembered(columns, session, min(LARGE, room))
        if isinstance(found, Numbered):
            strings = found.dictionary.strings
            size = f"{len(strings):,} strings, {strings.nbytes / 1e6:.1f} MB"
            notes.append(f"{about} go as numbers; their dictionary, {size}, to every worker")
            domains.update({(id(table), n): found for table, n in columns})
        else:
            notes.append(f"{about} go as they are: {found}")
    return Numbering(domains, tuple(notes))


def meeting_strings(inner: Expression) -> list[tuple[list[Axis], Columns]]:
    """The columns of strings that meet somewhere, with the axes on which they do, if one of them is in Spark."""
    together: dict[Any, Any] = {}
    axes: dict[int, Axis] = {}
    columns: dict[tuple[int, int], tuple[Any, int]] = {}

    def root(x: Any) -> Any:
        while together.setdefault(x, x) != x:
            x = together[x]
        return x

    def note(part: Expression, hidden: tuple[Any, ...]) -> Expression | None:
        if isinstance(part, Condition) and isinstance(part.right, Axis):
            together[root(id(part.left))] = root(id(part.right))
        if not isinstance(part, Access):
            return None
        for n, place in enumerate(part.places):
            if isinstance(place, Axis) and part.table.domains[n].kind == "str":
                axes[id(place)], columns[id(part.table), n] = place, (part.table, n)
                together[root((id(owner(part.table)), n))] = root(id(place))
        return part

    rebound(inner, note)
    groups: dict[Any, tuple[list[Axis], list[tuple[Any, int]]]] = {}
    for key, axis in axes.items():
        groups.setdefault(root(key), ([], []))[0].append(axis)
    for table, n in columns.values():
        groups[root((id(owner(table)), n))][1].append((table, n))
    return [(held, tuple(those)) for held, those in groups.values() if any(isinstance(t, SparkTable) for t, _ in those)]


def owner(table: Table) -> Any:
    """The table that a column is of: a set of rows has those of the table that it is made of."""
    return table.origin if isinstance(table, SparkTable) else table


def is_worth(columns: Columns, division: Division) -> bool:
    """Whether so many strings are moved, and so often, that a job that numbers them first is worth it."""
    there = [(t, n) for t, n in columns if isinstance(t, SparkTable)]
    moved = sum(division.sent(t, source) for t, source, _ in division.sources for other, _ in there if other is t)
    held = sum(t.facts.rows for t, _ in there)
    return moved >= WORTH and moved >= AGAIN * held


def remembered(columns: Columns, session: Any, most: float) -> Numbered | str:
    """The numbers of the strings of some columns, made when they are first needed; or why there are none."""
    unique = {(id(owner(t)), n): (owner(t), n) for t, n in columns}
    there = tuple((t, n) for t, n in unique.values() if isinstance(t, SparkTable))
    kept: dict[Any, Any] = there[0][0].dictionaries
    if frozenset(unique) not in kept:
        here = [strings_here(t, n) for t, n in unique.values() if not isinstance(t, SparkTable)]
        kept[frozenset(unique)] = made(there, here, session, most), columns  # these keep their ids as long
    found: Numbered | str = kept[frozenset(unique)][0]
    return found


def made(there: Columns, here: Sequence[Any], session: Any, most: float) -> Numbered | str:
    import pyarrow as pa
    import pyarrow.compute as pc

    if any(t.rows_differ for t, _ in there):
        return "they come of a sum, which would be made twice"
    if any(t.frame.schema[n].dataType.simpleString() != "string" for t, n in there):
        return "they may compare in a way of their own"
    large = f"there may be more than {most / 1e6:.0f} MB of them"
    if max(t.facts.distinct[n] * t.letters(n) for t, n in there) > most:
        return large
    found = pc.unique(pa.chunked_array([*found_strings(there), *here], pa.large_string()))
    if found.nbytes > most:
        return large
    dictionary = Dictionary(found.take(pc.array_sort_indices(found)))
    if not dictionary.is_sound():
        return "two of them have the same hash"
    try:
        sent = session.sparkContext.broadcast(dictionary)
    except Exception:  # Spark Connect has no such thing
        sent = Carried(dictionary)
    return Numbered(dictionary, sent)


def strings_here(table: Table, n: int) -> Any:
    """The strings of a column of a table that is here."""
    return table.domains[n].texts


def found_strings(columns: Columns) -> list[Any]:
    """The different strings of columns in Spark, by one job."""
    import pyarrow as pa
    from pyspark.sql import functions as F

    by_table: dict[int, tuple[Any, list[Any]]] = {}
    for t, n in columns:
        by_table.setdefault(id(t), (t, []))[1].append(F.col(quoted(t.keys[n])))
    frames = [t.frame.select(F.explode(F.array(*those)).alias("k")) for t, those in by_table.values()]
    every = reduce(lambda one, two: one.unionAll(two), frames)
    with told():
        found = every.where(F.col("k").isNotNull()).distinct().toArrow().column("k")
    return list(found.cast(pa.large_string()).chunks)
