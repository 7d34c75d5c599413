"""`python -m benchmarks.spark_sql`: what Spark SQL is good at, ours against the best SQL by hand, in one session.

Orders, lines and customers as in TPC-H, a star, a power-law graph; made here, written as Parquet, read by each way.
Answers are compared first. Every round runs every way, in an order that is drawn anew; short queries have more rounds.
"first" makes its tables anew each time and knows nothing about them; "again" has run before on the same ones. Tenths of
a second of a whole Spark differ by half from round to round, so that one lucky round decides which is best: what is
compared is the middle, with the range that it would keep to if the rounds were drawn again (nine times of ten); the
ratios of the best stand beside it. Every round is kept. Last, what does not depend on the machine: how often each way
asks Spark's driver for something.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any
from unittest.mock import patch

import numpy as np
import typer

import skipstone as sk
from skipstone.bench import harness

from . import report

a, b, c, d, n, o, k, s, p, q = sk.axes("a b c d n o k s p q")


@dataclass(frozen=True)
class Case:
    name: str
    ours: Callable[[dict[str, Any]], Any]  # an expression over tables
    sql: str  # the best by hand, with this meaning
    tables: dict[str, tuple[Any, Any, str]]  # by name: keys, value, combine


@dataclass
class Measured:
    name: str
    strategy: str
    asked: dict[str, int]  # messages to Spark's driver, by way
    seconds: dict[str, list[float]]  # of every round, by way


LINE = {"line": (["o", "k"], "price", "plus")}
BAGS = {**LINE, "orders": (["o", "c"], None, "count"), "customer": (["c", "n"], None, "count")}
SETS = {**LINE, "orders": (["o", "c"], None, "plus"), "customer": (["c", "n"], None, "plus")}
STAR = {
    "sales": (["s", "p", "d"], "v", "plus"),
    "shop": (["s", "a"], None, "count"),
    "item": (["p", "b"], None, "count"),
}
EDGES = {"edges": (["src", "dst"], None, "count")}
CASES = [
    Case("a total", lambda t: t["line"][o, k].sum(), "select sum(price) from line", LINE),
    Case("a sum, 7 groups", lambda t: t["line"][o, k].sum(o), "select k, sum(price) from line group by k", LINE),
    Case("a sum, many groups", lambda t: t["line"][o, k].sum(k), "select o, sum(price) from line group by o", LINE),
    Case(
        "the largest, 7 groups",
        lambda t: t["line"][o, k].max(o),
        # Rows with the same keys are one, and their prices are added first.
        "select k, max(price) from (select o, k, sum(price) price from line group by o, k) group by k",
        LINE,
    ),
    Case(
        "lines, orders, customers",
        lambda t: (t["line"][o, k] * t["orders"][o, c] * t["customer"][c, n]).sum(o, k, c),
        "select n, sum(price) from line join orders using (o) join customer using (c) group by n",
        BAGS,
    ),
    Case(
        "the same, as sets of rows",
        lambda t: (t["line"][o, k] * t["orders"][o, c] * t["customer"][c, n]).sum(o, k, c),
        "select n, sum(price) from line join (select distinct * from orders) using (o) "
        "join (select distinct * from customer) using (c) group by n",
        SETS,
    ),
    Case(
        "lines of customers of one nation",
        lambda t: (t["line"][o, k] * t["orders"][o, c] * t["customer"][c, 7]).sum(o, c),
        "select k, sum(price) from line join orders using (o) join customer using (c) where n = 7 group by k",
        BAGS,
    ),
    Case(
        "orders without a customer",
        lambda t: (t["line"][o, k] * t["orders"][o, c] * ~t["customer"][c, 7]).sum(o, c),
        "select k, sum(price) from line join orders using (o) "
        "where not exists (select 1 from customer x where x.c = orders.c and n = 7) group by k",
        BAGS,
    ),
    Case(
        "a star",
        lambda t: (t["sales"][s, p, d] * t["shop"][s, a] * t["item"][p, b]).sum(s, p, d),
        "select a, b, sum(v) from sales join shop using (s) join item using (p) group by a, b",
        STAR,
    ),
    Case(
        "paths of three edges",
        lambda t: (t["edges"][a, b] * t["edges"][b, c] * t["edges"][c, d]).sum(),
        "select sum(x * y) from edges join (select dst src, count(*) x from edges group by dst) using (src) "
        "join (select src dst, count(*) y from edges group by src) using (dst)",
        EDGES,
    ),
]


def columns(lines: int) -> dict[str, dict[str, Any]]:
    """The tables, with about so many lines."""
    random = np.random.default_rng(7)
    orders, customers = lines // 4, lines // 40
    each = random.integers(1, 8, orders)
    order = np.repeat(np.arange(orders), each)
    quadrants = random.choice(4, p=[0.57, 0.19, 0.19, 0.05], size=(lines // 2, 17))
    powers = 1 << np.arange(17)
    edges = np.unique(np.stack([(quadrants >> 1) @ powers, (quadrants & 1) @ powers], axis=1), axis=0)
    return {
        "line": {
            "o": order,
            "k": np.arange(order.size) - np.repeat(np.cumsum(each) - each, each),
            "price": random.integers(100, 10_000, order.size) / 4,
        },
        "orders": {"o": np.arange(orders), "c": random.integers(0, customers, orders)},
        "customer": {"c": np.arange(customers), "n": random.integers(0, 25, customers)},
        "sales": {
            "s": random.integers(0, 1_000, lines),
            "p": random.integers(0, 20_000, lines),
            "d": random.integers(0, 365, lines),
            "v": random.integers(1, 50, lines),
        },
        "shop": {"s": np.arange(1_000), "a": np.arange(1_000) % 30},
        "item": {"p": np.arange(20_000), "b": np.arange(20_000) % 40},
        "edges": {"src": edges[:, 0], "dst": edges[:, 1]},
    }


def write_tables(directory: Path, tables: dict[str, dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    for name, held in tables.items():
        rows = pa.table(held)
        (directory / name).mkdir()
        size = max(-(-rows.num_rows // 4), 50_000)
        for part, at in enumerate(range(0, rows.num_rows, size)):
            parquet.write_table(rows.slice(at, size), directory / name / f"{part}.parquet")


def answer(found: Any) -> list[tuple[Any, ...]]:
    """Rows of an Arrow table, or a number, in order."""
    if not hasattr(found, "to_pylist"):
        return [(float(found),)]
    return sorted(tuple(map(float, row.values())) for row in found.to_pylist())


def main(
    lines: Annotated[int, typer.Option(help="How many lines there are, about.")] = 2_000_000,
    rounds: Annotated[int, typer.Option(help="How often each way is timed, at least.", min=1)] = 15,
    seconds: Annotated[float, typer.Option(help="How long the ways of a query are timed, at least.")] = 45,
    only: Annotated[str, typer.Option(help="Only cases whose name contains this; nothing is kept then.")] = "",
    memory: Annotated[str, typer.Option(help="Memory of the driver, which is all of Spark here.")] = "4g",
) -> None:
    """Ours against Spark SQL by hand."""
    spark = sk.spark.session("local[2,4]", {"spark.driver.memory": memory})
    found = []
    with tempfile.TemporaryDirectory() as name:
        write_tables(Path(name), columns(lines))
        frames = {each.name: spark.read.parquet(str(each)) for each in Path(name).iterdir()}
        for each, frame in frames.items():
            frame.createOrReplaceTempView(each)
        for case in CASES:
            if only in case.name:
                found.append(measured(spark, case, frames, rounds, seconds))
                print(row(vars(found[-1])), found[-1].strategy, flush=True)
    version = spark.version
    spark.stop()
    if not only:
        harness.keep(report.RESULTS / "spark_sql.json", found, rounds, spark=version, lines=lines)
        report.put(report.ON_SPARK, marked())


def measured(spark: Any, case: Case, frames: dict[str, Any], rounds: int, least: float) -> Measured:
    def tables() -> dict[str, Any]:
        return {name: sk.table(frames[name], keys, v, name=name, combine=how)
                for name, (keys, v, how) in case.tables.items()}  # fmt: skip

    kept = tables()
    ways = {
        "sql": lambda: spark.sql(case.sql).toArrow(),
        "first": lambda: case.ours(tables()).collect(into="arrow"),
        "again": lambda: case.ours(kept).collect(into="arrow"),
    }
    told = str(case.ours(kept).explain()).splitlines()[0]
    answers = {way: answer(run()) for way, run in ways.items()}
    for way, found in answers.items():
        same = len(found) == len(answers["sql"]) and all(
            math.isclose(x, y, rel_tol=1e-9) for one, two in zip(found, answers["sql"], strict=True)
            for x, y in zip(one, two, strict=True)
        )  # fmt: skip
        if not same:
            raise SystemExit(f"{case.name}: {way} found {found[:3]}, and SQL {answers['sql'][:3]}")
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    drawn = np.random.default_rng(rounds)
    began = time.perf_counter()
    while len(seconds["sql"]) < rounds or time.perf_counter() - began < least:
        for way in drawn.permutation(list(ways)):
            start = time.perf_counter()
            ways[way]()
            seconds[way].append(time.perf_counter() - start)
    return Measured(case.name, told, {way: messages(run) for way, run in ways.items()}, seconds)


def messages(run: Callable[[], Any]) -> int:
    """How many messages a way sends to Spark's driver, those left out that give memory back."""
    from py4j.clientserver import ClientServerConnection

    sent: list[str] = []
    send = ClientServerConnection.send_command

    def counted(self: Any, command: str, *more: Any) -> Any:
        sent.append(command)
        return send(self, command, *more)

    with patch.object(ClientServerConnection, "send_command", counted):
        run()
    return sum(not command.startswith("m\n") for command in sent)


