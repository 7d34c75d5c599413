"""Walks of four edges, counted: nothing closes, so nobody has to go through them one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

import skipstone as sk

from .. import cypher, data, frames, matrices, sql
from ..ours import counted
from ..question import Question
from ..way import Way

a, b, c, d, e = sk.axes("a b c d e")

ours = counted(lambda E: E[a, b] * E[b, c] * E[c, d] * E[d, e])

JOINED = "select count(*) from E p join E q on p.dst = q.src join E r on q.dst = r.src join E s on r.dst = s.src"
ALONG = (
    "with W1 as (select src, count(*)::hugeint n from E group by src), "
    + ", ".join(f"W{n + 1} as (select E.src, sum(n) n from E join W{n} on dst = W{n}.src group by all)" for n in (1, 2))
    + " select sum(n)::bigint from E join W3 on dst = W3.src"
)


def polars(pl: Any, E: Any) -> Any:
    walks = E.group_by("src").agg(pl.len().cast(pl.Int64).alias("n"))
    for _ in range(2):
        walks = E.join(walks, left_on="dst", right_on="src").group_by("src").agg(pl.col("n").sum())
    return E.join(walks, left_on="dst", right_on="src").select(pl.col("n").sum())


def graphblas(given: dict[str, Any], threads: int) -> Way:
    gb = matrices.graphblas(threads)
    A = matrices.upper(given, threads)

    def run() -> Any:
        walks = gb.Vector.from_scalar(1, A.nrows, dtype="INT64")
        for _ in range(4):
            walks = gb.semiring.plus_times(A @ walks).new()
        return walks.reduce().new().value

    return Way(run)


def scipy(given: dict[str, Any], threads: int) -> Way:
    A = matrices.adjacency(given)

    def run() -> int:
        walks = np.ones(A.shape[0], np.int64)
        for _ in range(4):
            walks = A @ walks
        return int(walks.sum())

    return Way(run)


QUESTIONS = [
    Question(
        "walks of four edges",
        "ten",
        {
            "soc-Epinions1": lambda: data.graph("soc-Epinions1"),
            "RMAT, 1M edges": lambda: data.graph("RMAT, 1M edges"),
        },
        lambda: data.by_degree(data.rmat(6, 300)),
        {
            "skipstone": {"": ours},
            "duckdb": {"counts summed along": sql.number(ALONG), "joined": sql.number(JOINED)},
            "polars": frames.number(polars),
            **cypher.both("(a:N)-[:E]->(b:N)-[:E]->(c:N)-[:E]->(d:N)-[:E]->(e:N)"),
            "graphblas": {"": graphblas},
            "scipy": {"": scipy},
        },
    )
]
