"""The consumers: sum, fold, any, all, first, get, min, max, count. Each is the one fold with another function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..algebra import GREATEST, LEAST, Monoid
from ..errors import BadOption, UnsupportedValue
from ..stream import Stream, fold, run, verb
from ..structure import leaves, rebuild
from ..words import PLAIN, apply, is_being_read, no, plus, read_by, reading, select
from .arguments import a_function, a_key, number
from .implicit import ByKey
from .product import product
from .span import Singleton


def total(value: Any) -> Any:
    """The sum of all numbers in a value, through every level of nesting."""
    if not isinstance(value, Stream):
        return value
    return fold(lambda acc, key, inner: plus(acc, total(inner)), value, 0)


@verb
def sum(self: Stream) -> Any:
    """The sum of all values, through every level of nesting; 0 where there are none.

    >>> import skipstone as sk
    >>> (sk.stream({1: 2.0, 5: 3.0}) * sk.stream({5: 10.0, 6: 1.0})).sum()
    30.0
    """
    return run(lambda: total(self))


def _fold(self: Stream, f: Callable[[Any, Any, Any], Any], start: Any) -> Any:
    """f(… f(f(start, k₀, v₀), k₁, v₁) …), in increasing order of keys.

    >>> import skipstone as sk
    >>> sk.stream({1: 5, 2: 7}).fold(lambda acc, key, value: 10 * acc + value, 0)
    57
    """
    a_function(f, "fold", "acc", "key", "value")
    start = rebuild(start, iter([number(x) for x in leaves(start)]))
    return run(lambda: fold(lambda acc, key, value: apply(f, acc, key, value), self, start))


Stream.fold = _fold  # type: ignore[method-assign]


@verb
def count(self: Stream) -> Any:
    """How many pairs the stream delivers, innermost ones where it is nested.

    >>> import skipstone as sk
    >>> (sk.range(0, 10) * sk.range(7, 20)).count()
    3
    """

    def pairs(value: Any) -> Any:
        if not isinstance(value, Stream):
            return 1
        return fold(lambda acc, key, inner: plus(acc, pairs(inner)), value, 0)

    return run(lambda: pairs(self))


def holds(value: Any) -> Any:
    """Whether a value is true, or a stream that delivers a true value."""
    if not isinstance(value, Stream):
        return value != 0
    return fold(lambda acc, key, inner: acc | holds(inner), value, False, done=lambda acc: acc)


@verb
def any(self: Stream) -> Any:
    """Whether some value is not zero; stops at the first.

    >>> import skipstone as sk
    >>> (sk.stream({1, 2}) * sk.stream({2, 3})).any()
    True
    """
    return run(lambda: holds(self))


@verb
def all(self: Stream) -> Any:
    """Whether no value is zero; stops at the first that is.

    >>> import skipstone as sk
    >>> sk.range(1, 5).all(), sk.range(0, 5).all()
    (True, False)
    """

    def every(value: Any) -> Any:
        if not isinstance(value, Stream):
            return value != 0
        return fold(lambda acc, key, inner: acc & every(inner), value, True, done=no)

    return run(lambda: every(self))


def or_default(name: str, consume: Callable[[], Any], default: Any) -> Any:
    """The value of a (found, value) pair, or the default. Inside a function that must be a value of the same shape."""
    if not is_being_read():
        return run(consume, lambda result: result[1] if result[0] else default)
    if default is None:
        raise BadOption(
            f"inside a function `{name}` needs to know what to say when there is nothing",
            f"Give it a default: `.{name}(…, default=0)`.",
        )
    found, value = consume()
    return select(found, lambda: value, lambda: default)


def first_pair(stream: Stream) -> Any:
    """(found, (key, value)) for the first pair; the pair is undefined where there is none."""

    def visit(acc: Any, key: Any, value: Any) -> Any:
        if isinstance(value, Stream) and reading() is not PLAIN:
            raise UnsupportedValue(
                "the first value of this stream is a stream itself, which cannot leave a kernel",
                "Iterate instead: `next(iter(stream))`, or consume it: `.map(lambda k, row: row.sum()).first()`.",
            )
        return True, (key, value)

    return fold(visit, stream, (False, reading().undefined()), done=lambda acc: acc[0])


@verb
def first(self: Stream, default: Any = None) -> Any:
    """The pair with the smallest key, or `default`; stops as soon as it has it.

    >>> import skipstone as sk
    >>> (sk.stream({1: 2, 5: 3}) * sk.stream({5: 4, 6: 1})).first()
    (5, 12)
    """
    return or_default("first", lambda: first_pair(self), default)


@verb
def get(self: Stream, key: Any, default: Any = None) -> Any:
    """The value at one key, or `default`. Costs one seek.

    >>> import skipstone as sk
    >>> sk.stream({1: 2, 5: 3}).map(lambda k, v: v * 100).get(5)
    300
    """

    key = a_key(key)
    if is_being_read():
        return or_default("get", lambda: value_at(self, key), default)
    with read_by(PLAIN):  # a few steps: not worth a kernel
        found, value = value_at(self, key)
    return value if found else default


def value_at(stream: Stream, key: Any) -> Any:
    """(found, value) at one key: the product with that key alone."""
    kind = stream.key_kind()
    if kind == "int" and isinstance(key, float):
        if not key.is_integer():
            return False, reading().undefined()
        key = int(key)
    elif kind == "float" and type(key) is int:
        key = float(key)
    if isinstance(stream, ByKey):
        return stream.value_at(key)
    at_key = product(lambda value, one: value, (stream, Singleton(key, 1)), "look a key up in")
    found, pair = first_pair(at_key)
    return found, pair[1] if isinstance(pair, tuple) else pair  # undefined where the stream is empty


@verb
def __contains__(self: Stream, key: Any) -> Any:
    return value_at(self, a_key(key))[0] if is_being_read() else self.get(key, default=_MISSING) is not _MISSING


_MISSING = object()


def best(stream: Stream, monoid: Monoid, enough: Callable[[Any], Any] | None) -> Any:
    """(found, value): the values combined by a monoid that has no neutral element of its own."""

    def visit(acc: Any, key: Any, value: Any) -> Any:
        if isinstance(value, Stream):
            return fold(visit, value, acc, done)
        return True, select(acc[0], lambda: monoid.combine(acc[1], value), lambda: value)

    def done(acc: Any) -> Any:
        return select(acc[0], lambda: enough(acc[1]), lambda: False) if enough else False

    return fold(visit, stream, (False, reading().undefined()), done if enough else None)


@verb
def min(self: Stream, default: Any = None, enough: Any = None) -> Any:
    """The smallest value, or `default` where there is none; stops once it is as small as `enough`.

    >>> import skipstone as sk
    >>> sk.stream({1: 5, 2: 3, 3: 8}).min()
    3
    """
    stop = None if enough is None else (lambda value: value <= enough)
    return or_default("min", lambda: best(self, LEAST, stop), default)


@verb
def max(self: Stream, default: Any = None, enough: Any = None) -> Any:
    """The largest value, or `default` where there is none; stops once it is as large as `enough`.

    >>> import skipstone as sk
    >>> sk.stream({}).max(), sk.range(0, 10).max()
    (None, 9)
    """
    stop = None if enough is None else (lambda value: value >= enough)
    return or_default("max", lambda: best(self, GREATEST, stop), default)
