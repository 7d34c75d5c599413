"""The stored structures: Sorted, Dense and Trie. Ordinary read-only mappings, sources and destinations of streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..counting import counted
from ..errors import BadOption, NotACollection, UnsupportedValue, WrongState
from ..stream import Stream
from ..words import Kernel, Parameter
from .build import Rows, nest
from .choosing import BY_DATA
from .column import Array, Column, check_lengths, increasing_keys, key_array, numbers
from .levels import Compressed, Leaf, Level, Placed, Spread, columns_of
from .seeking import SEEKS


def leaf_of(values: Any, count: int | None, owner: object) -> Leaf:
    """Values as columns: None (all 1), an array, a tuple of arrays, a structured array, or a list of (named) tuples."""
    make: Callable[..., Any] | None = None
    if values is None:
        return Leaf(())
    if isinstance(values, np.ndarray) and values.dtype.names:
        arrays = [values[name] for name in values.dtype.names]
        make = together
    elif isinstance(values, tuple) and values and all(isinstance(v, np.ndarray | list) for v in values):
        arrays, make = list(values), together
    else:
        if not isinstance(values, np.ndarray):
            if not isinstance(values, Iterable):
                raise UnsupportedValue(f"{type(values).__name__} is not one value for each key: {values!r:.60}")
            values = list(values)
            if values and isinstance(values[0], tuple):
                check_same_shape(values)
                first = values[0]
                make = type(first) if hasattr(first, "_fields") else together
        arrays = [list(part) for part in zip(*values, strict=True)] if make is not None else [values]
    names = getattr(make, "_fields", None) or [f"values_{n}" if make else "values" for n in range(len(arrays))]
    columns = tuple(Column(flat(a), n, owner) for a, n in zip(arrays, names, strict=True))
    for column in columns:
        if count is not None:
            check_lengths("values", column.size, count)
    return Leaf(columns, make)


def flat(values: Any) -> Array:
    """One column of numbers."""
    array = numbers(values, "values")
    if array.ndim != 1:
        raise UnsupportedValue(
            f"each key needs one value, but these have {array.ndim} dimensions",
            "Use tuples for several numbers a key, or nest: sk.Trie, sk.Dense.",
        )
    return array


def together(*parts: Any) -> tuple[Any, ...]:
    """What makes a plain tuple of its parts."""
    return parts


def check_same_shape(values: list[Any]) -> None:
    if not values[0]:
        raise UnsupportedValue("an empty tuple is no value", "Use a set, or the value 1.")
    for v in values:
        if type(v) is not type(values[0]) or len(v) != len(values[0]):
            raise UnsupportedValue(
                f"values of different shapes: {values[0]!r} and {v!r}", "Give every key a value of the same shape."
            )


class Collection(Mapping[Any, Any]):
    """What Sorted, Dense and Trie share: a read-only mapping over levels."""

    root: Level

    def stream(self) -> Stream:
        """This collection as a stream. Costs nothing: the arrays are read where they lie."""
        return self.root.at(0)

    def __len__(self) -> int:
        level = self.root
        return int(level.size.value) if isinstance(level, Spread) else level.keys.size

    def __iter__(self) -> Iterator[Any]:
        level = self.root
        return iter(range(len(self)) if isinstance(level, Spread) else level.keys.array.tolist())

    def __getitem__(self, key: Any) -> Any:
        """The value at a key; of a nested collection, the inner one as a dict."""
        level, p = self.root, key
        if isinstance(level, Spread):
            if not isinstance(key, int | np.integer) or not 0 <= key < len(self):
                raise KeyError(key)
        else:
            try:
                p = int(np.searchsorted(level.keys.array, key))
            except TypeError:
                raise KeyError(key) from None
            if p == level.keys.size or level.keys.item(p) != key:
                raise KeyError(key)
        return as_python(level.inner, int(key if isinstance(level, Placed) else p))

    def __repr__(self) -> str:
        shown = ", ".join(f"{k!r}: {self[k]!r}" for k, _ in zip(self, range(4), strict=False))
        more = ", …" if len(self) > 4 else ""
        return f"{type(self).__name__}({{{shown}{more}}}, {counted(len(self), 'key')})"

    def check(self) -> None:
        """Assert every invariant of the arrays; a structure built by this library always passes."""
        check_level(self.root, 1, outermost=True)


def as_python(level: Any, p: int) -> Any:
    """What stands at position p, as a number, a tuple or a dict."""
    if isinstance(level, Leaf):
        return level.at(p)
    return stream_as_python(level.at(p))


def stream_as_python(stream: Stream) -> dict[Any, Any]:
    return {k: stream_as_python(v) if isinstance(v, Stream) else v for k, v in stream}


def check_level(level: Any, positions: int, outermost: bool = False) -> None:
    """Raise WrongState where a level's arrays do not belong together."""
    if isinstance(level, Leaf):
        for column in level.columns:
            if column.size < positions:
                raise WrongState(f"{column.size} {column.name} for {positions} positions")
        return
    if isinstance(level, Spread):
        return check_level(level.inner, positions * int(level.size.value))
    keys = level.keys.array
    starts = np.array([0, keys.size]) if outermost else level.starts.array
    if starts.size != positions + 1 or starts[0] != 0 or starts[-1] != keys.size or (np.diff(starts) < 0).any():
        raise WrongState(f"the runs of {level.keys!r} do not tile it: {starts}")
    rising = np.diff(keys) > 0
    rising[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < keys.size)] - 1] = True
    if not rising.all():
        raise WrongState(f"keys do not increase within a run of {level.keys!r}: {keys}")
    return check_level(level.inner, int(level.size.value) if isinstance(level, Placed) else keys.size)


