"""Python's own: dicts of columns, dicts from keys to values, nested ones, rows, paths; and what skipstone holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from decimal import Decimal
from typing import Any

import numpy as np

from ..errors import BadOption, NotACollection
from ..storage.bitmap import Bitmap
from ..storage.collection import Collection, Trie
from ..storage.nesting import unnested
from .sources import Found, by_name, by_place, source

NUMBERS = (int, float, np.number, np.bool_, Decimal, type(None))


@source("builtins")
def plain_source(data: Any) -> Found | None:
    """Columns by name, or rows without names, of what Python holds."""
    if isinstance(data, Mapping):
        return mapping(data)
    if isinstance(data, Set | Iterator):
        return rows(list(data), alone=isinstance(data, Set))
    return rows(list(data)) if isinstance(data, list | tuple) else None


def mapping(data: Mapping[Any, Any]) -> Found:
    """A dict of columns; or from keys to values, where these are numbers or tuples; or nested dicts of such."""
    kinds = set(map(type, data.values()))
    if kinds and all(issubclass(kind, Mapping) for kind in kinds):
        return from_keys(dict(flattened(data)))
    if all(issubclass(kind, NUMBERS) or hasattr(kind, "_fields") for kind in kinds):
        return from_keys(data)
    if all(issubclass(kind, tuple) for kind in kinds) and not all(isinstance(key, str) for key in data):
        return from_keys(data)
    return Found(by_name(data, data.values()))


def from_keys(data: Mapping[Any, Any]) -> Found:
    """Rows of a key, or a tuple of keys, and a value, or a tuple of values."""
    keys, values = rows([key if isinstance(key, tuple) else (key,) for key in data]).columns, list(data.values())
    if not values:
        return Found({}, named=False)
    if not isinstance(values[0], tuple):
        return Found({**keys, "value": values}, keys=list(keys), value="value", named=False)
    parts = rows(values).columns
    fields = list(parts) if hasattr(values[0], "_fields") else [f"value_{n}" for n, _ in enumerate(parts)]
    found = {**keys, **dict(zip(fields, parts.values(), strict=True))}
    return Found(found, keys=list(keys), value=fields, named=False)


def flattened(data: Mapping[Any, Any], above: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Nested dicts as one, from tuples of keys."""
    for key, inner in data.items():
        if isinstance(inner, Mapping):
            yield from flattened(inner, (*above, key))
        else:
            yield (*above, key), inner


def rows(data: list[Any], alone: bool = False) -> Found:
    """Tuples, or dicts, one a row; or single keys, if they may stand `alone`."""
    if not data:
        return Found({}, named=False)
    first = data[0]
    if isinstance(first, Mapping):
        if not all(isinstance(row, Mapping) for row in data):
            raise NotACollection("some rows are dicts, and others are not", "Give all rows in one form.")
        names = dict.fromkeys(name for row in data for name in row)
        return Found({str(name): [row.get(name) for row in data] for name in names})
    if alone and not isinstance(first, tuple):
        return Found({"0": data}, named=False)
    for n, row in enumerate(data):
        if not isinstance(row, tuple | list):
            raise NotACollection(
                f"row {n} is a {type(row).__name__}: {row!r:.60}",
                'Give rows as tuples, or columns by name: {"k": [1, 2]}.',
            )
        if len(row) != len(first):
            raise BadOption(f"row {n} has {len(row)} parts, and row 0 has {len(first)}", "Give all rows the same.")
    columns = [list(column) for column in zip(*data, strict=True)]
    fields = getattr(first, "_fields", None)
    return Found(by_place(columns), named=False) if fields is None else Found(dict(zip(fields, columns, strict=True)))


@source("skipstone")
def own_source(data: Any) -> Found | None:
    """A table again, with its keys and values; a structure, from keys to values."""
    if isinstance(data, Bitmap):
        return Found({"0": list(data)}, named=False)
    if isinstance(data, Collection):
        keys, values = unnested(Trie(data.root))
        names = ["value"] if len(values) == 1 else [f"value_{n}" for n, _ in enumerate(values)]
        found = {**by_place(keys), **dict(zip(names, values, strict=True))}
        return Found(found, keys=list(by_place(keys)), value=names[0] if len(names) == 1 else names, named=False)
    if not hasattr(data, "to_arrow"):
        return None
    arrow = data.to_arrow()
    names = arrow.column_names[len(data.keys) :]
    value = names if data.make is not None else names[0] if names else None
    return Found(dict(zip(arrow.column_names, arrow.columns, strict=True)), value=value)
