"""How runs meet along an axis: by stepping and seeking together, by place where a level is dense, by marks where one
is kept (see hoist.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from ..combinators import Slice
from ..combinators.ahead import Ahead
from ..combinators.by_place import ByPlace
from ..combinators.product import Product
from ..notation import place
from ..storage import Trie
from ..storage.levels import DenseRun, Leaf, Placed, SortedRun, Spread
from ..storage.workspace import Borrowed, Laid, Positions, Workspace
from ..stream import Stream
from ..words import Parameter, minimum, select
from .fetching import Lines, fetching, goes_on, is_scattered, lines_of
from .hoist import BEFORE, MOST, Hoist, hoists, marks, outside, span, steps_before
from .order import LONGER, Order
from .prepare import Walk

FILLED = 1 / 16  # of all places, from which on a value is read at each key, there or not

# By number of the walk: the stream at its next axis, or its value behind the last. And what is kept, by what it is.
Held = dict[Any, Any]


@dataclass(frozen=True, eq=False)
class Kept:
    """A workspace with the meeting of several runs, and the number under which it has a position in each.

    Of a single run, it has none: its keys lie one behind the other from `lo` on.
    """

    space: Any  # Workspace, Borrowed, or Laid where it has a value at every key
    numbers: dict[Any, int]
    lo: Any = None


@dataclass
class Meeting:
    """The walks of a product, sorted along an order, and what is kept of them."""

    walks: Sequence[Walk]
    along: Sequence[Sequence[Any]]
    tries: Sequence[Trie]
    planned: Order
    hoisting: bool
    folded: bool  # the innermost loop adds up
    bears_absence: bool  # and can tell by itself which of its keys are there

    def __post_init__(self) -> None:
        self.order = self.planned.axes
        self.places = [self.places_along(axis) for axis in self.order]
        self.dense = {(n, id(axis)): level for n, axes in enumerate(self.along)
                      for axis, level in zip(axes, levels_of(self.tries[n]), strict=True)
                      if isinstance(level, Spread | Placed)}  # fmt: skip
        self.hoists: list[Hoist] = []
        if self.hoisting:
            self.hoists = hoists(self.walks, self.along, self.dense, self.planned, self.folded)

    def likeness(self, sliced: int | None) -> Any:
        """What the ways to meet depend on, beside the tries."""
        beyond, fetched = [each[2] for each in self.splits(sliced)], self.fetches(sliced)
        kept = [(h.level, h.after, h.members, h.start and h.start.members, self.widest(h)) for h in self.hoists]
        by_key, places = [self.by_key(h) is not None for h in self.hoists], [p is None for p in self.places]
        return kept, by_key, beyond, fetched, places, sliced

    def splits(self, sliced: int | None) -> list[tuple[list[int], list[int], list[int]]]:
        """`split`, of every loop."""
        walked = [[n for n, axes in enumerate(self.along) if any(axis is a for a in axes)] for axis in self.order]
        return [self.split(k, here, sliced) for k, here in enumerate(walked)]

    def places_along(self, axis: Any) -> Parameter | None:
        """How many marks there are along an axis, if there can be."""
        walked = [n for n, axes in enumerate(self.along) if any(axis is a for a in axes)]
        size = marks(*span(self.walks, walked, axis), max(self.walks[n].table.size for n in walked))
        return None if size is None else Parameter(size, "places", MOST)

    def split(self, k: int, walked: list[int], sliced: int | None) -> tuple[list[int], list[int], list[int]]:
        """Which walks are walked along axis k, which are asked by place, and for which of those a key may have none."""
        axis = self.order[k]
        asked = [n for n in walked if (n, id(axis)) in self.dense and not (k == 0 and n == sliced)]
        chosen = [n for n in walked if n not in asked]
        if not chosen:
            chosen = [min(asked, key=lambda n: number_of_keys(self.dense[n, id(axis)]))]
            asked = [n for n in asked if n not in chosen]
        lowest, highest = span(self.walks, chosen, axis)
        beyond = [n for n in asked if lowest < 0 or highest >= self.dense[n, id(axis)].size.value]
        return chosen, asked, beyond

    def ways(self, k: int, held: Held, walked: list[int], sliced: int | None) -> list[tuple[Any, Stream]]:
        """The keys that all walks hold along axis k, with what each has at them: one way to find them, or, with a
        condition under which it is the better one, two."""
        chosen, asked, beyond = self.split(k, walked, sliced)
        hoist = next((h for h in reversed(self.hoists) if h.level == k), None)
        members = hoist.members if hoist else ()
        rest = [n for n in chosen if n not in members]
        runs = [held[n] for n in rest]

        def all_of(key: Any, values: Any) -> Any:
            met, *read = values
            at = dict(zip((*rest, *members, *asked), (*met, *read), strict=True))
            return tuple(at[n] for n in walked)

        by_place = {n: self.asked_at(n, k, held) for n in asked}
        if isinstance(run := runs[0] if runs else None, SortedRun):
            for n, lines in self.fetched(k, chosen, asked, beyond):
                runs = [Ahead(runs[0], run.column, fetching(by_place[n], lines), lines.ahead)]
        found: list[tuple[Any, Stream]] = [(None, together(runs))]
        if hoist is not None:
            found = self.met_with(hoist, runs, held, self.values)
            innermost = self.folded and k == len(self.order) - 1
            found = found if innermost else found[:1]  # a stream cannot be two at once, but a sum can
        for n in beyond:
            found = [(better, Slice(stream, 0, by_place[n].size)) for better, stream in found]
        return [(better, ByPlace(stream, tuple(by_place.values())).map(all_of)) for better, stream in found]

    def asked_at(self, n: int, k: int, held: Held) -> DenseRun:
        """A walk as it is asked by place along axis k."""
        level = self.dense[n, id(self.order[k])]
        return level.places() if isinstance(level, Placed) else held[n]

    def fetches(self, sliced: int | None) -> list[list[tuple[int, Lines]]]:
        """What is fetched before, in every loop; not along a range of the outermost keys, which is no whole run."""
        whole = range(0 if sliced is None else 1, len(self.order))
        return [self.fetched(k, *split) if k in whole else [] for k, split in enumerate(self.splits(sliced))]

    def fetched(self, k: int, chosen: list[int], asked: list[int], beyond: list[int]) -> list[tuple[int, Lines]]:
        """Which of the walks that are asked by place along axis k have rows there that are fetched before, and how.

        Not those that have no place for some of the keys: which row is fetched is read at its place.
        """
        levels = {n: levels_of(self.tries[n])[place(self.along[n], self.order[k])] for n in (*chosen, *asked)}
        keys, outside = self.planned.most[k], self.planned.most[k - 1] if k else 1
        if len(chosen) != 1 or any(h.level == k for h in self.hoists) or not goes_on(levels[chosen[0]], keys, outside):
            return []
        found = [(n, lines) for n in asked if n not in beyond and (lines := lines_of(levels[n])) is not None]
        return found if found and is_scattered(levels[chosen[0]].keys.array) else []

    def met_with(self, hoist: Hoist, runs: list[Any], held: Held, values: Any) -> list[tuple[Any, Stream]]:
        """What is kept, met with further runs: the values of those, then `values` of what is kept."""
        kept: Kept = held[self.key(hoist)]
        space = kept.space
        if not runs:
            return [(None, space.run().map(lambda key, p: values(hoist, held, kept, p)))]
        if isinstance(space, Laid):
            by_marks = together(runs).map(lambda key, found: (*found, *[space.asked(key)] * len(hoist.members)))
        else:
            marked = together(runs).filter(lambda key, _: space.holds(key))
            by_marks = marked.map(lambda key, found: (*found, *values(hoist, held, kept, space.place(key))))
        by_seeks = Product((*runs, space.run()), lambda *found: (*found[:-1], *values(hoist, held, kept, found[-1])))
        shortest = reduce(minimum, (run.end() - run.lo for run in runs))
        return [(shortest <= LONGER * space.count(), by_marks), (None, by_seeks)]

    def values(self, hoist: Hoist, held: Held, kept: Kept, p: Any) -> tuple[Any, ...]:
        """What each member has at key number p of what is kept."""
        return tuple(held[n].inner.at(self.position(n, hoist, kept, p)) for n in hoist.members)

    def position(self, n: int, hoist: Hoist, kept: Kept, p: Any) -> Any:
        if kept.lo is not None:
            return kept.lo + p
        number = kept.numbers.get(self.run_of(n, hoist.level))
        return 0 if number is None else kept.space.integers[number][p]

    # ------------------------------------------------------------------ keeping

    def keep_all(self, after: int, held: Held) -> None:
        """Keep what is to be kept in the body of a loop."""
        for hoist in self.hoists:
            if hoist.after == after:
                self.keep(hoist, held)

    def keep(self, hoist: Hoist, held: Held) -> None:
        """Fill a workspace with the meeting of the members' runs, unless the same was kept already."""
        key = self.key(hoist)
        if key in held:
            return
        widest = self.widest(hoist)
        if (places := self.by_key(hoist)) is not None:
            run = held[hoist.members[0]]
            laid = Laid(run, places)
            laid.fill()
            held[key] = Kept(laid, {}, run.lo)
            return
        runs = {self.run_of(n, hoist.level): n for n in hoist.members}
        asked = [run for run, n in runs.items() if has_positions(held[n])]
        places = None if widest is None else self.places[widest]
        if len(runs) == 1:  # then a key's number says where it lies
            run = held[hoist.members[0]]
            one = Borrowed(run, bool(asked), places)
            one.empty()
            one.fill()
            held[key] = Kept(one, {}, run.lo)
            return
        numbers = {run: m for m, run in enumerate(asked)}
        space = Workspace(len(numbers), bool(asked), places)
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

    def by_key(self, hoist: Hoist) -> Parameter | None:
        """The places of what is kept, if it has a value at each of them and the innermost loop reads it, there or not.

        A key that is there two times out of three is guessed wrong one time out of three, which costs more than a read.
        """
        first, run, places = hoist.members[0], self.key(hoist), self.places[hoist.level]
        leaf = levels_of(self.tries[first])[-1].inner
        numbers = [column.kind for column in leaf.columns] in (["int"], ["float"]) and leaf.make is None
        numbers = numbers and not self.walks[first].silent  # its zeros keep what others come to there within int64
        innermost = self.folded and hoist.level == len(self.order) - 1
        alone = len(run) == 1 and not any(h.start is hoist or self.key(h) == run for h in self.hoists if h is not hoist)
        if places is None or not (self.bears_absence and numbers and innermost and hoist.after == BEFORE and alone):
            return None
        column = place(self.walks[first].axes, self.order[hoist.level])
        return places if self.walks[first].table.distinct([column]) >= FILLED * places.value else None

    def steps_before(self) -> float:
        """How many steps it takes to keep what is kept before all loops."""
        kept = {self.key(hoist): hoist for hoist in self.hoists if hoist.after == BEFORE}
        return sum(steps_before(self.walks, h.members, self.order[h.level]) for h in kept.values())

    def widest(self, hoist: Hoist) -> int | None:
        """The loop that has most keys, of those for which the same is kept; None if it is never asked for a key."""
        same = [h for h in self.hoists if self.key(h) == self.key(hoist)]
        sizes = {h.level: size.value for h in same if (size := self.places[h.level]) is not None}
        return max(sizes, key=sizes.__getitem__) if any(h.marked for h in same) else None

    def member(self, run: Any, level: int, among: dict[int, Any]) -> int:
        return next(n for n in among if self.run_of(n, level) == run)

    def key(self, hoist: Hoist) -> Any:
        """What it is that is kept: the runs that meet in it."""
        return frozenset(self.run_of(n, hoist.level) for n in hoist.members)

    def run_of(self, n: int, level: int) -> Any:
        """What makes the run of a walk along an axis the same as that of another walk."""
        order = tuple(place(self.walks[n].axes, a) for a in self.along[n])
        fixed = outside(self.along[n], self.order[level])
        return (id(self.walks[n].table), order[: len(fixed) + 1], *map(id, fixed))


def number_of_keys(level: Any) -> int:
    return int(level.size.value) if isinstance(level, Spread) else level.keys.size


def levels_of(trie: Trie) -> list[Any]:
    """The levels of a trie, without its leaf."""
    found, level = [], trie.root
    while not isinstance(level, Leaf):
        found.append(level)
        level = level.inner
    return found


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
