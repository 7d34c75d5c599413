"""`python -m benchmarks.spark_model`: what the cost model says is moved, and what is.

Triangles in random graphs of four sizes, in two divisions. What the model says comes from counts of rows and keys; what
is counted are the bytes of the blocks, by task.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from rich.console import Console

import skipstone as sk
from skipstone.bench import harness
from skipstone.engines.spark import run, send

from . import report, spark_pictures

SIZES = (200_000, 600_000, 2_000_000, 6_000_000)
a, b, c = sk.axes("a b c")


@dataclass
class Counted:
    rows: int
    shares: str
    moved_said: float
    moved_counted: int
    largest_said: float
    largest_counted: int


def main() -> None:
    place, found = Path(tempfile.mkdtemp()), []
    spark = sk.spark.session("local[*,4]", {"spark.driver.memory": "4g"})
    try:
        for rows in SIZES:
            random = np.random.default_rng(rows)
            edges = {name: random.integers(0, rows // 5, rows) for name in ("src", "dst")}
            parquet.write_table(pa.table(edges), place / f"{rows}.parquet", row_group_size=2**18)
            table = sk.table(spark.read.parquet(str(place / f"{rows}.parquet")), name="E")
            found += [counted(table, rows, shares) for shares in (2, 4)]
            Console(stderr=True).print(*found[-2:], sep="\n", highlight=False)
    finally:
        spark.stop()
        shutil.rmtree(place)
    harness.keep(report.RESULTS / "spark_model.json", found, 1)
    spark_pictures.cells()
    spark_pictures.model([vars(each) for each in found])
    report.put(report.ON_SPARK, marked())


def counted(table: sk.Table, rows: int, shares: int) -> Counted:
    from pyspark.sql import functions as F

    with sk.spark.options(shares=dict.fromkeys((a, b, c), shares)):
        plan = run.planned(sk.sum(table[a, b] * table[b, c] * table[a, c]), None, True, runs=True)
    by_task = (
        send.blocks(plan.division, plan.session, plan.numbering)
        .groupBy("task")
        .agg(F.sum(F.length("block")).alias("bytes"))
        .collect()
    )
    sizes, division = [row.bytes for row in by_task], plan.division
    return Counted(rows, " × ".join([f"{shares}"] * 3), division.moved(), sum(sizes), division.largest(), max(sizes))


def marked() -> dict[str, list[str]]:
    """The lines in docs/spark.md, by their marks."""
    head = "| edges | shares | moved, said | counted | | largest cell, said | counted | |"
    lines = [head, "|---|---|---|---|---|---|---|---|"]
    for each in report.kept("spark_model")["results"]:
        told = [f"{each['rows']:,}", each["shares"]]
        for what in ("moved", "largest"):
            said, there = each[f"{what}_said"], each[f"{what}_counted"]
            told += [f"{said / 1e6:.3g} MB", f"{there / 1e6:.3g} MB", f"**{there / said:.2f}**"]
        lines.append(f"| {' | '.join(told)} |")
    return {"model": lines}


if __name__ == "__main__":
    main()
