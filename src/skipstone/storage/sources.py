"""sk.stream: anything keyed as a stream. A registry by type, open to users' own."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import singledispatch
from typing import Any

import numpy as np

from ..combinators import Empty, Function, Implicit, range
from ..errors import KeysNotSorted, NotACollection
from ..stream import Stream
from ..words import PLAIN, passed, reading
from .bitmap import Bitmap
from .changing import ChangingMap
from .collection import Collection, Dense, Sorted, Trie
from .column import key_array, key_type


@singledispatch
def stream(collection: Any) -> Any:
    """Any keyed collection as a stream: a dict (nested too), a set, an array, a range, a function, sorted pairs.

    >>> import skipstone as sk
    >>> sk.stream({3: 1.5, 7: 2.0}).sum()
    3.5
    >>> sk.stream({1: {2: 10}, 4: {2: 20, 3: 30}}).sum()
    60

    | given | keys | values |
    |---|---|---|
    | sk.Tree, sk.Blocked | their keys, as they are now | theirs |
    | sk.Hash | its keys, in no order; none of its own in products | its values |
    | dict, SortedDict, other mappings | its keys, sorted once | its values; mappings become inner streams |
    | anything else with `items()` | sorted; values of equal keys are added | its values |
    | set, SortedSet | its members | 1 |
    | sk.Bitmap | its members | 1 |
    | NumPy array, list of numbers | positions | elements; further dimensions are inner streams |
    | range | its members | the same |
    | iterator of pairs | must come in increasing order | whatever follows them |
    | function | none of its own | f(key), in products |
    | sk.Sorted, sk.Dense, sk.Trie | theirs | theirs |

    A dict is copied into arrays here: later changes to it are not seen. Register your own types with
    `@sk.stream.register`.
    """
    if isinstance(collection, Stream | Implicit):
        return collection
    if isinstance(collection, Mapping):
        return of_mapping(collection)
    if isinstance(collection, Set):
        return Sorted(np.sort(key_array(collection))).stream()
    if isinstance(collection, Iterator):
        return Iterated(Pulled(collection))
    if callable(getattr(collection, "items", None)):  # a pandas Series, for one
        return Sorted.from_pairs(collection.items()).stream()
    if callable(collection):
        return Function(collection)
    if isinstance(collection, Iterable) and not isinstance(collection, str | bytes):
        return Iterated(Pulled(iter(collection)))
    raise NotACollection(
        f"{type(collection).__name__} is not a collection that skipstone knows",
        "Give a dict, a set, an array, sorted pairs or a function, or register the type: @sk.stream.register(Type).",
    )


@stream.register
def of_collection(collection: Collection) -> Stream:
    return collection.stream()


@stream.register
def of_bitmap(bitmap: Bitmap) -> Stream:
    return bitmap.stream()


@stream.register
def of_changing_map(mapping: ChangingMap) -> Stream:
    return mapping.stream()


@stream.register(dict)
def of_mapping(mapping: Mapping[Any, Any]) -> Stream:
    return Trie.from_nested(mapping).stream() if mapping else Empty()


@stream.register
def of_array(array: np.ndarray) -> Stream:
    return Dense(array).stream()


@stream.register
def of_list(numbers: list) -> Stream:  # type: ignore[type-arg]
    if numbers and isinstance(numbers[0], tuple):
        return Iterated(Pulled(iter(numbers)))
    return Dense(numbers).stream()


@stream.register
def of_range(span: builtins.range) -> Stream:
    if span.step == 1:
        return range(span.start, span.stop)
    keys = np.sort(np.array(span, np.int64))
    return Sorted(keys, keys).stream()


class Pulled:
    """The pairs that an iterator has delivered so far; more are pulled as they are asked for."""

    def __init__(self, pairs: Iterator[tuple[Any, Any]]) -> None:
        self.pairs, self.keys, self.values = pairs, [], []  # type: tuple[Any, list[Any], list[Any]]
        self.whole: Stream | None = None

    def has(self, n: int) -> bool:
        """Whether there is a pair number n, pulling as far as that takes."""
        while len(self.keys) <= n:
            try:
                pair = next(self.pairs)
            except StopIteration:
                return False
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise NotACollection(f"an iterator must deliver (key, value) pairs, not {pair!r:.60}")
            key, value = pair
            if self.keys and not self.keys[-1] < key:
                raise KeysNotSorted(
                    f"an iterator must deliver increasing keys, but {key!r} came after {self.keys[-1]!r}",
                    "Sort the pairs first, or collect them: sk.Sorted.from_pairs(pairs).",
                )
            self.keys.append(key)
            self.values.append(value)
        return True

    def drained(self) -> Stream:
        """All of it, in arrays."""
        if self.whole is None:
            while self.has(len(self.keys)):
                pass
            self.whole = Sorted(self.keys, self.values).stream()
        return self.whole


class Iterated(Stream):
    """A sequential iterator of sorted pairs, wrapped: a seek is one step, taken only if the current key was passed.

    >>> dict(Iterated(Pulled(iter([(1, 10), (5, 50)]))))
    {1: 10, 5: 50}

    Interpreted, it pulls no more pairs than it needs, so the iterator may be endless if what it is multiplied with is
    not. Compiled, all of them are drawn into arrays first, because compiled code cannot call back.
    """

    pulled: Pulled

    def start(self) -> Any:
        return 0

    def valid(self, q: Any) -> Any:
        return self.pulled.has(q) if reading() is PLAIN else self.pulled.drained().valid(q)

    def ready(self, q: Any) -> Any:
        return True

    def index(self, q: Any) -> Any:
        return self.pulled.keys[q] if reading() is PLAIN else self.pulled.drained().index(q)

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return q + passed(self.index(q), key, strict)

    def next(self, q: Any) -> Any:
        return q + 1

    def key_kind(self) -> str | None:
        return key_type(self.pulled.keys[0]) if self.pulled.has(0) else None

    def value(self, q: Any) -> Any:
        return self.pulled.values[q] if reading() is PLAIN else self.pulled.drained().value(q)
