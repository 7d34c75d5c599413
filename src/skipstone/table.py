"""Tables: rows with keys of any type in named columns, and values. What the notation is written over.

A table keeps its rows as codes (see keys.py), in no particular order. Whoever needs it sorted along some order of its
columns asks for that `trie`, which is made once and kept.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .algebra import Semiring
from .duplicates import combined
from .errors import BadOption, LengthsDiffer, NotACollection
from .keys import Domain, as_array, encoded, refuse_or_warn
from .storage import Trie
from .storage.collection import flat
from .storage.column import Array
from .storage.lengths import Lengths, count_distinct, occurring
from .storage.nesting import Maker, in_order, innermost, nested, unnested
from .storage.sorting import packed_order

ELSEWHERE: dict[str, Callable[..., Any]] = {}  # who makes tables of data that stays where it is, by the data's package


class Table:
    """Rows: a code for each key column, and values. Equal rows are one: their values are added.

    Made by `sk.table`, and by collecting an expression. Immutable.
    """

    engine: Any = None  # who runs expressions with this table in them, if its rows are not here

    def __init__(
        self,
        keys: Sequence[str],
        codes: Sequence[Array],
        domains: Sequence[Domain],
        values: Sequence[Array] = (),
        make: Maker = None,
        name: str = "",
    ) -> None:
        self.keys, self.name, self.make = tuple(keys), name, make
        self.codes, self.domains, self.values = list(codes), list(domains), list(values)
        self._tries: dict[tuple[int, ...], Trie] = {}
        self._rows: tuple[list[Array], list[Array]] | None = None
        self._distinct: dict[frozenset[int], int] = {}
        self._spans: dict[int, tuple[Any, Any]] = {}
        self._lengths: dict[tuple[int, int], Lengths] = {}
        self._derived: dict[Any, Table] = {}
        self.size = self.codes[0].size if self.codes else 0  # rows as they came, equal ones included

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}: {d.kind}" for key, d in zip(self.keys, self.domains, strict=True))
        return f"Table({self.name or 'unnamed'}, {self.size:,} rows; {shown}{' -> value' if self.values else ''})"

    def __len__(self) -> int:
        """How many rows there are, equal ones counted once."""
        return int(self.distinct(range(len(self.keys))))

    def trie(self, order: Sequence[int]) -> Trie:
        """The rows as nested levels, in the order of these columns."""
        key = tuple(order)
        if key not in self._tries:
            self._tries[key] = nested([self.codes[n] for n in key], self.values, self.make)
        return self._tries[key]

    def in_order(self) -> tuple[list[Array], list[Array]]:
        """The rows in order, equal ones added: a code for each key column, and values."""
        natural = tuple(range(len(self.keys)))
        if self._rows is None:
            sorted_copy = self._tries.get(natural)
            self._rows = in_order(self.codes, self.values) if sorted_copy is None else unnested(sorted_copy)
        return self._rows

    def tries(self) -> list[Trie]:
        """The sorted copies that there are."""
        return list(self._tries.values())

    def sorted_copies(self) -> dict[tuple[int, ...], Trie]:
        """The same, by the order of columns along which each is sorted."""
        return dict(self._tries)

    def distinct(self, columns: Iterable[int]) -> int:
        """How many different rows there are in some of the columns."""
        chosen = frozenset(columns)
        if chosen not in self._distinct:
            self._distinct[chosen] = self.counted(sorted(chosen)) if chosen else 1
        return self._distinct[chosen]

    def counted(self, columns: list[int]) -> int:
        if len(columns) == len(self.codes):
            return innermost(self.trie(columns))
        if len(columns) == 1:
            return int(self.lengths(columns[0], columns[0]).keys.size)
        return count_distinct([self.codes[n] for n in columns])

    def lengths(self, n: int, m: int) -> Lengths:
        """How many different codes of column m stand beside each code of column n."""
        if (n, m) not in self._lengths:
            codes = self.codes[n]
            if len(self.codes) > 2 and n != m:
                order = packed_order([codes, self.codes[m]])
                fresh = np.ones(order.size, bool)
                fresh[1:] = (np.diff(codes[order]) != 0) | (np.diff(self.codes[m][order]) != 0)
                codes = codes[order][fresh]
            keys, counts = occurring(codes)
            self._lengths[n, m] = Lengths(keys, np.ones(keys.size, np.int64) if n == m else counts)
        return self._lengths[n, m]

    def span(self, n: int) -> tuple[Any, Any]:
        """The smallest and the largest code in a column; (0, -1) where there is none."""
        if n not in self._spans:
            codes = self.codes[n]
            ends = (codes.min(), codes.max()) if codes.size else np.array([0, -1], codes.dtype)
            self._spans[n] = ends[0].item(), ends[1].item()
        return self._spans[n]

    def alphabet(self, n: int) -> tuple[Array, list[Any]]:
        """The different codes in a column, in order, and the keys that they stand for."""
        codes = self.lengths(n, n).keys
        return codes, self.domains[n].listed(codes)

    # ------------------------------------------------------------------ other tables, made once and kept

    def kept(self, key: Any, make: Callable[[], Table]) -> Table:
        """A table that is derived from this one: made when first asked for."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]

    def recoded(self, n: int, domain: Domain, moves: Array | None) -> Table:
        """The same with other codes in one column, in the same order as before."""
        if moves is None:
            return self

        def make() -> Table:
            codes = [moves[c] if m == n else c for m, c in enumerate(self.codes)]
            domains = [domain if m == n else d for m, d in enumerate(self.domains)]
            return Table(self.keys, codes, domains, self.values, self.make, self.name)

        return self.kept(("recoded", n, domain), make)

    def pinned(self, n: int, code: Any) -> Table:
        """The rows that hold this code in one column, without that column."""
        return self.kept(("pinned", n, code), lambda: self.rows(self.codes[n] == code).without(n))

    def diagonal(self, n: int, m: int) -> Table:
        """The rows that hold the same in two columns, without the second."""
        return self.kept(("diagonal", n, m), lambda: self.rows(self.codes[n] == self.codes[m]).without(m))

    def as_set(self) -> Table:
        """The rows alone, each with the value 1."""
        if not self.values:
            return self
        return self.kept("set", lambda: Table(self.keys, self.codes, self.domains, name=self.name))

    def projected(self, columns: Sequence[int]) -> Table:
        """Some of the columns, as a set of rows."""
        chosen = tuple(columns)

        def make() -> Table:
            keys, domains = [self.keys[n] for n in chosen], [self.domains[n] for n in chosen]
            return Table(keys, [self.codes[n] for n in chosen], domains, name=self.name)

        return self.kept(("projected", chosen), make)

    def rows(self, chosen: Array) -> Table:
        codes, values = [c[chosen] for c in self.codes], [v[chosen] for v in self.values]
        return Table(self.keys, codes, self.domains, values, self.make, self.name)

    def without(self, n: int) -> Table:
        def rest(x: Sequence[Any]) -> list[Any]:
            return [y for m, y in enumerate(x) if m != n]

        made = Table(rest(self.keys), rest(self.codes), rest(self.domains), self.values, self.make, self.name)
        made.size = self.size
        return made

    # ------------------------------------------------------------------ out

    def columns(self) -> dict[str, Array]:
        """Everything in it as arrays, one row a key, in order: keys by name, then values.

        Timestamps of a time zone come as instants, in UTC: NumPy has no zones.
        """
        keys, values = self.in_order()
        found = {name: d.decoded(c) for name, d, c in zip(self.keys, self.domains, keys, strict=True)}
        names = getattr(
            self.make, "_fields", ["value"] if len(values) == 1 else [f"value_{n}" for n, _ in enumerate(values)]
        )
        for name, value in zip(names, values, strict=True):
            while name in found:  # a column of keys is called the same
                name += "_"
            found[name] = value
        return found

    def to_dict(self) -> dict[Any, Any]:
        """From key, or tuple of keys, to value; 1 where there are none."""
        codes, values = self.in_order()
        keys = [domain.listed(c) for domain, c in zip(self.domains, codes, strict=True)]
        left = keys[0] if len(keys) == 1 else list(zip(*keys, strict=True))
        if not values:
            return dict.fromkeys(left, 1)
        rights = [v.tolist() for v in values]
        right = rights[0] if self.make is None else [self.make(*parts) for parts in zip(*rights, strict=True)]
        return dict(zip(left, right, strict=True))

    def to_arrow(self) -> Any:
        """As a pyarrow Table."""
        import pyarrow as pa

        found = {}
        for n, (name, column) in enumerate(self.columns().items()):
            domain = self.domains[n] if n < len(self.keys) else None
            found[name] = pa.array(column.tolist() if column.dtype == object else column)
            if domain and domain.kind == "timestamp" and domain.zone:
                found[name] = found[name].cast(pa.timestamp(found[name].type.unit, domain.zone))
        return pa.table(found)

    def to_pandas(self) -> Any:
        """As a pandas DataFrame."""
        import pandas as pd

        frame = pd.DataFrame(self.columns())
        for name, domain in zip(self.keys, self.domains, strict=True):
            if domain.zone:
                frame[name] = frame[name].dt.tz_localize("UTC").dt.tz_convert(domain.zone)
        return frame

    if TYPE_CHECKING:  # notation/ says what it means

        def __getitem__(self, places: Any) -> Any: ...


