"""Values that come one by one: columns that take their types from the first value, and widen where a later one asks.

A column holds 64 bits a place, whatever its type: integers, floats, or truth values as 0 and 1. So all of them are rows
of one array, and a structure that moves a key to another place moves its values without knowing what they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import UnsupportedValue
from .collection import together
from .column import EXACT, Array, Column
from .levels import Leaf

WIDER = (bool, int, float)  # each of them holds the values of those before it
Maker = Callable[..., Any] | None  # makes a value of its parts; None for a number


class Values:
    """The values at the places of a map: rows of columns, their types, and what makes a value of its parts."""

    def __init__(self, places: int, kinds: tuple[type, ...] | None = None, make: Maker = None) -> None:
        self.kinds, self.make = kinds, make  # no kinds yet: the first value will say
        self.rows: Array = np.zeros((len(kinds or (int,)), places), np.int64)

    @property
    def fast(self) -> Array | None:
        """The one column, where a value is an integer or a float."""
        return self.column(0) if self.kinds in ((int,), (float,)) and self.make is None else None

    def column(self, n: int) -> Array:
        """Column number n, all places."""
        row: Array = self.rows[n]
        return row.view(np.float64) if self.kinds is not None and self.kinds[n] is float else row

    def at(self, place: int) -> Any:
        """The value at a place."""
        parts = [kind(self.column(n).item(place)) for n, kind in enumerate(self.kinds or ())]
        return parts[0] if self.make is None else self.make(*parts)

    def put(self, place: int, parts: tuple[Any, ...]) -> None:
        for n, x in enumerate(parts):
            self.column(n)[place] = x

    def columns(self, places: Array) -> list[Array]:
        """The columns at these places, truth values as such."""
        found = [self.column(n)[places] for n, _ in enumerate(self.kinds or ())]
        return [c != 0 if kind is bool else c for c, kind in zip(found, self.kinds or (), strict=True)]

    def listed(self, places: Array) -> list[Any]:
        """The values at these places, as Python's own."""
        lists = [column.tolist() for column in self.columns(places)]
        if self.make is None:
            return lists[0] if lists else []
        return [self.make(*parts) for parts in zip(*lists, strict=True)]

    def leaf(self, owner: object) -> Leaf:
        """These values as a stream reads them."""
        kinds, make = self.kinds or (int,), self.make
        single = ["values"] if make is None else [f"values_{n}" for n, _ in enumerate(kinds)]
        names = getattr(make, "_fields", single)
        columns = tuple(Column(self.column(n), name, owner) for n, name in enumerate(names))

        def told(*parts: Any) -> Any:
            parts = tuple(x != 0 if kind is bool else x for x, kind in zip(parts, kinds, strict=True))
            return parts[0] if make is None else make(*parts)

        return Leaf(columns, told if bool in kinds else make)

    def grow(self, added: int) -> None:
        """So many places more, at the end."""
        self.rows = np.concatenate([self.rows, np.zeros((len(self.rows), added), np.int64)], axis=1)

    # ------------------------------------------------------------------ on their way in

    def parts(self, value: Any, places: Callable[[], Array]) -> tuple[Any, ...]:
        """A value as its parts, if the columns can hold them, perhaps by becoming wider; `places` are those in use."""
        value = value.item() if isinstance(value, np.generic) else value
        given = value if isinstance(value, tuple) else (value,)
        parts = tuple(x.item() if isinstance(x, np.generic) else x for x in given)
        if not parts:
            raise UnsupportedValue("an empty tuple is no value", "Use a set, or the value 1.")
        for x in parts:
            if type(x) not in WIDER:
                raise UnsupportedValue(
                    f"{type(x).__name__} cannot be a value: {x!r:.60}", "Use numbers, booleans, or tuples of those."
                )
            if type(x) is int and not -(2**63) <= x < 2**63:
                raise UnsupportedValue(f"the value {x} is beyond int64", "Use floats, or smaller numbers.")
        self.check_shape(len(parts), maker_of(value), value)
        for n, (held, x) in enumerate(zip(self.kinds or (), parts, strict=False)):
            if held is float and type(x) is not float:
                refuse_inexact(np.array([x], np.int64))
            elif held is int and type(x) is float:
                refuse_inexact(self.column(n)[places()])
        return parts

    def hold(self, parts: tuple[Any, ...], make: Maker) -> None:
        """Be wide enough for these parts, which were checked. A stream may be reading the old rows: they stay."""
        kinds = tuple(map(type, parts))
        if self.kinds is None:
            self.kinds, self.make = kinds, make
            self.rows = np.zeros((len(parts), self.rows.shape[1]), np.int64)
            return
        wide = tuple(max(pair, key=WIDER.index) for pair in zip(self.kinds, kinds, strict=True))
        if wide != self.kinds:
            old = [self.column(n) for n, _ in enumerate(wide)]
            self.rows, self.kinds = np.zeros_like(self.rows), wide
            for n, column in enumerate(old):
                self.column(n)[:] = column

    def check_shape(self, width: int, make: Maker, value: Any) -> None:
        if self.kinds is not None and (width != len(self.kinds) or sort_of(make) != sort_of(self.make)):
            raise UnsupportedValue(
                f"a value of another shape than those that are there: {value!r:.60}",
                "Give every key a value of the same shape.",
            )


def maker_of(value: Any) -> Maker:
    """What makes a value like this one of its parts."""
    if not isinstance(value, tuple):
        return None
    return type(value) if hasattr(value, "_fields") else together


def sort_of(make: Maker) -> Any:
    """What tells makers apart: none, that of plain tuples, or the type of a named one."""
    return make if make is None or isinstance(make, type) else tuple


def refuse_inexact(column: Array) -> None:
    """Refuse integers that are about to become floats, if they are too large for it."""
    if column.dtype.kind == "i" and column.size and max(-int(column.min()), int(column.max())) > EXACT:
        raise UnsupportedValue("floats among integers beyond 2**53", "Make all of them floats first.")
