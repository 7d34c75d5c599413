"""The block shuffle: rows are bucketed by hashed keys, each bucket is packed into one binary value, and goes to every
cell that needs it.

Cells are a grid, or several (see shares.py), one dimension an axis, as long as the axis has shares. A row of T[a, b]
belongs where its keys of a and b say, and in every place along the other dimensions. What Spark copies, sorts and
counts are a few hundred blocks, not rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...storage.column import Array

SCHEMA = "task int, cell int, source int, block binary"
ROWS = 2**18  # that are bucketed together


@dataclass(frozen=True)
class Source:
    """Rows of one table, divided in one way: the (column, axis) by which they go, the (column, key) they must hold."""

    held: tuple[tuple[int, int], ...] = ()
    pins: tuple[tuple[int, Any], ...] = ()


@dataclass(frozen=True)
class Grid:
    """Cells by the shares of each axis, numbered from `first` on, for rows whose keys are heavy in these axes, and in
    no other that has heavy keys."""

    shares: tuple[int, ...]
    heavy: frozenset[int]
    first: int

    @property
    def cells(self) -> int:
        return math.prod(self.shares)


@dataclass(frozen=True)
class Routes:
    """Where rows go: the grids, the heavy keys of each axis as numbers, in order, and the task of each cell."""

    grids: tuple[Grid, ...]
    apart: tuple[tuple[int, ...], ...]
    tasks: tuple[int, ...]

    def spread(
        self, batches: Iterable[Any], keyed: int, sources: Sequence[tuple[int, Source]], sent: Mapping[int, Any]
    ) -> Iterator[Any]:
        """The rows of one table as blocks, by task, cell and source. The first `keyed` columns are keys.

        `sent` has, for columns of strings that go as numbers, the dictionary, as a broadcast.
        """
        import pyarrow as pa

        for rows in in_portions(batches):
            rows = coded = without_nulls(rows, keyed)
            numbers: dict[int, Array] = {}
            for n in {*sent, *(n for _, source in sources for n, _ in source.held)}:
                hashes, places = hashed(rows.column(n))
                numbers[n] = hashes if places is None else hashes[places]
                if n in sent:
                    codes = sent[n].value.numbers(hashes)[places]
                    coded = coded.set_column(n, rows.column_names[n], pa.array(codes))
            for number, source in sources:
                mine = holding(rows, source)
                chosen = coded if mine is None else coded.filter(pa.array(mine))
                by = {axis: numbers[n] if mine is None else numbers[n][mine] for n, axis in source.held}
                for grid in self.grids:
                    yield from self.to_grid(grid, chosen, by, number)

    def to_grid(self, grid: Grid, rows: Any, numbers: dict[int, Array], source: int) -> Iterator[Any]:
        """The rows that a grid is about, as blocks for its cells."""
        import pyarrow as pa

        held = list(numbers)
        mine = np.ones(rows.num_rows, bool)
        for axis in held:
            if self.apart[axis]:
                mine &= ranks(self.apart[axis], numbers[axis])[1] == (axis in grid.heavy)
        if not mine.all():
            rows, numbers = rows.filter(pa.array(mine)), {axis: x[mine] for axis, x in numbers.items()}
        if not rows.num_rows:
            return
        sizes = tuple(grid.shares[axis] for axis in held)
        places = [self.coordinate(grid, axis, numbers[axis]) for axis in held]
        cells = np.arange(grid.first, grid.first + grid.cells).reshape(grid.shares)
        for bucket, part in buckets(rows, places, sizes):
            place: list[Any] = [slice(None)] * len(grid.shares)
            for axis, coordinate in zip(held, bucket, strict=True):
                place[axis] = coordinate
            goals = cells[tuple(place)].ravel()
            columns = [np.array(self.tasks)[goals], goals, np.full(goals.size, source)]
            block = pa.array([packed(part)] * goals.size, pa.binary())
            arrays = [*(pa.array(column.astype(np.int32)) for column in columns), block]
            yield pa.RecordBatch.from_arrays(arrays, ["task", "cell", "source", "block"])

    def coordinate(self, grid: Grid, axis: int, numbers: Array) -> Array:
        """The share of each key: by hash, and heavy keys in turn, so that no two meet without need."""
        if axis in grid.heavy:
            return ranks(self.apart[axis], numbers)[0] % grid.shares[axis]
        return (mixed(numbers, axis) % np.uint64(grid.shares[axis])).astype(np.int64)


def ranks(keys: tuple[int, ...], numbers: Array) -> tuple[Array, Array]:
    """Where each number stands among some in order, and whether it is one of them."""
    among = np.array(keys, np.uint64)
    at = np.searchsorted(among, numbers).clip(max=among.size - 1)
    return at, among[at] == numbers


def in_portions(batches: Iterable[Any], most: int = ROWS) -> Iterator[Any]:
    """Batches of rows, put together to tables that are worth bucketing."""
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(b.num_rows for b in held) >= most:
            yield pa.Table.from_batches(held).combine_chunks()
            held = []
    if any(b.num_rows for b in held):
        yield pa.Table.from_batches(held).combine_chunks()


def without_nulls(rows: Any, keyed: int) -> Any:
    """The rows that have all their keys and values; NaN is no key."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = rows.drop_null()
    for n in range(keyed):
        if pa.types.is_floating(rows.column(n).type):
            rows = rows.filter(pc.invert(pc.is_nan(rows.column(n))))
    return rows


