"""A join of two tables summed by group, from raw columns: what data frames are for."""

from __future__ import annotations

from functools import partial
from typing import Any

import skipstone as sk

from .. import data, sql
from ..ours import threaded
from ..question import Question
from ..way import Way, by_key

who, day, city = sk.axes("who day city")


def by_who(given: dict[str, Any], threads: int) -> Way:
    """The day is not asked for: it is no key."""

    def run() -> Any:
        paid, lives = sk.table(given["paid"], keys="who", value="price"), sk.table(given["lives"])
        return (paid[who] * lives[who, city]).sum(who).collect(dict)

    return Way(threaded(run, threads), by_key)


def ours(given: dict[str, Any], threads: int) -> Way:
    def run() -> Any:
        paid, lives = sk.table(given["paid"], value="price"), sk.table(given["lives"])
        return (paid[who, day] * lives[who, city]).sum(who, day).collect(dict)

    return Way(threaded(run, threads), by_key)


SUM = "select city, sum(price) from paid join lives using (who) group by city"


def registered(given: dict[str, Any], threads: int) -> Way:
    import pyarrow as pa

    def run() -> Any:
        con = sql.opened(threads)
        for name, columns in given.items():
            con.register(name, pa.table(columns))
        return dict(con.execute(SUM).fetchall())

    return Way(run, by_key)


def polars(engine: str, given: dict[str, Any], threads: int) -> Way:
    import polars as pl

    def run() -> Any:
        paid, lives = pl.LazyFrame(given["paid"]), pl.LazyFrame(given["lives"])
        found = paid.join(lives, on="who").group_by("city").agg(pl.col("price").sum()).collect(engine=engine)
        return dict(found.iter_rows())

    return Way(run, by_key)


def pandas(given: dict[str, Any], threads: int) -> Way:
    import pandas as pd

    def run() -> Any:
        paid, lives = pd.DataFrame(given["paid"]), pd.DataFrame(given["lives"])
        return paid.merge(lives, on="who").groupby("city").price.sum().to_dict()

    return Way(run, by_key)


def pandas_mapped(given: dict[str, Any], threads: int) -> Way:
    import pandas as pd

    def run() -> Any:
        paid, lives = pd.DataFrame(given["paid"]), pd.Series(given["lives"]["city"], index=given["lives"]["who"])
        return paid.price.groupby(paid.who.map(lives)).sum().to_dict()

    return Way(run, by_key)


def python(given: dict[str, Any], threads: int) -> Way:
    def run() -> Any:
        lives = dict(zip(given["lives"]["who"].tolist(), given["lives"]["city"].tolist(), strict=True))
        found: dict[int, float] = {}
        for who, price in zip(given["paid"]["who"].tolist(), given["paid"]["price"].tolist(), strict=True):
            if (where := lives.get(who)) is not None:
                found[where] = found.get(where, 0.0) + price
        return found

    return Way(run, by_key)


QUESTIONS = [
    Question(
        "join and group, from columns",
        "columns",
        {"1M payments of 100k people": partial(data.payments, 1_000_000, 100_000, 1_000)},
        partial(data.payments, 200, 40, 5),
        {
            "skipstone": {"by who alone": by_who, "all keys": ours},
            "python": {"": python},
            "duckdb": {"": registered},
            "polars": {"streaming": partial(polars, "streaming"), "in memory": partial(polars, "in-memory")},
            "pandas": {"merge": pandas, "map": pandas_mapped},
        },
    )
]
