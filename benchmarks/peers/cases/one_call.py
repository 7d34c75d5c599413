"""One call with a hundred keys: what a question costs whose work is nothing."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import skipstone as sk

from .. import data, sql
from ..ours import threaded
from ..question import Make, Question
from ..way import Way
from .sparse_vectors import dicts

i = sk.axes("i")


def ours_anew(given: dict[str, Any], threads: int) -> Way:
    """The expression is written down in every call."""
    A, B = (sk.table({"k": given[n]["keys"], "v": given[n]["values"]}, value="v") for n in ("a", "b"))
    return Way(threaded(lambda: sk.sum(A[i] * B[i]).collect(), threads))


def streams_anew(given: dict[str, Any], threads: int) -> Way:
    a, b = (sk.Sorted(given[n]["keys"], given[n]["values"]).stream() for n in ("a", "b"))
    return Way(lambda: (a * b).sum())


def ours_kept(given: dict[str, Any], threads: int) -> Way:
    a, b = (sk.Sorted(given[n]["keys"], given[n]["values"]).stream() for n in ("a", "b"))
    return Way((a * b).compile())


def python(given: dict[str, Any], threads: int) -> Way:
    a, b, _ = dicts(given)
    return Way(lambda: sum(x * b[k] for k, x in a.items() if k in b))


def numpy(given: dict[str, Any], threads: int) -> Way:
    a, b = given["a"], given["b"]

    def run() -> float:
        _, m, n = np.intersect1d(a["keys"], b["keys"], assume_unique=True, return_indices=True)
        return float(a["values"][m] @ b["values"][n])

    return Way(run)


SUM = "select sum(a.v * b.v) from a join b using (k)"


def duckdb(prepared: bool) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        tables = {n: {"k": given[n]["keys"], "v": given[n]["values"]} for n in ("a", "b")}
        con = sql.connected(tables, threads)
        if prepared:
            con.execute(f"prepare asked as {SUM}")
        text = "execute asked" if prepared else SUM
        return Way(lambda: con.execute(text).fetchone()[0])

    return make


def polars(prepared: bool) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        import polars as pl

        a, b = (pl.DataFrame({"k": given[n]["keys"], n: given[n]["values"]}) for n in ("a", "b"))
        query = a.lazy().join(b.lazy(), on="k").select((pl.col("a") * pl.col("b")).sum())
        if prepared:
            return Way(lambda: query.collect().item())
        return Way(lambda: a.join(b, on="k").select((pl.col("a") * pl.col("b")).sum()).item())

    return make


ON = {"two collections of 100 keys": partial(data.vectors, (100, 100, 1), 200)}
QUESTIONS = [
    Question(
        "one call",
        "small",
        ON,
        ON["two collections of 100 keys"],
        {
            "skipstone": {"streams": streams_anew, "tables": ours_anew},
            "python": {"": python},
            "numpy": {"": numpy},
            "duckdb": {"": duckdb(False)},
            "polars": {"": polars(False)},
        },
    ),
    Question(
        "one call, prepared",
        "small",
        ON,
        ON["two collections of 100 keys"],
        {
            "skipstone": {"": ours_kept},
            "python": {"": python},
            "numpy": {"": numpy},
            "duckdb": {"": duckdb(True)},
            "polars": {"": polars(True)},
        },
    ),
]
