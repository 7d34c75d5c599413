"""`python -m benchmarks.spark_joins`: cyclic queries on Spark, against Spark SQL's best plan and GraphX, in one run.

Every way reads the same Parquet files. Spark SQL is asked in each way to join that it has (sort-merge, shuffled hash,
broadcast hash); the best counts. Answers are compared before anything is timed. A way that takes longer than the limit
is cancelled, and said to have taken at least that long. In each round, a way is run for a second at least, and again if
it takes less: whoever comes after another finds neither caches nor memory as it left them. Where Spark SQL cannot
finish, its tasks do not end when they are cancelled: there, each of its plans has a process and a session of its own,
which is killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import typer
from rich.console import Console

import skipstone as sk
from skipstone.bench import harness

from . import report
from .peers import data

A_WHILE = 1.0  # seconds that each way is run for in a round, at least
HINTS = ("merge", "shuffle_hash", "broadcast")
a, b, c, d, x, y, z, r1, r2, r3 = sk.axes("a b c d x y z r1 r2 r3")


@dataclass(frozen=True)
class Case:
    """A question about one table: ours, and the text of it for Spark SQL, with a place for its hint."""

    question: str
    on: str
    columns: Callable[[], data.Columns]
    ours: Callable[[Any], Any]
    sql: str
    graphx: bool = False
    hopeless: bool = False  # for Spark SQL


@dataclass
class Measured:
    question: str
    on: str
    rows: int
    answer: int
    seconds: dict[str, float]
    first: float  # of ours, with all that is compiled
    limit: float
    gave_up: list[str]
    strategy: str


def triangles(e: Any) -> Any:
    return sk.sum(e[a, b] * e[b, c] * e[a, c])


def four_cliques(e: Any) -> Any:
    return sk.sum(e[a, b] * e[a, c] * e[a, d] * e[b, c] * e[b, d] * e[c, d])


def typed(t: Any) -> Any:
    return (t[x, r1, y] * t[y, r2, z] * t[x, r3, z]).sum(x, y, z).count()


TRIANGLES = """select {hint} count(*) from E p join E q on p.dst = q.src join E s on p.src = s.src and q.dst = s.dst"""
CLIQUES = """select {hint} count(*) from E p join E q on p.src = q.src join E s on p.dst = s.src and q.dst = s.dst
    join E t on p.src = t.src join E u on p.dst = u.src and t.dst = u.dst join E v on q.dst = v.src and t.dst = v.dst"""
TYPED = """select count(*) from (select {hint} 1 from E p join E q on p.t = q.h join E s on p.h = s.h and q.t = s.t
    group by p.r, q.r, s.r)"""


def hard(edges: int) -> data.Columns:
    """Two stars, back to back: any two tables join to a quarter of the square of the edges."""
    others, hub = np.arange(1, edges // 2 + 1), np.zeros(edges // 2, np.int64)
    return {"src": np.concatenate([hub, others]), "dst": np.concatenate([others, hub])}


def star(rows: int, heavy: float, seed: int = 3) -> data.Columns:
    """Random edges; some part of them begins at one node."""
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, rows // 4, (2, rows))
    src[rng.random(rows) < heavy] = 7
    return data.once(src, dst) if not heavy else {"src": src, "dst": dst}


def cases() -> Iterator[Case]:
    yield Case("triangles", "RMAT, 1M edges", data.rmat, triangles, TRIANGLES, graphx=True)
    yield Case("triangles", "hard, 20k edges", lambda: hard(20_000), triangles, TRIANGLES)
    yield Case("triangles", "hard, 1M edges", lambda: hard(1_000_000), triangles, TRIANGLES, hopeless=True)
    yield Case("4-cliques", "soc-Epinions1", lambda: data.snap("soc-Epinions1"), four_cliques, CLIQUES)
    yield Case("4-cliques", "web-NotreDame", lambda: data.snap("web-NotreDame"), four_cliques, CLIQUES)
    yield Case("typed triangles", "FB15K-237", lambda: data.triples("FB15K237"), typed, TYPED)


def main(
    rounds: Annotated[int, typer.Option(help="How often each way is timed; the best counts.", min=1)] = 3,
    limit: Annotated[float, typer.Option(help="Seconds after which a way is given up.", min=1)] = 120,
    only: Annotated[str, typer.Option(help="Only cases whose name contains this; the others stay as they are.")] = "",
) -> None:
    """Cyclic queries on Spark: ours, Spark SQL, GraphX."""
    console, place = Console(stderr=True), Path(tempfile.mkdtemp())
    spark = sk.spark.session("local[*,4]", {"spark.driver.memory": "6g", "spark.local.dir": str(place / "spark")})
    old = report.kept("spark")["results"] if only and (report.RESULTS / "spark.json").exists() else []
    found = {(each["question"], each["on"]): Measured(**each) for each in old}
    try:
        for case in cases():
            if only in f"{case.question}: {case.on}":
                found[case.question, case.on] = measured(spark, case, place, rounds, limit, console)
                known = [found[k.question, k.on] for k in cases() if (k.question, k.on) in found]
                harness.keep(report.RESULTS / "spark.json", known, rounds, spark=spark.version)
    finally:
        spark.stop()
        shutil.rmtree(place)
    report.put(report.ON_SPARK, marked())


def measured(spark: Any, case: Case, place: Path, rounds: int, limit: float, console: Console) -> Measured:
    columns = case.columns()
    path = place / "edges.parquet"
    parquet.write_table(pa.table(columns), path, row_group_size=2**17)
    frame = spark.read.parquet(str(path))
    frame.createOrReplaceTempView("E")
    ours = case.ours(sk.table(frame, name="E"))
    ways: dict[str, Callable[[], Any]] = {"skipstone": ours.collect}
    texts = {}
    for hint in HINTS:
        tables = ", ".join(f"{hint}({name})" for name in "pqstuv" if f" {name} " in case.sql)
        text = case.sql.format(hint=f"/*+ {tables} */")
        texts[f"Spark SQL, {hint}"] = text
        ways[f"Spark SQL, {hint}"] = lambda text=text: spark.sql(text).first()[0]
    if case.graphx:
        lines = place / "edges.txt"
        np.savetxt(lines, np.column_stack([columns["src"], columns["dst"]]), fmt="%d")
        ways["GraphX"] = lambda: graphx(spark, lines)
    answers, first = {}, {}
    for name, way in ways.items():
        alone = case.hopeless and name in texts
        answers[name], first[name] = by_itself(path, texts[name], limit) if alone else timed(spark, way, limit)
    there = {name: answer for name, answer in answers.items() if answer is not None}
    assert len(set(there.values())) == 1, there
    seconds = {name: first[name] for name in ways}
    for _ in range(rounds):
        for name in there:
            if name == "skipstone" or first[name] < limit / 2:
                began = time.perf_counter()
                while time.perf_counter() - began < A_WHILE:
                    seconds[name] = min(seconds[name], timed(spark, ways[name], limit)[1])
    console.print(f"{case.question}: {case.on}: {seconds}", highlight=False)
    return Measured(
        case.question, case.on, frame.count(), answers["skipstone"], seconds, first["skipstone"], limit,
        [name for name, answer in answers.items() if answer is None], str(ours.explain()).splitlines()[0],
    )  # fmt: skip


def timed(spark: Any, way: Callable[[], Any], limit: float) -> tuple[Any, float]:
    """What a way comes to, and its seconds; None if it was cancelled."""
    stopped = threading.Event()

    def give_up() -> None:
        stopped.set()
        spark.sparkContext.cancelAllJobs()

    timer = threading.Timer(limit, give_up)
    began = time.perf_counter()
    timer.start()
    try:
        answer = way()
    except Exception:
        if not stopped.is_set():
            raise
        answer = None
    finally:
        timer.cancel()
    seconds = time.perf_counter() - began
    tracker = spark.sparkContext._jsc.sc().statusTracker()
    while any(executor.numRunningTasks() for executor in tracker.getExecutorInfos()):
        time.sleep(0.5)  # tasks of what was cancelled take their time
    return answer, seconds


BY_ITSELF = """
import sys, time
import skipstone as sk
spark = sk.spark.session("local[*,4]", {"spark.driver.memory": "6g", "spark.local.dir": sys.argv[3]})
spark.read.parquet(sys.argv[1]).createOrReplaceTempView("E")
print("ready", flush=True)
began = time.perf_counter()
print(spark.sql(sys.argv[2]).first()[0], time.perf_counter() - began)
spark.stop()
"""


def by_itself(path: Path, text: str, limit: float) -> tuple[int | None, float]:
    """What Spark SQL finds in a process of its own, and its seconds; None if it was killed."""
    command = [sys.executable, "-c", BY_ITSELF, str(path), text, str(path.parent / "apart")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            answer, seconds = process.communicate(timeout=limit)[0].split()
            return int(answer), float(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # Java too
            return None, limit


def graphx(spark: Any, path: Path) -> int:
    """Triangles by GraphX's own algorithm, from a list of edges."""
    jvm, context = spark._jvm, spark.sparkContext
    level = jvm.org.apache.spark.storage.StorageLevel.MEMORY_ONLY()
    graph = jvm.org.apache.spark.graphx.GraphLoader.edgeListFile(context._jsc.sc(), str(path), True, 4, level, level)
    tag = jvm.scala.reflect.ClassTag.Int()
    counted = jvm.org.apache.spark.graphx.lib.TriangleCount.run(graph, tag, tag)
    pairs = jvm.org.apache.spark.api.java.JavaPairRDD.fromJavaRDD(counted.vertices().toJavaRDD())
    pickled = jvm.org.apache.spark.api.python.SerDeUtil.javaToPython(pairs.values())
    from pyspark import RDD
    from pyspark.serializers import AutoBatchedSerializer, CPickleSerializer

    total = RDD(pickled, context, AutoBatchedSerializer(CPickleSerializer())).sum()
    assert total % 3 == 0
    return int(total) // 3


def marked() -> dict[str, list[str]]:
    """The lines in docs/spark.md, by their marks."""
    kept = report.kept("spark")
    lines = [
        "| question | on | rows | skipstone | Spark SQL, best of three plans | GraphX |",
        "|---|---|---|---|---|---|",
    ]
    for each in kept["results"]:
        ours, gave_up = each["seconds"]["skipstone"], each["gave_up"]
        plans = {name: s for name, s in each["seconds"].items() if name.startswith("Spark SQL")}
        best = min(plans, key=lambda name: (name in gave_up, plans[name]))
        more = "more than " * (best in gave_up)
        told = f"{more}{plans[best]:.3g} s, **{more}{plans[best] / ours:.3g} ×**"
        graph = each["seconds"].get("GraphX")
        shown = f"{graph:.3g} s, **{graph / ours:.3g} ×**" if graph else "–"
        lines.append(f"| {each['question']} | {each['on']} | {each['rows']:,} | {ours:.3g} s | {told} | {shown} |")
    machine = ", ".join(f"{name} {value}" for name, value in kept["machine"].items())
    lines += ["", f"Spark {kept['spark']}, {machine}. Best of {kept['rounds']} rounds."]
    return {"measured": lines}


if __name__ == "__main__":
    typer.run(main)
