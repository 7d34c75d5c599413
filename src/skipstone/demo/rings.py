"""The part of the demo that runs on Spark: rings of payments."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table

from .. import pipeline
from ..errors import SparkMissing
from . import payments


def tell(out: Console) -> None:
    """Make the data, run the pipeline, and say what it found."""
    out.rule("[bold]the same on Spark: rings of payments")
    with tempfile.TemporaryDirectory(prefix="skipstone-demo-") as made:
        directory = Path(made)
        hidden = payments.make(directory)
        transfers, accounts = (rows_in(directory / f"{name}.parquet") for name in ("transfers", "accounts"))
        out.print(
            f"\n{transfers:,} transfers among {accounts:,} accounts, in Parquet files, made up; "
            f"and {len(hidden)} rings of three or four people hidden in them.\nOne of the queries:\n"
        )
        file = directory / "payments.toml"
        queries = {query.name: query for query in pipeline.read(file).queries}
        out.print(Syntax(queries["three"].text.strip(), "python", theme="ansi_dark", background_color="default"))
        out.print()
        began = time.perf_counter()
        where = run(file, out)
        spent = time.perf_counter() - began
        found = [(row.pop(name), row) for name in ("three", "four") for row in rows_of(queries[name].out)]
        members = rows_of(queries["often"].out)
    table = Table("ring", "went around", title=f"found {where}, in {spent:.0f} s", title_justify="left")
    for amount, ring in sorted(found, key=lambda one: -one[0]):
        table.add_row(" → ".join(ring.values()), f"{amount:,.2f}")
    out.print(table)
    right = sorted(tuple(ring.values()) for _, ring in found) == sorted(hidden)
    several = ", ".join(sorted(row["a"] for row in members if row["often"] > 1))
    out.print(f"In several of them: {several}.")
    out.print(f"{'These are' if right else '[red]These are not[/]'} the {len(hidden)} rings that were hidden.")
    if not right:
        raise SystemExit(1)


def run(file: Path, out: Console) -> str:
    """Run the pipeline on Spark; here, if there is no Spark."""
    try:
        pipeline.run(pipeline.read(file), pipeline.Way(named=True))
        return "on Spark"
    except SparkMissing as missing:
        out.print(f"Spark cannot be had: {missing.what}. {missing.repair} So it runs without.", highlight=False)
        pipeline.run(pipeline.read(file), pipeline.Way(local=True, named=True))
        return "without Spark"


def rows_in(file: Path) -> int:
    import pyarrow.parquet as parquet

    return int(parquet.read_metadata(file).num_rows)


def rows_of(path: str) -> list[dict[str, Any]]:
    """What a query wrote: a file, or a directory of them."""
    import pyarrow.dataset as dataset

    rows: list[dict[str, Any]] = dataset.dataset(path, format=Path(path).suffix[1:]).to_table().to_pylist()
    return rows
