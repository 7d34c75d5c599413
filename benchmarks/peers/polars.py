"""Polars: lazy joins. How many threads there are is settled by the environment, before it is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from .way import Way, summary

NAME, THREADS = "Polars", (1, 2)


def three(E: Any) -> Any:
    """Triangles: src, dst and the third corner."""
    wedges = E.join(E.rename({"src": "dst", "dst": "third"}), on="dst")
    return wedges.join(E.rename({"dst": "third"}), on=["src", "third"])


def four(E: Any) -> Any:
    T = three(E)
    pairs = T.join(T.rename({"third": "fourth"}), on=["src", "dst"])
    return pairs.join(E.rename({"src": "third", "dst": "fourth"}), on=["third", "fourth"])


def count(put: Callable[[Any], Any]) -> dict[str, Any]:
    def make(data: dict[str, Any], threads: int) -> Way:
        query = put(pl.LazyFrame(data)).select(pl.len())
        return Way(lambda: query.collect().item())

    def streaming(data: dict[str, Any], threads: int) -> Way:
        query = put(pl.LazyFrame(data)).select(pl.len())
        return Way(lambda: query.collect(engine="streaming").item())

    return {"streaming": streaming, "in memory": make}


def from_columns(data: dict[str, Any], threads: int) -> Way:
    return Way(lambda: three(pl.LazyFrame(data)).select(pl.len()).collect(engine="streaming").item())


def square(data: dict[str, Any], threads: int) -> Way:
    A = pl.LazyFrame({name: data[name] for name in ("i", "j", "x")})
    wedges = A.join(A.rename({"i": "j", "j": "k", "x": "y"}), on="j")
    query = wedges.group_by("i", "k").agg((pl.col("x") * pl.col("y")).sum())
    return Way(query.collect, lambda found: summary([found["i"], found["k"]], found["x"]))


WAYS = {
    "triangles": count(three),
    "4-cliques": count(four),
    "triangles from columns": {"": from_columns},
    "sparse product": {"": square},
}