BY_NAME = {"by data": BY_DATA, **SEEKS}


def seek_named(name: str) -> Kernel:
    if not isinstance(name, str) or name not in BY_NAME:
        raise BadOption(f"there is no seek called {name!r}", f"Choose one of {', '.join(BY_NAME)}.")
    return BY_NAME[name]


class Sorted(Collection):
    """Keys in increasing order, each with a value (1 if none are given), in two arrays.

    >>> s = Sorted([2, 3, 5], [0.2, 0.3, 0.5])
    >>> s[3], len(s), 4 in s
    (0.3, 3, False)
    >>> s
    Sorted({2: 0.2, 3: 0.3, 5: 0.5}, 3 keys)

    NumPy arrays are used as they are, not copied. `seek` is "linear", "binary", "gallop", "adaptive", or the default,
    "by data": chosen by a look at the arrays that are multiplied.
    Lookup O(log n); as a stream, see `storage/seeking.py`.
    """

    def __init__(self, keys: Any = (), values: Any = None, *, seek: str = "by data") -> None:
        if isinstance(keys, Mapping) and values is None:
            keys, values = list(keys), list(keys.values())
        array, owner = increasing_keys(keys), object()
        leaf = leaf_of(values, array.size, owner)
        self.root = Compressed(Column(array, "keys", owner), None, leaf, seek_named(seek))

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Any, Any]], *, seek: str = "by data") -> Sorted:
        """From (key, value) pairs in any order; values of the same key are added.

        >>> Sorted.from_pairs([(5, 1), (2, 1), (5, 1)])
        Sorted({2: 1, 5: 2}, 2 keys)
        """
        pairs = list(pairs)
        made = cls.__new__(cls)
        made.root = Trie.from_columns([[k for k, _ in pairs]], [v for _, v in pairs], seek=seek).root
        return made


class Dense(Collection):
    """An array: its positions are the keys, and every key is there. More dimensions are more levels.

    >>> Dense([0.5, 0.0, 2.5])[2]
    2.5
    >>> Dense([[1, 2], [3, 4]])[1]
    {0: 3, 1: 4}

    Lookup and seek are O(1). NumPy arrays are used as they are.
    """

    def __init__(self, values: Any = ()) -> None:
        array = numbers(values, "values")
        level: Any = Leaf((Column(array.reshape(-1), "values", object()),))
        for size in reversed(array.shape):
            level = Spread(Parameter(size), level)
        if isinstance(level, Leaf):
            raise UnsupportedValue("a single number is not an array", "Use sk.singleton(key, value).")
        self.root = level


