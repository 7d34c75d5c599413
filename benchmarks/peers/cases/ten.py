"""Ten tables, joined in a chain, in a star and in a ring; the matches counted. Only the ring has a cycle."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import skipstone as sk

from .. import data, sql
from ..ours import product, threaded
from ..question import Make, Question
from ..way import Way

NODES = sk.axes(" ".join(f"v{n}" for n in range(11)))


def ours(axes: list[tuple[Any, Any]]) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        tables = [sk.table(columns, name=name) for name, columns in given.items()]
        query = product([R[pair] for R, pair in zip(tables, axes, strict=True)]).sum()
        return Way(threaded(query.collect, threads))

    return make


def duckdb(conditions: list[str]) -> Make:
    tables = ", ".join(f"R{n}" for n in range(10))
    return sql.number_of(f"select count(*) from {tables} where {' and '.join(conditions)}")


CHAIN = [f"R{n}.dst = R{m}.src" for n, m in pairwise(range(10))]
SUMMED_CHAIN = (
    "with "
    + "W9 as (select src, count(*)::hugeint n from R9 group by src), "
    + ", ".join(
        f"W{n} as (select R{n}.src, sum(W{n + 1}.n) n from R{n} join W{n + 1} on R{n}.dst = W{n + 1}.src group by all)"
        for n in range(8, -1, -1)
    )
    + " select sum(n)::bigint from W0"
)
SUMMED_STAR = (
    "with "
    + ", ".join(f"W{n} as (select src, count(*)::hugeint n from R{n} group by src)" for n in range(10))
    + f" select sum({' * '.join(f'W{n}.n' for n in range(10))})::bigint from W0 "
    + " ".join(f"join W{n} on W0.src = W{n}.src" for n in range(1, 10))
)


def question(name: str, axes: list[tuple[Any, Any]], forms: dict[str, Make]) -> Question:
    return Question(
        name,
        "ten",
        {"ten random tables of 20k rows": partial(data.many, 10, 20_000, 10_000)},
        lambda: data.many(10, 60, 30),
        {"skipstone": {"": ours(axes)}, "duckdb": forms},
    )


QUESTIONS = [
    question(
        "ten in a chain",
        list(pairwise(NODES)),
        {"joined": duckdb(CHAIN), "counts summed along the chain": sql.number_of(SUMMED_CHAIN)},
    ),
    question(
        "ten in a star",
        [(NODES[0], node) for node in NODES[1:]],
        {
            "joined": duckdb([f"R0.src = R{n}.src" for n in range(1, 10)]),
            "each table counted first": sql.number_of(SUMMED_STAR),
        },
    ),
    question(
        "ten in a ring",
        [*pairwise(NODES[:10]), (NODES[9], NODES[0])],
        {"": duckdb([*CHAIN, "R9.dst = R0.src"])},
    ),
]
