"""A plan in words, for `explain`: how each table is walked, what is kept, and how many keys each loop took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..algebra import plus_times
from ..counting import rows_told
from ..storage.levels import Compressed
from ..storage.nesting import innermost
from ..stream import Stream, fold, run
from ..words import plus
from .loops import Loops
from .meeting import levels_of
from .prepare import Prepared


def copies(term: Prepared) -> set[int]:
    """The sorted copies of a product's tables that there are, by id."""
    walks = [*term.walks, *term.absents, *term.optionals, *(w for inner in term.inners for w in inner.part.walks)]
    return {id(trie) for walk in walks for trie in walk.table.tries()}


def described(loops: Loops, kept_before: set[int]) -> list[str]:
    """How each table is walked, and what is kept. `kept_before`: the copies, by id, that were there already."""
    lines = []
    for walk, along, trie in zip(loops.walks, loops.along, loops.tries, strict=True):
        by = ", ".join(axis.name for axis in along)
        formats = ", ".join("compressed" if isinstance(level, Compressed) else "dense" for level in levels_of(trie))
        copy = "" if id(trie) in kept_before else "; sorted for this"
        rows = rows_told(walk.table.size, innermost(trie))
        lines.append(f"  {walk.source!r}: {rows}, by {by} ({formats}{copy})")
    for hoist in loops.runs.hoists:
        what = " * ".join(repr(loops.walks[n].source) for n in hoist.members)
        how = ", a value for every key" if loops.runs.by_key(hoist) else ", marked" if hoist.marked else ""
        lines.append(f"  kept {hoist.when(loops.order)}: {what}, along {loops.order[hoist.level]!r}{how}")
    for axis, fetched in zip(loops.order, loops.runs.fetches(loops.sliced), strict=True):
        lines += [f"  fetched ahead: {loops.walks[n].source!r}, at each {axis!r}" for n, _ in fetched]
    for within in loops.within:
        lines.append(f"  for each {within.first!r}: {within.loops.planned}")
        lines += [f"  {line}" for line in described(within.loops, kept_before)]
    if loops.packed:
        lines.append(f"  rows put together by place: {', '.join(map(repr, loops.packed))} as one number")
    elif late := loops.planned.late(loops.head):
        how = "by place" if loops.places() else "by sorting"
        lines.append(f"  rows put together {how}: {', '.join(map(repr, late))} out of order")
    if loops.used is not None:
        lines.append(f"  rows over ({', '.join(map(repr, loops.head))}) are used as they are found")
    return lines


class Counting(Loops):
    """The same loops, to count the keys that each of them takes."""

    bears_absence = False  # a key that is not there is not taken

    def folded(self, stream: Stream, body: Callable[[Any, Any], Any], k: int) -> Any:
        one = tuple(int(n == k) for n, _ in enumerate(self.order))

        def step(acc: Any, key: Any, value: Any) -> Any:
            found, counts = body(key, value)
            return acc[0] | found, plus(plus(acc[1], counts), one)

        return fold(step, stream, (False, tuple(0 for _ in self.order)))

    def row(self, held: Any, keys: tuple[Any, ...]) -> Any:
        return True, tuple(0 for _ in self.order)


@dataclass
class Plan:
    """How one product was run: its loops, the sorted copies that were there before, by id, and how many keys each loop
    took."""

    loops: Loops
    kept_before: set[int]
    counts: tuple[int, ...] = ()


def keys_taken(loops: Loops) -> tuple[int, ...]:
    """How many keys each loop took, found by running the loops once more."""
    counting = Counting(loops.term, loops.planned, (), plus_times, loops.hoisting)
    counts: tuple[int, ...] = run(lambda: counting.stream())[1]
    return counts


def taken(loops: Loops, counts: tuple[int, ...]) -> str:
    return " → ".join(f"{axis!r} ({count:,})" for axis, count in zip(loops.order, counts, strict=True))
