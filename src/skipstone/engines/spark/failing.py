"""Which rows make a cell fail: rows are left out as long as it fails without them.

A kernel that divides by zero, or leaves the range of integers, does not say where: that would cost a store for each
row. When it has failed, there is time to find out. Half of a table's rows are left out, then quarters, and so on; each
run is on half of what the last one had, so all of them together take about as long as the one that failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...errors import SkipstoneError, line_of
from ...notation import Access, Aggregate, Expression, Kept, Mapped, Memo, Product, accesses, rebound
from ...stream import running_on
from ...table import Table
from ..compiled import compiled
from ..interpreted import interpreted

SMALL = 1000  # rows; fewer are looped over by Python: compiling for them would take longer
FEW = 3  # rows of a table that are shown

Run = Callable[[Expression], Any]


def located(error: Exception, aggregate: Aggregate, run: Run) -> Exception:
    """The error that an expression raised, with notes that say where: a line of the user's, the rows of each table."""
    notes = getattr(error, "__notes__", ())
    line = line_outside(error)
    if line:
        error.add_note(f"in {line}")
    about_rows = isinstance(error, ArithmeticError) or not isinstance(error, SkipstoneError)
    if about_rows and not notes:  # a function of a key has said which it was
        shown = [row for t in fewest(error, aggregate, run) for row in rows_of(t)]
        if shown:
            error.add_note(f"at {', '.join(shown)}")
    return error


def line_outside(error: Exception) -> str:
    """The first line of the stack that is not of this library: the user's function."""
    here = str(Path(__file__).parents[2])
    trace = error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(here):
            return line_of(SimpleNamespace(__code__=trace.tb_frame.f_code), error)
        trace = trace.tb_next
    return ""


def fewest(error: Exception, aggregate: Aggregate, run: Run) -> list[Table]:
    """Tables with few rows that fail in the same way: those of which a smaller one cannot but say less."""
    kind: Any = next(c for c in type(error).__mro__ if not issubclass(c, SkipstoneError))
    uses, factors = ([id(t) for t in found] for found in (everywhere(aggregate), multiplied(aggregate.inner)))
    tables = {id(t): t for t in multiplied(aggregate.inner) if uses.count(id(t)) == factors.count(id(t))}

    def fails(key: int, rows: Table) -> bool:
        smaller = tables | {key: rows}
        few = sum(t.size for t in smaller.values()) <= SMALL
        with running_on(interpreted if few else compiled):
            try:
                run(rebound(aggregate, lambda part, hidden: replaced(part, smaller)))
            except kind:
                return True
            except Exception:
                return False
            return False

    for key, rows in list(tables.items()):
        size = rows.size
        while size > 1:
            size = (size + 1) // 2
            start = 0
            while start < rows.size > 1:
                rest = np.ones(rows.size, bool)
                rest[start : start + size] = False
                without = rows.rows(rest)
                if without.size and fails(key, without):
                    rows = without
                else:
                    start += size
            tables[key] = rows
    return list(tables.values())


def multiplied(part: Expression) -> Iterator[Table]:
    """The tables that are factors: with fewer rows there is less, and nothing that was not there."""
    match part:
        case Access(table, _):
            yield table
        case Product(factors):
            for factor in factors:
                yield from multiplied(factor)
        case Memo(inner) | Mapped(inner, _, _) | Kept(inner, _, _):
            yield from multiplied(inner)


def everywhere(part: Expression) -> Iterator[Table]:
    return (access.table for access in accesses(part))


def replaced(part: Expression, tables: dict[int, Table]) -> Expression | None:
    if isinstance(part, Access) and id(part.table) in tables:
        return Access(tables[id(part.table)], part.places)
    return None


def rows_of(table: Table) -> list[str]:
    """The rows of a small table, as text; nothing if there are many."""
    if not 0 < table.size <= FEW:
        return []
    keys = [domain.listed(codes) for domain, codes in zip(table.domains, table.codes, strict=True)]
    names = table.keys
    rows = zip(*keys, strict=True)
    return [
        f"{table.name or 'unnamed'}({', '.join(f'{n}={k!r}' for n, k in zip(names, row, strict=True))})" for row in rows
    ]
