"""One column, of whichever library, as codes with their domain or as values; and which rows hold nothing there.

A null (None, NA, NaT, an Arrow null) is neither key nor value. NaN is no key, and a value like any other.

Columns of int64, float64 or moments, without nulls and in one piece, are not copied: they are read where they lie.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..counting import counted
from ..errors import NotAKey, UnsupportedValue
from ..keys import Coded, Domain, by_dictionary
from ..storage.column import Array, numbers
from ..warned import warn
from . import arrow
from .objects import key_objects, value_objects
from .pandas import lent

KEYS = "Keys are numbers, dates and strings."


def encoded(column: Any, name: str, nulls: str = "drop", table: str = "") -> tuple[Array, Domain, Array | None]:
    """A column of keys as codes, with its domain, and which rows hold a key if some do not.

    >>> codes, domain, kept = encoded(["b", "a", "b"], "k")
    >>> codes, domain.names, kept
    (array([1, 0, 1]), array(['a', 'b'], dtype=object), None)
    """
    if isinstance(column, Coded):
        return column.codes, column.domain, None
    given = normal(column, name)
    if not isinstance(given, np.ndarray):
        given = arrow.plain(given)
        missing = arrow.nulls(given)
        if arrow.is_text(given):
            texts, codes = by_dictionary(given)
            return codes, Domain("str", texts), kept(missing, f"without a key in column {name!r}", nulls, table)
        array, zone = arrow.numbers(given), arrow.zone_of(given)
    else:
        array, zone, missing = given, "", None
    if array.dtype.kind in "fM":
        unknown = np.isnan(array) if array.dtype.kind == "f" else np.isnat(array)
        missing = unknown if missing is None else missing | unknown
    keep = kept(missing, f"without a key in column {name!r}", nulls, table)
    if arrow.is_nothing(given):
        return np.zeros(array.size, np.int64), Domain("any"), keep
    if array.dtype.kind not in "biufM":
        raise NotAKey(f"column {name!r} of type {getattr(given, 'type', array.dtype)} cannot be keys", KEYS)
    codes, domain = coded(array, name, zone)
    return lent(codes, column), domain, keep


def coded(array: Array, name: str, zone: str) -> tuple[Array, Domain]:
    """Numbers and moments as codes."""
    kind = array.dtype.kind
    if kind == "M":
        unit, count = np.datetime_data(array.dtype)
        moments = np.ascontiguousarray(array, f"datetime64[{unit}]" if count > 1 or not array.dtype.isnative else None)
        if unit == "generic":
            return np.zeros(array.size, np.int64), Domain("any")
        return moments.view(np.int64), Domain("date" if unit == "D" else "timestamp", unit=unit, zone=zone)
    if kind == "u" and array.dtype.itemsize == 8 and array.size and int(array.max()) >= 2**63:
        raise UnsupportedValue(f"column {name!r} reaches {array.max()}, beyond int64", "Use smaller numbers.")
    if kind == "f":
        floats: Array = np.ascontiguousarray(array, np.float64)
        minus = np.signbit(floats[floats == 0.0]).any()
        return floats + 0.0 if minus else floats, Domain("float")  # -0.0 is the same key as 0.0
    return np.ascontiguousarray(array, np.int64), Domain("bool" if kind == "b" else "int")


def held(column: Any, name: str, nulls: str = "drop", table: str = "") -> tuple[Array, Array | None]:
    """A column of values as an array, and which rows hold one if some do not.

    >>> held([1, 2.5], "v")
    (array([1. , 2.5]), None)
    """
    missing: Array | None = None
    column = unmasked(column)
    if isinstance(column, list | tuple) or getattr(column, "dtype", None) == np.dtype(object):
        array, missing = value_objects(list(column), name)
    else:
        given = normal(column, name)
        if not isinstance(given, np.ndarray):
            given = arrow.plain(given)
            missing = arrow.nulls(given)
            if arrow.is_text(given):
                raise UnsupportedValue(f"values in column {name!r} are strings", "Values are numbers; make it a key.")
            given = arrow.numbers(given)
        array = numbers(given, f"values in column {name!r}")
    if array.ndim != 1:
        raise UnsupportedValue(
            f"values in column {name!r} have {array.ndim} dimensions", "Name a column for each part."
        )
    return lent(array, column), kept(missing, f"without a value in column {name!r}", nulls, table)


def normal(column: Any, name: str) -> Any:
    """A column as a NumPy array of one dimension that holds no objects, or as an Arrow array."""
    column = unmasked(column)
    if isinstance(column, list | tuple):
        return key_objects(list(column), name)
    if arrow.is_arrow(column):
        return column
    if hasattr(column, "to_arrow"):  # Polars
        return arrow.of_polars(column, name)
    if not isinstance(getattr(column, "dtype", np.dtype(int)), np.dtype):  # pandas, with types of its own
        categories: Any = getattr(column.dtype, "categories", None)
        if getattr(categories, "dtype", None) == np.dtype(object) and not all(isinstance(x, str) for x in categories):
            return key_objects(np.asarray(column).tolist(), name)  # their types must agree: Arrow relies on it
        return arrow.of_extension(column)
    array = np.asarray(column)
    if array.ndim != 1:
        raise UnsupportedValue(f"column {name!r} has {array.ndim} dimensions", "A column is a list of keys.")
    if array.dtype.kind == "O":
        return key_objects(array.tolist(), name)
    return arrow.of_text(array, name) if array.dtype.kind in "UT" else array


def unmasked(column: Any) -> Any:
    """A masked array of NumPy with nulls instead of its mask; others as they are."""
    if "numpy.ma" not in sys.modules or not isinstance(column, np.ma.MaskedArray):  # to import it takes a while
        return column
    kind = column.dtype.kind
    plain = kind in "biuf" or (kind == "M" and np.datetime_data(column.dtype)[0] in ("D", *arrow.UNITS))
    return arrow.of_masked(column) if plain and column.ndim == 1 else column.tolist()


def kept(missing: Array | None, what: str, nulls: str, table: str) -> Array | None:
    """Rows that lack something are refused, or left out with a warning, as the caller chooses."""
    if missing is None or not missing.any():
        return None
    count = int(missing.sum())
    rows = f"{f'{table}: ' if table else ''}{counted(count, 'row')} {what}"
    if nulls == "refuse":
        raise NotAKey(rows, 'Drop them first, or say nulls="drop".')
    warn(f"{rows} {'is' if count == 1 else 'are'} left out")
    there: Array = ~missing
    return there
