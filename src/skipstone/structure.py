"""Values with parts: numbers, tuples, named tuples, streams. How to take one apart, and to put it together again.

    >>> leaves((1, (2.5, True)))
    [1, 2.5, True]
    >>> rebuild((1, (2.5, True)), iter("abc"))
    ('a', ('b', 'c'))

A stream is a composite too: its fields are its parts, so a stream can be the value of another stream, the result of a
branch, or part of a state.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any


def is_composite(x: Any) -> bool:
    """Whether x is a dataclass that declares itself made of its fields."""
    return getattr(type(x), "__composite__", False)


def leaves(x: Any) -> list[Any]:
    """The parts of x that have no parts, from left to right."""
    if isinstance(x, tuple):
        return [leaf for part in x for leaf in leaves(part)]
    if is_composite(x):
        return [leaf for f in dataclasses.fields(x) for leaf in leaves(getattr(x, f.name))]
    return [x]


def rebuild(x: Any, new: Iterator[Any]) -> Any:
    """x with its leaves replaced, from left to right."""
    if isinstance(x, tuple):
        parts = [rebuild(part, new) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    if is_composite(x):
        return type(x)(**{f.name: rebuild(getattr(x, f.name), new) for f in dataclasses.fields(x)})
    return next(new)


def shape(x: Any) -> Any:
    """What two values must have in common to be the results of the two sides of one branch."""
    if isinstance(x, tuple):
        return (type(x), *map(shape, x))
    if is_composite(x):
        return (type(x), *(shape(getattr(x, f.name)) for f in dataclasses.fields(x)))
    return None
