"""Fetching: rows that are read here and there, by the keys of another table, are fetched before they are needed.

In Σ S[i, j] * U[i, k] * V[j, k] along k, a row of V is read at each entry of S; in a triangle, the run of a node at
each edge that leads to it. A processor that comes to a row which is not in its cache waits, and it looks ahead no
further than to the end of a short run. So the loop along j says at each key which row it will read some keys later.

Measured on a znver3, arrays that fit the last cache: 200,000 rows of 64 floats 6.3 → 3.9 ms by hand; triangles of an
RMAT graph with a million edges 66 → 46 ms, of soc-Epinions1 15 → 13 ms; a sparse product 242 → 170 ms.

What lies some keys further is what will be read only if the run goes on: not where few of its table's keys are come to.
There, TPC-H Q5 lost half of its time to rows that nobody read. Nor is it worth while where keys follow each other
closely, as those of a node that is joined with all others: 62 → 85 ms with ten million edges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..storage.column import Array
from ..storage.levels import Compressed, DenseRun, Leaf, Placed, Spread
from ..words import fetch

LARGE = 2**20  # bytes: smaller arrays are in the cache
LINE = 64  # bytes that are fetched together
AT_ONCE = 32  # lines on their way
FAR = 8  # keys ahead at most
LONGEST = 16  # lines of a row that are fetched; behind them the processor has seen where it goes on
CLOSE, LOOKS = 4, 64  # keys that lie so near are close; how many pairs of neighbours are looked at
LONG = 2 * FAR  # keys of a run that goes on for long enough by itself


@dataclass(frozen=True)
class Lines:
    """How much is fetched of what lies at a key: so many lines of each array, and so many numbers further for each."""

    many: int
    numbers: int

    @property
    def ahead(self) -> int:
        """How many keys before they are needed."""
        return max(min(AT_ONCE // self.many, FAR), 1)


def lines_of(level: Any) -> Lines | None:
    """How to fetch what lies at the keys of a level, if it has a place for each, and it is worth while: a run of keys,
    or a row of numbers, in large arrays."""
    below = level.inner
    if not isinstance(level, Spread | Placed) or isinstance(below, Leaf):
        return None
    if isinstance(below, Spread) and not isinstance(below.inner, Leaf):
        return None
    arrays = [column.array for column in at_hand(below)]
    if not arrays or sum(array.nbytes for array in arrays) < LARGE:
        return None
    if isinstance(below, Compressed):
        return Lines(1, 0)
    numbers = LINE // max(array.itemsize for array in arrays)
    return Lines(min(-(-below.size.value // numbers), LONGEST), numbers)


def goes_on(level: Any, keys: float, outside: float) -> bool:
    """Whether the keys of a level are come to one behind the other: if so many are expected, in so many runs."""
    if isinstance(level, Spread):
        return False
    return keys >= LONG * outside or level.keys.size / 2 <= keys <= 2 * level.keys.size


def is_scattered(keys: Array) -> bool:
    """Whether neighbours among these keys lie far apart. The rows of close ones are close, and come by themselves."""
    looked_at = np.linspace(0, keys.size - 2, min(LOOKS, max(keys.size - 1, 0))).astype(np.int64)
    one, two = keys[looked_at].astype(np.float64), keys[looked_at + 1].astype(np.float64)
    return bool(looked_at.size) and float(np.median(np.abs(two - one))) > CLOSE


def fetching(run: Any, lines: Lines) -> Callable[[Any], None]:
    """What fetches the row or run at a key of a dense run."""

    def soon(key: Any) -> None:
        below = run.value(key)
        first = below.base if isinstance(below, DenseRun) else below.lo
        for line in range(lines.many):
            for column in at_hand(below):
                fetch(column, first + line * lines.numbers)

    return soon


def at_hand(below: Any) -> list[Any]:
    """The arrays of a level, or of a run of it, that are read first: its keys, and values that lie beside them."""
    keys = [getattr(below, name) for name in ("keys", "column") if hasattr(below, name)]
    return [*keys, *(below.inner.columns if isinstance(below.inner, Leaf) else ())]
