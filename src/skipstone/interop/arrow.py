"""Arrow: tables, batches and readers, and whatever speaks its PyCapsule interface; its columns; and tables out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import NotACollection, NotAKey, UnsupportedValue
from ..keys import Domain
from ..storage.column import Array
from .sources import Found, by_name, source

UNITS = {"s", "ms", "us", "ns"}  # of Arrow's timestamps; NumPy has more


CAST = "Cast it to another type first."

# ---------------------------------------------------------------------- tables in


@source("pyarrow")
def arrow_source(data: Any) -> Found | None:
    """A table, a record batch, a reader, and what hands out one of them: a DuckDB relation, for one."""
    import pyarrow as pa

    if isinstance(data, pa.RecordBatchReader):
        data = data.read_all()
    elif is_arrow(data) and hasattr(data, "to_table"):  # a dataset
        data = data.to_table()
    elif not isinstance(data, pa.Table | pa.RecordBatch):
        data = capsule(data)
    return None if data is None else Found(by_name(data.column_names, data.columns))


def capsule(data: Any) -> Any:
    """An Arrow table of what says that it can be one; None of what does not."""
    import pyarrow as pa

    if not hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__arrow_c_array__"):
        return None
    try:
        return pa.table(data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise NotACollection(
            f"{type(data).__name__} is not a table to Arrow: {str(error).splitlines()[0]}",
            'If it is one column, give it a name: {"k": column}.',
        ) from None


# ---------------------------------------------------------------------- columns in


def is_arrow(column: Any) -> bool:
    return type(column).__module__.partition(".")[0] == "pyarrow"


def plain(column: Any) -> Any:
    """A column of a type that is known here, in one piece; strings in as many as they come in.

    Chunks are copied into one; single ones are not.
    """
    import pyarrow as pa

    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    if isinstance(column, pa.ChunkedArray) and not is_string(column.type):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        small = len(column.dictionary) <= len(column)
        if small and is_text(column) and not column.dictionary.null_count:
            return column
        column = column.dictionary_decode()
        column = column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    return column.cast(pa.date32(), safe=False) if pa.types.is_date64(column.type) else column


def is_text(column: Any) -> bool:
    """Whether a column holds strings, or a dictionary of them."""
    import pyarrow as pa

    return is_string(column.type.value_type if pa.types.is_dictionary(column.type) else column.type)


def is_string(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def is_nothing(column: Any) -> bool:
    """Whether it is a column of nulls, of which nobody said what they would be."""
    return is_arrow(column) and str(column.type) == "null"


def nulls(column: Any) -> Array | None:
    """Where a column holds nothing; None if it holds something everywhere."""
    found: Array | None = np.asarray(column.is_null()) if column.null_count else None
    return found


def numbers(column: Any) -> Array:
    """Numbers and moments as an array; what stands in place of a null means nothing. Objects, if it holds others."""
    import pyarrow as pa

    if is_nothing(column):
        return np.zeros(len(column))
    if isinstance(column.type, pa.BaseExtensionType):
        return np.empty(len(column), object)
    if column.null_count and pa.types.is_primitive(column.type):
        column = column.fill_null(False if pa.types.is_boolean(column.type) else 0)
    found: Array = column.to_numpy(zero_copy_only=False)
    return found


def zone_of(column: Any) -> str:
    """The time zone of a column's timestamps, by name or offset; empty, if they have none."""
    return str(getattr(column.type, "tz", None) or "")


def nothing(size: int) -> Any:
    """A column of nothing."""
    import pyarrow as pa

    return pa.nulls(size)


def of_text(strings: Any, name: str) -> Any:
    """Strings of a list, or of an array of NumPy."""
    import pyarrow as pa

    try:
        return pa.array(strings, pa.large_string(), from_pandas=True)
    except UnicodeError as error:
        raise NotAKey(f"column {name!r} holds a string that is no text: {error}", "Drop it, or repair it.") from None


def of_moments(moments: list[Any], zone: str | None) -> Any:
    import pyarrow as pa

    return pa.array(moments, pa.timestamp("us", zone), from_pandas=True)


def of_objects(column: list[Any], name: str) -> Any:
    """Numbers or dates, some of which may be missing."""
    import pyarrow as pa

    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowException, OverflowError):
        raise UnsupportedValue(f"column {name!r} holds integers beyond int64", "Use smaller numbers.") from None


def of_masked(column: Any) -> Any:
    import pyarrow as pa

    return pa.array(column.data, mask=np.ma.getmaskarray(column))


def of_polars(column: Any, name: str) -> Any:
    import pyarrow as pa

    try:
        if str(column.dtype) != "Object":  # of these it gives addresses
            return column.to_arrow()
    except pa.ArrowException:
        pass
    raise UnsupportedValue(f"column {name!r} is of type {column.dtype}, which Arrow does not have", CAST)


def of_extension(column: Any) -> Any:
    """A pandas column of a type that NumPy does not have: nullable, categorical, with a time zone, of Arrow."""
    import pyarrow as pa

    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return np.asarray(column)


def release() -> None:
    """Give memory of columns that are no longer needed back: Arrow keeps it for itself otherwise."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


# ---------------------------------------------------------------------- out


def as_table(columns: Sequence[tuple[str, Array, Domain | None]]) -> Any:
    """An Arrow table of columns: keys as codes with their domain, values without. Numbers are not copied."""
    import pyarrow as pa

    return pa.table({name: as_column(array, domain) for name, array, domain in columns})


def as_column(codes: Array, domain: Domain | None) -> Any:
    import pyarrow as pa

    if domain is None:
        return pa.array(codes)
    if domain.kind == "any":
        return pa.nulls(codes.size)
    if domain.kind == "str":
        return domain.texts.take(pa.array(codes))
    keys = domain.decoded(codes)
    if domain.kind != "timestamp":
        return pa.array(keys)
    if domain.unit in ("ps", "fs", "as"):
        raise UnsupportedValue(f"Arrow has no timestamps in {domain.unit}", "Cast them to ns first.")
    keys = keys if domain.unit in UNITS else keys.astype("datetime64[s]")
    return pa.array(keys).cast(pa.timestamp(np.datetime_data(keys.dtype)[0], domain.zone or None))
