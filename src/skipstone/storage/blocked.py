"""sk.Blocked: an ordered map in blocks, as a mapping, a stream and a destination. How it works is in blocks.py."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import WrongState
from ..stream import Stream, pure
from ..words import Kernel, Parameter, parameter, select
from . import blocks
from .blocks import BLOCKS, COUNT, MASK, SHIFT, SIZE
from .changing import Lent
from .column import Array, Column
from .levels import Leaf
from .ordered import OrderedMap
from .values import Values

FIND, INSERT, REMOVE, BUILD, RANK, WALK = (
    Kernel(f) for f in (blocks.find, blocks.insert, blocks.remove, blocks.build, blocks.rank, blocks.walk)
)
LEAP = Kernel(blocks.leap, returns="int")
FILL = SIZE - SIZE // 8  # how full blocks are that are built all at once: a few keys may come in between


class BlockedRun(Stream):
    """The keys of blocks in order. State r * SIZE + i is place i of block number r of the directory."""

    column: Any
    heads: Any
    order: Any
    counts: Any
    blocks: Any
    inner: Any

    def start(self) -> Any:
        return 0

    def valid(self, q: Any) -> Any:
        return (q >> SHIFT) < parameter(self.blocks)

    def ready(self, q: Any) -> Any:
        return True

    def index(self, q: Any) -> Any:
        return self.column[self.place(q)]

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return LEAP(self.column, self.heads, self.order, self.counts, parameter(self.blocks), q, key, strict)

    def next(self, q: Any) -> Any:
        last = (q & MASK) + 1 == self.counts[q >> SHIFT]
        return select(last, lambda: ((q >> SHIFT) + 1) * SIZE, lambda: q + 1)

    def value(self, q: Any) -> Any:
        return self.inner.at(self.place(q))

    def key_kind(self) -> str | None:
        return self.column.kind  # type: ignore[no-any-return]

    @pure
    def place(self, q: Any) -> Any:
        return self.order[q >> SHIFT] * SIZE + (q & MASK)


class Blocked(OrderedMap):
    """A sorted mapping that changes, in blocks of neighbouring keys: the one to take unless you want a tree.

    >>> b = Blocked({5: 0.5, 2: 0.2})
    >>> b[3] = 0.3
    >>> b, b.bisect(3), list(b.irange(3))
    (Blocked({2: 0.2, 3: 0.3, 5: 0.5}, 3 keys), 2, [3, 5])

    The same mapping as `sk.Tree`, with neighbours close together in memory, whatever order they came in. Look-up and
    seek are O(log n); an insertion moves half a block, at most 256 keys; `bisect` and `peekitem` are O(n / 256).
    """

    arrays = ("_keys", "_heads", "_order", "_counts", "_spare", "_meta")

    def _allocate(self, places: int) -> None:
        number = -(-places // SIZE) + 1  # one is always left over: an insertion may need it
        self._keys = np.zeros(number * SIZE, self._keys.dtype)
        self._values = Values(number * SIZE, self._values.kinds, self._values.make)
        self._heads = np.zeros(number, self._keys.dtype)
        self._order, self._counts, self._spare = (np.zeros(number, np.int64) for _ in range(3))
        self._meta = np.array([0, 0, 0, -1], np.int64)
        self._room = 0

    def _reserve(self, more: int) -> int:
        """An insertion takes one block at most, so with b of them left there is room for b keys at least."""
        free = self._order.size - int(self._meta[BLOCKS])
        if free <= more:
            added = max(self._order.size, more)
            for name in ("_heads", "_order", "_counts", "_spare"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros(added, old.dtype)]))
            self._keys = np.concatenate([self._keys, np.zeros(added * SIZE, self._keys.dtype)])
            self._values.grow(added * SIZE)
            self._moved()
            free += added
        return free - 1

    def _find(self, key: Any) -> int:
        return int(self._work(FIND, self._keys, self._heads, self._order, self._counts, self._meta, key))

    def _insert(self, key: Any) -> int:
        arrays = self._keys, self._values.rows, self._heads, self._order, self._counts, self._spare, self._meta
        return int(self._work(INSERT, *arrays, key))

    def _remove(self, key: Any) -> bool:
        arrays = self._keys, self._values.rows, self._heads, self._order, self._counts, self._spare, self._meta
        return bool(self._work(REMOVE, *arrays, key))

    def _build(self, keys: Array) -> Array:
        self._keys = np.zeros(0, keys.dtype)
        self._allocate(-(-keys.size // FILL) * SIZE)
        self._work(BUILD, self._heads, self._order, self._counts, self._meta, self._keys, keys, FILL)
        number = np.arange(keys.size)
        return (number // FILL) * SIZE + number % FILL

    def _rank(self, key: Any, strict: bool) -> int:
        return int(self._work(RANK, self._keys, self._heads, self._order, self._counts, self._meta, key, strict))

    def _nth(self, n: int) -> int:
        return int(self._from(n, 1)[0])

    def _from(self, n: int, count: int) -> Array:
        places = np.empty(count, np.int64)
        if count:
            self._work(WALK, self._order, self._counts, self._meta, n, places)
        return places

    def __len__(self) -> int:
        return int(self._meta[COUNT])

    def _run(self, leaf: Leaf, lent: Lent) -> Stream:
        heads, order, counts = (Column(getattr(self, f"_{name}"), name, lent) for name in ("heads", "order", "counts"))
        return BlockedRun(
            Column(self._keys, "keys", lent), heads, order, counts, Parameter(int(self._meta[BLOCKS]), "blocks"), leaf
        )

    def check(self) -> None:
        """Assert every invariant: order, heads, how full the blocks are, and the account of free ones."""
        number, count, used, free = self._meta.tolist()
        order, counts = self._order[:number].tolist(), self._counts[:number].tolist()
        unused = []
        while free >= 0:
            unused.append(free)
            free = int(self._spare[free])
        if sorted(order + unused) != list(range(used)):
            raise WrongState(f"blocks {order} in use and {unused} free are not those below {used}")
        if sum(counts) != count or not all(1 <= n <= SIZE for n in counts):
            raise WrongState(f"blocks of {counts} keys, {count} in all")
        if any(a + b <= SIZE // 2 for a, b in pairwise(counts)):
            raise WrongState(f"neighbours that should be one block: {counts}")
        keys = [self._keys[r * SIZE : r * SIZE + n] for r, n in zip(order, counts, strict=True)]
        if [k[0] for k in keys] != self._heads[:number].tolist():
            raise WrongState("the directory does not say where its blocks begin")
        whole = np.concatenate(keys) if keys else np.zeros(0)
        if not (whole[1:] > whole[:-1]).all():
            raise WrongState("keys do not increase")
