"""map: another value at every key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..stream import Stream, verb
from ..words import apply
from .arguments import a_function


class Map(Stream):
    """The same keys, with f(key, value) for each value.

    >>> from skipstone.combinators import Span
    >>> dict(Map(lambda k, v: 10 * v + k, Span(0, 3)))
    {0: 0, 1: 11, 2: 22}

    Costs nothing beside f: a map never adds a step.
    """

    f: Callable[[Any, Any], Any]
    stream: Stream

    @property
    def ordered(self) -> bool:  # type: ignore[override]
        return self.stream.ordered

    def start(self) -> Any:
        return self.stream.start()

    def valid(self, q: Any) -> Any:
        return self.stream.valid(q)

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
        return apply(self.f, self.stream.index(q), self.stream.value(q))

    def key_kind(self) -> str | None:
        return self.stream.key_kind()


@verb
def map(stream: Stream, f: Callable[[Any, Any], Any]) -> Stream:
    """The same keys, with f(key, value) for each value; f may return a number, a tuple or another stream.

    >>> import skipstone as sk
    >>> sk.stream({3: 1.5, 7: 2.0}).map(lambda k, v: k * v).collect()
    {3: 4.5, 7: 14.0}
    """
    return Map(a_function(f, "map", "key", "value"), stream)
