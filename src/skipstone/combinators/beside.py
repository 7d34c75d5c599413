"""Beside: the keys of one stream, each with whether another holds it too. What left joins and absence are made of."""

from __future__ import annotations

from typing import Any

from ..stream import Stream, pure
from ..words import reading, select


class Beside(Stream):
    """The pairs of `a`; the value is (a's, whether b holds the key, b's), the last one only to be read where it does.

    >>> from skipstone.combinators import Span
    >>> [(k, v[:2]) for k, v in Beside(Span(0, 3), Span(1, 9))]
    [(0, (0, False)), (1, (1, True)), (2, (2, True))]

    Cost: one step a key of a, and the seeks of b from one of those to the next.
    """

    a: Stream
    b: Stream

    def start(self) -> Any:
        return self.a.start(), self.b.start()

    def valid(self, q: Any) -> Any:
        return self.a.valid(q[0])

    def ready(self, q: Any) -> Any:
        # Only where it is known whether b holds the key: b is past it, or stands on it and is ready.
        there = select(
            self.b.valid(q[1]),
            lambda: (self.a.index(q[0]) < self.b.index(q[1])) | (self.meets(q) & self.b.ready(q[1])),
            lambda: True,
        )
        return self.a.ready(q[0]) & there

    def index(self, q: Any) -> Any:
        return self.a.index(q[0])

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        b = self.b
        return self.a.seek(q[0], key, strict), select(b.valid(q[1]), lambda: b.seek(q[1], key, strict), lambda: q[1])

    def next(self, q: Any) -> Any:
        return self.a.next(q[0]), q[1]

    def value(self, q: Any) -> Any:
        present = select(self.b.valid(q[1]), lambda: self.meets(q), lambda: False)
        return self.a.value(q[0]), present, reading().optional(present, lambda: self.b.value(q[1]))

    def key_kind(self) -> str | None:
        return self.a.key_kind()

    @pure
    def meets(self, q: Any) -> Any:
        return self.a.index(q[0]) == self.b.index(q[1])
