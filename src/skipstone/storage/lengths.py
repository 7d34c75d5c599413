"""How long runs are: what the planner knows of a table without walking it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from .column import Array
from .nesting import SPARE
from .sorting import packed_order


@dataclass(frozen=True, eq=False)
class Lengths:
    """How long the runs of a level are: how many keys there are below each of its keys.

    `counts` are those of the keys that are `listed`, in order; or, where none are, of 0, 1, 2, …, and what has nothing
    below it is not there. Kept as long as the table is: a byte each, as long as they are small.
    """

    counts: Array
    listed: Array | None = None
    means: WeakKeyDictionary[Lengths, float] = field(default_factory=WeakKeyDictionary)

    @property
    def keys(self) -> Array:
        """The keys that there are, in order."""
        return np.flatnonzero(self.counts) if self.listed is None else self.listed

    @cached_property
    def size(self) -> int:
        """How many keys there are."""
        return int(np.count_nonzero(self.counts))

    @cached_property
    def total(self) -> int:
        """How many there are below all of them."""
        return int(self.counts.sum(dtype=np.int64))

    def alone(self) -> Lengths:
        """The same keys, with one below each."""
        if self.listed is None:
            return Lengths((self.counts != 0).view(np.uint8))
        return Lengths(np.broadcast_to(np.uint8(1), self.listed.size), self.listed)

    def mean_over(self, others: Lengths) -> float:
        """The mean length over the keys of another level, each counted as often as there are keys below it there."""
        if others not in self.means:
            self.means[others] = self.met_below(others) / max(others.total, 1)
        return self.means[others]

    def met_below(self, others: Lengths) -> int:
        """How many pairs there are of one below a key here and one below the same key there."""
        if self.listed is None and others.listed is None:
            both = min(self.counts.size, others.counts.size)
            return int(np.einsum("i,i", self.counts[:both], others.counts[:both], dtype=np.int64))
        keys, sought = self.keys, others.keys
        if not keys.size:
            return 0
        at = np.searchsorted(keys, sought)
        at[at == keys.size] = 0
        there = keys[at] == sought
        counts = self.counts if self.listed is not None else self.counts[keys]
        others_counts = others.counts if others.listed is not None else others.counts[sought]
        return int(np.einsum("i,i", counts[at[there]], others_counts[there], dtype=np.int64))


def occurring(codes: Array, span: tuple[Any, Any] | None = None) -> Lengths:
    """The codes that there are, and how often each; counted by place, where they lie close together. `span`: the least
    and the largest, if that is known."""
    low, high = span or ((codes.min(), codes.max()) if codes.size else (0, -1))
    if codes.dtype.kind == "i" and codes.size and low >= 0 and high < SPARE * codes.size:
        return Lengths(narrow(np.bincount(codes)))
    ordered, fresh = np.sort(codes), np.ones(codes.size, bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    if fresh.all():
        return Lengths(np.ones(codes.size, np.uint8), ordered)
    return Lengths(narrow(np.diff(np.flatnonzero(fresh), append=codes.size)), ordered[fresh])


def narrow(counts: Array) -> Array:
    """Counts as numbers of as many bytes as the largest takes."""
    return counts.astype(np.min_scalar_type(counts.max(initial=0)))


def one_of_each(columns: list[Array]) -> Array:
    """The positions of rows that differ, one of each."""
    order = packed_order(columns)
    fresh = np.zeros(order.size, bool)
    fresh[:1] = True
    for column in columns:
        fresh[1:] |= column[order[1:]] != column[order[:-1]]
    return order[fresh]
