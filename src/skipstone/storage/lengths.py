"""How long runs are: what the planner knows of a table without walking it."""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np

from .column import Array
from .nesting import SPARE
from .sorting import packed_order


@dataclass(frozen=True, eq=False)
class Lengths:
    """How long the runs of a level are: keys, in order, and how many keys there are below each."""

    keys: Array
    counts: Array
    means: WeakKeyDictionary[Lengths, float] = field(default_factory=WeakKeyDictionary)

    def mean_over(self, others: Lengths) -> float:
        """The mean length over the keys of another level, each counted as often as there are keys below it there."""
        if others not in self.means:
            self.means[others] = self.computed_mean(others)
        return self.means[others]

    def computed_mean(self, others: Lengths) -> float:
        if not self.keys.size:
            return 0.0
        at = np.searchsorted(self.keys, others.keys)
        at[at == self.keys.size] = 0
        there = self.keys[at] == others.keys
        return float((self.counts[at] * others.counts)[there].sum() / max(int(others.counts.sum()), 1))


def occurring(codes: Array) -> tuple[Array, Array]:
    """The codes that there are, in order, and how often each; counted by place, where they lie close together."""
    if codes.dtype.kind == "i" and codes.size and codes.min() >= 0 and codes.max() < SPARE * codes.size:
        counts = np.bincount(codes)
        keys = np.flatnonzero(counts)
        return keys, counts[keys]
    return np.unique(codes, return_counts=True)


def count_distinct(arrays: list[Array]) -> int:
    if not arrays[0].size:
        return 0
    order = packed_order(arrays)
    fresh = np.zeros(order.size, bool)
    fresh[0] = True
    for a in arrays:
        fresh[1:] |= a[order[1:]] != a[order[:-1]]
    return int(fresh.sum())
