"""Graphs and matrices in SuiteSparse:GraphBLAS, SciPy and igraph, and for loops by hand, from columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .question import Make
from .way import Way, summary


def graphblas(threads: int) -> Any:
    import graphblas as gb

    gb.ss.config["nthreads"] = threads
    return gb


def upper(data: dict[str, Any], threads: int) -> Any:
    """The graph in GraphBLAS, each edge once: above the diagonal, where they go from smaller ids to larger."""
    size = int(max(data["src"].max(), data["dst"].max())) + 1
    return graphblas(threads).Matrix.from_coo(data["src"], data["dst"], 1, dtype="INT64", nrows=size, ncols=size)


def entries(data: dict[str, Any], threads: int, value: str = "x") -> Any:
    """A sparse matrix in GraphBLAS."""
    size = data["size"]
    return graphblas(threads).Matrix.from_coo(data["i"], data["j"], data[value], nrows=size, ncols=size)


def of_graphblas(found: Any) -> list[float]:
    *keys, values = found.to_coo()
    return summary(keys, values)


def csr(data: dict[str, Any], value: str = "x") -> Any:
    """A sparse matrix in SciPy."""
    from scipy import sparse

    return sparse.csr_array((data[value], (data["i"], data["j"])), shape=(data["size"], data["size"]))


def of_scipy(found: Any) -> list[float]:
    cells = found.tocoo()
    return summary([cells.row, cells.col], cells.data)


def coo(data: dict[str, Any], value: str = "x") -> Any:
    """A sparse matrix in PyData's sparse, by coordinates."""
    import sparse

    return sparse.COO(np.stack([data["i"], data["j"]]), data[value], shape=(data["size"],) * 2)


def gcxs(data: dict[str, Any], value: str = "x") -> Any:
    """The same by rows."""
    import sparse

    return sparse.GCXS(coo(data, value), compressed_axes=(0,))


def of_pydata(found: Any) -> list[float]:
    cells = found.tocoo() if hasattr(found, "tocoo") else found
    return summary(list(cells.coords), cells.data)


def adjacency(data: dict[str, Any]) -> Any:
    """A graph as a matrix of ones in SciPy, each edge once."""
    from scipy import sparse

    size = int(data["dst"].max()) + 1
    return sparse.csr_array((np.ones(data["src"].size, np.int64), (data["src"], data["dst"])), shape=(size, size))


def rows(i: Any, j: Any, size: int, *values: Any) -> list[Any]:
    """For loops by hand: where each row starts, and its columns in order, narrow; and values."""
    order = np.lexsort((j, i))
    starts = np.searchsorted(i[order], np.arange(size + 1))
    return [starts, j[order].astype(np.int32), *[x[order] for x in values]]


def by_hand(name: str, turned: bool = False) -> Make:
    """A loop over the rows of a graph, each edge once; or from where they lead, if it is turned."""

    def make(data: dict[str, Any], threads: int) -> Way:
        from skipstone.bench import hand_rows

        count = getattr(hand_rows, name)
        src, dst = (data["dst"], data["src"]) if turned else (data["src"], data["dst"])
        given = rows(src, dst, int(max(src.max(), dst.max())) + 1)
        return Way(lambda: count(*given))

    return make


def of_rows(rows: Any) -> Callable[[Any], list[float]]:
    """A dense answer, without the rows that no entry falls into."""

    def answer(found: Any) -> list[float]:
        at = np.unique(rows)
        i, r = (index.ravel() for index in np.indices((at.size, found.shape[1])))
        return summary([at[i], r], found[at].ravel())

    return answer


def igraph(data: dict[str, Any]) -> Any:
    import igraph

    return igraph.Graph(n=int(data["dst"].max()) + 1, edges=np.stack([data["src"], data["dst"]], axis=1))


def in_igraph(count: Callable[[Any], Any]) -> Make:
    def make(data: dict[str, Any], threads: int) -> Way:
        graph = igraph(data)
        return Way(lambda: count(graph))

    return make


def networkx(data: dict[str, Any]) -> Any:
    import networkx

    return networkx.Graph(list(zip(data["src"].tolist(), data["dst"].tolist(), strict=True)))