def spread(ours: list[float], theirs: list[float], draws: int = 2_000) -> tuple[float, float]:
    """Where the ratio of the two in the middle lies in nine of ten draws of as many rounds, some of them twice."""
    random, both = np.random.default_rng(0), np.array([ours, theirs])
    rounds = random.integers(0, both.shape[1], (draws, both.shape[1]))
    ratios = np.median(both[0][rounds], axis=1) / np.median(both[1][rounds], axis=1)
    low, high = np.quantile(ratios, [0.05, 0.95])
    return float(low), float(high)


def row(each: dict[str, Any]) -> str:
    """A line of the table: times in the middle, ratios of the middle with their range, ratios of the best, rounds."""
    taken = each["seconds"]
    cells = [each["name"], *(f"{median(taken[way]):.2f} s" for way in ("sql", "first", "again"))]
    for way in ("first", "again"):
        low, high = spread(taken[way], taken["sql"])
        cells.append(f"**{median(taken[way]) / median(taken['sql']):.2f}** ({low:.2f} to {high:.2f})")
    cells.append(", ".join(f"{min(taken[way]) / min(taken['sql']):.2f}" for way in ("first", "again")))
    return "| " + " | ".join([*cells, str(len(taken["sql"]))]) + " |"


def marked() -> dict[str, list[str]]:
    """The lines in docs/spark.md, by their marks."""
    kept = report.kept("spark_sql")
    machine = ", ".join(f"{name} {value}" for name, value in kept["machine"].items())
    head = "| query | Spark SQL | ours, first | ours, again | first / SQL | again / SQL | of the best | rounds |"
    rows = [row(each) for each in kept["results"]]
    ratios = [head, "|---|---|---|---|---|---|---|---|", *rows, "", f"Spark {kept['spark']}, {machine}."]
    asked = ["| query | Spark SQL | ours, first | ours, again |", "|---|---|---|---|"]
    for each in kept["results"]:
        asked.append("| " + " | ".join([each["name"], *map(str, each["asked"].values())]) + " |")
    return {"handed over": ratios, "asked": asked}


if __name__ == "__main__":
    typer.run(main)
