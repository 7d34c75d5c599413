"""NetworkX: the edges of graphs in, directed graphs out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .library import library
from .sources import Found, source


@source("networkx")
def networkx_source(data: Any) -> Found | None:
    """Source and target of each edge; of an undirected graph both ways, of a loop once. Attributes are columns."""
    return Found(Edges(data), keys=("source", "target")) if hasattr(data, "edges") else None


class Edges(Mapping[str, Any]):
    """The columns of a graph's edges, each made when it is asked for."""

    def __init__(self, graph: Any) -> None:
        more = {"keys": True} if graph.is_multigraph() else {}
        self.rows = [(edge[0], edge[1], *edge[2:]) for edge in graph.edges(data=True, **more)]
        if not graph.is_directed():
            self.rows += [(b, a, *rest) for a, b, *rest in self.rows if {a} != {b}]  # as nodes differ: NA is one, too
        self.places = ["source", "target", *(["key"] if more else [])]

    def __getitem__(self, name: str) -> list[Any]:
        if name in self.places:
            at = self.places.index(name)
            return [row[at] for row in self.rows]
        found = [row[-1].get(name) for row in self.rows]
        if not any(name in row[-1] for row in self.rows):
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.places, *(str(name) for row in self.rows for name in row[-1])]))

    def __len__(self) -> int:
        return len(list(iter(self)))


def as_graph(edges: Mapping[tuple[Any, Any], Any], names: Sequence[str]) -> Any:
    """A DiGraph of edges with values, which are called so there; none, if there are no names."""
    graph = library("networkx", "NetworkX").DiGraph()
    if not names:
        graph.add_edges_from(edges)
    for (a, b), value in edges.items() if names else ():
        graph.add_edge(a, b, **dict(zip(names, value if isinstance(value, tuple) else (value,), strict=True)))
    return graph
