"""The cases: a question, and what it is asked of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import data


@dataclass
class Case:
    """`question` names what every peer is asked; `make` gives the columns."""

    question: str
    on: str
    make: Callable[[], dict[str, Any]]

    @property
    def name(self) -> str:
        return f"{self.question}: {self.on}"


GRAPHS = {
    "soc-Epinions1": partial(data.snap, "soc-Epinions1"),
    "web-NotreDame": partial(data.snap, "web-NotreDame"),
    "RMAT, 1M edges": data.rmat,
}


def cases() -> Iterator[Case]:
    for question in ("triangles", "4-cliques"):
        for name, graph in GRAPHS.items():
            yield Case(question, f"{name}, order of the ids", graph)
            yield Case(question, f"{name}, order of degree", lambda graph=graph: data.by_degree(graph()))
    for name in ("soc-Epinions1", "RMAT, 1M edges"):
        yield Case("triangles from columns", name, lambda name=name: data.by_degree(GRAPHS[name]()))
    for question in ("typed triangles", "typed cycles"):
        yield Case(question, "FB15K-237", partial(data.triples, "FB15K237"))
    for question in ("lollipop", "barbell"):
        for name in ("ca-GrQc", "soc-Epinions1"):
            yield Case(question, name, lambda name=name: data.both_ways(data.snap(name)))
    for question in ("sparse product", "sparse product, sorted"):
        yield Case(question, "random, 100k × 100k, 10 a row", partial(data.matrix, 100_000, 10))
        yield Case(question, "RMAT, 2^14 nodes, 100k edges", lambda: data.weighted(data.rmat(14, 100_000)))
    yield Case("SDDMM", "random, 20k × 20k, 10 a row, rank 64", partial(data.sampled, 20_000, 10, 64))
    for rank in (16, 32):
        yield Case("MTTKRP", f"random, 10k³, 1M entries, rank {rank}", partial(data.tensor, 10_000, 1_000_000, rank))
    for question in ("TPC-H Q5", "TPC-H Q9"):
        yield Case(question, "scale 0.01", data.tpch)
        yield Case(question, "scale 0.01, ten copies", partial(data.tpch, 10))
    for question in ("ten in a chain", "ten in a star", "ten in a ring"):
        yield Case(question, "ten random tables of 20k rows", partial(data.many, 10, 20_000, 10_000))
    yield Case("5-cliques", "ca-GrQc, ten factors", partial(data.snap, "ca-GrQc"))
