"""The same question on more and more rows: how fast does its time grow?

The hard instance has one node with edges to all and from all: joined two at a time, it has (n / 2)² rows in between.
The acyclic count is a path through three random tables, whose result nobody has to go through row by row.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import skipstone as sk

from .. import data, frames, matrices, sql
from ..ours import counted, threaded
from ..question import Question
from ..way import Way
from .triangles import JOINED

a, b, c, d = sk.axes("a b c d")
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)

triangles = counted(lambda E: E[a, b] * E[b, c] * E[a, c])


def graphblas_triangles(given: dict[str, Any], threads: int) -> Way:
    E = matrices.upper(given, threads)
    pair = matrices.graphblas(threads).semiring.plus_pair
    return Way(lambda: pair(E @ E).new(mask=E.S).reduce_scalar().new().value)


def paths(given: dict[str, Any], threads: int) -> Way:
    R, S, T = (sk.table(given[name], name=name) for name in ("R0", "R1", "R2"))
    return Way(threaded((R[a, b] * S[b, c] * T[c, d]).sum().collect, threads))


PATHS = "select count(*) from R0 join R1 on R0.dst = R1.src join R2 on R1.dst = R2.src"
SUMMED = """with T as (select src, count(*) n from R2 group by src),
    S as (select R1.src, sum(n) n from R1 join T on R1.dst = T.src group by R1.src)
    select sum(n)::bigint from R0 join S on R0.dst = S.src"""


def polars_paths(pl: Any, given: dict[str, Any]) -> Any:
    R, S, T = (pl.LazyFrame(given[name]) for name in ("R0", "R1", "R2"))
    n = pl.col("n").sum()
    ends = T.group_by("src").agg(pl.len().cast(pl.Int64).alias("n"))
    later = S.join(ends, left_on="dst", right_on="src").group_by("src").agg(n)
    return R.join(later, left_on="dst", right_on="src").select(n)


QUESTIONS = [
    Question(
        "growth, hard triangles",
        "growth",
        {f"{n:,} rows": partial(data.hard, n) for n in SIZES},
        partial(data.hard, 40),
        {
            "skipstone": {"": triangles},
            "duckdb": {"": sql.number(f"select count(*) from {JOINED}")},
            "graphblas": {"": graphblas_triangles},
        },
        grows=True,
    ),
    Question(
        "growth, acyclic count",
        "growth",
        {f"{n:,} rows": partial(data.many, 3, n, n // 10) for n in SIZES},
        partial(data.many, 3, 60, 30),
        {
            "skipstone": {"": paths},
            "duckdb": {"counts first": sql.number_of(SUMMED), "joined": sql.number_of(PATHS)},
            "polars": frames.engines(polars_paths, lambda found: [found.item()]),
        },
        grows=True,
    ),
]
