"""The Spark engine: expressions over Spark DataFrames, run by fused kernels inside of Spark's tasks.

    spark = sk.spark.session()                           # or a session of your own
    E = sk.table(spark.read.parquet("edges.parquet"), keys=["src", "dst"])
    sk.sum(E[a, b] * E[b, c] * E[a, c]).collect()

A table that is made of a DataFrame stays in Spark, and an expression with such a table in it runs there: a number, or
a DataFrame. Spark reads, shuffles, schedules and retries; what runs in its tasks is the local planner, on a part of the
rows. Nothing of PySpark is imported before it is needed.

java.py        the Java that it runs on
session.py     a tuned session
frame.py       a table whose rows are a DataFrame
divide.py      which axes can be divided among cells, and into how many shares
blocks.py      rows to cells: hashed, packed, and read again
cell.py        what a task does
run.py         all of it, one after the other
meter.py       what it cost
"""

from __future__ import annotations

from typing import Any

from ...table import ELSEWHERE
from .divide import options
from .session import session


def _table(data: Any, *given: Any) -> Any:
    from .frame import spark_table

    return spark_table(data, *given)


ELSEWHERE["pyspark"] = _table

__all__ = ["options", "session"]
