"""From a planned product to streams: one level a loop, in the order of the axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

from ..algebra import Semiring
from ..combinators import Slice, Unordered
from ..combinators.beside import Beside
from ..combinators.guarded import Guarded
from ..combinators.product import Product
from ..errors import UnsupportedValue
from ..notation import Axis, Condition
from ..notation.axes import COMPARE
from ..stream import Stream, fold
from ..words import Parameter, maximum, minimum, parameter, plus, reading, select
from .prepare import Prepared, Walk
from .term import times

Held = dict[int, Any]  # by number of the walk: the stream at its next axis, or its value behind the last


@dataclass
class Loops:
    """A product as nested loops. `loop(0, …)` is all of it."""

    term: Prepared
    order: tuple[Any, ...]
    head: tuple[Any, ...]
    semiring: Semiring

    def __post_init__(self) -> None:
        self.walks = [*self.term.walks, *self.term.absents, *self.term.optionals]
        self.absent = range(len(self.term.walks), len(self.term.walks) + len(self.term.absents))
        self.optional = range(self.absent.stop, len(self.walks))
        self.along = [tuple(a for a in self.order if any(a is b for b in w.axes)) for w in self.walks]

    def stream(self, bounds: tuple[Any, Any] = (None, None)) -> Any:
        """What comes of it: a stream keyed by the head, or without one (found, value).

        `bounds` hold the outermost axis to a range of keys.
        """
        start = {n: self.sorted(walk).stream() for n, walk in enumerate(self.walks)}
        if bounds != (None, None):
            n = self.first()
            lo, hi = (b if b is None else Parameter(b, name) for b, name in zip(bounds, ("lo", "hi"), strict=True))
            start[n] = Slice(start[n], lo, hi)
        return self.loop(0, start, ())

    def described(self) -> list[str]:
        """How each table is walked, in words."""
        along = [", ".join(axis.name for axis in axes) for axes in self.along]
        return [f"  {w.source!r}: {w.table.size:,} rows, by {by}" for w, by in zip(self.walks, along, strict=True)]

    def first(self) -> int:
        """A walk along the outermost axis."""
        return next(n for n, _ in enumerate(self.term.walks) if self.along[n][0] is self.order[0])

    def outermost(self) -> Any:
        """Its table, sorted along the order."""
        return self.sorted(self.walks[self.first()])

    def sorted(self, walk: Walk) -> Any:
        """The table of a walk, sorted along the order."""
        n = self.walks.index(walk)
        places = [next(m for m, a in enumerate(walk.axes) if a is axis) for axis in self.along[n]]
        return walk.table.trie(places)

    def loop(self, k: int, held: Held, keys: tuple[Any, ...]) -> Any:
        if k == len(self.order):
            return self.row(held, keys)
        axis = self.order[k]
        active = [n for n, along in enumerate(self.along) if any(axis is a for a in along)]
        walked = [n for n in active if n < len(self.term.walks)]
        stream: Stream = Product(tuple(held[n] for n in walked), lambda *values: values)
        if len(walked) == 1:
            stream = held[walked[0]].map(lambda key, value: (value,))
        for condition in self.term.conditions:
            stream = self.held_to(stream, condition, k, keys)
        asked: list[int] = []
        for n in active:
            if n in self.absent and self.along[n][-1] is axis:
                stream = stream.without(held[n])
            elif n not in walked:
                stream = Beside(stream, held[n])
                asked.append(n)

        def body(key: Any, value: Any) -> Any:
            inner = dict(held)
            for n in reversed(asked):
                value, present, other = value
                inner[n] = Guarded(other, present) if self.along[n][-1] is not axis else (present, other)
            inner.update(zip(walked, value, strict=True))
            return self.loop(k + 1, inner, (*keys, key))

        if any(axis is h for h in self.head):
            below = stream.map(body)
            if any(a is h for a in self.order[k + 1 :] for h in self.head):
                return below
            return below.filter(lambda key, pair: pair[0]).map(lambda key, pair: pair[1])
        if any(a is h for a in self.order[k + 1 :] for h in self.head):
            return Unordered(stream.map(body), lambda key: 0)  # the level is dropped when all is there
        return self.folded(stream, body)

    def folded(self, stream: Stream, body: Callable[[Any, Any], Any]) -> Any:
        """(whether there was anything, its sum) along an axis."""
        semiring = self.semiring

        def step(acc: Any, key: Any, value: Any) -> Any:
            found, new = body(key, value)
            return acc[0] | found, semiring.plus(acc[1], new)

        def step_from_nothing(acc: Any, key: Any, value: Any) -> Any:
            found, new = body(key, value)
            more = select(
                found, lambda: select(acc[0], lambda: semiring.plus(acc[1], new), lambda: new), lambda: acc[1]
            )
            return acc[0] | found, more

        done = None if semiring.enough is None else (lambda acc: acc[0])
        if self.from_nothing:
            return fold(step_from_nothing, stream, (False, reading().undefined()), done)
        return fold(step, stream, (False, semiring.zero), done)

    @property
    def from_nothing(self) -> bool:
        """Whether a sum begins with its first value, and not with zero.

        Where the neutral element is infinite, integers would become floats by it; and none fits all tuples. The plus of
        a user's semiring is never asked about a value that is not there.
        """
        infinite = self.semiring.zero in (math.inf, -math.inf)
        tuples = any(walk.table.make for walk in self.walks)
        return self.semiring.plus in (plus, minimum, maximum) and (infinite or tuples)

    def row(self, held: Held, keys: tuple[Any, ...]) -> Any:
        """(whether there is a row, its value), behind the innermost loop."""
        by_source = {id(walk.source): n for n, walk in enumerate(self.walks) if n not in self.absent}

        def at(source: Any) -> Any:
            if isinstance(source, Axis):
                return self.key(source, keys)
            if id(source) in self.term.constants:
                return self.term.constants[id(source)]
            n = by_source[id(source)]
            if n in self.optional:
                present, value = held[n]
                return select(present, lambda: value, lambda: number(source.otherwise))
            return held[n]

        def value() -> Any:
            numbers = [number(x) for x in self.term.numbers]
            return reduce(partial(times, self.semiring), numbers, self.term.value(at, self.semiring))

        if not self.term.tests:
            return True, value()
        found: Any = True
        for test in self.term.tests:  # each only where those before it said yes
            found = select(found, partial(test, at, self.semiring), lambda: False)
        if self.from_nothing or all(any(axis is h for h in self.head) for axis in self.order):
            return found, reading().optional(found, value)
        return found, select(found, value, lambda: self.semiring.zero)

    def key(self, axis: Any, keys: tuple[Any, ...]) -> Any:
        """The key of an axis, for a function of the user's."""
        kind = self.term.domains[id(axis)].kind
        if kind in ("str", "date", "timestamp"):
            raise UnsupportedValue(
                f"a function of axis {axis!r} would see numbers for its {'strings' if kind == 'str' else 'dates'}",
                f"Give a function of the value alone; keys are asked by {axis!r}.where(p) and {axis!r}.map(f).",
            )
        at = keys[next(n for n, a in enumerate(self.order) if a is axis)]
        return at != 0 if kind == "bool" else at

    def held_to(self, stream: Stream, condition: Condition, k: int, keys: tuple[Any, ...]) -> Stream:
        """A stream along axis k, restricted by a condition on that axis and those outside of it."""
        axis, op, bound = self.order[k], condition.op, condition.right
        outside = {id(a): key for a, key in zip(self.order, keys, strict=False)}
        if condition.left is axis:
            if isinstance(bound, Axis):
                if id(bound) not in outside:
                    return stream
                bound = outside[id(bound)]
        elif isinstance(bound, Axis) and bound is axis and id(condition.left) in outside:
            op = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(op, op)
            bound = outside[id(condition.left)]
        else:
            return stream
        return compared(stream, op, bound, self.term.domains[id(axis)].kind == "float")


