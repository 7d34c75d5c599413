"""One small example of every stream of the library: for `skipstone laws`, for the tests, and for the curious."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from .combinators import (
    Function,
    Predicate,
    Repeat,
    at_least,
    below,
    chain,
    identity,
    multiply,
    range,
    singleton,
    zip_with,
)
from .combinators.ahead import Ahead
from .combinators.beside import Beside
from .storage import Bitmap, Blocked, Dense, Hash, Sorted, Tree, Trie, stream
from .stream import Stream
from .words import fetch

KEYS = np.array([0, 2, 3, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20, 31, 32, 40])


def long(seek: str = "adaptive") -> Stream:
    """Sixteen keys, some close together and some far apart."""
    return Sorted(KEYS, KEYS / 4, seek=seek).stream()


def other() -> Stream:
    return Sorted([2, 5, 8, 9, 31, 50], [1.5, 2.5, 0.0, -1.0, 4.0, 1.0]).stream()


def sieved() -> Stream:
    """A stream with states that are not ready."""
    return long().filter(lambda k, v: k % 3 != 2)


def matrix(*formats: str) -> Stream:
    rows, columns = [0, 0, 1, 3, 3, 3], [1, 4, 0, 1, 2, 4]
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    return Trie.from_columns([rows, columns], values, formats=formats or None).stream()


def grown(cls: type[Any]) -> Any:
    """A map that has changed: keys came in no particular order, and some have gone."""
    made = cls()
    for key in [*KEYS.tolist()[::-1], *builtins.range(4, 30)]:
        made[key] = key / 4
    for key in {*builtins.range(4, 30)} - {*KEYS.tolist()}:
        del made[key]
    return made


def many(cls: type[Any]) -> Any:
    """A map of more than one block."""
    keys = np.arange(0, 1600, 4)
    return cls(keys, keys / 4)


def sieved_beside() -> Stream:
    """A stream, and whether another one with states that are not ready holds its keys."""
    return Beside(sieved(), other().filter(lambda k, v: v > 0)).map(lambda k, v: v[0] + v[1])


def fetching() -> Stream:
    """A stream that has its own values fetched, by key and so far beyond their end too."""
    run = long()
    return Ahead(run, run.column, lambda key: fetch(run.inner.columns[0], key), 4)  # type: ignore[attr-defined]


EXAMPLES: dict[str, Callable[[], Stream]] = {
    "sorted arrays, adaptive seek": lambda: long("adaptive"),
    "sorted arrays, linear seek": lambda: long("linear"),
    "sorted arrays, binary seek": lambda: long("binary"),
    "sorted arrays, galloping seek": lambda: long("gallop"),
    "float keys": lambda: stream({-1.5: 1, 0.0: 2, 2.25: 3}),
    "boolean keys": lambda: stream({False: 10, True: 20}),
    "dense array": lambda: stream(Dense([0.5, 0.0, 2.5, 1.0])),
    "matrix, two dimensions": lambda: stream(Dense([[1, 2], [3, 4]])),
    "trie, compressed over compressed": lambda: matrix(),
    "trie, dense over compressed": lambda: matrix("dense", "compressed"),
    "trie, dense over dense": lambda: matrix("dense", "dense"),
    "trie, compressed over dense": lambda: matrix("compressed", "dense"),
    "dict": lambda: stream({2: 1.5, 5: 2.5, -3: 0.0}),
    "nested dict": lambda: stream({1: {2: 10, 3: 5}, 4: {}, 6: {2: 20}}),
    "set": lambda: stream({4, 1, 7}),
    "bitmap": lambda: stream(Bitmap([0, 3, 31, 32, 40, 95, 200])),
    "bitmap with negative keys": lambda: stream(Bitmap([-65, -33, -32, -1, 0, 64])),
    "product of bitmaps": lambda: stream(Bitmap(KEYS)) * stream(Bitmap([-5, 3, 8, 31, 32, 33, 99])),
    "product of bitmaps and an array": lambda: stream(Bitmap(KEYS)) * other() * stream(Bitmap([2, 8, 31, 50])),
    "red-black tree": lambda: stream(grown(Tree)),
    "red-black tree, built at once": lambda: stream(Tree(KEYS, KEYS / 4)),
    "blocks": lambda: stream(grown(Blocked)),
    "blocks, several of them": lambda: stream(many(Blocked))[395:1205],
    "product of trees": lambda: stream(grown(Tree)) * stream(Tree({3: 1.5, 8: 0.5, 12: 2.0, 40: 1.0})),
    "product of a tree and blocks": lambda: (
        stream(grown(Tree)) * stream(grown(Blocked)).filter(lambda k, v: k % 3 != 2)
    ),
    "product with a hash map": lambda: long() * stream(Hash({2: 1.5, 9: 2.5, 31: 0.5, 33: 1.0})),
    "product with comparisons": lambda: at_least(8) * long() * below(32),
    "product with the identity": lambda: multiply(matrix(), identity()),
    "iterator of pairs": lambda: stream(iter([(1, 10), (5, 50), (6, 60)])),
    "empty": lambda: stream({}),
    "range": lambda: range(3, 9),
    "singleton": lambda: singleton(7, 2.0),
    "map": lambda: other().map(lambda k, v: v * k),
    "filter": sieved,
    "filter, of everything": lambda: long().filter(lambda k, v: False),
    "product": lambda: long() * other(),
    "product, three": lambda: long() * other() * range(3, 40),
    "product over a filter": lambda: sieved() * other(),
    "product of arrays": lambda: stream(Dense([0.5, 0.0, 2.5, 1.0])) * stream(Dense([2, 3, 4])),
    "product of tries": lambda: matrix() * matrix("dense", "compressed"),
    "product with repeat": lambda: multiply(other(), Repeat(3)),
    "product with a function": lambda: multiply(other(), Function(lambda k: k + 1)),
    "product with a predicate": lambda: multiply(other(), Predicate(lambda k: k > 4)),
    "zip_with": lambda: zip_with(lambda x, y: x - y, long(), other()),
    "union": lambda: other() + range(4, 12),
    "union over filters": lambda: sieved() + other().filter(lambda k, v: v > 1),
    "union of tries": lambda: matrix() + stream({0: {0: 9.0, 4: 9.0}, 2: {2: 9.0}}),
    "difference": lambda: long().without(other()),
    "difference over filters": lambda: sieved().without(other().filter(lambda k, v: v > 1)),
    "beside": lambda: sieved_beside(),
    "fetching ahead": fetching,
    "slice": lambda: long()[5:31],
    "slice of a filter": lambda: sieved()[3:],
    "chain": lambda: chain(range(0, 4), other()[5:]),
    "order-preserving key map": lambda: other().map_keys(lambda k: k * k, increasing=True),
    "order-preserving key map with inverse": lambda: sieved().map_keys(
        lambda k: 2 * k, increasing=True, inverse=lambda k: (k + 1) // 2
    ),
    "memo": lambda: (long() * other()).memo(),
}
