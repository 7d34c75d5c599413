"""Steps of shortest paths: the distances after one more edge, and the shortest ways of two edges between all pairs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import skipstone as sk

from .. import data, frames, matrices, sql
from ..ours import laid_out, sparse, summed
from ..question import Question
from ..way import Way, summary

i, j, k = sk.axes("i j k")


def ours_step(given: dict[str, Any], threads: int) -> Way:
    A = sparse(given, "i", "j")
    D = sk.table({"i": np.arange(given["d"].size), "d": given["d"]}, value="d")
    return Way(laid_out((D[i] * A[i, j]).sum(i, semiring="min_plus"), threads), summed)


def ours_square(given: dict[str, Any], threads: int) -> Way:
    A = sparse(given, "i", "j")
    return Way(laid_out((A[i, j] * A[j, k]).sum(j, semiring="min_plus"), threads), summed)


def graphblas_step(given: dict[str, Any], threads: int) -> Way:
    gb = matrices.graphblas(threads)
    A, d = matrices.entries(given, threads), gb.Vector.from_dense(given["d"])
    return Way(lambda: gb.semiring.min_plus(d @ A).new(), matrices.of_graphblas)


def graphblas_pulled(given: dict[str, Any], threads: int) -> Way:
    """The transposed matrix kept beside: each node looks at where it can be reached from."""
    gb = matrices.graphblas(threads)
    A, d = matrices.entries(given, threads).T.new(), gb.Vector.from_dense(given["d"])
    return Way(lambda: gb.semiring.min_plus(A @ d).new(), matrices.of_graphblas)


def graphblas_square(given: dict[str, Any], threads: int) -> Way:
    A, gb = matrices.entries(given, threads), matrices.graphblas(threads)
    return Way(lambda: gb.semiring.min_plus(A @ A).new(), matrices.of_graphblas)


def reduced(given: dict[str, Any], threads: int) -> Way:
    """Edges sorted by where they lead; the smallest of each run."""
    order = np.argsort(given["j"], kind="stable")
    source, to, x = given["i"][order], given["j"][order], given["x"][order]
    starts = np.flatnonzero(np.diff(to, prepend=-1))
    return Way(lambda: np.minimum.reduceat(given["d"][source] + x, starts), lambda found: summary([to[starts]], found))


def numba(given: dict[str, Any], threads: int) -> Way:
    """The transposed matrix, as rows that say where each node can be reached from."""
    from skipstone.bench import hand_rows

    back = matrices.rows(given["j"], given["i"], given["size"], given["x"])
    return Way(lambda: hand_rows.shortest_step(*back, given["d"]), finite)


def finite(found: Any) -> list[float]:
    there = np.flatnonzero(np.isfinite(found))
    return summary([there], found[there])


def at_each(given: dict[str, Any], threads: int) -> Way:
    def run() -> Any:
        found = np.full(given["size"], np.inf)
        np.minimum.at(found, given["j"], given["d"][given["i"]] + given["x"])
        return found

    return Way(run, finite)


def polars_square(pl: Any, given: dict[str, Any]) -> Any:
    A = pl.LazyFrame({name: given[name] for name in ("i", "j", "x")})
    wedges = A.join(A.rename({"i": "j", "j": "k", "x": "y"}), on="j")
    return wedges.group_by("i", "k").agg((pl.col("x") + pl.col("y")).min())


SQUARE = "select p.i, q.j, min(p.x + q.x) from A p join A q on p.j = q.i group by all"
QUESTIONS = [
    Question(
        "min-plus, one step",
        "matrices",
        {"RMAT, 1M edges": lambda: data.distances(data.weighted(data.rmat()))},
        lambda: data.distances(data.matrix(40, 4)),
        {
            "skipstone": {"": ours_step},
            "numba": {"": numba},
            "numpy": {"reduceat": reduced, "minimum.at": at_each},
            "graphblas": {"d @ A": graphblas_step, "A.T @ d": graphblas_pulled},
        },
    ),
    Question(
        "min-plus, two edges",
        "matrices",
        {
            "random, 100k × 100k, 10 a row": partial(data.matrix, 100_000, 10),
            "RMAT, 2^14 nodes, 100k edges": lambda: data.weighted(data.rmat(14, 100_000)),
        },
        lambda: data.matrix(40, 4),
        {
            "skipstone": {"": ours_square},
            "duckdb": {"": sql.rows(SQUARE, "A", "i", "j", "x")},
            "polars": frames.engines(polars_square, lambda found: summary([found["i"], found["k"]], found["x"])),
            "graphblas": {"": graphblas_square},
        },
    ),
]