def number(x: Any) -> Any:
    """A number as a parameter of the code, which serves others too: many are sums of what happens to be there."""
    small = type(x) is float or (type(x) is int and x != 1 and -(2**63) <= x < 2**63)
    return parameter(Parameter(x, "number")) if small else x


def compared(stream: Stream, op: str, bound: Any, floats: bool) -> Stream:
    """The keys of a stream that compare so with a bound; by seeking, where that is possible."""
    if not floats and isinstance(bound, float) and not bound.is_integer():  # a key that no table holds
        if op == "==":
            return stream.filter(lambda key, value: False)
        return stream if op == "!=" else stream[: bound + 0.5] if op in ("<", "<=") else stream[bound + 0.5 :]
    behind = bound if floats else bound + 1
    if isinstance(bound, int | float):  # and not the key of a loop outside
        if not floats and bound >= 2**63 - 1 and op in ("<=", ">", "=="):  # there is no key behind it
            return stream if op == "<=" else stream[bound:] if op == "==" else stream.filter(lambda key, value: False)
        bound, behind = (Parameter(x if floats else int(x), "bound") for x in (bound, behind))
    if op == "!=":
        return stream.filter(lambda key, value: key != parameter(bound))
    if op == "<":
        return stream[:bound]
    if op == ">=":
        return stream[bound:]
    if floats:
        return stream.filter(lambda key, value: COMPARE[op](key, parameter(bound)))
    if op == "<=":
        return stream[:behind]
    return stream[behind:] if op == ">" else stream[bound:behind]
