"""`python -m benchmarks.spark_limits`: a key that holds a third of the rows, and workers with little memory.

A star is asked twice, in turns: sales whose buyers are drawn evenly, and sales of which 30 % are of one buyer, both
joined with two large tables of buyers. Spark SQL would get it handed over, so cells are pinned, as many as eight cores
get; counted is what each task is sent. Then triangles in ten million edges, where the driver has 2 GiB and each Python
worker may take 1 GiB: what workers took at most is what the system says of them, looked at ten times a second.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from rich.console import Console

import skipstone as sk
from skipstone.bench import harness
from skipstone.engines.spark import run, send

from . import report

SALES, BUYERS, CELLS, ROUNDS = 2_000_000, 700_000, 32, 5
HEAVY = 0.3  # of the sales are of one buyer
EDGES, NODES = 10_000_000, 2_000_000
s, d, x, y, a, b, c = sk.axes("s d x y a b c")


@dataclass
class Measured:
    what: str
    figures: dict[str, Any]


def main() -> None:
    """Each in a process of its own: what workers may take is said when a session starts."""
    found = []
    for what in ("star", "memory"):
        with tempfile.TemporaryDirectory() as place:
            ran = subprocess.run([sys.executable, "-m", __spec__.name, what, place], stdout=subprocess.PIPE, text=True)
        if ran.returncode:
            raise SystemExit(f"{what}: failed")
        found.append(Measured(what, json.loads(ran.stdout.rpartition("FOUND")[2])))
        Console(stderr=True).print(found[-1], highlight=False)
    harness.keep(report.RESULTS / "spark_limits.json", found, ROUNDS)
    report.put(report.ON_SPARK, marked())


def star(place: Path) -> dict[str, Any]:
    spark = sk.spark.session("local[*,4]", {"spark.driver.memory": "4g"})
    random = np.random.default_rng(0)
    buyers, everyone = random.integers(0, BUYERS, SALES), random.permutation(BUYERS)
    sales = {"d": random.integers(0, 365, SALES), "v": np.ones(SALES, np.int64)}
    parts = {"city": {"s": everyone, "x": everyone % 30}, "age": {"s": everyone[::-1], "y": everyone[::-1] % 97}}
    parts["even"] = {"s": buyers, **sales}
    parts["heavy"] = {"s": np.where(random.random(SALES) < HEAVY, 7, buyers), **sales}
    for name, columns in parts.items():
        parquet.write_table(pa.table(columns), place / f"{name}.parquet", row_group_size=2**18)
    city, age = (sk.spark.table(str(place / f"{n}.parquet"), combine="count", name=n) for n in ("city", "age"))
    queries = {}
    for name in ("even", "heavy"):
        t = sk.spark.table(str(place / f"{name}.parquet"), ["s", "d"], "v", name="sales")
        queries[name] = (t[s, d] * city[s, x] * age[s, y]).sum(s, d)
    seconds: dict[str, list[float]] = {name: [] for name in queries}
    told: dict[str, tuple[float, int]] = {}
    with sk.spark.options(strategy="cells", cells=CELLS):
        for name, query in queries.items():
            if sum(query.collect(into=dict).values()) != SALES:  # each sale has a buyer
                raise SystemExit(f"{name}: another answer")
            told[name] = largest(query)
        for n in range(ROUNDS):
            for name in list(queries)[:: 1 - 2 * (n % 2)]:
                began = time.perf_counter()
                queries[name].collect(into="arrow")
                seconds[name].append(time.perf_counter() - began)
    spark.stop()
    return {
        "seconds": {name: min(took) for name, took in seconds.items()},
        "largest": {name: each[0] for name, each in told.items()},
        "tasks": {name: each[1] for name, each in told.items()},
    }


def largest(query: Any) -> tuple[float, int]:
    """The bytes that the largest task is sent, divided by those of the mean; and how many tasks there are."""
    from pyspark.sql import functions as F

    plan = run.planned(query, None, True, runs=True)
    rows = send.blocks(plan.division, plan.session, plan.numbering).groupBy("task").agg(F.sum(F.length("block")))
    sizes = [row[1] for row in rows.collect()]
    return max(sizes) / (sum(sizes) / len(sizes)), len(sizes)


def memory(place: Path) -> dict[str, Any]:
    settings = {"spark.driver.memory": "2g", "spark.executor.pyspark.memory": "1g"}
    spark = sk.spark.session("local[*,4]", settings)
    random = np.random.default_rng(0)
    edges = {name: random.integers(0, NODES, EDGES) for name in ("src", "dst")}
    wanted = sk.sum(triangles(sk.table(edges))).collect()
    parquet.write_table(pa.table(edges), place / "edges.parquet", row_group_size=2**20)
    query = sk.sum(triangles(sk.spark.table(str(place / "edges.parquet"), ["src", "dst"], name="E")))
    cells = run.planned(query, None, True, runs=True).division.cells
    with watched() as most:
        began = time.perf_counter()
        found = query.collect()
        took = time.perf_counter() - began
    if found != wanted:
        raise SystemExit(f"{found} triangles, and not {wanted}")
    spark.stop()
    return {"seconds": took, "cells": cells, **most}


def triangles(e: Any) -> Any:
    return e[a, b] * e[b, c] * e[a, c]


@contextmanager
def watched() -> Iterator[dict[str, int]]:
    """The most that any Python worker took, while this block runs: bytes of addresses, and in memory."""
    most, over = {"addresses": 0, "resident": 0}, threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            for status in Path("/proc").glob("[0-9]*/status"):
                try:
                    command = (status.parent / "cmdline").read_bytes()
                    told = dict(line.split(":", 1) for line in status.read_text().splitlines())
                    if b"pyspark.daemon" in command and int(told["Pid"]) != os.getpid():
                        for name, of in (("addresses", "VmPeak"), ("resident", "VmHWM")):
                            most[name] = max(most[name], 1024 * int(told[of].split()[0]))
                except (OSError, KeyError):  # it has ended
                    continue

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield most
    finally:
        over.set()
        looking.join()


def marked() -> dict[str, list[str]]:
    """The lines in docs/spark.md, by their marks."""
    kept = {each["what"]: each["figures"] for each in report.kept("spark_limits")["results"]}
    star, memory = kept["star"], kept["memory"]
    lines = ["| a star of 2,000,000 sales | tasks | largest task / mean | time |", "|---|---|---|---|"]
    for name, shown in (("even", "buyers drawn evenly"), ("heavy", "one buyer has 30 %")):
        took = report.milliseconds(star["seconds"][name])
        lines.append(f"| {shown} | {star['tasks'][name]} | {star['largest'][name]:.2f} | {took} |")
    line = (
        f"{memory['cells']} cells, {report.milliseconds(memory['seconds'])}; the most that a worker had were"
        f" {memory['addresses'] / 2**20:.0f} MiB of addresses, {memory['resident'] / 2**20:.0f} MiB in memory."
    )
    return {"star": lines, "memory": [line]}


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print("FOUND" + json.dumps({"star": star, "memory": memory}[sys.argv[1]](Path(sys.argv[2]))))
    else:
        main()
