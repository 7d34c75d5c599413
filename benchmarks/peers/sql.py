"""DuckDB: a database in memory, and queries in it."""

from __future__ import annotations

from typing import Any

from .question import Make
from .way import Way, by_key, summary

SETTINGS = {"memory_limit": "6GB", "temp_directory": ""}


def opened(threads: int) -> Any:
    import duckdb

    con = duckdb.connect(config=SETTINGS | {"threads": threads})
    con.execute("set enable_progress_bar = false")
    return con


def connected(tables: dict[str, Any], threads: int) -> Any:
    """A database that holds these tables, copied into its own format."""
    import pyarrow as pa

    con = opened(threads)
    for name, columns in tables.items():
        con.register("given", columns if isinstance(columns, pa.Table) else pa.table(columns))
        con.execute(f"create table {name} as select * from given")
        con.unregister("given")
    con.execute("analyze")
    return con


def number(sql: str) -> Make:
    """A graph's edges in E, each once, and a query that gives a number."""

    def make(data: dict[str, Any], threads: int) -> Way:
        con = connected({"E": {"src": data["src"], "dst": data["dst"]}}, threads)
        return Way(lambda: con.execute(sql).fetchone()[0])

    return make


def rows(sql: str, name: str, *columns: str) -> Make:
    """One table, and a query that gives rows: keys, then a value."""

    def make(data: dict[str, Any], threads: int) -> Way:
        con = connected({name: {c: data[c] for c in columns}}, threads)
        return Way(lambda: con.execute(sql).fetchnumpy(), summarised)

    return make


def summarised(found: dict[str, Any]) -> list[float]:
    *keys, values = found.values()
    return summary(keys, values)


def number_of(sql: str) -> Make:
    """All the tables by their names, and a query that gives a number."""

    def make(data: dict[str, Any], threads: int) -> Way:
        con = connected(data, threads)
        return Way(lambda: con.execute(sql).fetchone()[0])

    return make


def few_rows(sql: str) -> Make:
    """All the tables by their names, and a query that gives few rows: keys, then a value."""

    def make(data: dict[str, Any], threads: int) -> Way:
        con = connected(data, threads)
        return Way(lambda: {row[:-1]: row[-1] for row in con.execute(sql).fetchall()}, by_key)

    return make
