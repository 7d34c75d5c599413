"""Slices: the keys between two bounds, at the cost of the slice, not of the array."""

from __future__ import annotations

from typing import Any

from ..errors import BadOption
from ..stream import Stream, verb
from ..words import maximum, select
from .product import check_joinable


class Slice(Stream):
    """The pairs with lo <= key < hi; a bound that is None does not bound.

    >>> from skipstone.combinators import Span
    >>> dict(Slice(Span(0, 100), 3, 6))
    {3: 3, 4: 4, 5: 5}

    It behaves as a product with the interval: the first step seeks to lo, so the cost is one seek and the slice itself.
    """

    stream: Stream
    lo: Any
    hi: Any

    def start(self) -> Any:
        return self.stream.start()

    def valid(self, q: Any) -> Any:
        if self.hi is None:
            return self.stream.valid(q)
        return select(self.stream.valid(q), lambda: self.stream.index(q) < self.hi, lambda: False)

    def ready(self, q: Any) -> Any:
        return self.stream.ready(q) if self.lo is None else self.stream.ready(q) & (self.stream.index(q) >= self.lo)

    def index(self, q: Any) -> Any:
        return self.stream.index(q) if self.lo is None else maximum(self.stream.index(q), self.lo)

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        if self.lo is None:
            return self.stream.seek(q, key, strict)
        # Below lo nothing is delivered, so a seek to any key below it is a seek to lo that keeps lo.
        return self.stream.seek(q, maximum(key, self.lo), strict & (key >= self.lo))

    def next(self, q: Any) -> Any:
        return self.stream.next(q)

    def value(self, q: Any) -> Any:
        return self.stream.value(q)

    def key_kind(self) -> str | None:
        return self.stream.key_kind()


@verb
def __getitem__(self: Stream, bounds: slice) -> Stream:
    if not isinstance(bounds, slice) or bounds.step is not None:
        raise BadOption(
            f"a stream is sliced by a range of keys, not by {bounds!r}",
            "Write s[a:b] for the keys a <= key < b, s.get(key) for one value.",
        )
    check_joinable("slice", (self,))
    return Slice(self, bounds.start, bounds.stop)
