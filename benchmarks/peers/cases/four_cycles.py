"""Cycles of four nodes, counted once each, whatever other edges there are between them."""

from __future__ import annotations

from typing import Any

import numpy as np

import skipstone as sk

from .. import cypher, data, frames, matrices, sql
from ..ours import threaded
from ..question import Make, Question
from ..way import Way
from .diamonds import BOTH, pairs

a, b, c, d = sk.axes("a b c d")


def as_said(given: dict[str, Any], threads: int) -> Way:
    """From the smallest node a: its neighbours are b and d, and c is across."""
    S = sk.table(data.both_ways(given), name="S")
    query = (S[a, b] * S[b, c] * S[c, d] * S[d, a] * (a < b) * (a < c) * (b < d)).sum()
    return Way(threaded(query.collect, threads))


def by_pair(given: dict[str, Any], threads: int) -> Way:
    """Any two common neighbours of a and c make a cycle, which is found from both of its diagonals."""
    S = sk.table(data.both_ways(given), name="S")
    common = (S[a, b] * S[b, c] * (a < c)).sum(b)
    return Way(threaded(lambda: common.map(pairs).sum().collect() // 2, threads))


def from_one(largest: bool) -> Make:
    """From the largest of its nodes, a, a cycle is found once: by the two ways of two edges to the one across. Or from
    the smallest."""

    def make(given: dict[str, Any], threads: int) -> Way:
        S = sk.table(data.both_ways(given), name="S")
        within = (b < a) * (c < a) if largest else (a < b) * (a < c)
        query = (S[a, b] * S[b, c] * within).sum(b).map(pairs).sum()
        return Way(threaded(query.collect, threads))

    return make


def numba(given: dict[str, Any], threads: int) -> Way:
    from skipstone.bench import hand_rows

    both = data.both_ways(given)
    S = matrices.rows(both["src"], both["dst"], int(given["dst"].max()) + 1)
    return Way(lambda: hand_rows.cycles_of_four(*S))


COMMON = "T as (select p.src, q.dst, count(*) n from S p join S q on p.dst = q.src where p.src < q.dst group by all)"


def from_one_in_sql(op: str) -> Make:
    within = f"p.dst {op} p.src and q.dst {op} p.src"
    rows = f"select count(*) n from S p join S q on p.dst = q.src where {within} group by p.src, q.dst"
    return sql.number(f"{BOTH}, T as ({rows}) select sum(n * (n - 1) // 2)::bigint from T")


def polars(pl: Any, E: Any) -> Any:
    S = pl.concat([E, E.select(src="dst", dst="src")])
    wedges = S.join(S.rename({"src": "dst", "dst": "third"}), on="dst").filter(pl.col("src") < pl.col("third"))
    n = pl.col("n").cast(pl.Int64)
    return wedges.group_by("src", "third").agg(pl.len().alias("n")).select((n * (n - 1) // 2).sum() // 2)


def from_one_in_polars(largest: bool) -> dict[str, Make]:
    def put(pl: Any, E: Any) -> Any:
        src, dst, third, n = (pl.col(name) for name in ("src", "dst", "third", "n"))
        S = pl.concat([E, E.select(src="dst", dst="src")])
        down = S.filter(dst < src if largest else dst > src)
        wedges = down.join(S.rename({"src": "dst", "dst": "third"}), on="dst")
        wedges = wedges.filter(third < src if largest else third > src)
        n = n.cast(pl.Int64)
        return wedges.group_by("src", "third").agg(pl.len().alias("n")).select((n * (n - 1) // 2).sum())

    return {f"from the {'largest' if largest else 'smallest'}": frames.number(put)["streaming"]}


def from_one_in_graphblas(largest: bool) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        gb = matrices.graphblas(threads)
        U = matrices.upper(given, threads)
        S, first = gb.binary.plus(U | U.T).new(), U.T.new() if largest else U

        def run() -> Any:
            found = gb.semiring.plus_pair(first @ S).new()
            n = (gb.select.tril(found, -1) if largest else gb.select.triu(found, 1)).new()
            squares = gb.binary.times(n & n).new().reduce_scalar().new().value or 0
            return (squares - (n.reduce_scalar().new().value or 0)) // 2

        return Way(run)

    return make


def graphblas(given: dict[str, Any], threads: int) -> Way:
    gb = matrices.graphblas(threads)
    U = matrices.upper(given, threads)
    S = gb.binary.plus(U | U.T).new()
    degrees = S.reduce_rowwise(gb.monoid.plus).new()
    wedges = degrees.reduce(gb.monoid.plus).new().value  # what the diagonal of the product adds up to

    def run() -> Any:
        """All of S @ S; its diagonal are the degrees, and every pair stands there twice."""
        n = gb.semiring.plus_pair(S @ S).new()
        squares = gb.binary.times(n & n).new().reduce_scalar().new().value
        diagonal = gb.binary.times(degrees & degrees).new().reduce().new().value
        every = n.reduce_scalar().new().value
        return ((squares - diagonal) - (every - wedges)) // 8

    return Way(run)


def scipy(given: dict[str, Any], threads: int) -> Way:
    U = matrices.adjacency(given)
    S = (U + U.T).tocsr()
    degrees = np.asarray(S.sum(axis=1)).ravel()

    def run() -> int:
        n = (S @ S).data
        return int(((n * n).sum() - (degrees * degrees).sum()) - (n.sum() - degrees.sum())) // 8

    return Way(run)


def from_one_in_scipy(largest: bool) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        from scipy import sparse

        U = matrices.adjacency(given)
        S, first = (U + U.T).tocsr(), U.T.tocsr() if largest else U

        def run() -> int:
            found = first @ S
            return int(pairs((sparse.tril(found, -1) if largest else sparse.triu(found, 1)).data).sum())

        return Way(run)

    return make


def igraph(graph: Any) -> float:
    """Of the motifs of four nodes, the cycle (8) and the diamond (9) once, and the clique (10) three times."""
    found = np.nan_to_num(graph.motifs_randesu(4))
    return float(found[8] + found[9] + 3 * found[10])


QUESTIONS = [
    Question(
        "4-cycles",
        "squares",
        data.orders("ca-GrQc", "soc-Epinions1", "RMAT, 1M edges"),
        lambda: data.by_degree(data.rmat(6, 300)),
        {
            "skipstone": {
                "counted by pair": by_pair,
                "from the largest": from_one(True),
                "from the smallest": from_one(False),
                "as it is said": as_said,
            },
            "numba": {"": numba},
            "duckdb": {
                "from the largest": from_one_in_sql("<"),
                "from the smallest": from_one_in_sql(">"),
                "counted by pair": sql.number(f"{BOTH}, {COMMON} select sum(n * (n - 1) // 2)::bigint // 2 from T"),
            },
            "polars": {**frames.number(polars), **from_one_in_polars(True), **from_one_in_polars(False)},
            **cypher.both(
                "(a:N)-[:E]-(b:N)-[:E]-(c:N)-[:E]-(d:N)-[:E]-(a) where a.id < b.id and a.id < c.id and b.id < d.id"
            ),
            "graphblas": {
                "counted by pair": graphblas,
                "from the largest": from_one_in_graphblas(True),
                "from the smallest": from_one_in_graphblas(False),
            },
            "igraph": {"": matrices.in_igraph(igraph)},
            "scipy": {
                "counted by pair": scipy,
                "from the largest": from_one_in_scipy(True),
                "from the smallest": from_one_in_scipy(False),
            },
        },
    )
]
