"""Run by test_connect.py, in a process of its own: a Spark Connect server, and a client with nothing but its API."""

import json
import os
import sys
import warnings

import skipstone as sk
from skipstone.engines.spark import numbering, run

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
from pyspark.sql import SparkSession

builder = SparkSession.builder.remote("local[2]")
for key, value in {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.log.level": "OFF"}.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
a, b, c, x = sk.axes("a b c x")
rows = [("ann", "bob", 3), ("ann", "cy", 1), ("bob", "cy", 2), ("cy", "ann", 5), ("cy", "dee", 0), (None, "ann", 1)]
found = {"client": type(spark).__module__}

follows = spark.createDataFrame(rows, "who string, whom string, n int")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    there = sk.table(follows, ["who", "whom"], "n", name="follows")
    _ = there.facts
    found["warned"] = any("1 row without a key" in str(w.message) for w in caught)
here = sk.table({"who": [r[0] for r in rows[:5]], "whom": [r[1] for r in rows[:5]], "n": [r[2] for r in rows[:5]]},
                ["who", "whom"], "n")  # fmt: skip

QUERIES = {
    "number": lambda e: sk.sum(e[a, b] * e[b, c] * e[c, a]),
    "rows": lambda e: e[a, b] * ~e[b, a],
    "added up": lambda e: (e[a, b] * e[b, c]).sum(b),
    "functions": lambda e: (e[a, b] * (x == a.map(len))).max(a, b),
    "values": lambda e: e[a, b].where(lambda n: n > 1).map(lambda n: n / 2),
}
with sk.spark.options(shares={a: 2, b: 2}):
    for name, query in QUERIES.items():
        found[name] = query(there).collect(into=dict) == query(here).collect(into=dict)
    lazy = QUERIES["added up"](there).collect()
    found["lazy"] = [type(lazy).__module__, lazy.count()]
    found["explained"] = str(QUERIES["number"](there).explain()).splitlines()[0]
    numbering.WORTH = 1  # few strings as they are, they go as numbers: there are no broadcasts here
    found["numbered"] = [
        bool(run.planned(QUERIES["added up"](there), None, True, runs=True).numbering.domains),
        QUERIES["added up"](there).collect(into=dict) == QUERIES["added up"](here).collect(into=dict),
    ]
try:
    there[a, b].map(lambda n: 6 // n).collect(into=dict)
except ZeroDivisionError as error:
    found["error"] = [str(error).splitlines()[0], error.__notes__]
try:
    sk.spark.table("/no/such/rows.parquet")
except Exception as error:
    found["missing"] = str(error).splitlines()[0]
follows.createOrReplaceTempView("follows")
found["view"] = repr(sk.spark.table("follows", value="n"))
spark.stop()
print("FOUND" + json.dumps(found))
