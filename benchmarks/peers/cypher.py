"""Kùzu, and Ladybug, which goes on with it: Cypher over a graph in memory."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from .question import Make
from .way import Way


def number(module: str, match: str) -> Make:
    """How many matches a pattern has in a graph with nodes N and edges E."""

    def make(data: dict[str, Any], threads: int) -> Way:
        import pyarrow as pa

        library = import_module(module)
        database = library.Database(":memory:", buffer_pool_size=1 << 31, max_db_size=1 << 32, max_num_threads=threads)
        con = library.Connection(database)
        nodes = pa.table({"id": np.unique(np.concatenate([data["src"], data["dst"]]))})  # noqa: F841, found by name
        edges = pa.table({"src": data["src"], "dst": data["dst"]})  # noqa: F841
        con.execute("create node table N(id int64, primary key(id))")
        con.execute("create rel table E(from N to N)")
        con.execute("copy N from nodes")
        con.execute("copy E from edges")
        return Way(lambda: con.execute(f"match {match} return count(*)").get_next()[0])

    return make


def both(match: str) -> dict[str, dict[str, Make]]:
    """The same for the two of them."""
    return {name: {"": number(name, match)} for name in ("kuzu", "ladybug")}
