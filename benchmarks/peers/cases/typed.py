"""Triangles of a knowledge graph, counted by the three relations that make them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import skipstone as sk

from .. import data, frames, sql
from ..ours import summed, threaded
from ..question import Make, Question
from ..way import Way, summary

x, y, z, r1, r2, r3 = sk.axes("x y z r1 r2 r3")


def ours(put: Callable[[Any], Any]) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        query = put(sk.table(given, name="T")).sum(x, y, z)
        return Way(threaded(query.collect, threads), summed)

    return make


def duckdb(last: str) -> dict[str, Make]:
    joined = f"select p.r, q.r, s.r, count(*) n from T p join T q on p.t = q.h join T s on {last} group by all"
    by_pairs = f"""
        with P as materialized (select h, t, list(r) rs from T group by all)
        select r1, r2, r3, count(*) n from (
            select unnest(p.rs) r1, q.rs rs2, s.rs rs3 from P p join P q on p.t = q.h join P s on {last}
        ), unnest(rs2) u(r2), unnest(rs3) v(r3) group by all"""
    return {name: sql.rows(text, "T", "h", "r", "t") for name, text in
            (("joined", joined), ("relations as lists", by_pairs))}  # fmt: skip


def polars(third: dict[str, str]) -> dict[str, Make]:
    def ask(pl: Any, given: dict[str, Any]) -> Any:
        T = pl.LazyFrame(given).rename({"h": "x", "r": "r1", "t": "y"})
        wedges = T.join(T.rename({"x": "y", "r1": "r2", "y": "z"}), on="y")
        closed = wedges.join(T.rename({"r1": "r3"} | third), on=["x", "z"])
        return closed.group_by("r1", "r2", "r3").agg(pl.len().alias("n"))

    return frames.engines(ask, lambda found: summary([found[r] for r in ("r1", "r2", "r3")], found["n"]))


def tiny() -> Any:
    return {c: np.arange(600) * p % n for c, p, n in (("h", 7, 23), ("r", 5, 4), ("t", 3, 19))}


ON = {"FB15K-237": partial(data.triples, "FB15K237")}
QUESTIONS = [
    Question(
        "typed triangles",
        "patterns",
        ON,
        tiny,
        {
            "skipstone": {"": ours(lambda T: T[x, r1, y] * T[y, r2, z] * T[x, r3, z])},
            "duckdb": duckdb("p.h = s.h and q.t = s.t"),
            "polars": polars({"y": "z"}),
        },
    ),
    Question(
        "typed cycles",
        "patterns",
        ON,
        tiny,
        {
            "skipstone": {"": ours(lambda T: T[x, r1, y] * T[y, r2, z] * T[z, r3, x])},
            "duckdb": duckdb("q.t = s.h and p.h = s.t"),
            "polars": polars({"x": "z", "y": "x"}),
        },
    ),
]
