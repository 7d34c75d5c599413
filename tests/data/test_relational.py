"""Joins as in SQL: many small tables, TPC-H, flights."""

import csv
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import skipstone as sk

from .reading import answers, columns

# ---------------------------------------------------------------------- joins of 4 to 16 tables


def many_tables(directory):
    return answers(directory, "select5.json.gz")


@cache
def small_table(directory, name):
    a, b, x = zip(*many_tables(directory)["tables"][name], strict=True)
    return sk.table({"a": a, "b": b, "x": x}, name=name)


def put(directory, query):
    """A join: columns that are equal are one axis, or the constant that they equal; x columns are axes of their own."""
    same = dict(query["constants"])
    for _ in query["equalities"]:  # as often as names may have to travel
        for left, right in query["equalities"]:
            known = same.get(left, same.get(right, left))
            same[left] = same[right] = known
    places = {c: sk.axes(v) if isinstance(v, str) else v for c, v in same.items()}
    found = None
    for name in query["from_"]:
        n = name[1:]
        access = small_table(directory, name)[
            places.get(f"a{n}", sk.axes(f"a{n}")), places.get(f"b{n}", sk.axes(f"b{n}")), sk.axes(f"x{n}")
        ]
        found = access if found is None else found * access
    return found


def check_joins(directory, label):
    for query in many_tables(directory)["queries"]:
        if query["label"] == f"join-{label}":
            found = put(directory, query)
            hidden = [axis for axis in found.axes() if axis.name not in query["select"]]
            (row,) = found.sum(*hidden).collect("pandas")[query["select"]].to_numpy().tolist()
            assert sorted(row) == query["expected_sorted_values"]


@pytest.mark.parametrize("label", [f"{tables}-{n}" for tables in range(4, 17) for n in range(1, 5)])
def test_join_of_many_tables(shared_data, label):
    with sk.engine("interpreted"):  # compiling loops so deep takes ten seconds and more
        check_joins(shared_data / "sqllogictest_select5", label)


@pytest.mark.parametrize("label", [f"{tables}-{n}" for tables in (4, 5) for n in range(1, 5)])
def test_compiled_join_of_many_tables(shared_data, label):
    check_joins(shared_data / "sqllogictest_select5", label)


# ---------------------------------------------------------------------- TPC-H

customer, order, date, line, nation, nation_name, part, region, supplier, year = sk.axes(
    "customer order date line nation nation_name part region supplier year"
)


def tpch(directory, file, keys, value=None):
    return sk.table(columns(directory / f"{file}.parquet"), keys=keys, value=value, name=file)


def answer(directory, name):
    with (directory / "answers" / f"{name}.csv").open() as file:
        return list(csv.DictReader(file, delimiter="|"))


def revenue(v):
    return v.l_extendedprice * (1 - v.l_discount)


def test_tpch_q5(shared_data):
    directory = shared_data / "tpch_sf0.01"
    lines = tpch(directory, "lineitem", ["l_orderkey", "l_suppkey", "l_linenumber"], ["l_extendedprice", "l_discount"])
    orders = tpch(directory, "orders", ["o_orderkey", "o_custkey", "o_orderdate"])
    customers = tpch(directory, "customer", ["c_custkey", "c_nationkey"])
    suppliers = tpch(directory, "supplier", ["s_suppkey", "s_nationkey"])
    nations = tpch(directory, "nation", ["n_nationkey", "n_name", "n_regionkey"])
    regions = tpch(directory, "region", ["r_regionkey", "r_name"])
    found = (
        lines[order, supplier, line].map(revenue)
        * orders[order, customer, date]
        * customers[customer, nation]
        * suppliers[supplier, nation]
        * nations[nation, nation_name, region]
        * regions[region, "ASIA"]
        * (date >= np.datetime64("1994-01-01"))
        * (date < np.datetime64("1995-01-01"))
    )
    hidden = (order, supplier, line, customer, date, nation, region)
    wanted = {row["n_name"]: float(row["revenue"]) for row in answer(directory, "q05")}
    assert found.sum(*hidden).collect(dict) == pytest.approx(wanted)


