"""R(a, b) S(b, c) T(a, c) with strings as keys, all rows of the result built.

Ours are numbers with a dictionary beside them, as the tables were; others may have their strings coded too.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import Any

import numpy as np

import skipstone as sk

from .. import data, frames, sql
from ..ours import threaded
from ..question import Question
from ..way import Way, summary

a, b, c = sk.axes("a b c")


def numbered(*columns: Any) -> list[float]:
    """The rows, each name by the number in it."""
    keys = [np.array([int(str(name).removeprefix("name")) for name in column], np.int64) for column in columns]
    return summary(keys, np.ones(keys[0].size))


def ours(given: dict[str, Any], threads: int) -> Way:
    R, S, T = (sk.table(given[name], name=name) for name in "RST")
    query = R[a, b] * S[b, c] * T[a, c]

    def answer(found: Any) -> list[float]:
        columns = found.columns()
        return numbered(*(columns[name] for name in "abc"))

    return Way(threaded(query.collect, threads), answer)


JOINED = "select a, b, c from R join S using (b) join T using (a, c)"


def arrow(given: dict[str, Any], threads: int) -> Way:
    con = sql.connected(given, threads)
    return Way(lambda: con.sql(JOINED).to_arrow_table(), lambda found: numbered(*(found[n].to_pylist() for n in "abc")))


def kept_inside(given: dict[str, Any], threads: int) -> Way:
    con = sql.connected(given, threads)

    def answer(_: Any) -> list[float]:
        found = con.sql("select a, b, c from found").to_arrow_table()
        return numbered(*(found[n].to_pylist() for n in "abc"))

    return Way(lambda: con.execute(f"create or replace temp table found as {JOINED}"), answer)


def polars(pl: Any, given: dict[str, Any]) -> Any:
    R, S, T = (pl.LazyFrame(given[name]) for name in "RST")
    return R.join(S, on="b").join(T, on=["a", "c"])


def polars_coded(given: dict[str, Any], threads: int) -> Way:
    """Strings as categories: numbers inside."""
    import polars as pl

    R, S, T = (pl.DataFrame(given[name]).cast(pl.Categorical).lazy() for name in "RST")
    query = R.join(S, on="b").join(T, on=["a", "c"])
    return Way(query.collect, lambda found: numbered(*(found[n].cast(pl.String) for n in "abc")))


def pandas(given: dict[str, Any], threads: int) -> Way:
    import pandas as pd

    R, S, T = (pd.DataFrame(given[name]) for name in "RST")
    return Way(lambda: R.merge(S, on="b").merge(T, on=["a", "c"]), lambda found: numbered(*(found[n] for n in "abc")))


Nested = dict[str, set[str]]


def nested(table: dict[str, list[str]]) -> Nested:
    found: Nested = defaultdict(set)
    for left, right in zip(*table.values(), strict=True):
        found[left].add(right)
    return dict(found)


def by_lookup(given: dict[str, Any], threads: int) -> Way:
    """What people write: dicts of sets, and `in`."""
    R, S, T = (nested(given[name]) for name in "RST")

    def run() -> list[tuple[str, str, str]]:
        none = set[str]()
        return [(a, b, c) for a, bs in R.items() if (cs := T.get(a)) for b in bs for c in S.get(b, none) if c in cs]

    return Way(run, lambda found: numbered(*zip(*found, strict=True)))


def by_sets(given: dict[str, Any], threads: int) -> Way:
    """What people write who know that `&` walks the smaller set: it skips, too."""
    R, S, T = (nested(given[name]) for name in "RST")

    def run() -> list[tuple[str, str, str]]:
        none = set[str]()
        return [(a, b, c) for a, bs in R.items() if (cs := T.get(a)) for b in bs for c in S.get(b, none) & cs]

    return Way(run, lambda found: numbered(*zip(*found, strict=True)))


QUESTIONS = [
    Question(
        "triangle join on strings",
        "names",
        {
            "uniform, 200k rows each": partial(data.names, "uniform", 200_000, 20_000),
            "Zipf, 20k rows each": partial(data.names, "zipf", 20_000, 10_000),
            "hard instance, 20k rows each": partial(data.names, "hard", 20_000),
        },
        partial(data.names, "zipf", 300, 40),
        {
            "skipstone": {"": ours},
            "python": {"in": by_lookup, "set &": by_sets},
            "duckdb": {"into Arrow": arrow, "into a table": kept_inside},
            "polars": {
                **frames.engines(polars, lambda found: numbered(*(found[n] for n in "abc"))),
                "categories": polars_coded,
            },
            "pandas": {"": pandas},
        },
    )
]
