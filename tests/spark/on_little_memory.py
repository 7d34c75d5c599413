"""Run by test_limits.py, in a process of its own: a Python worker may take 768 MiB, and needs most for itself."""

import json

import numpy as np
import pyarrow as pa

import skipstone as sk
from skipstone.engines.spark import run
from skipstone.engines.spark.meter import metered

a, b, c = sk.axes("a b c")
spark = sk.spark.session("local[1,4]", {"spark.executor.pyspark.memory": "768m", "spark.sql.shuffle.partitions": "1"})
random = np.random.default_rng(0)
edges = {name: random.integers(0, 5000, 400_000) for name in ("src", "dst")}
there, here = sk.table(spark.createDataFrame(pa.table(edges))), sk.table(edges)


def triangles(e):
    return sk.sum(e[a, b] * e[b, c] * e[a, c])


found = {"wanted": triangles(here).collect(), "room": run.room_of(spark)}
division = run.planned(triangles(there), None, True, runs=True).division
found |= {"planned": division.cells, "largest": division.largest(), "answer": triangles(there).collect()}
with metered(spark) as meter, sk.spark.options(cells=1):
    found["cells"] = run.planned(triangles(there), None, True, runs=True).division.cells
    found |= {"split": triangles(there).collect(), "parts": meter.cells}
run.room_of = lambda session: 1e12
found["unlimited"] = run.planned(triangles(there), None, True, runs=True).division.cells
spark.stop()
print("FOUND" + json.dumps(found))
