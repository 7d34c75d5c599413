"""DuckDB: SQL, with the best plan that we could write down where there is a choice."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import duckdb
import pyarrow as pa

from .way import Way, by_key, summary

NAME, THREADS = "DuckDB", (1, 2)
SETTINGS = {"memory_limit": "6GB", "temp_directory": ""}


def opened(threads: int) -> Any:
    con = duckdb.connect(config=SETTINGS | {"threads": threads})
    con.execute("set enable_progress_bar = false")
    return con


def connected(tables: dict[str, Any], threads: int) -> Any:
    """A database in memory that holds these tables, copied into its own format."""
    con = opened(threads)
    for name, columns in tables.items():
        con.register("given", columns if isinstance(columns, pa.Table) else pa.table(columns))
        con.execute(f"create table {name} as select * from given")
        con.unregister("given")
    con.execute("analyze")
    return con


def one(sql: str) -> Callable[[dict[str, Any], int], Way]:
    """A graph's edges in E, and a query that gives a number."""

    def make(data: dict[str, Any], threads: int) -> Way:
        con = connected({"E": data}, threads)
        return Way(lambda: con.execute(sql).fetchone()[0])

    return make


def rows(sql: str, name: str) -> Callable[[dict[str, Any], int], Way]:
    """One table, and a query that gives rows: keys, then a value."""

    def make(data: dict[str, Any], threads: int) -> Way:
        con = connected({name: {c: column for c, column in data.items() if c != "size"}}, threads)
        return Way(lambda: con.execute(sql).fetchnumpy(), summarised)

    return make


def summarised(found: dict[str, Any]) -> list[float]:
    *keys, values = found.values()
    return summary(keys, values)


TRIANGLES = "E ab join E bc on ab.dst = bc.src join E ac on ab.src = ac.src and bc.dst = ac.dst"
THREE = f"with T as materialized (select ab.src a, ab.dst b, bc.dst c from {TRIANGLES})"
CORNERS = f"with T as materialized (select ab.src a, count(*) n from {TRIANGLES} group by a)"


def from_columns(data: dict[str, Any], threads: int) -> Way:
    columns = {"src": data["src"], "dst": data["dst"]}

    def run() -> Any:
        con = opened(threads)
        con.register("E", pa.table(columns))
        return con.execute(f"select count(*) from {TRIANGLES}").fetchone()[0]

    return Way(run)


def copied_first(data: dict[str, Any], threads: int) -> Way:
    columns = {"src": data["src"], "dst": data["dst"]}
    return Way(lambda: connected({"E": columns}, threads).execute(f"select count(*) from {TRIANGLES}").fetchone()[0])


def typed(last: str) -> dict[str, Any]:
    joined = f"select p.r, q.r, s.r, count(*) n from T p join T q on p.t = q.h join T s on {last} group by all"
    by_pairs = f"""
        with P as materialized (select h, t, list(r) rs from T group by all)
        select r1, r2, r3, count(*) n from (
            select unnest(p.rs) r1, q.rs rs2, s.rs rs3 from P p join P q on p.t = q.h join P s on {last}
        ), unnest(rs2) u(r2), unnest(rs3) v(r3) group by all"""
    return {"joined": rows(joined, "T"), "relations as lists": rows(by_pairs, "T")}


def answered(sql: str) -> dict[str, Any]:
    """All the tables of TPC-H; keys, then a value."""

    def make(data: dict[str, Any], threads: int) -> Way:
        con = connected(data, threads)
        return Way(lambda: {row[:-1]: row[-1] for row in con.execute(sql).fetchall()}, by_key)

    return {"": make}


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


def ten(conditions: list[str]) -> dict[str, Any]:
    def make(data: dict[str, Any], threads: int) -> Way:
        con = connected(data, threads)
        sql = f"select count(*) from {', '.join(data)} where {' and '.join(conditions)}"
        return Way(lambda: con.execute(sql).fetchone()[0])

    return {"": make}


CHAIN = [f"R{n}.dst = R{m}.src" for n, m in pairwise(range(10))]
WAYS = {
    "triangles": {"": one(f"select count(*) from {TRIANGLES}")},
    "triangles from columns": {"register": from_columns, "create table": copied_first},
    "4-cliques": {
        "triangles on ab": one(
            f"{THREE} select count(*) from T s join T t on s.a = t.a and s.b = t.b join E on s.c = src and t.c = dst"
        ),
        "triangles on bc": one(
            f"{THREE} select count(*) from T s join T t on s.b = t.a and s.c = t.b join E on s.a = src and t.c = dst"
        ),
        "triangles, then edges": one(
            f"{THREE} select count(*) from T join E cd on c = cd.src join E ad on a = ad.src and cd.dst = ad.dst "
            "join E bd on b = bd.src and cd.dst = bd.dst"
        ),
        "six edges": one(
            f"select count(*) from {TRIANGLES} join E ad on ab.src = ad.src "
            "join E bd on ab.dst = bd.src and ad.dst = bd.dst join E cd on bc.dst = cd.src and ad.dst = cd.dst"
        ),
    },
    "5-cliques": {
        "by triangles": one(
            f"{THREE}, F as materialized (select s.a, s.b, s.c, t.c d from T s join T t on s.a = t.a and s.b = t.b "
            "join E on s.c = src and t.c = dst) "
            "select count(*) from F s join F t on s.a = t.a and s.b = t.b and s.c = t.c "
            "join E on s.d = src and t.d = dst"
        ),
    },
    "typed triangles": typed("p.h = s.h and q.t = s.t"),
    "typed cycles": typed("q.t = s.h and p.h = s.t"),
    "lollipop": {
        "triangles first": one(
            f"{CORNERS}, D as (select src a, count(*) n from E group by a) "
            "select sum(T.n * D.n)::bigint from T join D using (a)"
        ),
        "joined": one(f"select count(*) from {TRIANGLES} join E ax on ax.src = ab.src"),
    },
    "barbell": {
        "triangles first": one(
            f"{CORNERS} select sum(s.n * t.n)::bigint from T s join E on s.a = src join T t on t.a = dst"
        ),
    },
    "sparse product": {"": rows("select p.i, q.j, sum(p.x * q.x) from A p join A q on p.j = q.i group by all", "A")},
    "TPC-H Q5": answered(Q5),
    "TPC-H Q9": answered(Q9),
    "ten in a chain": ten(CHAIN),
    "ten in a star": ten([f"R0.src = R{n}.src" for n in range(1, 10)]),
    "ten in a ring": ten([*CHAIN, "R9.dst = R0.src"]),
}
