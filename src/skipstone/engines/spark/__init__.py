"""The Spark engine: expressions over Spark DataFrames, run by fused kernels inside of Spark's tasks.

    spark = sk.spark.session()                           # or a session of your own
    E = sk.table(spark.read.parquet("edges.parquet"), keys=["src", "dst"])
    sk.sum(E[a, b] * E[b, c] * E[a, c]).collect()

A table that is made of a DataFrame stays in Spark, and an expression with such a table in it runs there: a number, or
a DataFrame. Spark reads, shuffles, schedules and retries; what runs in its tasks is the local planner, on a part of the
rows. Small Parquet files are read by the driver, which then runs it, too. Nothing of PySpark is imported before it is
needed.

java.py        the Java that it runs on
session.py     a tuned session
frame.py       a table whose rows are a DataFrame
footers.py     what Parquet files say of themselves
paths.py       files and catalog tables as such tables
divide.py      which axes can be divided among cells
shares.py      into how many shares, and which keys are set apart
room.py        cores, and memory for a cell
blocks.py      rows to cells: hashed, packed, and read again
dictionary.py  strings as numbers, the same in every task
numbering.py   which strings are numbered, and when it is worth it
send.py        all tables to their cells
cell.py        what a task does
here.py        small files: the driver does it
failing.py     which rows make a cell fail
faults.py      what Spark says when a job fails, in our words
hand.py        whether an expression is handed over to Spark SQL
sql.py         as joins and aggregates of DataFrames
nulls.py       its tables, without what lacks something
relation.py    rows of such a query
adding.py      summed, and one below the other
columns.py     values that are columns of Spark
tree.py        which factor is joined with which
early.py       values that stay, sums before the shuffle
broadcast.py   one table stays where it is
run.py         all of it, one after the other
meter.py       what it cost
"""

from __future__ import annotations

from .divide import options
from .paths import table
from .session import session

__all__ = ["options", "session", "table"]
