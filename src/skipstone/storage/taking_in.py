"""What a map that changes can be filled from, as arrays: mappings, sets, pairs, streams, other collections."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Mapping, Set
from typing import Any

import numpy as np

from ..errors import NotACollection, UnsupportedValue
from ..stream import Stream
from .build import add_runs
from .collection import Collection, Trie, leaf_of
from .column import Array, key_array
from .levels import Leaf, Spread
from .sorting import sorting_order
from .values import Maker

Columns = tuple[Array, list[Array], Maker]  # keys, the parts of the values, and what makes a value of them
TYPES: dict[str, type] = {"int": int, "float": float, "bool": bool}


def columns_of(given: Any, values: Any = None) -> Columns:
    """Keys and values as arrays, from whatever they are given as."""
    if isinstance(given, Stream):
        given = given.collect(into=Trie)
    if hasattr(given, "_all_columns"):
        found: Columns = given._all_columns()
        return found
    if isinstance(given, Collection):
        return columns_of_level(given.root)
    if values is None and isinstance(given, Mapping):
        given, values = list(given.keys()), list(given.values())
    elif values is None and isinstance(given, Set) and not isinstance(given, ItemsView):
        given, values = list(given), np.ones(len(given), np.int64)
    elif values is None:
        given, values = pairs_apart(given)
    keys = key_array(given)
    leaf = leaf_of(values, keys.size, None)
    return keys, [c.array for c in leaf.columns], leaf.make


def columns_of_level(level: Any) -> Columns:
    """Those of a collection, whose arrays are taken as they are."""
    if not isinstance(level.inner, Leaf):
        raise UnsupportedValue(
            "the values of this map are numbers, not collections", "Collect nested streams into sk.Trie."
        )
    keys = np.arange(int(level.size.value)) if isinstance(level, Spread) else level.keys.array
    columns = [c.array for c in level.inner.columns] or [np.ones(keys.size, np.int64)]
    return keys, columns, level.inner.make


def combined(
    keys: Array, columns: list[Array], kinds: tuple[type, ...], add: bool
) -> tuple[Array, list[Array], tuple[type, ...]]:
    """Keys in order, each once; of equal ones the values are added, or the last one counts."""
    order = sorting_order(keys)
    keys = keys[order]
    last = np.ones(keys.size, bool)
    last[:-1] = keys[1:] != keys[:-1]
    if last.all() or not add:
        return keys[last], [c[order][last] for c in columns], kinds
    starts = np.flatnonzero(np.append(True, last[:-1]))
    columns = [add_runs(c[order], starts) for c in columns]
    return keys[last], columns, tuple(int if kind is bool else kind for kind in kinds)


def pairs_apart(pairs: Any) -> tuple[list[Any], list[Any]]:
    """The keys and the values of pairs."""
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise NotACollection(f"{type(pairs).__name__} has no keys and values", "Give a mapping, or pairs.")
    pairs = list(pairs)
    try:
        return [k for k, _ in pairs], [v for _, v in pairs]
    except (TypeError, ValueError):
        wrong = next(p for p in pairs if not isinstance(p, tuple | list) or len(p) != 2)
        raise NotACollection(f"{wrong!r:.60} is not a key with its value", "Give a mapping, or pairs.") from None
