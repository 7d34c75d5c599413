"""Parquet, ORC and Arrow files: they know their columns and types, and only those that are needed are read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..errors import FileUnreadable
from .chosen import chosen


def read(paths: Sequence[str], directory: str, form: str, wanted: Sequence[str] | None) -> Any:
    """The columns of files that belong together, as an Arrow table. A directory may have columns in its names, as
    Hive has them: `year=2013/part.parquet`."""
    import pyarrow as pa
    import pyarrow.dataset as dataset

    if form == "arrow" and len(paths) == 1 and not directory:
        rows = arrow_file(paths[0])
        return rows.select(chosen(rows.column_names, wanted, paths[0]))
    kind: Any = {"arrow": "ipc"}.get(form, form)
    if form == "parquet":
        options = dataset.ParquetFragmentScanOptions(page_checksum_verification=True, pre_buffer=False)
        kind = dataset.ParquetFileFormat(default_fragment_scan_options=options)
    open_files = partial(
        dataset.dataset, directory or list(paths), format=kind, partitioning="hive" if directory else None
    )
    found = open_files()
    columns = chosen(found.schema.names, wanted, directory or paths[0])
    schemas = [(fragment.path, fragment.physical_schema) for fragment in found.get_fragments()]
    if len(schemas) > 1:
        inside = set(schemas[0][1].names)
        for path, schema in schemas:
            lacking = [name for name in columns if name in inside and name not in schema.names]
            if lacking:
                raise FileUnreadable(f"{path} has no column {lacking[0]!r}, and {schemas[0][0]} has")
        try:
            unified = pa.unify_schemas([s for _, s in schemas], promote_options="permissive")
        except pa.ArrowException as error:
            raise FileUnreadable(f"{directory or paths[0]}: its files differ: {str(error).splitlines()[0]}") from None
        hive = [field for field in found.schema if field.name not in inside]
        found = open_files(schema=pa.schema([*unified, *hive]))
    rows = found.to_table(columns=columns)
    rows.validate(full=form == "arrow")
    return rows


def arrow_file(path: str) -> Any:
    """A file of Arrow's, or the stream that `--format arrow` writes. What is in it is checked: nothing else does."""
    import pyarrow as pa

    with pa.memory_map(path) as file:
        start = file.read(6)
        file.seek(0)
        rows = (pa.ipc.open_file if start == b"ARROW1" else pa.ipc.open_stream)(file).read_all()
    rows.validate(full=True)
    return rows
