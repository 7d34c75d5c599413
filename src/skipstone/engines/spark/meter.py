"""What a query costs on Spark, counted by the tasks where it is spent.

    with metered(spark) as meter:
        n = sk.sum(E[a, b] * E[b, c] * E[a, c]).collect()
    meter.bytes, meter.cells, meter.seconds

Counted are the rows that tasks read, the bytes of the blocks that they give to the shuffle, the cells, and the seconds
that cells take, to unpack blocks, sort rows and run the kernel, added up over all cores. Work that is done twice, as
when a task died, is counted twice. Spark Connect has no accumulators: there, nothing is counted, and the meter is None.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

Task = Callable[[Iterable[Any]], Iterator[Any]]

_meter: ContextVar[Meter | None] = ContextVar("meter", default=None)


class Meter:
    """Counters that tasks add to."""

    def __init__(self, context: Any) -> None:
        self._rows, self._bytes, self._cells = (context.accumulator(0) for _ in range(3))
        self._seconds = context.accumulator(0.0)

    rows = property(lambda self: int(self._rows.value))
    bytes = property(lambda self: int(self._bytes.value))
    cells = property(lambda self: int(self._cells.value))
    seconds = property(lambda self: float(self._seconds.value))


@contextmanager
def metered(session: Any) -> Iterator[Meter | None]:
    """Count what the queries cost that are planned inside of this block."""
    try:
        meter = Meter(session.sparkContext)
    except Exception:  # Spark Connect has no such thing
        meter = None
    token = _meter.set(meter)
    try:
        yield meter
    finally:
        _meter.reset(token)


def reading(task: Task, moved: bool = True) -> Task:
    """A task that makes blocks of rows, counted if a meter runs. Blocks that stay where they are made are not."""
    meter = _meter.get()
    if meter is None:
        return task
    rows, sent = meter._rows, meter._bytes

    def counted(batches: Iterable[Any]) -> Iterator[Any]:
        def drawn() -> Iterator[Any]:
            for batch in batches:
                rows.add(batch.num_rows)
                yield batch

        for blocks in task(drawn()):
            sent.add(blocks.nbytes * moved)
            yield blocks

    return counted


def in_cells(task: Task) -> Task:
    """A task that runs cells, counted if a meter runs. The time that it waits for blocks is not its own."""
    meter = _meter.get()
    if meter is None:
        return task
    cells, seconds = meter._cells, meter._seconds

    def counted(batches: Iterable[Any]) -> Iterator[Any]:
        waited = 0.0

        def drawn() -> Iterator[Any]:
            nonlocal waited
            asked = time.perf_counter()
            for batch in batches:
                waited += time.perf_counter() - asked
                yield batch
                asked = time.perf_counter()
            waited += time.perf_counter() - asked

        results = iter(task(drawn()))
        while True:
            began, waited = time.perf_counter(), 0.0
            found = next(results, None)
            seconds.add(time.perf_counter() - began - waited)
            if found is None:
                return
            cells.add(1)
            yield found

    return counted
