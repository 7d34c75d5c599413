"""How runs meet along an axis: by stepping and seeking together, by place where a level is dense, by marks where one
is kept (see hoist.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from ..combinators import Slice
from ..combinators.product import Product
from ..storage.levels import DenseRun, Leaf, SortedRun
from ..storage.workspace import Positions, Workspace
from ..stream import Stream
from ..words import Parameter, minimum, select
from .hoist import Hoist, outside, place, span
from .order import LONGER
from .prepare import Walk

# By number of the walk: the stream at its next axis, or its value behind the last. And what is kept, by what it is.
Held = dict[Any, Any]


@dataclass(frozen=True, eq=False)
class Kept:
    """A workspace with the meeting of several runs, and the number under which it has a position in each."""

    space: Workspace
    numbers: dict[Any, int]


@dataclass
class Meeting:
    """The walks of a product, sorted along an order, and what is kept of them."""

    walks: Sequence[Walk]
    along: Sequence[Sequence[Any]]
    order: tuple[Any, ...]
    hoists: list[Hoist]
    sizes: dict[int, Parameter] = field(default_factory=dict)  # how many marks there are along an axis

    def ways(self, k: int, held: Held, walked: list[int]) -> list[tuple[Any, Stream]]:
        """The keys that all walks hold along axis k, with what each has at them: one way to find them, or, with a
        condition under which it is the better one, two."""
        dense = [n for n in walked if isinstance(held[n], DenseRun)]
        chosen = [n for n in walked if n not in dense] or dense[:1]
        asked = [n for n in dense if n not in chosen]
        hoist = next((h for h in reversed(self.hoists) if h.level == k), None)
        members = hoist.members if hoist else ()
        rest = [n for n in chosen if n not in members]
        runs = [held[n] for n in rest]

        def all_of(key: Any, values: Any) -> Any:
            at = dict(zip((*rest, *members), values, strict=True))
            at.update({n: held[n].inner.at(held[n].base + key) for n in asked})
            return tuple(at[n] for n in walked)

        found = [(None, together(runs))] if hoist is None else self.met_with(hoist, runs, held, self.values)
        return [(better, self.placed(stream, k, chosen, asked, held).map(all_of)) for better, stream in found]

    def placed(self, stream: Stream, k: int, chosen: list[int], asked: list[int], held: Held) -> Stream:
        """Held to the keys that the dense levels have a place for, if there may be others."""
        lowest, highest = span(self.walks, chosen, self.order[k])
        if isinstance(held[chosen[0]], DenseRun):
            lowest, highest = 0, held[chosen[0]].size.value - 1
        for n in asked:
            if lowest < 0 or highest >= held[n].size.value:
                stream = Slice(stream, 0, held[n].size)
        return stream

    def met_with(self, hoist: Hoist, runs: list[Any], held: Held, values: Any) -> list[tuple[Any, Stream]]:
        """What is kept, met with further runs: the values of those, then `values` of what is kept."""
        kept: Kept = held[self.key(hoist)]
        space = kept.space
        if not runs:
            return [(None, space.run().map(lambda key, p: values(hoist, held, kept, p)))]
        marked = together(runs).filter(lambda key, _: space.holds(key))
        by_marks = marked.map(lambda key, found: (*found, *values(hoist, held, kept, space.place(key))))
        by_seeks = Product((*runs, space.run()), lambda *found: (*found[:-1], *values(hoist, held, kept, found[-1])))
        shortest = reduce(minimum, (run.end() - run.lo for run in runs))
        return [(shortest <= LONGER * space.count(), by_marks), (None, by_seeks)]

    def values(self, hoist: Hoist, held: Held, kept: Kept, p: Any) -> tuple[Any, ...]:
        """What each member has at key number p of what is kept."""
        return tuple(held[n].inner.at(self.position(n, hoist, kept, p)) for n in hoist.members)

    def position(self, n: int, hoist: Hoist, kept: Kept, p: Any) -> Any:
        number = kept.numbers.get(self.run_of(n, hoist.level))
        return 0 if number is None else kept.space.at(p, number)

    # ------------------------------------------------------------------ keeping

    def keep(self, hoist: Hoist, held: Held) -> None:
        """Fill a workspace with the meeting of the members' runs, unless the same was kept already."""
        key = self.key(hoist)
        if key in held:
            return
        same = [h for h in self.hoists if h.after == hoist.after and self.key(h) == key]
        runs = {self.run_of(n, hoist.level): n for n in hoist.members}
        numbers = {run: m for m, run in enumerate(r for r, n in runs.items() if has_positions(held[n]))}
        space = Workspace(len(numbers), self.size(hoist.level) if any(h.marked for h in same) else None)
        space.empty()
        before = hoist.start.members if hoist.start else ()
        old = {self.run_of(n, hoist.level) for n in before}
        fresh = {run: n for run, n in runs.items() if run not in old}
        further = [positions(held[n]) for n in fresh.values()]

        def placed(start: Hoist, held: Held, kept: Kept, p: Any) -> tuple[Any, ...]:
            return tuple(self.position(n, start, kept, p) for n in before)

        def integers(found: Any) -> Any:
            at = dict(zip((*fresh.values(), *before), found, strict=True))
            return tuple(at[runs[run] if runs[run] in at else self.member(run, hoist.level, at)] for run in numbers)

        ways = [(None, together(further))]
        if hoist.start is not None:
            ways = self.met_with(hoist.start, further, held, placed)
        fills = [lambda s=stream: space.fill(s, integers) for _, stream in ways]
        if len(fills) == 1:
            fills[0]()
        else:
            select(ways[0][0], *fills)
        held[key] = Kept(space, numbers)

    def member(self, run: Any, level: int, among: dict[int, Any]) -> int:
        return next(n for n in among if self.run_of(n, level) == run)

    def size(self, level: int) -> Parameter:
        """As many places as the largest key along an axis asks for."""
        if level not in self.sizes:
            walked = [n for n, axes in enumerate(self.along) if any(self.order[level] is a for a in axes)]
            self.sizes[level] = Parameter(int(span(self.walks, walked, self.order[level])[1]) + 1, "places")
        return self.sizes[level]

    def key(self, hoist: Hoist) -> Any:
        """What it is that is kept: the runs that meet in it."""
        return frozenset(self.run_of(n, hoist.level) for n in hoist.members)

    def run_of(self, n: int, level: int) -> Any:
        """What makes the run of a walk along an axis the same as that of another walk."""
        order = tuple(place(self.walks[n].axes, a) for a in self.along[n])
        fixed = outside(self.along[n], self.order[level])
        return (id(self.walks[n].table), order[: len(fixed) + 1], *map(id, fixed))


def together(runs: list[Any]) -> Stream:
    """The keys that all runs hold, with a tuple of their values."""
    if len(runs) == 1:
        return runs[0].map(lambda key, value: (value,))  # type: ignore[no-any-return]
    return Product(tuple(runs), lambda *values: values)


def has_positions(run: SortedRun) -> bool:
    """Whether there is anything to be found at a run's keys."""
    return not (isinstance(run.inner, Leaf) and not run.inner.columns)


def positions(run: SortedRun) -> SortedRun:
    """The same keys, each with its position."""
    return SortedRun(run.column, run.lo, run.hi, Positions(), run.how)
