"""Whether a query is acyclic, and in which order its factors are joined: leaves of a join tree first (GYO)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ...notation import Expression, Product

Axes = tuple[Any, ...]


def factors_of(expression: Expression) -> tuple[Expression, ...]:
    """The factors of a product, and of products in it."""
    if not isinstance(expression, Product):
        return (expression,)
    return tuple(one for factor in expression.factors for one in factors_of(factor))


def is_acyclic(edges: Sequence[Axes]) -> bool:
    """Whether factors with these axes form a join tree.

    >>> is_acyclic([("a", "b"), ("b", "c"), ("c", "d")]), is_acyclic([("a", "b"), ("b", "c"), ("a", "c")])
    (True, False)
    """
    left = [edge for edge in edges if edge]
    while len(left) > 1:
        leaf = found_leaf(left)
        if leaf is None:
            return False
        del left[leaf[0]]
    return True


def found_leaf(
    edges: Sequence[Axes], waiting: Sequence[Axes] = (), sets: Collection[int] = ()
) -> tuple[int, int] | None:
    """The numbers of a factor and of one that has all its axes that anyone else needs.

    First sets (by number) of which the other has every axis: they make it smaller. Then those that share some. A bag or
    values would make it smaller too, but Spark takes what is joined for much larger than its parts, and would then send
    whatever it meets next to every task.

    `waiting` are the axes of conditions that are not met yet.
    """
    ways: list[tuple[int, int, int]] = []
    for n, edge in enumerate(edges):
        others = [*(e for m, e in enumerate(edges) if m != n), *waiting]
        needed = [a for a in edge if any(a is b for other in others for b in other)]
        for m, other in enumerate(edges):
            if m != n and all(any(a is b for b in other) for a in needed):
                ways.append((0 if n in sets and len(needed) == len(edge) else 1 if needed else 2, n, m))
    return min(ways)[1:] if ways else None


def next_leaf(edges: Sequence[Axes], waiting: Sequence[Axes], sets: Collection[int]) -> tuple[int, int]:
    """The factor to join next, and the one to join it with; where there is no leaf, the two that share most."""
    found = found_leaf(edges, waiting, sets)
    if found is not None:
        return found
    pairs = [(n, m) for n, _ in enumerate(edges) for m in range(n)]
    return max(pairs, key=lambda pair: sum(any(a is b for b in edges[pair[1]]) for a in edges[pair[0]]))