def table(
    data: Any,
    keys: str | Sequence[str] | None = None,
    value: str | Sequence[str] | None = None,
    *,
    name: str = "",
    nulls: str = "drop",
    combine: str | Semiring = "plus",
) -> Table:
    """A table of rows, from a dict of columns, pandas, Polars, Arrow, a NumPy array of rows, or a Parquet file.

    >>> t = table({"src": ["ann", "bob", "ann"], "dst": ["bob", "cy", "cy"]}, keys=["src", "dst"])
    >>> t, len(t)
    (Table(unnamed, 3 rows; src: str, dst: str), 3)
    >>> table({"day": [1, 1, 2], "sold": [0.5, 1.5, 3.0]}, keys="day", value="sold").to_dict()
    {1: 2.0, 2: 3.0}

    `keys` names the columns that are keys (all but those of `value`, if it is left out). `value` names one column, or
    several, which become a named tuple; without it the table is a set of rows, each with the value 1. A key that is
    missing drops its row, with a warning, or is refused (`nulls="refuse"`).

    Rows with the same keys are one row. `combine` says what becomes of their values: they are added, or it is "min",
    "max", or the plus of a semiring; "refuse" makes them an error. "count" keeps a bag: the value is how many there
    were.

    >>> table({"day": [1, 1, 2], "sold": [0.5, 1.5, 3.0]}, keys="day", value="sold", combine="max").to_dict()
    {1: 1.5, 2: 3.0}
    >>> table({"day": [1, 1, 2]}, combine="count").to_dict()
    {1: 2, 2: 1}
    """
    package = type(data).__module__.partition(".")[0]
    if package in ELSEWHERE:
        elsewhere: Table = ELSEWHERE[package](data, keys, value, name, nulls, combine)
        return elsewhere
    columns = columns_of(data)
    valued = [value] if isinstance(value, str) else list(value or ())
    keyed = (
        [keys] if isinstance(keys, str) else list(keys) if keys is not None else [c for c in columns if c not in valued]
    )
    for column in (*keyed, *valued):
        if column not in columns:
            raise BadOption(f"there is no column {column!r}", f"There are: {', '.join(map(str, columns))}.")
        if [*keyed, *valued].count(column) > 1:
            raise BadOption(f"column {column!r} is named twice", "Name each column once, as a key or as a value.")
        given = columns[column]
        if not hasattr(given, "__len__") or isinstance(given, str | set | Mapping) or getattr(given, "ndim", 1) == 0:
            raise NotACollection(f"column {column!r} is a {type(given).__name__}", "Give a list, or an array.")
    if not keyed:
        raise BadOption("a table needs a column of keys", "Name at least one: keys=…")
    lengths = {c: len(columns[c]) for c in (*keyed, *valued)}
    if len(set(lengths.values())) > 1:
        raise LengthsDiffer(f"columns of different lengths: {lengths}")
    codes, domains, keep = [], [], np.ones(next(iter(lengths.values())), bool)
    for column in keyed:
        found, domain, kept = encoded(columns[column], column, nulls)
        full = found
        if kept is not None:
            full = np.zeros(keep.size, found.dtype)
            full[kept] = found
            keep &= kept
        codes.append(full)
        domains.append(domain)
    values = []
    for column in valued:
        given = columns[column]
        held, missing = as_array(given, column)
        if isinstance(given, list | tuple):
            missing = np.array([x is None for x in given], bool)  # NaN is a value like any other, and None is not
        elif isinstance(getattr(given, "dtype", None), np.dtype):
            missing = None
        if missing is not None and missing.any():
            refuse_or_warn(int(missing.sum()), f"without a value in column {column!r}", nulls)
            keep &= ~missing
        values.append(flat(held))
    if not keep.all():
        codes, values = [c[keep] for c in codes], [v[keep] for v in values]
    if combine != "plus":
        codes, values = combined(codes, values, combine, keyed, domains)
    several = value is not None and not isinstance(value, str)
    make: Maker = a_tuple(valued) if several else None
    return Table(keyed, codes, domains, values, make, name)


