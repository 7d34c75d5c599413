"""without: the keys of one stream that another does not hold."""

from __future__ import annotations

from typing import Any

from ..errors import NotACollection
from ..stream import Stream, verb
from ..words import no, select
from .arguments import streams
from .implicit import Function, Implicit, Predicate


class Difference(Stream):
    """The pairs of `a` whose keys `b` does not hold; b's values do not matter.

    >>> from skipstone.combinators import Span
    >>> dict(Difference(Span(0, 6), Span(2, 4)))
    {0: 0, 1: 1, 4: 4, 5: 5}

    Cost: one step a key of a, and the seeks of b from one of those to the next.
    """

    a: Stream
    b: Stream

    def start(self) -> Any:
        return self.a.start(), self.b.start()

    def valid(self, q: Any) -> Any:
        return self.a.valid(q[0])

    def ready(self, q: Any) -> Any:
        # Only when b is known to be past this key.
        return self.a.ready(q[0]) & select(
            self.b.valid(q[1]), lambda: self.a.index(q[0]) < self.b.index(q[1]), lambda: True
        )

    def index(self, q: Any) -> Any:
        return self.a.index(q[0])

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        # A key that b holds is done with, as a key that a filter rejects is, and must be passed for the same reason.
        a, b = self.a, self.b
        here = (a.index(q[0]) == key) & b.valid(q[1])
        excluded = select(here, lambda: (b.index(q[1]) == key) & b.ready(q[1]), lambda: False)
        return (
            a.seek(q[0], key, strict | excluded),
            select(b.valid(q[1]), lambda: b.seek(q[1], key, strict), lambda: q[1]),
        )

    def next(self, q: Any) -> Any:
        return self.a.next(q[0]), q[1]  # ready: b is past this key already

    def value(self, q: Any) -> Any:
        return self.a.value(q[0])

    def key_kind(self) -> str | None:
        return self.a.key_kind()


@verb
def without(self: Stream, other: Any) -> Stream:
    """The pairs whose keys `other` does not hold. `other` may be a stream, or a predicate on keys.

    >>> import skipstone as sk
    >>> sk.stream({1: 10, 2: 20, 3: 30}).without(sk.stream({2})).collect()
    {1: 10, 3: 30}
    """
    if isinstance(other, Predicate):
        return self.filter(lambda key, value: no(other.p(key)))
    if isinstance(other, Implicit):
        what = "a function" if isinstance(other, Function) else "repeat"
        raise NotACollection(f"{what} holds every key: nothing would be left", "Use a predicate, or a stream.")
    return Difference(*streams("compare the keys of", self, other))
