"""skipstone itself, on one thread and on two."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pyarrow.compute as pc

import skipstone as sk

from .way import Way, by_key, summary

NAME, THREADS = "skipstone", (1, 2)

a, b, c, d, x, y, z, i, j, k, r, r1, r2, r3 = sk.axes("a b c d x y z i j k r r1 r2 r3")
NODES = sk.axes(" ".join(f"v{n}" for n in range(11)))


def threaded(run: Callable[[], Any], threads: int) -> Callable[[], Any]:
    def inside() -> Any:
        with sk.options(threads=threads):
            return run()

    return inside


def counted(put: Callable[[Any], Any]) -> dict[str, Any]:
    """A pattern in a graph, counted."""

    def make(data: dict[str, Any], threads: int) -> Way:
        query = put(sk.table(data, name="E")).sum()
        return Way(threaded(query.collect, threads))

    return {"": make}


def clique(E: Any, size: int) -> Any:
    return product([E[NODES[m], NODES[n]] for m, n in combinations(range(size), 2)])


def product(factors: list[Any]) -> Any:
    first, *rest = factors
    for factor in rest:
        first = first * factor
    return first


def from_columns(data: dict[str, Any], threads: int) -> Way:
    def run() -> Any:
        E = sk.table(data, name="E")
        return (E[a, b] * E[b, c] * E[a, c]).sum().collect()

    return Way(threaded(run, threads))


def summed(table: Any) -> list[float]:
    *keys, values = table.columns().values()
    return summary(keys, values)


def typed(put: Callable[[Any], Any]) -> dict[str, Any]:
    def make(data: dict[str, Any], threads: int) -> Way:
        query = put(sk.table(data, name="T")).sum(x, y, z)
        return Way(threaded(query.collect, threads), summed)

    return {"": make}


# ---------------------------------------------------------------------- matrices and tensors


def sparse(data: dict[str, Any], *keys: str) -> Any:
    return sk.table({name: data[name] for name in (*keys, "x")}, keys=keys, value="x")


def dense(array: Any) -> Any:
    """A dense matrix as a table: every cell a row."""
    rows, columns = (index.ravel() for index in np.indices(array.shape))
    return sk.table({"row": rows, "col": columns, "x": array.ravel()}, value="x")


def square(data: dict[str, Any], threads: int) -> Way:
    A = sparse(data, "i", "j")
    return Way(threaded((A[i, j] * A[j, k]).sum(j).collect, threads), summed)


def square_in_order(data: dict[str, Any], threads: int) -> Way:
    A = sparse(data, "i", "j")
    return Way(
        threaded(lambda: (A[i, j] * A[j, k]).sum(j).collect().columns(), threads),
        lambda found: summary([found["i"], found["k"]], found["value"]),
    )


def sddmm(data: dict[str, Any], threads: int) -> Way:
    S, U, V = sparse(data, "i", "j"), dense(data["U"]), dense(data["V"])
    return Way(threaded((S[i, j] * U[i, k] * V[j, k]).sum(k).collect, threads), summed)


def mttkrp(data: dict[str, Any], threads: int) -> Way:
    T, C, D = sparse(data, "i", "j", "k"), dense(data["C"]), dense(data["D"])
    return Way(threaded((T[i, j, k] * C[j, r] * D[k, r]).sum(j, k).collect, threads), summed)


# ---------------------------------------------------------------------- TPC-H

customer, order, date, line, nation, nation_name, part, region, supplier, year = sk.axes(
    "customer order date line nation nation_name part region supplier year"
)


def revenue(v: Any) -> Any:
    return v.l_extendedprice * (1 - v.l_discount)


def q5(data: dict[str, Any], threads: int) -> Way:
    lines = sk.table(data["lineitem"], ["l_orderkey", "l_suppkey", "l_linenumber"], ["l_extendedprice", "l_discount"])
    query = (
        lines[order, supplier, line].map(revenue)
        * sk.table(data["orders"])[order, customer, date]
        * sk.table(data["customer"])[customer, nation]
        * sk.table(data["supplier"])[supplier, nation]
        * sk.table(data["nation"])[nation, nation_name, region]
        * sk.table(data["region"])[region, "ASIA"]
        * (date >= np.datetime64("1994-01-01"))
        * (date < np.datetime64("1995-01-01"))
    ).sum(order, supplier, line, customer, date, nation, region)
    return Way(threaded(lambda: query.collect(dict), threads), by_key)


def q9(data: dict[str, Any], threads: int) -> Way:
    """The year and the search in a string are columns made beforehand: they are part of the preparation."""
    keys = ["l_orderkey", "l_partkey", "l_suppkey", "l_linenumber"]
    lines = sk.table(data["lineitem"], keys, ["l_extendedprice", "l_discount", "l_quantity"])
    orders = sk.table({"order": data["orders"]["o_orderkey"], "year": pc.year(data["orders"]["o_orderdate"])})
    named = pc.match_substring(data["part"]["p_name"], "green")
    green = sk.table({"part": data["part"]["p_partkey"].filter(named)})
    cost = sk.table(data["partsupp"], value="ps_supplycost")[part, supplier]
    nations = sk.table(data["nation"], ["n_nationkey", "n_name"])
    sold = lines[order, part, supplier, line]
    profit = sold.map(revenue) * cost.map(lambda c: 1.0) - sold.map(lambda v: v.l_quantity) * cost
    common = green[part] * sk.table(data["supplier"])[supplier, nation] * nations[nation, nation_name]
    query = (common * orders[order, year] * profit).sum(order, part, supplier, line, nation)
    return Way(threaded(lambda: query.collect(dict), threads), by_key)


# ---------------------------------------------------------------------- ten factors


def ten(axes: list[tuple[Any, Any]]) -> dict[str, Any]:
    def make(data: dict[str, Any], threads: int) -> Way:
        tables = [sk.table(columns, name=name) for name, columns in data.items()]
        query = product([R[pair] for R, pair in zip(tables, axes, strict=True)]).sum()
        return Way(threaded(query.collect, threads))

    return {"": make}


WAYS = {
    "triangles": counted(lambda E: E[a, b] * E[b, c] * E[a, c]),
    "4-cliques": counted(lambda E: clique(E, 4)),
    "5-cliques": counted(lambda E: clique(E, 5)),
    "triangles from columns": {"": from_columns},
    "typed triangles": typed(lambda T: T[x, r1, y] * T[y, r2, z] * T[x, r3, z]),
    "typed cycles": typed(lambda T: T[x, r1, y] * T[y, r2, z] * T[z, r3, x]),
    "lollipop": counted(lambda S: S[a, b] * S[b, c] * S[a, c] * S[a, x]),
    "barbell": counted(lambda S: S[a, b] * S[b, c] * S[a, c] * S[a, x] * S[x, y] * S[y, z] * S[x, z]),
    "sparse product": {"": square},
    "sparse product, sorted": {"": square_in_order},
    "SDDMM": {"": sddmm},
    "MTTKRP": {"": mttkrp},
    "TPC-H Q5": {"": q5},
    "TPC-H Q9": {"": q9},
    "ten in a chain": ten(list(pairwise(NODES))),
    "ten in a star": ten([(NODES[0], node) for node in NODES[1:]]),
    "ten in a ring": ten([*pairwise(NODES[:10]), (NODES[9], NODES[0])]),
}
