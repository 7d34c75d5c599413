"""Polars: frames in, also lazy ones, and out."""

from __future__ import annotations

from typing import Any

from ..keys import OFFSET
from .library import library
from .sources import Found, source


@source("polars")
def polars_source(data: Any) -> Found | None:
    """The columns of a frame. A lazy one is collected: select the columns that are needed before."""
    if hasattr(data, "collect_schema") and not hasattr(data, "get_columns"):
        data = data.collect()
    if not hasattr(data, "get_columns"):
        return None
    return Found({column.name: column for column in data.get_columns()})


def as_frame(table: Any) -> Any:
    """A DataFrame of an Arrow table. Numbers are not copied. Polars has no time zones by offset: these become UTC."""
    import pyarrow as pa

    polars = library("polars", "Polars")
    for n, field in enumerate(table.schema):
        if OFFSET.fullmatch(str(getattr(field.type, "tz", ""))):
            table = table.set_column(n, field.name, table.column(n).cast(pa.timestamp(field.type.unit, "UTC")))
    return polars.from_arrow(table)
