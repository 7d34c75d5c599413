"""Union: every key that either stream holds, values added where both do."""

from __future__ import annotations

from typing import Any

from ..errors import BranchesDiffer, ImplicitStream
from ..stream import Stream, pure, verb
from ..words import minimum, plus, reading, select
from .arguments import streams
from .guarded import Guarded
from .implicit import Implicit
from .product import multiply


class Union(Stream):
    """The keys of either stream; where both hold a key, the sum of their values.

    >>> from skipstone.combinators import Span
    >>> dict(Union(Span(0, 3), Span(2, 4)))
    {0: 0, 1: 1, 2: 4, 3: 3}

    Cost: one step a key of the result. A side that has ended is never read.
    """

    a: Stream
    b: Stream

    def start(self) -> Any:
        return self.a.start(), self.b.start()

    def valid(self, q: Any) -> Any:
        return self.a.valid(q[0]) | self.b.valid(q[1])

    def ready(self, q: Any) -> Any:
        at_a, at_b = self.stands(q)
        return select(
            at_a,
            lambda: select(at_b, lambda: self.a.ready(q[0]) & self.b.ready(q[1]), lambda: self.a.ready(q[0])),
            lambda: self.b.ready(q[1]),
        )

    def index(self, q: Any) -> Any:
        return select(
            self.a.valid(q[0]),
            lambda: select(
                self.b.valid(q[1]),
                lambda: minimum(self.a.index(q[0]), self.b.index(q[1])),
                lambda: self.a.index(q[0]),
            ),
            lambda: self.b.index(q[1]),
        )

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        a, b = self.a, self.b
        return (
            select(a.valid(q[0]), lambda: a.seek(q[0], key, strict), lambda: q[0]),
            select(b.valid(q[1]), lambda: b.seek(q[1], key, strict), lambda: q[1]),
        )

    def next(self, q: Any) -> Any:
        # Ready: whoever stands at the index is. The other one stays, or {1, 3} + {2, 3} would lose its 2.
        at_a, at_b = self.stands(q)
        return (
            select(at_a, lambda: self.a.next(q[0]), lambda: q[0]),
            select(at_b, lambda: self.b.next(q[1]), lambda: q[1]),
        )

    def value(self, q: Any) -> Any:
        at_a, at_b = self.stands(q)
        if at_a is False or at_b is False:  # known while tracing too, where one side is empty
            return self.a.value(q[0]) if at_b is False else self.b.value(q[1])
        x = reading().optional(at_a, lambda: self.a.value(q[0]))
        y = reading().optional(at_b, lambda: self.b.value(q[1]))
        if is_stream(x) or is_stream(y):
            streams("add", *(s for s in (x, y) if s is not None))
            return Union(Guarded(x, at_a), Guarded(y, at_b))
        return select(at_a, lambda: select(at_b, lambda: plus(x, y), lambda: x), lambda: y)

    def key_kind(self) -> str | None:
        return self.a.key_kind() or self.b.key_kind()

    @pure
    def stands(self, q: Any) -> Any:
        """Whether each side stands at the index."""
        a, b = self.a, self.b
        return select(
            a.valid(q[0]) & b.valid(q[1]),
            lambda: (a.index(q[0]) <= b.index(q[1]), b.index(q[1]) <= a.index(q[0])),
            lambda: (a.valid(q[0]), b.valid(q[1])),
        )


def is_stream(value: Any) -> bool:
    """Whether a value is itself a stream; one that has no keys cannot be part of a union."""
    if isinstance(value, Implicit):
        raise ImplicitStream(
            "cannot add streams whose values are functions of a further key",
            "A sum has the keys of either side, and a function has no keys. Multiply first, then add.",
        )
    return isinstance(value, Stream)


def add(a: Any, b: Any) -> Any:
    """a plus b: numbers, tuples by component, streams by key."""
    if isinstance(a, Stream) and isinstance(b, Stream):
        return Union(*streams("add", a, b))
    if isinstance(a, Stream | Implicit) or isinstance(b, Stream | Implicit):
        raise BranchesDiffer(
            f"cannot add {type(a).__name__} and {type(b).__name__}",
            "Only streams can be added to a stream. To add a number at each key: `.map(lambda k, v: v + number)`.",
        )
    return plus(a, b)


@verb
def __add__(self: Stream, other: Any) -> Any:
    return add(self, other)


@verb
def __radd__(self: Stream, other: Any) -> Any:
    # sum([a, b, c]) starts from 0.
    return self if type(other) is int and other == 0 else add(other, self)


@verb
def __neg__(self: Stream) -> Any:
    return multiply(-1, self)


@verb
def __sub__(self: Stream, other: Any) -> Any:
    return add(self, multiply(-1, other))
