"""The order of axes: which loop stands outside which, by what it is likely to cost.

The cost of an order is how often each of its loops will step. Given the axes outside, an axis takes as many keys as the
table that has fewest for it, on average: rows told apart with it, over rows told apart without it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from .term import Term

FEW = 7  # axes whose orders are all tried; more are chosen one by one


@dataclass
class Order:
    """Axes from the outermost loop to the innermost, and how often each is expected to step."""

    axes: tuple[Any, ...]
    steps: tuple[float, ...]

    @property
    def cost(self) -> float:
        return sum(self.steps)

    def __str__(self) -> str:
        return " → ".join(f"{axis!r} ({steps:,.0f})" for axis, steps in zip(self.axes, self.steps, strict=True))


def best_order(term: Term, head: Sequence[Any], sortable: bool) -> Order:
    """The cheapest order that begins with the head, or of all, if what comes out of order can be sorted."""
    axes = term.axes()
    inside = [a for a in axes if not any(a is h for h in head)]
    if len(axes) > FEW:
        return greedy(term, list(head) if head and not sortable else [], list(axes))
    found = [priced(term, order) for order in permutations(axes) if begins_with(order, head)]
    if sortable and head and inside:
        for order in permutations(axes):
            if not begins_with(order, head):
                priced_order = priced(term, order)
                # What comes out must be sorted: about as much as twenty steps a row.
                found.append(Order(priced_order.axes, (*priced_order.steps[:-1], 20 * priced_order.steps[-1])))
    return min(found, key=lambda order: order.cost)


def begins_with(order: Sequence[Any], head: Sequence[Any]) -> bool:
    first = order[: len(head)]
    return all(any(a is h for h in head) for a in first)


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
    steps, total = [], 1.0
    for n, axis in enumerate(order):
        total *= branching(term, order[:n], axis)
        steps.append(total)
    return Order(tuple(order), tuple(steps))


def branching(term: Term, outside: Sequence[Any], axis: Any) -> float:
    """How many keys an axis takes, given the axes outside of it: as few as the table that has fewest."""
    fewest = math.inf
    for access in term.accesses:
        places = [n for n, place in enumerate(access.places) if place is axis]
        if not places:
            continue
        bound = [n for n, place in enumerate(access.places) if any(place is a for a in outside)]
        with_it = access.table.distinct([*bound, *places])
        fewest = min(fewest, float(with_it / max(access.table.distinct(bound), 1)))
    if fewest is math.inf:
        return 1.0
    halves = sum(1.0 for c in term.conditions if c.op not in ("==", "!=") and any(axis is a for a in c.axes())
                 and all(a is axis or any(a is o for o in outside) for a in c.axes()))  # fmt: skip
    return float(fewest / 2.0**halves)
