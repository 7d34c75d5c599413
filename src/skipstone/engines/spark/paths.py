"""Files and catalog tables as Spark tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...algebra import Semiring
from ...errors import BadOption, SparkMissing
from .faults import told
from .frame import SparkTable, spark_table

ENDINGS = {"parquet": "parquet", "csv": "csv", "tsv": "csv", "orc": "orc", "json": "json", "jsonl": "json"}
PACKED = r"(?:\.(?:gz|zst|bz2|snappy|lz4))?"
CSV = {"header": True, "inferSchema": True}


def table(
    source: str | Path | Sequence[str],
    keys: str | Sequence[str] | None = None,
    value: str | Sequence[str] | None = None,
    *,
    format: str | None = None,
    reading: Mapping[str, Any] | None = None,
    session: Any = None,
    name: str = "",
    nulls: str = "drop",
    combine: str | Semiring = "plus",
) -> SparkTable:
    """A Spark table of Parquet, CSV, ORC or JSON files, or of the catalog.

        sk.spark.table("edges.parquet", keys=["src", "dst"])       # a file, a directory, or many: "edges/*.parquet"
        sk.spark.table("s3a://bucket/edges", format="orc")         # any file system that Spark knows
        sk.spark.table("sales.orders", value="price")              # a table of the catalog, or a view

    What has a slash in it, or ends in .parquet, .csv, .tsv, .orc, .json or .jsonl, perhaps packed, is a path; without
    an ending or a `format` it holds Parquet. All else is the name of a table. CSV has a header, and its types are found
    by reading it twice; `reading` has options for Spark's reader that say otherwise. Spark reads in `session`, or in
    the one that is running: none is started. The rest is as for `sk.table`. Nothing is read but what says the columns.
    """
    session = running() if session is None else session
    paths = [source] if isinstance(source, str | Path) else list(source)
    if not paths:
        raise BadOption("there is no path", "Name at least one.")
    with told():
        if format is None and len(paths) == 1 and is_name(str(paths[0])):
            frame = session.table(str(paths[0]))
        else:
            kind = format_of(str(paths[0])) if format is None else format
            frame = frame_of(session, [str(p) for p in paths], kind, reading or {})
    return spark_table(frame, keys, value, name, nulls, combine)


def frame_of(session: Any, paths: Sequence[str], kind: str, reading: Mapping[str, Any]) -> Any:
    """Files of one format as a DataFrame, read with these options besides ours."""
    if kind not in ENDINGS.values():
        raise BadOption(f"format={kind!r}", f"Say one of {', '.join(dict.fromkeys(ENDINGS.values()))}.")
    options: dict[str, Any] = dict(CSV) if kind == "csv" else {}
    if re.search(rf"\.tsv{PACKED}$", paths[0]):
        options["sep"] = "\t"
    return session.read.format(kind).options(**options | dict(reading)).load(list(paths))


def running() -> Any:
    """The session that runs, classic or of Connect."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise SparkMissing("PySpark is not installed", "Install it: pip install 'skipstone[spark]'.") from None
    session = SparkSession.getActiveSession()
    if session is None:
        raise SparkMissing("no Spark session is running", "Start one, sk.spark.session(), or give yours: session=…")
    return session


def is_name(source: str) -> bool:
    return "/" not in source and ending(source) not in ENDINGS


def ending(source: str) -> str:
    found = re.search(rf"\.(\w+?){PACKED}/?$", source)
    return found[1].lower() if found else ""


def format_of(path: str) -> str:
    """What a path holds, by its ending; Parquet, if it has none."""
    found = ending(path)
    if found and found not in ENDINGS:
        raise BadOption(
            f"nothing says what {path} holds", f"Say it: format=…, one of {', '.join(dict.fromkeys(ENDINGS.values()))}."
        )
    return ENDINGS.get(found, "parquet")
