"""chain: one stream after another, where every key of the first is below every key of the second."""

from __future__ import annotations

from functools import reduce
from typing import Any

from ..stream import Stream
from ..words import select
from .arguments import streams


class Chain(Stream):
    """The pairs of `a`, then those of `b`.

    >>> from skipstone.combinators import Span
    >>> dict(Chain(Span(0, 2), Span(5, 7)))
    {0: 0, 1: 1, 5: 5, 6: 6}

    Cheaper than a union, because only one side is looked at; the caller promises that the keys of a are all below
    those of b (`sk.laws.check` notices a broken promise).
    """

    a: Stream
    b: Stream

    def start(self) -> Any:
        return self.a.start(), self.b.start()

    def valid(self, q: Any) -> Any:
        return self.a.valid(q[0]) | self.b.valid(q[1])

    def ready(self, q: Any) -> Any:
        return select(self.a.valid(q[0]), lambda: self.a.ready(q[0]), lambda: self.b.ready(q[1]))

    def index(self, q: Any) -> Any:
        return select(self.a.valid(q[0]), lambda: self.a.index(q[0]), lambda: self.b.index(q[1]))

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return select(
            self.a.valid(q[0]),
            lambda: (self.a.seek(q[0], key, strict), q[1]),
            lambda: (q[0], self.b.seek(q[1], key, strict)),
        )

    def next(self, q: Any) -> Any:
        return select(self.a.valid(q[0]), lambda: (self.a.next(q[0]), q[1]), lambda: (q[0], self.b.next(q[1])))

    def value(self, q: Any) -> Any:
        return select(self.a.valid(q[0]), lambda: self.a.value(q[0]), lambda: self.b.value(q[1]))

    def key_kind(self) -> str | None:
        return self.a.key_kind() or self.b.key_kind()


def chain(*given: Stream) -> Stream:
    """One stream after another; the keys of each must all be below those of the next.

    >>> import skipstone as sk
    >>> sk.chain(sk.range(0, 2), sk.stream({10: 5, 20: 6})).collect()
    {0: 0, 1: 1, 10: 5, 20: 6}
    """
    return reduce(Chain, streams("chain", *given))