def holding(rows: Any, source: Source) -> Array | None:
    """Which rows hold the keys that a source asks for; None, if it asks for none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found: Array | None = None
    for n, key in source.pins:
        there = np.asarray(pc.equal(rows.column(n), pa.scalar(key)))
        found = there if found is None else found & there
    return found


def buckets(rows: Any, places: list[Array], sizes: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Any]]:
    """The rows by where their keys send them: (coordinates along the axes that are held, rows)."""
    import pyarrow as pa

    if math.prod(sizes) == 1:
        yield (0,) * len(sizes), rows
        return
    bucket = np.ravel_multi_index(places, sizes)
    order = np.argsort(bucket.astype(np.uint16) if math.prod(sizes) < 2**16 else bucket, kind="stable")
    rows, counts = rows.take(pa.array(order)), np.bincount(bucket, minlength=math.prod(sizes))
    starts = np.cumsum(counts) - counts
    for n in np.flatnonzero(counts).tolist():
        coordinates = tuple(int(x) for x in np.unravel_index(n, sizes))
        yield coordinates, rows.slice(int(starts[n]), int(counts[n]))


def packed(rows: Any) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def unpacked(block: Any) -> Any:
    import pyarrow as pa

    return pa.ipc.open_stream(block).read_all()


def together(rows: Sequence[Any]) -> Any:
    import pyarrow as pa

    return pa.concat_tables(rows)


def mixed(numbers: Array, salt: int) -> Array:
    """A hash of each number, the same in every process; another for every salt."""
    x = numbers + np.uint64((salt + 1) * 0x9E3779B97F4A7C15 % 2**64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)  # the mixing of SplitMix64
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: Array = x ^ (x >> np.uint64(31))
    return found


def as_numbers(column: Any) -> Array:
    """A number for each key, the same for every width of integer or float; strings may share one."""
    numbers, places = hashed(column)
    return numbers if places is None else numbers[places]


def hashed(column: Any) -> tuple[Array, Array | None]:
    """The number of each key; of strings those of the different ones, and which of them stands in each row."""
    import pyarrow as pa

    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        different = column.dictionary_encode()
        return of_strings(different.dictionary), np.asarray(different.indices)
    return of_numbers(column), None


def of_numbers(column: Any) -> Array:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        floats: Array = column.cast(pa.float64()).to_numpy(zero_copy_only=False) + 0.0  # -0.0 is the same key as 0.0
        return floats.view(np.uint64)
    if pa.types.is_date(kind):
        column = column.cast(pa.int32())
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    whole: Array = np.ascontiguousarray(column.cast(pa.int64()).to_numpy(zero_copy_only=False))
    return whole.view(np.uint64)


def of_strings(column: Any) -> Array:
    """The bytes of each string as the digits of a number, in an odd base, modulo 2**64."""
    import pyarrow as pa

    column = column.cast(pa.large_string())
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    if data is None or ends[0] == ends[-1]:
        return np.zeros(len(column), np.uint64)
    letters = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]].astype(np.uint64) + np.uint64(1)
    starts, lengths = ends[:-1] - ends[0], np.diff(ends)
    at = np.arange(letters.size) - np.repeat(starts, lengths)
    powers = np.full(int(lengths.max()), 0x9E3779B97F4A7C15, np.uint64)
    powers[0] = 1
    digits = np.concatenate([np.zeros(1, np.uint64), np.cumsum(letters * np.cumprod(powers)[at], dtype=np.uint64)])
    found: Array = digits[starts + lengths] - digits[starts]
    return found
