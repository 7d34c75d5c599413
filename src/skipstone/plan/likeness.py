"""When two products are run by the same loops: equal in everything but the arrays that they read.

A kernel is found again by its likeness, without tracing. So whatever the emitted code depends on must be in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..algebra import is_known
from ..storage import Column
from ..storage.levels import Placed, Spread
from .meeting import levels_of

if TYPE_CHECKING:
    from .loops import Loops


def likeness(loops: Loops) -> Any:
    """What the loops depend on; None if it cannot be told."""
    term, makes = loops.term, [walk.table.make for walk in loops.walks]
    inner = [(likeness(within.loops), within.after, within.level) for within in loops.within]
    untold = any(alike is None for alike, _, _ in inner)
    used = () if loops.used is None else loops.used.likeness(loops)
    if not is_known(loops.semiring) or untold or used is None:
        return None
    if not all(m is None or isinstance(m, type) for m in makes):
        return None
    at = {id(axis): n for n, axis in enumerate(loops.order)}
    # Which walks are of the same table, and which read the same copy of it: E[a, b] and E[a, c] do, E[c, a] does not.
    first = {id(walk.table): n for n, walk in reversed(list(enumerate(loops.walks)))}
    copy = {id(trie): n for n, trie in reversed(list(enumerate(loops.tries)))}
    told = (
        [
            (
                first[id(walk.table)],
                copy[id(trie)],
                walk.silent,
                [at[id(a)] for a in along],
                [format_of(part) for part in parts_of(trie)],
            )
            for walk, along, trie in zip(loops.walks, loops.along, loops.tries, strict=True)
        ],
        [getattr(make, "_fields", None) for make in makes],
        [getattr(walk.source, "otherwise", None) for walk in term.optionals],
        len(term.absents),
        [(c.op, *(at.get(id(x), (type(x), x)) for x in (c.left, c.right))) for c in term.conditions],
        [term.domains[id(axis)].kind for axis in loops.order],
        [(type(x), x) for x in term.numbers],
        [at[id(a)] for a in loops.head],
        len(loops.packed),
        [(len(factors), len(numbers)) for factors, numbers in loops.multiplied],
        loops.runs.likeness(loops.sliced),
        inner,
        (loops.semiring.zero, loops.semiring.one, loops.semiring.enough),  # of which 0 == 0.0 == False
    )
    made = tuple(factor.form for factor in term.factors), tuple(test.form for test in term.tests)
    return repr(told), form(made, loops, at), loops.semiring, used


def form(x: Any, loops: Loops, at: dict[int, int]) -> Any:
    """How a value is made, with numbers for walks and axes. Functions stand for themselves."""
    if isinstance(x, tuple):
        return tuple(form(part, loops, at) for part in x)
    if id(x) in at:
        return "axis", at[id(x)]
    if id(x) in loops.term.constants:
        return "constant", repr(loops.term.constants[id(x)])
    walk = next((n for n, walk in enumerate(loops.walks) if walk.source is x), None)
    return ("walk", walk) if walk is not None else x if callable(x) else repr(x)


def sources(loops: Loops, bounds: tuple[Any, Any]) -> list[Any]:
    """Everything that the loops may read, in an order that is the same for all that are alike."""
    inner = [part for within in loops.within for part in sources(within.loops, (None, None))]
    places = [*loops.runs.places, loops.packed_places, *(within.places for within in loops.within)]
    return [*(part for trie in loops.tries for part in parts_of(trie)), *bounds, *places, *inner]


def parts_of(trie: Any) -> list[Any]:
    """The arrays and sizes of a trie, from the outermost level inward."""
    found: list[Any] = []
    for level in levels_of(trie):
        match level:
            case Spread():
                found.append(level.size)
            case Placed():
                found += [level.keys, level.size]
            case _:
                found += [level.keys, level.starts]
        leaf = level.inner
    return [*found, *leaf.columns]


def format_of(part: Any) -> str:
    """What code that reads an array or a size depends on."""
    return str(part.array.dtype) if isinstance(part, Column) else type(part).__name__
