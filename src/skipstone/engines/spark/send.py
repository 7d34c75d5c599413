"""The rows of tables, to the cells: as blocks, by a shuffle; or the only cell reads its table itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from typing import Any

from .blocks import SCHEMA, Routes, Source
from .cell import NO_BLOCK, Work
from .meter import Task, in_cells, reading
from .numbering import Numbering
from .shares import Division


def sent_to_cells(division: Division, work: Work, session: Any, schema: str, numbering: Numbering) -> Any:
    """What comes of the work in every cell."""
    if division.is_alone():
        ((t, read),) = tasks(division, numbering)
        return t.frame.coalesce(1).mapInArrow(in_cells(alone(reading(read, moved=False), work)), schema)
    task = in_cells(lambda batches: work.results(batches))
    cells = blocks(division, session, numbering).repartitionById(max(division.tasks) + 1, "task")
    return cells.mapInArrow(task, schema)


def blocks(division: Division, session: Any, numbering: Numbering) -> Any:
    """The rows of all tables as blocks, by task, cell and source."""
    frames = [t.frame.mapInArrow(reading(read), SCHEMA) for t, read in tasks(division, numbering)]
    if division.cells == 1:  # it has something to say even where no table has a row
        none = f"select 0 as task, 0 as cell, {NO_BLOCK} as source, cast('' as binary) as block"
        frames.append(session.sql(none))
    return reduce(lambda one, two: one.unionAll(two), frames)


def tasks(division: Division, numbering: Numbering) -> list[tuple[Any, Task]]:
    """Each table, and what makes blocks of its rows."""
    routes = Routes(division.grids, division.apart, division.tasks)
    by_table: dict[int, tuple[Any, list[tuple[int, Source]]]] = {}
    for n, (t, source, _) in enumerate(division.sources):
        by_table.setdefault(id(t), (t, []))[1].append((n, source))
    return [(t, spread(len(t.keys), sources, routes, numbering.sent(t))) for t, sources in by_table.values()]


def spread(keyed: int, sources: Sequence[tuple[int, Source]], routes: Routes, dictionaries: Any) -> Task:
    """A task that makes blocks of its rows."""
    return lambda batches: routes.spread(batches, keyed, sources, dictionaries)


def alone(read: Task, work: Work) -> Task:
    """A task that makes blocks of its rows, and is the only cell that they are for."""

    def results(batches: Iterable[Any]) -> Iterator[Any]:
        return work.results(chain([no_rows()], read(batches)))

    return results


def no_rows() -> Any:
    """What says that there is a cell, even where no table has a row."""
    import pyarrow as pa

    return pa.RecordBatch.from_pydict({"task": [0], "cell": [0], "source": [NO_BLOCK], "block": [b""]})
