"""A table whose rows are a Spark DataFrame: it knows their types, and is read when an expression is run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...counting import counted
from ...errors import BadOption, NotACollection, NotAKey, UnsupportedValue
from ...keys import Domain
from ...storage.column import Array
from ...table import Table, table
from ...warned import warn
from .blocks import as_numbers
from .cell import NUMBER, columns_with_values
from .faults import told
from .footers import Footers, footers

INTEGERS = ("byte", "short", "integer", "long")
FLOATS = ("float", "double", "decimal")
ALIKE = (*INTEGERS, "float", "double", "boolean", "string")  # Spark shifts old dates, and decimals are rounded
STRING = 24  # bytes, and what else there is, roughly
LOOKED_AT = 2**15  # rows of a sample
SEEN = 64  # times that a heavy key is seen in it
FEW = 50_000  # rows, of which no key is heavy
HERE = 2**19  # rows of files that are counted here: a job takes longer
GLANCE = 2**14  # rows that are looked at
KEYLIKE = 0.95  # of them have a key of their own, if it is one


@dataclass(frozen=True)
class Facts:
    """What is counted once for a table: rows, and for each key column roughly how many different keys."""

    rows: int
    distinct: tuple[int, ...]


class SparkTable(Table):
    """Rows that stay in Spark. To the planner it is a table without rows, of the right types.

    Made by `sk.table(frame, keys=…, value=…)`; lazy. When an expression first needs to know, one Spark job counts rows,
    keys and nulls; rows without a key or a value are left out with a warning, or refused.
    """

    def __init__(self, frame: Any, shape: Table, value: Any, nulls: str, combine: Any) -> None:
        super().__init__(shape.keys, shape.codes, shape.domains, shape.values, shape.make, shape.name)
        self.frame, self.value, self.nulls, self.combine = frame, value, nulls, combine
        self.nulls_told = False
        self.sound = False  # whether it is known that no row lacks anything
        self.rows_differ = False  # whether it is known that none comes twice, and none lacks anything
        self.origin: SparkTable = self  # the table of which this one is the rows alone
        self.aliased: dict[str, Any] = {}  # its rows, under names that queries have for it
        self.keylike: dict[tuple[str, ...], bool] = {}  # whether such columns hold a key once, as far as was seen
        self.dictionaries: dict[Any, Any] = {}  # of its strings, and of those that they meet: see numbering.py

    @property
    def engine(self) -> Any:
        from . import run

        return run

    def __repr__(self) -> str:
        return super().__repr__().replace("Table(", "SparkTable(").replace("0 rows; ", "")

    @cached_property
    def facts(self) -> Facts:
        if self.origin is not self:
            return self.origin.facts
        lacking, keyed = self.lacking(), len(self.keys)
        here = self.keys_here() if not lacking else None
        if here is not None:
            self.tell_nulls({})
            return Facts(here.num_rows, tuple(len(column.unique()) for column in here.columns))
        asked = ["count(1)", *(f"approx_count_distinct({quoted(name)})" for name in self.keys)]
        asked += [f"count_if({lacks})" for lacks in lacking.values()]
        with told():
            row = self.frame.selectExpr(*asked).first()
        self.tell_nulls(dict(zip(lacking, row[1 + keyed :], strict=True)))
        return Facts(row[0], tuple(row[1 : 1 + keyed]))

    @cached_property
    def footers(self) -> Footers | None:
        """What its files say, if it is Parquet files that can be read here."""
        return footers(self.frame) if self.origin is self else self.origin.footers

    def lacking(self) -> dict[str, str]:
        """For each column that may lack something, where it does, as Spark SQL writes it: nulls, and NaN among keys."""
        found: dict[str, str] = {}
        if self.rows_differ or self.sound:
            return found
        complete = self.footers.complete if self.footers is not None else ()
        for n, field in enumerate(self.frame.schema):
            column = quoted(field.name)
            if n < len(self.keys) and self.is_float(n):
                found[field.name] = f"({column} is null or isnan({column}))"
            elif field.nullable and field.name not in complete:
                found[field.name] = f"{column} is null"
        return found

    def tell_nulls(self, counts: Mapping[str, int]) -> None:
        """Refuse rows that lack something, or say once that they are left out."""
        before, self.nulls_told = self.nulls_told, True
        self.sound = self.sound or not any(counts.values())
        for column, count in counts.items() if not before else ():
            if count:
                lacks = f"without a {'key' if column in self.keys else 'value'} in column {column!r}"
                what = f"{f'{self.name}: ' if self.name else ''}{counted(count, 'row')} {lacks}"
                if self.nulls == "refuse":
                    self.nulls_told = False
                    raise NotAKey(what, 'Drop them first, or say nulls="drop".')
                warn(f"{what} {'is' if count == 1 else 'are'} left out")

    def look_for_nulls(self) -> None:
        """The same, by a job of its own; once."""
        lacking = {} if self.nulls_told else self.lacking()
        if lacking:
            row = self.frame.selectExpr(*(f"count_if({lacks})" for lacks in lacking.values())).first()
            self.tell_nulls(dict(zip(lacking, row, strict=True)))

    def complete(self) -> Any:
        """The rows that lack nothing."""
        return lacking_nothing(self.frame, self.lacking())

    def called(self, alias: str) -> Any:
        """Its rows under a name. Kept: Spark looks through each frame that is made, for 2 ms."""
        if alias not in self.aliased:
            self.aliased[alias] = self.frame.alias(alias)
        return self.aliased[alias]

    def key_frame(self) -> Any:
        return self.frame.select(*map(quoted, self.keys))

    def arrow_schema(self, columns: Sequence[int]) -> Any:
        """The types that columns have when Spark gives them to Arrow."""
        from pyspark.sql.pandas.types import to_arrow_schema
        from pyspark.sql.types import StructType

        return to_arrow_schema(StructType([self.frame.schema[n] for n in columns]), timezone="UTC")

    def keys_here(self) -> Any:
        """All its keys as an Arrow table, if they are in small files that can be read here; else None."""
        if self.footers is None or not self.is_small():
            return None
        return self.footers.read(self.arrow_schema(range(len(self.keys))))

    def rows_here(self) -> Any:
        """All its rows as an Arrow table, if they are in small files, and read here as Spark would read them."""
        alike = all(field.dataType.typeName() in ALIKE for field in self.frame.schema)
        if self.footers is None or not self.is_small() or not alike or self.origin.lacking():
            return None
        return self.footers.read(self.arrow_schema(range(len(self.frame.columns))))

    def is_small(self) -> bool:
        """Whether it is known, without a job, to be in files with few rows."""
        return self.footers is not None and self.footers.rows <= HERE

    def is_key(self, columns: Sequence[int]) -> bool:
        """Whether hardly any two of the first rows hold the same in these columns."""
        names = tuple(self.keys[n] for n in columns)
        if names not in self.keylike:
            self.keylike[names] = bool(names) and not self.must_repeat(names) and self.seems_key(columns)
        return self.keylike[names]

    def must_repeat(self, names: Sequence[str]) -> bool:
        """Whether there are fewer integers between the smallest and the largest than keys would need."""
        said = self.footers
        if said is None or not all(name in said.spans for name in names):
            return False
        return math.prod(said.spans[name] for name in names) < KEYLIKE * said.rows

    def seems_key(self, columns: Sequence[int]) -> bool:
        schema = self.arrow_schema(columns)
        rows = self.footers.read(schema, GLANCE) if self.footers is not None else None
        if rows is None:
            rows = self.frame.select(*map(quoted, schema.names)).limit(GLANCE).toArrow()
        one = len(rows.column(0).unique()) if len(columns) == 1 else rows.group_by(schema.names).aggregate([]).num_rows
        return bool(one >= KEYLIKE * rows.num_rows)

    def as_set(self) -> Table:
        """The rows alone, each with the value 1, without the columns of values."""
        if not self.values:
            return self

        def make() -> Table:
            shape = Table(self.keys, self.codes, self.domains, name=self.name)
            made = SparkTable(self.complete().select(*map(quoted, self.keys)), shape, None, self.nulls, "plus")
            made.origin = self.origin
            return made

        return self.kept("set", make)

    @cached_property
    def heavy(self) -> tuple[dict[int, float], ...]:
        """For each key column, the keys that many of its rows hold, as numbers, with what part of the rows that is.

        Seen in a sample, by one job more if it is not in small files. Of a small table none are heavy.
        """
        if self.origin is not self:
            return self.origin.heavy
        if self.facts.rows < FEW:
            return tuple({} for _ in self.keys)
        rows, found = self.sample, []
        for column in rows.columns:
            keys, counts = np.unique(as_numbers(column), return_counts=True)
            heavy = counts >= SEEN
            parts = (counts[heavy] / max(rows.num_rows, 1)).tolist()
            found.append(dict(zip(keys[heavy].tolist(), parts, strict=True)))
        return tuple(found)

    @cached_property
    def sample(self) -> Any:
        """The keys of some rows, as an Arrow table."""
        part, here = min(1.0, LOOKED_AT / max(self.facts.rows, 1)), self.keys_here()
        if here is not None:
            return here.filter(np.random.default_rng(0).random(here.num_rows) < part).drop_null()
        return self.key_frame().sample(part, seed=0).toArrow().drop_null()

    def letters(self, n: int) -> float:
        """How many bytes the strings of a column have, on average; of a small table, it is not looked at."""
        if self.facts.rows < FEW:
            return STRING
        return float(self.sample.column(n).nbytes / max(self.sample.num_rows, 1))

    def is_float(self, n: int) -> bool:
        return self.frame.schema[n].dataType.typeName() in ("float", "double")

    def row_bytes(self) -> int:
        return sum(STRING if domain.kind == "str" else NUMBER for domain in self.domains) + NUMBER * len(self.values)

    def local(self, rows: int | None = None) -> Table:
        """The rows, or the first of them, here."""
        frame = self.complete() if self.nulls_told else self.frame  # what is left out is told once
        frame = frame if rows is None else frame.limit(rows)
        with told():
            arrow = frame.toArrow()
        if not arrow.num_rows:
            return Table(self.keys, self.codes, self.domains, self.values, self.make, self.name)
        columns = columns_with_values(arrow, self.frame.columns, len(self.keys))
        return table(columns, self.keys, self.value, name=self.name, nulls=self.nulls, combine=self.combine)

    # What a table is asked for that needs its rows: they are brought here.

    def __len__(self) -> int:
        return len(self.local())

    def trie(self, order: Sequence[int]) -> Any:
        return self.local().trie(order)

    def alphabet(self, n: int) -> tuple[Array, list[Any]]:
        return self.local().alphabet(n)


for _method in ("coded_columns", "to_dict"):
    setattr(SparkTable, _method, lambda self, _method=_method: getattr(self.local(), _method)())


def lacking_nothing(frame: Any, lacking: Mapping[str, str]) -> Any:
    """The rows of a frame that lack nothing."""
    return frame.where(f"not ({' or '.join(lacking.values())})") if lacking else frame


def spark_table(frame: Any, keys: Any, value: Any, name: str, nulls: str, combine: Any) -> SparkTable:
    """`sk.table`, for a DataFrame of Spark."""
    if not hasattr(frame, "mapInArrow"):
        raise NotACollection(f"{type(frame).__name__} of PySpark is not a DataFrame", "Give a pyspark.sql.DataFrame.")
    if nulls not in ("drop", "refuse"):
        raise BadOption(f"nulls={nulls!r}", 'Say "drop" or "refuse".')
    valued = [value] if isinstance(value, str) else list(value or ())
    given = [keys] if isinstance(keys, str) else keys
    with told():  # Connect asks for them only now, and finds out what is wrong
        types = {field.name: field.dataType.typeName() for field in frame.schema}
    keyed = list(given) if given is not None else [c for c in frame.columns if c not in valued]
    empty = {name: empty_values(name, kind) if name in valued else () for name, kind in types.items()}
    made = table(empty, keyed, value, name=name, nulls=nulls, combine=combine)  # checks all that can be wrong
    domains = [domain_of(column, types[column]) for column in keyed]
    shape = Table(keyed, [domain.no_codes() for domain in domains], domains, made.values, made.make, name)
    if frame.columns != [*keyed, *valued]:
        frame = frame.select(*map(quoted, (*keyed, *valued)))
    return SparkTable(frame, shape, value, nulls, combine)


def domain_of(column: str, kind: str) -> Domain:
    """What keys of a type of Spark's are here."""
    if kind in INTEGERS:
        return Domain("int")
    if kind in FLOATS:
        return Domain("float")
    if kind in ("string", "varchar", "char"):
        import pyarrow as pa

        return Domain("str", pa.array([], pa.large_string()))
    if kind == "boolean":
        return Domain("bool")
    if kind == "date":
        return Domain("date", unit="D")
    if kind in ("timestamp", "timestamp_ntz"):
        return Domain("timestamp", unit="us", zone="UTC" if kind == "timestamp" else "")
    raise NotAKey(f"column {column!r} of type {kind} cannot be keys", "Keys are numbers, dates and strings.")


def empty_values(column: str, kind: str) -> Array:
    if kind in INTEGERS:
        return np.zeros(0, np.int64)
    if kind in FLOATS:
        return np.zeros(0, np.float64)
    if kind == "boolean":
        return np.zeros(0, bool)
    raise UnsupportedValue(f"column {column!r} of type {kind} cannot be values", "Values are numbers and truth values.")


def quoted(name: str) -> str:
    """A column by its name, dots and all."""
    return "`" + name.replace("`", "``") + "`"
