"""The order of axes: which loop stands outside which, by what it is likely to cost.

The cost of an order is how often each of its loops will step. Given the axes outside, a table has so many keys along an
axis, on average: rows told apart with it, over rows told apart without it. The average is over the rows of whichever
table led to the key outside: in a graph, a node that is reached along an edge has more neighbours than the average node
has. Where several tables have a run along the axis, it takes at most as many keys as the shortest, and likely fewer.

Orders are tried from the outermost axis inward, the cheapest next axis first, and given up as soon as they cost more
than the best one so far. The first ones that are tried are one for each outermost axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..notation import Access, is_one, place
from ..storage.lengths import Lengths
from .hoist import CLEARED, marks
from .term import Term

SOUGHT = 3  # steps that a seek takes more than asking for a mark
FULL = 0.9  # of all keys, in a run that counts as full
TOGETHER = 0.25  # steps for each key of full runs: processors take several at once
LONGER = 8  # a run so many times as long as the others is searched, not walked along
# What it costs, in steps, to put a row together: in order as it comes, a place for each key of one axis, of several,
# sorting.
PUT_TOGETHER = (0, 2, 4, 20)
PACKED, SPARE = 2**24, 64  # places for keys of several axes together; and for each row: they are cleared
POSSIBLE = 1 / 16  # of the steps that it would take if shorter runs lay in longer ones count, beside those expected
TURNED = 0.5  # steps for each row that comes in another order than that of its columns
TRIALS = 4_000  # beginnings of orders that are looked at


@dataclass
class Order:
    """Axes from the outermost loop to the innermost, how many keys each is expected to take, how many at most, and in
    how many steps; and how many places its keys need, if they can have places."""

    axes: tuple[Any, ...] = ()
    steps: tuple[float, ...] = ()
    most: tuple[float, ...] = ()
    work: tuple[float, ...] = ()
    places: tuple[int | None, ...] = ()

    def late(self, head: Sequence[Any]) -> list[Any]:
        """The axes of the head that stand inside of one that is summed away: their keys come in no order."""
        axes = list(self.axes)
        while axes and is_one(axes[0], head):
            del axes[0]
        return [a for a in axes if is_one(a, head)]

    def cost(self, head: Sequence[Any] = ()) -> float:
        """Steps in all, those included that it takes to put the rows together."""
        if not self.axes:
            return 0.0
        kept = [a for a in self.axes if is_one(a, head)]
        turned = TURNED * any(a is not h for a, h in zip(kept, head, strict=False))
        late = [self.places[place(self.axes, axis)] for axis in self.late(head)]
        places = packed_places(late, self.most[-1]) if len(late) > 1 else None
        way = len(late) if len(late) < 2 else 3 if places is None else 2
        return sum(self.work) + (PUT_TOGETHER[way] + turned) * self.steps[-1] + (places or 0) / CLEARED

    def __str__(self) -> str:
        return " → ".join(f"{axis!r} ({steps:,.0f})" for axis, steps in zip(self.axes, self.steps, strict=True))


def packed_places(sizes: Sequence[int | None], rows: float) -> int | None:
    """How many places the keys of several axes need together; None if they are too many for about so many rows."""
    places = 1
    for size in sizes:
        if size is None:
            return None
        places *= size
    return places if places <= min(PACKED, SPARE * rows) else None


def best_order(
    term: Term,
    head: Sequence[Any],
    may_be_late: Callable[[list[Any]], bool],
    first: Sequence[Any] = (),
    trials: int = TRIALS,
) -> Order:
    """The cheapest order, from these axes on, whose rows come out as they must. `may_be_late`: whether rows can be put
    together again whose keys of these axes come in no order."""
    estimates, axes = Estimates(term), term.axes()
    best: Any = None
    least, tried = math.inf, 0

    def longer(begun: Order) -> list[Order]:
        """With one more axis, the one that seems best first."""
        nonlocal tried
        tried += 1
        left = [a for a in axes if not is_one(a, begun.axes)]
        late = [a for a in left if is_one(a, head)]
        orders = [estimates.extended(begun, axis) for axis in (left if may_be_late(late) else late)]
        return sorted(orders, key=lambda order: order.work[-1] + order.steps[-1])

    def take(order: Order) -> None:
        nonlocal best, least
        if best is None or order.cost(head) < least:
            best, least = order, order.cost(head)

    def extend(begun: Order) -> None:
        if best is not None and (sum(begun.work) >= least or tried > trials):
            return
        further = longer(begun)
        for order in further:
            extend(order)
        if not further:
            take(begun)

    beginning = priced(term, first)
    for begun in longer(beginning):
        while sum(begun.work) < least and tried < trials / 2 and (further := longer(begun)):
            begun = further[0]
        if len(begun.axes) == len(axes):
            take(begun)
    extend(beginning)
    found: Order = best
    return found


def priced(term: Term, axes: Sequence[Any]) -> Order:
    """An order that is given."""
    estimates, order = Estimates(term), Order()
    for axis in axes:
        order = estimates.extended(order, axis)
    return order


def in_common(lengths: Sequence[float], keys: int) -> float:
    """How many keys runs have in common that are so long, out of so many keys: between as many as the shortest has, if
    the others hold all of those, and as many as chance would have it of the two shortest: what two neighbours of a node
    share, a third one often has, too.

    >>> round(in_common([60.0, 60.0, 900.0], 14_000), 1), in_common([10.0, 14_000.0], 14_000), in_common([5.0], 9)
    (3.9, 10.0, 5.0)
    """
    shortest, *longer = sorted(lengths)
    return shortest * math.sqrt(min(longer[0] / keys, 1.0)) if longer and keys else shortest


class Run:
    """A table along one of its axes."""

    def __init__(self, access: Access, axis: Any) -> None:
        self.access, self.along = access, place(access.places, axis)
        self.others = [id(a) for a in access.places if a is not axis]

    @cached_property
    def keys(self) -> int:
        """How many different ones there are."""
        return self.access.table.distinct([self.along])


@dataclass
class Estimates:
    """How many keys, how many steps: remembered, because many orders ask the same."""

    term: Term
    lengths: dict[Any, float] = field(default_factory=dict)
    spans: dict[int, int | None] = field(default_factory=dict)

    @cached_property
    def along(self) -> dict[int, list[Run]]:
        """The tables that have an axis, by its id."""
        return {id(axis): [Run(access, axis) for access in self.term.accesses if is_one(axis, access.places)]
                for axis in self.term.axes()}  # fmt: skip

    def extended(self, order: Order, axis: Any) -> Order:
        """An order with one more axis inside of it."""
        total, most = (order.steps[-1], order.most[-1]) if order.axes else (1.0, 1.0)
        keys, shortest, walked = self.met(order.axes, axis)
        return Order(
            (*order.axes, axis),
            (*order.steps, total * keys),
            (*order.most, most * shortest),
            (*order.work, (total + POSSIBLE * most) * walked),
            (*order.places, self.places(axis)),
        )

    def places(self, axis: Any) -> int | None:
        """How many places the keys of an axis need, if they can have places."""
        if id(axis) not in self.spans:
            runs = self.along[id(axis)]
            spans = [run.access.table.span(run.along) for run in runs]
            lowest, highest = min((lo for lo, _ in spans), default=None), max((hi for _, hi in spans), default=None)
            self.spans[id(axis)] = marks(lowest, highest, max((run.access.table.size for run in runs), default=0))
        return self.spans[id(axis)]

    def met(self, outside: Sequence[Any], axis: Any) -> tuple[float, float, float]:
        """How many keys an axis takes, given the axes outside of it, how many at most, and how many steps it takes to
        find them.

        The run that was reached last is walked along, and the others are asked (see hoist.py), a step each, here and
        there; unless all runs are full, and are walked together, several keys at once. If the last is much longer than
        the others, it is searched instead. Runs that cannot be kept are sought in.
        """
        lengths: dict[int, list[float]] = {}
        full, sought = True, 0
        loops = {id(a): n for n, a in enumerate(outside)}
        around = frozenset(loops)
        runs = self.along[id(axis)]
        for run in runs:
            above = [loops[a] for a in run.others if a in loops]
            at = max(above, default=-1)
            found = self.length(run, around)
            lengths.setdefault(at, []).append(found)
            sought += 0 <= at < len(outside) - 1 and len(above) <= at
            full &= at >= 0 and found >= FULL * run.keys
        if not lengths:
            return 1.0, 1.0, 1.0
        every = [n for found in lengths.values() for n in found]
        shortest, below = min(every), [n for at, found in lengths.items() if at >= 0 for n in found]
        keys = min(shortest, in_common(below, max(run.keys for run in runs))) if below else shortest
        walked = min(lengths[max(lengths)])
        kept = min((min(found) for at, found in lengths.items() if 0 <= at < max(lengths)), default=math.inf)
        halves = sum(1.0 for c in self.term.conditions if c.op not in ("==", "!=") and is_one(axis, c.axes())
                     and all(a is axis or is_one(a, outside) for a in c.axes()))  # fmt: skip
        steps = min(walked, LONGER * kept) / 2.0**halves
        asked = TOGETHER if full else len(every) + SOUGHT * sought * (len(every) > 1)
        return keys / 2.0**halves, shortest / 2.0**halves, steps * asked

    def length(self, run: Run, outside: frozenset[int]) -> float:
        """How long the run of a table along an axis is, on average, given the axes outside, by id.

        Keys that other tables lead to count as often as they do, and what lies below them further inside, too: a node
        that many edges lead to has many in each of its relations.
        """
        key = (run, outside)
        if key not in self.lengths:
            table, places = run.access.table, run.access.places
            bound = [n for n, a in enumerate(places) if id(a) in outside]
            ways = [(n, keys) for n in bound for keys in self.reached(outside, places[n], run.access)]
            for n in bound if not ways else ():  # nothing else leads there: each key is met once
                ways.append((n, min(self.keys_of(places[n]), key=lambda lengths: lengths.size)))
            means = [
                (table.lengths(n, *bound, run.along).mean_over(keys), table.lengths(n, *bound).mean_over(keys))
                for n, keys in ways
            ]
            # Only keys that the table has are left when its run along the axis is reached.
            found = [length / reached for length, reached in means if reached]
            self.lengths[key] = min(found, default=0.0) if bound else table.distinct([run.along])
        return self.lengths[key]

    def reached(self, outside: frozenset[int], through: Any, to: Access) -> list[Lengths]:
        """The keys of an axis outside that lead to a table, and how often each is reached: as often as the other axes
        outside lead there, in each of the other tables."""
        found = []
        for run in self.along[id(through)]:
            others = [n for n, a in enumerate(run.access.places) if id(a) in outside and n != run.along]
            if others and run.access is not to:
                found.append(run.access.table.lengths(run.along, *others))
        return found

    def keys_of(self, axis: Any) -> list[Lengths]:
        """The keys of an axis, each once, in each of its tables."""
        return [run.access.table.lengths(run.along) for run in self.along[id(axis)]]
