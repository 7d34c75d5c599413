"""Tables: rows with keys of any type in named columns, and values. What the notation is written over.

A table keeps its rows as codes (see keys.py), in no particular order. Whoever needs it sorted along some order of its
columns asks for that `trie`, which is made once and kept. Rows that were read from a file, and are nobody else's, go
when there is one: it has all of them. A result lies in runs, as it was gathered, until someone asks for its rows.

Longer than a file should be by its ways out, which are a line each and a docstring.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .algebra import Semiring
from .counting import rows_told
from .duplicates import combined
from .errors import BadOption, NotACollection
from .interop import arrow, files, networkx, pandas, polars, rows_of, scipy, source_of
from .interop.rows import a_tuple
from .keys import Domain
from .storage import Trie
from .storage.column import Array
from .storage.lengths import Lengths, occurring, one_of_each
from .storage.nesting import Maker, in_order, innermost, leaves, leveled, unnested
from .storage.runs import Behind, Runs

CHEAP = 100_000  # rows that are sorted to be counted, when nobody asked for more than a line about them

ELSEWHERE: dict[str, Callable[..., Any]] = {}  # who makes tables of data that stays where it is, by the data's package


def is_importable(x: Any) -> bool:
    """Whether another process can find x by its name."""
    return getattr(sys.modules.get(getattr(x, "__module__", "")), getattr(x, "__qualname__", ""), None) is x


class Table:
    """Rows: a code for each key column, and values. Equal rows are one: their values are added.

    Made by `sk.table`, and by collecting an expression. Immutable.
    """

    engine: Any = None  # who runs expressions with this table in them, if its rows are not here

    def __init__(
        self,
        keys: Sequence[str],
        codes: Sequence[Array] | Runs | Behind,
        domains: Sequence[Domain],
        values: Sequence[Array] = (),
        make: Maker = None,
        name: str = "",
        used_up: bool = False,
    ) -> None:
        self.keys, self.name, self.make, self.domains = tuple(keys), name, make, list(domains)
        self.runs = codes if isinstance(codes, Runs | Behind) else None  # of a result, as it was gathered
        self._content: tuple[list[Array], list[Array]] | None = None
        if not isinstance(codes, Runs | Behind):
            self._content = (list(codes), list(values))
        self._used_up = used_up  # the arrays are nobody else's
        self._tries: dict[tuple[int, ...], Trie] = {}
        self._rows: tuple[list[Array], list[Array]] | None = None
        self._distinct: dict[frozenset[int], int] = {}
        self._spans: dict[int, tuple[Any, Any]] = {}
        self._occurring: dict[int, Lengths] = {}
        self._lengths: dict[tuple[int, frozenset[int]], Lengths] = {}
        self._derived: dict[Any, Table] = {}
        # Rows as they came, equal ones included.
        self.size = codes.size if isinstance(codes, Runs | Behind) else codes[0].size if codes else 0

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}: {d.kind}" for key, d in zip(self.keys, self.domains, strict=True))
        rows = rows_told(self.size, self.different())
        return f"Table({self.name or 'unnamed'}, {rows}; {shown}{' -> value' if self.values else ''})"

    def __getstate__(self) -> dict[str, Any]:
        """Its rows, without what was made of them, for another process: that is made again where it is needed."""
        codes, values = self.content()
        state = {**vars(self), **vars(Table(self.keys, codes, self.domains, values, self.make, self.name))}
        state["size"] = codes[0].size if codes else self.size
        if self.make is not None and not is_importable(self.make):
            state["make"] = tuple(self.value_names(len(values)))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if isinstance(self.make, tuple):
            self.make = a_tuple(list(self.make))

    def __len__(self) -> int:
        """How many rows there are, equal ones counted once."""
        return int(self.distinct(range(len(self.keys))))

    def __iter__(self) -> Any:
        """A table is not walked row by row in Python; without this, Python would ask for table[0], table[1], …"""
        raise NotACollection(
            f"{self!r} is not walked row by row",
            "Take its rows as a dict, table.to_dict(), or as arrays, table.columns().",
        )

    def content(self) -> tuple[list[Array], list[Array]]:
        """Codes, by column, and values, row by row: as they came, or as they stand in a sorted copy.

        Whoever needs both asks for both at once: another thread may have them sorted meanwhile.
        """
        if self._content is None and self.runs is not None:
            self._content = self.runs.columns(), self.runs.leaves
        if (content := self._content) is not None:
            return content
        order, trie = self._first_whole()
        keys, values = unnested(trie)
        return [keys[order.index(n)] for n, _ in enumerate(order)], values

    @property
    def codes(self) -> list[Array]:
        return self.content()[0]

    @property
    def values(self) -> list[Array]:
        if self.runs is not None:
            return self.runs.leaves
        content = self._content
        return leaves(self._first_whole()[1]) if content is None else content[1]

    def _first_whole(self) -> tuple[tuple[int, ...], Trie]:
        return next((order, trie) for order, trie in list(self._tries.items()) if len(order) == len(self.keys))

    def different(self, cheap: int = CHEAP) -> int | None:
        """How many rows there are, equal ones counted once, if that is known or cheap to know; no copy is made."""
        every = frozenset(range(len(self.keys)))
        if every not in self._distinct and self.keys:
            same = [self, *(t for t in self._derived.values() if t.size == self.size and t.keys == self.keys)]
            if copies := [trie for each in same for trie in each.whole()]:
                self._distinct[every] = innermost(copies[0])
            elif self._rows is not None:
                self._distinct[every] = int(self._rows[0][0].size)
            elif self.size <= cheap:
                self._distinct[every] = int(one_of_each(self.codes).size)
        return self._distinct.get(every)

    def trie(self, order: Sequence[int]) -> Trie:
        """The rows as nested levels, in the order of these columns."""
        key = tuple(order)
        if key not in self._tries and self.runs is not None and (lie := self.runs.trie(key, self.make)) is not None:
            self._tries[key] = lie
        if key not in self._tries:
            codes, values = self.content()
            rows = in_order([codes[n] for n in key], values, [self.span(n) for n in key])
            del codes, values
            goes = self._used_up and len(key) == len(self.keys)
            if goes:
                self._content = [rows[0][key.index(n)] for n in range(len(key))], rows[1]
                arrow.release()
            self._tries[key] = leveled(*rows, self.make)
            if goes:
                self._content = None
        return self._tries[key]

    def in_order(self) -> tuple[list[Array], list[Array]]:
        """The rows in order, equal ones added: a code for each key column, and values."""
        natural = tuple(range(len(self.keys)))
        if self._rows is None:
            sorted_copy = self._tries.get(natural)
            if sorted_copy is not None:
                self._rows = unnested(sorted_copy)
            else:
                self._rows = in_order(*self.content()) if self.runs is None else self.runs.in_order()
        return self._rows

    def whole(self) -> list[Trie]:
        """The sorted copies that hold every column."""
        return [trie for order, trie in self._tries.items() if len(order) == len(self.keys)]

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
        if len(columns) == len(self.keys):
            return innermost(self.trie(columns))
        lengths = self.lengths(*columns)
        return lengths.size if len(columns) == 1 else lengths.total

    def lengths(self, n: int, *others: int) -> Lengths:
        """How many different codes of the other columns, together, stand beside each code of column n."""
        beside = frozenset(others) - {n}
        if (n, beside) not in self._lengths:
            if not beside or len(beside) == len(self.keys) - 1:
                if n not in self._occurring:
                    alone = self._tries.get((n,)) if len(self.keys) == 1 else None  # it has each key once
                    codes = self.codes[n] if alone is None else unnested(alone)[0][0]
                    self._occurring[n] = occurring(codes, self.span(n))
                self._lengths[n, beside] = self._occurring[n] if beside else self._occurring[n].alone()
            else:
                self.count_together(beside | {n})
        return self._lengths[n, beside]

    def count_together(self, columns: frozenset[int]) -> None:
        """Sort once, for each of some columns that is asked what stands beside it in the others."""
        rows = one_of_each([self.codes[n] for n in columns])
        for n in columns:
            self._lengths[n, columns - {n}] = occurring(self.codes[n][rows])

    def span(self, n: int) -> tuple[Any, Any]:
        """The smallest and the largest code in a column; (0, -1) where there is none."""
        if n not in self._spans:
            codes = self.codes[n]
            ends = (codes.min(), codes.max()) if codes.size else np.array([0, -1], codes.dtype)
            self._spans[n] = ends[0].item(), ends[1].item()
        return self._spans[n]

    def alphabet(self, n: int) -> tuple[Array, list[Any]]:
        """The different codes in a column, in order, and the keys that they stand for."""
        codes = self.lengths(n).keys
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
            codes, values = self.content()
            codes = [moves[c] if m == n else c for m, c in enumerate(codes)]
            domains = [domain if m == n else d for m, d in enumerate(self.domains)]
            return Table(self.keys, codes, domains, values, self.make, self.name)

        return self.kept(("recoded", n, domain), make)

    def pinned(self, n: int, code: Any) -> Table:
        """The rows that hold this code in one column, without that column."""
        return self.kept(("pinned", n, code), lambda: self.where(lambda codes: codes[n] == code).without(n))

    def diagonal(self, n: int, m: int) -> Table:
        """The rows that hold the same in two columns, without the second."""
        return self.kept(("diagonal", n, m), lambda: self.where(lambda codes: codes[n] == codes[m]).without(m))

    def as_set(self) -> Table:
        """The rows alone, each with the value 1."""
        return self.projected(range(len(self.keys))) if self.values else self

    def projected(self, columns: Sequence[int]) -> Table:
        """Some of the columns, as a set of rows."""
        chosen = tuple(columns)

        def make() -> Table:
            keys, domains = [self.keys[n] for n in chosen], [self.domains[n] for n in chosen]
            if self.runs is not None and len(set(chosen)) == len(self.keys):
                return Table(keys, self.runs.keys_alone(chosen), domains, name=self.name)
            codes = self.codes
            return Table(keys, [codes[n] for n in chosen], domains, name=self.name)

        return self.kept(("projected", chosen), make)

    def projection(self, other: Table) -> tuple[int, ...] | None:
        """The columns that another table has of this one, if that is where it was made."""
        return next((key[1] for key, made in self._derived.items() if made is other and key[0] == "projected"), None)

    def rows(self, chosen: Array) -> Table:
        return self.where(lambda codes: chosen)

    def where(self, holds: Callable[[list[Array]], Array]) -> Table:
        codes, values = self.content()
        chosen = holds(codes)
        codes, values = [c[chosen] for c in codes], [v[chosen] for v in values]
        return Table(self.keys, codes, self.domains, values, self.make, self.name)

    def named(self, name: str) -> Table:
        """The same rows under a name, without anything that is kept."""
        if self.runs is not None:
            return Table(self.keys, self.runs, self.domains, make=self.make, name=name)
        codes, values = self.content()
        return Table(self.keys, codes, self.domains, values, self.make, name)

    def without(self, n: int) -> Table:
        def rest(x: Sequence[Any]) -> list[Any]:
            return [y for m, y in enumerate(x) if m != n]

        made = Table(rest(self.keys), rest(self.codes), rest(self.domains), self.values, self.make, self.name)
        made.size = self.size
        return made

    # ------------------------------------------------------------------ out

    def coded_columns(self) -> list[tuple[str, Array, Domain | None]]:
        """Everything in it, one row a key, in order: names, with codes and their domain, then with values."""
        keys, values = self.in_order()
        found: list[tuple[str, Array, Domain | None]] = list(zip(self.keys, keys, self.domains, strict=True))
        for name, value in zip(self.value_names(len(values)), values, strict=True):
            while name in self.keys:
                name += "_"
            found.append((name, value, None))
        return found

    def value_names(self, count: int) -> Sequence[str]:
        made = self.make(*[0] * count) if self.make is not None and count else None
        fields: Sequence[str] | None = getattr(made, "_fields", None)
        return fields or (["value"] if count == 1 else [f"value_{n}" for n in range(count)])

    def columns(self) -> dict[str, Array]:
        """Everything in it as arrays that can be read: keys by name, then values. Values are not copied.

        Timestamps of a time zone come as instants, in UTC: NumPy has no zones.
        """
        found = {}
        for name, array, domain in self.coded_columns():
            found[name] = (array if domain is None else domain.decoded(array)).view()
            found[name].flags.writeable = False
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
        """As a pyarrow Table. Values are not copied; strings are large_string."""
        return arrow.as_table(self.coded_columns())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """For whoever speaks Arrow: `polars.DataFrame(table)`, `pyarrow.table(table)`, `duckdb.sql("from table")`."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """As a pandas DataFrame."""
        return pandas.as_frame(self.coded_columns())

    def to_polars(self) -> Any:
        """As a Polars DataFrame. Values are not copied."""
        return polars.as_frame(self.to_arrow())

    def to_scipy(self, shape: Sequence[int] | None = None, *, labels: bool = False) -> Any:
        """As a sparse array of SciPy, in coordinates. Keys are places along its axes.

        With `labels`, keys of any type are numbered in their order, and what comes is the array and, for each axis, a
        list of its keys.
        """
        found = self.coded_columns()
        values = [array for _, array, domain in found if domain is None]
        if len(values) > 1:
            raise BadOption(f"a sparse array has one value a key, and this is {self!r}", "Map them to one first.")
        keys = [(name, array, domain) for name, array, domain in found if domain is not None]
        return scipy.as_coo(keys, values[0] if values else None, shape, labels)

    def to_networkx(self) -> Any:
        """As a NetworkX DiGraph: from the first key to the second, with the value as `weight`."""
        if len(self.keys) != 2:
            raise BadOption(f"an edge has two ends, and this is {self!r}", "Sum the other axes away.")
        names = self.value_names(len(self.values)) if self.make is not None else ["weight"] * len(self.values)
        return networkx.as_graph(self.to_dict(), names)

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
    malformed: str = "refuse",
) -> Table:
    """A table of rows, from whatever holds them: columns, tuples, frames, sparse arrays, graphs, files.

    >>> t = table({"src": ["ann", "bob", "ann"], "dst": ["bob", "cy", "cy"]}, keys=["src", "dst"])
    >>> t, len(t)
    (Table(unnamed, 3 rows; src: str, dst: str), 3)
    >>> table({"day": [1, 1, 2], "sold": [0.5, 1.5, 3.0]}, keys="day", value="sold").to_dict()
    {1: 2.0, 2: 3.0}

    `keys` names the columns that are keys (all but those of `value`, if it is left out). `value` names one column, or
    several, which become a named tuple; without it the table is a set of rows, each with the value 1. A key that is
    missing drops its row, with a warning, or is refused (`nulls="refuse"`). docs/interop.md lists what can be given,
    and what of it is not copied.

    Rows with the same keys are one row. `combine` says what becomes of their values: they are added, or it is "min",
    "max", or the plus of a semiring; "refuse" makes them an error. "count" keeps a bag: the value is how many there
    were.

    >>> table({"day": [1, 1, 2], "sold": [0.5, 1.5, 3.0]}, keys="day", value="sold", combine="max").to_dict()
    {1: 1.5, 2: 3.0}
    >>> table({"day": [1, 1, 2]}, combine="count").to_dict()
    {1: 2, 2: 1}

    A path names a file, a directory, or several (`"edges/*.parquet"`, or a list). Its ending says what it holds:
    Parquet, ORC, Arrow, CSV, TSV, JSON lines, a matrix (.mtx), a tensor (.tns) or edges (.txt). Only columns that are
    named are read. Columns of a text without a line of names are "0", "1", … Rows that do not fit the rest of a text
    are an error that tells the line, or are left out with a warning (`malformed="skip"`).
    """
    package = type(data).__module__.partition(".")[0]
    if package in ELSEWHERE:
        elsewhere: Table = ELSEWHERE[package](data, keys, value, name, nulls, combine)
        return elsewhere
    is_read = files.is_source(data)
    if is_read:
        data, value = files.read(data, keys, value, malformed)
    found, data = source_of(data), None
    rows = rows_of(found, keys, value, nulls, is_read, name)
    codes, values = rows.codes, rows.values
    if combine != "plus":
        codes, values = combined(codes, values, combine, rows.keys, rows.domains)
    return Table(rows.keys, codes, rows.domains, values, rows.make, name, used_up=is_read)
