"""A stream that is only there sometimes: the inner stream of a side of a union that does not hold the key."""

from __future__ import annotations

from typing import Any

from ..stream import Stream
from ..words import reading, select


class Guarded(Stream):
    """`stream` where `present`, otherwise empty; nothing of it is read while it is absent.

    >>> from skipstone.combinators import Span
    >>> dict(Guarded(True, Span(0, 2))), dict(Guarded(False, None))
    ({0: 0, 1: 1}, {})
    """

    present: Any
    stream: Any

    def key_kind(self) -> str | None:
        return None if self.stream is None else self.stream.key_kind()

    def start(self) -> Any:
        return reading().optional(self.present, lambda: self.stream.start())

    def valid(self, q: Any) -> Any:
        return select(self.present, lambda: self.stream.valid(q), lambda: False)

    def ready(self, q: Any) -> Any:
        return self.stream.ready(q)

    def index(self, q: Any) -> Any:
        return self.stream.index(q)

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return self.stream.seek(q, key, strict)

    def next(self, q: Any) -> Any:
        return self.stream.next(q)

    def approach(self, q: Any) -> Any:
        return self.stream.approach(q)

    def value(self, q: Any) -> Any:
        return self.stream.value(q)
