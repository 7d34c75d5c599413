"""`python -m benchmarks.spark_strings`: triangles on string keys, with a dictionary over all of Spark and without.

The same random graph, nodes named by strings of two lengths. Bytes are those of the blocks. The first query makes the
dictionary, the second has it.
"""

from __future__ import annotations

import math
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from rich.console import Console

import skipstone as sk
from skipstone.bench import harness
from skipstone.engines.spark import numbering
from skipstone.engines.spark.meter import metered

from . import report

EDGES, NODES, ROUNDS = 2_000_000, 200_000, 2
NAMES = {"7 bytes": "u{:06d}", "34 bytes": "https://example.org/person/{:07d}"}
a, b, c = sk.axes("a b c")


@dataclass
class Measured:
    names: str
    way: str
    bytes: int
    first: float  # seconds, the best of all rounds
    again: float
    cells: float  # of the tasks, added up


def main() -> None:
    place, found = Path(tempfile.mkdtemp()), []
    spark = sk.spark.session("local[*,4]", {"spark.driver.memory": "2g"})
    try:
        random = np.random.default_rng(0)
        ends = (NODES * random.random((2, EDGES)) ** 2).astype(int)
        for kind, form in NAMES.items():
            names = np.array([form.format(n * 7919 % 1_000_003) for n in range(NODES)], object)
            edges = pa.table({"src": names[ends[0]], "dst": names[ends[1]]})
            parquet.write_table(edges, place / f"{kind}.parquet", row_group_size=2**18)
            ways = {"strings": math.inf, "a dictionary": numbering.WORTH}
            rounds = [
                (way, run(spark, place / f"{kind}.parquet", worth))
                for _ in range(ROUNDS)
                for way, worth in ways.items()
            ]
            if len({answer for _, (answer, _) in rounds}) != 1:
                raise SystemExit("the answers differ")
            for way in ways:
                best = np.min([figures for other, (_, figures) in rounds if other == way], axis=0).tolist()
                found.append(Measured(kind, way, int(best[0]), *best[1:]))
                Console(stderr=True).print(found[-1], highlight=False)
    finally:
        spark.stop()
        shutil.rmtree(place)
    harness.keep(report.RESULTS / "spark_strings.json", found, ROUNDS)
    report.put(report.ON_SPARK, marked())


def run(spark: object, path: Path, worth: float) -> tuple[int, list[float]]:
    """What is found, and what it costs: bytes of blocks, seconds of the first query and of the next, and of cells."""
    table = sk.spark.table(path, ["src", "dst"], session=spark, name="E")
    query = sk.sum(table[a, b] * table[b, c] * table[a, c])
    _ = table.facts, table.heavy  # counted either way
    with patch.object(numbering, "WORTH", worth):
        began = time.perf_counter()
        with metered(spark) as meter:
            found = query.collect()
        first, began = time.perf_counter() - began, time.perf_counter()
        again = query.collect()
    if again != found or meter is None:
        raise SystemExit("the second answer differs")
    return found, [meter.bytes, first, time.perf_counter() - began, meter.seconds]


def marked() -> dict[str, list[str]]:
    """The lines in docs/spark.md, by their marks."""
    lines = ["| names of | go as | moved | first query | the next | in cells |", "|---|---|---|---|---|---|"]
    for each in report.kept("spark_strings")["results"]:
        times = [report.milliseconds(each[name]) for name in ("first", "again", "cells")]
        lines.append(f"| {each['names']} | {each['way']} | {each['bytes'] / 1e6:.3g} MB | {' | '.join(times)} |")
    return {"strings": lines}


if __name__ == "__main__":
    main()
