"""Sorting positions by their keys: a radix sort for many integers, NumPy's own for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..stream import is_interpreted, worker
from ..words import Kernel
from .column import Array

DIGIT = 11  # bits; 2,048 counters fit the first-level cache
BLOCK = 2**15  # rows that are sorted together where runs are in order
MANY = 20_000  # below that it is not worth the machine code


def sorting_order(keys: Array) -> Array:
    """The positions of keys in the order of the keys, those of equal keys as they stand.

    For a million integers out of ten million, `argsort` takes five times as long.
    """
    if keys.dtype.kind == "i" and keys.size >= MANY and not is_interpreted():
        low, high = int(keys.min()), int(keys.max())
        if high - low < 2**63:
            return by_digits(np.subtract(keys, low, dtype=np.int64), (high - low).bit_length())[1]
    return np.argsort(keys, kind="stable")


def by_digits(keys: Array, bits: int, order: Array | None = None) -> tuple[Array, Array]:
    """Numbers from 0 on of so many bits, in order, and their positions; their array is used up.

    Where keys have been put in an `order` already, their positions in it: those of equal keys stay as they stand there.
    """
    order = np.arange(keys.size, dtype=place_type(keys.size)) if order is None else order
    spare = np.empty_like(keys), np.empty_like(order)
    passes = -(-bits // DIGIT)
    arguments = keys, order, *spare, passes
    worker(SORT, *arguments)(*arguments)
    return spare if passes % 2 else (keys, order)


def sort(keys: Any, order: Any, other_keys: Any, other_order: Any, passes: Any) -> Any:
    """From one pair of arrays to the other and back, each time in the order of one digit more, the lowest first."""
    starts = np.zeros(1 << DIGIT, np.int64)
    for n in range(passes):
        shift = DIGIT * n
        starts[:] = 0
        for i in range(keys.size):
            starts[(keys[i] >> shift) & ((1 << DIGIT) - 1)] += 1
        total = 0
        for digit in range(1 << DIGIT):
            count = starts[digit]
            starts[digit] = total
            total += count
        for i in range(keys.size):
            digit = (keys[i] >> shift) & ((1 << DIGIT) - 1)
            at = starts[digit]
            starts[digit] = at + 1
            other_keys[at] = keys[i]
            other_order[at] = order[i]
        keys, other_keys = other_keys, keys
        order, other_order = other_order, order
    return passes


SORT = Kernel(sort)


def sort_runs(outer: Any, inner: Any, low: Any, bits: Any, order: Any) -> Any:
    """The positions of rows by two columns, the first in order already: one block of whole runs after the other.

    What is sorted by digits is a single number a row: its run, its key and its place, as counted within the block. So
    everything stays in the second-level cache. False if a number would be too long.
    """
    starts = np.zeros(1 << DIGIT, np.int64)
    rows, others = np.empty(2 * BLOCK, np.int64), np.empty(2 * BLOCK, np.int64)
    lo = 0
    while lo < outer.size:
        hi = min(lo + BLOCK, outer.size)
        while hi < outer.size and outer[hi] == outer[hi - 1]:
            hi += 1
        if hi - lo > rows.size:
            rows, others = np.empty(hi - lo, np.int64), np.empty(hi - lo, np.int64)
        width = 1
        while (1 << width) < hi - lo:
            width += 1
        run, most = 0, (1 << (62 - width - bits)) - 1 if width + bits < 62 else -1
        for i in range(lo, hi):
            if i > lo and outer[i] != outer[i - 1]:
                run += 1
            rows[i - lo] = (((run << bits) | (inner[i] - low)) << width) | (i - lo)
        if run > most:
            return False
        shift = width
        while (((run << bits) | ((1 << bits) - 1)) << width) >> shift:
            starts[:] = 0
            for i in range(hi - lo):
                starts[(rows[i] >> shift) & ((1 << DIGIT) - 1)] += 1
            total = 0
            for digit in range(1 << DIGIT):
                count = starts[digit]
                starts[digit] = total
                total += count
            for i in range(hi - lo):
                digit = (rows[i] >> shift) & ((1 << DIGIT) - 1)
                others[starts[digit]] = rows[i]
                starts[digit] += 1
            rows, others = others, rows
            shift += DIGIT
        for i in range(hi - lo):
            order[lo + i] = lo + (rows[i] & ((1 << width) - 1))
        lo = hi
    return True


SORT_RUNS = Kernel(sort_runs)


def order_of_runs(outer: Array, inner: Array) -> Array | None:
    """The positions of rows by two columns, if the first is in order already; None if it is not."""
    if outer.size < MANY or is_interpreted() or inner.dtype.kind != "i" or (outer[1:] < outer[:-1]).any():
        return None
    low, high, order = int(inner.min()), int(inner.max()), np.empty(outer.size, place_type(outer.size))
    arguments = outer, inner, low, (high - low).bit_length(), order
    return order if high - low < 2**62 and worker(SORT_RUNS, *arguments)(*arguments) else None


def place_type(size: int) -> type[np.signedinteger[Any]]:
    """The type of positions: sorting is mostly moving them, and what it needs on top is mostly they."""
    return np.int32 if size < 2**31 else np.int64


def taken(column: Array, order: Array) -> Array:
    """A column in another order. By blocks: NumPy widens positions first, and would hold all of them twice."""
    found = np.empty(order.size, column.dtype)
    for lo in range(0, order.size, BLOCK):
        np.take(column, order[lo : lo + BLOCK], out=found[lo : lo + BLOCK], mode="clip")
    return found


@dataclass
class Packed:
    """Rows of several integer columns, each as one number from 0 on: numbers compare as the rows do."""

    numbers: Array
    low: list[int]  # the least of each column
    bits: list[int]  # and how wide it is

    def __len__(self) -> int:
        return int(self.numbers.size)

    @property
    def places(self) -> int:
        """How many numbers there can be."""
        return 1 << sum(self.bits)

    def columns(self) -> list[Array]:
        """The columns again; the numbers are used up."""
        found: list[Array] = []
        for least, width in reversed(list(zip(self.low[1:], self.bits[1:], strict=True))):
            part = self.numbers & ((1 << width) - 1)
            part += least
            found.append(part)
            self.numbers >>= width
        self.numbers += self.low[0]
        return [self.numbers, *reversed(found)]


Spans = Sequence[tuple[Any, Any]]  # the least and the largest of each column


def packed(columns: list[Array], spans: Spans | None = None) -> Packed | None:
    """Columns as one number a row; None if there are few, or they are not integers, or too wide."""
    if columns[0].size < MANY or is_interpreted() or not all(c.dtype.kind == "i" for c in columns):
        return None
    low, bits = lows(columns, spans)
    if sum(bits) > 62:
        return None
    numbers: Array = np.subtract(columns[0], low[0], dtype=np.int64)
    for c, least, width in zip(columns[1:], low[1:], bits[1:], strict=True):
        numbers <<= width
        for lo in range(0, c.size, BLOCK):
            numbers[lo : lo + BLOCK] |= c[lo : lo + BLOCK] - least
    return Packed(numbers, low, bits)


def lows(columns: list[Array], spans: Spans | None = None) -> tuple[list[int], list[int]]:
    """The least of each column, and how many bits it takes from there on."""
    spans = spans or [(c.min(), c.max()) for c in columns]
    return [int(low) for low, _ in spans], [(int(high) - int(low)).bit_length() for low, high in spans]


def packed_order(columns: list[Array]) -> Array:
    """The positions of rows in the order of several columns, the first one counting most."""
    if len(columns) == 1:
        return sorting_order(columns[0])
    if not columns[0].size:
        return np.zeros(0, np.int64)
    if (columns[-1][1:] >= columns[-1][:-1]).all():
        return packed_order(columns[:-1])  # which keeps the order of the last one
    if len(columns) == 2 and (order := order_of_runs(*columns)) is not None:
        return order
    if (rows := packed(columns)) is not None:
        return by_digits(rows.numbers, sum(rows.bits))[1]
    if columns[0].size >= MANY and not is_interpreted() and all(c.dtype.kind == "i" for c in columns):
        low, bits = lows(columns)
        if max(bits) < 64:
            return column_by_column(columns, low, bits)
    return np.lexsort(columns[::-1])


def column_by_column(columns: list[Array], low: list[int], bits: list[int]) -> Array:
    """The same for columns too wide to be packed: by the last one first, each keeping the order of those behind it."""
    order: Array | None = None
    for c, least, width in reversed(list(zip(columns, low, bits, strict=True))):
        moved = (c if order is None else taken(c, order)).astype(np.int64, copy=order is None)
        moved -= least
        order = by_digits(moved, width, order)[1]
    assert order is not None
    return order
