"""Rows: nested data on its way into levels. Sorting, adding up equal keys, and filling in dense levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import BadOption
from ..words import within_int64
from .column import Array
from .sorting import packed_order


@dataclass
class Rows:
    """Levels of keys: those of position p of the level above are keys[n][starts[n][p]:starts[n][p + 1]].

    `starts[0]` is None: the outermost level is one run. `leaves` are the columns of values, one entry an innermost key.
    `sizes` are the lengths of dense levels, once there are any.
    """

    keys: list[Array]
    starts: list[Array | None]
    leaves: list[Array]
    sizes: list[int] = field(default_factory=list)

    @classmethod
    def flat(cls, columns: Sequence[Array], leaves: list[Array]) -> Rows:
        """One row an entry, in any order, not yet grouped: every level has the same length."""
        ones: Array = np.arange(columns[0].size + 1)
        return cls(list(columns), [None] + [ones] * (len(columns) - 1), leaves)

    def spread(self, dense: Sequence[bool]) -> Rows:
        """The same with the marked levels dense: a key of such a level is a position, whether it was there or not."""
        if not any(dense):
            return self
        rows = Rows(list(self.keys), list(self.starts), list(self.leaves), [0] * len(self.keys))
        positions = 1  # of the level above
        where: Array = np.zeros(1, np.int64)  # old position of the level above -> new one
        for n, is_dense in enumerate(dense):
            keys, starts = rows.keys[n], rows.starts[n]
            begin = np.array([0, keys.size]) if starts is None else starts
            parent = np.repeat(where, np.diff(begin))
            if is_dense:
                if keys.dtype.kind not in "iub" or (keys.size and keys.min() < 0):
                    raise BadOption("a dense level needs keys 0, 1, 2, …", 'Use the format "compressed" there.')
                size = rows.sizes[n] = int(keys.max()) + 1 if keys.size else 0
                where, positions = parent * size + keys.astype(np.int64), positions * size
            else:
                counts = np.bincount(parent, minlength=positions)
                rows.starts[n] = None if n == 0 else np.concatenate([[0], np.cumsum(counts)])
                where, positions = np.arange(keys.size), keys.size
        filled = []
        for leaf in rows.leaves:
            full = np.zeros(positions, leaf.dtype)
            full[where] = leaf
            filled.append(full)
        rows.leaves = filled
        return rows


def nest(rows: Rows, unordered: Sequence[bool] | None = None) -> Rows:
    """Sort each marked level within its runs, and add up the values of equal keys. (None marks all.)

    A level below one that was regrouped is regrouped too, because the runs it belongs to have moved.
    """
    marked = list(unordered) if unordered is not None else [True] * len(rows.keys)
    done = Rows([], [], list(rows.leaves))
    group: Array | None = None  # old position of the level above -> new one; None: they are the same
    above = 1
    for keys, starts, is_unordered in zip(rows.keys, rows.starts, marked, strict=True):
        begin = np.array([0, keys.size]) if starts is None else starts
        if not is_unordered and group is None:
            done.keys.append(keys)
            done.starts.append(starts)
            above = keys.size
            continue
        parent = np.repeat(np.arange(begin.size - 1), np.diff(begin))
        parent = parent if group is None else group[parent]
        order = packed_order([parent, keys])
        keys, parent = keys[order], parent[order]
        fresh = np.ones(keys.size, bool)
        fresh[1:] = (keys[1:] != keys[:-1]) | (parent[1:] != parent[:-1])
        group = np.empty(keys.size, np.int64)
        group[order] = np.cumsum(fresh) - 1
        done.keys.append(keys[fresh])
        counts = np.bincount(parent[fresh], minlength=above)
        done.starts.append(None if starts is None else np.concatenate([[0], np.cumsum(counts)]))
        above = int(fresh.sum())
    if group is not None:
        done.leaves = [add_runs(leaf[order], np.flatnonzero(fresh)) for leaf in rows.leaves]
    return done


def add_runs(values: Array, starts: Array) -> Array:
    """The sum of each run of values; a run begins at each of these positions."""
    if starts.size == values.size:
        return values
    if values.dtype.kind in "biu":
        values = values.astype(np.int64)  # NumPy would add int8 to int8 as int8
    elif values.dtype != np.float64:
        values = values.astype(np.float64)
    sums: Array = np.add.reduceat(values, starts)
    if values.dtype.kind == "i" and float(max(-int(values.min()), int(values.max()))) * values.size > 2.0**62:
        # NumPy wraps around silently; floats of the same sums tell where that may have happened.
        rough = np.add.reduceat(values.astype(np.float64), starts)
        if (np.abs(rough) > 2.0**62).any():
            ends: list[Any] = [*starts[1:].tolist(), values.size]
            for a, b in zip(starts.tolist(), ends, strict=True):
                within_int64(sum(values[a:b].tolist()))
    return sums
