"""Rows into levels: sorted along their columns, equal ones added, each level dense or compressed by its keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..words import Parameter
from .build import add_runs
from .collection import Trie
from .column import NARROW, Array, Column, narrow, wide
from .levels import Compressed, Leaf, Placed, Spread
from .sorting import BLOCK, Packed, Spans, by_digits, packed, packed_order, taken

Maker = Callable[..., Any] | None
RUNS = 2**18  # rows whose values are moved and added at a time
SPARE = 5  # places for each row that a dense level may take: of TPC-H's order keys, one of four is there
STRAIGHT = 128  # floats that NumPy adds without taking them in halves
LINE, AT_LEAST, AT_MOST = 64, 2**20, 2**28  # bytes: of a cache line, and of arrays that are copied to begin with one


def in_order(
    codes: list[Array], values: Sequence[Array], spans: Spans | None = None
) -> tuple[list[Array], list[Array]]:
    """Rows sorted along their columns, values of equal rows added. Rows that increase already are not copied."""
    if increase(codes):
        return list(codes), list(values)
    first = codes[0]
    stays = increase([first], equal=True)  # then rows move within its runs alone
    if not stays and (rows := packed(codes, spans)) is not None:
        added = in_order_by_place(rows, values) if len(rows) > rows.places else None
        return in_order_by_number(rows, values) if added is None else added
    order = packed_order(codes)
    codes = [first if stays else taken(first, order), *(taken(c, order) for c in codes[1:])]
    fresh = np.zeros(first.size, bool)
    fresh[:1] = True
    for c in codes:
        fresh[1:] |= c[1:] != c[:-1]
    columns = [followed(v, order, fresh) for v in values]
    if not fresh.all():
        for n in range(len(codes)):  # one after the other: the old column goes before the next one is made
            codes[n] = codes[n][fresh]
    return codes, columns


def increase(codes: Sequence[Array], equal: bool = False) -> bool:
    """Whether each row is greater than the one before, by its first column that differs, or `equal`; seldom a look at
    all rows."""
    for lo in range(0, codes[0].size - 1, BLOCK):
        same: Any = True
        for c in codes:
            one, two = c[lo : lo + BLOCK], c[lo + 1 : lo + BLOCK + 1]
            one = one[: two.size]
            if (same & (two < one)).any():
                return False
            same = same & (two == one)
        if not equal and same.any():
            return False
    return True


def in_order_by_number(rows: Packed, values: Sequence[Array]) -> tuple[list[Array], list[Array]]:
    """The same for rows that are numbers: these are sorted, and positions only kept for values to follow."""
    order: Array = np.zeros(0, np.int32)
    if values:
        rows.numbers, order = by_digits(rows.numbers, sum(rows.bits))
    else:
        rows.numbers.sort()
    fresh = np.ones(rows.numbers.size, bool)
    fresh[1:] = rows.numbers[1:] != rows.numbers[:-1]
    columns = [followed(v, order, fresh) for v in values]
    del order
    if not fresh.all():
        rows.numbers = rows.numbers[fresh]
    return rows.columns(), columns


def in_order_by_place(rows: Packed, values: Sequence[Array]) -> tuple[list[Array], list[Array]] | None:
    """The same for fewer numbers than rows: each has a place, where its values are added, and nothing is sorted.

    None where that would not do for the sums: they are made one after the other, of floats, and begin with 0.0.
    """
    rows_at = np.bincount(rows.numbers)
    if not all(adds_as_floats(v, int(rows_at.max())) for v in values):
        return None
    there = np.flatnonzero(rows_at)
    sums = [np.bincount(rows.numbers, v)[there] for v in values]
    rows.numbers = there
    return rows.columns(), [s if v.dtype.kind == "f" else s.astype(np.int64) for s, v in zip(sums, values, strict=True)]


def adds_as_floats(values: Array, most: int) -> bool:
    """Whether at most so many of these values may be added one after the other, as floats, to 0.0: no large integers,
    no -0.0, and no more floats than NumPy adds in one go; of what is longer it adds the halves, which is more exact."""
    if values.dtype.kind == "f":
        return most <= STRAIGHT and not np.signbit(values[values == 0]).any()
    return float(max(-int(values.min()), int(values.max()))) * most < 2.0**53


def followed(values: Array, order: Array, fresh: Array) -> Array:
    """Values in the order of their rows, those of equal rows added; a row is `fresh` if it is not equal to the last.

    By blocks of whole runs: values in order, but not added yet, are never there as a whole.
    """
    if fresh.all():
        return taken(values, order)
    found = np.empty(np.count_nonzero(fresh), np.float64 if values.dtype.kind == "f" else np.int64)
    lo = done = 0
    while lo < order.size:
        rest = fresh[lo + RUNS :]
        hi = lo + RUNS + int(rest.argmax()) if rest.any() else order.size
        sums = add_runs(taken(values, order[lo:hi]), np.flatnonzero(fresh[lo:hi]))
        found[done : done + sums.size] = sums
        lo, done = hi, done + sums.size
    return found


def nested(codes: list[Array], values: Sequence[Array], make: Maker, plain: bool = False) -> Trie:
    """Rows sorted along their columns, as levels; values of equal rows added.

    Levels are dense, and integers narrow, where it pays; not if they shall be `plain`.
    """
    return leveled(*in_order(codes, values), make, plain)


def leveled(codes: list[Array], columns: list[Array], make: Maker, plain: bool = False) -> Trie:
    """The same of rows that increase already."""
    codes, fresh = list(codes), np.zeros(codes[0].size + 1, bool)
    fresh[[0, -1]] = True  # behind the last row, the last run ends
    levels: list[Array] = []
    groups: list[Array] = []
    while len(codes) > 1:
        c = codes.pop(0)
        fresh[1:-1] |= c[1:] != c[:-1]
        groups.append(np.flatnonzero(fresh))
        levels.append(c if groups[-1].size > c.size else c[fresh[:-1]])
        del c  # sorted, a column is as large as the rows; its level is not
    levels += codes  # no two rows are equal: each is a key of the last level
    starts = [np.searchsorted(below, above) for above, below in pairwise(groups)] + groups[-1:]
    return laid_out(levels, starts, columns, make, plain)


def laid_out(
    levels: list[Array], starts: list[Array], columns: Sequence[Array], make: Maker, plain: bool = False
) -> Trie:
    """Keys by level, where the runs of each level but the first start, and values, as a trie."""
    owner, starts, room = object(), list(starts), 0 if plain else dense_places(levels)
    names = getattr(make, "_fields", [f"values_{n}" if make else "values" for n, _ in enumerate(columns)])
    sizes = [0 if plain else full_size(keys, above) for above, keys in pairwise([np.zeros(1, np.int64), *levels])]
    if len(levels) > 1 and sizes[-1]:
        columns = [v if sizes[-1] * v.itemsize % LINE else aligned(v) for v in columns]
    level: Any = Leaf(tuple(Column(v, name, owner) for v, name in zip(columns, names, strict=True)), make)
    room = 0 if any(sizes[:2]) else room
    if room:
        starts[0] = by_place(levels[0], starts[0], room)
    if not plain:
        levels, starts = list(map(narrow, levels)), list(map(narrow, starts))
    for n in reversed(range(len(levels))):
        if sizes[n]:
            level = Spread(Parameter(sizes[n], "size"), level)
            continue
        keys = Column(levels[n], f"keys_{n}" if len(levels) > 1 else "keys", owner)
        runs = None if n == 0 else Column(starts[n - 1], f"starts_{n}", owner)
        level = Compressed(keys, runs, level) if n or not room else Placed(keys, Parameter(room, "size"), level)
    return Trie(level)


def aligned(values: Array) -> Array:
    """The same, from the beginning of a cache line on: then each row of a matrix is in as few of them as can be.

    Where rows are read here and there, that takes a tenth to a fifth of the time away. NumPy's own begin behind a line.
    """
    if values.ctypes.data % LINE == 0 or not AT_LEAST <= values.nbytes <= AT_MOST:
        return values
    memory = np.empty(values.nbytes + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    found = memory[start : start + values.nbytes].view(values.dtype)
    found[:] = values
    return found


def by_place(keys: Array, starts: Array, places: int) -> Array:
    """Where the runs of a level start that has a place for each key up to its largest, with a run or without."""
    found = np.zeros(places + 1, np.uint32 if starts[-1] < NARROW else np.int64)  # mostly places, seldom rows
    for lo in range(0, keys.size, BLOCK):
        found[keys[lo : lo + BLOCK] + 1] = np.diff(starts[lo : lo + BLOCK + 1])
    return np.cumsum(found, dtype=found.dtype, out=found)


def full_size(keys: Array, above: Array) -> int:
    """The size of a level that has all of 0, 1, … size - 1 in each of its runs; 0 if it has not."""
    size = keys.size // max(above.size, 1)
    if keys.dtype.kind not in "iu" or size < 2 or keys.size != size * above.size or keys[0] or keys[-1] != size - 1:
        return 0
    return size if (keys.reshape(above.size, size) == np.arange(size)).all() else 0


def dense_places(levels: list[Array]) -> int:
    """How many places an outermost level shall have, to be read and never searched; 0 if its keys lie too far apart.

    Enough for the keys of the other columns as well, if they are of the same size: in a graph they are the same nodes.
    """
    tops = [int(c[-1] if n == 0 else c.max()) + 1 for n, c in enumerate(levels) if c.dtype.kind in "iu" and c.size]
    limit = SPARE * levels[-1].size
    if len(levels) < 2 or not tops or levels[0].dtype.kind not in "iu" or levels[0][0] < 0 or tops[0] > limit:
        return 0
    return max(top for top in tops if top <= limit)


def unnested(trie: Trie) -> tuple[list[Array], list[Array]]:
    """A trie as one row an innermost key."""
    keys: list[Array] = []
    level: Any = trie.root
    outer: Any = None
    while not isinstance(level, Leaf):
        above = keys[-1].size if keys else 1
        dense = isinstance(level, Spread)
        if keys:
            repeats = level.size.value if dense else np.diff(starts_below(outer))
            keys = [np.repeat(k, repeats) for k in keys]
        keys.append(np.tile(np.arange(level.size.value), above) if dense else wide(level.keys.array))
        outer, level = level, level.inner
    return keys, leaves(trie)


def starts_below(level: Any) -> Array:
    """Where the run below each key of a level starts, and where the last one ends; where the next one has runs."""
    starts: Array = level.inner.starts.array
    return wide(np.append(starts[level.keys.array], starts[-1]) if isinstance(level, Placed) else starts)


def leaves(trie: Trie) -> list[Array]:
    """The values of a trie, column by column."""
    level: Any = trie.root
    while not isinstance(level, Leaf):
        level = level.inner
    return [c.array for c in level.columns]


def innermost(trie: Trie) -> int:
    """How many keys the last level of a trie has."""
    level: Any = trie.root
    positions = 1
    while not isinstance(level, Leaf):
        positions = positions * level.size.value if isinstance(level, Spread) else level.keys.size
        level = level.inner
    return positions
