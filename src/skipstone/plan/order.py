"""The order of axes: which loop stands outside which, by what it is likely to cost.

The cost of an order is how often each of its loops will step. Given the axes outside, an axis takes as many keys as the
table that has fewest for it, on average: rows told apart with it, over rows told apart without it. Where a single key
outside leads to them, the average is over the rows of whichever table led to that key: in a graph, a node that is
reached along an edge has more neighbours than the average node has.

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
LONGER = 8  # a run so many times as long as the others is searched, not walked along
# What it costs, in steps, to put a row together: in order as it comes, a place for each key of one axis, of several,
# sorting.
PUT_TOGETHER = (0, 2, 4, 20)
PACKED, SPARE = 2**24, 64  # places for keys of several axes together; and for each row: they are cleared
TURNED = 0.5  # steps for each row that comes in another order than that of its columns
TRIALS = 4_000  # beginnings of orders that are looked at


@dataclass
class Order:
    """Axes from the outermost loop to the innermost, how many keys each is expected to take, and in how many steps;
    and how many places its keys need, if they can have places."""

    axes: tuple[Any, ...]
    steps: tuple[float, ...]
    work: tuple[float, ...]
    places: tuple[int | None, ...]

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
        places = packed_places(late, self.steps[-1]) if len(late) > 1 else None
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
    estimates, order = Estimates(term), Order((), (), (), ())
    for axis in axes:
        order = estimates.extended(order, axis)
    return order


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
        total = order.steps[-1] if order.steps else 1.0
        keys, walked = self.met(order.axes, axis)
        steps, work = (*order.steps, total * keys), (*order.work, total * walked)
        return Order((*order.axes, axis), steps, work, (*order.places, self.places(axis)))

    def places(self, axis: Any) -> int | None:
        """How many places the keys of an axis need, if they can have places."""
        if id(axis) not in self.spans:
            runs = self.along[id(axis)]
            spans = [run.access.table.span(run.along) for run in runs]
            lowest, highest = min((lo for lo, _ in spans), default=None), max((hi for _, hi in spans), default=None)
            self.spans[id(axis)] = marks(lowest, highest, max((run.access.table.size for run in runs), default=0))
        return self.spans[id(axis)]

    def met(self, outside: Sequence[Any], axis: Any) -> tuple[float, float]:
        """How many keys an axis takes, given the axes outside of it, and how many steps it takes to find them.

        At most as many keys as the table has that has fewest. The run that was reached last is walked along, and the
        others are asked (see hoist.py), a step each, here and there; unless all runs are full, and are walked together.
        If the last is much longer than the others, it is searched instead. Runs that cannot be kept are sought in.
        """
        lengths: dict[int, list[float]] = {}
        full, sought = True, 0
        loops = {id(a): n for n, a in enumerate(outside)}
        around = frozenset(loops)
        for run in self.along[id(axis)]:
            above = [loops[a] for a in run.others if a in loops]
            at = max(above, default=-1)
            found = self.length(run, around)
            lengths.setdefault(at, []).append(found)
            sought += 0 <= at < len(outside) - 1 and len(above) <= at
            full &= at >= 0 and found >= FULL * run.keys
        if not lengths:
            return 1.0, 1.0
        keys = min(min(found) for found in lengths.values())
        walked = min(lengths[max(lengths)])
        kept = min((min(found) for at, found in lengths.items() if 0 <= at < max(lengths)), default=math.inf)
        halves = sum(1.0 for c in self.term.conditions if c.op not in ("==", "!=") and is_one(axis, c.axes())
                     and all(a is axis or is_one(a, outside) for a in c.axes()))  # fmt: skip
        steps = min(walked, LONGER * kept) / 2.0**halves
        asked = 1 if full else sum(map(len, lengths.values())) + SOUGHT * sought
        return keys / 2.0**halves, steps * asked

    def length(self, run: Run, outside: frozenset[int]) -> float:
        """How long the run of a table along an axis is, on average, given the axes outside, by id."""
        key = (run, outside)
        if key not in self.lengths:
            table, places = run.access.table, run.access.places
            bound = [n for n, a in enumerate(places) if id(a) in outside]
            if len(bound) == 1:
                lengths = table.lengths(bound[0], run.along)
                self.lengths[key] = min(lengths.mean_over(keys) for keys in self.reached(outside, places[bound[0]]))
            else:
                self.lengths[key] = table.distinct([*bound, run.along]) / max(table.distinct(bound), 1)
        return self.lengths[key]

    def reached(self, outside: frozenset[int], through: Any) -> list[Lengths]:
        """The keys of an axis outside, and how often each is reached: as often as another axis outside leads there."""
        found, alone = [], []
        for access in self.term.accesses:
            here = place(access.places, through)
            if here >= 0:
                others = [n for n, a in enumerate(access.places) if n != here and id(a) in outside]
                found += [access.table.lengths(here, n) for n in others]
                alone.append(access.table.lengths(here, here))
        return found or [min(alone, key=lambda lengths: lengths.size)]
