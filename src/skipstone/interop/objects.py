"""Lists of Python objects as columns: their types are looked at once, and must agree."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np

from ..errors import MixedKeys, NotAKey, UnsupportedValue
from ..storage.column import Array, numbers
from . import arrow

FAMILIES = (str, int, float, np.number, datetime.datetime)  # types that may stand beside their subtypes
NOTHING = {"NoneType", "NAType", "NaTType"}  # the types of None, pandas.NA and pandas.NaT


def key_objects(column: list[Any], name: str) -> Any:
    """Keys as a NumPy array, or as an Arrow array if they are strings or moments, or some are missing."""
    types = set(map(type, column))
    kinds = {kind for kind in types if kind.__name__ not in NOTHING}
    if len(kinds) > 1 and float in kinds and all(x != x for x in column if type(x) is float):
        kinds.discard(float)  # NaN stands for what is missing
    if len(kinds) > 1 and (bool in kinds or not any(all(issubclass(k, one) for k in kinds) for one in FAMILIES)):
        told = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise MixedKeys(f"column {name!r} holds keys of several types: {told}", "Give all one type.")
    kind = next(iter(kinds), type(None))
    if kind is type(None):
        return arrow.nothing(len(column))
    if issubclass(kind, str):
        return arrow.of_text(column, name)
    if issubclass(kind, datetime.datetime):
        return arrow.of_moments(column, zone_of(column, name))
    if issubclass(kind, Decimal):
        column = [None if type(x).__name__ in NOTHING else float(x) for x in column]
    elif not issubclass(kind, int | float | np.generic | datetime.date):
        raise NotAKey(f"column {name!r} holds {kind.__name__}", "Keys are numbers, dates and strings.")
    if len(kinds) < len(types) or issubclass(kind, datetime.date):
        return arrow.of_objects(column, name)
    array = np.asarray(column)
    if array.dtype.kind == "O" or (array.dtype.kind == "f" and all(issubclass(k, int | np.integer) for k in kinds)):
        raise UnsupportedValue(f"column {name!r} holds integers beyond int64", "Use smaller numbers.")
    return array


def zone_of(moments: list[Any], name: str) -> str | None:
    """The time zone of timestamps, by name or offset; UTC if they have several."""
    zones = {getattr(x, "tzinfo", None) for x in moments if isinstance(x, datetime.datetime) and x == x}
    if zones == {None}:
        return None
    if None in zones:
        raise MixedKeys(f"column {name!r} holds timestamps with and without a time zone", "Give all one, or none.")
    return "UTC" if len(zones) > 1 else str(zones.pop()).removeprefix("UTC") or "UTC"


def value_objects(column: list[Any], name: str) -> tuple[Array, Array]:
    """Values as an array, and where there is none: None is no value, and NaN is one like any other."""
    types = set(map(type, column))
    nothing = {kind for kind in types if kind.__name__ in NOTHING}
    missing = np.array([type(x) in nothing for x in column], bool) if nothing else np.zeros(len(column), bool)
    if nothing:
        column = [False if type(x) in nothing else x for x in column]  # as an int or a float it is 0
    if Decimal in types:
        column = [float(x) if isinstance(x, Decimal) else x for x in column]
    return numbers(column, f"values in column {name!r}"), missing
