"""Sums pushed inward: a part of a product that hangs on the rest by one axis is summed by itself first.

Take away an axis, or the two axes of one table, and the others fall apart into parts that share no table. A part
without an axis of the head can then be summed on its own, once, into a table over what was taken away, instead of once
for every row of the rest. So a chain costs its length, and two triangles joined by an edge cost two triangles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from typing import Any

from ..algebra import Semiring
from ..notation import Access, place
from .prepare import Prepared, Walk
from .term import bare

MANY = 6  # axes whose names are not tried in every order
Sub = Callable[[Prepared, tuple[Any, ...]], Any]  # runs a part, with a head: a table, or a number


def eliminated(term: Prepared, head: Sequence[Any], semiring: Semiring, run: Sub) -> Prepared:
    """The product with every part that can be summed by itself replaced by its sum."""
    while semiring.distributes:
        found = next(parts(term, head), None)
        if found is None:
            return term
        cut, part = found
        term = without(term, cut, part, run)
    return term


def parts(term: Prepared, head: Sequence[Any]) -> Iterator[tuple[tuple[Any, ...], list[Any]]]:
    """(what is taken away, a part that falls off and has no axis of the head)."""
    axes = {id(a): a for walk in term.walks for a in walk.axes}
    cuts: list[tuple[Any, ...]] = [(), *((a,) for a in axes.values())]
    cuts += [pair for walk in term.walks for pair in combinations(walk.axes, 2)]
    for cut in cuts:
        falling = components(term, [a for a in axes.values() if not any(a is c for c in cut)])
        alone = len(falling) == 1 and len(cut) == 1 and beside(term, cut, falling[0])
        if len(falling) < 2 and not (alone and not any(cut[0] is h for h in head)):
            continue  # nothing falls off; or all of it, and the loop over the cut is there in any case
        for part in sorted(falling, key=len):
            if not any(a is h for a in part for h in head) and summable(term, cut, part):
                yield cut, part


def summable(term: Prepared, cut: tuple[Any, ...], part: list[Any]) -> bool:
    """Whether a part's own tables hold the keys of the cut, and all values that its functions look at.

    Where only a condition ties it to the cut, they do not hold its keys. And a function may look at a value of the cut.
    """

    def inside(axes: Sequence[Any]) -> bool:
        return any(a is b for a in axes for b in part)

    touching = [walk for walk in term.walks if inside(walk.axes)]
    looked_at = [x.axes() for f in (*term.factors, *term.tests) if inside(f.axes()) for x in f.tables()]
    return all(any(c is a for walk in touching for a in walk.axes) for c in cut) and all(map(inside, looked_at))


def beside(term: Prepared, cut: tuple[Any, ...], part: list[Any]) -> bool:
    """Whether something else hangs on the cut than that part."""
    return any(not any(a is b for a in walk.axes for b in part) for walk in term.walks)


def components(term: Prepared, axes: list[Any]) -> list[list[Any]]:
    """The axes in groups that share a table, a condition or a function."""
    groups: list[list[Any]] = []
    links = [walk.axes for walk in (*term.walks, *term.absents, *term.optionals)]
    ties: list[Any] = [*term.conditions, *term.factors, *term.tests]
    links += [tie.axes() for tie in ties]
    for axis in axes:
        mine, others = [axis], []
        for group in groups:
            near = any(any(axis is a for a in link) and any(b is a for a in link for b in group) for link in links)
            if near:
                mine += group
            else:
                others.append(group)
        groups = [*others, mine]
    return groups


def pattern(part: Prepared, cut: Sequence[Any]) -> tuple[Any, ...]:
    """What a part looks like, whatever its axes are called: the same for parts that have the same sum.

    One with a function in it is like no other.
    """
    if not part.plain:
        return (object(),)
    inner = [a for a in {id(a): a for walk in part.walks for a in walk.axes}.values() if not any(a is c for c in cut)]

    def named(axes: Sequence[Any]) -> tuple[Any, ...]:
        number = {id(a): n for n, a in enumerate((*cut, *axes))}
        walks = sorted(
            (
                kind,
                id(walk.table),
                walk.silent,
                str(getattr(walk.source, "otherwise", "")),
                *(number[id(a)] for a in walk.axes),
            )
            for kind, found in enumerate((part.walks, part.absents, part.optionals))
            for walk in found
        )
        conditions = (
            (c.op, *(str(number.get(id(x), (type(x), x))) for x in (c.left, c.right))) for c in part.conditions
        )
        return tuple(walks), tuple(sorted(conditions))

    return min(map(named, permutations(inner) if len(inner) < MANY else [inner]))


def without(term: Prepared, cut: tuple[Any, ...], part: list[Any], run: Sub) -> Prepared:
    """The product with one part summed into a table over the cut; into a number, where there is no cut."""

    def inside(link: Sequence[Any]) -> bool:
        return any(a is b for a in link for b in part)

    falling = [walk for walk in term.walks if inside(walk.axes)]
    staying = [walk for walk in term.walks if not inside(walk.axes)]
    walks = list(falling)
    # Only what the rest could ask for: the part is held to the keys of whichever table of the rest has fewest.
    holding = [
        w.table.projected([place(w.axes, c) for c in cut]) for w in staying if all(place(w.axes, c) >= 0 for c in cut)
    ]
    if cut and holding:
        held = min(holding, key=lambda table: table.distinct(range(len(cut))))
        walks.append(Walk(Access(held, cut), held, cut, silent=True))
    # What ties a part to nothing but itself and the cut goes with it.
    inner = replace(
        term,
        walks=walks,
        absents=[w for w in term.absents if inside(w.axes)],
        optionals=[w for w in term.optionals if inside(w.axes)],
        conditions=[c for c in term.conditions if inside(c.axes())],
        factors=[f for f in term.factors if inside(f.axes())],
        tests=[t for t in term.tests if inside(t.axes())],
        numbers=(),
        notes=[],
    )
    found = run(inner, cut)
    summed = [Walk(Access(found, cut), found, cut)] if cut else []
    return replace(
        term,
        walks=[*staying, *summed],
        absents=[w for w in term.absents if not inside(w.axes)],
        optionals=[w for w in term.optionals if not inside(w.axes)],
        conditions=[c for c in term.conditions if not inside(c.axes())],
        factors=[f for f in term.factors if not inside(f.axes())] + [bare(walk.source) for walk in summed],
        tests=[t for t in term.tests if not inside(t.axes())],
        numbers=term.numbers if cut else (*term.numbers, found),
        notes=[*term.notes, f"summed first: {', '.join(map(repr, part))} over ({', '.join(map(repr, cut))})"],
        impossible=term.impossible or found is None,
    )
