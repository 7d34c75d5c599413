"""Small files are read by the driver, and it is the only cell itself: no job is started.

Where a query is about a few hundred thousand rows, a job takes longer than the loops: its task is scheduled, rows go
from Java to Python, and what is found goes back. So the very work that a task would do is done here, if the tables are
Parquet files that the driver can read as Spark would, one cell is best, and what is found is wanted here.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ...plan import options
from .cell import Work
from .divide import is_pinned, strategy
from .meter import Task, in_cells, reading
from .numbering import NOT_NUMBERED
from .room import cores_of_driver
from .send import no_rows, tasks
from .shares import Division


@dataclass(frozen=True)
class Here:
    """What the only cell finds; it can be brought here, like a frame, and nothing else."""

    work: Work
    read: tuple[tuple[Any, Task], ...]  # rows, and what makes blocks of them
    threads: int

    def toArrow(self) -> Any:
        import pyarrow as pa

        with options(threads=self.threads):
            return pa.Table.from_batches(self.found())

    def collect(self) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in self.toArrow().to_pylist()]

    def found(self) -> Iterator[Any]:
        from pyspark import cloudpickle

        work = pickle.loads(cloudpickle.dumps(self.work))  # as in a worker, with what was decided for it before
        blocks = chain([no_rows()], *(task(iter(rows.to_batches())) for rows, task in self.read))
        return in_cells(work.results)(blocks)


def rows_here(division: Division) -> tuple[Any, ...] | None:
    """The rows of all tables, if this is the place to run the only cell."""
    if division.cells > 1 or strategy() is not None or is_pinned():
        return None
    found = []
    for t in {id(t): t for t, _, _ in division.sources}.values():
        found.append(t.rows_here())
        if found[-1] is None:
            return None
    return tuple(found)


def run_here(division: Division, rows: Sequence[Any], work: Work, session: Any) -> Here:
    """What comes of the work in the only cell, on as many threads as there are cores for it."""
    made = [reading(task, moved=False) for _, task in tasks(division, NOT_NUMBERED)]
    return Here(work, tuple(zip(rows, made, strict=True)), cores_of_driver(session))


def told(division: Division) -> list[str]:
    """For `explain`."""
    tables = {id(t): t for t, _, _ in division.sources}.values()
    rows = "; ".join(f"{t.name or 'T'}: {t.facts.rows:,} rows" for t in tables)
    return ["here: small files are read by the driver, which is the only cell, and no job is started", f"  {rows}"]
