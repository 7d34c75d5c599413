"""The same expression over other tables: what an engine does that runs it elsewhere, or on a part of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from .expression import Access, Aggregate, Expression

Change = Callable[[Expression, tuple[Any, ...]], Expression | None]


def rebound(expression: Expression, change: Change, hidden: tuple[Any, ...] = ()) -> Expression:
    """The expression with parts replaced: `change(part, hidden)` gives what stands for a part, or None to look inside.

    `hidden` are the axes that a sum around the part has for itself: outside of it, the same names mean other keys. What
    was remembered about the old tables is forgotten.
    """
    changed = change(expression, hidden)
    if changed is not None:
        return changed
    if isinstance(expression, Aggregate):
        hidden = (*hidden, *expression.along)
    new: dict[str, Any] = {}
    for field in fields(expression):
        part = getattr(expression, field.name)
        if isinstance(part, Expression):
            new[field.name] = rebound(part, change, hidden)
        elif field.name == "factors":
            new[field.name] = tuple(rebound(factor, change, hidden) for factor in part)
        elif field.name == "results":
            new[field.name] = {}
    return replace(expression, **new)


def accesses(expression: Expression) -> Iterator[Access]:
    """Every access to a table that stands in an expression."""
    if isinstance(expression, Access):
        yield expression
    for field in fields(expression):
        part = getattr(expression, field.name)
        for inner in part if field.name == "factors" else (part,):
            if isinstance(inner, Expression):
                yield from accesses(inner)
