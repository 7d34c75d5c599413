"""Factors of a text that meet nothing: most often a slip, `O(customer) * C(c, city)` for `O(c) * C(c, city)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .axes import Axis, Condition, Derivation, Where
from .expression import Added, Expression, Product, is_one, unique


def told_apart(inner: Expression, head: Sequence[Axis], written: Callable[[Expression], str]) -> Iterator[str]:
    """A line for each group of factors that shares no axis with the rest of its product, and has none in the head.

    `written` says how a factor stands in the text. What stands inside of a factor is not looked into.
    """
    for product in addends(inner):
        groups = connected([factor for factor in factors(product) if factor.axes()])
        lonely = [group for group in groups if not any(is_one(axis, head) for axis in axes_of(group))]
        if len(lonely) == len(groups):
            lonely = lonely[1:]  # of those that are all summed, the first is the rest
        for group in lonely:
            names = " * ".join(written(each) for each in group if not isinstance(each, Condition | Derivation | Where))
            rest = axes_of([each for other in groups if other is not group for each in other])
            yield (
                f"{names} shares no axis with the rest: it is summed by itself, and multiplied with all of it. "
                f"If they shall meet, name the same axis in both: the rest has {', '.join(map(repr, rest))}."
            )


def addends(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Added):
        yield from addends(expression.one)
        yield from addends(expression.two)
    else:
        yield expression


def factors(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Product):
        for factor in expression.factors:
            yield from factors(factor)
    else:
        yield expression


def connected(factors: Sequence[Expression]) -> list[list[Expression]]:
    """Factors in groups: two are in one if they share an axis, or both share one with a third."""
    groups: list[list[Expression]] = []
    for factor in factors:
        met = [group for group in groups if any(is_one(axis, axes_of(group)) for axis in factor.axes())]
        joined = [each for group in met for each in group]
        groups = [group for group in groups if not any(group is other for other in met)]
        groups.append([*joined, factor])
    return groups


def axes_of(group: Sequence[Expression]) -> tuple[Any, ...]:
    return unique(axis for each in group for axis in each.axes())
