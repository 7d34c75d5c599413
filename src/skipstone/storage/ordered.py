"""Ordered maps: what a person who knows `sortedcontainers.SortedDict` expects of one, for every structure alike."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import NotAKey
from .changing import ChangingMap
from .column import Array, key_type


class OrderedMap(ChangingMap):
    """A map that keeps its keys in order. Ranks count from 0; negative ones, from the end."""

    def _rank(self, key: Any, strict: bool) -> int:
        """How many keys are smaller than `key`, or not larger if `strict`."""
        raise NotImplementedError

    def _nth(self, n: int) -> int:
        """The place of key number n."""
        raise NotImplementedError

    def _from(self, n: int, count: int) -> Array:
        """The places of so many keys from number n on, in order."""
        raise NotImplementedError

    # ------------------------------------------------------------------ by rank

    def _number(self, index: int) -> int:
        index = operator.index(index)
        n = index + len(self) if index < 0 else index
        if not 0 <= n < len(self):
            raise IndexError(f"there is no key number {index} among {len(self)}")
        return n

    def peekitem(self, index: int = -1) -> tuple[Any, Any]:
        """The key of that rank and its value: the last one, unless told otherwise.

        >>> import skipstone as sk
        >>> sk.Tree({1: 10, 5: 50, 3: 30}).peekitem()
        (5, 50)
        """
        with self._lock:
            place = self._nth(self._number(index))
            return self._key_list([place])[0], self._values.at(place)

    def popitem(self, index: int = -1) -> tuple[Any, Any]:
        """Take out the key of that rank, by default the last, and return it with its value."""
        with self._lock:
            if not self:
                raise KeyError("the map is empty")
            item = self.peekitem(index)
            del self[item[0]]
            return item

    def islice(self, start: int | None = None, stop: int | None = None, reverse: bool = False) -> Iterator[Any]:
        """The keys whose ranks lie in a slice."""
        with self._lock:
            first, last, _ = slice(start, stop).indices(len(self))
            return self._listed(first, last, reverse)

    def _listed(self, first: int, last: int, reverse: bool) -> Iterator[Any]:
        keys = self._key_list(self._from(first, last - first)) if first < last else []
        return iter(keys[::-1] if reverse else keys)

    # ------------------------------------------------------------------ by key

    def _count(self, key: Any, strict: bool) -> int:
        """How many keys come before a bound, which may be a number of any type."""
        with self._lock:
            return self._count_of(key, strict)

    def _count_of(self, key: Any, strict: bool) -> int:
        if self._type is None:
            return 0
        key = key.item() if isinstance(key, np.generic) else key
        if key_type(key) == "str" or key != key:
            raise NotAKey(f"{key!r} cannot be compared with the keys of this {type(self).__name__}")
        if self._type is bool:
            return sum(k < key or (strict and k == key) for k in self)
        if self._type is float:
            return self._count_floats(key, strict)
        if math.isinf(key) or not -(2**63) <= key < 2**63:
            return len(self) if key > 0 else 0
        whole = math.ceil(key)
        return self._rank(whole, strict and whole == key)

    def _count_floats(self, key: Any, strict: bool) -> int:
        """The same where keys are floats, and the bound may be an integer that is none."""
        try:
            near = float(key)
        except OverflowError:
            near = math.inf if key > 0 else -math.inf
        return self._rank(near, strict if near == key else near < key)

    def bisect_left(self, key: Any) -> int:
        """How many keys are smaller: the rank that this key has, or would have."""
        return self._count(key, False)

    def bisect_right(self, key: Any) -> int:
        """How many keys are not larger."""
        return self._count(key, True)

    bisect = bisect_right

    def irange(
        self,
        minimum: Any = None,
        maximum: Any = None,
        inclusive: tuple[bool, bool] = (True, True),
        reverse: bool = False,
    ) -> Iterator[Any]:
        """The keys between two bounds, in order; `inclusive` says whether the bounds themselves belong to it.

        >>> import skipstone as sk
        >>> list(sk.Tree({1: 10, 3: 30, 5: 50}).irange(2, 5, inclusive=(True, False)))
        [3]
        """
        with self._lock:
            first = 0 if minimum is None else self._count(minimum, not inclusive[0])
            last = len(self) if maximum is None else self._count(maximum, inclusive[1])
            return self._listed(first, last, reverse)

    # ------------------------------------------------------------------ all of it

    def _places(self) -> Array:
        return self._from(0, len(self))

    def __reversed__(self) -> Iterator[Any]:
        with self._lock:
            return self._listed(0, len(self), True)
