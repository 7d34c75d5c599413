"""Values with parts: numbers, tuples, named tuples, streams. How to take one apart, and to put it together again.

    >>> leaves((1, (2.5, True)))
    [1, 2.5, True]
    >>> rebuild((1, (2.5, True)), iter("abc"))
    ('a', ('b', 'c'))

A stream is a composite too: its fields are its parts, so a stream can be the value of another stream, the result of a
branch, or part of a state. And so is a function with a number in its closure: `row.filter(lambda j, v: v > i)` is a
stream whose function holds on to an i that is only known at run time.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator
from typing import Any


def parts(x: Any) -> list[Any] | None:
    """What x is made of, or None if it has no parts."""
    if isinstance(x, tuple):
        return list(x)
    if getattr(type(x), "__composite__", False):
        return [getattr(x, f.name) for f in dataclasses.fields(x)]
    if isinstance(x, types.FunctionType) and holds_numbers(x, ()):
        return [held(cell) for cell in x.__closure__ or ()]
    return None


def leaves(x: Any) -> list[Any]:
    """The parts of x that have no parts, from left to right."""
    inner = parts(x)
    return [x] if inner is None else [leaf for part in inner for leaf in leaves(part)]


def rebuild(x: Any, new: Iterator[Any]) -> Any:
    """x with its leaves replaced, from left to right."""
    inner = parts(x)
    if inner is None:
        return next(new)
    made = [rebuild(part, new) for part in inner]
    if isinstance(x, tuple):
        return type(x)(*made) if hasattr(x, "_fields") else tuple(made)
    if isinstance(x, types.FunctionType):
        cells = tuple(types.CellType(value) for value in made)
        function = types.FunctionType(x.__code__, x.__globals__, x.__name__, x.__defaults__, cells)
        function.__kwdefaults__ = x.__kwdefaults__
        return function
    return type(x)(**{f.name: part for f, part in zip(dataclasses.fields(x), made, strict=True)})


def shape(x: Any) -> Any:
    """What two values must have in common to be the results of the two sides of one branch."""
    inner = parts(x)
    if inner is None:
        return None
    return (x.__code__ if isinstance(x, types.FunctionType) else type(x), *map(shape, inner))


def held(cell: Any) -> Any:
    """What a variable of a closure holds; nothing yet, if it was not assigned."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def holds_numbers(x: Any, above: tuple[int, ...]) -> bool:
    """Whether a number or a symbol is somewhere in x. `above`: the functions around x; one may hold itself."""
    if isinstance(x, int | float) or getattr(type(x), "__symbolic__", False):
        return True
    if isinstance(x, types.FunctionType):
        if id(x) in above:
            return False
        return any(holds_numbers(held(cell), (*above, id(x))) for cell in x.__closure__ or ())
    if isinstance(x, tuple):
        return any(holds_numbers(part, above) for part in x)
    if getattr(type(x), "__composite__", False):
        return any(holds_numbers(getattr(x, f.name), above) for f in dataclasses.fields(x))
    return False
