"""What a task does with the blocks of a cell: tables are made of them, and the local planner runs the expression.

A cell that turns out larger than there is room for is split once more, and its parts are run one after the other: the
blocks stay as they came, and of every table only the rows of a part are made ready at a time.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ...errors import CellTooLarge
from ...keys import Coded, Domain
from ...notation import Access, Aggregate, Axis, Expression, is_one, place, rebound
from ...plan import Runner, options
from ...plan.decisions import Decisions
from ...table import Table, table
from .blocks import as_numbers, mixed, together, unpacked
from .dictionary import Numbered
from .failing import located

NO_BLOCK = -1  # the source of a block that only says that there is a cell
PARTS = 1024  # of a cell at most
GROWS = 12  # bytes of addresses in a cell at work for each that it goes through; some four of them are written to
IMPORTED = 640 * 2**20  # bytes of addresses that a worker takes for itself, when kernels have been compiled
NUMBER = 8  # bytes
KEPT, SMALL = 16, 2**20  # pieces of work that a worker remembers, and bytes that each may have
SALT = 1000  # so that a cell is not split by the hashes that made it


@dataclass(frozen=True)
class Part:
    """One of the parts into which the keys of an axis are cut."""

    axis: int
    many: int
    which: int


def of_parts(rows: Any, parts: Sequence[tuple[int, Part]]) -> Any:
    """The rows whose keys, in these columns, belong to these parts."""
    import pyarrow as pa

    for column, part in parts:
        hashes = mixed(as_numbers(rows.column(column)), part.axis + SALT)
        rows = rows.filter(pa.array(hashes % np.uint64(part.many) == part.which))
    return rows


class Slot(Table):
    """A table without rows, and how to make the one that a cell has in its place."""

    def __init__(self, like: Any, number: int, domains: Sequence[Domain] = ()) -> None:
        super().__init__(like.keys, like.codes, domains or like.domains, like.values, like.make, like.name)
        self.number, self.names = number, like.frame.columns
        self.value, self.combine = like.value, like.combine

    def filled(self, blocks: list[Any], parts: Sequence[tuple[int, Part]]) -> Table:
        """The table of a cell, or the rows whose keys, in these columns, belong to these parts of axes."""
        rows = [of_parts(unpacked(block), parts) for block in blocks]
        if not sum(r.num_rows for r in rows):
            return self
        columns = columns_with_values(together(rows), self.names, len(self.keys))
        for key, domain in zip(self.keys, self.domains, strict=True):
            if isinstance(domain, Numbered):
                columns[key] = Coded(columns[key].to_numpy().astype(np.int64), domain)
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


def weight(block: Any) -> int:
    """The bytes of a block's rows at work, where each number takes eight."""
    rows = unpacked(block)
    return int(max(rows.nbytes, NUMBER * rows.num_rows * rows.num_columns))


def room_left(held: int) -> float:
    """How many bytes may be sorted and gone through in this process, which holds blocks, if its memory is limited."""
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return math.inf
    with open("/proc/self/statm") as pages:
        taken = int(pages.read().split()[0]) * resource.getpagesize()
    return max(limit - max(taken, IMPORTED + held), 2**24) / GROWS


