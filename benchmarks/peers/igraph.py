"""igraph: a library of graph algorithms, with triangles and cliques among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import igraph
import numpy as np

from .way import Way

NAME, THREADS = "igraph", (1,)


def graph(data: dict[str, Any]) -> Any:
    return igraph.Graph(n=int(data["dst"].max()) + 1, edges=np.stack([data["src"], data["dst"]], axis=1))


def by_transitivity(g: Any) -> int:
    """It is the share of wedges that are closed; each triangle closes three."""
    degree = np.asarray(g.degree(), np.int64)
    wedges = int((degree * (degree - 1) // 2).sum())
    return round(g.transitivity_undirected() * wedges / 3) if wedges else 0


def prepared(count: Callable[[Any], int]) -> Callable[[dict[str, Any], int], Way]:
    def make(data: dict[str, Any], threads: int) -> Way:
        g = graph(data)
        return Way(lambda: count(g))

    return make


def from_columns(data: dict[str, Any], threads: int) -> Way:
    return Way(lambda: by_transitivity(graph(data)))


WAYS = {
    "triangles": {
        "by transitivity": prepared(by_transitivity),
        "listed": prepared(lambda g: len(g.list_triangles())),
    },
    "triangles from columns": {"": from_columns},
    "4-cliques": {"listed": prepared(lambda g: len(g.cliques(4, 4)))},
    "5-cliques": {"listed": prepared(lambda g: len(g.cliques(5, 5)))},
}
