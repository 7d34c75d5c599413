"""A workspace: what a loop keeps of a stream, to go through it, or to ask for its keys, again and again.

Keys and numbers are kept in growing arrays, and where they lie is marked in an array with a place for every key, so
that asking for one costs a single read. Filled anew, it takes back its old marks first: the cost is that of what it
holds, never of the array. A run of a table lies in an array already: it is marked, and not copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..combinators.through import Through
from ..stream import Stream, fold
from ..structure import leaves, rebuild
from ..words import Parameter, loop, no, plus, reading, select
from .gathered import of_its_kind
from .levels import SortedRun
from .seeking import SEEKS


@dataclass(frozen=True, eq=False)
class Positions:
    """A leaf whose value at a position is that position, counted from one on."""

    first: Any = 0

    def at(self, p: Any) -> Any:
        return p - self.first


class Marked:
    """Keys in a growing array, each with a mark in an array that has a place for every key, if there is one.

    The marks tell where a key lies, if it is `numbered`, and otherwise only that it is there.
    """

    keys: Any
    marks: Any
    numbered = False

    def __init__(self) -> None:
        self.buffers: dict[str, Any] = {}

    def kept(self) -> list[Any]:
        """The arrays that grow with the keys."""
        return [self.keys]

    def empty(self) -> None:
        """Forget everything."""

        def perform() -> None:
            if self.marks is not None:
                loop(lambda p, _: p < self.keys.count, lambda p, _: (self.unmark(p), ()), 0, ())
            for buffer in self.kept():
                buffer.clear()

        reading().effect(perform)

    def count(self) -> Any:
        """How many keys it holds."""
        return self.keys.count

    def run(self) -> Stream:
        """Its keys, in the order in which they came; the value is the number of each."""
        return SortedRun(self.keys, 0, self.keys.count, Positions(), SEEKS["adaptive"])

    def unmark(self, p: Any) -> Any:
        reading().effect(lambda: self.marks.put(self.keys[p], False))
        return p + 1

    def holds(self, key: Any) -> Any:
        """Whether a key is there."""
        return self.marks[key] != 0 if self.numbered else self.marks[key]

    def place(self, key: Any) -> Any:
        """The number of a key that is there."""
        return self.marks[key] - 1 if self.numbered else 0


class Borrowed(Marked):
    """The keys of one run at a time, where they lie; `size` as in a workspace.

    What was marked last is remembered by its ends alone.
    """

    def __init__(self, run: SortedRun, numbered: bool, size: Parameter | None) -> None:
        super().__init__()
        self.keys, self.lo, self.hi, self.numbered = run.column, run.lo, run.end(), numbered
        now = reading()
        self.ends = now.scratch(self, "ends", 0, Parameter(2, "ends"))
        self.marks = None if size is None else now.scratch(self, "marks", 0 if numbered else False, size)

    def empty(self) -> None:
        def perform() -> None:
            end = self.ends[1]
            loop(lambda p, _: p < end, lambda p, _: (self.unmark(p), ()), self.ends[0], ())

        if self.marks is not None:
            reading().effect(perform)

    def fill(self) -> None:
        """Mark the run."""

        def step(_: Any, key: Any, p: Any) -> Any:
            reading().effect(lambda: self.marks.put(key, p + 1 if self.numbered else True))
            return ()

        def perform() -> None:
            for n, end in enumerate((self.lo, self.hi)):
                self.ends.put(n, end)
            fold(step, self.run(), ())

        if self.marks is not None:
            reading().effect(perform)

    def count(self) -> Any:
        return self.hi - self.lo

    def run(self) -> Stream:
        return SortedRun(self.keys, self.lo, self.hi, Positions(self.lo), SEEKS["adaptive"])


class Workspace(Marked):
    """The keys of a stream and, for each, some integers. `size`: keys lie below it, and are marked."""

    def __init__(self, integers: int, numbered: bool, size: Parameter | None) -> None:
        super().__init__()
        self.numbered = numbered
        now = reading()
        self.keys = now.buffer(self, "keys", "kept", 0, 0)
        self.integers = [now.buffer(self, f"at_{n}", f"kept_at_{n}", 0, 0) for n in range(integers)]
        self.marks = None if size is None else now.scratch(self, "marks", 0 if numbered else False, size)

    def kept(self) -> list[Any]:
        return [self.keys, *self.integers]

    def fill(self, stream: Stream, integers: Callable[[Any], Sequence[Any]]) -> tuple[()]:
        """Take in a stream whose keys come in order, with the integers of each of its values."""

        def step(_: Any, key: Any, value: Any) -> Any:
            def perform() -> None:
                self.keys.append(key)
                for buffer, integer in zip(self.integers, integers(value), strict=True):
                    buffer.append(integer)
                if self.marks is not None:
                    self.marks.put(key, self.keys.count if self.numbered else True)

            reading().effect(perform)
            return ()

        fold(step, stream, ())
        return ()


class Asked(NamedTuple):
    """Whether a key is there, and what it has: zero, if it is not."""

    present: Any
    value: Any


class Laid(Borrowed):
    """One run, with each value laid in the place of its key: asked by key, there or not. Filled once, never emptied."""

    def __init__(self, run: SortedRun, size: Parameter) -> None:
        super().__init__(run, False, size)
        self.whole, self.size = run, size
        self.values: Any = None

    def fill(self) -> None:
        """Mark the run, and lay its values."""

        def step(_: Any, key: Any, value: Any) -> Any:
            def perform() -> None:
                self.values = reading().scratch(self, "values", value, self.size)
                self.marks.put(key, True)
                self.values.put(key, value)

            reading().effect(perform)
            return ()

        fold(step, self.whole, ())

    def asked(self, key: Any) -> Asked:
        """What there is at any key: a zero where none came."""
        return Asked(self.holds(key), self.values[key])


class Sums(Marked):
    """A value for each key that came, added up as they come, in any order; asked by key. Keys lie below `size`."""

    def __init__(self, size: Parameter, plus: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.size, self.plus = size, plus
        self.keys = reading().buffer(self, "keys", "seen", 0, 0)
        self.marks = reading().scratch(self, "marks", False, size)
        self.like: Any = None  # a value; its leaves are numbered like the arrays that hold them

    def pour(self, value: Any) -> tuple[()]:
        """Add every pair of a stream, or of the streams in it."""
        if isinstance(value, Through):
            fold(lambda _, key, inner: self.pour(inner), value.stream, ())
        else:
            fold(lambda _, key, new: self.add(key, new), value, ())
        return ()

    def add(self, key: Any, value: Any) -> tuple[()]:
        def perform() -> None:
            self.like = value
            held = self.arrays()

            def more() -> tuple[()]:
                for array, new in zip(held, leaves(self.plus(self.at(key), value)), strict=True):
                    array.put(key, new)
                return ()

            def fresh() -> tuple[()]:
                self.marks.put(key, True)
                self.keys.append(key)
                for array, part in zip(held, leaves(value), strict=True):
                    array.put(key, part)
                return ()

            select(self.marks[key], more, fresh)

        reading().effect(perform)
        return ()

    def arrays(self) -> list[Any]:
        parts = enumerate(leaves(self.like))
        return [reading().scratch(self, f"sums_{n}", of_its_kind(x, self.plus), self.size) for n, x in parts]

    def rows(self) -> Stream:
        """Its keys, each with its sum: they came in no order, and are gone through, never sought."""
        return self.run().map(lambda key, position: self.at(key))

    def at(self, key: Any) -> Any:
        """The sum at a key that came."""
        return rebuild(self.like, iter([array[key] for array in self.arrays()]))


class Totals(Sums):
    """Sums by ordinary addition, emptied as soon as they were used. There is a zero wherever no key is, so that adding
    needs no branch: whether a key has come before is nothing that a processor could foresee."""

    def __init__(self, size: Parameter) -> None:
        super().__init__(size, plus)

    def add(self, key: Any, value: Any) -> tuple[()]:
        def perform() -> None:
            self.like = value
            self.keys.append(key, no(self.marks[key]))
            self.marks.put(key, True)
            for array, new in zip(self.arrays(), leaves(plus(self.at(key), value)), strict=True):
                array.put(key, new)

        reading().effect(perform)
        return ()

    def unmark(self, p: Any) -> Any:
        def perform() -> None:
            for array in self.arrays():
                array.put(self.keys[p], 0)

        reading().effect(perform)
        return super().unmark(p)