@dataclass(frozen=True)
class Work:
    """An expression over slots and local tables, to be run in every cell."""

    aggregate: Aggregate
    order: tuple[Any, ...] | None
    memo: bool
    types: tuple[tuple[str, Any], ...]  # of the columns that come out, by name; none if it shall be packed
    room: float  # bytes that may be sorted and gone through at once
    axes: tuple[Axis, ...]  # along which it may be split
    decided: dict[Any, list[Any]] = field(default_factory=dict, compare=False)  # for tables of such sizes, before

    def __reduce__(self) -> Any:
        """Without what was decided: the worker has its own, see `received`."""
        from pyspark import cloudpickle

        sent = [getattr(self, each.name) for each in fields(self) if each.compare]
        return received, (cloudpickle.dumps(sent),)

    def results(self, batches: Iterable[Any]) -> Iterator[Any]:
        """What the cells of one task come to, as batches: rows, or a number or table, packed into a binary value."""
        cells: dict[int, dict[int, list[Any]]] = {}
        for batch in batches:
            _, *columns = batch.columns
            for cell, source, block in zip(*map(list, columns), strict=True):
                blocks = cells.setdefault(cell.as_py(), {})
                if source.as_py() != NO_BLOCK:
                    blocks.setdefault(source.as_py(), []).append(block.as_buffer())
        for blocks in cells.values():
            for parts in self.split(blocks):
                run = partial(self.run, blocks, parts)
                yield as_rows(run(), self.types) if self.types else as_packed(run)

    def split(self, blocks: dict[int, list[Any]]) -> Iterator[tuple[Part, ...]]:
        """The parts of a cell that are run one after the other: few enough, and each with room for what it needs."""
        sizes = {source: sum(map(weight, each)) for source, each in blocks.items()}
        cuts = dict.fromkeys(range(len(self.axes)), 1)
        needed, room = self.needed(sizes, cuts), min(self.room, room_left(sum(sizes.values())))
        while needed > room:
            tried = [(self.needed(sizes, {**cuts, n: 2 * cuts[n]}), n) for n in cuts]
            least, n = min(tried, default=(needed, 0))
            if least >= needed or math.prod(cuts.values()) >= PARTS:
                held = f"{needed / 1e6:,.0f} MB, and there is room for {room / 1e6:,.0f} MB"
                raise CellTooLarge(
                    f"a cell needs {held}; no axis is left that would make it smaller",
                    "Give Python workers more memory (spark.executor.pyspark.memory), or axes more shares: "
                    "sk.spark.options(shares=…).",
                )
            cuts[n], needed = 2 * cuts[n], least
        cut = [(n, many) for n, many in cuts.items() if many > 1]
        for choice in product(*(range(many) for _, many in cut)):
            yield tuple(Part(n, many, which) for (n, many), which in zip(cut, choice, strict=True))

    def needed(self, sizes: dict[int, int], cuts: dict[int, int]) -> float:
        """The bytes that a part sorts and goes through, once for each access to them, if axes are cut into so many."""
        found = []

        def note(part: Expression, hidden: tuple[Any, ...]) -> Expression | None:
            if isinstance(part, Access) and isinstance(part.table, Slot):
                cut = math.prod(cuts[n] for n in self.columns(part, hidden))
                found.append(sizes.get(part.table.number, 0) / cut)
            return None

        rebound(self.aggregate.inner, note)
        return sum(found)

    def columns(self, access: Access, hidden: tuple[Any, ...]) -> dict[int, int]:
        """The column in which an access has each of the axes along which a cell may be split, if it has."""
        return {
            n: place(access.places, axis)
            for n, axis in enumerate(self.axes)
            if is_one(axis, access.places) and not is_one(axis, hidden)
        }

    def run(self, blocks: dict[int, list[Any]], parts: tuple[Part, ...] = ()) -> Any:
        """A table, or a number; None where there is nothing."""
        made: dict[Any, Table] = {}

        def fill(part: Expression, hidden: tuple[Any, ...]) -> Expression | None:
            if not isinstance(part, Access) or not isinstance(part.table, Slot):
                return None
            slot, held = part.table, self.columns(part, hidden)
            mine = [(held[p.axis], p) for p in parts if p.axis in held]
            key = slot.number, *mine
            if key not in made:
                made[key] = slot.filled(blocks[slot.number], mine) if slot.number in blocks else slot
            return Access(made[key], part.places)

        aggregate = replace(self.aggregate, inner=rebound(self.aggregate.inner, fill))
        sizes = tuple((number, t.size.bit_length()) for (number, *_), t in made.items())
        try:
            return self.ran(aggregate, Decisions(self.decided.setdefault(sizes, [])))
        except (OSError, MemoryError):  # of the machine: another try may do better
            raise
        except Exception as error:
            raise located(error, aggregate, self.ran).with_traceback(None) from None

    def ran(self, aggregate: Any, decisions: Decisions | None = None) -> Any:
        with options(progress=False):
            runner = Runner(self.order, self.memo, decisions=decisions or Decisions())
            return runner.aggregated(aggregate, one_row=True)


_received: dict[bytes, Work] = {}


def received(packed: bytes) -> Work:
    """Work as it was sent: the same one as the last time, with what was decided then, if this worker has had it."""
    if packed not in _received:
        if len(_received) == KEPT:
            _received.clear()
        work = Work(*pickle.loads(packed))
        if len(packed) > SMALL:
            return work
        _received[packed] = work
    return _received[packed]


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
