"""An Arrow table as a file: what its name ends in says how it is written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any

from .files import format_of


def write(rows: Any, path: str, name: str) -> None:
    """Write to a path what shall have that name in the end. Pages of Parquet have checksums: damage is seen."""
    import pyarrow as pa

    match format_of(name, writing=True):
        case "parquet":
            import pyarrow.parquet as parquet

            parquet.write_table(rows, path, write_page_checksum=True)
        case "orc":
            import pyarrow.orc as orc

            kinds = [pa.field(f.name, pa.string() if pa.types.is_null(f.type) else f.type) for f in rows.schema]
            orc.write_table(rows.cast(pa.schema(kinds)), path)  # it has no columns of nothing
        case "arrow":
            with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
                writer.write_table(rows)
        case form:
            with pa.output_stream(path, compression=packing(name)) as file:
                if form == "json":
                    for line in json_lines(rows):
                        file.write(f"{line}\n".encode())
                else:
                    import pyarrow.csv as csv

                    sign = "\t" if form == "tsv" else ","
                    csv.write_csv(rows, file, csv.WriteOptions(delimiter=sign, quoting_style="needed"))


def packing(name: str) -> str | None:
    """How a file of this name is packed."""
    endings = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".lz4": "lz4"}
    return next((how for ending, how in endings.items() if name.lower().endswith(ending)), None)


def json_lines(rows: Any, **more: Any) -> Iterator[str]:
    """An object a row, `more` first. JSON has no NaN and no infinities: they are texts, "NaN" and "Infinity"."""
    for batch in rows.to_batches(10_000):
        for row in batch.to_pylist():
            found = {name: spelt(x) if isinstance(x, float) and not isfinite(x) else x for name, x in row.items()}
            yield json.dumps({**more, **found}, default=str, ensure_ascii=False)


def spelt(x: float) -> str:
    return "NaN" if x != x else "Infinity" if x > 0 else "-Infinity"
