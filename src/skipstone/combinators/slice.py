"""Slices: the keys between two bounds, at the cost of the slice, not of the array."""

from __future__ import annotations

import math
import sys
from typing import Any

from ..errors import BadOption
from ..stream import Stream, verb
from ..words import INT64_MAX, Parameter, is_being_read, maximum, parameter, select
from .arguments import a_key, streams
from .over import Over
from .span import Empty


class Slice(Over):
    """The pairs with lo <= key < hi; a bound that is None does not bound.

    >>> from skipstone.combinators import Span
    >>> dict(Slice(Span(0, 100), 3, 6))
    {3: 3, 4: 4, 5: 5}

    It behaves as a product with the interval: the first step seeks to lo, so the cost is one seek and the slice itself.
    """

    lo: Any
    hi: Any

    def valid(self, q: Any) -> Any:
        if self.hi is None:
            return self.stream.valid(q)
        return select(self.stream.valid(q), lambda: self.stream.index(q) < parameter(self.hi), lambda: False)

    def ready(self, q: Any) -> Any:
        if self.lo is None:
            return self.stream.ready(q)
        return self.stream.ready(q) & (self.stream.index(q) >= parameter(self.lo))

    def index(self, q: Any) -> Any:
        return self.stream.index(q) if self.lo is None else maximum(self.stream.index(q), parameter(self.lo))

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        if self.lo is None:
            return self.stream.seek(q, key, strict)
        # Below lo nothing is delivered, so a seek to any key below it is a seek to lo that keeps lo.
        lo = parameter(self.lo)
        return self.stream.seek(q, maximum(key, lo), strict & (key >= lo))

    def approach(self, q: Any) -> Any:
        # Not as the stream below would: it may well be ready, at a key below lo.
        return self.seek(q, self.index(q), False)


@verb
def __getitem__(self: Stream, bounds: slice) -> Stream:
    if not isinstance(bounds, slice) or bounds.step is not None:
        raise BadOption(
            f"a stream is sliced by a range of keys, not by {bounds!r}",
            "Write s[a:b] for the keys a <= key < b, s.get(key) for one value.",
        )
    streams("slice", self)
    kind = self.key_kind()
    lo, hi = as_bound(bounds.start, kind), as_bound(bounds.stop, kind)
    if lo is ABOVE_ALL or hi is BELOW_ALL:
        return Empty()
    lo, hi = None if lo is BELOW_ALL else lo, None if hi is ABOVE_ALL else hi
    if not is_being_read():  # so that another slice of the same stream is no other kernel
        lo, hi = (b if b is None else Parameter(b, name) for b, name in ((lo, "lo"), (hi, "hi")))
    return Slice(self, lo, hi)


BELOW_ALL, ABOVE_ALL = object(), object()


def as_bound(bound: Any, kind: str | None) -> Any:
    """A bound of the same type as the keys, that cuts where the given one does; or that it lies beyond all of them."""
    if bound is None or not isinstance(a_key(bound), int | float):
        return bound
    bound = a_key(bound)
    if kind == "float":
        return float(bound) if abs(bound) <= sys.float_info.max else math.copysign(math.inf, 1 if bound > 0 else -1)
    if kind == "int" and isinstance(bound, float):
        if not math.isfinite(bound):
            return ABOVE_ALL if bound > 0 else BELOW_ALL
        bound = math.ceil(bound)
    if isinstance(bound, int) and not -INT64_MAX - 1 <= bound <= INT64_MAX:
        return ABOVE_ALL if bound > 0 else BELOW_ALL
    return bound
