"""`python -m benchmarks.when_not`: what others do better, measured, kept, and put into docs/when_not.md."""

from __future__ import annotations

import re
from typing import Annotated, Any

import numpy as np
import typer

import skipstone as sk
from skipstone.bench import harness
from skipstone.bench.harness import Case

from . import report

PAGE = report.ROOT / "docs" / "when_not.md"
random = np.random.default_rng(0)
i, j, k = sk.axes("i j k")


def lookup() -> Case:
    held = dict(zip(range(1_000_000), range(1_000_000), strict=True))
    tree = sk.Blocked(held)
    stream = tree.stream()
    return Case("one lookup among a million keys", {"stream.get": lambda: stream.get(77_777)},
                others={"dict": lambda: held[77_777], "sk.Blocked": lambda: tree[77_777]})  # fmt: skip


def tiny() -> Case:
    one, two = {n: n for n in range(0, 20, 2)}, {n: n for n in range(0, 20, 3)}
    a, b = sk.stream(one), sk.stream(two)
    kernel = (a * b).compile(lambda s: s.sum())
    return Case("the product of two dicts of ten keys, summed", {"skipstone": lambda: (a * b).sum()},
                others={"dicts": lambda: sum(one[n] * two[n] for n in one.keys() & two.keys()),
                        "skipstone, kernel kept": kernel})  # fmt: skip


def dense() -> Case:
    a, b = random.random((400, 400)), random.random((400, 400))
    return Case("a product of dense matrices, 400 × 400", {"sk.einsum": lambda: sk.einsum("ij,jk->ik", a, b)},
                others={"NumPy": lambda: a @ b}, answer=lambda m: float(np.sum(m)))  # fmt: skip


def dot() -> Case:
    a, b = random.random(1_000_000), random.random(1_000_000)
    kernel = (sk.stream(a) * sk.stream(b)).compile(lambda s: s.sum())
    return Case("the dot product of two arrays, 1M floats", {"skipstone, kernel kept": kernel},
                others={"NumPy": lambda: float(a @ b)})  # fmt: skip


def grouped() -> Case:
    import duckdb
    import pandas as pd

    frame = pd.DataFrame({"k": random.integers(0, 1_000, 1_000_000), "v": random.random(1_000_000)})
    connection = duckdb.connect(config={"threads": 1})
    connection.register("frame", frame)
    connection.execute("CREATE TABLE t AS SELECT * FROM frame")
    asked = "SELECT k, sum(v) FROM t GROUP BY k ORDER BY k"

    return Case("a sum of 1M rows by 1,000 keys, from columns",
                {"skipstone": lambda: sum(sk.table(frame, keys="k", value="v").to_dict().values())},
                others={"DuckDB": lambda: float(np.sum(connection.execute(asked).fetchnumpy()["sum(v)"])),
                        "pandas": lambda: float(frame.groupby("k").v.sum().sum())})  # fmt: skip


def triangles() -> Case:
    import duckdb
    import pandas as pd

    ends = random.integers(0, 20_000, (2, 200_000))
    edges = sk.table({"a": ends[0], "b": ends[1]})
    connection = duckdb.connect(config={"threads": 1})
    frame = pd.DataFrame({"a": ends[0], "b": ends[1]}).drop_duplicates()
    connection.register("frame", frame)
    connection.execute("CREATE TABLE e AS SELECT * FROM frame")
    asked = "SELECT count(*) FROM e x JOIN e y ON x.b = y.a JOIN e z ON z.a = x.a AND z.b = y.b"
    kernel = (edges[i, j] * edges[j, k] * edges[i, k]).count().compile()
    return Case("for comparison: triangles among 200,000 edges", {"skipstone, kernel kept": kernel},
                others={"DuckDB": lambda: connection.execute(asked).fetchone()[0]})  # fmt: skip


CASES = [lookup, tiny, dense, dot, grouped, triangles]


def table(results: dict[str, Any]) -> str:
    rows = []
    for r in results["results"]:
        (way,) = r["ours"]
        ours = r["seconds"][way]
        for name, seconds in r["seconds"].items():
            if name != way:
                mine, theirs = report.milliseconds(ours), report.milliseconds(seconds)
                rows.append([r["case"], f"{way}: {mine}", f"{name}: {theirs}", shown(ours / seconds)])
    machine = ", ".join(f"{name} {value}" for name, value in results["machine"].items())
    head = ["case", "skipstone", "instead", "times as long"]
    note = f"Machine: {machine}. Best of {results['rounds']} rounds."
    return "\n".join([*report.page_table(head, rows, []), "", note])


def shown(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"


def made(page: str, results: dict[str, Any]) -> str:
    """The page with the table between its marks."""
    marks = re.compile(r"(<!-- measured -->\n).*?(<!-- /measured -->)", re.DOTALL)
    return marks.sub(lambda m: f"{m[1]}{table(results)}\n{m[2]}", page)


def main(
    rounds: Annotated[int, typer.Option(help="How often each way is timed.", min=1)] = 9,
    measure: Annotated[bool, typer.Option(help="Without it, the kept results are put in again.")] = True,
) -> None:
    """Measure, keep, and write the page."""
    if measure:
        results = harness.run(CASES, rounds, "what others do better")
        harness.keep(report.RESULTS / "when_not.json", results, rounds)
    PAGE.write_text(made(PAGE.read_text(), report.kept("when_not")))


if __name__ == "__main__":
    typer.run(main)
