"""Captured numbers: those that a user's function finds in its closure, its defaults or its module.

    >>> factor = captured(2.5, "factor")
    >>> factor * 2, (factor * 2).origin
    (5.0, ('mul', 'factor', 2))

They are constants of the emitted code, and better code for it, but they are marked: when the same code comes back with
other numbers, the marked ones become parameters instead of a third compile. Arithmetic on them happens here and now
and gives marked numbers again; a comparison gives a plain truth value, so what a function *does* with them is decided
while it is traced.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Hashable
from typing import Any


class Captured:
    """A number with an origin: how it came about, the same whenever the same function is traced."""

    origin: Hashable


class CapturedInt(int, Captured):
    pass


class CapturedFloat(float, Captured):
    pass


def captured(value: Any, origin: Hashable) -> Any:
    """The number, marked."""
    made: Any = CapturedFloat(value) if isinstance(value, float) else CapturedInt(value)
    made.origin = origin
    return made


def plain(x: Any) -> Any:
    return float(x) if isinstance(x, float) else int(x)


def _lift(name: str, function: Callable[..., Any]) -> None:
    def method(self: Any, *others: Any) -> Any:
        if not all(isinstance(x, int | float) for x in others):
            return NotImplemented
        result = function(plain(self), *map(plain, others))
        if isinstance(result, complex):
            return result
        origins = tuple(x.origin if isinstance(x, Captured) else x for x in (self, *others))
        return captured(result, (name, *origins))

    def reflected(self: Any, other: Any) -> Any:
        if not isinstance(other, int | float):
            return NotImplemented
        result = function(plain(other), plain(self))
        return result if isinstance(result, complex) else captured(result, (name, other, self.origin))

    for cls in (CapturedInt, CapturedFloat):
        setattr(cls, f"__{name}__", method)
        if name not in ("neg", "abs", "pos"):
            setattr(cls, f"__r{name}__", reflected)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "abs", "pos"):
    _lift(_name, getattr(operator, _name))


def with_captured(f: Callable[..., Any], cells: dict[Hashable, Hashable]) -> Callable[..., Any]:
    """f with the numbers that it captures marked. `cells` numbers the variables in the order they are met.

    Functions that f captures are treated likewise, so a helper's numbers are marked too.
    """
    marked: Callable[..., Any] = _wrap(f, cells, {})
    return marked


def _wrap(f: Any, cells: dict[Hashable, Hashable], done: dict[int, Any]) -> Any:
    if not isinstance(f, types.FunctionType) or (f.__module__ or "").partition(".")[0] == "skipstone":
        return f
    if id(f) in done:
        return done[id(f)]
    done[id(f)] = f  # a function that captures itself is left as it is

    def mark(value: Any, name: str) -> Any:
        if isinstance(value, Captured | bool):
            return value
        if isinstance(value, int | float):
            # By what it is called, where, and what it is: functions of one code are many, a variable may be assigned
            # to while the trace goes on, and a function that is run again must find its numbers where they were.
            where = (id(f.__code__), name, type(value).__name__, repr(value))
            return captured(value, cells.setdefault(where, (len(cells), name)))
        if isinstance(value, types.FunctionType):
            return _wrap(value, cells, done)
        return value

    closure = f.__closure__
    if closure is not None:
        new_cells = []
        for name, cell in zip(f.__code__.co_freevars, closure, strict=True):
            try:
                held = cell.cell_contents
            except ValueError:  # not assigned yet
                new_cells.append(cell)
                continue
            new = mark(held, name)
            new_cells.append(cell if new is held else types.CellType(new))
        closure = tuple(new_cells)
    module = f.__globals__
    changed = {
        name: new
        for name in f.__code__.co_names
        if name in module and (new := mark(module[name], name)) is not module[name]
    }
    if changed:
        module = {**module, **changed}
    defaults = f.__defaults__ and tuple(mark(v, f"default_{n}") for n, v in enumerate(f.__defaults__))
    keywords = f.__kwdefaults__ and {n: mark(v, n) for n, v in f.__kwdefaults__.items()}
    made = types.FunctionType(f.__code__, module, f.__name__, defaults, closure)
    made.__kwdefaults__ = keywords
    done[id(f)] = made
    return made
