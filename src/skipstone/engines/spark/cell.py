"""What a task does with the blocks of a cell: tables are made of them, and the local planner runs the expression."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...notation import Access, Aggregate, Expression, rebound
from ...plan import Runner
from ...table import Table, table
from .blocks import unpacked
from .failing import located

NO_BLOCK = -1  # the source of a block that only says that there is a cell


class Slot(Table):
    """A table without rows, and how to make the one that a cell has in its place."""

    def __init__(self, like: Any, number: int) -> None:
        super().__init__(like.keys, like.codes, like.domains, like.values, like.make, like.name)
        self.number, self.names = number, like.frame.columns
        self.value, self.combine = like.value, like.combine

    def filled(self, blocks: list[Any]) -> Table:
        columns = columns_with_values(unpacked(blocks), self.names, len(self.keys))
        return table(columns, self.keys, self.value, name=self.name, combine=self.combine)


def columns_with_values(rows: Any, names: list[str], keyed: int) -> dict[str, Any]:
    """The columns of a table by name; those of values as NumPy has them, where NaN is a value and not a null."""
    import pyarrow as pa

    columns = dict(zip(names, rows.columns, strict=True))
    for name in names[keyed:]:
        column = columns[name]
        if not column.null_count:
            columns[name] = (column.cast(pa.float64()) if pa.types.is_decimal(column.type) else column).to_numpy()
    return columns


@dataclass(frozen=True)
class Work:
    """An expression over slots and local tables, to be run in every cell."""

    aggregate: Aggregate
    order: tuple[Any, ...] | None
    memo: bool
    types: tuple[tuple[str, Any], ...]  # of the columns that come out, by name; none if it shall be packed

    def results(self, batches: Iterable[Any]) -> Iterator[Any]:
        """What the cells of one task come to, as batches: rows, or a number or table, packed into a binary value."""
        cells: dict[int, dict[int, list[Any]]] = {}
        for batch in batches:
            for cell, source, block in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                blocks = cells.setdefault(cell, {})
                if source != NO_BLOCK:
                    blocks.setdefault(source, []).append(block)
        for blocks in cells.values():
            yield as_rows(self.run(blocks), self.types) if self.types else as_packed(lambda b=blocks: self.run(b))

    def run(self, blocks: dict[int, list[Any]]) -> Any:
        """A table, or a number; None where there is nothing."""
        made: dict[int, Table] = {}

        def fill(part: Expression, hidden: tuple[Any, ...]) -> Expression | None:
            if not isinstance(part, Access) or not isinstance(part.table, Slot):
                return None
            slot = part.table
            if slot.number not in made:
                made[slot.number] = slot.filled(blocks[slot.number]) if slot.number in blocks else slot
            return Access(made[slot.number], part.places)

        aggregate = rebound(self.aggregate, fill)
        assert isinstance(aggregate, Aggregate)
        try:
            return self.ran(aggregate)
        except (OSError, MemoryError):  # of the machine: another try may do better
            raise
        except Exception as error:
            raise located(error, aggregate, self.ran).with_traceback(None) from None

    def ran(self, aggregate: Any) -> Any:
        return Runner(self.order, self.memo).aggregated(aggregate, one_row=True)


def as_rows(found: Table, types: tuple[tuple[str, Any], ...]) -> Any:
    """A table as one batch, columns of exactly these types: Spark binds by place, and never casts."""
    import pyarrow as pa

    arrays = []
    for column, (_, kind) in zip(found.columns().values(), types, strict=True):
        array = (
            pa.array(column.tolist(), pa.string()) if column.dtype == object else pa.array(np.ascontiguousarray(column))
        )
        arrays.append(array.cast(kind))
    return pa.RecordBatch.from_arrays(arrays, [name for name, _ in types])


def as_packed(run: Any) -> Any:
    """What is found, or what went wrong, packed. An error would come again in every try: it is raised by the reader."""
    import pyarrow as pa
    from pyspark import cloudpickle

    try:
        part = cloudpickle.dumps((run(), None))
    except (OSError, MemoryError):
        raise
    except Exception as error:
        part = cloudpickle.dumps((None, error))
    return pa.RecordBatch.from_arrays([pa.array([part], pa.binary())], ["part"])
