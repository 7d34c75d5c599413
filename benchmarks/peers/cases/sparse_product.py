"""The square of a sparse matrix: in whatever order its entries come, and with every row in order."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import skipstone as sk

from .. import data, frames, matrices, sql
from ..ours import laid_out, sparse, summed, threaded
from ..question import Question
from ..way import Way, summary

i, j, k = sk.axes("i j k")


def ours(given: dict[str, Any], threads: int) -> Way:
    A = sparse(given, "i", "j")
    return Way(laid_out((A[i, j] * A[j, k]).sum(j), threads), summed)


def ours_sorted(given: dict[str, Any], threads: int) -> Way:
    A = sparse(given, "i", "j")
    return Way(
        threaded(lambda: (A[i, j] * A[j, k]).sum(j).collect().columns(), threads),
        lambda found: summary([found["i"], found["k"]], found["value"]),
    )


def polars(pl: Any, given: dict[str, Any]) -> Any:
    A = pl.LazyFrame({name: given[name] for name in ("i", "j", "x")})
    wedges = A.join(A.rename({"i": "j", "j": "k", "x": "y"}), on="j")
    return wedges.group_by("i", "k").agg((pl.col("x") * pl.col("y")).sum())


def graphblas(given: dict[str, Any], threads: int) -> Way:
    A = matrices.entries(given, threads)
    times = matrices.graphblas(threads).semiring.plus_times
    return Way(lambda: times(A @ A).new(), matrices.of_graphblas)


def graphblas_sorted(given: dict[str, Any], threads: int) -> Way:
    A = matrices.entries(given, threads)
    times = matrices.graphblas(threads).semiring.plus_times

    def run() -> Any:
        found = times(A @ A).new()
        found.ss.export("csr", sort=True)  # a copy in order; what it leaves is still the matrix
        return found

    return Way(run, matrices.of_graphblas)


def numba(given: dict[str, Any], threads: int) -> Way:
    from skipstone.bench import hand_rows

    A = matrices.rows(given["i"], given["j"], given["size"], given["x"])
    sizes = np.arange(given["size"])
    return Way(
        lambda: hand_rows.product(*A),
        lambda found: summary([np.repeat(sizes, np.diff(found[0])), *found[1:2]], found[2]),
    )


def scipy(given: dict[str, Any], threads: int) -> Way:
    A = matrices.csr(given)
    return Way(lambda: A @ A, matrices.of_scipy)


def scipy_sorted(given: dict[str, Any], threads: int) -> Way:
    A = matrices.csr(given)

    def run() -> Any:
        found = A @ A
        found.sort_indices()
        return found

    return Way(run, matrices.of_scipy)


def pydata(given: dict[str, Any], threads: int) -> Way:
    """Its compressed form, which is the faster one in products; its rows are in order."""
    A = matrices.gcxs(given)
    return Way(lambda: A @ A, matrices.of_pydata)


ON = {
    "random, 100k × 100k, 10 a row": partial(data.matrix, 100_000, 10),
    "RMAT, 2^14 nodes, 100k edges": lambda: data.weighted(data.rmat(14, 100_000)),
}
QUESTIONS = [
    Question(
        "sparse product",
        "matrices",
        ON,
        lambda: data.matrix(40, 4),
        {
            "skipstone": {"": ours},
            "numba": {"": numba},
            "duckdb": {
                "": sql.rows(
                    "select p.i, q.j, sum(p.x * q.x) from A p join A q on p.j = q.i group by all", "A", "i", "j", "x"
                )
            },
            "polars": frames.engines(polars, lambda found: summary([found["i"], found["k"]], found["x"])),
            "graphblas": {"": graphblas},
            "scipy": {"": scipy},
            "sparse": {"": pydata},
        },
    ),
    Question(
        "sparse product, sorted",
        "matrices",
        ON,
        lambda: data.matrix(40, 4),
        {
            "skipstone": {"": ours_sorted},
            "graphblas": {"": graphblas_sorted},
            "scipy": {"": scipy_sorted},
            "sparse": {"": pydata},
        },
    ),
]
