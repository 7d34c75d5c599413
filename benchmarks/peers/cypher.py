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


def of_relations(module: str, kinds: dict[str, tuple[str, str]], query: str) -> Make:
    """A query over relations of two columns, each from a kind of node to a kind of node."""

    def make(data: dict[str, Any], threads: int) -> Way:
        import pyarrow as pa

        library = import_module(module)
        database = library.Database(":memory:", buffer_pool_size=1 << 31, max_db_size=1 << 32, max_num_threads=threads)
        con = library.Connection(database)
        ids: dict[str, list[Any]] = {}
        for name, ends in kinds.items():
            for kind, column in zip(ends, data[name].columns, strict=True):
                ids.setdefault(kind, []).append(column.to_numpy())
        for kind, columns in ids.items():
            nodes = pa.table({"id": np.unique(np.concatenate(columns))})  # noqa: F841, found by name
            con.execute(f"create node table {kind}(id int64, primary key(id))")
            con.execute(f"copy {kind} from nodes")
        for name, (source, target) in kinds.items():
            edges = data[name]  # noqa: F841
            con.execute(f"create rel table {name}(from {source} to {target})")
            con.execute(f"copy {name} from edges")
        return Way(lambda: con.execute(query).get_next()[0])

    return make
