"""Sums within the loops: a part that hangs on the rest by two axes which no table holds together.

Take away two opposite corners of a four-cycle, and the other two fall apart. The paths through one of them, counted by
their ends, would make a large table; but for each key of the first corner they are a row that fits a workspace, filled
once and asked by the loops over the rest. So a four-cycle costs its paths of length two, and no table is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ..algebra import Semiring, plus_times
from ..notation import Access, place
from ..storage.workspace import Sums
from ..words import Parameter
from .eliminate import components, summable
from .hoist import is_marked
from .order import Order, best_order
from .prepare import Inner, Prepared
from .term import Term

if TYPE_CHECKING:
    from .loops import Loops
    from .meeting import Held

ROUGHLY = 100  # beginnings of orders that are looked at for each way to divide a product
GAIN = 0.7  # of the cost that may be left, for it to be worth while
SHORT = 2**12  # rows of all tables together, and
BRIEF = 2**14  # steps that take less time than planning a part: some 30 µs, of 500
STEPS = 1  # for each row of its tables, that a product with functions may take as it is


def cut_within(term: Prepared, head: Sequence[Any], semiring: Semiring) -> tuple[Any, ...] | None:
    """The two axes by which parts are best divided from the rest, to be summed within its loops; none if none gain."""
    ties = term.absents or term.optionals or term.tests
    sortable = not head or semiring.plus is plus_times.plus
    if not semiring.distributes or ties or not sortable or len(term.walks) < 4:
        return None
    axes = list({id(a): a for walk in term.walks for a in walk.axes}.values())
    least, found = GAIN * cost(term, head), None
    for cut in combinations(axes, 2):
        if all(can_be_asked(term, axis) for axis in cut):
            divided = taken_out(term, cut, head)
            if divided is not None and (total := cost(divided, head)) < least:
                least, found = total, cut
    return found


def within_fits(term: Prepared, cut: Any) -> bool:
    """Whether a cut that was decided on earlier can be made in a product."""
    if cut is None:
        return True
    there = isinstance(cut, tuple) and all(any(place(walk.axes, axis) >= 0 for walk in term.walks) for axis in cut)
    return there and all(can_be_asked(term, axis) for axis in cut)


def taken_out(term: Prepared, cut: tuple[Any, ...], head: Sequence[Any]) -> Prepared | None:
    """The product without the parts that fall off when two axes are taken away, all but one of them."""
    if any(all(place(walk.axes, a) >= 0 for a in cut) for walk in term.walks):
        return None
    axes = {id(a): a for walk in term.walks for a in walk.axes if not any(a is c for c in cut)}
    parts = [p for p in components(term, list(axes.values())) if summable(term, cut, p)]
    inner = [p for p in parts if not any(a is h for a in p for h in head)]
    inner = inner[1:] if len(inner) == len(parts) else inner
    if not inner:
        return None
    staying, conditions, factors = list(term.walks), list(term.conditions), list(term.factors)
    inners, notes = [], list(term.notes)
    for part in inner:

        def inside(link: Sequence[Any], part: list[Any] = part) -> bool:
            return any(a is b for a in link for b in part)

        walks = [walk for walk in staying if inside(walk.axes)]
        own = replace(
            term,
            walks=walks,
            conditions=[c for c in conditions if inside(c.axes())],
            factors=[f for f in factors if inside(f.axes())],
            numbers=(),
            notes=[],
        )
        inners.append(Inner(own, cut))
        staying = [walk for walk in staying if not inside(walk.axes)]
        conditions = [c for c in conditions if not inside(c.axes())]
        factors = [f for f in factors if not inside(f.axes())]
        notes.append(f"summed within the loops: {', '.join(map(repr, part))} over ({', '.join(map(repr, cut))})")
    return replace(term, walks=staying, conditions=conditions, factors=factors, inners=inners, notes=notes)


def can_be_asked(term: Prepared, axis: Any) -> bool:
    """Whether there can be a place for each key of an axis."""
    walked = [n for n, walk in enumerate(term.walks) if place(walk.axes, axis) >= 0]
    return term.domains[id(axis)].kind != "float" and is_marked(term.walks, walked, axis)


def is_brief(term: Prepared, head: Sequence[Any]) -> bool:
    """Whether a product is done sooner as it is than a part of it is planned, and run by itself.

    One with functions in it is, too, if it takes no more steps than its tables have rows: a part with a function is
    summed for all rows of the part, and most of them may never meet the rest.
    """
    most = max(BRIEF if is_short(term) else 0, 0 if term.plain else STEPS * rows(term))
    return most > 0 and cost(term, head) <= most


def may_be_brief(term: Prepared) -> bool:
    """Whether a product that was found to be brief can still be."""
    return is_short(term) or not term.plain


def is_short(term: Prepared) -> bool:
    return rows(term) <= SHORT


def rows(term: Prepared) -> int:
    """How many rows its tables have."""
    return sum(walk.table.size for walk in (*term.walks, *term.absents, *term.optionals))


def cost(term: Prepared, head: Sequence[Any]) -> float:
    """What the product is expected to take, in steps, parts included."""
    order = outer_order(term, head, lambda axes: True, ROUGHLY)
    return order.cost(head) + sum(inner_order(inner, order).cost() for inner in term.inners)


def outer_order(term: Prepared, head: Sequence[Any], may_be_late: Callable[[list[Any]], bool], trials: int) -> Order:
    """The order of a product's loops. Parts within them are summed once for each key of the outermost."""
    walked = walked_term(term)
    if not term.inners:
        return best_order(walked, head, may_be_late, trials=trials)
    orders = [best_order(walked, head, may_be_late, [axis], trials) for axis in term.inners[0].cut]
    return min(orders, key=lambda order: order.cost(head))


def inner_order(inner: Inner, outer: Order) -> Order:
    """The order of a part's loops: the axis of the cut that comes first outside, then whatever is cheapest."""
    first, _ = ends(inner, outer)
    return best_order(walked_term(inner.part), inner.cut, lambda axes: True, [first], ROUGHLY)


def ends(inner: Inner, outer: Order) -> tuple[Any, Any]:
    """The two axes of the cut, as the loops outside come to them."""
    one, two = [a for a in outer.axes if any(a is c for c in inner.cut)]
    return one, two


def walked_term(term: Prepared) -> Term:
    """What a product looks like to the search for an order."""
    return Term([Access(walk.table, walk.axes) for walk in term.walks], conditions=term.conditions)


@dataclass(frozen=True, eq=False)
class Within:
    """The loops of a part that is summed in the body of loop `after`, over axis `first`, and asked in loop `level`."""

    loops: Loops
    first: Any
    after: int
    level: int
    places: Parameter

    def filled(self, key: Any, held: Held) -> Sums:
        """The sums for one key of the axis outside, given what its loops hold before they begin."""
        sums = Sums(self.places, self.loops.semiring.plus)
        sums.empty()
        loops = copy(self.loops)  # there may be other threads here
        loops.pins = {id(self.first): key}
        sums.pour(loops.loop(0, held, ()))
        return sums
