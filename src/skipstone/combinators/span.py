"""Keys that need no storage: ranges of integers, and one key alone."""

from __future__ import annotations

from typing import Any

from ..stream import Stream
from ..words import Parameter, is_being_read, landing, parameter, passed, select
from .arguments import a_key, a_value, an_integer, kind_of_key

LIMIT = 2**62 - 1  # so that q + 1 stays within int64, whatever q is


class Span(Stream):
    """The keys lo, lo + 1, …, hi - 1, each its own value.

    >>> dict(Span(2, 5))
    {2: 2, 3: 3, 4: 4}

    Seeking is O(1), so a span never slows what it is multiplied with.
    """

    lo: Any
    hi: Any

    def start(self) -> Any:
        return self.lo

    def valid(self, q: Any) -> Any:
        return q < self.hi

    def ready(self, q: Any) -> Any:
        return True

    def index(self, q: Any) -> Any:
        return q

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        # Never backwards: a caller may name a key that was passed long ago. And never beyond the end: key + 1
        # would leave int64 at its largest key.
        return landing(q, key, self.hi, strict)

    def next(self, q: Any) -> Any:
        return q + 1

    def value(self, q: Any) -> Any:
        return q

    def key_kind(self) -> str | None:
        return "int"


class Singleton(Stream):
    """One key with its value.

    >>> dict(Singleton(7, "seven"))
    {7: 'seven'}
    """

    key: Any
    held: Any

    def start(self) -> Any:
        return 0

    def valid(self, q: Any) -> Any:
        return q < 1

    def ready(self, q: Any) -> Any:
        return True

    def index(self, q: Any) -> Any:
        return self.key

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return select(passed(self.key, key, strict), lambda: 1, lambda: q)

    def next(self, q: Any) -> Any:
        return 1

    def value(self, q: Any) -> Any:
        return self.held

    def key_kind(self) -> str | None:
        return kind_of_key(self.key)


class Empty(Stream):
    """No keys at all, and none of any particular type or depth: what an empty dict is.

    >>> dict(Empty())
    {}
    """

    def start(self) -> Any:
        return 0

    def valid(self, q: Any) -> Any:
        return False

    def ready(self, q: Any) -> Any:
        return False

    def index(self, q: Any) -> Any:
        return 0

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return q

    def value(self, q: Any) -> Any:
        return 0


class Bounds(Span):
    """A span whose ends are run-time parameters: ranges of other lengths share one kernel."""

    def start(self) -> Any:
        return parameter(self.lo)

    def valid(self, q: Any) -> Any:
        return q < parameter(self.hi)

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return landing(q, key, parameter(self.hi), strict)


def range(start: Any, stop: Any = None) -> Stream:
    """The integers from start up to, but not including, stop; each key is its own value. `range(n)` starts at 0.

    >>> import skipstone as sk
    >>> sk.range(2, 5).sum()
    9
    """
    lo, hi = (0, start) if stop is None else (start, stop)
    lo, hi = an_integer(lo, "a range", LIMIT), an_integer(hi, "a range", LIMIT)
    if is_being_read():  # inside a function: its numbers are constants, or captured, as all others there
        return Span(lo, hi)
    return Bounds(Parameter(lo, "lo") if lo else 0, Parameter(hi, "hi"))


def singleton(key: Any, value: Any = 1) -> Stream:
    """One key with its value.

    >>> import skipstone as sk
    >>> (sk.singleton(3, 10.0) + sk.singleton(1, 5.0)).collect()
    {1: 5.0, 3: 10.0}
    """
    return Singleton(a_key(key), a_value(value))