class Trie(Collection):
    """Nested levels, each dense or compressed: a table, a sparse matrix, a nested dict.

    >>> t = Trie.from_columns([[1, 1, 4], [7, 9, 7]], [0.1, 0.2, 0.3])
    >>> t[1], t.depth, t.formats
    ({7: 0.1, 9: 0.2}, 2, ('compressed', 'compressed'))
    """

    def __init__(self, root: Any) -> None:
        if not isinstance(root, Level):
            root = type(self).from_nested(root).root
        self.root: Level = root

    @classmethod
    def from_columns(
        cls, columns: Sequence[Any], values: Any = None, *, formats: Sequence[str] | None = None, seek: str = "adaptive"
    ) -> Trie:
        """From one array a level and one of values, rows in any order; values of equal keys are added.

        `formats` says "dense" or "compressed" for each level. A dense level stores every key from 0 to its largest.
        """
        trie, owner = cls.__new__(cls), object()
        arrays = [key_array(c) for c in columns]
        if not arrays:
            raise BadOption("a table needs at least one column of keys")
        for a in arrays:
            check_lengths("keys in one column", a.size, arrays[0].size)
        if values is None and formats and formats[-1] == "dense":
            values = np.ones(arrays[0].size, np.int8)  # what is not there is 0, which needs a place to stand
        leaf = leaf_of(values, arrays[0].size, owner)
        trie.root = level_of(nest(Rows.flat(arrays, [c.array for c in leaf.columns])), leaf, owner, formats, seek)
        return trie

    @classmethod
    def from_nested(cls, mapping: Mapping[Any, Any], *, formats: Sequence[str] | None = None) -> Trie:
        """From a dict of dicts (of dicts …), all of the same depth.

        >>> Trie.from_nested({1: {7: 0.1, 9: 0.2}, 4: {7: 0.3}})
        Trie({1: {7: 0.1, 9: 0.2}, 4: {7: 0.3}}, 2 keys)
        """
        if not isinstance(mapping, Mapping):
            raise NotACollection(f"{type(mapping).__name__} is not a mapping", "Give a dict of dicts.")
        trie, owner = cls.__new__(cls), object()
        keys: list[Array] = []
        starts: list[Array] = []
        rows: list[Any] = [mapping]
        while rows and isinstance(rows[0], Mapping):
            for row in rows:
                if not isinstance(row, Mapping):
                    raise UnsupportedValue(
                        f"some values are mappings and some are not: {row!r}", "Nest every key to the same depth."
                    )
            ordered = [sorted(row.items(), key=lambda item: item[0]) if len(row) > 1 else list(row.items())
                       for row in map(checked_keys, rows)]  # fmt: skip
            keys.append(key_array([k for row in ordered for k, _ in row]))
            starts.append(np.cumsum([0] + [len(row) for row in ordered]))
            rows = [v for row in ordered for _, v in row]
        for v in rows:
            if isinstance(v, Mapping):
                raise UnsupportedValue("some values are mappings and some are not", "Nest every key to the same depth.")
        leaf = leaf_of(rows, len(rows), owner)
        data = Rows(keys, [None, *starts[1:]], [c.array for c in leaf.columns])
        trie.root = level_of(data, leaf, owner, formats, "adaptive")
        return trie

    @property
    def depth(self) -> int:
        return len(self.formats)

    @property
    def formats(self) -> tuple[str, ...]:
        """The format of each level, from the outermost."""
        found, level = [], self.root
        while not isinstance(level, Leaf):
            found.append("compressed" if isinstance(level, Compressed) else "dense")
            level = level.inner
        return tuple(found)

    @property
    def nbytes(self) -> int:
        """The memory of all its arrays."""
        return sum(c.array.nbytes for c in columns_of(self.root))


def checked_keys(row: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A mapping whose keys can be sorted: all of one type, none of them NaN."""
    key_array(list(row))
    return row


def level_of(rows: Rows, leaf: Leaf, owner: object, formats: Sequence[str] | None, seek: str) -> Any:
    """The levels of sorted, nested rows."""
    depth = len(rows.keys)
    chosen = tuple(formats) if formats is not None else ("compressed",) * depth
    if len(chosen) != depth or not set(chosen) <= {"dense", "compressed"}:
        raise BadOption(f"formats {chosen} for {depth} levels", 'Say "dense" or "compressed" for each level.')
    rows = rows.spread([form == "dense" for form in chosen])
    columns = tuple(Column(a, c.name, owner) for a, c in zip(rows.leaves, leaf.columns, strict=True))
    level: Any = Leaf(columns, leaf.make)
    how = seek_named(seek)
    suffix = [f"_{n}" if depth > 1 else "" for n in range(depth)]
    for n in reversed(range(depth)):
        if chosen[n] == "dense":
            level = Spread(Parameter(rows.sizes[n], "size" + suffix[n]), level)
        else:
            begin = rows.starts[n]
            starts = None if begin is None else Column(begin, "starts" + suffix[n], owner)
            level = Compressed(Column(rows.keys[n], "keys" + suffix[n], owner), starts, level, how)
    return level
