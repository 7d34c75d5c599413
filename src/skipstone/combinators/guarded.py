"""A stream that is only there sometimes: the inner stream of a side of a union that does not hold the key."""

from __future__ import annotations

from typing import Any

from ..words import reading, select
from .over import Over


class Guarded(Over):
    """`stream` where `present`, otherwise empty; nothing of it is read while it is absent.

    >>> from skipstone.combinators import Span
    >>> dict(Guarded(Span(0, 2), True)), dict(Guarded(None, False))
    ({0: 0, 1: 1}, {})
    """

    present: Any

    @property
    def ordered(self) -> bool:  # type: ignore[override]
        return True  # a union asks before it guards

    def start(self) -> Any:
        return reading().optional(self.present, lambda: self.stream.start())

    def valid(self, q: Any) -> Any:
        return select(self.present, lambda: self.stream.valid(q), lambda: False)
