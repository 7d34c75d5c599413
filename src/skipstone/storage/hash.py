"""sk.Hash: a hash map as a mapping, a factor of products, and a destination. How it works is in hashing.py."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from ..combinators import ByKey, Over, Singleton, multiply, value_at
from ..errors import MixedKeys, UnorderedProduct, WrongState
from ..stream import Stream, pure
from ..words import Kernel, length, reading
from .changing import ChangingMap, Lent
from .column import Array, Column
from .hashing import COUNT, functions, mix_float, mix_int
from .levels import Leaf
from .values import Values

CODE = {
    kind: {name: Kernel(f, returns="int" if name == "find" else None) for name, f in vars(functions(mix)).items()}
    for kind, mix in (("int", mix_int), ("float", mix_float))
}
CODE["bool"] = CODE["int"]


class HashRun(ByKey, Stream):
    """The entries of a hash map, slot by slot, in no order; multiplied with a stream, the values at its keys."""

    column: Any
    used: Any
    inner: Any

    ordered: ClassVar[bool] = False

    def start(self) -> Any:
        return 0

    def valid(self, q: Any) -> Any:
        return q < length(self.column)

    def ready(self, q: Any) -> Any:
        return self.used[q] != 0

    def index(self, q: Any) -> Any:
        return self.column[q]

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        raise UnorderedProduct("a hash map has no order to seek in", "Put its keys in order first: `.memo()`.")

    def next(self, q: Any) -> Any:
        return q + 1

    def approach(self, q: Any) -> Any:
        return q + 1

    def value(self, q: Any) -> Any:
        return self.inner.at(q)

    def key_kind(self) -> str | None:
        return self.column.kind  # type: ignore[no-any-return]

    @pure
    def slot(self, key: Any) -> Any:
        """Where a key lies, or -1."""
        return CODE[self.column.kind]["find"](self.column, self.used, key)

    def value_at(self, key: Any) -> Any:
        """(found, value) at one key."""
        slot = self.slot(key)
        return slot >= 0, reading().optional(slot >= 0, lambda: self.inner.at(slot))

    def times(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Any:
        if is_walked(other):
            return self.matched(other).map(lambda key, value: multiply(self.inner.at(self.slot(key)), value))
        return HashProduct(self.walk(other, multiply), (self, other))

    def times_left(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Any:
        if is_walked(other):
            return self.matched(other).map(lambda key, value: multiply(value, self.inner.at(self.slot(key))))
        return HashProduct(multiply(other, Over(self)), (other, self))

    def walk(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Stream:
        """The product by itself: a walk over this one, or over the other, if that is a smaller hash map."""
        if isinstance(other, HashRun) and other.column.size < self.column.size:
            return self.times(Over(other), multiply)  # type: ignore[no-any-return]
        return multiply(Over(self), other)  # type: ignore[no-any-return]

    def matched(self, other: Stream) -> Stream:
        """The pairs of a stream whose keys are here."""
        kind = other.key_kind()
        if kind is not None and kind != self.key_kind():
            raise MixedKeys(
                f"cannot multiply streams whose keys are of different types: {kind}, {self.key_kind()}",
                "Bring them to one type first, for example with `.map_keys(lambda k: k * 1.0, increasing=True)`.",
            )
        return other.filter(lambda key, value: self.slot(key) >= 0)


class HashProduct(ByKey, Over):
    """A hash map times numbers, functions or other hash maps: asked by key as well. By itself, `stream`, unordered."""

    factors: tuple[Any, ...]

    def value_at(self, key: Any) -> Any:
        return value_at(multiply(self, Singleton(key, 1)), key)

    def times(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Any:
        if is_walked(other):
            return reduce(lambda result, factor: multiply(factor, result), reversed(self.factors), other)
        return HashProduct(multiply(self.stream, other), (*self.factors, other))

    def times_left(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Any:
        if is_walked(other):
            return reduce(multiply, self.factors, other)
        return HashProduct(multiply(other, self.stream), (other, *self.factors))


def is_walked(x: Any) -> bool:
    """Whether x is a stream that is stepped through, in products too."""
    return isinstance(x, Stream) and not isinstance(x, ByKey)


class Hash(ChangingMap):
    """A mapping in no particular order: a hash map with open addressing. Insert, look up and delete are O(1).

    >>> h = Hash({5: 0.5, 2: 0.2})
    >>> h[7] = 0.7
    >>> h[5], 3 in h, len(h)
    (0.5, False, 3)

    In a product it is a function of the key: the product runs over the other factor, in its order, and looks up. By
    itself it is an unordered stream: it can be folded, collected and put in order by `.memo()`.

    >>> import skipstone as sk
    >>> (sk.stream({2: 10, 3: 10, 7: 10}) * h.stream()).collect()
    {2: 2.0, 7: 7.0}
    >>> h.stream().sum()
    1.4
    """

    arrays = ("_keys", "_used", "_meta")

    def _code(self, name: str) -> Kernel:
        return CODE["float" if self._type is float else "int"][name]

    def _allocate(self, places: int) -> None:
        slots = 1 << max(2 * places - 1, 1).bit_length()
        self._keys = np.zeros(slots, self._keys.dtype)
        self._values = Values(slots, self._values.kinds, self._values.make)
        self._used = np.zeros(slots, np.int8)
        self._meta = np.zeros(1, np.int64)
        self._room = slots // 2

    def _reserve(self, more: int) -> int:
        free = self._keys.size // 2 - len(self)
        if free < more:
            places, keys, rows = self._places(), self._keys, self._values.rows
            self._allocate(2 * (len(self) + more))
            slots = self._fill(keys[places])
            self._values.rows[:, slots] = rows[:, places]
            self._moved()
            free = self._keys.size // 2 - len(self)
        return free

    def _fill(self, keys: Array) -> Array:
        slots = np.empty(keys.size, np.int64)
        self._work(self._code("fill"), self._keys, self._used, self._meta, keys, slots)
        return slots

    def _find(self, key: Any) -> int:
        return int(self._work(self._code("find"), self._keys, self._used, key))

    def _insert(self, key: Any) -> int:
        return int(self._work(self._code("insert"), self._keys, self._used, self._meta, key))

    def _remove(self, key: Any) -> bool:
        return bool(self._work(self._code("remove"), self._keys, self._used, self._values.rows, self._meta, key))

    def _build(self, keys: Array) -> Array:
        self._keys = np.zeros(0, keys.dtype)
        self._allocate(keys.size)
        return self._fill(keys)

    def _places(self) -> Array:
        return np.flatnonzero(self._used)

    def __len__(self) -> int:
        return int(self._meta[COUNT])

    def _run(self, leaf: Leaf, lent: Lent) -> Stream:
        return HashRun(Column(self._keys, "keys", lent), Column(self._used, "used", lent), leaf)

    def check(self) -> None:
        """Assert every invariant: how full it is, and that every key is found where its hash leads."""
        places = self._places()
        if places.size != len(self) or 2 * places.size > self._keys.size:
            raise WrongState(f"{places.size} slots of {self._keys.size} are in use, {len(self)} are counted")
        if self._keys.size & (self._keys.size - 1):
            raise WrongState(f"{self._keys.size} slots are not a power of two")
        for place in places.tolist():
            if self._find(self._keys.item(place)) != place:
                raise WrongState(f"key {self._keys.item(place)} is not found where it lies")
