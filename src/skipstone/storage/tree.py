"""sk.Tree: a red-black tree as a mapping, a stream and a destination. How it works is in red_black.py."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import BadOption, WrongState
from ..stream import Stream
from ..words import Kernel, Parameter, parameter
from . import red_black
from .changing import Lent
from .column import Array, Column
from .levels import Leaf
from .ordered import OrderedMap
from .red_black import AFTER, BEFORE, BLACK, COLOUR, COUNT, LEFT, RED, RIGHT, UP, USED
from .values import Values

FIND, INSERT, REMOVE = Kernel(red_black.find), Kernel(red_black.insert), Kernel(red_black.remove)
BUILD, RANK, WALK = Kernel(red_black.build), Kernel(red_black.rank), Kernel(red_black.walk)
CLIMB = Kernel(red_black.climb, "int", (red_black.UPWARDS, red_black.DOWNWARDS))


class TreeRun(Stream):
    """The nodes of a tree in order; a state is a node, and 0 the end. Seeking climbs: see red_black.climb."""

    column: Any
    links: Any
    begin: Any
    inner: Any
    kind: str

    def start(self) -> Any:
        return parameter(self.begin)

    def valid(self, q: Any) -> Any:
        return q != 0

    def ready(self, q: Any) -> Any:
        return True

    def index(self, q: Any) -> Any:
        return self.column[4 * q] != 0 if self.kind == "bool" else self.column[4 * q]

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return CLIMB(self.column, self.links, q, key, strict)

    def next(self, q: Any) -> Any:
        return self.links[8 * q + AFTER]

    def value(self, q: Any) -> Any:
        return self.inner.at(q)

    def key_kind(self) -> str | None:
        return self.kind


class Tree(OrderedMap):
    """A sorted mapping that changes: a red-black tree in arrays. Insert, look up, delete and seek are O(log n).

    >>> t = Tree({5: 0.5, 2: 0.2})
    >>> t[3] = 0.3
    >>> del t[5]
    >>> t, list(t.irange(3)), t.peekitem(0)
    (Tree({2: 0.2, 3: 0.3}, 2 keys), [3], (2, 0.2))
    >>> import skipstone as sk
    >>> (t.stream() * sk.stream({3: 10, 4: 10})).collect()
    {3: 3.0}

    Keys are integers, floats or booleans, values numbers or tuples of them, each of one type. Many keys at once
    (`Tree(mapping)`, `update`) are sorted and built in one go. It is the paper's structure; for speed with keys that
    come in no particular order, `sk.Blocked` does the same several times faster.
    `bisect` and `peekitem` of a rank in the middle walk there: O(n).
    """

    arrays = ("_nodes", "_meta")

    def _allocate(self, places: int) -> None:
        self._nodes: Array = np.zeros(4 * (places + 1), np.int64)
        self._values = Values(places + 1, self._values.kinds, self._values.make)
        self._meta: Array = np.array([0, 0, 1, 0], np.int64)
        self._room = places
        self._moved()

    def _moved(self) -> None:
        super()._moved()
        self._flat = self._nodes.view(np.float64) if self._type is float else self._nodes
        self._keys = self._flat[::4]
        self._links = self._nodes.view(np.int32)

    def _reserve(self, more: int) -> int:
        places = self._nodes.size // 4
        free = places - int(self._meta[USED])
        if free < more:
            added = max(places, more)
            if places + added >= 2**31:
                raise BadOption("a tree holds fewer than 2**31 keys", "Use sk.Blocked, or sk.Sorted.")
            self._nodes = np.concatenate([self._nodes, np.zeros(4 * added, np.int64)])
            self._values.grow(added)
            self._moved()
            free += added
        return free

    def _find(self, key: Any) -> int:
        return int(self._work(FIND, self._flat, self._links, self._meta, key)) or -1

    def _insert(self, key: Any) -> int:
        return int(self._work(INSERT, self._flat, self._links, self._meta, key))

    def _remove(self, key: Any) -> bool:
        return bool(self._work(REMOVE, self._flat, self._links, self._meta, key))

    def _build(self, keys: Array) -> Array:
        self._allocate(max(keys.size, 1))
        self._keys[1 : keys.size + 1] = keys
        self._work(BUILD, self._links, self._meta, keys.size)
        return np.arange(1, keys.size + 1)

    def _rank(self, key: Any, strict: bool) -> int:
        return int(self._work(RANK, self._flat, self._links, self._meta, key, strict))

    def _nth(self, n: int) -> int:
        return int(self._from(n, 1)[0])

    def _from(self, n: int, count: int) -> Array:
        nodes = np.empty(count, np.int64)
        if count:
            self._work(WALK, self._links, self._meta, n, nodes)
        return nodes

    def __len__(self) -> int:
        return int(self._meta[COUNT])

    def _run(self, leaf: Leaf, lent: Lent) -> Stream:
        first = int(red_black.outermost(self._links, self._meta, 0))
        keys, links = Column(self._flat, "keys", lent), Column(self._links, "links", lent)
        return TreeRun(keys, links, Parameter(first, "first"), leaf, (self._type or int).__name__)

    def check(self) -> None:
        """Assert every invariant: order, neighbours, links, colours, black heights, and the account of free nodes."""
        links = self._links.reshape(-1, 8)
        left, right, parent, colour, before, after = (
            links[:, n].tolist() for n in (LEFT, RIGHT, UP, COLOUR, BEFORE, AFTER)
        )
        keys = self._keys.tolist()
        root, count, used, free = self._meta.tolist()
        wrong = WrongState
        if links[0].any():
            raise wrong("node 0 is not the empty node")
        if root and (parent[root] or colour[root] != BLACK):
            raise wrong("the root has a parent, or is red")
        seen: set[int] = set()
        heights: dict[int, int] = {0: 0}
        todo: list[tuple[int, Any, Any, bool]] = [(root, None, None, False)]
        while todo:
            q, low, high, done = todo.pop()
            if not q:
                continue
            if done:
                if heights[left[q]] != heights[right[q]]:
                    raise wrong(f"the ways down from key {keys[q]} pass different numbers of black nodes")
                heights[q] = heights[left[q]] + (colour[q] == BLACK)
                continue
            if q in seen:
                raise wrong(f"key {keys[q]} is reached twice")
            seen.add(q)
            if (low is not None and not low < keys[q]) or (high is not None and not keys[q] < high):
                raise wrong(f"key {keys[q]} is out of order")
            if colour[q] == RED and RED in (colour[left[q]], colour[right[q]]):
                raise wrong(f"key {keys[q]} and a child of it are both red")
            for child in (left[q], right[q]):
                if child and parent[child] != q:
                    raise wrong(f"key {keys[child]} has another parent than the node above it")
            todo += [(q, low, high, True), (left[q], low, keys[q], False), (right[q], keys[q], high, False)]
        unused = set()
        while free:
            if free in unused or free in seen:
                raise wrong(f"node {free} is free and in use, or free twice")
            unused.add(free)
            free = left[free]
        if len(seen) != count or seen | unused != set(range(1, used)):
            raise wrong(f"{len(seen)} nodes are reached, {count} are counted, {len(unused)} of {used - 1} are free")
        in_order = sorted(seen, key=lambda q: keys[q])
        for one, two in pairwise([0, *in_order, 0]):
            if (one and after[one] != two) or (two and before[two] != one):
                raise wrong(f"keys {keys[one]} and {keys[two]} do not know that they are neighbours")
