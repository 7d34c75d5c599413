"""A pipeline on this machine, without Spark: files are read and written by Arrow."""

from __future__ import annotations

import json
import os
from typing import Any

from ..errors import PipelineError
from ..table import Table, table
from .spec import Input, format_of, is_plain
from .staged import Here, Staging, taken


class Local:
    """Reads, runs and writes here."""

    files = Here()

    def read(self, given: Input, shared: bool) -> Table:
        """A table of the columns that are needed."""
        columns = arrow_of(given)
        return table(columns, given.keys, given.value, name=given.name, nulls=given.nulls, combine=given.combine)

    def found(self, expression: Any) -> Any:
        return expression.collect()

    def kept(self, found: Table, name: str, keyed: int) -> Table:
        return Table(found.keys, found.codes, found.domains, found.values, found.make, name)

    def here(self, found: Any, name: str) -> Any:
        """A result as an Arrow table; a number is one row."""
        import pyarrow as pa

        return found.to_arrow() if isinstance(found, Table) else pa.table({name: [found]})

    def check(self, path: str, overwrite: bool) -> None:
        """Whether a result may go there."""
        if not is_plain(path):
            raise PipelineError(f"the local engine cannot write to {path}", "Leave out --engine local.")
        if self.files.exists(path) and not overwrite:
            raise taken(path)

    def write(self, found: Any, name: str, path: str, out: Staging) -> None:
        rows = self.here(found, name)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        temporary = out.place(path)
        match format_of(path, writing=True):
            case "parquet":
                import pyarrow.parquet as parquet

                parquet.write_table(rows, temporary)
            case "orc":
                import pyarrow.orc as orc

                orc.write_table(rows, temporary)
            case "json":
                with open(temporary, "w") as file:
                    file.writelines(json.dumps(row, default=str) + "\n" for row in rows.to_pylist())
            case kind:
                import pyarrow.csv as csv

                sign = "\t" if kind == "tsv" else ","
                csv.write_csv(rows, temporary, csv.WriteOptions(delimiter=sign, quoting_style="needed"))


def arrow_of(given: Input) -> Any:
    import pyarrow as pa
    import pyarrow.csv as csv
    import pyarrow.dataset as dataset

    if not is_plain(given.path):
        raise PipelineError(f"the local engine cannot read {given.path}", "Leave out --engine local.")
    form: Any = format_of(given.path)
    if form in ("csv", "tsv"):
        form = dataset.CsvFileFormat(
            csv.ParseOptions(delimiter="," if form == "csv" else "\t"),
            read_options=csv.ReadOptions(autogenerate_column_names=given.headless),
        )
    try:
        rows = dataset.dataset(given.path, format=form).to_table()
    except (pa.ArrowException, OSError) as error:
        raise PipelineError(f"{given.path} cannot be read: {str(error).splitlines()[0]}") from None
    return rows.rename_columns([f"{n}" for n, _ in enumerate(rows.column_names)]) if given.headless else rows