def a_tuple(names: list[str]) -> Maker:
    """The named tuple whose parts are these columns."""
    for name in names:
        if not name.isidentifier() or iskeyword(name) or name.startswith("_"):
            raise BadOption(f"column {name!r} cannot name a part of a value", "Rename it to a word, as for a variable.")
    return namedtuple("Value", names)


def columns_of(data: Any) -> dict[str, Any]:
    """The named columns of whatever holds a table."""
    if isinstance(data, str | Path):
        import pyarrow.parquet as parquet

        data = parquet.read_table(data)
    if isinstance(data, Mapping):
        return dict(data)
    if isinstance(data, np.ndarray) and data.dtype.names:
        return {name: data[name] for name in data.dtype.names}
    if isinstance(data, np.ndarray) and data.ndim == 2:
        return {f"{n}": data[:, n] for n in range(data.shape[1])}
    if hasattr(data, "column_names") and hasattr(data, "column"):  # Arrow
        return {name: data.column(name) for name in data.column_names}
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):  # pandas, Polars
        return {str(name): data[name] for name in data.columns}
    if hasattr(data, "__arrow_c_stream__"):
        import pyarrow as pa

        return columns_of(pa.table(data))
    raise NotACollection(
        f"{type(data).__name__} is not a table",
        "Give a dict of columns, a DataFrame, an Arrow table or a Parquet path.",
    )
