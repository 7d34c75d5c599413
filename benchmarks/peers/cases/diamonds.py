"""Diamonds: an edge, and two of the triangles on it. Counted wherever they lie, with a sixth edge or without."""

from __future__ import annotations

from typing import Any

import numpy as np

import skipstone as sk

from .. import cypher, data, frames, matrices, sql
from ..ours import threaded
from ..question import Make, Question
from ..way import Way

a, b, c, d = sk.axes("a b c d")


def pairs(n: Any) -> Any:
    return n * (n - 1) // 2


def graphs(given: dict[str, Any]) -> tuple[Any, Any]:
    """Every edge once, and every edge both ways."""
    return sk.table(given, name="E"), sk.table(data.both_ways(given), name="S")


def as_said(given: dict[str, Any], threads: int) -> Way:
    E, S = graphs(given)
    query = (E[a, b] * S[a, c] * S[b, c] * S[a, d] * S[b, d] * (c < d)).sum()
    return Way(threaded(query.collect, threads))


def by_edge(given: dict[str, Any], threads: int) -> Way:
    E, S = graphs(given)
    triangles = (E[a, b] * S[a, c] * S[b, c]).sum(c)
    return Way(threaded(lambda: triangles.map(pairs).sum().collect(), threads))


BOTH = "with S as materialized (select src, dst from E union all select dst, src from E)"
ON_EDGE = (
    "T as (select e.src, e.dst, count(*) n from E e join S p on e.src = p.src join S q on e.dst = q.src "
    "and p.dst = q.dst group by all)"
)


in_sql = sql.number(f"{BOTH}, {ON_EDGE} select sum(n * (n - 1) // 2)::bigint from T")


def polars(pl: Any, E: Any) -> Any:
    S = pl.concat([E, E.select(src="dst", dst="src")])
    wedges = E.join(S.rename({"dst": "third"}), on="src")
    closed = wedges.join(S.rename({"src": "dst", "dst": "third"}), on=["dst", "third"])
    n = pl.col("n").cast(pl.Int64)
    return closed.group_by("src", "dst").agg(pl.len().alias("n")).select((n * (n - 1) // 2).sum())


def graphblas(transposed: bool) -> Make:
    """The triangles on each edge are the entries of S @ S at the edges."""

    def make(given: dict[str, Any], threads: int) -> Way:
        gb = matrices.graphblas(threads)
        U = matrices.upper(given, threads)
        S = gb.binary.plus(U | U.T).new()

        def run() -> Any:
            n = gb.semiring.plus_pair(S @ S.T if transposed else S @ S).new(mask=U.S)
            squares = gb.binary.times(n & n).new().reduce_scalar().new().value or 0
            return (squares - (n.reduce_scalar().new().value or 0)) // 2

        return Way(run)

    return make


def turned(make: Make, to_more: bool = False) -> Make:
    """The same question of edges that go from the node with more neighbours to the one with fewer, or the other way:
    whoever keeps the ones and walks the others, or begins with the fewer, has less to do."""

    def made(given: dict[str, Any], threads: int) -> Way:
        degree, ends = np.bincount(data.both_ways(given)["src"]), np.array([given["src"], given["dst"]])
        more, fewer = np.where(degree[ends[0]] >= degree[ends[1]], ends, ends[::-1])
        return make({"src": fewer, "dst": more} if to_more else {"src": more, "dst": fewer}, threads)

    return made


def numba(given: dict[str, Any], threads: int) -> Way:
    from skipstone.bench import hand_rows

    both = data.both_ways(given)
    size = int(both["src"].max()) + 1
    edges, every = matrices.rows(given["src"], given["dst"], size), matrices.rows(both["src"], both["dst"], size)
    return Way(lambda: hand_rows.diamonds(*edges, *every))


def scipy(given: dict[str, Any], threads: int) -> Way:
    U = matrices.adjacency(given)
    S = (U + U.T).tocsr()

    def run() -> int:
        n = (S @ S).multiply(U).data
        return int(pairs(n).sum())

    return Way(run)


def igraph(graph: Any) -> float:
    """Of the motifs of four nodes, the diamond (9) once, and the clique (10) six times."""
    found = np.nan_to_num(graph.motifs_randesu(4))
    return float(found[9] + 6 * found[10])


QUESTIONS = [
    Question(
        "diamonds",
        "squares",
        data.orders("ca-GrQc", "soc-Epinions1", "RMAT, 1M edges"),
        lambda: data.by_degree(data.rmat(6, 300)),
        {
            "skipstone": {
                "as it is said": as_said,
                "counted by edge": by_edge,
                "by edge, from more to fewer": turned(by_edge),
            },
            "numba": {"": numba, "from more to fewer": turned(numba)},
            "duckdb": {
                "counted by edge": in_sql,
                "by edge, from fewer to more": turned(in_sql, to_more=True),
                "joined": sql.number(
                    f"{BOTH} select count(*) from E e join S p on e.src = p.src join S q on e.dst = q.src "
                    "and p.dst = q.dst join S r on e.src = r.src and p.dst < r.dst "
                    "join S s on e.dst = s.src and r.dst = s.dst"
                ),
            },
            "polars": {
                **frames.number(polars),
                "from fewer to more": turned(frames.number(polars)["streaming"], to_more=True),
            },
            **cypher.both("(a:N)-[:E]->(b:N), (a)-[:E]-(c:N)-[:E]-(b), (a)-[:E]-(d:N)-[:E]-(b) where c.id < d.id"),
            "graphblas": {
                "S @ S": graphblas(False),
                "S @ S.T": graphblas(True),
                "S @ S, from more to fewer": turned(graphblas(False)),
            },
            "igraph": {"": matrices.in_igraph(igraph)},
            "scipy": {"": scipy},
        },
    )
]
