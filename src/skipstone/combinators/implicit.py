"""Implicit streams: a value for every key, and no keys of their own.

They have nothing to iterate over, so they are not streams; multiplied with a stream they become a map or a filter of
it, and cost nothing else. (An unbounded stream would keep the laws too, but a fold over it would never end.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import ImplicitStream
from ..stream import Stream
from ..words import apply
from .arguments import a_function, a_value


@dataclass(frozen=True, eq=False)
class Implicit:
    """What all implicit streams share: `at(key)`, and products."""

    __composite__: ClassVar[bool] = True
    __array_ufunc__: ClassVar[None] = None  # so that NumPy leaves `array * this` to us

    def at(self, key: Any) -> Any:
        raise NotImplementedError

    def times(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Any:
        """self × other."""
        if isinstance(other, Stream):
            return other.map(lambda key, value: multiply(self.at(key), value))
        if isinstance(other, Predicate):
            return other.times_left(self, multiply)
        if isinstance(other, Implicit):
            return Function(lambda key: multiply(self.at(key), other.at(key)))
        return Function(lambda key: multiply(self.at(key), other))

    def times_left(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Any:
        """other × self, for an other that is not implicit."""
        if isinstance(other, Stream):
            return other.map(lambda key, value: multiply(value, self.at(key)))
        return Function(lambda key: multiply(other, self.at(key)))

    def __mul__(self, other: Any) -> Any:
        from .product import multiply

        return multiply(self, other)

    def __rmul__(self, other: Any) -> Any:
        from .product import multiply

        return multiply(other, self)

    def __iter__(self) -> Iterator[Any]:
        raise self._has_no_keys()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise self._has_no_keys(f"`.{name}`")

    def _has_no_keys(self, what: str = "iteration") -> ImplicitStream:
        return ImplicitStream(
            f"{what} needs keys, and {type(self).__name__.lower()} has a value for every key but no keys of its own",
            "Multiply it with a stream that has keys: `sk.range(0, 10) * this`.",
        )


class ByKey:
    """What streams share that have keys of their own, but in products are asked by key: they say what that is."""

    def times(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Any:
        """self × other."""
        raise NotImplementedError

    def times_left(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Any:
        """other × self."""
        raise NotImplementedError

    def value_at(self, key: Any) -> Any:
        """(found, value) at one key."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Repeat(Implicit):
    """The same value at every key. A product with it costs nothing.

    >>> import skipstone as sk
    >>> (sk.stream({1: 2.0, 5: 3.0}) * sk.repeat(10)).collect()
    {1: 20.0, 5: 30.0}
    """

    constant: Any

    def at(self, key: Any) -> Any:
        return self.constant


@dataclass(frozen=True, eq=False)
class Function(Implicit):
    """f(key) at every key.

    >>> import skipstone as sk
    >>> (sk.range(1, 4) * sk.function(lambda k: k + 0.5)).collect()
    {1: 1.5, 2: 5.0, 3: 10.5}
    """

    f: Callable[[Any], Any]

    def at(self, key: Any) -> Any:
        return apply(self.f, key)


@dataclass(frozen=True, eq=False)
class Predicate(Implicit):
    """1 at the keys that p accepts, nothing at the others: multiplied with a stream, a filter on its keys.

    >>> import skipstone as sk
    >>> (sk.range(0, 7) * sk.predicate(lambda k: k % 2 == 1)).collect()
    {1: 1, 3: 3, 5: 5}
    """

    p: Callable[[Any], Any]
    held: Any = 1  # what is there at the keys that p accepts

    def times(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, Stream):
            return multiply(self.held, other.filter(lambda key, value: self.p(key)))
        if isinstance(other, Predicate):
            return Predicate(lambda key: self.p(key) and other.p(key), multiply(self.held, other.held))
        return Predicate(self.p, multiply(self.held, other))

    def times_left(self, other: Any, multiply: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, Stream):
            return multiply(other.filter(lambda key, value: self.p(key)), self.held)
        return Predicate(self.p, multiply(other, self.held))


def repeat(value: Any) -> Repeat:
    """The same value at every key; see Repeat."""
    return Repeat(a_value(value))


def function(f: Callable[[Any], Any]) -> Function:
    """f(key) at every key; see Function."""
    return Function(a_function(f, "function", "key"))


def predicate(p: Callable[[Any], Any]) -> Predicate:
    """The keys that p accepts; see Predicate."""
    return Predicate(a_function(p, "predicate", "key"))
