"""Kùzu: Cypher over a graph in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kuzu
import numpy as np
import pyarrow as pa

from .way import Way

NAME, THREADS = "Kùzu", (2,)


def asked(cypher: str) -> Callable[[dict[str, Any], int], Way]:
    def make(data: dict[str, Any], threads: int) -> Way:
        database = kuzu.Database(":memory:", buffer_pool_size=1 << 31, max_db_size=1 << 32, max_num_threads=threads)
        con = kuzu.Connection(database)
        nodes = pa.table({"id": np.unique(np.concatenate([data["src"], data["dst"]]))})  # noqa: F841, found by name
        edges = pa.table({"src": data["src"], "dst": data["dst"]})  # noqa: F841
        con.execute("create node table N(id int64, primary key(id))")
        con.execute("create rel table E(from N to N)")
        con.execute("copy N from nodes")
        con.execute("copy E from edges")
        return Way(lambda: con.execute(f"match {cypher} return count(*)").get_next()[0])

    return make


TRIANGLE = "(a:N)-[:E]->(b:N)-[:E]->(c:N), (a)-[:E]->(c)"
WAYS = {
    "triangles": {"": asked(TRIANGLE)},
    "4-cliques": {"": asked(f"{TRIANGLE}, (a)-[:E]->(d:N), (b)-[:E]->(d), (c)-[:E]->(d)")},
}
