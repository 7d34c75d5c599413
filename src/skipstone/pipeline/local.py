"""A pipeline on this machine, without Spark: files are read and written by Arrow."""

from __future__ import annotations

import os
from typing import Any

from ..errors import PipelineError
from ..interop.writing import write
from ..table import Table, table
from .spec import Input, is_plain, titles
from .staged import Here, Staging, taken


class Local:
    """Reads, runs and writes here."""

    files = Here()

    def read(self, given: Input, shared: bool) -> Table:
        """A table of the columns that are needed."""
        if not is_plain(given.path):
            raise PipelineError(f"the local engine cannot read {given.path}", "Leave out --engine local.")
        return table(given.path, given.keys, given.value, **given.options())

    def found(self, expression: Any, name: str) -> Any:
        return expression.collect()

    def kept(self, found: Table, name: str, keyed: int) -> Table:
        return found.named(name)

    def here(self, found: Any, name: str) -> Any:
        """A result as an Arrow table; a number is one row."""
        import pyarrow as pa

        if not isinstance(found, Table):
            return pa.table({name: [found]})
        rows = found.to_arrow()
        return rows.rename_columns(titles(rows.column_names, len(found.keys), name))

    def check(self, path: str, overwrite: bool) -> None:
        """Whether a result may go there."""
        if not is_plain(path):
            raise PipelineError(f"the local engine cannot write to {path}", "Leave out --engine local.")
        if self.files.exists(path) and not overwrite:
            raise taken(path)

    def write(self, found: Any, name: str, path: str, out: Staging) -> None:
        rows = self.here(found, name)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        write(rows, out.place(path), path)
