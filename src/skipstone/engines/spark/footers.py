"""What Parquet files say of themselves at their ends: how many rows there are, and which columns lack nothing.

Read here, in milliseconds, where a job of Spark's would read the columns. Only of a DataFrame that is such files and
nothing else (columns may be left out), on a file system of this machine; Spark Connect does not show what a frame is.
"""

from __future__ import annotations

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

    def read(self, schema: Any, first: int | None = None) -> Any:
        """The columns of a schema, of the first rows or of all, as an Arrow table; None if they cannot be read here."""
        import pyarrow as pa
        import pyarrow.parquet as parquet

        try:
            if first is None:
                tables = [parquet.read_table(path, columns=schema.names, partitioning=None) for path in self.paths]
            else:
                file = parquet.ParquetFile(self.paths[0], buffer_size=AT_ONCE)
                tables = [pa.Table.from_batches([b]) for b in islice(file.iter_batches(first, columns=schema.names), 1)]
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
    complete = {name for name in frame.columns if all(lacks_nothing(each, name) for each in found)}
    return Footers(paths, sum(each.num_rows for each in found), frozenset(complete))


def lacks_nothing(file: Any, name: str) -> bool:
    """Whether a file says that a column of it has no null in any group of rows."""
    groups = [file.row_group(n) for n in range(file.num_row_groups)]
    places = [n for n in range(file.num_columns) if file.schema.column(n).path == name]
    told = [group.column(n).statistics for n in places for group in groups]
    return bool(places) and all(said is not None and said.has_null_count and not said.null_count for said in told)


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
