"""map: another value at every key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..stream import Stream, verb
from ..words import apply
from .arguments import a_function
from .over import Over


class Map(Over):
    """The same keys, with f(key, value) for each value.

    >>> from skipstone.combinators import Span
    >>> dict(Map(Span(0, 3), lambda k, v: 10 * v + k))
    {0: 0, 1: 11, 2: 22}

    Costs nothing beside f: a map never adds a step.
    """

    f: Callable[[Any, Any], Any]

    def value(self, q: Any) -> Any:
        return apply(self.f, self.stream.index(q), self.stream.value(q))


@verb
def map(stream: Stream, f: Callable[[Any, Any], Any]) -> Stream:
    """The same keys, with f(key, value) for each value; f may return a number, a tuple or another stream.

    >>> import skipstone as sk
    >>> sk.stream({3: 1.5, 7: 2.0}).map(lambda k, v: k * v).collect()
    {3: 4.5, 7: 14.0}
    """
    return Map(stream, a_function(f, "map", "key", "value"))
