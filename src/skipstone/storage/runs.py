"""Runs: rows as loops have gathered them, level by level, until someone asks for them row by row."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ..watch import Watch, waited
from .build import Rows
from .collection import Trie
from .column import Array, wide
from .nesting import Maker, in_order, laid_out

T = TypeVar("T")
MANY = 2**18  # numbers: fewer are copied in the time that it takes to wake a thread


@dataclass(frozen=True, eq=False)
class Runs:
    """Rows of a table. `at`: the level that holds the keys of each column. `ordered`: they increase in each run.

    A matrix of ten million entries in a hundred thousand rows holds a hundred thousand row numbers, not ten million.
    """

    rows: Rows
    at: tuple[int, ...]
    ordered: bool

    @property
    def size(self) -> int:
        """How many rows there are."""
        return int(self.rows.keys[-1].size)

    @property
    def leaves(self) -> list[Array]:
        """The values of each row, by column."""
        return self.rows.leaves

    def columns(self) -> list[Array]:
        """The keys of each row, by column."""
        found = [wide(self.rows.keys[0])]
        for below, starts in zip(self.rows.keys[1:], self.starts(), strict=True):
            repeats: Any = np.diff(starts)
            found = [*(np.repeat(k, repeats) for k in found), wide(below)]
        return [found[n] for n in self.at]

    def trie(self, order: Sequence[int], make: Maker) -> Trie | None:
        """The rows as nested levels along an order of columns, if that is how they lie."""
        if not self.ordered or [self.at[n] for n in order] != list(range(len(self.at))):
            return None
        return laid_out(*without_empty_runs(self.rows.keys, self.starts()), self.rows.leaves, make)

    def keys_alone(self, columns: Sequence[int]) -> Runs:
        """The same rows without their values, and with their columns in another order."""
        return Runs(replace(self.rows, leaves=[]), tuple(self.at[n] for n in columns), self.ordered)

    def in_order(self) -> tuple[list[Array], list[Array]]:
        """Codes, by column, and values, of rows in the order of their columns; equal ones added."""
        if self.ordered and list(self.at) == list(range(len(self.at))):
            return self.columns(), self.leaves
        return in_order(self.columns(), self.leaves)

    def starts(self) -> list[Array]:
        """Where runs start, of each level but the first, which is one run."""
        return [starts for starts in self.rows.starts if starts is not None]


def without_empty_runs(keys: Sequence[Array], starts: Sequence[Array]) -> tuple[list[Array], list[Array]]:
    """Levels without the keys under which loops found no row: a trie has just the keys of its rows."""
    keys, starts = list(keys), list(starts)
    for n in reversed(range(len(starts))):
        there = starts[n][1:] > starts[n][:-1]
        if not there.all():
            keys[n], starts[n] = keys[n][there], np.append(starts[n][:-1][there], starts[n][-1:])
            if n:
                starts[n - 1] = np.append(0, np.cumsum(there))[starts[n - 1]]
    return keys, starts


class Behind:
    """Runs behind each other, as threads have made them: each begins with greater keys than the one before ends with.

    They are put together when someone asks, and not before: that may take as long as making them. Where rows are to be
    in order, each part is sorted by itself, in as many threads as have made them.
    """

    def __init__(self, parts: Sequence[Runs], threads: int = 1) -> None:
        self.parts, self.threads, self.lock = list(parts), threads, threading.Lock()
        self.size = sum(part.size for part in parts)

    def __reduce__(self) -> Any:
        return Behind, ([self.whole()],)  # a lock stays where it is

    @property
    def leaves(self) -> list[Array]:
        return self.whole().leaves

    def columns(self) -> list[Array]:
        return self.whole().columns()

    def trie(self, order: Sequence[int], make: Maker) -> Trie | None:
        return self.whole().trie(order, make)

    def keys_alone(self, columns: Sequence[int]) -> Runs:
        return self.whole().keys_alone(columns)

    def in_order(self) -> tuple[list[Array], list[Array]]:
        """The same of all parts."""
        with self.lock:
            parts = list(self.parts)
        if len(parts) == 1 or parts[0].at[0] != 0:
            return self.whole().in_order()
        found = side_by_side([part.in_order for part in parts], self.threads)
        codes, values = (list(zip(*(part[n] for part in found), strict=True)) for n in (0, 1))
        columns = joined([*codes, *values], self.threads)
        return columns[: len(codes)], columns[len(codes) :]

    def whole(self) -> Runs:
        with self.lock:
            if len(self.parts) > 1:
                self.parts[:] = [put_together(self.parts, self.threads)]
            return self.parts[0]


def put_together(parts: Sequence[Runs], threads: int) -> Runs:
    """One that has the rows of all."""
    first, rows = parts[0], [part.rows for part in parts]
    levels = list(zip(*(r.keys for r in rows), strict=True))
    columns = joined([*levels, *zip(*(r.leaves for r in rows), strict=True)], threads)
    starts: list[Array | None] = [None]
    for level in zip(*(part.starts() for part in parts), strict=True):
        ends = np.cumsum([0, *(s[-1] for s in level)]).tolist()
        starts.append(np.concatenate([level[0], *(s[1:] + end for s, end in zip(level[1:], ends[1:], strict=False))]))
    keys, leaves = columns[: len(levels)], columns[len(levels) :]
    return Runs(Rows(keys, starts, leaves), first.at, all(part.ordered for part in parts))


def joined(columns: Sequence[Sequence[Array]], threads: int) -> list[Array]:
    """Each column's pieces behind each other. What takes long is memory that is written for the first time, and to that
    each thread brings its own."""
    found = [np.empty(sum(p.size for p in pieces), np.result_type(*pieces)) for pieces in columns]
    copies = []
    for whole, pieces in zip(found, columns, strict=True):
        ends = np.cumsum([piece.size for piece in pieces]).tolist()
        copies += [partial(np.copyto, whole[end - p.size : end], p) for p, end in zip(pieces, ends, strict=True)]
    side_by_side(copies, threads if sum(map(len, found)) >= MANY else 1)
    return found


def side_by_side(works: Sequence[Callable[[], T]], threads: int) -> list[T]:
    """What each returns, in so many threads."""
    if threads == 1:
        return [work() for work in works]
    return waited(works, [Watch() for _ in works], threads)
