"""Levels: how nested data lies in arrays, and the streams that walk it.

A level maps a *position* of the level above to a run of keys, and each of its own keys to a position again. What
stands at a position below the last level is a *leaf*: the value. A vector is one level, a matrix two; CSR is a dense
level over a compressed one, DCSR two compressed ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..combinators.product import multiply_all
from ..stream import Stream
from ..words import Kernel, Parameter, is_being_read, landing, length, parameter
from .choosing import BY_DATA, CLOSE, chosen, is_short
from .column import Column
from .seeking import SEEKS


class SortedRun(Stream):
    """The keys column[lo:hi], which increase; key number p leads to `inner.at(p)`. `hi` None is the column's end.

    Seeking is whatever `how` does: see seeking.py.
    """

    column: Any
    lo: Any
    hi: Any
    inner: Any
    how: Kernel

    def start(self) -> Any:
        return self.lo

    def valid(self, q: Any) -> Any:
        return q < self.end()

    def ready(self, q: Any) -> Any:
        return True

    def index(self, q: Any) -> Any:
        return self.column[q]

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return self.how(self.column, q, self.end(), key, strict)

    def next(self, q: Any) -> Any:
        return q + 1

    def value(self, q: Any) -> Any:
        return self.inner.at(q)

    def key_kind(self) -> str | None:
        return getattr(self.column, "kind", None)

    def among(self, factors: tuple[Stream, ...]) -> Stream:
        if (self.how is BY_DATA and is_short(self.column)) or self.how not in (BY_DATA, CLOSE) or is_being_read():
            return self
        runs = [f for f in factors if isinstance(f, SortedRun) and f.hi is None and isinstance(f.column, Column)]
        others = [f.column for f in runs if f is not self]
        how = chosen(self.column, others) if others and len(runs) == len(factors) else BY_DATA
        return self if how is self.how else replace(self, how=how)

    def end(self) -> Any:
        return length(self.column) if self.hi is None else self.hi


class DenseRun(Stream):
    """The keys 0, 1, …, size - 1, all of them; key k leads to `inner.at(base + k)`. Seeking is O(1)."""

    base: Any
    size: Any
    inner: Any

    def start(self) -> Any:
        return 0

    def valid(self, q: Any) -> Any:
        return q < parameter(self.size)

    def ready(self, q: Any) -> Any:
        return True

    def index(self, q: Any) -> Any:
        return q

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return landing(q, key, parameter(self.size), strict)

    def next(self, q: Any) -> Any:
        return q + 1

    def value(self, q: Any) -> Any:
        return self.inner.at(self.base + q)

    def key_kind(self) -> str | None:
        return "int"

    def meet(self, other: Stream) -> Stream | None:
        # One position for both: three arrays of a million floats are multiplied in 0.9 of the time.
        if not isinstance(other, DenseRun) or not all(isinstance(run.size, Parameter) for run in (self, other)):
            return None
        shorter = self if self.size.value <= other.size.value else other
        return DenseRun(0, shorter.size, Together((self, other)))


@dataclass(frozen=True, eq=False)
class Together:
    """What dense runs have at the same key, multiplied."""

    runs: tuple[DenseRun, ...]

    def at(self, p: Any) -> Any:
        return multiply_all(*(run.value(p) for run in self.runs))


@dataclass(frozen=True, eq=False)
class Leaf:
    """Values: one column, several (the value is then a tuple of `make`), or none (every value is 1)."""

    columns: tuple[Any, ...]
    make: Callable[..., Any] | None = None

    def __repr__(self) -> str:
        return ", ".join(map(repr, self.columns)) or "1"

    def at(self, p: Any) -> Any:
        if not self.columns:
            return 1
        if self.make is None:
            return self.columns[0][p]
        return self.make(*(column[p] for column in self.columns))


@dataclass(frozen=True, eq=False)
class Compressed:
    """A level that stores the keys it has. Those of position p are keys[starts[p]:starts[p + 1]]."""

    keys: Any
    starts: Any
    inner: Any
    how: Kernel = SEEKS["adaptive"]

    def at(self, p: Any) -> Stream:
        if self.starts is None:  # the outermost level has one run: all of it
            return SortedRun(self.keys, 0, None, self.inner, self.how)
        return SortedRun(self.keys, self.starts[p], self.starts[p + 1], self.inner, self.how)


@dataclass(frozen=True, eq=False)
class Spread:
    """A dense level: every key below `size` is there, and leads to position p * size + key."""

    size: Parameter
    inner: Any

    def at(self, p: Any) -> Stream:
        outermost = type(p) is int and p == 0
        return DenseRun(0 if outermost else p * parameter(self.size), self.size, self.inner)


@dataclass(frozen=True, eq=False)
class Placed:
    """An outermost level that lists its keys, and has a place for every key below `size` besides: it is walked along
    the ones, and asked at the others."""

    keys: Any
    size: Parameter
    inner: Any
    how: Kernel = SEEKS["adaptive"]

    def at(self, p: Any) -> Stream:
        return SortedRun(self.keys, 0, None, AtPlaces(self.keys, self.inner), self.how)

    def places(self) -> DenseRun:
        """What is asked: at most places nothing may lie."""
        return DenseRun(0, self.size, self.inner)


@dataclass(frozen=True, eq=False)
class AtPlaces:
    """What lies at the places of some keys, by their number."""

    keys: Any
    inner: Any

    def at(self, p: Any) -> Any:
        return self.inner.at(self.keys[p])


Level = Compressed | Spread | Placed


def columns_of(level: Any) -> list[Column]:
    """Every column of a level and of those below it."""
    if isinstance(level, Leaf):
        return list(level.columns)
    if isinstance(level, Spread):
        return columns_of(level.inner)
    own = [level.keys] if isinstance(level, Placed) or level.starts is None else [level.starts, level.keys]
    return own + columns_of(level.inner)
