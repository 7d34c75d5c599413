"""The order of axes: which loop stands outside which, by what it is likely to cost.

The cost of an order is how often each of its loops will step. Given the axes outside, an axis takes as many keys as the
table that has fewest for it, on average: rows told apart with it, over rows told apart without it. Where a single key
outside leads to them, the average is over the rows of whichever table led to that key: in a graph, a node that is
reached along an edge has more neighbours than the average node has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from ..notation import Access
from ..table import Lengths
from .term import Term

LONGER = 8  # a run so many times as long as the others is searched, not walked along
# What it costs, in steps, to put rows together that come in no order: nothing, a place for each key, sorting.
PUT_TOGETHER = (0, 2, 20)
FEW = 7  # axes whose orders are all tried; more are chosen one by one


@dataclass
class Order:
    """Axes from the outermost loop to the innermost, how many keys each is expected to take, and in how many steps."""

    axes: tuple[Any, ...]
    steps: tuple[float, ...]
    work: tuple[float, ...]

    def late(self, head: Sequence[Any]) -> list[Any]:
        """The axes of the head that stand inside of one that is summed away: their keys come in no order."""
        axes = list(self.axes)
        while axes and any(axes[0] is h for h in head):
            del axes[0]
        return [a for a in axes if any(a is h for h in head)]

    @property
    def cost(self) -> float:
        return sum(self.work)

    def __str__(self) -> str:
        return " → ".join(f"{axis!r} ({steps:,.0f})" for axis, steps in zip(self.axes, self.steps, strict=True))


def best_order(term: Term, head: Sequence[Any], sortable: bool) -> Order:
    """The cheapest order whose rows come out as they must: in order, if they cannot be put together afterwards."""
    axes = term.axes()
    if len(axes) > FEW:
        return greedy(term, list(head) if head and not sortable else [], list(axes))
    found = [priced(term, order) for order in permutations(axes)]
    costs = {id(order): order.cost + PUT_TOGETHER[min(len(order.late(head)), 2)] * order.steps[-1] for order in found}
    fit = [order for order in found if sortable or not order.late(head)]
    return min(fit, key=lambda order: costs[id(order)])


def greedy(term: Term, first: list[Any], axes: list[Any]) -> Order:
    """One axis after another, each time the one that takes fewest keys; those of `first` come first."""
    chosen: list[Any] = []
    while len(chosen) < len(axes):
        left = [a for a in (first or axes) if not any(a is c for c in chosen)] or [
            a for a in axes if not any(a is c for c in chosen)
        ]
        near = [a for a in left if not chosen or touches(term, a, chosen)] or left
        chosen.append(min(near, key=lambda a: branching(term, chosen, a)))
    return priced(term, chosen)


def touches(term: Term, axis: Any, chosen: list[Any]) -> bool:
    return any(
        any(axis is a for a in access.axes()) and any(c is a for a in access.axes() for c in chosen)
        for access in term.accesses
    )


def priced(term: Term, order: Sequence[Any]) -> Order:
    steps, work, total = [], [], 1.0
    for n, axis in enumerate(order):
        keys, walked = met(term, order[:n], axis)
        work.append(total * walked)
        total *= keys
        steps.append(total)
    return Order(tuple(order), tuple(steps), tuple(work))


def met(term: Term, outside: Sequence[Any], axis: Any) -> tuple[float, float]:
    """How many keys an axis takes, given the axes outside of it, and how many steps it takes to find them.

    At most as many keys as the table has that has fewest. The run that was reached last is walked along, and the others
    are asked (see hoist.py); unless it is so much longer than those that it is searched.
    """
    lengths: dict[int, list[float]] = {}
    for access in term.accesses:
        if any(place is axis for place in access.places):
            at = max((n for n, a in enumerate(outside) if any(place is a for place in access.places)), default=-1)
            lengths.setdefault(at, []).append(length(term, outside, access, axis))
    if not lengths:
        return 1.0, 1.0
    keys = min(min(found) for found in lengths.values())
    walked = min(lengths[max(lengths)])
    kept = min((min(found) for at, found in lengths.items() if 0 <= at < max(lengths)), default=math.inf)
    halves = sum(1.0 for c in term.conditions if c.op not in ("==", "!=") and any(axis is a for a in c.axes())
                 and all(a is axis or any(a is o for o in outside) for a in c.axes()))  # fmt: skip
    return keys / 2.0**halves, min(walked, LONGER * kept) / 2.0**halves


def length(term: Term, outside: Sequence[Any], access: Access, axis: Any) -> float:
    """How long the run of a table along an axis is, on average, given the axes outside."""
    table = access.table
    along = next(n for n, place in enumerate(access.places) if place is axis)
    bound = [n for n, place in enumerate(access.places) if any(place is a for a in outside)]
    if len(bound) != 1:
        return float(table.distinct([*bound, along]) / max(table.distinct(bound), 1))
    lengths = table.lengths(bound[0], along)
    return min(lengths.mean_over(keys) for keys in reached(term, outside, access.places[bound[0]]))


def reached(term: Term, outside: Sequence[Any], through: Any) -> list[Lengths]:
    """The keys of an axis outside, and how often each is reached: as often as another axis outside leads there."""
    found, alone = [], []
    for access in term.accesses:
        here = next((n for n, place in enumerate(access.places) if place is through), None)
        if here is not None:
            others = [n for n, place in enumerate(access.places) if n != here and any(place is a for a in outside)]
            found += [access.table.lengths(here, n) for n in others]
            alone.append(access.table.lengths(here, here))
    return found or [min(alone, key=lambda lengths: lengths.keys.size)]


def branching(term: Term, outside: Sequence[Any], axis: Any) -> float:
    """How many keys an axis takes, given the axes outside of it."""
    return met(term, outside, axis)[0]
