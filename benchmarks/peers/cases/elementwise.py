"""Sparse matrices multiplied and added cell by cell: A * B * C, and A * B * C + D."""

from __future__ import annotations

from functools import partial
from typing import Any

import skipstone as sk

from .. import data, frames, matrices
from ..ours import laid_out, sparse, summed, threaded
from ..question import Make, Question
from ..way import Way, summary

i, j = sk.axes("i j")


def ours(plus: bool) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        A, B, C, D = (sparse(given[name], "i", "j") for name in "ABCD")
        chain = A[i, j] * B[i, j] * C[i, j]
        if not plus:
            return Way(laid_out(chain, threads), summed)

        def run() -> Any:
            found = (chain + D[i, j]).collect()
            found.in_order()  # in one array, each row once, as peers have them
            return found

        return Way(threaded(run, threads), summed)

    return make


def graphblas(plus: bool) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        gb = matrices.graphblas(threads)
        A, B, C, D = (matrices.entries(given[name], threads) for name in "ABCD")

        def run() -> Any:
            chain = gb.binary.times(gb.binary.times(A & B).new() & C).new()
            return gb.binary.plus(chain | D).new() if plus else chain

        return Way(run, matrices.of_graphblas)

    return make


def scipy(plus: bool) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        A, B, C, D = (matrices.csr(given[name]) for name in "ABCD")

        def run() -> Any:
            chain = A.multiply(B).multiply(C)
            return chain + D if plus else chain

        return Way(run, matrices.of_scipy)

    return make


def pydata(form: Any, plus: bool) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        A, B, C, D = (form(given[name]) for name in "ABCD")
        return Way((lambda: A * B * C + D) if plus else (lambda: A * B * C), matrices.of_pydata)

    return make


def polars(plus: bool) -> dict[str, Make]:
    def ask(pl: Any, given: dict[str, Any]) -> Any:
        A, B, C, D = (
            pl.LazyFrame({n: given[name][n] for n in ("i", "j")} | {name: given[name]["x"]}) for name in "ABCD"
        )
        at = ["i", "j"]
        chain = A.join(B, on=at).join(C, on=at).select(*at, x=pl.col("A") * pl.col("B") * pl.col("C"))
        if not plus:
            return chain
        both = chain.join(D, on=at, how="full", coalesce=True)
        return both.select(*at, x=pl.col("x").fill_null(0) + pl.col("D").fill_null(0))

    return frames.engines(ask, lambda found: summary([found["i"], found["j"]], found["x"]))


ON = {
    "50k × 50k, 1M entries each, half of them shared": partial(data.overlapping, 50_000, 2_000_000, 1_000_000),
    "50k × 50k, 10k, 1M, 1M and 10k entries": partial(data.overlapping, 50_000, 2_000_000, 1_000_000, 10_000),
}


def question(name: str, plus: bool) -> Question:
    return Question(
        name,
        "matrices",
        ON,
        partial(data.overlapping, 20, 100, 60),
        {
            "skipstone": {"": ours(plus)},
            "polars": polars(plus),
            "graphblas": {"": graphblas(plus)},
            "scipy": {"": scipy(plus)},
            "sparse": {"GCXS": pydata(matrices.gcxs, plus), "COO": pydata(matrices.coo, plus)},
        },
    )


QUESTIONS = [question("A * B * C", False), question("A * B * C + D", True)]
