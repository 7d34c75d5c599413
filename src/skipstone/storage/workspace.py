"""A workspace: what a loop keeps of a stream, to go through it, or to ask for its keys, again and again.

Keys and numbers are kept in growing arrays, and where they lie is marked in an array with a place for every key, so
that asking for one costs a single read. Filled anew, it takes back its old marks first: the cost is that of what it
holds, never of the array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..stream import Stream, fold
from ..words import Parameter, loop, reading
from .levels import SortedRun
from .seeking import SEEKS


@dataclass(frozen=True, eq=False)
class Positions:
    """A leaf whose value at a position is that position."""

    def at(self, p: Any) -> Any:
        return p


class Workspace:
    """The keys of a stream and, for each, some integers. `size`: keys lie below it, and are marked.

    The marks tell where a key lies, if there is anything to be found there, and otherwise only that it is there.
    """

    def __init__(self, integers: int, size: Parameter | None) -> None:
        self.buffers: dict[str, Any] = {}
        now = reading()
        self.keys = now.buffer(self, "keys", "kept", 0, 0)
        self.integers = [now.buffer(self, f"at_{n}", f"kept_at_{n}", 0, 0) for n in range(integers)]
        self.marks: Any = None if size is None else now.scratch(self, "marks", 0 if integers else False, size)

    def empty(self) -> None:
        """Forget everything."""

        def perform() -> None:
            if self.marks is not None:
                loop(lambda p, _: p < self.keys.count, lambda p, _: (self.unmark(p), ()), 0, ())
            for buffer in (self.keys, *self.integers):
                buffer.clear()

        reading().effect(perform)

    def unmark(self, p: Any) -> Any:
        reading().effect(lambda: self.marks.put(self.keys[p], 0 if self.integers else False))
        return p + 1

    def fill(self, stream: Stream, integers: Callable[[Any], Sequence[Any]]) -> tuple[()]:
        """Take in a stream whose keys come in order, with the integers of each of its values."""

        def step(_: Any, key: Any, value: Any) -> Any:
            def perform() -> None:
                self.keys.append(key)
                for buffer, integer in zip(self.integers, integers(value), strict=True):
                    buffer.append(integer)
                if self.marks is not None:
                    self.marks.put(key, self.keys.count if self.integers else True)

            reading().effect(perform)
            return ()

        fold(step, stream, ())
        return ()

    def count(self) -> Any:
        """How many keys it holds."""
        return self.keys.count

    def run(self) -> Stream:
        """Its keys in order; the value is the number under which `at` knows them."""
        return SortedRun(self.keys, 0, self.keys.count, Positions(), SEEKS["adaptive"])

    def holds(self, key: Any) -> Any:
        """Whether a key is there."""
        return self.marks[key] != 0 if self.integers else self.marks[key]

    def place(self, key: Any) -> Any:
        """The number of a key that is there."""
        return self.marks[key] - 1 if self.integers else 0

    def at(self, p: Any, n: int) -> Any:
        """The n-th integer of key number p."""
        return self.integers[n][p]