def test_tpch_q9(shared_data):
    directory = shared_data / "tpch_sf0.01"
    lines = tpch(
        directory,
        "lineitem",
        ["l_orderkey", "l_partkey", "l_suppkey", "l_linenumber"],
        ["l_extendedprice", "l_discount", "l_quantity"],
    )
    # What the notation has no words for: a key that is part of another (the year), and a search in a string.
    dates = columns(directory / "orders.parquet")
    orders = sk.table({"order": dates["o_orderkey"], "year": pc.year(dates["o_orderdate"])})
    parts = columns(directory / "part.parquet")
    named = pc.match_substring(parts["p_name"].cast(pa.string()), "green")
    green = sk.table({"part": parts["p_partkey"].filter(named)})
    costs = tpch(directory, "partsupp", ["ps_partkey", "ps_suppkey"], "ps_supplycost")
    suppliers = tpch(directory, "supplier", ["s_suppkey", "s_nationkey"])
    nations = tpch(directory, "nation", ["n_nationkey", "n_name"])
    sold = lines[order, part, supplier, line]
    common = green[part] * suppliers[supplier, nation] * nations[nation, nation_name] * orders[order, year]
    cost = costs[part, supplier]
    profit = sold.map(revenue) * cost.map(lambda c: 1.0) - sold.map(lambda v: v.l_quantity) * cost
    hidden = (order, part, supplier, line, nation)
    wanted = {(row["nation"], int(row["o_year"])): float(row["sum_profit"]) for row in answer(directory, "q09")}
    assert (common * profit).sum(*hidden).collect(dict) == pytest.approx(wanted)


# ---------------------------------------------------------------------- flights from New York in 2013

tail, origin, dest, carrier, hour, row, month = sk.axes("tail origin dest carrier hour row month")


@cache
def flights(directory, *keys):
    """Flights by some of their columns, numbered: equal rows of a table would be one."""
    found = columns(directory / "flights.parquet")
    # A key that is missing equals no other: it is kept as a string that no plane has.
    chosen = {key: found[key].fill_null("") if key == "tailnum" else found[key] for key in keys}
    return sk.table({"row": np.arange(len(found["carrier"]))} | chosen, name="flights")


@cache
def table(directory, file, *keys):
    return sk.table(columns(directory / f"{file}.parquet"), keys=keys, name=file)


FLIGHTS = {
    "flights rows": lambda d: flights(d)[row],
    "flights anti-join planes on tailnum: distinct tailnum (NULL counts as one)": lambda d: (
        flights(d, "tailnum")[row, tail].any(row) * ~table(d, "planes", "tailnum")[tail]
    ),
    "flights anti-join airports on dest=faa: distinct dest": lambda d: (
        flights(d, "dest")[row, dest].any(row) * ~table(d, "airports", "faa")[dest]
    ),
    "flights semi-join planes rows": lambda d: flights(d, "tailnum")[row, tail] * table(d, "planes", "tailnum")[tail],
    "flights anti-join planes rows": lambda d: flights(d, "tailnum")[row, tail] * ~table(d, "planes", "tailnum")[tail],
    "flights anti-join airports(dest) rows": lambda d: (
        flights(d, "dest")[row, dest] * ~table(d, "airports", "faa")[dest]
    ),
    "flights inner join weather on origin,time_hour": lambda d: (
        flights(d, "origin", "time_hour")[row, origin, hour] * table(d, "weather", "origin", "time_hour")[origin, hour]
    ),
    "flights join airports o on origin join airports d on dest join planes join airlines": lambda d: (
        flights(d, "origin", "dest", "tailnum", "carrier")[row, origin, dest, tail, carrier]
        * table(d, "airports", "faa")[origin]
        * table(d, "airports", "faa")[dest]
        * table(d, "planes", "tailnum")[tail]
        * table(d, "airlines", "carrier")[carrier]
    ),
    "tensor flights(origin,dest,carrier,month) nnz": lambda d: table(
        d, "flights", "origin", "dest", "carrier", "month"
    )[origin, dest, carrier, month],
    "distinct (origin,dest) routes": lambda d: table(d, "flights", "origin", "dest")[origin, dest],
}


@pytest.mark.parametrize("query", FLIGHTS)
def test_flights(shared_data, query):
    directory = shared_data / "nycflights13"
    assert FLIGHTS[query](directory).count().collect() == answers(directory)["answers"][query]["duckdb"]
