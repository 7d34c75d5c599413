"""Triangles, counted. Each edge stands once: to the node with the larger number, however the nodes are numbered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import skipstone as sk

from .. import cypher, data, frames, matrices, sql
from ..ours import counted
from ..question import Make, Question
from ..way import Way

a, b, c = sk.axes("a b c")

ours = counted(lambda E: E[a, b] * E[b, c] * E[a, c])

JOINED = "E ab join E bc on ab.dst = bc.src join E ac on ab.src = ac.src and bc.dst = ac.dst"
CYPHER = "(a:N)-[:E]->(b:N)-[:E]->(c:N), (a)-[:E]->(c)"


def graphblas(form: Callable[[Any, Any, Any], Any]) -> Make:
    """The upper triangle U and the lower one L of the graph: a product, where the mask has an entry, added up."""

    def make(given: dict[str, Any], threads: int) -> Way:
        U = matrices.upper(given, threads)
        L = U.T.new()
        pair = matrices.graphblas(threads).semiring.plus_pair
        return Way(lambda: form(pair, L, U).reduce_scalar().new().value)

    return make


def merged(given: dict[str, Any], threads: int) -> Way:
    """Three loops over sorted rows: leaps in the outer one, merges within."""
    from skipstone.bench import hand

    keys, starts = np.unique(given["src"], return_index=True)
    arrays = keys, np.append(starts, given["src"].size), given["dst"]  # the edges are sorted
    return Way(lambda: hand.triangles(*arrays))


def by_transitivity(graph: Any) -> int:
    """It is the share of wedges that are closed; each triangle closes three."""
    degree = np.asarray(graph.degree(), np.int64)
    wedges = int((degree * (degree - 1) // 2).sum())
    return round(graph.transitivity_undirected() * wedges / 3) if wedges else 0


def networkx(given: dict[str, Any], threads: int) -> Way:
    import networkx

    graph = matrices.networkx(given)
    return Way(lambda: sum(networkx.triangles(graph).values()) // 3)


def scipy(given: dict[str, Any], threads: int) -> Way:
    U = matrices.adjacency(given)
    return Way(lambda: int((U @ U).multiply(U).sum()))


QUESTIONS = [
    Question(
        "triangles",
        "triangles",
        {**data.orders("soc-Epinions1", "web-NotreDame", "RMAT, 1M edges"), **data.orders("ca-GrQc")},
        lambda: data.by_degree(data.rmat(6, 300)),
        {
            "skipstone": {"": ours},
            "numba": {
                "merged": merged,
                "marked": matrices.by_hand("triangles"),
                "marked, from above": matrices.by_hand("triangles", turned=True),
            },
            "duckdb": {"": sql.number(f"select count(*) from {JOINED}")},
            "polars": frames.number(lambda pl, E: frames.three(E).select(pl.len())),
            **cypher.both(CYPHER),
            "graphblas": {
                "L @ L, masked by L": graphblas(lambda pair, L, U: pair(L @ L).new(mask=L.S)),
                "U @ U, masked by U": graphblas(lambda pair, L, U: pair(U @ U).new(mask=U.S)),
                "L @ U.T, masked by L": graphblas(lambda pair, L, U: pair(L @ U.T).new(mask=L.S)),
                "U @ L.T, masked by U": graphblas(lambda pair, L, U: pair(U @ L.T).new(mask=U.S)),
            },
            "igraph": {
                "by transitivity": matrices.in_igraph(by_transitivity),
                "listed": matrices.in_igraph(lambda graph: len(graph.list_triangles())),
            },
            "networkx": {"": networkx},
            "scipy": {"": scipy},
        },
        only_on={"networkx": tuple(data.orders("ca-GrQc"))},
    )
]
