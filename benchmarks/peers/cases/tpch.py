"""TPC-H Q5 and Q9. At scale 0.01 there are 60,175 line items; decimals are floats for everybody."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow.compute as pc

import skipstone as sk

from .. import data, frames, sql
from ..ours import threaded
from ..question import Question
from ..way import Way, by_key

customer, order, date, line, nation, nation_name, part, region, supplier, year = sk.axes(
    "customer order date line nation nation_name part region supplier year"
)


def revenue(v: Any) -> Any:
    return v.l_extendedprice * (1 - v.l_discount)


def q5(given: dict[str, Any], threads: int) -> Way:
    lines = sk.table(given["lineitem"], ["l_orderkey", "l_suppkey", "l_linenumber"], ["l_extendedprice", "l_discount"])
    query = (
        lines[order, supplier, line].map(revenue)
        * sk.table(given["orders"])[order, customer, date]
        * sk.table(given["customer"])[customer, nation]
        * sk.table(given["supplier"])[supplier, nation]
        * sk.table(given["nation"])[nation, nation_name, region]
        * sk.table(given["region"])[region, "ASIA"]
        * (date >= np.datetime64("1994-01-01"))
        * (date < np.datetime64("1995-01-01"))
    ).sum(order, supplier, line, customer, date, nation, region)
    return Way(threaded(lambda: query.collect(dict), threads), by_key)


def q9(given: dict[str, Any], threads: int) -> Way:
    """The year and the search in a string are columns made beforehand: they are part of the preparation."""
    keys = ["l_orderkey", "l_partkey", "l_suppkey", "l_linenumber"]
    lines = sk.table(given["lineitem"], keys, ["l_extendedprice", "l_discount", "l_quantity"])
    orders = sk.table({"order": given["orders"]["o_orderkey"], "year": pc.year(given["orders"]["o_orderdate"])})
    named = pc.match_substring(given["part"]["p_name"], "green")
    green = sk.table({"part": given["part"]["p_partkey"].filter(named)})
    cost = sk.table(given["partsupp"], value="ps_supplycost")[part, supplier]
    nations = sk.table(given["nation"], ["n_nationkey", "n_name"])
    sold = lines[order, part, supplier, line]
    profit = sold.map(revenue) * cost.map(lambda c: 1.0) - sold.map(lambda v: v.l_quantity) * cost
    common = green[part] * sk.table(given["supplier"])[supplier, nation] * nations[nation, nation_name]
    query = (common * orders[order, year] * profit).sum(order, part, supplier, line, nation)
    return Way(threaded(lambda: query.collect(dict), threads), by_key)


Q5 = """
    select n_name, sum(l_extendedprice * (1 - l_discount)) revenue
    from customer, orders, lineitem, supplier, nation, region
    where c_custkey = o_custkey and l_orderkey = o_orderkey and l_suppkey = s_suppkey and c_nationkey = s_nationkey
      and s_nationkey = n_nationkey and n_regionkey = r_regionkey and r_name = 'ASIA'
      and o_orderdate >= date '1994-01-01' and o_orderdate < date '1995-01-01'
    group by n_name"""
Q9 = """
    select n_name, year(o_orderdate) y, sum(l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity) profit
    from part, supplier, lineitem, partsupp, orders, nation
    where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey
      and o_orderkey = l_orderkey and s_nationkey = n_nationkey and p_name like '%green%'
    group by all"""


def rows_by_key(frame: Any) -> list[float]:
    return by_key({row[:-1]: row[-1] for row in frame.iter_rows()})


def polars_q5(pl: Any, given: dict[str, Any]) -> Any:
    lazy = {name: pl.from_arrow(table).lazy() for name, table in given.items()}
    first, last = pl.date(1994, 1, 1), pl.date(1995, 1, 1)
    return (
        lazy["region"].filter(pl.col("r_name") == "ASIA")
        .join(lazy["nation"], left_on="r_regionkey", right_on="n_regionkey")
        .join(lazy["customer"], left_on="n_nationkey", right_on="c_nationkey")
        .join(lazy["orders"].filter(pl.col("o_orderdate") >= first, pl.col("o_orderdate") < last),
              left_on="c_custkey", right_on="o_custkey")
        .join(lazy["lineitem"], left_on="o_orderkey", right_on="l_orderkey")
        .join(lazy["supplier"], left_on=["l_suppkey", "n_nationkey"], right_on=["s_suppkey", "s_nationkey"])
        .group_by("n_name").agg((pl.col("l_extendedprice") * (1 - pl.col("l_discount"))).sum().alias("revenue"))
    )  # fmt: skip


def polars_q9(pl: Any, given: dict[str, Any]) -> Any:
    lazy = {name: pl.from_arrow(table).lazy() for name, table in given.items()}
    profit = pl.col("l_extendedprice") * (1 - pl.col("l_discount")) - pl.col("ps_supplycost") * pl.col("l_quantity")
    return (
        lazy["part"].filter(pl.col("p_name").str.contains("green", literal=True))
        .join(lazy["partsupp"], left_on="p_partkey", right_on="ps_partkey")
        .join(lazy["supplier"], left_on="ps_suppkey", right_on="s_suppkey")
        .join(lazy["lineitem"], left_on=["p_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
        .join(lazy["orders"], left_on="l_orderkey", right_on="o_orderkey")
        .join(lazy["nation"], left_on="s_nationkey", right_on="n_nationkey")
        .group_by("n_name", pl.col("o_orderdate").dt.year().alias("y")).agg(profit.sum().alias("profit"))
    )  # fmt: skip


ON = {"scale 0.01": data.tpch, "scale 0.01, ten copies": partial(data.tpch, 10)}
QUESTIONS = [
    Question(
        "TPC-H Q5",
        "tpch",
        ON,
        data.tpch,
        {"skipstone": {"": q5}, "duckdb": {"": sql.few_rows(Q5)}, "polars": frames.engines(polars_q5, rows_by_key)},
    ),
    Question(
        "TPC-H Q9",
        "tpch",
        ON,
        data.tpch,
        {"skipstone": {"": q9}, "duckdb": {"": sql.few_rows(Q9)}, "polars": frames.engines(polars_q9, rows_by_key)},
    ),
]
