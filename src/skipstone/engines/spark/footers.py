"""What Parquet files say of themselves at their ends: how many rows there are, and which columns lack nothing.

Read here, in milliseconds, where a job of Spark's would read the columns. Only of a DataFrame that is such files and
nothing else (columns may be left out), on a file system of this machine; Spark Connect does not show what a frame is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import unquote, urlsplit

MANY = 256  # files, whose ends are read
COLUMNS_AS_THEY_ARE = ("Project", "SubqueryAlias", "View")  # parts of a plan, if they make none anew
PARQUET = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
AT_ONCE = 2**18  # bytes of a column, for its first rows


@dataclass(frozen=True)
class Footers:
    """Of some files together."""

    paths: tuple[str, ...]
    rows: int
    complete: frozenset[str]  # the columns that are known to hold no null
    spans: dict[str, int]  # of columns of integers, how many there are from the smallest to the largest

    def read(self, schema: Any, first: int | None = None) -> Any:
        """The columns of a schema, of the first rows or of all, as an Arrow table; None if they cannot be read here."""
        import pyarrow as pa
        import pyarrow.parquet as parquet

        try:
            if first is None:
                tables = [parquet.read_table(path, columns=schema.names, partitioning=None) for path in self.paths]
            else:
                file = parquet.ParquetFile(self.paths[0], buffer_size=AT_ONCE)
                batches = file.iter_batches(first, columns=schema.names, use_threads=False)
                tables = [pa.Table.from_batches([batch]) for batch in islice(batches, 1)]
            return pa.concat_tables([t.select(schema.names).cast(schema) for t in tables]) if tables else None
        except (OSError, KeyError, ValueError, pa.ArrowException):  # Spark will say what is wrong
            return None


def footers(frame: Any) -> Footers | None:
    """Of the files that a frame is; None if it is anything else, or if they cannot be read here."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    paths = files_of(frame)
    if not paths:
        return None
    try:
        found = [parquet.read_metadata(path) for path in paths]
    except (OSError, pa.ArrowException):
        return None
    told = {name: statistics(found, name) for name in frame.columns}
    complete = {name for name, said in told.items() if said and all(map(lacks_nothing, said))}
    ranges = {name: span(said) for name, said in told.items() if name in complete}
    spans = {name: many for name, many in ranges.items() if many is not None}
    return Footers(paths, sum(each.num_rows for each in found), frozenset(complete), spans)


def statistics(files: Sequence[Any], name: str) -> list[Any]:
    """What files say of a column, for each group of rows; nothing, if one of them does not have it."""
    said = []
    for file in files:
        places = [n for n in range(file.num_columns) if file.schema.column(n).path == name]
        if not places:
            return []
        said += [file.row_group(group).column(n).statistics for n in places for group in range(file.num_row_groups)]
    return said


def lacks_nothing(said: Any) -> bool:
    """Whether a group of rows has no null in a column."""
    return said is not None and bool(said.has_null_count) and not said.null_count


def span(told: Sequence[Any]) -> int | None:
    """How many integers there are from the smallest to the largest of a column; None if that is not said."""
    if any(not said.has_min_max or type(said.min) is not int for said in told):
        return None
    return int(max(said.max for said in told) - min(said.min for said in told)) + 1


def files_of(frame: Any) -> tuple[str, ...]:
    """The paths of the Parquet files that a frame is; none, if it does not just read some."""
    if not hasattr(frame, "_jdf"):
        return ()
    try:
        plan = frame._jdf.queryExecution().withCachedData()
    except Exception:  # Spark will say what is wrong, when it is run
        return ()
    name = plan.nodeName()
    while name in COLUMNS_AS_THEY_ARE and plan.outputSet().subsetOf(plan.inputSet()):
        plan = plan.children().head()
        name = plan.nodeName()
    if name != "LogicalRelation":
        return ()
    relation = plan.relation()
    if relation.getClass().getSimpleName() != "HadoopFsRelation":
        return ()
    if relation.fileFormat().getClass().getName() != PARQUET:  # Delta's own has rows that were taken out again
        return ()
    files = relation.inputFiles()
    addresses = [urlsplit(address) for address in files] if len(files) <= MANY else []
    if any(address.scheme != "file" for address in addresses):
        return ()
    return tuple(unquote(address.path) for address in addresses)
