"""Sorting positions by their keys: a radix sort for many integers, NumPy's own for the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..stream import is_interpreted, worker
from ..words import Kernel
from .column import Array

DIGIT = 11  # bits; 2,048 counters fit the first-level cache
SHORT = 12  # bits in the length of a run that is sorted by itself
MANY = 20_000  # below that it is not worth the machine code


def sorting_order(keys: Array) -> Array:
    """The positions of keys in the order of the keys, those of equal keys as they stand.

    For a million integers out of ten million, `argsort` takes five times as long.
    """
    if keys.dtype.kind == "i" and keys.size >= MANY and not is_interpreted():
        low, high = int(keys.min()), int(keys.max())
        if high - low < 2**63:
            return by_digits(keys.astype(np.int64) - low, (high - low).bit_length())
    return np.argsort(keys, kind="stable")


def by_digits(keys: Array, bits: int) -> Array:
    """The same for numbers from 0 on of so many bits; their array is used up."""
    order = np.arange(keys.size)
    spare = np.empty_like(keys), np.empty_like(order)
    passes = -(-bits // DIGIT)
    arguments = keys, order, *spare, passes
    worker(SORT, *arguments)(*arguments)
    return spare[1] if passes % 2 else order


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


def sort_runs(starts: Any, packed: Any, order: Any, mask: Any) -> Any:
    """Sort each run of numbers by itself; the places they came from, counted within the run, are their lowest bits."""
    for n in range(starts.size - 1):
        lo, hi = starts[n], starts[n + 1]
        packed[lo:hi].sort()
        for i in range(lo, hi):
            order[i] = lo + (packed[i] & mask)
    return starts.size


SORT_RUNS = Kernel(sort_runs)


def order_of_runs(outer: Array, inner: Array) -> Array | None:
    """The positions of rows by two columns, if the first is in order already and its runs are short; None if not."""
    if outer.size < MANY or is_interpreted() or inner.dtype.kind != "i" or (outer[1:] < outer[:-1]).any():
        return None
    starts = np.flatnonzero(np.concatenate([[True], outer[1:] != outer[:-1], [True]]))
    width, low = int(np.diff(starts).max()).bit_length(), int(inner.min())
    if width > SHORT or (int(inner.max()) - low).bit_length() + width > 62:
        return None
    within = np.arange(outer.size) - np.repeat(starts[:-1], np.diff(starts))
    packed, order = ((inner.astype(np.int64) - low) << width) | within, np.empty(outer.size, np.int64)
    arguments = starts, packed, order, (1 << width) - 1
    worker(SORT_RUNS, *arguments)(*arguments)
    return order


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
    if all(c.dtype.kind == "i" for c in columns):
        low, high = [int(c.min()) for c in columns], [int(c.max()) for c in columns]
        bits = [(b - a).bit_length() for a, b in zip(low, high, strict=True)]
        if sum(bits) <= 62:
            packed = np.zeros(columns[0].size, np.int64)
            for c, least, width in zip(columns, low, bits, strict=True):
                packed = (packed << width) | (c.astype(np.int64) - least)
            return sorting_order(packed)
    return np.lexsort(columns[::-1])
