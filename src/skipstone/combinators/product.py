"""Products: what two or more streams have in common, by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from ..errors import NotACollection
from ..stream import Stream, verb
from ..words import apply, maximum, minimum, times
from .arguments import a_function, number, streams
from .implicit import ByKey, Implicit


class Product(Stream):
    """The keys that all the streams hold, with their values combined.

    >>> from skipstone.combinators import Span
    >>> dict(Product((Span(0, 5), Span(3, 9)), lambda x, y: x * y))
    {3: 9, 4: 16}

    Products of products are flattened, so that three factors meet as equals: each is sought to the largest index of
    all, and no nesting order changes the number of steps. Cost: at most the shortest factor's length, times a seek.
    """

    factors: tuple[Stream, ...]
    combine: Callable[..., Any]

    def start(self) -> Any:
        return tuple(s.start() for s in self.factors)

    def valid(self, q: Any) -> Any:
        return reduce(lambda a, b: a & b, (s.valid(p) for s, p in zip(self.factors, q, strict=True)))

    def ready(self, q: Any) -> Any:
        # The smallest index equal to the largest: one comparison. A chain of equalities would be split into
        # branches by LLVM, and mispredicted: 1.28 times slower on three vectors of density 1/2.
        indices = [s.index(p) for s, p in zip(self.factors, q, strict=True)]
        if len(indices) == 2:
            agree = indices[0] == indices[1]
        else:
            agree = reduce(minimum, indices) == reduce(maximum, indices)
        return reduce(lambda a, b: a & b, (s.ready(p) for s, p in zip(self.factors, q, strict=True))) & agree

    def index(self, q: Any) -> Any:
        return reduce(maximum, (s.index(p) for s, p in zip(self.factors, q, strict=True)))

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return tuple(s.seek(p, key, strict) for s, p in zip(self.factors, q, strict=True))

    def next(self, q: Any) -> Any:
        # Ready: all of them are, at the same key.
        return tuple(s.next(p) for s, p in zip(self.factors, q, strict=True))

    def value(self, q: Any) -> Any:
        return self.combine(*(s.value(p) for s, p in zip(self.factors, q, strict=True)))

    def key_kind(self) -> str | None:
        return next((kind for s in self.factors if (kind := s.key_kind()) is not None), None)


def multiply(a: Any, b: Any) -> Any:
    """a times b, whatever they are: numbers, tuples by component, streams by key, functions at each key.

    Products reach through nesting: the product of two streams of streams is the stream of the inner products.
    """
    for asked in (ByKey, Implicit):  # what is asked by key, instead of being stepped
        if isinstance(a, asked) or isinstance(b, asked):
            return a.times(b, multiply) if isinstance(a, asked) else b.times_left(a, multiply)
    if isinstance(a, Stream) and isinstance(b, Stream):
        factors = met((*factors_of(a), *factors_of(b)))
        return factors[0] if len(factors) == 1 else product(multiply_all, factors)
    if isinstance(a, Stream):
        factor = a_factor(b)
        return a.map(lambda key, value: multiply(value, factor))
    if isinstance(b, Stream):
        factor = a_factor(a)
        return b.map(lambda key, value: multiply(factor, value))
    return times(a, b)


def a_factor(x: Any) -> Any:
    """Something that every value of a stream can be multiplied with."""
    x = number(x)
    if isinstance(x, str | list | set | Mapping) or x is None or hasattr(x, "__array__"):
        raise NotACollection(
            f"cannot multiply a stream with {type(x).__name__}", "Make it a stream first: `sk.stream(…)`."
        )
    return x


def multiply_all(*values: Any) -> Any:
    """The product of several values, from left to right."""
    return reduce(multiply, values)


def factors_of(stream: Stream) -> tuple[Stream, ...]:
    return stream.factors if isinstance(stream, Product) and stream.combine is multiply_all else (stream,)


def met(factors: tuple[Stream, ...]) -> tuple[Stream, ...]:
    """The factors, those that can meet more cheaply than by stepping replaced by their meeting: see Stream.meet."""
    found: list[Stream] = []
    for factor in factors:
        for n, other in enumerate(found):
            if (meeting := other.meet(factor)) is not None:
                found[n] = meeting
                break
        else:
            found.append(factor)
    return tuple(found)


def product(combine: Callable[..., Any], factors: tuple[Stream, ...], verb: str = "multiply") -> Stream:
    """A Product, after a look at whether its factors can meet at all; if not, the error says what was being done."""
    found = streams(verb, *factors)
    return Product(tuple(factor.among(found) for factor in found), combine)


def zip_with(f: Callable[..., Any], *given: Any) -> Stream:
    """The keys that all the streams hold, with f of their values.

    >>> import skipstone as sk
    >>> sk.zip_with(lambda x, y: x - y, sk.stream({1: 10, 2: 20}), sk.stream({2: 5, 3: 6})).collect()
    {2: 15}
    """
    a_function(f, "zip_with", *(f"value_{n}" for n, _ in enumerate(given)))
    return product(lambda *values: apply(f, *values), given, "zip")


@verb
def __mul__(self: Stream, other: Any) -> Any:
    return multiply(self, other)


@verb
def __rmul__(self: Stream, other: Any) -> Any:
    return multiply(other, self)
