"""Implicit streams that know where their keys lie: comparisons with a bound, and the identity matrix.

Multiplied with a stream, a comparison is a slice of it: the stream seeks, and nothing outside is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..stream import Stream
from .arguments import a_key
from .implicit import Function, Predicate
from .slice import ABOVE_ALL, BELOW_ALL, as_bound
from .span import Empty, Singleton


@dataclass(frozen=True, eq=False)
class Interval(Predicate):
    """1 at the keys from lo on and below hi, nothing elsewhere; a bound that is None does not bound."""

    lo: Any = None
    hi: Any = None

    def times(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, Stream):
            return multiply(self.held, self.cut(other))
        if isinstance(other, Interval):
            return replace(between(tighter(max, self.lo, other.lo), tighter(min, self.hi, other.hi)),
                           held=multiply(self.held, other.held))  # fmt: skip
        if isinstance(other, Predicate):
            return super().times(other, multiply)
        return replace(self, held=multiply(self.held, other))

    def times_left(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, Stream):
            return multiply(self.cut(other), self.held)
        return replace(self, held=multiply(other, self.held))

    def cut(self, stream: Stream) -> Stream:
        """The part of a stream that lies within: a slice of it, or where it has no order to seek in, a filter."""
        if stream.ordered:
            return stream[self.lo : self.hi]
        lo, hi = as_bound(self.lo, stream.key_kind()), as_bound(self.hi, stream.key_kind())
        if lo is ABOVE_ALL or hi is BELOW_ALL:
            return Empty()
        within = between(None if lo is BELOW_ALL else lo, None if hi is ABOVE_ALL else hi).p
        return stream.filter(lambda key, value: within(key))


def tighter(choose: Callable[..., Any], a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else choose(a, b)


def between(lo: Any, hi: Any) -> Interval:
    """The keys lo <= key < hi."""
    if hi is None:
        return Interval(lambda key: lo is None or key >= lo, lo=lo)
    if lo is None:
        return Interval(lambda key: key < hi, hi=hi)
    return Interval(lambda key: key >= lo and key < hi, lo=lo, hi=hi)


def below(bound: Any) -> Interval:
    """The keys below a bound, 1 at each: multiplied with a stream, its beginning.

    >>> import skipstone as sk
    >>> (sk.range(0, 1_000_000) * sk.below(3)).collect()
    {0: 0, 1: 1, 2: 2}
    """
    return between(None, a_key(bound))


def at_least(bound: Any) -> Interval:
    """The keys from a bound on, 1 at each: multiplied with a stream, it seeks there at once.

    >>> import skipstone as sk
    >>> (sk.at_least(7) * sk.stream({3: 1.5, 7: 2.0, 9: 0.5}) * sk.below(9)).collect()
    {7: 2.0}
    """
    return between(a_key(bound), None)


def identity() -> Function:
    """The identity matrix: at each key i, the one key i with the value 1.

    >>> import skipstone as sk
    >>> (sk.stream({1: {1: 10, 2: 5}, 4: {2: 20}, 5: {5: 7}}) * sk.identity()).sum()
    17
    """
    return Function(lambda key: Singleton(key, 1))
