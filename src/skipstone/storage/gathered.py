"""Gathered: what a fold collects, on its way into a structure. Arrays that grow, a level below a level.

    gather = fold(update) ∘ map(gather)

is the one rule, for every nesting; see collect.py for what becomes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..combinators.through import Through
from ..errors import UnsupportedValue
from ..stream import Stream, fold
from ..structure import leaves, rebuild, shape
from ..words import Buffer, Parameter, minimum, parameter, plus, reading, select
from .build import Rows, nest
from .collection import Trie
from .column import Array, Column, refuse_nan, wide
from .levels import Compressed, Leaf


class Gathered:
    """A level being collected: its keys as they come, and beneath them either values or a further level.

    Keys of an ordered stream come in increasing order, each once, so an update only ever appends. Those of an unordered
    one come as they come. If there are `places` for them, the level remembers where each key of a run lies, and an
    update of one that is there is added to it; otherwise they are sorted, and equal ones added, when all are there.
    """

    def __init__(self, ordered: bool, through: Through | None = None, depth: int = 0) -> None:
        self.ordered, self.depth = ordered, depth
        self.places: Parameter | None = None if through is None else through.places
        self.plus = plus if through is None else through.plus
        self.full = through is not None and through.full
        self.buffers: dict[str, Buffer] = {}
        self.below: Gathered | None = None
        self.before: Any = 0
        self.leaf: Any = None  # the shape of a value; its leaves are numbered like the value buffers
        self.becomes: Callable[[Trie], Any] = lambda trie: trie  # what is asked for

    def __repr__(self) -> str:
        return "a collection that is still being made; return the stream itself, or `.memo()`"

    def inner(self, ordered: bool, through: Through | None = None) -> Gathered:
        """The level below, common to all keys of this one."""
        if self.below is None:
            self.below = type(self)(ordered, through, self.depth + 1)
        return self.below

    def update(self, key: Any, modify: Callable[[Any], Any]) -> Gathered:
        """Let `modify` make the value at `key`. The level grows by one entry."""

        def perform() -> None:
            if self.places is not None:
                self.scatter(key, modify(None), self.places)
                return
            self.buffer("keys", key).append(key)
            value = modify(None)
            if isinstance(value, Gathered):
                starts = value.buffer("starts", 0, zeros=1)
                starts.append(value.buffer("keys", None).count)
                return
            if self.leaf is not None and shape(self.leaf) != shape(value):
                raise UnsupportedValue(
                    f"values of different shapes: {self.leaf!r:.60} and {value!r:.60}",
                    "Give every key a value of the same shape.",
                )
            self.leaf = value
            for n, part in enumerate(leaves(value)):
                self.buffer(f"values_{n}", part).append(part)

        reading().effect(perform)
        return self

    def begin(self) -> None:
        """A run begins, of keys that come in no order: remember how many there were before it."""
        self.before = self.buffer("keys", 0).count if self.depth and (self.full or self.places is not None) else 0

    def pour(self, stream: Stream) -> Gathered:
        """Take in a stream that has the same keys as every other of its run: the first is appended, others are added
        to it, entry by entry, and no key is looked for. That is a loop without branches."""

        def first() -> tuple[()]:
            fold(lambda _, key, value: self.append(key, value), stream, ())
            return ()

        def again() -> tuple[()]:
            fold(lambda _, key, value: self.add(self.before + key, value), stream, ())
            return ()

        reading().effect(lambda: select(self.buffer("keys", 0).count == self.before, first, again))
        return self

    def scatter(self, key: Any, value: Any, places: Parameter) -> None:
        """Add a value at a key that may have come already, in this run or in one before it.

        A mark is the number, from 1 on, of the entry that a key was last given. Those of earlier runs are smaller than
        any of this one, and need not be taken back.
        """
        marks = reading().scratch(self, "marks", 0, places)
        entry = marks[key]

        def append() -> tuple[()]:
            self.append(key, value)
            entries = self.buffer("keys", key).count
            # A single run has at most an entry for each place.
            marks.put(key, entries if self.depth else minimum(entries, parameter(places)))
            return ()

        select(entry > self.before, lambda: self.add(entry - 1, value), append)

    def append(self, key: Any, value: Any) -> tuple[()]:
        """A new entry, of a level whose values are added up."""

        def perform() -> None:
            self.buffer("keys", key).append(key)
            for buffer, part in zip(self.sums(value), leaves(value), strict=True):
                buffer.append(part)

        reading().effect(perform)
        return ()

    def add(self, entry: Any, value: Any) -> tuple[()]:
        """More at an entry that is there."""

        def perform() -> None:
            held = self.sums(value)
            old = rebuild(value, iter([buffer[entry] for buffer in held]))
            for buffer, new in zip(held, leaves(self.plus(old, value)), strict=True):
                buffer.put(entry, new)

        reading().effect(perform)
        return ()

    def sums(self, value: Any) -> list[Any]:
        """The buffers in which values like this one are added up."""
        self.leaf = value
        return [self.buffer(f"values_{n}", of_its_kind(x, self.plus)) for n, x in enumerate(leaves(value))]

    def buffer(self, role: str, like: Any, zeros: int = 0) -> Any:
        name = role if (role != "keys" and role != "starts") or not self.depth else f"{role}_{self.depth}"
        return reading().buffer(self, role, name, like, zeros)

    def roles(self) -> list[str]:
        """The names of this level's buffers, the same in every reading."""
        own = ["keys"] if self.depth == 0 else ["starts", "keys"]
        values = [] if self.below else [f"values_{n}" for n, _ in enumerate(leaves(self.leaf))]
        return own + values

    def levels(self) -> Iterator[Gathered]:
        level: Gathered | None = self
        while level is not None:
            yield level
            level = level.below

    def made(self, arrays: Callable[[Gathered, str], Array]) -> Any:
        """The collected structure, once `arrays` can say what the buffers hold."""
        rows, make = self.rows(arrays)
        owner = object()
        level: Any = Leaf(tuple(Column(a, f"values_{n}", owner) for n, a in enumerate(rows.leaves)), make)
        for n, (keys, begin) in reversed(list(enumerate(zip(rows.keys, rows.starts, strict=True)))):
            runs = None if begin is None else Column(begin, f"starts_{n}", owner)
            level = Compressed(Column(wide(keys), f"keys_{n}", owner), runs, level)
        return self.becomes(Trie(level))

    def rows(self, arrays: Callable[[Gathered, str], Array]) -> tuple[Rows, Any]:
        """What was gathered, in order, and what makes values of it."""
        found = list(self.levels())
        keys = [arrays(level, "keys") if self.is_done(level) else wide(arrays(level, "keys")) for level in found]
        for array in keys:
            refuse_nan(array)
        starts = [None if n == 0 else arrays(level, "starts") for n, level in enumerate(found)]
        bottom = found[-1]
        parts = [arrays(bottom, role) for role in bottom.roles() if role.startswith("values")]
        if len(keys) > 1:
            starts = [None, *(fit(s, k.size) for s, k in zip(starts[1:], keys, strict=False))]
        like = bottom.leaf
        make = (lambda *p: rebuild(like, iter(p))) if isinstance(like, tuple) else None
        return nest(Rows(keys, starts, parts), [not self.is_done(level) for level in found]), make

    def is_done(self, level: Gathered) -> bool:
        """Whether nothing is left to sort in a level."""
        return level.ordered


def of_its_kind(x: Any, plus: Callable[[Any, Any], Any]) -> Any:
    """Something of the kind that sums of values like x are: truth values may add up to numbers."""
    return plus(x, x) if isinstance(x, bool) or getattr(x, "kind", None) == "bool" else x


def fit(starts: Array | None, positions: int) -> Array:
    """The runs of a level, also where the plain reading never came to make any."""
    return starts if starts is not None and starts.size == positions + 1 else np.zeros(positions + 1, np.int64)


def gather(value: Any, old: Any, into: Callable[..., Gathered]) -> Any:
    """fold(update) ∘ map(gather): the value itself, or the stream gathered into `old` or else a fresh level."""
    if isinstance(value, Through):
        level = old
        if level is None:
            level = into(False, value)
            level.begin()
        return fold(lambda d, key, inner: gather(inner, d, into), value.stream, level)
    if not isinstance(value, Stream):
        return value if old is None else plus(old, value)
    level = into(value.ordered) if old is None else old
    if level.full:
        return level.pour(value)
    return fold(lambda d, key, inner: d.update(key, lambda old: gather(inner, old, d.inner)), value, level)
