"""Cliques of four and of five, counted."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any

import skipstone as sk

from .. import cypher, data, frames, matrices, sql
from ..ours import counted, product
from ..question import Question
from ..way import Way
from .triangles import CYPHER, JOINED

NODES = sk.axes("v0 v1 v2 v3 v4")


def ours(size: int) -> Any:
    return counted(lambda E: product([E[NODES[m], NODES[n]] for m, n in combinations(range(size), 2)]))


THREE = f"with T as materialized (select ab.src a, ab.dst b, bc.dst c from {JOINED})"
FOUR = (
    "F as materialized (select s.a, s.b, s.c, t.c d from T s join T t on s.a = t.a and s.b = t.b "
    "join E on s.c = src and t.c = dst)"
)


def four_in_polars(pl: Any, E: Any) -> Any:
    T = frames.three(E)
    pairs = T.join(T.rename({"third": "fourth"}), on=["src", "dst"])
    return pairs.join(E.rename({"src": "third", "dst": "fourth"}), on=["third", "fourth"]).select(pl.len())


def networkx(size: int, given: dict[str, Any], threads: int) -> Way:
    """All cliques come in the order of their sizes."""
    import networkx

    graph = matrices.networkx(given)

    def run() -> int:
        found = 0
        for clique in networkx.enumerate_all_cliques(graph):
            if len(clique) > size:
                break
            found += len(clique) == size
        return found

    return Way(run)


def tiny() -> Any:
    return data.by_degree(data.rmat(6, 300))


QUESTIONS = [
    Question(
        "4-cliques",
        "cliques",
        {**data.orders("soc-Epinions1", "web-NotreDame", "RMAT, 1M edges"), **data.orders("ca-GrQc")},
        tiny,
        {
            "skipstone": {"": ours(4)},
            "numba": {
                "marked": matrices.by_hand("cliques_of_four"),
                "marked, from above": matrices.by_hand("cliques_of_four", turned=True),
            },
            "duckdb": {
                "triangles on ab": sql.number(
                    f"{THREE} select count(*) from T s join T t on s.a = t.a and s.b = t.b "
                    "join E on s.c = src and t.c = dst"
                ),
                "triangles on bc": sql.number(
                    f"{THREE} select count(*) from T s join T t on s.b = t.a and s.c = t.b "
                    "join E on s.a = src and t.c = dst"
                ),
                "triangles, then edges": sql.number(
                    f"{THREE} select count(*) from T join E cd on c = cd.src join E ad on a = ad.src "
                    "and cd.dst = ad.dst join E bd on b = bd.src and cd.dst = bd.dst"
                ),
                "six edges": sql.number(
                    f"select count(*) from {JOINED} join E ad on ab.src = ad.src "
                    "join E bd on ab.dst = bd.src and ad.dst = bd.dst join E cd on bc.dst = cd.src and ad.dst = cd.dst"
                ),
            },
            "polars": frames.number(four_in_polars),
            **cypher.both(f"{CYPHER}, (a)-[:E]->(d:N), (b)-[:E]->(d), (c)-[:E]->(d)"),
            "igraph": {
                "listed": matrices.in_igraph(lambda graph: len(graph.cliques(4, 4))),
                "all motifs of four": matrices.in_igraph(lambda graph: graph.motifs_randesu(4)[10]),
            },
            "networkx": {"": partial(networkx, 4)},
        },
        only_on={"networkx": tuple(data.orders("ca-GrQc"))},
    ),
    Question(
        "5-cliques",
        "cliques",
        {"ca-GrQc, ten factors": partial(data.snap, "ca-GrQc")},
        tiny,
        {
            "skipstone": {"": ours(5)},
            "duckdb": {
                "by triangles": sql.number(
                    f"{THREE}, {FOUR} select count(*) from F s join F t on s.a = t.a and s.b = t.b and s.c = t.c "
                    "join E on s.d = src and t.d = dst"
                ),
            },
            "igraph": {"listed": matrices.in_igraph(lambda graph: len(graph.cliques(5, 5)))},
            "networkx": {"": partial(networkx, 5)},
        },
    ),
]
