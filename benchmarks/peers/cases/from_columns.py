"""Triangles from two arrays: nothing is prepared but the compiled kernel."""

from __future__ import annotations

from functools import partial
from typing import Any

import skipstone as sk

from .. import data, frames, matrices, sql
from ..ours import threaded
from ..question import Question
from ..way import Way
from .triangles import JOINED, by_transitivity

a, b, c = sk.axes("a b c")


def ours(given: dict[str, Any], threads: int) -> Way:
    def run() -> Any:
        E = sk.table(given, name="E")
        return (E[a, b] * E[b, c] * E[a, c]).sum().collect()

    return Way(threaded(run, threads))


def registered(given: dict[str, Any], threads: int) -> Way:
    import pyarrow as pa

    def run() -> Any:
        con = sql.opened(threads)
        con.register("E", pa.table(given))
        return con.execute(f"select count(*) from {JOINED}").fetchone()[0]

    return Way(run)


def copied_first(given: dict[str, Any], threads: int) -> Way:
    return Way(lambda: sql.connected({"E": given}, threads).execute(f"select count(*) from {JOINED}").fetchone()[0])


def polars(engine: str, given: dict[str, Any], threads: int) -> Way:
    import polars as pl

    return Way(lambda: frames.three(pl.LazyFrame(given)).select(pl.len()).collect(engine=engine).item())


def graphblas(given: dict[str, Any], threads: int) -> Way:
    pair = matrices.graphblas(threads).semiring.plus_pair

    def run() -> Any:
        U = matrices.upper(given, threads)
        return pair(U @ U.T).new(mask=U.S).reduce_scalar().new().value

    return Way(run)


def igraph(given: dict[str, Any], threads: int) -> Way:
    return Way(lambda: by_transitivity(matrices.igraph(given)))


QUESTIONS = [
    Question(
        "triangles from columns",
        "columns",
        {name: lambda name=name: data.by_degree(data.graph(name)) for name in ("soc-Epinions1", "RMAT, 1M edges")},
        lambda: data.by_degree(data.rmat(6, 300)),
        {
            "skipstone": {"": ours},
            "duckdb": {"register": registered, "create table": copied_first},
            "polars": {"streaming": partial(polars, "streaming"), "in memory": partial(polars, "in-memory")},
            "graphblas": {"": graphblas},
            "igraph": {"": igraph},
        },
    )
]
